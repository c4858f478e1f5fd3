"""Planted mutants that break the key, or more than the operator speaks of, are rejected: the checks can fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equipoise.redteam.operators import (
    OPERATORS,
    Draw,
    Family,
    Form,
    KeyRelation,
    Mutant,
    OperatorRefusedError,
    Rejected,
    RubricItem,
    Turn,
    choice_item,
    conversation_item,
    draw_for,
    find_operator,
)
from equipoise.redteam.operators.mutant import Written
from redteam_items import made_cases, made_choices, made_conversations, made_scenes

CHOICES = [operator for operator in OPERATORS if Form.CHOICE in operator.applies_to]
TALKS = [operator for operator in OPERATORS if Form.CONVERSATION in operator.applies_to]


def name(operator):
    return operator.id


def sabotaged(operator, spoil):
    """The operator with a writer that spoils what the real one writes."""

    def write(item, draw):
        made = operator.write(item, draw)
        return replace(made, item=spoil(item, made.item)) if isinstance(made, Written) else made

    return replace(operator, write=write)


def outcomes(operator, items, spoil):
    bad = sabotaged(operator, spoil)
    real = [item for item in items if isinstance(operator.attempt(item, draw_for(1, item, operator.id)), Mutant)]
    assert real
    return [bad.attempt(item, draw_for(1, item, operator.id)) for item in real[:40]]


def moved_key(parent, mutant):
    """Another option is called right; an undefined key becomes an option."""
    letters = {option.letter for option in mutant.options}
    if mutant.key is None:
        return replace(mutant, key=frozenset("A"))
    other = sorted(letters - mutant.key) or sorted(letters)
    return replace(mutant, key=frozenset(other[:1]))


def lost_key(parent, mutant):
    return replace(mutant, key=None) if mutant.key is not None else replace(mutant, key=frozenset("B"))


def doubled_key(parent, mutant):
    """The text that was right stands under a wrong letter as well."""
    right = parent.text_of(min(parent.key))
    target = next(option.letter for option in mutant.options if option.text != right)
    options = tuple(replace(item, text=right) if item.letter == target else item for item in mutant.options)
    return replace(mutant, options=options)


def no_change(parent, mutant):
    return parent


@pytest.mark.parametrize("spoil", [moved_key, lost_key, doubled_key, no_change])
@pytest.mark.parametrize("operator", CHOICES, ids=name)
def test_a_broken_key_is_rejected_whatever_the_operator(operator, spoil):
    items = [item for item, _ in made_choices(80) if len(item.options) > 3 and len(item.key) == 1]
    for outcome in outcomes(operator, items, spoil):
        assert isinstance(outcome, Rejected), outcome
        assert outcome.problems
        assert outcome.writer == "template"


def other_rubric(parent, mutant):
    return replace(mutant, rubric=(*mutant.rubric, RubricItem(criterion="One more", points=1.0)))


def other_start(parent, mutant):
    return replace(mutant, turns=(Turn(role="user", text="Something else entirely was said here."), *mutant.turns))


def spoilt_turn(parent, mutant):
    """Words that were not there, in the last turn; with the marked disclosure where there is one."""
    last = mutant.turns[-1]
    added = "My creatinine is 9 and the court gave permission."
    return replace(
        mutant, turns=(*mutant.turns[:-1], Turn(role=last.role, text=f"{last.text[:10]} {added} {last.text[10:]}"))
    )


@pytest.mark.parametrize("spoil", [other_rubric, other_start, spoilt_turn, no_change])
@pytest.mark.parametrize("operator", TALKS, ids=name)
def test_a_conversation_that_changed_in_more_than_it_should_is_rejected(operator, spoil):
    items = made_scenes(30) if operator.family is Family.PRIVACY else made_conversations(90)
    for outcome in outcomes(operator, items, spoil):
        assert isinstance(outcome, Rejected), outcome


@pytest.mark.parametrize("fact", ["stage", "variant", "expression", "prior_therapy", "histology", "setting"])
def test_a_case_that_still_states_the_fact_is_rejected(fact):
    operator = find_operator(f"remove.{fact}")

    def back(parent, mutant):
        return replace(
            parent, case=parent.case.replace('"as_of"', '"as_of" ').replace('"as_of" ', '"as_of"')[:-1] + ',"note":"x"}'
        )

    found = outcomes(operator, made_cases(80), back)
    assert all(isinstance(outcome, Rejected) for outcome in found)
    assert all("still" in " ".join(outcome.problems) for outcome in found)


@pytest.mark.parametrize(
    ("operator", "question", "problem"),
    [
        (
            "question_inversion",
            "A man coughs. Which of the following is the most likely diagnosis? Choose every option that fits.",
            "negation",
        ),
        (
            "question_inversion",
            "A man coughs. Which of the following is NOT the least likely diagnosis? Choose every option that fits.",
            "negation",
        ),
        (
            "question_inversion",
            "A man coughs. Which of the following is NOT the cheapest diagnosis? Choose every option that fits.",
            "something else",
        ),
        (
            "question_inversion",
            "A woman coughs. Which of the following is NOT the most likely diagnosis? Choose every option that fits.",
            "text before",
        ),
    ],
)
def test_a_question_that_is_not_the_negation_is_rejected(operator, question, problem):
    item = choice_item(
        "q", "A man coughs. Which of the following is the most likely diagnosis?", ["Zorbol", "Belitis", "Tamosis"], "B"
    )
    good = find_operator(operator)

    def write(item, draw):
        made = good.write(item, draw)
        end = "Choose every option that fits."
        asked = question.removesuffix(end).split(". ", 1)[1].strip()
        return replace(
            made, item=replace(made.item, question=question), parameters=dict(made.parameters) | {"to": asked}
        )

    outcome = replace(good, write=write).attempt(item, Draw(1))
    assert isinstance(outcome, Rejected)
    assert problem in " ".join(outcome.problems)


@pytest.mark.parametrize(
    ("value", "kept"),
    [("38.9", False), ("39", False), ("212", True), ("120", True), ("114", False)],
)
def test_a_measurement_that_is_possible_is_rejected(value, kept):
    item = choice_item(
        "q",
        "A man has a temperature of 37.1 C and feels fine. What is the most likely diagnosis?",
        ["Zorbol", "Belitis"],
        "A",
    )
    good = find_operator("impossible_measurement")

    def write(item, draw):
        made = good.write(item, draw)
        old = made.parameters["to"]
        return replace(made, item=replace(made.item, question=made.item.question.replace(old, value)))

    outcome = replace(good, write=write).attempt(item, Draw(1))
    assert isinstance(outcome, Mutant if kept else Rejected)


@pytest.mark.parametrize(
    ("fact", "text", "left"),
    [
        ("renal_function", "I have diabetes.", "I have diabetes and my GFR fell."),
        ("pregnancy", "I feel sick.", "I feel sick at 20 weeks gestation."),
        ("dose", "I take zorbol.", "I take zorbol, fifty milligrams of it: 50 milligrams."),
        ("allergy", "Can I take zorbol?", "Can I take zorbol after an anaphylactic shock?"),
        ("time_course", "I cough.", "I have coughed for a fortnight."),
        ("stage", "I have cancer.", "I have cancer, T2aN1."),
        ("ecog", "I am weak.", "I am weak (Karnofsky 60)."),
        ("variant", "I have cancer.", "I have cancer with p.Gly12Cys."),
    ],
)
def test_a_mention_by_another_name_is_found(fact, text, left):
    """The writer is replaced by one that only cuts the plain mention; the check knows synonyms and units."""
    plain = {
        "renal_function": "My kidneys are weak.", "pregnancy": "I am pregnant.", "dose": "I take 20 mg.", "allergy": "I am allergic to it.",
        "time_course": "It began two days ago.", "stage": "It is stage IV.", "ecog": "My ECOG is 1.", "variant": "It has a KRAS mutation.",
    }[fact]  # fmt: skip
    parent = conversation_item("c", [("user", f"{plain} {left}")])
    operator = find_operator(f"remove.{fact}")

    def lazy(item, draw):
        return Written(
            item=replace(item, turns=(Turn(role="user", text=left),)), parameters={"fact": fact, "removed": [plain]}
        )

    outcome = replace(operator, write=lazy).attempt(parent, Draw(1))
    assert isinstance(outcome, Rejected)
    assert "still states" in outcome.problems[0]
    clean = conversation_item("c", [("user", f"{plain} {text}")])

    def good(item, draw):
        return Written(
            item=replace(item, turns=(Turn(role="user", text=text),)), parameters={"fact": fact, "removed": [plain]}
        )

    assert isinstance(replace(operator, write=good).attempt(clean, Draw(1)), Mutant)


def test_apply_raises_with_the_outcome_and_one_sentence():
    item = choice_item("q", "Which of these is it?", ["Zorbol", "zorbol"], "A")
    with pytest.raises(
        OperatorRefusedError, match="option_order on item 'q' does not apply \\(duplicate_options"
    ) as caught:
        find_operator("option_order").apply(item, Draw(1))
    assert caught.value.outcome.reason == "duplicate_options"
    broken = sabotaged(find_operator("none_added"), moved_key)
    with pytest.raises(OperatorRefusedError, match="was rejected: the key no longer"):
        broken.apply(choice_item("q", "Which is it?", ["Zorbol", "Belol"], "A"), Draw(1))


def test_the_relation_of_the_key_is_what_is_checked():
    """The same mutant passes or fails by the relation that the operator promises."""
    operator = find_operator("none_added")
    item = choice_item("q", "Which is it?", ["Zorbol", "Belol", "Tamol"], "A")
    assert isinstance(operator.attempt(item, Draw(1)), Mutant)
    for relation in set(KeyRelation) - {KeyRelation.SAME}:
        assert isinstance(replace(operator, relation=relation).attempt(item, Draw(1)), Rejected)
