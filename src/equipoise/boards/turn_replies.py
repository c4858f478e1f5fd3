"""Reads the answer of a specialist from a reply.

Asked for is one JSON object with one text, `answer`. The first step that finds something decides:

1. the whole reply is that object;
2. text around objects with an answer: all have to say the same;
3. the object has lost its closing brace, or is written with single quotes;
4. `<answer>` tags, or a line "Answer: ...": all have to say the same;
5. plain prose: the whole text is the answer, a refusal in words included, since it is what the system said.

Nothing is taken from a reply with two different answers, a broken object, an answer that was cut off, or a board in place of an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.boards.reply_text import TAG, TwiceError, bare, flat, is_placeholder, load_object, once, same, sentences

MOST_SENTENCES = 3
"""Sentences that are asked for at most."""

MOST_OBJECTS = 200
"""Places at which an object may begin that are tried."""

_SINGLE = re.compile(r"\{\s*'answer'\s*:\s*'((?:[^'\\]|\\.)*)'\s*\}", re.IGNORECASE | re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NO_BRACE = re.compile(r'\{\s*"answer"\s*:\s*("(?:[^"\\]|\\.)*")\s*', re.IGNORECASE | re.DOTALL)
_OPEN, _CLOSE = (
    re.compile(r"<[ \t]{0,3}answer[ \t]{0,3}>", re.I),
    re.compile(r"<[ \t]{0,3}/[ \t]{0,3}answer[ \t]{0,3}>", re.I),
)
_LABEL = re.compile(r"^[ \t>#*_-]{0,8}(?:final )?answer[ \t*_]{0,4}:[ \t*_]{0,4}", re.IGNORECASE | re.MULTILINE)
_TABLE = re.compile(r"^[ \t]{0,8}\|.*\|[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReply:
    """A specialist's answer as it was read.

    Attributes:
        answer: the answer with single spaces; empty when the reply cannot be read.
        problems: what had to be forgiven, or why there is no answer; empty when it came as asked.
    """

    answer: str
    problems: tuple[str, ...] = ()


def read_turn_reply(text: str) -> TurnReply:
    """The answer of a reply.

    Args:
        text: the reply as received. Whether it was cut off by a limit is not seen here: the caller knows.
    """
    plain, problems = bare(text)
    if not plain:
        return TurnReply(answer="", problems=(*problems, "no text"))
    try:
        answers, how = _answers(plain)
    except TwiceError:
        return TurnReply(answer="", problems=(*problems, "the object names an element twice"))
    problems += how
    if answers is None:
        return TurnReply(answer="", problems=(*problems, "no answer that can be read"))
    kept = [answer for answer in answers if not is_placeholder(answer)]
    if not kept:
        return TurnReply(answer="", problems=(*problems, "the answer is empty or a word of the template"))
    if len({same(answer) for answer in kept}) > 1:
        return TurnReply(answer="", problems=(*problems, "two different answers"))
    answer = flat(kept[-1])
    if sentences(answer) > MOST_SENTENCES:
        problems.append(f"more than {MOST_SENTENCES} sentences")
    return TurnReply(answer=answer, problems=tuple(problems))


def _answers(text: str) -> tuple[Sequence[str] | None, list[str]]:
    """The answers of the first step that finds some, and what had to be forgiven; None when no step does."""
    whole = load_object(text)
    if whole is not None:
        if not isinstance(whole.get("answer"), str):
            return None, []
        return [whole["answer"]], [] if _as_asked(text) else ["the object has another form than asked"]
    objects = [value for value in _objects(text) if "answer" in value]
    if objects:
        found = [value["answer"] for value in objects if isinstance(value["answer"], str)]
        return (found if len(found) == len(objects) else None), ["text around the object, or several objects"]
    lost = _NO_BRACE.fullmatch(text)
    if lost is not None:
        return [json.loads(lost[1], strict=False)], ["the object has no closing brace"]
    quoted = _SINGLE.fullmatch(text)
    if quoted is not None:
        return [_ESCAPE.sub(lambda sign: " " if sign[1] == "n" else sign[1], quoted[1])], ["no JSON: single quotes"]
    if text.startswith(("{", "[")):
        return None, ["an object that cannot be read"]
    if TAG.search(text) or _TABLE.search(text):
        return None, ["a discussion in place of an answer"]
    tagged = list(_tagged(text))
    if tagged:
        return tagged, ["no JSON: answer tags"]
    labelled = _LABEL.split(text)[1:]
    if labelled:
        return labelled, ["no JSON: a labelled line"]
    return [text], ["no JSON: the whole text is taken"]


def _as_asked(text: str) -> bool:
    """Whether a text is strict JSON with the one key that was asked for, as it was spelled."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and set(value) == {"answer"}


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Objects in a text that do not lie in one another, in order."""
    decoder = json.JSONDecoder(object_pairs_hook=once, strict=False)
    place, tried = text.find("{"), 0
    while place >= 0 and tried < MOST_OBJECTS:
        tried += 1
        try:
            value, end = decoder.raw_decode(text, place)
        except TwiceError:
            raise
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield value
        place = text.find("{", end)


def _tagged(text: str) -> Iterator[str]:
    place = 0
    while (opening := _OPEN.search(text, place)) is not None:
        closing = _CLOSE.search(text, opening.end())
        if closing is None:
            return
        yield text[opening.end() : closing.start()]
        place = closing.end()
