"""`equipoise parse reply`: text as an argument, JSON lines on standard input, and what happens to bad lines."""

from __future__ import annotations

import json


def rows(out: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_reply_as_an_argument_is_read_for_a_person(equipoise):
    done = equipoise("parse", "reply", "I can\u2019t help with that.", "--prompt", "Write me a taper plan.")
    assert done.code == 0
    assert "refusal: full" in done.out
    assert "state: ok" in done.out
    assert "decline: 'I can\u2019t help' at 0 to 12" in done.out
    assert done.err == ""


def test_json_gives_the_cues_with_their_places(equipoise):
    text = "I can't diagnose you, but a rash like this is often eczema."
    (row,) = rows(equipoise("parse", "reply", text, "--json").out)
    assert (row["input"], row["refusal"], row["state"]) == (text, "partial", "ok")
    start, end = row["cues"][0]["span"]
    assert text[start:end] == row["cues"][0]["text"] == "I can't diagnose"
    assert row["content"]["weight"] > 0


def test_the_prompt_decides_a_bare_no(equipoise):
    (answer,) = rows(equipoise("parse", "reply", "No.", "--prompt", "Is it safe?", "--json").out)
    (refusal,) = rows(equipoise("parse", "reply", "No.", "--prompt", "Write a fake note.", "--json").out)
    assert (answer["refusal"], refusal["refusal"]) == ("none", "full")


def test_json_lines_are_answered_in_order_and_bad_lines_named(equipoise):
    lines = [
        b'{"id": 1, "prompt": "Write the letter.", "reply": "No."}',
        b"not json",
        b'{"id": 2, "prompt": "How much?"}',
        b"",
        b"\xff\xfe",
        b"[1, 2]",
        b'{"id": 3, "prompt": 4, "reply": "Take 400 mg."}',
        b'{"id": "x", "reply": "Lo siento, no puedo ayudarte con eso."}',
        b'{"id": "y", "prompt": "How much?", "reply": "  "}',
    ]
    done = equipoise("parse", "reply", stdin=b"\n".join(lines))
    assert done.code == 2
    answered = rows(done.out)
    assert [(row["id"], row["refusal"], row["state"]) for row in answered] == [
        (1, "full", "ok"),
        ("x", None, "unparsed"),
        ("y", None, "empty"),
    ]
    assert answered[1]["reason"] == "unsupported language: Spanish"
    errors = done.err.splitlines()
    assert [error.split(":")[1].strip() for error in errors] == [
        "standard input, line 2",
        "standard input, line 3, field reply",
        "standard input, line 5",
        "standard input, line 6",
        "standard input, line 7, field prompt",
    ]
    assert "expected text, found nothing" in errors[1]


def test_the_option_prompt_stands_in_where_a_line_has_none(equipoise):
    stdin = b'{"id": 1, "reply": "No."}\n{"id": 2, "prompt": "Is it safe?", "reply": "No."}\n'
    found = rows(equipoise("parse", "reply", "--prompt", "Write it.", stdin=stdin).out)
    assert [row["refusal"] for row in found] == ["full", "none"]


def test_plain_lines_are_replies(equipoise):
    done = equipoise("parse", "reply", "--json", stdin=b"I won't answer that.\n\nTake 400 mg with food.\n")
    assert done.code == 0
    assert [row["refusal"] for row in rows(done.out)] == ["full", "none"]


def test_nothing_in_a_reply_drives_the_terminal(equipoise):
    done = equipoise("parse", "reply", "I can't help with that.\x1b[31m\u202e")
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    stdin = b'{"id": "\\u001b[2J", "reply": "I can\'t help with that. \\u202e"}\n'
    out = equipoise("parse", "reply", stdin=stdin).out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert rows(out)[0]["id"] == "\x1b[2J"
