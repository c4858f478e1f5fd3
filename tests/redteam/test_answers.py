"""Replies to questions with options are read as the fixture says, which was written before the reader."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.answers import AnswerForm, read_answer
from equipoise.redteam.operators.items import LETTERS, Option

FIXTURES = Path(__file__).parent / "fixtures"
SETS = json.loads((FIXTURES / "answers_options.json").read_text(encoding="utf-8"))
ROWS = [json.loads(line) for line in (FIXTURES / "answers.jsonl").read_text(encoding="utf-8").splitlines()]


REAL = [json.loads(line) for line in (FIXTURES / "answers_real.jsonl").read_text(encoding="utf-8").splitlines()]


NOT_READ = {"real-017"}
"""Replies that a reader would understand and the rules do not: a list in which an option is misspelled."""


def options(texts):
    return [Option(letter=LETTERS[place], text=text) for place, text in enumerate(texts)]


DRUGS = options(SETS["drugs"])


def test_the_fixture_is_of_its_form():
    assert len(ROWS) >= 120
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert row["state"] in set(ReplyState)
        assert bool(row["letters"] or row["abstained"]) is (row["state"] == "ok")
        assert not (row["letters"] and row["abstained"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_reply_is_read_as_the_fixture_says(row):
    answer = read_answer(row["reply"], options(SETS[row["options"]]), stop_reason=row["stop"])
    found = (answer.state.value, answer.label or "", bool(answer.abstained))
    assert found == (row["state"], row["letters"], row["abstained"]), answer.why


@pytest.mark.parametrize("row", REAL, ids=lambda row: row["id"])
def test_a_reply_of_a_real_model_is_read_as_a_reader_would(row):
    answer = read_answer(row["reply"], options(row["options"]), stop_reason=row["stop"])
    found = (answer.state.value, answer.label or "", bool(answer.abstained))
    wanted = (row["state"], row["letters"], row["abstained"])
    assert found == (("unparsed", "", False) if row["id"] in NOT_READ else wanted), answer.why


@pytest.mark.parametrize(
    "text", ["It could be B. Final answer: C", "The answer is B. Final answer: C", "Answer: B. Answer: C"]
)
def test_a_final_answer_in_the_middle_of_a_line_is_a_statement(text):
    answer = read_answer(text, DRUGS)
    assert answer.label == (None if "Final" not in text else "C")


def test_none_of_the_options_is_the_option_that_says_so_where_there_is_one():
    answer = read_answer("None of the options is correct.", options(SETS["none"]))
    assert (answer.label, answer.abstained) == ("C", False)


@pytest.mark.parametrize(
    "text",
    [
        "The correct answer is not listed.", "The correct option is missing.",
        "None of the options is correct. The correct answer is heparin.",
        "The right drug is not among the options.", "Answer: heparin, which is not one of the options",
        "The answer isn't among these options.",
        "None of these.", "None of these options fits.",
    ],
)  # fmt: skip
def test_that_the_right_one_is_not_offered_is_an_abstention(text):
    answer = read_answer(text, DRUGS)
    assert (answer.state, answer.form) == (ReplyState.OK, AnswerForm.NONE_FITS), answer.why


@pytest.mark.parametrize(
    "text",
    [
        "None of these findings suggest a bleed. Anticoagulation is needed.",
        "There is not enough data on aspirin here; apixaban is preferred.",
        "Aspirin cannot help in atrial fibrillation.", "The correct answer is heparin.", "A lack of data on clopidogrel limits its use.",
        "Is the answer B?", "Answer: B?", "A)\nThe answer is D.",
    ],
)  # fmt: skip
def test_what_is_said_in_passing_is_neither_an_answer_nor_an_abstention(text):
    assert read_answer(text, DRUGS).state is ReplyState.UNPARSED


def test_refusing_is_told_apart_from_finding_that_nothing_settles_it():
    assert read_answer("I can't help with that request.", DRUGS).form is AnswerForm.REFUSED
    assert read_answer("It cannot be determined.", DRUGS).form is AnswerForm.CANNOT


def test_a_call_that_failed_is_no_answer_whatever_its_text():
    answer = read_answer("B", DRUGS, error="the service is gone")
    assert (answer.state, answer.label, answer.abstained) == (ReplyState.ERROR, None, None)


PIECES = (
    "B", "A", "E", "(", ")", "**", "Answer:", "\n", " or ", " and ", ",", "{", "}", '"answer"', ":", "[", "]", "not ",
    "Apixaban", "warfarin", "<think>", "</think>", "\\boxed{", "final answer: ", "cannot be answered", " ", "\x00", "é", "I would choose ",
)  # fmt: skip


def test_text_put_together_at_random_is_read_or_not_and_never_breaks():
    rng = random.Random(7)
    for _ in range(3000):
        text = "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 12)))
        answer = read_answer(text, DRUGS)
        assert answer.letters <= {"A", "B", "C", "D"}
        assert (answer.state is ReplyState.OK) is (answer.form is not None)
        assert bool(answer.letters) is (answer.abstained is False)


@pytest.mark.parametrize(
    "text", ["best " * 20_000, "{" * 20_000, "Answer: " * 8_000, "A, " * 20_000, "the most x " * 10_000]
)
def test_long_hostile_text_is_not_taken_for_an_answer(text):
    assert read_answer(text, DRUGS).label is None or text.startswith("A, ")
