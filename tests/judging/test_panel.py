from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import UsageError
from equipoise.judging.makers import made_by
from equipoise.judging.panel import OUTCOME_SCALE, Panel, PanelOutcome, Vote, combine
from equipoise.judging.rows import panel_rows
from equipoise.judging.rubric import load_rubric
from equipoise.judging.scales import Scale, ScaleValue
from equipoise.outcomes.schema import ReplyState

SCALE = Scale(
    id="s", ordered=True, integers=True,
    values=tuple(ScaleValue(value=str(n), definition="", points=float(n)) for n in range(5)),
)  # fmt: skip
NOMINAL = Scale(
    id="n", ordered=False, values=(ScaleValue(value="a", definition="x"), ScaleValue(value="b", definition="y"))
)


def votes(text):
    """One word a judge; letters are repeats: a digit is a value, o is out of scope, x unparsed, e an error."""
    made = {}
    for number, word in enumerate(text.split()):
        made[f"j{number}"] = [
            Vote(state=ReplyState.ERROR) if char == "e"
            else Vote(state=ReplyState.UNPARSED) if char == "x"
            else Vote(state=ReplyState.OK, in_scope=False) if char == "o"
            else Vote(state=ReplyState.OK, value=char, points=float(char))
            for char in word
        ]  # fmt: skip
    return made


@pytest.mark.parametrize(
    ("text", "rule", "outcome", "value"),
    [
        ("2 2 2", "unanimous", "agreed", "2"),
        ("2 2 1", "unanimous", "disagreed", None),
        ("2 2 x", "unanimous", "agreed", "2"),
        ("22 21", "unanimous", "disagreed", None),
        ("22 22", "unanimous", "agreed", "2"),
        ("o o", "unanimous", "agreed", None),
        ("2 2 1", "majority", "agreed", "2"),
        ("2 1", "majority", "tie", None),
        ("2 2 1 1", "majority", "tie", None),
        ("0 1 2", "majority", "tie", None),
        ("2 2 1 0", "majority", "disagreed", None),
        ("2 2 0 1 3", "majority", "disagreed", None),
        ("0 0 4", "majority", "agreed", "0"),
        ("211 1 3", "majority", "agreed", "1"),
        ("21 2 2", "majority", "agreed", "2"),
        ("21 2", "majority", "disagreed", None),
        ("21 12", "majority", "tie", None),
        ("2 x", "majority", "too few judges", None),
        ("2 e x", "majority", "too few judges", None),
        ("x e", "majority", "all failed", None),
        ("e e e", "majority", "all failed", None),
        ("", "majority", "too few judges", None),
        ("x2 2", "majority", "agreed", "2"),
        ("o o 1", "majority", "agreed", None),
        ("o 1", "majority", "tie", None),
        ("0 1 4", "median", "agreed", "1"),
        ("0 4", "median", "tie", None),
        ("1 2", "median", "tie", None),
        ("1 1 2 2", "median", "tie", None),
        ("1 2 2 4", "median", "agreed", "2"),
        ("014 2 3", "median", "agreed", "2"),
        ("o o 3", "median", "agreed", None),
        ("o 3", "median", "tie", None),
        ("o 3 3", "median", "agreed", "3"),
    ],
)
def test_what_votes_come_to(text, rule, outcome, value):
    found = combine(votes(text), rule=rule, scale=SCALE)
    assert (found.outcome, found.value) == (outcome, value)
    assert found.points == (None if value is None else float(value))
    assert (found.in_scope is False) == (outcome == "agreed" and value is None)


def test_counts_of_who_was_asked_read_and_divided():
    found = combine(votes("21 2 2 x"), rule="majority", scale=SCALE)
    assert (found.n_judges, found.n_read, found.n_divided) == (4, 3, 1)


def test_there_is_no_median_without_an_order():
    with pytest.raises(UsageError, match="scale n has no order"):
        combine({"j": [Vote(state=ReplyState.OK, value="a")]}, rule="median", scale=NOMINAL)


WORDS = st.lists(st.text("01234oxe", min_size=1, max_size=4), max_size=6)


@given(WORDS, st.sampled_from(["unanimous", "majority", "median"]), st.randoms(use_true_random=False))
def test_neither_the_order_of_judges_nor_of_repeats_matters(words, rule, random):
    first = combine(votes(" ".join(words)), rule=rule, scale=SCALE)
    shuffled = ["".join(random.sample(word, len(word))) for word in random.sample(words, len(words))]
    assert combine(votes(" ".join(shuffled)), rule=rule, scale=SCALE) == first


