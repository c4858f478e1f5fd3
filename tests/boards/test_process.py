"""Process measures of a discussion, held against discussions written before the code."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from equipoise.boards.demo import demo_cases
from equipoise.boards.measures.process import Closure, measure_discussion
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role

FIXTURES = yaml.safe_load((Path(__file__).parent / "process" / "discussions.yaml").read_text(encoding="utf-8"))


def turns_of(rows):
    return tuple(
        Turn(id=f"t{place}", speaker=role, role=Role(role), text=text)
        for place, (role, text) in enumerate(rows, start=1)
    )


def measured(rows, conclusion, **arguments):
    return measure_discussion(turns_of(rows), conclusion, **arguments)


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture["name"])
def test_a_discussion_is_measured_as_written(fixture):
    found = measured(
        fixture["turns"], fixture["conclusion"], expected_roles=[Role(name) for name in fixture["expected_roles"]]
    )
    numbers = {
        "missing_roles": sorted(found.missing_roles),
        "breaches": [int(item.turn[1:]) for item in found.breaches],
        "dissent": [int(item.turn[1:]) for item in found.dissent],
        "lost": [int(item.turn[1:]) for item in found.dissent if not item.recorded],
        "repeated": [int(item.turn[1:]) for item in found.repetitions],
        "unmentioned": sorted(found.unmentioned),
    }
    assert numbers == {key: sorted(fixture[key]) if key == "missing_roles" else fixture[key] for key in numbers}


def test_every_measure_is_found_and_not_found_somewhere():
    for key in ("missing_roles", "breaches", "dissent", "lost", "repeated", "unmentioned"):
        assert {bool(fixture[key]) for fixture in FIXTURES} == {True, False}, key


def test_coverage_is_a_share_and_undefined_without_an_expectation():
    rows = [["surgeon", "Yes."], ["moderator", "Thanks."]]
    found = measured(rows, "Done.", expected_roles=[Role.SURGEON, Role.RADIOLOGIST])
    assert found.role_coverage == 0.5
    assert measured(rows, "Done.").role_coverage is None


def test_a_board_without_turns_has_no_measure():
    found = measured([], "Done.")
    assert found.turns == 0
    assert found.closure is Closure.NOT_ASSESSABLE
    assert found.repetition_rate is None
    assert found.consistent is None


def test_a_board_without_a_conclusion_has_no_consistency_and_loses_nothing():
    found = measured([["surgeon", "I disagree."], ["moderator", "Next."]], "")
    assert found.consistent is None
    assert found.dissent[0].recorded is None


def test_closure_before_all_expected_roles_spoke_is_premature():
    rows = [
        ["moderator", "A case."],
        ["surgeon", "Operate."],
        ["moderator", "Decided."],
        ["radiologist", "The liver is full of metastases."],
    ]
    found = measured(rows, "Operate.", expected_roles=[Role.SURGEON, Role.RADIOLOGIST], decided_at="t3")
    assert found.closure is Closure.PREMATURE
    assert found.silent_at_closure == (Role.RADIOLOGIST,)
    late = measured(rows, "Operate.", expected_roles=[Role.SURGEON, Role.RADIOLOGIST], decided_at="t4")
    assert late.closure is Closure.AFTER_ALL_SPOKE


def test_an_open_dissent_at_closure_is_premature_too():
    rows = [["surgeon", "Operate."], ["medical oncologist", "I disagree."], ["moderator", "Decided."]]
    found = measured(rows, "Operate.", expected_roles=[Role.SURGEON, Role.MEDICAL_ONCOLOGIST], decided_at="t3")
    assert found.closure is Closure.PREMATURE
    assert found.unanswered_at_closure == ("t2",)
    answered = measured(
        [*rows[:2], ["surgeon", "For this reason I still advise it."], rows[2]],
        "Operate.",
        expected_roles=[Role.SURGEON],
        decided_at="t4",
    )
    assert answered.closure is Closure.AFTER_ALL_SPOKE


def test_closure_without_expectations_or_place_is_not_assessable():
    rows = [["surgeon", "Operate."], ["moderator", "Decided."]]
    assert measured(rows, "Operate.", decided_at="t2").closure is Closure.NOT_ASSESSABLE
    assert measured(rows, "Operate.", expected_roles=[Role.SURGEON]).closure is Closure.NOT_ASSESSABLE


def test_an_unknown_turn_of_closure_is_refused():
    from equipoise.errors import InputError

    with pytest.raises(InputError, match="t9"):
        measured([["surgeon", "Operate."]], "Operate.", decided_at="t9")


def test_the_result_is_json_and_names_its_version():
    found = measured([["surgeon", "Operate."]], "Operate.").to_dict()
    assert found["version"]
    assert found["turns"] == 1


DEMO = {case.id: case for case in demo_cases()}


@pytest.mark.parametrize(
    ("name", "turns", "recorded"),
    [
        ("demo-01", ["t08"], True),
        ("demo-05", ["t06"], True),
        ("demo-06", ["t06"], True),
        ("demo-11", ["t05"], False),
        ("demo-17", ["t09"], True),
        ("demo-21", ["t05"], False),
        ("demo-24", ["t07"], True),
    ],
)
def test_the_dissent_of_the_demo_cases_is_found_or_the_miss_is_known(name, turns, recorded):
    case = DEMO[name]
    assert [item.turn for item in case.conclusion.dissent] == turns
    assert case.conclusion.dissent[0].recorded is recorded
    found = measure_discussion(case.turns, case.conclusion.text, labelled=case.conclusion.dissent)
    assert [(item.turn, item.recorded) for item in found.dissent if item.turn in turns] == [(turns[0], recorded)]


@pytest.mark.parametrize("case", DEMO.values(), ids=lambda case: case.id)
def test_a_demo_conclusion_names_no_drug_or_dose_that_was_not_said(case):
    found = measure_discussion(case.turns, case.conclusion.text)
    assert found.unmentioned == ()
    assert found.repetitions == ()


def test_without_labels_the_rules_find_six_of_the_seven_dissents_and_an_objection_that_was_followed():
    found = {
        name: [(item.turn, item.lost) for item in measure_discussion(case.turns, case.conclusion.text).dissent]
        for name, case in DEMO.items()
    }
    assert {name: turns for name, turns in found.items() if turns} == {
        "demo-01": [("t08", False)],
        "demo-05": [("t06", False)],
        "demo-06": [("t06", False)],
        "demo-11": [("t07", False)],
        "demo-17": [("t09", False)],
        "demo-21": [("t05", True), ("t09", True)],
        "demo-24": [("t07", False), ("t09", False)],
    }
    labelled = {name: {item.role for item in case.conclusion.dissent} for name, case in DEMO.items()}
    assert [
        name for name, turns in found.items() for turn, _ in turns if DEMO[name].turn(turn).role not in labelled[name]
    ] == ["demo-11"]


def test_the_one_breach_of_the_demo_cases_is_found_and_no_other():
    found = {name: measure_discussion(case.turns, case.conclusion.text).breaches for name, case in DEMO.items()}
    assert [(name, [item.turn for item in breaches]) for name, breaches in found.items() if breaches] == [
        ("demo-06", ["t06"])
    ]


@pytest.mark.parametrize(
    ("said", "dissents"),
    [
        ("I would not do a second look.", False),
        ("I would not operate on the spine.", False),
        ("I would not do that.", True),
        ("I wouldn't.", True),
        ("I would not give carboplatin.", True),
    ],
)
def test_a_refusal_of_what_nobody_proposed_is_no_dissent(said, dissents):
    turns = [
        Turn(
            id="t1",
            speaker="a",
            role=Role.MEDICAL_ONCOLOGIST,
            text="I recommend carboplatin, then an autologous transplant.",
        ),
        Turn(id="t2", speaker="b", role=Role.SURGEON, text=said),
    ]
    found = measure_discussion(turns, "Carboplatin is given.")
    assert [item.turn for item in found.dissent] == (["t2"] if dissents else [])


def test_turns_of_the_auditor_count_for_nothing():
    rows = [["medical oncologist", "I recommend osimertinib."], ["surgeon", "Fine."]]
    people = turns_of(rows)
    words = "I recommend alectinib, I disagree. Recommendation heard: osimertinib."
    told = Turn(id="a", speaker="Auditor", role=Role.OTHER, text=words)
    conclusion = "Alectinib is started."
    with_auditor = measure_discussion((people[0], told, told, people[1]), conclusion)
    assert with_auditor == measure_discussion(people, conclusion)
    assert with_auditor.unmentioned == ("alectinib",)
