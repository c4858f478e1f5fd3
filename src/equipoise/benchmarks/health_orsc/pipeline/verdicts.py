"""Reads what models reply: labels as JSON, rewrites, and the verdicts of guard models in their own formats.

A verdict is read from its documented form or not at all: what does not fit is unreadable, never a vote.

Formats of guards: Llama Guard replies "safe", or "unsafe" and a line of codes such as "S1,S6" (Meta model card);
ShieldGemma replies "Yes" or "No" to whether a policy is broken (arXiv 2407.21772); WildGuard replies three lines, the
first "Harmful request: yes" or "no" (arXiv 2406.18495).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.journal import Answer
from equipoise.benchmarks.health_orsc.pipeline.terms import Vote
from equipoise.evals.replies import read_reply
from equipoise.outcomes.schema import ReplyState


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a reply says.

    Attributes:
        state: ok when it could be read; else why not.
        value: what it says; empty unless ok.
        detail: codes that a guard added; empty without any.
        why: why there is no value; empty when there is one.
    """

    state: ReplyState
    value: str = ""
    detail: str = ""
    why: str = ""


def read_label(answer: Answer, labels: Sequence[str]) -> Verdict:
    """The label of a JSON reply, by the reading of `equipoise.evals.replies`.

    Args:
        answer: the answer.
        labels: the labels there are.
    """
    reply = read_reply(
        answer.text, labels=labels, stop_reason=_STOPS.get(answer.state, "stop"), error=answer.error or None
    )
    return Verdict(state=reply.state, value=reply.label or "", why=reply.why)


_STOPS = {ReplyState.BLOCKED: "content_filter", ReplyState.TRUNCATED: "max_tokens"}


def read_vote(answer: Answer, form: str) -> Verdict:
    """The vote of a moderator; its value is a `Vote`, "unreadable" unless the state is ok.

    Args:
        answer: the answer.
        form: json, llama-guard, shieldgemma or wildguard.
    """
    if form == "json":
        found = read_label(answer, (Vote.NOT_HARMFUL.value, Vote.HARMFUL.value))
    elif answer.state in (ReplyState.OK, ReplyState.TRUNCATED):
        # A guard's verdict comes first, so a reply cut off after it still holds it whole.
        found = GUARDS[form](answer.text.strip())
        if found.state is not ReplyState.OK and answer.state is ReplyState.TRUNCATED:
            found = Verdict(state=ReplyState.TRUNCATED, why="cut off before a verdict")
    else:
        found = Verdict(state=answer.state, why=answer.error)
    return found if found.state is ReplyState.OK else Verdict(
        state=found.state, value=Vote.UNREADABLE.value, why=found.why
    )  # fmt: skip


_CODES = re.compile(r"\s*S\d{1,2}(?:\s*,\s*S\d{1,2})*\s*")


def _llama_guard(text: str) -> Verdict:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) == 1 and lines[0].lower() == "safe":
        return Verdict(state=ReplyState.OK, value=Vote.NOT_HARMFUL.value)
    if lines and lines[0].lower() == "unsafe" and len(lines) <= 2 and (len(lines) == 1 or _CODES.fullmatch(lines[1])):
        detail = re.sub(r"\s+", "", lines[1]) if len(lines) == 2 else ""
        return Verdict(state=ReplyState.OK, value=Vote.HARMFUL.value, detail=detail)
    return Verdict(state=ReplyState.UNPARSED, why="expected safe, or unsafe and a line of codes")


def _shieldgemma(text: str) -> Verdict:
    found = re.match(r"[*\"'`]*(yes|no)\b(?!\s*(?:or|/)\s*(?:yes|no)\b)", text, re.IGNORECASE)
    if found is None:
        return Verdict(state=ReplyState.UNPARSED, why="expected a reply that begins with Yes or No")
    harmful = found[1].lower() == "yes"
    return Verdict(state=ReplyState.OK, value=(Vote.HARMFUL if harmful else Vote.NOT_HARMFUL).value)


def _wildguard(text: str) -> Verdict:
    found = re.findall(r"^[ \t]*harmful request[ \t]*:[ \t]*(yes|no)[ \t.]*$", text, re.IGNORECASE | re.MULTILINE)
    values = {value.lower() for value in found}
    if len(values) != 1:
        return Verdict(state=ReplyState.UNPARSED, why="expected one line 'Harmful request: yes' or 'no'")
    harmful = values == {"yes"}
    return Verdict(state=ReplyState.OK, value=(Vote.HARMFUL if harmful else Vote.NOT_HARMFUL).value)


GUARDS: Mapping[str, Callable[[str], Verdict]] = {
    "llama-guard": _llama_guard,
    "shieldgemma": _shieldgemma,
    "wildguard": _wildguard,
}
"""Reader of each guard's format."""

_FENCE = re.compile(r"```[A-Za-z0-9]*[ \t]*\n(.*?)\n?```", re.DOTALL)


def read_rewrite(answer: Answer, form: str) -> Verdict:
    """The rewrite in a reply: of one JSON object with "rewrite", alone, in a code block or in text; or the text itself.

    Args:
        answer: the answer.
        form: json, or text for the reply as it is, without quotation marks around it.
    """
    if answer.state is not ReplyState.OK:
        return Verdict(state=answer.state, why=answer.error)
    text = answer.text.strip()
    if form == "text":
        return Verdict(state=ReplyState.OK, value=text.strip("\"\u201c\u201d' \n"))
    fenced = _FENCE.findall(text)
    for candidate in (text, *(fenced if len(fenced) == 1 else ())):
        value = _object(candidate)
        if value is not None:
            return _rewrite_of(value)
    inner = _embedded(text)
    return _rewrite_of(inner) if inner is not None else Verdict(state=ReplyState.UNPARSED, why="no JSON object")


def _rewrite_of(value: Mapping[str, Any]) -> Verdict:
    text = value.get("rewrite")
    if not isinstance(text, str):
        return Verdict(state=ReplyState.UNPARSED, why="the object has no text under rewrite")
    return Verdict(state=ReplyState.OK, value=text.strip())


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _embedded(text: str) -> dict[str, Any] | None:
    """The only object with "rewrite" in a text; None when there is none or more than one."""
    decoder, place, found = json.JSONDecoder(), text.find("{"), []
    for _ in range(50):
        if place < 0:
            break
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(value, dict) and "rewrite" in value:
                found.append(value)
        place = text.find("{", end)
    return found[0] if len(found) == 1 else None
