"""Every operator on at least 200 generated items, held against checkers that share nothing with writers or checks.

For questions a table of what is true of every option gives the key anew from the words of the mutant; for conversations and cases the
texts and records are searched directly.
"""

from __future__ import annotations

import json
import re
from functools import cache

import pytest

from equipoise.cases.formats import case_from_object
from equipoise.redteam.operators import OPERATORS, Family, Form, KeyRelation, Mutant, NotApplicable, Operator, draw_for
from redteam_items import FACT_SENTENCES, World, made_cases, made_choices, made_conversations, made_scenes

CHECKED = 200
"""Fewest mutants that are looked at, an operator and form; of cases, the cases that are tried."""

ITEMS = 400
"""Items that are generated, so that enough lend themselves to every operator."""

MANY = {"half_of_turns": 650, "language.dialect": 500, "identity.black_trans_man": 650}
"""Items for operators to which few lend themselves."""

CASE_MUTANTS = {
    "stage": 25,
    "ecog": 0,
    "variant": 60,
    "expression": 5,
    "prior_therapy": 50,
    "histology": 5,
    "setting": 40,
}
CONVERSATIONS = [operator for operator in OPERATORS if Form.CONVERSATION in operator.applies_to]
CHOICES = [operator for operator in OPERATORS if Form.CHOICE in operator.applies_to]
CASES = [operator for operator in OPERATORS if Form.CASE in operator.applies_to]
STEMS = {
    "allergy": r"allerg|hives", "pregnancy": r"pregnan|trimester|due date", "dose": r"\d+ ?m[gl]\b|tablets|three times a day",
    "renal_function": r"kidney|creatinine|egfr is|dialysis", "time_course": r"three days|yesterday|suddenly|two weeks",
    "stage": r"stage iii|metastatic|pt2", "ecog": r"ecog|performance status|ps 1", "variant": r"l858r|rearrangement|kras",
}  # fmt: skip


@cache
def choices(operator_id: str):
    return made_choices(MANY.get(operator_id, ITEMS))


def name(operator: Operator) -> str:
    return operator.id


def mutants_of(operator: Operator, items) -> list:
    outcomes = [(item, operator.attempt(item, draw_for(7, item, operator.id))) for item in items]
    wrong = [outcome for _, outcome in outcomes if not isinstance(outcome, Mutant | NotApplicable)]
    assert wrong == []
    return [(item, outcome) for item, outcome in outcomes if isinstance(outcome, Mutant)]


@pytest.mark.parametrize("operator", CHOICES, ids=name)
def test_the_key_of_a_question_follows_from_its_words(operator):
    worlds: dict[str, World] = {item.id: world for item, world in choices(operator.id)}
    found = mutants_of(operator, [item for item, _ in choices(operator.id)])
    assert len(found) >= CHECKED
    for item, mutant in found:
        right = worlds[item.id].key(mutant.item)
        if operator.id == "answer_removal":
            assert mutant.key is None
            kept = {option.text for option in mutant.item.options}
            assert not kept & {item.text_of(letter) for letter in item.key}
        elif operator.id == "context_removal":
            assert mutant.key is None
            assert item.question.endswith(mutant.item.question)
            assert mutant.item.question != item.question
        else:
            assert mutant.key is not None
            assert set(mutant.key) == right
        assert mutant.relation is operator.relation


@pytest.mark.parametrize("operator", CHOICES, ids=name)
def test_a_mutant_of_a_question_changes_nothing_it_does_not_speak_of(operator):
    for item, mutant in mutants_of(operator, [item for item, _ in choices(operator.id)]):
        old = [option.text for option in item.options]
        new = [option.text for option in mutant.item.options]
        if operator.family in (Family.BAIT, Family.IDENTITY, Family.EMOTION, Family.COGNITIVE_BIAS, Family.LANGUAGE):
            assert new == old
            rest = mutant.item.question.replace(json.loads(mutant.parameters).get("inserted", "\0"), "")
            assert re.findall(r"\d+", rest) == re.findall(r"\d+", item.question)
        if operator.family in (Family.BAIT, Family.COGNITIVE_BIAS) or operator.id == "narrative_distraction":
            said = json.loads(mutant.parameters)["inserted"]
            assert mutant.item.question.replace(f"{said} ", "") == item.question
            assert any(
                text.rstrip(".") in said
                for letter, text in zip("ABCDEFGH", old, strict=False)
                if letter not in item.key
            )
            assert not any(item.text_of(letter) in said for letter in item.key)
        if operator.id == "option_order":
            assert sorted(new) == sorted(old)
            assert new != old
        if operator.id == "plausible_distractors":
            assert new[: len(old)] == old
            assert len(old) < len(new) <= len(old) + 4


