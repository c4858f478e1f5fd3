"""Reads a judge's reply: strictly first, then by a few stated allowances; everything else is unparsed.

The reading, in this order; the first step that finds an answer decides:

1. `strict`: the whole reply is one JSON object of exactly the asked form.
2. `json`: the whole reply is one JSON object. Unknown elements and a missing reason are passed over.
3. `fenced`: exactly one code block, and it holds one JSON object.
4. `embedded`: text around JSON objects; every object that has a check code or verdicts must be the same one.

After step 1 a value may differ from the scale's in case and spaces, a whole number may be written as text or as 2.0, and
"yes" or "no" may stand for a scope. A value outside the scale is unparsed; nothing is rounded or drawn to the nearest end.

An object that names an element twice, or lacks this question's check code, is not read: the judge then answered
something else, such as the material. A judge that follows the material and copies the code cannot be told apart.

States: `error` when the call failed; `blocked` when the provider withheld the reply; `empty` without text; `truncated`
when a limit cut it off and it is not one whole JSON object; `unparsed` otherwise. One criterion that cannot be read
leaves the others as they are.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from equipoise.judging.material import Asked
from equipoise.outcomes.schema import ReplyState

READER_VERSION = "1"
"""Raised when a reply of a judge can be read otherwise than before."""

LONGEST = 200_000
"""Characters that are searched for an answer."""

MOST_OBJECTS = 200
"""Places at which an object may begin that are tried."""

Reading = Literal["strict", "json", "fenced", "embedded", ""]

NO_OBJECT = "no JSON object with the check code and verdicts"
WRONG_CODE = "the check code is missing or wrong"
SEVERAL = "several JSON objects that differ"
TWICE = "a JSON object names an element twice"
CUT = "the answer was cut off by a limit"
NO_TEXT = "the answer held no text"
WITHHELD = "the provider withheld the answer"
ABSENT = "the criterion is missing"
OUTSIDE = "the value is not on the scale"
SCOPE = "scope and value contradict each other, or the scope is missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The answer to one question.

    Attributes:
        name: the question, as in the tables.
        state: only ok carries an answer.
        value: value on the scale; None unless ok and in scope.
        points: points of the value times the weight of the entry; None without any.
        in_scope: whether the criterion applies; None when not asked.
        why: why there is no answer; empty when there is one.
    """

    name: str
    state: ReplyState
    value: str | None = None
    points: float | None = None
    in_scope: bool | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judge's reply as it was read.

    Attributes:
        state: ok when at least one question is answered.
        judged: one answer a question, in their order.
        reading: which step found it; empty when none did.
        why: why something could not be read, in this package's words; empty when all was.
    """

    state: ReplyState
    judged: tuple[Judged, ...]
    reading: Reading = ""
    why: str = ""

    @property
    def complete(self) -> bool:
        """Whether every question is answered."""
        return all(item.state is ReplyState.OK for item in self.judged)

    @property
    def answered(self) -> int:
        """Number of questions answered."""
        return sum(item.state is ReplyState.OK for item in self.judged)


def read_verdict(
    text: str, *, asked: tuple[Asked, ...], nonce: str, stop_reason: str = "stop", error: str | None = None
) -> Verdict:
    """Read one reply of a judge.

    Args:
        text: the reply as received.
        asked: the questions.
        nonce: the check code it has to hold.
        stop_reason: why generation ended, in Inspect's words.
        error: message when the call failed; the text is then not read.
    """
    if stop_reason == "content_filter":
        return failed(asked, ReplyState.BLOCKED, WITHHELD)
    if error:
        return failed(asked, ReplyState.ERROR, error)
    cut = stop_reason in ("max_tokens", "model_length")
    if not text.strip():
        return failed(asked, ReplyState.TRUNCATED, CUT) if cut else failed(asked, ReplyState.EMPTY, NO_TEXT)
    whole = load_object(text.strip())
    if cut and whole is None:
        return failed(asked, ReplyState.TRUNCATED, CUT)
    try:
        reading, found = _found(text, whole, asked, nonce)
    except UnreadableError as reason:
        return failed(asked, ReplyState.UNPARSED, str(reason))
    judged = tuple(_judged(item, found["verdicts"].get(item.key)) for item in asked)
    whys = [f"{item.why} ({item.name})" for item in judged if item.why]
    readable = any(item.state is ReplyState.OK for item in judged)
    return Verdict(
        state=ReplyState.OK if readable else ReplyState.UNPARSED, judged=judged, reading=reading, why="; ".join(whys)
    )


def failed(asked: tuple[Asked, ...], state: ReplyState, why: str) -> Verdict:
    """A reply without any answer."""
    return Verdict(state=state, judged=tuple(Judged(name=item.name, state=state, why=why) for item in asked), why=why)


class UnreadableError(Exception):
    """Why no step finds an answer."""


class _TwiceError(ValueError):
    """An object names an element twice."""


def _found(
    text: str, whole: dict[str, Any] | None, asked: tuple[Asked, ...], nonce: str
) -> tuple[Reading, dict[str, Any]]:
    if whole is not None:
        return ("strict" if _is_strict(whole, asked) else "json"), _checked(whole, nonce)
    searched = text[:LONGEST]
    fenced = _FENCE.findall(searched)
    candidates = [item for item in objects_in(searched) if "nonce" in item or "verdicts" in item]
    if not candidates:
        raise UnreadableError(NO_OBJECT)
    if any(item != candidates[0] for item in candidates):
        raise UnreadableError(SEVERAL)
    is_fenced = len(fenced) == 1 and load_object(fenced[0].strip()) is not None
    return ("fenced" if is_fenced else "embedded"), _checked(candidates[0], nonce)


_FENCE = re.compile(r"^```[A-Za-z0-9]*[ \t]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _checked(value: dict[str, Any], nonce: str) -> dict[str, Any]:
    if value.get("nonce") != nonce:
        raise UnreadableError(WRONG_CODE)
    if not isinstance(value.get("verdicts"), dict):
        raise UnreadableError(NO_OBJECT)
    return value


def _is_strict(value: dict[str, Any], asked: tuple[Asked, ...]) -> bool:
    """Whether an object has exactly the asked elements; values are looked at one by one later."""
    verdicts = value.get("verdicts")
    if set(value) != {"nonce", "verdicts"} or not isinstance(verdicts, dict):
        return False
    if set(verdicts) != {item.key for item in asked}:
        return False
    return all(_is_strict_verdict(item, verdicts[item.key]) for item in asked)


def _is_strict_verdict(item: Asked, given: Any) -> bool:
    expected = {"reason", "value", "in_scope"} if item.criterion.in_scope else {"reason", "value"}
    if not isinstance(given, dict) or set(given) != expected or not isinstance(given["reason"], str):
        return False
    value = given["value"]
    if item.criterion.in_scope:
        if not isinstance(given["in_scope"], bool):
            return False
        if value is None:
            return not given["in_scope"]
    scale = item.criterion.scale
    if scale.integers:
        return isinstance(value, int) and not isinstance(value, bool) and str(value) in scale.by_value
    return isinstance(value, str) and value in scale.by_value


def _judged(item: Asked, given: Any) -> Judged:
    if not isinstance(given, dict):
        return Judged(name=item.name, state=ReplyState.UNPARSED, why=ABSENT)
    value = given.get("value")
    in_scope = None
    if item.criterion.in_scope:
        in_scope = _flag(given.get("in_scope"))
        if in_scope is None or in_scope is (value is None):
            return Judged(name=item.name, state=ReplyState.UNPARSED, why=SCOPE)
        if not in_scope:
            return Judged(name=item.name, state=ReplyState.OK, in_scope=False)
    name = _on_scale(item, value)
    if name is None:
        return Judged(name=item.name, state=ReplyState.UNPARSED, why=OUTSIDE)
    points = item.criterion.scale.by_value[name].points
    return Judged(
        name=item.name,
        state=ReplyState.OK,
        value=name,
        points=None if points is None else points * item.weight,
        in_scope=in_scope,
    )


def _on_scale(item: Asked, value: Any) -> str | None:
    """The value of the scale that is meant; None when there is none."""
    scale = item.criterion.scale
    if isinstance(value, bool) or value is None:
        return None
    if scale.integers:
        if isinstance(value, str):
            value = int(value) if re.fullmatch(r"\s*-?[0-9]{1,4}\s*", value) else None
        if isinstance(value, float) and math.isfinite(value) and value == int(value):
            value = int(value)
        text = str(value) if isinstance(value, int) else ""
        return text if text in scale.by_value else None
    if not isinstance(value, str):
        return None
    folded = {_folded(name): name for name in scale.by_value}
    return folded.get(_folded(value))


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _flag(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().lower())
    return None


def load_object(text: str) -> dict[str, Any] | None:
    """The object of a text; None when it is none, or one that names an element twice."""
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Objects in a text that do not lie in one another, in order.

    Raises:
        UnreadableError: one of them names an element twice.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refused)
    place, tried = text.find("{"), 0
    while place >= 0 and tried < MOST_OBJECTS:
        tried += 1
        try:
            value, end = decoder.raw_decode(text, place)
        except _TwiceError:
            raise UnreadableError(TWICE) from None
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield value
        place = text.find("{", end)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        if name in result:
            raise _TwiceError(name)
        result[name] = value
    return result


def _refused(text: str) -> None:
    raise ValueError(text)
