"""Records under the names of OpenMTB: nothing that could decide is dropped without a word."""

from __future__ import annotations

from equipoise.cases.formats import case_from_object

RECORD = {
    "case_id": "a",
    "genomic_alteration": "EGFR L858R",
    "proposed_therapy": "osimertinib",
    "stage": "IV",
    "ecog": 1,
}


def test_a_history_under_the_own_name_is_read():
    case = case_from_object({**RECORD, "prior_therapies": "osimertinib"})
    same = case_from_object({**RECORD, "prior_therapy": "osimertinib"})
    assert case.prior_therapies == same.prior_therapies
    assert case.prior_therapies.value


def test_an_unknown_element_is_named_as_not_read():
    case = case_from_object({**RECORD, "therapy_history": "carboplatin"})
    assert case.ignored_fields == ("therapy_history",)


def test_the_reference_of_a_record_is_left_alone():
    plain = case_from_object(RECORD)
    told = case_from_object(
        {**RECORD, "support_label": "Supported", "should_abstain": False, "case_type": "x", "profile_key": "y"}
    )
    assert told == plain
