"""Reads the JSON of a model's reply in a stage of the curation.

The whole reply, or the one code block, or the one object in the text around it. A closed thinking part is passed over. An object that names
an element twice is not read, nor are several objects that differ. What the object says is checked by the stages, never taken as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST = 400_000
"""Characters of a reply that are looked at."""

MOST_PLACES = 2_000
"""Places at which a value may begin that are tried."""

NO_JSON = "no JSON object of the asked form"
TWICE = "a JSON object names an element twice"
SEVERAL = "several JSON objects that differ"
OPEN_THINKING = "the thinking part was never closed"

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPENED = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```[A-Za-z0-9]*[ \t]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a reply holds.

    Attributes:
        value: the object; None when there is none to be read.
        why: why not; empty when there is.
    """

    value: Mapping[str, Any] | None
    why: str = ""


def read_answer(text: str, *, main: str) -> Answer:
    """The object of a reply.

    Args:
        text: the reply as received.
        main: name of the element the object has to have; a bare list of objects is read as that element.
    """
    searched = _THINKING.sub(" ", text[:LONGEST])
    cut_off = bool(_OPENED.search(searched))
    if cut_off:
        searched = searched[: _OPENED.search(searched).start()]  # type: ignore[union-attr]
    try:
        found = _whole(searched, main) or _fenced(searched, main) or _embedded(searched, main)
    except _TwiceError:
        return Answer(value=None, why=TWICE)
    if not found:
        return Answer(value=None, why=OPEN_THINKING if cut_off else NO_JSON)
    if any(item != found[0] for item in found):
        return Answer(value=None, why=SEVERAL)
    return Answer(value=found[0])


def plain(value: Any) -> str:
    """A text of a reply on one line without control characters and lone surrogates; empty for anything else than a text."""
    if not isinstance(value, str):
        return ""
    return " ".join("".join(char if char.isprintable() else " " for char in value).split())


def entries(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list, anything else passed over; an object alone is a list of one."""
    if isinstance(value, Mapping):
        return [value]
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def texts(value: Any) -> list[str]:
    """The texts of a list; a text alone is a list of one, its parts divided by commas."""
    if isinstance(value, str):
        value = value.split(",")
    return [found for item in value if (found := plain(item))] if isinstance(value, list) else []


def same_id(value: Any, known: Collection[str]) -> str:
    """The known id a model names, whatever the case, the brackets and the zeros before a number; empty when there is none.

    Args:
        value: what the model wrote.
        known: ids that exist.
    """
    name = plain(value).strip("[]()<>\"'` .,:#")
    if name in known:
        return name
    form = _form(name)
    found = [item for item in known if _form(item) == form]
    return found[0] if form is not None and len(found) == 1 else ""


def _form(name: str) -> tuple[str, int] | None:
    parts = re.fullmatch(r"(\D{1,40}?)0*([0-9]{1,9})", name.casefold())
    return (parts[1], int(parts[2])) if parts else None


class _TwiceError(ValueError):
    """An object names an element twice."""


def _shaped(value: Any, main: str) -> Mapping[str, Any] | None:
    if isinstance(value, dict):
        return value if main in value else None
    if isinstance(value, list) and value and all(isinstance(item, dict) and main not in item for item in value):
        return {main: value}
    return None


def _whole(text: str, main: str) -> list[Mapping[str, Any]]:
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_refused)
    except _TwiceError:
        raise
    except (ValueError, RecursionError):
        return []
    found = _shaped(value, main)
    return [] if found is None else [found]


def _fenced(text: str, main: str) -> list[Mapping[str, Any]]:
    return [item for block in _FENCE.findall(text) for item in _whole(block.strip(), main)]


def _embedded(text: str, main: str) -> list[Mapping[str, Any]]:
    return [found for value in _values(text) if (found := _shaped(value, main)) is not None]


def _values(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refused)
    places = re.compile(r"[\[{]")
    match, tried = places.search(text), 0
    while match is not None and tried < MOST_PLACES:
        tried += 1
        try:
            value, end = decoder.raw_decode(text, match.start())
        except _TwiceError:
            raise
        except (ValueError, RecursionError):
            end = match.start() + 1
        else:
            yield value
        match = places.search(text, end)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        if name in result:
            raise _TwiceError(name)
        result[name] = value
    return result


def _refused(text: str) -> None:
    raise ValueError(text)
