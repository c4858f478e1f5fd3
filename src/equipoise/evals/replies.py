"""Reads a model's reply: strict JSON first, then a tolerant reading, and a state of its own for what cannot be read.

The reading, in this order; the first step that finds an answer decides, and its name is kept:

1. `json`: the whole reply is one JSON object.
2. `fenced`: exactly one code block, and it holds one JSON object.
3. `embedded`: text around JSON objects. Every object with a label has to name the same one.
4. `line`: no object with a label; exactly one label in lines of the form "Label: ...".

A label is one of the given ones, whatever its case, spacing, hyphens or underscores; nothing else is taken for one, no
synonym and no part of a sentence. An object that names an element twice, or gives "label" no label, is not read any
further: the reply is `unparsed`. What is not stated stays None: it is never filled in.

States: `error` when the call failed; `blocked` when the provider withheld the reply; `empty` without text; `truncated`
when the reply was cut off by a limit and is not one whole JSON object (what was cut could have taken it back);
`unparsed` when no step finds an answer. A refusal in words is `unparsed`: nobody but its author knows what it refers to.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from equipoise.outcomes.schema import ReplyState

READER_VERSION = "1"
"""Raised when a reply can be read otherwise than before."""

LONGEST = 200_000
"""Characters of a reply that are searched for an answer."""

MOST_OBJECTS = 200
"""Places at which an object may begin that are tried."""

Reading = Literal["json", "fenced", "embedded", "line", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply as it was read.

    Attributes:
        state: ok, empty, blocked, truncated, unparsed or error; only ok carries an answer.
        text: the reply as received.
        label: the label, spelled as given to the reader; None unless ok.
        abstain: whether it abstains; None when not stated.
        missing_fields: fields called undocumented, sorted, each once; None when not stated.
        confidence: 0 to 1; None when not stated or out of range.
        objection: the objection of a second reader; empty when there is none.
        source: the source of the objection; empty when there is none.
        reading: which step found the answer; empty unless ok.
        why: why there is no answer; empty when there is one.
    """

    state: ReplyState
    text: str
    label: str | None = None
    abstain: bool | None = None
    missing_fields: tuple[str, ...] | None = None
    confidence: float | None = None
    objection: str = ""
    source: str = ""
    reading: Reading = ""
    why: str = ""


def read_reply(
    text: str,
    *,
    labels: Sequence[str],
    stop_reason: str = "stop",
    error: str | None = None,
    field_names: Mapping[str, str] | None = None,
) -> Reply:
    """Read one reply.

    Args:
        text: the reply as received.
        labels: the labels there are.
        stop_reason: why generation ended, in Inspect's words.
        error: message when the call failed; the text is then not read.
        field_names: other names of fields, mapped to the names used here.
    """
    failed = without_text(text, stop_reason, error)
    if failed is not None:
        return Reply(state=failed[0], text=text, why=failed[1])
    wanted = {_folded(label): label for label in labels}
    found = _strict(text, wanted)
    if found is not None:
        return _reply(text, "json", found, wanted, field_names or {})
    if stop_reason in CUT:
        return Reply(state=ReplyState.TRUNCATED, text=text, why="the reply was cut off by a limit")
    try:
        reading, found = _tolerant(text[:LONGEST], wanted)
    except _UnreadableError as reason:
        return Reply(state=ReplyState.UNPARSED, text=text, why=str(reason))
    return _reply(text, reading, found, wanted, field_names or {})


CUT = frozenset({"max_tokens", "model_length", "tool_calls"})
"""Ends that no model chose for its answer; the last is a conversation that was ended while functions were called."""


def without_text(text: str, stop_reason: str, error: str | None) -> tuple[ReplyState, str] | None:
    """State and reason of a reply in which there is nothing to read; None when there is text.

    Args:
        text: the reply as received.
        stop_reason: why generation ended, in Inspect's words.
        error: message when the call failed.
    """
    if stop_reason == "content_filter":
        return ReplyState.BLOCKED, "the provider withheld the reply"
    if error:
        return ReplyState.ERROR, error
    if not text.strip():
        if stop_reason in CUT:
            return ReplyState.TRUNCATED, "the limit was reached before any text"
        return ReplyState.EMPTY, "the reply holds no text"
    return None


class _UnreadableError(Exception):
    """Why no step finds an answer."""


class _TwiceError(ValueError):
    """An object names an element twice."""


