"""`POST /audit` and `/audit/batch`: every input form, every parameter, every entry answered."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

import equipoise
from equipoise.service.access.keys import Role
from service_example import CASE, NOTE, TODAY

RECORDS = Path(__file__).parents[1] / "cases" / "records" / "fixtures"


def labels(answer):
    return [verdict["label"] for case in answer.json()["cases"] for verdict in case["verdicts"]]


def test_the_verdict_is_the_one_of_the_library(running):
    answer = running.audit()
    expected = equipoise.audit(CASE, as_of=TODAY)[0].to_dict()
    assert answer.status_code == 200
    assert answer.json()["cases"][0]["verdicts"] == [expected]
    assert answer.json()["cases"][0]["trail"]["seq"] == 1


def test_a_note_is_read_as_a_note(running):
    answer = running.client.post("/audit", content=NOTE, headers={"Content-Type": "text/plain"})
    assert labels(answer) == ["Supported"]
    assert answer.json()["cases"][0]["case_id"].startswith("note-")


@pytest.mark.parametrize("name", ["mcode_john_anyperson.json", "dnpm_lung.json", "bwhc_lung.json"])
def test_a_record_is_told_by_its_content(running, name):
    answer = running.client.post(
        "/audit", content=(RECORDS / name).read_bytes(), headers={"Content-Type": "application/json"}
    )
    case = answer.json()["cases"][0]
    assert answer.status_code == 200
    assert case["verdicts"]
    assert case["record"]["found"]


def test_a_record_without_a_recommendation_says_so_and_leaves_no_entry(running):
    answer = running.audit({"resourceType": "Bundle", "type": "collection", "entry": [
        {"resource": {"resourceType": "Patient", "id": "p1"}},
        {"resource": {"resourceType": "Condition", "id": "c", "subject": {"reference": "Patient/p1"}, "code": {"text": "lung cancer"}}},
    ]})  # fmt: skip
    case = answer.json()["cases"][0]
    assert (case["verdicts"], case["record"]["nothing"]["code"]) == ([], "no-recommendation")
    assert "trail" not in case
    assert running.state.trail.head().seq == 0


def test_the_policy_and_the_day_of_the_request_decide(running):
    as_of = {
        "biomarkers": ["KRAS G12C"],
        "recommendations": ["sotorasib"],
        "prior_therapies": ["carboplatin + pembrolizumab (progressed)"],
    }
    case = {**CASE, **as_of, "as_of": "2026-01-01"}
    new = running.audit(case).json()["cases"][0]["verdicts"][0]
    old = running.audit(case, as_of="2020-01-01").json()["cases"][0]["verdicts"][0]
    assert (new["as_of"], old["as_of"]) == ("2026-01-01", "2020-01-01")
    assert new["label"] != old["label"]
    other = running.audit(case, policy="openmtb-2026", jurisdiction="EU").json()["cases"][0]["verdicts"][0]
    assert (other["policy"], other["jurisdiction"]) == ("openmtb-2026", "EU")


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"policy": "nobody"}, "policy"),
        ({"policy": "../../etc/passwd.yaml"}, "policy"),
        ({"as_of": "yesterday"}, "as_of"),
        ({"as_of": "1850-01-01"}, "as_of"),
        ({"as_of": "9999-12-31"}, "as_of"),
        ({"jurisdiction": "XX"}, "jurisdiction"),
        ({"format": "pdf"}, "format"),
        ({"as-of": "2026-01-01"}, "as-of"),
    ],
)
def test_a_parameter_that_means_nothing_is_refused(running, parameters, field):
    answer = running.audit(**parameters)
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["field"] == field
    assert running.state.trail.head().seq == 0


def test_a_day_of_the_case_outside_the_range_is_an_error_of_the_case(running):
    answer = running.audit({**CASE, "as_of": "9998-01-01"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "as_of")


def test_a_case_that_cannot_be_read_names_the_field(running):
    answer = running.audit({**CASE, "ecog": 17})
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["error"]["field"]) == (
        422,
        "unreadable",
        "ecog",
    )


def test_of_several_cases_the_good_ones_are_answered(running):
    answer = running.audit([CASE, {**CASE, "ecog": 17}, CASE])
    cases = answer.json()["cases"]
    assert [len(case["verdicts"]) for case in cases] == [1, 0, 1]
    assert cases[1]["error"]["field"] == "ecog"
    assert [case.get("trail", {}).get("seq") for case in cases] == [1, None, 2]


def test_a_batch_answers_each_entry(running):
    entries = [
        CASE,
        {**CASE, "ecog": 17},
        NOTE,
        7,
        json.loads((RECORDS / "dnpm_lung.json").read_text(encoding="utf-8")),
    ]
    answer = running.client.post("/audit/batch", json=entries)
    rows = answer.json()["entries"]
    assert [row["place"] for row in rows] == [1, 2, 3, 4, 5]
    assert [bool(row.get("cases") and row["cases"][0]["verdicts"]) for row in rows] == [True, False, True, False, True]
    assert rows[1]["cases"][0]["error"]["field"] == "ecog"
    seqs = [case["trail"]["seq"] for row in rows for case in row.get("cases", ()) if "trail" in case]
    assert seqs == sorted(seqs) == list(range(1, len(seqs) + 1))


def test_a_batch_of_lines_is_answered_in_lines(running):
    lines = [json.dumps(CASE), "not json", "", json.dumps({**CASE, "case_id": "b"}), json.dumps(NOTE)]
    answer = running.client.post(
        "/audit/batch", content="\n".join(lines), headers={"Content-Type": "application/x-ndjson"}
    )
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert [(row["place"], row["line"]) for row in rows] == [(1, 1), (2, 2), (3, 4), (4, 5)]
    assert ["error" in row for row in rows] == [False, True, False, False]


def test_evidence_is_listed_searched_and_shown(running):
    every = running.client.get("/evidence").json()
    found = running.client.get("/evidence", params={"q": "osimertinib adjuvant", "verified": "true"}).json()
    assert 0 < found["total"] < every["total"]
    assert all("osimertinib" in row["regimen"] for row in found["assertions"])
    one = running.client.get(f"/evidence/{found['assertions'][0]['id']}").json()["assertion"]
    assert one == found["assertions"][0]
    assert running.client.get("/evidence/nowhere").status_code == 404
    assert running.client.get("/evidence", params={"drug": "Tagrisso", "as_of": "2010-01-01"}).json()["total"] == 0
    assert running.client.get("/evidence", params={"drug": "qwertz"}).status_code == 400


def test_policies_are_listed_with_their_rules(running):
    rows = running.client.get("/policies").json()["policies"]
    assert [row["id"] for row in rows] == ["label", "openmtb-2026"]
    assert rows[0]["hash"] == running.audit().json()["cases"][0]["verdicts"][0]["policy_hash"]
    assert rows[0]["rules"]["levels"]["decide"] == "A"


def test_an_own_policy_and_an_overlay_are_used(make, tmp_path):
    from importlib import resources

    text = resources.files("equipoise.audit").joinpath("policies", "label.yaml").read_text(encoding="utf-8")
    own = tmp_path / "ours.yaml"
    own.write_text(text.replace("id: label", "id: ours"), encoding="utf-8")
    running = make(policies=(str(own), "label"))
    assert running.audit().json()["cases"][0]["verdicts"][0]["policy"] == "ours"
    assert running.audit(policy="label").json()["cases"][0]["verdicts"][0]["policy"] == "label"


def test_many_days_do_not_make_the_service_remember_without_end(running, monkeypatch):
    monkeypatch.setattr("equipoise.service.engine.MOST_DAYS", 5)
    engine = running.state.engine
    first = engine.base
    for number in range(12):
        running.audit(as_of=(dt.date(2020, 1, 1) + dt.timedelta(days=number)).isoformat())
    assert engine.base is not first
    assert engine.base.hash == first.hash
    assert len(engine._days) <= 6


def test_large_and_long_documents_are_audited_beside_with_the_same_result(running):
    padded = {**CASE, "remark": "x" * 60_000}
    answer = running.audit(padded)
    assert answer.status_code == 200
    expected = equipoise.audit(padded, as_of=TODAY)[0].to_dict()
    assert answer.json()["cases"][0]["verdicts"] == [expected]
    assert running.state.heavy._process is not None


def test_an_audit_needs_the_role(running):
    for role, status in ((Role.AUDIT, 200), (Role.ADMIN, 200), (Role.TRAIL, 403)):
        assert running.client.post("/audit", json=CASE, headers=running.as_role(role)).status_code == status