@pytest.mark.parametrize("operator", [item for item in CONVERSATIONS if item.family is not Family.PRIVACY], ids=name)
def test_a_mutant_of_a_conversation_keeps_what_it_does_not_speak_of(operator):
    fact = operator.id.removeprefix("remove.") if operator.family is Family.FACT else ""
    items = made_conversations(MANY.get(operator.id, 360), fact=fact)
    found = mutants_of(operator, items)
    assert len(found) >= CHECKED
    for item, mutant in found:
        before, after = item.turns, mutant.item.turns
        assert mutant.item.rubric == item.rubric
        assert mutant.relation is operator.relation
        if operator.family is Family.TRUNCATION:
            assert len("".join(turn.text for turn in after)) < len("".join(turn.text for turn in before))
            assert before[-1].text.startswith(after[-1].text) or before[: len(after)] == after
            continue
        assert [turn.role for turn in after] == [turn.role for turn in before]
        if operator.family is Family.FACT:
            text = " ".join(turn.text for turn in after).lower()
            assert re.search(STEMS[fact], " ".join(turn.text for turn in before).lower())
            assert not re.search(STEMS[fact], text)
            others = [
                name for name in FACT_SENTENCES if name != fact and not (name == "dose" and fact == "time_course")
            ]
            for other in others:
                stated = re.search(STEMS[other], before[-1].text.lower())
                if stated and other != "time_course":
                    assert re.search(STEMS[other], after[-1].text.lower()), (other, before[-1].text, after[-1].text)
        elif "inserted" in mutant.parameters:
            said = json.loads(mutant.parameters)["inserted"]
            assert after[-1].text == f"{said} {before[-1].text}"
        else:
            assert re.findall(r"\d+", after[-1].text) == re.findall(r"\d+", before[-1].text)
            assert before[:-1] == after[:-1]


@pytest.mark.parametrize("operator", [item for item in OPERATORS if item.family is Family.PRIVACY], ids=name)
def test_a_disguise_keeps_who_asks_whom_about_whom(operator):
    found = mutants_of(operator, made_scenes(280))
    assert len(found) >= CHECKED
    for item, mutant in found:
        scene, text = item.scene, mutant.item.turns[-1].text
        assert scene.recipient in text
        assert scene.subject in text
        assert item.turns[0] == mutant.item.turns[0]
        assert all(name in mutant.item.turns[0].text for name in scene.identifiers)
        assert (scene.disclosure in text) is (operator.id != "privacy.implicit")


@cache
def cases():
    return made_cases(CHECKED)


@pytest.mark.parametrize("operator", CASES, ids=name)
def test_a_case_that_lost_a_fact_is_underdetermined_and_differs_in_nothing_else(operator):
    import datetime as dt

    from equipoise.audit import audit

    fact = operator.id.removeprefix("remove.")
    found = mutants_of(operator, cases())
    assert len(found) >= CASE_MUTANTS[fact]
    for item, mutant in found:
        old, new = item.record(), mutant.item.record()
        assert sum(old.get(key) != new.get(key) for key in old) == 1
        assert set(new) <= set(old)
        assert not {"reference", "case_id"} & set(new)
        day = dt.date.fromisoformat(old["as_of"])
        before, after = audit(case_from_object(old), as_of=day)[0], audit(case_from_object(new), as_of=day)[0]
        assert before.label != "Insufficient Information"
        assert after.label == "Insufficient Information"
        assert after.what_if
        assert after.abstain
    assert operator.relation is KeyRelation.UNDEFINED


def test_losing_the_performance_status_never_makes_a_case_underdetermined_under_this_policy():
    """The audit reports it as a gap in context instead; so the operator hands out no case, and says why."""
    operator = next(item for item in CASES if item.id == "remove.ecog")
    outcomes = [operator.attempt(item, draw_for(7, item, operator.id)) for item in cases()]
    assert {outcome.reason for outcome in outcomes} == {"fact_does_not_decide", "fact_not_stated"}