def _strict(text: str, wanted: Mapping[str, str]) -> dict[str, Any] | None:
    value = _load(text.strip())
    return value if value is not None and _label_of(value, wanted) else None


def _tolerant(text: str, wanted: Mapping[str, str]) -> tuple[Reading, dict[str, Any]]:
    fenced = _FENCE.findall(text)
    if len(fenced) == 1:
        value = _load(fenced[0].strip())
        if value is not None and _label_of(value, wanted):
            others = {_label_of(item, wanted) for item in _objects(text) if "label" in item}
            if others == {_label_of(value, wanted)}:
                return "fenced", value
    objects = [item for item in _objects(text) if "label" in item]
    if objects:
        named = {_label_of(item, wanted) for item in objects}
        if None in named:
            message = "an object names a label that does not exist"
            raise _UnreadableError(message)
        if len(named) > 1:
            message = "objects name different labels"
            raise _UnreadableError(message)
        return "embedded", objects[-1]
    lines = [_folded(item) for item in _LINE.findall(text)]
    if lines:
        if len(set(lines)) > 1 or lines[0] not in wanted:
            message = "lines name different labels, or one that does not exist"
            raise _UnreadableError(message)
        return "line", {"label": wanted[lines[0]]}
    message = "no JSON object with a label and no line that begins with one"
    raise _UnreadableError(message)


_FENCE = re.compile(r"^```[A-Za-z0-9]*[ \t]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"^[ \t>#*_-]{0,8}label[ \t*_]{0,4}:[ \t*_\"'`]{0,6}([A-Za-z][A-Za-z _-]{0,40}?)[ \t*_\"'`.,]{0,8}$",
                   re.MULTILINE | re.IGNORECASE)  # fmt: skip


def _load(text: str) -> dict[str, Any] | None:
    """The object of a text; None when it is none, or one that names an element twice."""
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _objects(text: str) -> Iterable[dict[str, Any]]:
    """Objects in a text that do not lie in one another, in order.

    Raises:
        _UnreadableError: one of them names an element twice.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refused)
    place, tried = text.find("{"), 0
    while place >= 0 and tried < MOST_OBJECTS:
        tried += 1
        try:
            value, end = decoder.raw_decode(text, place)
        except _TwiceError as reason:
            message = f"an object names {reason} twice"
            raise _UnreadableError(message) from None
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield value
        place = text.find("{", end)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        key = name.strip().lower()
        if key in result:
            raise _TwiceError(key)
        result[key] = value
    return result


def _refused(text: str) -> None:
    raise ValueError(text)


def _folded(text: str) -> str:
    return " ".join(re.split(r"[\s_-]+", text.strip().lower()))


def _label_of(value: Mapping[str, Any], wanted: Mapping[str, str]) -> str | None:
    label = value.get("label")
    return wanted.get(_folded(label)) if isinstance(label, str) else None


def _reply(
    text: str, reading: Reading, value: Mapping[str, Any], wanted: Mapping[str, str], names: Mapping[str, str]
) -> Reply:
    return Reply(
        state=ReplyState.OK,
        text=text,
        label=_label_of(value, wanted),
        abstain=_flag(value.get("abstain")),
        missing_fields=_fields(value.get("missing_fields"), names),
        confidence=_share(value.get("confidence")),
        objection=_words(value.get("objection")),
        source=_words(value.get("source")),
        reading=reading,
    )


def _flag(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().lower())
    return None


def _fields(value: Any, names: Mapping[str, str]) -> tuple[str, ...] | None:
    if isinstance(value, str):
        value = [] if value.strip().lower() in ("", "none", "[]") else value.split(",")
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    plain = (_field(item) for item in value)
    return tuple(sorted({names.get(item, item) for item in plain if item}))


def _field(text: str) -> str:
    """A name of a field: lower case with underscores; what stands after a point (a gene) is kept as written."""
    root, point, rest = text.strip().partition(".")
    return re.sub(r"[\s-]+", "_", root.lower()) + point + rest


def _share(value: Any) -> float | None:
    """A number from 0 to 1; "85 %" is 0.85; a bare number above 1 could be either scale and is not read."""
    if isinstance(value, str):
        found = re.fullmatch(r"\s*([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*(%?)\s*", value)
        if found is None:
            return None
        value = float(found[1]) / (100 if found[2] else 1)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 and math.isfinite(value) else None


def _words(value: Any) -> str:
    return value.strip() if isinstance(value, str) and value.strip().lower() not in ("none", "null") else ""
