"""The own fields of a case: what each accepts, what it becomes, what is unknown, absent and conflicting (docs/semantics.md section 1)."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from equipoise.cases.formats import case_from_object, own_fields
from equipoise.cases.model import HISTOLOGIES, SETTINGS, Case, Interval, RecommendationKind, Status
from equipoise.errors import CaseError

UNKNOWN_WORDS = (
    None,
    "",
    " ",
    "unknown",
    "Unknown",
    "not tested",
    "NOT  TESTED",
    "pending",
    "not documented",
    "not available",
    "n/a",
    "not stated",
    "not done",
    "not performed",
    float("nan"),
)


def read(**fields: Any) -> Case:
    return case_from_object(fields)


@pytest.mark.parametrize("word", UNKNOWN_WORDS, ids=repr)
@pytest.mark.parametrize(
    "field",
    [
        "age",
        "sex",
        "ecog",
        "tumor",
        "histology",
        "stage",
        "setting",
        "brain_mets",
        "tmb",
        "msi",
        "prior_therapies",
        "qtc_ms",
    ],
)
def test_words_for_nothing_documented_are_unknown_in_every_field(field, word):
    case = read(**{field: word})
    assert getattr(case, field).status is Status.UNKNOWN
    assert case.ignored_fields == ()


@pytest.mark.parametrize("word", UNKNOWN_WORDS, ids=repr)
def test_the_same_words_under_biomarkers_pdl1_conditions_and_recommendations(word):
    case = read(
        biomarkers=word,
        pdl1=word,
        comorbidities=word,
        comedications=word,
        recommendations=word if not isinstance(word, float) else None,
    )
    assert case.findings == ()
    assert {case.pdl1.tps.status, case.pdl1.tc.status, case.pdl1.ic.status} == {Status.UNKNOWN}
    assert case.conditions == {}
    assert case.recommendations == ()


def test_nothing_is_defaulted():
    case = read(case_id="x")
    for field in (
        "age",
        "sex",
        "ecog",
        "tumor",
        "histology",
        "stage",
        "setting",
        "brain_mets",
        "tmb",
        "msi",
        "prior_therapies",
        "qtc_ms",
    ):
        assert getattr(case, field).status is Status.UNKNOWN
    assert case.as_of is None
    assert not case.biomarkers_complete


@pytest.mark.parametrize(
    ("stated", "grades"),
    [
        (0, {0}),
        (4, {4}),
        ("1", {1}),
        (1.0, {1}),
        ("ECOG 2", {2}),
        ("0-1", {0, 1}),
        ("1 to 2", {1, 2}),
        (">=2", {2, 3, 4}),
        ("<= 1", {0, 1}),
        ([0, 1], {0, 1}),
        (["0-1", "1-2"], {1}),
    ],
)
def test_ecog(stated, grades):
    assert read(ecog=stated).ecog.value == grades


@pytest.mark.parametrize(
    ("kps", "grades"),
    [(100, {0}), (90, {0, 1}), (80, {1}), (70, {1, 2}), ("60 %", {2}), (50, {2, 3}), ("KPS 40", {3}), (10, {4})],
)
def test_kps_is_the_set_of_grades_it_can_mean(kps, grades):
    assert read(kps=kps).ecog.value == grades


def test_kps_narrows_ecog_or_conflicts_with_it():
    assert read(ecog="0-1", kps=80).ecog.value == {1}
    conflict = read(ecog=0, kps=50).ecog
    assert conflict.status is Status.CONFLICTING
    assert conflict.stated == ("0", "50")


@pytest.mark.parametrize(
    ("stated", "groups"),
    [
        ("IVB", {"IVB"}),
        ("Stage IV", {"IVA", "IVB"}),
        ("III", {"IIIA", "IIIB", "IIIC"}),
        ("IA", {"IA1", "IA2", "IA3"}),
        ("4", {"IVA", "IVB"}),
        ("IIIA-IIIB", {"IIIA", "IIIB"}),
        ("IB or IIA", {"IB", "IIA"}),
        (3, {"IIIA", "IIIB", "IIIC"}),
        ("0", {"0"}),
        ("stage iiia", {"IIIA"}),
    ],
)
def test_stage(stated, groups):
    assert read(stage=stated).stage.value == groups


@pytest.mark.parametrize(
    ("fields", "settings"),
    [
        ({"setting": "metastatic"}, {"metastatic"}),
        ({"setting": "perioperative"}, {"neoadjuvant"}),
        ({"setting": "locally_advanced"}, {"neoadjuvant", "chemoradiation", "consolidation", "advanced"}),
        ({"setting": "locally_advanced_unresectable"}, {"chemoradiation", "consolidation", "advanced"}),
        ({"setting": "unresectable"}, {"chemoradiation", "consolidation", "advanced"}),
        ({"setting": "resected"}, {"adjuvant"}),
        ({"stage": "IV"}, {"metastatic"}),
        ({"stage": "IIB"}, {"neoadjuvant", "adjuvant"}),
        ({"stage": "IIIB"}, set(SETTINGS) - {"metastatic"}),
        ({"stage": "III-IV"}, set(SETTINGS)),
        ({"stage": "IIA", "setting": "metastatic"}, {"metastatic"}),
        ({"stage": "IV", "setting": "advanced"}, {"advanced"}),
    ],
)
def test_a_stated_setting_wins_over_the_one_the_stage_implies(fields, settings):
    assert read(**fields).setting.value == settings


def test_stage_iv_with_a_curative_setting_is_a_conflict():
    case = read(stage="IVA", setting="adjuvant")
    assert case.setting.status is Status.CONFLICTING
    assert case.stage.value == {"IVA"}


@pytest.mark.parametrize(
    ("stated", "tumor", "histology"),
    [
        ({"tumor": "NSCLC"}, "NSCLC", None),
        ({"tumor": "lung adenocarcinoma"}, "NSCLC", {"adenocarcinoma"}),
        ({"tumor": "LUSC"}, "NSCLC", {"squamous"}),
        ({"tumor": "NSCLC", "histology": "nonsquamous"}, "NSCLC", {"adenocarcinoma", "large-cell", "sarcomatoid"}),
        ({"tumor": "NSCLC", "histology": "NSCLC NOS"}, "NSCLC", set(HISTOLOGIES)),
        ({"histology": "adenocarcinoma"}, None, {"adenocarcinoma"}),
        ({"tumor": "lung cancer"}, "lung cancer", None),
        ({"tumor": "SCLC"}, "SCLC", None),
        ({"tumor": "Melanoma"}, "melanoma", None),
    ],
)
def test_tumor_and_histology(stated, tumor, histology):
    case = read(**stated)
    assert case.tumor.value == tumor
    assert case.histology.value == (None if histology is None else histology)


def test_two_tumors_conflict():
    assert read(tumor="melanoma", histology="lung adenocarcinoma").tumor.status is Status.CONFLICTING


@pytest.mark.parametrize(
    ("stated", "status", "value"),
    [
        (False, Status.ABSENT, None),
        ("no", Status.ABSENT, None),
        ("none", Status.ABSENT, None),
        ("No brain metastases", Status.ABSENT, None),
        (True, Status.VALUE, {"treated", "untreated"}),
        ("yes", Status.VALUE, {"treated", "untreated"}),
        ("treated", Status.VALUE, {"treated"}),
        ("Untreated", Status.VALUE, {"untreated"}),
        (["treated", True], Status.VALUE, {"treated"}),
        ([False, "treated"], Status.CONFLICTING, None),
        (["treated", "untreated"], Status.CONFLICTING, None),
    ],
)
def test_brain_metastases(stated, status, value):
    field = read(brain_mets=stated).brain_mets
    assert (field.status, field.value) == (status, value)


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        ({"interstitial lung disease": False}, {"ild": Status.ABSENT}),
        ({"ILD / pneumonitis": True}, {"ild": Status.VALUE}),
        (["pneumonitis", "hemoptysis"], {"ild": Status.VALUE, "hemoptysis": Status.VALUE}),
        ("autoimmune disease; solid organ transplant", {"autoimmune": Status.VALUE, "transplant": Status.VALUE}),
        ({"ild": True, "pneumonitis": False}, {"ild": Status.CONFLICTING}),
        ({"allogeneic HSCT": "no"}, {"hsct": Status.ABSENT}),
        ({"vte": "unknown"}, {"vte": Status.UNKNOWN}),
    ],
)
def test_comorbidities(stated, found):
    assert {name: state.status for name, state in read(comorbidities=stated).conditions.items()} == found


@pytest.mark.parametrize("stated", ["none", "None known", [], "no"])
def test_no_comorbidity_at_all_makes_each_absent_and_says_nothing_of_drugs(stated):
    conditions = read(comorbidities=stated).conditions
    assert {state.status for state in conditions.values()} == {Status.ABSENT}
    assert set(conditions) == {"ild", "autoimmune", "transplant", "hsct", "hemoptysis", "vte"}


def test_what_is_not_read_is_listed():
    case = read(smoking="never", comorbidities={"diabetes": True}, biomarkers=["a sentence that names no gene"])
    assert case.ignored_fields == ("smoking", "biomarkers[0]: a sentence that names no gene", "comorbidities.diabetes")


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("pdl1", [{"tps": 60}, {"tps": 5}]),
        ("age", [60, 61]),
        ("stage", ["IIIA", "IVB"]),
        ("histology", ["adenocarcinoma", "squamous"]),
        ("msi", ["MSI-H", "MSS"]),
        ("tmb", [5, 12]),
        ("setting", ["adjuvant", "metastatic"]),
        ("qtc_ms", [400, 500]),
    ],
)
def test_documented_twice_and_differently_is_conflicting(field, values):
    case = read(**{field: values})
    state = case.pdl1.tps if field == "pdl1" else getattr(case, field)
    assert state.status is Status.CONFLICTING
    assert state.value is None
    assert len(state.stated) == 2


@pytest.mark.parametrize("field", ["age", "stage", "histology", "msi", "setting"])
def test_the_same_statement_twice_is_one_value(field):
    value = {"age": 60, "stage": "IIIA", "histology": "squamous", "msi": "MSS", "setting": "adjuvant"}[field]
    assert getattr(read(**{field: [value, value]}), field).value == getattr(read(**{field: value}), field).value


@pytest.mark.parametrize(
    ("stated", "components", "kind"),
    [
        ("osimertinib", {"osimertinib"}, "regimen"),
        (["osimertinib"], {"osimertinib"}, "regimen"),
        ({"regimen": ["Alimta", "carboplatin"]}, {"pemetrexed", "carboplatin"}, "regimen"),
        ({"drugs": "pembro + chemo"}, {"pembrolizumab", "chemotherapy"}, "regimen"),
        ({"kind": "trial", "text": "a phase 1 study"}, set(), "trial"),
        ("clinical trial", set(), "trial"),
        ("rebiopsy", set(), "other"),
        ("stop osimertinib", {"osimertinib"}, "other"),
        ({"kind": "Regimen ", "regimen": "avoid osimertinib"}, {"osimertinib"}, "other"),
        ({"regimen": None, "drugs": ["osimertinib"]}, {"osimertinib"}, "regimen"),
        ("SBRT", {"radiotherapy"}, "regimen"),
    ],
)
def test_a_recommendation(stated, components, kind):
    (found,) = read(recommendations=stated).recommendations
    assert found.components == components
    assert found.kind is RecommendationKind(kind)


def test_recommendations_keep_their_order_ids_and_details():
    stated = [
        {"id": "b", "regimen": "adjuvant osimertinib", "priority": 2, "alternative_of": "a"},
        "docetaxel",
        {"regimen": "gefitinib", "line": "2", "citations": 1},
    ]
    one, two, three = read(recommendations=stated).recommendations
    assert (one.id, one.setting, one.priority, one.alternative_of) == ("b", {"adjuvant"}, 2, "a")
    assert (two.id, two.text) == ("2", "docetaxel")
    assert (three.line, three.citations) == (2, ("1",))


@pytest.mark.parametrize(
    "stated",
    ["", " ", None, "TBD", "to be discussed", "none", "-", "?", [], [None], [""], {"regimen": ""}, {"id": "r1"}],
)
def test_no_recommendation(stated):
    assert read(recommendations=stated).recommendations == ()


def test_recommendation_stands_for_recommendations_also_beside_a_null():
    assert read(recommendation="osimertinib").recommendations == read(recommendations="osimertinib").recommendations
    assert (
        read(recommendation="osimertinib", recommendations=None).recommendations
        == read(recommendations="osimertinib").recommendations
    )


def test_dates_and_numbers():
    case = read(as_of="2026-11-01", age="63", qtc_ms=450, tmb=">= 10", stage_edition="8")
    assert case.as_of == dt.date(2026, 11, 1)
    assert case.age.value == Interval(63, 63)
    assert case.qtc_ms.value == Interval(450, 450)
    assert case.tmb.value == Interval(10, float("inf"))
    assert case.stage_edition == 8
    assert read(as_of=dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)).as_of == dt.date(2026, 11, 1)


@pytest.mark.parametrize("text", ["2026", "2026-11"])
def test_a_date_without_a_day_is_no_day(text):
    assert read(prior_therapies=[{"drugs": "docetaxel", "ended": text}]).prior_therapies.value[0].ended is None


@pytest.mark.parametrize("text", ["2026-11-01x", "01.11.2026", "2026-13", "2026-\u00b2"])
def test_a_date_that_is_none_is_an_error(text):
    with pytest.raises(CaseError, match="expected a date as YYYY-MM-DD"):
        read(as_of=text)


@pytest.mark.parametrize("data", [None, 1, "text", [], True])
def test_only_an_object_is_a_case(data):
    with pytest.raises(CaseError, match="expected an object with the fields of a case"):
        case_from_object(data)
    with pytest.raises(CaseError, match="expected an object with the fields of a case"):
        own_fields(data)


def test_every_value_says_where_it_was_read():
    case = read(stage="IV", ecog="1", pdl1={"tps": "60 %"}, recommendations=["osimertinib"], biomarkers=["EGFR L858R"])
    assert [(source.field, source.text) for source in case.stage.sources] == [("stage", "IV")]
    assert [(source.field, source.text) for source in case.setting.sources] == [("stage", "IV")]
    assert [(source.field, source.text) for source in case.pdl1.tps.sources] == [("pdl1.tps", "60 %")]
    assert case.findings[0].source.field == "biomarkers[0]"
    assert case.recommendations[0].source.field == "recommendations[0]"


def test_reading_changes_nothing_of_what_was_handed_over():
    data = {"stage": " IV ", "biomarkers": ["EGFR  L858R"], "prior_therapies": [{"drugs": " x "}]}
    case_from_object(data)
    assert data == {"stage": " IV ", "biomarkers": ["EGFR  L858R"], "prior_therapies": [{"drugs": " x "}]}
