"""What the auditor tells a board: no more than the audit says, each regimen once, abstention as abstention."""

from __future__ import annotations

import datetime as dt

import pytest

from equipoise.audit.verdict import LABELS
from equipoise.boards.board_audit import OPENING, UNREADABLE, board_audit, told_text, with_colons
from equipoise.boards.demo import demo_cases
from equipoise.boards.recommended import Kind, recommended_in
from equipoise.errors import UsageError

DAY = dt.date(2026, 6, 1)
DEMO = {case.id: case for case in demo_cases()}
LUNG = DEMO["demo-01"]
RECORD = {**(LUNG.audit_case or {}), "biomarkers": ["EGFR L858R", "ALK negative"]}


def audit_of(record=RECORD, text=LUNG.text, **arguments):
    return board_audit(text, record, as_of=DAY, **arguments)


def heard(audit, sentence, **arguments):
    return audit.hears("medical oncologist", 3, recommended_in(sentence, Kind.TURN), **arguments)


def test_what_is_told_names_the_verdict_of_the_audit_and_no_other_label():
    audit = audit_of()
    for regimen in ("osimertinib", "alectinib", "pembrolizumab", "zalotinib", "carboplatin + pemetrexed"):
        verdict = audit.verdict(regimen)
        text = told_text(verdict, regimen)
        assert text.startswith(OPENING)
        assert f"Verdict: {verdict.label}." in text
        assert not any(f"Verdict: {label}" in text for label in LABELS if label != verdict.label)
        assert ("It abstains" in text) == verdict.abstain
        assert verdict.reasons[0].text.rstrip(".") in text


def test_a_regimen_is_told_once_and_kept_each_time():
    audit = audit_of()
    first, second = (heard(audit, "I recommend alectinib.")[0] for _ in range(2))
    assert (first.call.told, second.call.told) == (True, False)
    assert first.text
    assert second.text == ""
    assert second.call.verdict == first.call.verdict == "Unsupported"


def test_before_the_conclusion_stands_what_is_not_supported_is_told_again():
    audit = audit_of()
    heard(audit, "I recommend alectinib. I recommend osimertinib.")
    wrong, right = heard(audit, "I recommend alectinib. I recommend osimertinib.", again=True)
    assert wrong.asks
    assert (right.text, right.asks) == ("", False)


def test_a_supported_regimen_asks_for_nothing():
    (found,) = heard(audit_of(), "I recommend osimertinib.")
    assert found.text
    assert not found.asks


def test_a_combination_is_audited_as_one_regimen():
    (found,) = heard(audit_of(), "I recommend carboplatin, pemetrexed and pembrolizumab.")
    assert found.call.regimen == "carboplatin + pembrolizumab + pemetrexed"


def test_a_tumor_outside_the_base_is_told_once_for_all_treatments():
    case = DEMO["demo-05"]
    found = heard(audit_of(None, case.text), "I recommend olaparib. I recommend pembrolizumab.")
    assert [bool(item.text) for item in found] == [True, False]
    assert "neither for nor against" in found[0].text
    assert all(item.call.abstained for item in found)


def test_a_tumor_the_reader_does_not_find_is_told_once_as_well():
    found = heard(audit_of(None, "[Diagnosis]\nA growth.\n"), "I recommend olaparib. I recommend pembrolizumab.")
    assert [bool(item.text) for item in found] == [True, False]
    assert "tumor type" in found[0].text


@pytest.mark.parametrize("record", [{"biomarkers": 7}, {"case_id": "x", "ecog": "much"}])
def test_a_record_that_cannot_be_read_is_an_abstention_that_says_so(record):
    audit = audit_of(record)
    found = heard(audit, "I recommend osimertinib. I recommend alectinib.")
    assert [item.call.reasons for item in found] == [(UNREADABLE,), (UNREADABLE,)]
    assert [item.call.verdict for item in found] == ["", ""]
    assert "could not be read" in found[0].text
    assert found[1].text == ""
    assert audit.basis()["case read from"].startswith("nothing: ")
    assert UNREADABLE not in audit.asked("surgeon", 1, "osimertinib").text
    assert audit.standing_of(recommended_in("Osimertinib is started.", Kind.CONCLUSION)) == ((), ("osimertinib",))


def test_a_text_in_another_language_is_not_assessed():
    audit = audit_of(None, "Un hombre de 60 años con adenocarcinoma de pulmón metastásico sin tratamiento previo.")
    (found,) = heard(audit, "I recommend osimertinib.")
    assert found.call.reasons == ("unsupported-language",)
    assert "neither for nor against" in found.text


def test_what_a_conclusion_keeps_is_parted_into_unsupported_and_open():
    audit = audit_of()
    found = recommended_in("Alectinib is given; zalotinib is given; osimertinib is given.", Kind.CONCLUSION)
    assert audit.standing_of(found) == (("alectinib",), ("zalotinib",))


def test_what_an_agent_asks_is_kept_and_not_told():
    told = audit_of().asked("surgeon", 4, "osimertinib")
    assert (told.call.role, told.call.turn, told.call.tool, told.call.told) == ("surgeon", 4, "audit", False)
    assert "label: Supported" in told.text


def test_a_look_up_keeps_the_ids_it_found():
    found = audit_of().look_up("surgeon", 2, "osimertinib EGFR L858R")
    assert "<evidence>" in found.text
    assert any("osimertinib" in name for name in found.call.reasons)
    assert (found.call.verdict, found.call.abstained) == ("", None)
    assert "found no statement" in audit_of().look_up("surgeon", 2, "qwertz").text


def test_the_day_of_the_tools_holds_whatever_the_record_says():
    early = board_audit(LUNG.text, {**RECORD, "as_of": "2026-06-01"}, as_of=dt.date(2010, 1, 1))
    (found,) = heard(early, "I recommend osimertinib.")
    assert found.call.verdict != "Supported"
    assert early.basis()["as_of"] == "2010-01-01"


def test_headings_in_brackets_are_written_as_a_note_writes_them():
    assert with_colons("[Prior treatment]\nNone.\n\n[Imaging]\nCT.") == "Prior treatment: None.\n\nImaging: CT."
    assert audit_of(None).verdict("osimertinib").label == "Supported"


@pytest.mark.parametrize("arguments", [{"policy": "kind"}, {"jurisdiction": "Mars"}])
def test_an_unknown_policy_or_jurisdiction_is_refused(arguments):
    with pytest.raises(UsageError):
        audit_of(**arguments)
