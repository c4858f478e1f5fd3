"""Which replies of a judge are read, and as what; everything else is unparsed and never drawn to a value."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.judging.frame import prepare
from equipoise.judging.material import Entry, JudgeMaterial
from equipoise.judging.reading import read_verdict
from equipoise.judging.rubric import load_rubric, parse_text

CODE = "0123456789abcdef"
MATERIAL = JudgeMaterial(
    item="i",
    parts={"prompt": "p", "reply": "r"},
    lists={"critical_actions": (Entry(id="a", text="A."), Entry(id="b", text="B.", weight=-3))},
)
REFUSAL = prepare(load_rubric("refusal"), MATERIAL).asked
OMISSION = prepare(load_rubric("omission-harm"), MATERIAL).asked
SCOPED = prepare(
    parse_text(
        """
id: scoped
version: "1"
title: t
judged: j
source: [{title: t, reference: "PMID:1"}]
sees: [{part: reply, called: c}]
instruction: x
criteria:
  - {id: surgery, question: "q", in_scope: "s", scale: {id: s-1-5, from: 1, to: 5, definitions: {1: a, 5: b}}}
""",
        file="x",
    ),
    MATERIAL,
).asked


def reply(value, *, code=CODE, key="refusal", **more):
    return json.dumps({"nonce": code, "verdicts": {key: {"reason": "because", "value": value} | more}})


def read(text, asked=REFUSAL, **more):
    return read_verdict(text, asked=asked, nonce=CODE, **more)


@pytest.mark.parametrize(
    ("text", "value", "reading"),
    [
        (reply("none"), "none", "strict"),
        ("\n  " + reply("partial") + "\n", "partial", "strict"),
        (json.dumps(json.loads(reply("full")), indent=2), "full", "strict"),
        (reply("FULL"), "full", "json"),
        (reply(" full "), "full", "json"),
        (reply("full", confidence=0.9), "full", "json"),
        (json.dumps({"nonce": CODE, "verdicts": {"refusal": {"value": "none"}}}), "none", "json"),
        (json.dumps({**json.loads(reply("none")), "note": "x"}), "none", "json"),
        (f"```json\n{reply('none')}\n```", "none", "fenced"),
        (f"Here it is.\n```\n{reply('none')}\n```\nBye.", "none", "fenced"),
        (f"My verdict: {reply('none')} I hope so.", "none", "embedded"),
        (f"{reply('none')}\n{reply('none')}", "none", "embedded"),
        (f'The text says {{"a": 1}}. {reply("partial")}', "partial", "embedded"),
    ],
)
def test_read(text, value, reading):
    found = read(text)
    assert (found.state, found.judged[0].value, found.reading, found.complete) == ("ok", value, reading, True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("none", "no JSON object"),
        ("The reply refuses fully.", "no JSON object"),
        ("{", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        (json.dumps({"refusal": "full"}), "check code"),
        (reply("full", code="f" * 16), "check code"),
        (reply("full", code=CODE.upper()), "check code"),
        (json.dumps({"verdicts": {"refusal": {"value": "full"}}}), "check code"),
        (json.dumps({"nonce": CODE}), "no JSON object"),
        (json.dumps({"nonce": CODE, "verdicts": ["full"]}), "no JSON object"),
        (f"{reply('none')}\n{reply('full')}", "differ"),
        (f"{reply('full', code='f' * 16)}\n{reply('none')}", "differ"),
        (f"```\n{reply('none')}\n```\nor {reply('full')}", "differ"),
        ('x {"nonce": "' + CODE + '", "nonce": "1", "verdicts": {}}', "twice"),
        (reply("complete"), "not on the scale"),
        (reply("full refusal"), "not on the scale"),
        (reply(2), "not on the scale"),
        (reply(True), "not on the scale"),
        (reply(None), "not on the scale"),
        (reply(["full"]), "not on the scale"),
        (reply("full", key="helpfulness"), "criterion is missing"),
        (json.dumps({"nonce": CODE, "verdicts": {"refusal": "full"}}), "criterion is missing"),
    ],
)
def test_not_read(text, why):
    found = read(text)
    assert (found.state, found.judged[0].state, found.judged[0].value) == ("unparsed", "unparsed", None)
    assert why in found.why


def test_an_element_given_twice_is_not_read_even_in_a_whole_object():
    text = reply("none")[:-2] + ', "refusal": {"reason": "x", "value": "full"}}}'
    assert read(text).state == "unparsed"


def integer(value):
    given = {"reason": "", "value": "hit"}
    return json.dumps(
        {"nonce": CODE, "verdicts": {"omission-harm": {"reason": "", "value": value}, "critical-action-1": given,
                                     "critical-action-2": given}}
    )  # fmt: skip


@pytest.mark.parametrize(("value", "read_as"), [(0, "0"), (4, "4"), ("3", "3"), (" 2 ", "2"), (2.0, "2")])
def test_a_whole_number_of_the_scale(value, read_as):
    judged = read(integer(value), OMISSION).judged[0]
    assert (judged.state, judged.value, judged.points) == ("ok", read_as, float(read_as))


@pytest.mark.parametrize(
    "value", [5, -1, 100, 2.5, "2/4", "two", "2.0", "", True, False, None, [2], float("inf"), 10**400, "9" * 5000]
)
def test_a_number_off_the_scale_is_unparsed_and_never_clipped(value):
    found = read(integer(value), OMISSION)
    assert found.judged[0].state == "unparsed"
    assert (found.judged[0].value, found.judged[0].points) == (None, None)


def test_one_criterion_that_cannot_be_read_leaves_the_others():
    found = read(integer(7), OMISSION)
    assert (found.state, found.complete, found.answered) == ("ok", False, 2)
    assert [item.state for item in found.judged] == ["unparsed", "ok", "ok"]
    assert found.why == "the value is not on the scale (omission-harm)"


def test_points_are_those_of_the_value_times_the_weight_of_the_entry():
    points = {item.name: item.points for item in read(integer(1), OMISSION).judged}
    assert points == {"omission-harm": 1.0, "critical-action:a": 1.0, "critical-action:b": -3.0}


@pytest.mark.parametrize(
    ("given", "state", "in_scope", "value"),
    [
        ({"in_scope": True, "value": 3}, "ok", True, "3"),
        ({"in_scope": False, "value": None}, "ok", False, None),
        ({"in_scope": "no", "value": None}, "ok", False, None),
        ({"in_scope": False}, "ok", False, None),
        ({"in_scope": False, "value": 1}, "unparsed", None, None),
        ({"in_scope": True, "value": None}, "unparsed", None, None),
        ({"value": 3}, "unparsed", None, None),
        ({"in_scope": 1, "value": 3}, "unparsed", None, None),
        ({"in_scope": True, "value": 6}, "unparsed", None, None),
    ],
)
def test_scope(given, state, in_scope, value):
    text = json.dumps({"nonce": CODE, "verdicts": {"surgery": {"reason": ""} | given}})
    judged = read(text, SCOPED).judged[0]
    assert (judged.state, judged.in_scope, judged.value) == (state, in_scope, value)


@pytest.mark.parametrize(
    ("text", "more", "state"),
    [
        ("", {}, "empty"),
        ("  \n", {}, "empty"),
        ("", {"stop_reason": "max_tokens"}, "truncated"),
        (reply("none")[:-5], {"stop_reason": "max_tokens"}, "truncated"),
        (reply("none")[:-5], {"stop_reason": "model_length"}, "truncated"),
        (reply("none")[:-5], {}, "unparsed"),
        (reply("none"), {"stop_reason": "content_filter"}, "blocked"),
        ("", {"stop_reason": "content_filter"}, "blocked"),
        (reply("none"), {"error": "it broke"}, "error"),
    ],
)
def test_states_of_a_judge(text, more, state):
    found = read(text, **more)
    assert (found.state, found.judged[0].state, found.judged[0].value) == (state, state, None)


def test_a_whole_object_is_read_although_a_limit_was_reached():
    assert read(reply("none"), stop_reason="max_tokens").judged[0].value == "none"


TEXTS = st.one_of(
    st.text(),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
            st.sampled_from(["nonce", "verdicts", "refusal", "value", "in_scope", "reason"]), inner, max_size=4
        ),
        max_leaves=12,
    ).map(json.dumps),
)  # fmt: skip


@given(TEXTS, st.sampled_from(["stop", "max_tokens", "content_filter", "unknown"]))
def test_nothing_without_the_code_is_ever_read(text, stop):
    found = read(text, stop_reason=stop)
    assert found.state != "ok"
    assert all(item.value is None and item.points is None for item in found.judged)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=3), max_leaves=4))  # fmt: skip
def test_with_the_code_only_values_of_the_scale_are_read(value):
    found = read(reply(value)).judged[0]
    meant = value.lower().strip() if isinstance(value, str) else None
    assert (found.state == "ok") == (meant in ("none", "partial", "full"))


def test_deep_and_long_texts_end():
    assert read("{" * 100_000).state == "unparsed"
    assert read("[" * 100_000).state == "unparsed"
    assert read('{"a":' * 5_000 + "1" + "}" * 5_000).state == "unparsed"
