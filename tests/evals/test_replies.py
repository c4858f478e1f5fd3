"""Every reply ends in a state; only a label that is named without doubt is an answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.audit.verdict import LABELS
from equipoise.evals.replies import Reply, read_reply
from equipoise.outcomes.schema import ReplyState

FULL = {
    "label": "Unsupported",
    "abstain": False,
    "missing_fields": [],
    "confidence": 0.7,
    "rationale": "No source.",
}


def read(text: str, **more: object) -> Reply:
    return read_reply(text, labels=LABELS, **more)  # type: ignore[arg-type]


def test_strict_json_gives_every_element():
    reply = read(
        json.dumps({**FULL, "label": "Insufficient Information", "missing_fields": ["stage", "ecog", "stage"]})
    )
    assert reply.state is ReplyState.OK
    assert reply.reading == "json"
    assert reply.label == "Insufficient Information"
    assert reply.abstain is False
    assert reply.missing_fields == ("ecog", "stage")
    assert reply.confidence == 0.7


@pytest.mark.parametrize(
    ("text", "reading", "label"),
    [
        ('```json\n{"label": "Supported"}\n```', "fenced", "Supported"),
        ('Here it is:\n```\n{"label": "Supported"}\n```\nThanks.', "fenced", "Supported"),
        ('I think {"label": "partially supported", "abstain": "no"} fits.', "embedded", "Partially Supported"),
        ('{"label": "Supported"}\n{"label": "Supported"}', "embedded", "Supported"),
        ("**Label:** Insufficient_Information", "line", "Insufficient Information"),
        ("label: UNSUPPORTED.\nBecause of C797S.", "line", "Unsupported"),
        ('{"Label": "Supported"}', "json", "Supported"),
        ('{"note": {"x": 1}} then {"label": "Supported"}', "embedded", "Supported"),
        ("{{{ broken {\"label\": \"Supported\"}", "embedded", "Supported"),
    ],
)  # fmt: skip
def test_the_tolerant_reading(text, reading, label):
    reply = read(text)
    assert (reply.state, reply.reading, reply.label) == (ReplyState.OK, reading, label)


@pytest.mark.parametrize(
    "text",
    [
        "I am sorry, I cannot help with that.",
        "The therapy is Supported by FLAURA.",
        '{"label": "Unsafe"}',
        '{"label": "Insufficient Info"}',
        '{"label": ["Supported"]}',
        '{"label": null}',
        '{"answer": "Supported"}',
        '{"label": "Supported", "label": "Unsupported"}',
        '{"label": "Supported"} or {"label": "Unsupported"}',
        "Label: Supported\nLabel: Unsupported",
        "Label: Supported | Partially Supported | Unsupported",
        '```json\n{"label": "Supported"}\n```\nOn reflection: {"label": "Unsupported"}',
        '{"label": "Supported", "confidence": NaN',
        "[" * 5000,
        '{"a":' * 3000,
        "null",
        '"Supported"',
        "Supported",
    ],
)
def test_doubt_is_unparsed_and_keeps_the_text(text):
    reply = read(text)
    assert reply.state is ReplyState.UNPARSED
    assert reply.text == text
    assert reply.why
    assert (reply.label, reply.abstain, reply.missing_fields, reply.confidence) == (None, None, None, None)


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_no_text_is_empty(text):
    assert read(text).state is ReplyState.EMPTY


def test_what_the_provider_withheld_is_blocked_even_with_text():
    assert read(json.dumps(FULL), stop_reason="content_filter").state is ReplyState.BLOCKED
    assert read("", stop_reason="content_filter").state is ReplyState.BLOCKED


@pytest.mark.parametrize("stop", ["max_tokens", "model_length"])
def test_a_cut_reply_is_truncated_unless_it_is_one_whole_object(stop):
    assert read('{"label": "Supp', stop_reason=stop).state is ReplyState.TRUNCATED
    assert read('{"label": "Supported"} but on the other', stop_reason=stop).state is ReplyState.TRUNCATED
    assert read("", stop_reason=stop).state is ReplyState.TRUNCATED
    assert read(json.dumps(FULL), stop_reason=stop).state is ReplyState.OK


def test_a_call_that_failed_is_an_error_whatever_the_text():
    reply = read(json.dumps(FULL), error="503")
    assert (reply.state, reply.label, reply.why) == (ReplyState.ERROR, None, "503")


@pytest.mark.parametrize(
    ("element", "value", "expected"),
    [
        ("abstain", "yes", True),
        ("abstain", "False", False),
        ("abstain", "perhaps", None),
        ("abstain", 1, None),
        ("confidence", "85 %", 0.85),
        ("confidence", "0.85", 0.85),
        ("confidence", 85, None),
        ("confidence", -0.1, None),
        ("confidence", True, None),
        ("confidence", "high", None),
        ("confidence", None, None),
        ("missing_fields", "none", ()),
        ("missing_fields", "stage, ECOG status", ("ecog", "stage")),
        ("missing_fields", {"stage": True}, None),
        ("missing_fields", [1], None),
        ("missing_fields", None, None),
        ("objection", "None", ""),
    ],
)
def test_what_is_not_stated_stays_unstated(element, value, expected):
    reply = read(json.dumps({"label": "Supported", element: value}), field_names={"ecog_status": "ecog"})
    assert reply.state is ReplyState.OK
    assert getattr(reply, element) == expected


def test_a_huge_reply_is_unparsed():
    for text in ("{" * 500_000, '{"a": ' * 100_000, "label: " * 100_000, "```\n" * 100_000):
        assert read(text).state is ReplyState.UNPARSED


@given(st.text(max_size=300), st.sampled_from(["stop", "max_tokens", "content_filter", "unknown"]))
def test_any_text_has_a_state_and_an_answer_only_when_ok(text, stop):
    reply = read(text, stop_reason=stop)
    assert reply.text == text
    assert (reply.label is not None) == (reply.state is ReplyState.OK)
    assert reply.label is None or reply.label in LABELS


@given(
    st.sampled_from(LABELS),
    st.booleans(),
    st.lists(st.sampled_from(["stage", "ecog", "pdl1"]), unique=True),
    st.floats(0, 1),
)
def test_what_is_written_is_read_back(label, abstain, missing, confidence):
    reply = read(json.dumps({"label": label, "abstain": abstain, "missing_fields": missing, "confidence": confidence}))
    assert (reply.label, reply.abstain, reply.missing_fields, reply.confidence) == (
        label, abstain, tuple(sorted(missing)), confidence,
    )  # fmt: skip