@given(WORDS, st.sampled_from(["unanimous", "majority", "median"]))
def test_a_value_is_one_that_a_judge_gave_and_a_failure_never_becomes_one(words, rule):
    found = combine(votes(" ".join(words)), rule=rule, scale=SCALE)
    given = {char for word in words for char in word}
    assert found.value is None or found.value in given
    assert (found.value is not None or found.in_scope is False) == (found.outcome is PanelOutcome.AGREED)
    readable = sum(any(char not in "xe" for char in word) for word in words)
    assert (found.outcome in (PanelOutcome.TOO_FEW, PanelOutcome.ALL_FAILED)) == (readable < 2)


def test_unanimous_is_the_strictest_rule():
    for text in ("2 2 2", "2 2 1", "0 1 2", "2 1"):
        strict = combine(votes(text), rule="unanimous", scale=SCALE)
        if strict.outcome is PanelOutcome.AGREED:
            assert combine(votes(text), rule="majority", scale=SCALE).value == strict.value


def test_who_sits():
    judges = ("openai/gpt-4o", "anthropic/claude-x", "local/own", "together/deepseek-r1-distill-llama-70b")
    panel = Panel(id="p", judges=judges, rule="majority")
    makers = {name: made_by(name) for name in judges}
    assert panel.sitting(made_by("gpt-5"), makers) == judges[1:]
    assert panel.sitting(made_by("llama-3-8b"), makers) == judges[:3]
    assert panel.sitting(made_by("somebody"), makers) == judges
    everybody = Panel(id="p", judges=judges, rule="majority", leave_out_maker=False)
    assert everybody.sitting(made_by("gpt-5"), makers) == judges
    assert panel.hash != everybody.hash


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"rule": "mean"}, "unanimous, majority, median"),
        ({"judges": ("a", "a")}, "each once"),
        ({"judges": ()}, "each once"),
        ({"fewest": 4}, "1 to 3 judges"),
        ({"fewest": 0}, "1 to 3 judges"),
    ],
)
def test_a_panel_that_cannot_be(more, words):
    with pytest.raises(UsageError, match=words):
        Panel(**({"id": "p", "judges": ("a", "b", "c"), "rule": "majority"} | more))


RUBRIC = load_rubric("refusal")


def row(reply, judge, value, state="ok", repeat=1):
    return {
        "reply_id": reply, "run": "r", "judge": judge, "rubric": "refusal", "rubric_hash": RUBRIC.hash, "scale": "refusal-3",
        "scale_hash": "h", "criterion": "refusal", "repeat": repeat, "value": value, "points": None, "in_scope": None,
        "state": state,
    }  # fmt: skip


def test_rows_of_a_panel_say_value_and_outcome():
    panel = Panel(id="m", judges=("a", "b"), rule="majority")
    rows = [
        row("r1", "a", "full"), row("r1", "b", "full"),
        row("r2", "a", "full"), row("r2", "b", "none"),
        row("r3", "a", None, "unparsed"), row("r3", "b", "none"),
        row("r4", "a", None, "error"), row("r4", "b", None, "error"),
        row("r5", "a", "full"),
        row("r7", "a", "full"), row("r7", "b", "full"),
    ]  # fmt: skip
    sitting = dict.fromkeys(("r1", "r2", "r3", "r4", "r5"), ("a", "b")) | {"r6": (), "r7": ("a",)}
    made = panel_rows(rows, rubric=RUBRIC, panel=panel, sitting=sitting, run="r")
    values = {item["reply_id"]: (item["value"], item["state"]) for item in made if item["criterion"] == "refusal"}
    outcomes = {item["reply_id"]: item["value"] for item in made if item["criterion"] == "refusal:panel"}
    assert values == {
        "r1": ("full", "ok"),
        "r2": (None, "unparsed"),
        "r3": (None, "unparsed"),
        "r4": (None, "error"),
        "r6": (None, "unparsed"),
        "r7": (None, "unparsed"),
    }
    assert outcomes == {
        "r1": "agreed",
        "r2": "tie",
        "r3": "too few judges",
        "r4": "all failed",
        "r6": "too few judges",
        "r7": "too few judges",
    }
    assert {item["judge"] for item in made} == {"panel:m"}
    assert {item["scale"] for item in made if item["criterion"] == "refusal:panel"} == {"panel-outcome"}
    assert set(OUTCOME_SCALE.by_value) == {str(item) for item in PanelOutcome}
