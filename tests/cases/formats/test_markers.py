"""Biomarkers, PD-L1, TMB and MSI of the own format."""

from __future__ import annotations

import datetime as dt

import pytest

from equipoise.cases.facts import FALSE, TRUE, UNKNOWN, Reading, facts_of
from equipoise.cases.formats import case_from_object
from equipoise.cases.model import FindingStatus, Interval, Status
from equipoise.errors import CaseError


def state(name, **fields):
    return facts_of(case_from_object(fields), as_of=dt.date(2026, 11, 1), reading=Reading()).marker(name)


@pytest.mark.parametrize(
    "biomarkers",
    [
        ["EGFR L858R", "ALK negative", "ROS1 not tested"],
        {"EGFR": "L858R", "ALK": "negative", "ROS1": "not tested"},
        [{"name": "EGFR L858R"}, {"name": "ALK", "status": "absent"}, {"name": "ROS1 fusion", "status": "not_tested"}],
        [
            {"gene": "EGFR", "alteration": "L858R", "status": "detected"},
            {"gene": "ALK", "alteration": "fusion", "status": "Negative"},
            {"name": "ROS1", "status": "pending"},
        ],
        "EGFR L858R, ALK negative, ROS1 not tested",
        ["EGFR L858R, ALK negative", {"name": "ROS1 fusion", "status": "unknown"}],
    ],
    ids=["strings", "object", "names", "gene and alteration", "one string", "mixed"],
)
def test_every_form_says_the_same(biomarkers):
    assert state("EGFR:L858R", biomarkers=biomarkers) == TRUE
    assert state("EGFR:exon19del", biomarkers=biomarkers) == FALSE
    assert state("EGFR:T790M", biomarkers=biomarkers) == UNKNOWN
    assert state("ALK:fusion", biomarkers=biomarkers) == FALSE
    assert state("ROS1:fusion", biomarkers=biomarkers) == UNKNOWN
    assert state("RET:fusion", biomarkers=biomarkers) == UNKNOWN


def test_a_complete_panel_makes_the_rest_absent_but_not_what_is_open():
    assert state("RET:fusion", biomarkers=["EGFR L858R"], biomarkers_complete=True) == FALSE
    assert state("ROS1:fusion", biomarkers=["EGFR L858R", "ROS1 pending"], biomarkers_complete=True) == UNKNOWN


def test_present_and_absent_is_conflicting():
    case = case_from_object({"biomarkers": ["ALK fusion", {"name": "ALK fusion", "status": "absent"}]})
    facts = facts_of(case, as_of=dt.date(2026, 11, 1), reading=Reading())
    assert facts.marker("ALK:fusion") == UNKNOWN
    assert facts.conflicts == {"biomarkers.ALK"}


def test_of_two_dated_results_for_an_acquired_variant_the_later_one_holds():
    early, late = (
        {"name": "EGFR T790M", "status": "absent", "date": "2025-01-01"},
        {"name": "EGFR T790M", "date": "2026-01-01"},
    )
    assert state("EGFR:T790M", biomarkers=[early, late]) == TRUE
    assert state("EGFR:T790M", biomarkers=[late, early]) == TRUE
    assert state("EGFR:T790M", biomarkers=[{**late, "status": "absent"}, {**early, "status": "present"}]) == FALSE


def test_an_uncertain_variant_is_documented_and_is_no_match():
    biomarkers = [{"name": "EGFR R776C", "status": "uncertain"}]
    assert state("EGFR:R776C", biomarkers=biomarkers) != TRUE
    assert state("EGFR:any_mutation", biomarkers=biomarkers) != TRUE
    assert state("EGFR:L858R", biomarkers=biomarkers) == FALSE
    assert case_from_object({"biomarkers": biomarkers}).findings[0].status is FindingStatus.UNCERTAIN


@pytest.mark.parametrize(
    ("stated", "scale", "low", "high"),
    [
        ({"tps": 60}, "tps", 60, 60),
        (60, "tps", 60, 60),
        ("60 %", "tps", 60, 60),
        ("TPS 1-49%", "tps", 1, 49),
        ("< 1%", "tps", 0, 0.99),
        (">= 50%", "tps", 50, 100),
        ({"tc": 50, "ic": 10}, "tc", 50, 50),
        ({"tc": 50, "ic": 10}, "ic", 10, 10),
        ({"tps": "1-49%"}, "tps", 1, 49),
        ([{"tps": "1-49%"}, {"tps": 20}], "tps", 20, 20),
    ],
)
def test_pdl1_is_an_interval_by_scale(stated, scale, low, high):
    field = getattr(case_from_object({"pdl1": stated}).pdl1, scale)
    assert field.value == Interval(low, pytest.approx(high))


def test_pdl1_tmb_and_msi_among_the_biomarkers_count_and_can_conflict():
    case = case_from_object({"biomarkers": ["PD-L1 TPS 60%", "TMB 12 mut/Mb", "MSI-H"]})
    assert case.findings == ()
    assert (case.pdl1.tps.value, case.tmb.value, case.msi.value) == (Interval(60, 60), Interval(12, 12), "high")
    case = case_from_object({"biomarkers": ["PD-L1 TPS 60%", "MSI-H"], "pdl1": 5, "msi": "MSS"})
    assert case.pdl1.tps.status is Status.CONFLICTING
    assert case.msi.status is Status.CONFLICTING


@pytest.mark.parametrize("stated", ["CPS 20", {"cps": 20}, "combined positive score 5"])
def test_a_combined_score_is_no_score_of_lung_cancer(stated):
    pdl1 = case_from_object({"pdl1": stated}).pdl1
    assert {pdl1.tps.status, pdl1.tc.status, pdl1.ic.status} == {Status.UNKNOWN}


@pytest.mark.parametrize("value", [-1, 1e7, float("inf"), 10**400, "none of it"])
def test_an_impossible_burden_is_an_error(value):
    with pytest.raises(CaseError, match="expected mutations per megabase"):
        case_from_object({"tmb": value})


@pytest.mark.parametrize("entry", [{"name": ""}, {"status": "present"}, {"name": 5}, [], 3.5])
def test_an_entry_without_a_name_is_an_error(entry):
    with pytest.raises(CaseError) as caught:
        case_from_object({"biomarkers": ["EGFR L858R", entry]})
    assert caught.value.field.startswith("biomarkers[1]")
