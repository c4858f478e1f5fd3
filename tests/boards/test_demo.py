"""The packaged cases hold what they promise: counts, verbatim quotes, sources, and what the auditor says of a systemic therapy."""

from __future__ import annotations

import datetime as dt
import itertools
import re

import pytest

import equipoise
from equipoise.audit.verdict import Label
from equipoise.boards.askings import board_askings, turn_askings
from equipoise.boards.demo import demo_cases
from equipoise.boards.exports.separation import ALIKE, SHINGLE, runs, words
from equipoise.boards.formats.own import read_cases, write_cases
from equipoise.boards.formats.splits import enforce_splits
from equipoise.boards.model import DecisionKind, Disposition, QuestionType, Scope, Split
from equipoise.boards.vocabulary import TARGET_ROLES, Role
from equipoise.studies.board_scores import FEWEST_RECORDINGS

CASES = demo_cases()
LUNG = ["demo-01", "demo-02", "demo-15", "demo-16"]
each = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


def test_there_are_enough_cases_sites_roles_and_types():
    assert len(CASES) == 28
    assert len({case.site for case in CASES}) == 22
    assert {turn.role for case in CASES for turn in case.turns} == {*TARGET_ROLES, Role.MODERATOR}
    assert {question.type for case in CASES for question in case.questions} == set(QuestionType)
    assert {question.role for case in CASES for question in case.questions} >= set(TARGET_ROLES) - {
        Role.NURSE_NAVIGATOR
    }


def test_every_decision_is_taken_and_withheld_somewhere():
    found = {
        kind: {item.scope for case in CASES for item in case.conclusion.decisions if item.kind is kind}
        for kind in DecisionKind
    }
    assert found[DecisionKind.THERAPY] == set(Scope)
    assert found[DecisionKind.SURGERY] == set(Scope)
    assert found[DecisionKind.NEXT_ACTION] == {Scope.POSITIVE, Scope.ABSENT}
    assert found[DecisionKind.CLINICAL_TRIAL] == set(Scope)


def test_dissent_referrals_and_several_references():
    assert sum(bool(case.conclusion.dissent) for case in CASES) == 7
    lost = [case.id for case in CASES if any(not item.recorded for item in case.conclusion.dissent)]
    assert lost == ["demo-11", "demo-21"]
    assert all("on purpose" in case.notes[1] for case in CASES if case.id in lost)
    referred = [case for case in CASES if case.conclusion.disposition is Disposition.REFERRED]
    assert len(referred) == 4
    assert sum(case.conclusion.disposition is Disposition.DEFERRED for case in CASES) == 2
    for case in referred:
        assert (
            next(item for item in case.conclusion.decisions if item.kind is DecisionKind.THERAPY).scope is Scope.ABSENT
        )
    assert sum(bool(case.references) for case in CASES) == 13


def test_recordings_are_in_one_split_and_all_splits_are_there():
    enforce_splits([(case.recording, case.split) for case in CASES])
    assert {case.split for case in CASES} == set(Split)
    assert len({case.recording for case in CASES}) == 16


def test_the_split_that_is_asked_has_enough_meetings_for_intervals():
    meetings = {split: len({case.recording for case in CASES if case.split is split}) for split in Split}
    assert meetings == {Split.TRAIN: 2, Split.VALIDATION: 2, Split.TEST: 12}
    for asked, items in ((board_askings(None), 23), (turn_askings(None), 66)):
        assert len(asked.items) == items
        assert len({item.recording for item in asked.items}) >= FEWEST_RECORDINGS


def test_no_case_text_holds_its_reference():
    for split in Split:
        for asked in (
            board_askings(None, split=split, leaks="leave-out"),
            turn_askings(None, split=split, leaks="leave-out"),
        ):
            assert not [note for note in asked.notes if "reference" in note]


def test_no_two_case_texts_are_near_duplicates():
    found = {case.id: runs(words(case.text), SHINGLE) for case in CASES}
    for (one, first), (other, second) in itertools.combinations(found.items(), 2):
        assert len(first & second) < ALIKE * min(len(first), len(second)), (one, other)


@each
def test_length_times_and_speakers(case):
    assert 10 <= len(case.turns) <= 30
    assert all(first.end <= second.start for first, second in zip(case.turns, case.turns[1:], strict=False))
    assert all(turn.slides for turn in case.turns), "every turn falls under a slide"
    assert case.sections


@each
def test_every_quote_is_verbatim_in_its_turn(case):
    quotes = [*case.conclusion.quotes, *(quote for item in case.conclusion.decisions for quote in item.quotes)]
    assert case.conclusion.quotes
    for quote in quotes:
        assert quote.text in case.turn(quote.turn).text
    for question in case.questions:
        assert question.answer == case.turn(question.turn).text
        assert case.turn(question.turn).role is question.role


@each
def test_every_decision_has_words_a_quote_and_a_source(case):
    assert [item.kind for item in case.conclusion.decisions] == list(DecisionKind)
    for item in case.conclusion.decisions:
        spoken = item.scope is not Scope.ABSENT
        assert bool(item.text) == spoken
        assert bool(item.quotes) == spoken
        assert bool(item.sources) == spoken
    assert "Not reviewed by a clinician" in case.notes[0]


@each
def test_a_source_is_one_a_reader_can_look_up(case):
    for source in (source for item in case.conclusion.decisions for source in item.sources):
        known = re.search(
            r"PMID \d{8}$|(?:NDA|BLA)\d{6}$|\(edition not verified\)$|no source needed$|Stage IV|doi 10\.\d{4,}/\S+$",
            source,
        )
        assert known, source


@each
def test_dissent_points_to_the_turn_of_its_speaker(case):
    for item in case.conclusion.dissent:
        assert case.turn(item.turn).role is item.role


def test_no_case_text_gives_the_decision_away():
    words = {
        "demo-01": "osimertinib",
        "demo-02": "alectinib",
        "demo-04": "pembrolizumab",
        "demo-07": "pembrolizumab",
        "demo-14": "temozolomide",
        "demo-15": "selpercatinib",
        "demo-16": "durvalumab",
        "demo-17": "durvalumab",
        "demo-19": "olaparib",
        "demo-20": "cisplatin",
        "demo-21": "chemoradiotherapy",
        "demo-22": "flot",
        "demo-24": "lanreotide",
        "demo-26": "polatuzumab",
        "demo-27": "daratumumab",
    }
    for case in CASES:
        if case.id in words:
            assert words[case.id] not in case.text.casefold()


def test_the_auditor_agrees_on_every_systemic_therapy_concluded_for_nsclc():
    audited = [case for case in CASES if case.audit_case is not None]
    lung = [
        case
        for case in CASES
        if case.site == "lung" and case.conclusion.decisions[0].scope is Scope.POSITIVE
    ]  # fmt: skip
    assert [case.id for case in audited] == [case.id for case in lung] == LUNG
    for case in audited:
        (verdict,) = equipoise.audit(dict(case.audit_case), as_of=dt.date(2026, 11, 1))
        assert verdict.label is Label.SUPPORTED, case.id


def test_the_file_is_written_back_the_same(tmp_path):
    path = tmp_path / "again.jsonl"
    path.write_text(write_cases(CASES), encoding="utf-8")
    assert read_cases(path).items == CASES
