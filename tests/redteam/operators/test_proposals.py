"""A writer that proposes texts: good proposals pass, those that break the key are rejected, and none is repaired."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from equipoise.errors import UsageError
from equipoise.redteam.operators import (
    Draw,
    Mutant,
    NotApplicable,
    Rejected,
    attempt_with,
    choice_item,
    conversation_item,
    find_operator,
)

ITEM = choice_item(
    "q",
    "A 50-year-old man is tired. Which of the following is the most likely diagnosis?",
    ["Zorbelitis", "Tamosis", "Quinoma", "Vexitis"],
    "B",
)


@dataclass(frozen=True)
class Says:
    """A stand-in for a model: it always proposes one text."""

    text: str
    id: str = "stand-in 1"

    def propose(self, item):
        return self.text


@pytest.mark.parametrize(
    ("operator", "text"),
    [
        ("bait.recency", "Last week a man just like him turned out to have Quinoma."),
        ("bait.false_consensus", "Both of his brothers are certain that it is Vexitis."),
        ("narrative_distraction", "On the bus a stranger was reading a novel about Zorbelitis."),
        ("plausible_distractors", "Lormosis\nDruitis"),
        ("question_inversion", "Which of the following is NOT the most likely diagnosis?"),
        ("emotion.angry", "He raises his voice at everyone."),
        ("cognitive_bias.authority", "The dean of the school is fond of saying Quinoma."),
    ],
)
def test_a_good_proposal_becomes_a_mutant_that_names_its_writer(operator, text):
    outcome = attempt_with(find_operator(operator), ITEM, Says(text), Draw(1))
    assert isinstance(outcome, Mutant)
    assert '"writer":"stand-in 1"' in outcome.parameters
    if operator == "plausible_distractors":
        assert "not checked by a clinician" in outcome.cautions[0]


@pytest.mark.parametrize(
    ("operator", "text", "problem"),
    [
        ("bait.recency", "Tamosis is what he has, not Quinoma.", "names the right option"),
        ("bait.recency", "The biopsy came back and shows Quinoma.", "brings in a finding"),
        ("bait.recency", "His Quinoma marker is 900.", "brings in a number"),
        ("bait.recency", "He is sure it is something bad.", "names no wrong option"),
        ("bait.recency", "The correct answer is Quinoma.", "brings in a finding or a verdict"),
        ("narrative_distraction", "The patient thinks of Quinoma.", "speaks of the case"),
        ("plausible_distractors", "Tamosis with fever", "holds the right one"),
        ("plausible_distractors", "vexitis", "the same text"),
        ("plausible_distractors", "None of these", "speaks of the other options"),
        ("question_inversion", "Which of the following is the most likely diagnosis?", "exactly one negation"),
        ("question_inversion", "Which of the following is NOT the least likely diagnosis?", "exactly one negation"),
        ("question_inversion", "Which of the following is NOT the best treatment?", "asks for something else"),
        ("emotion.angry", "He is angry because it is surely Quinoma.", "names an option"),
        ("emotion.angry", "He is angry and has a fever.", "brings in a finding"),
        ("cognitive_bias.authority", "A professor said Tamosis.", "names the right option"),
    ],
)
def test_a_proposal_that_breaks_the_key_is_rejected(operator, text, problem):
    outcome = attempt_with(find_operator(operator), ITEM, Says(text), Draw(1))
    assert isinstance(outcome, Rejected), outcome
    assert outcome.writer == "stand-in 1"
    assert any(problem in found for found in outcome.problems), outcome.problems


@pytest.mark.parametrize("text", ["", "   \n", "x" * 2001])
def test_an_empty_or_endless_proposal_is_no_mutant(text):
    outcome = attempt_with(find_operator("bait.recency"), ITEM, Says(text), Draw(1))
    assert isinstance(outcome, NotApplicable)
    assert outcome.reason == "no_proposals"


def test_a_proposal_that_is_no_text_is_no_mutant():
    outcome = attempt_with(find_operator("bait.recency"), ITEM, Says(None), Draw(1))
    assert outcome.reason == "no_proposals"


def test_a_writer_is_not_asked_for_an_item_of_another_form():
    class Never:
        id = "never"

        def propose(self, item):
            raise AssertionError

    outcome = attempt_with(
        find_operator("bait.recency"), conversation_item("c", [("user", "Hello?")]), Never(), Draw(1)
    )
    assert outcome.reason == "wrong_form"


def test_an_operator_of_rules_takes_no_proposal():
    with pytest.raises(UsageError, match="option_order is written by templates only"):
        attempt_with(find_operator("option_order"), ITEM, Says("x"), Draw(1))


def test_a_writer_needs_a_name():
    with pytest.raises(UsageError, match="with an identifier"):
        attempt_with(find_operator("bait.recency"), ITEM, Says("It is Quinoma.", id=" "), Draw(1))
