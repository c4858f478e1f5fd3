"""The form of a rubric file: every element is checked, none is ignored, and the first fault is named with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from equipoise.errors import ConfigurationError
from equipoise.judging.rubric import Criterion, Part, Rubric, Source
from equipoise.judging.scales import Scale, ScaleValue

MOST_VALUES = 101
"""Values of a scale at most."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_REFERENCE = re.compile(
    r"(?:doi:10\.\d{4,9}/\S+|arXiv:\d{4}\.\d{4,5}|PMID:\d+|github:[A-Za-z0-9-]+/[A-Za-z0-9._-]+@[0-9a-f]{7,40})"
)


class _Place:
    """A place in the file, for messages."""

    def __init__(self, file: str, path: str = "") -> None:
        self.file, self.path = file, path

    def at(self, name: str | int) -> _Place:
        inner = f"[{name}]" if isinstance(name, int) else f".{name}" if self.path else str(name)
        return _Place(self.file, self.path + inner)

    def fail(self, expected: str) -> NoReturn:
        message = f"{self.file}, {self.path or 'rubric'}: {expected}"
        raise ConfigurationError(message)


def parse_rubric(value: Mapping[str, Any], *, file: str) -> Rubric:
    """The rubric of a loaded file.

    Args:
        value: the elements.
        file: the file, as the user named it.

    Raises:
        ConfigurationError: an element is missing, unknown or of another form.
    """
    place = _Place(file)
    _keys(value, place, ("id", "version", "title", "judged", "source", "sees", "instruction", "criteria"))
    sees = tuple(_part(item, at) for item, at in _items(value, place, "sees"))
    _distinct([item.part for item in sees], place.at("sees"))
    criteria = tuple(_criterion(item, at, sees) for item, at in _items(value, place, "criteria"))
    _distinct([item.id for item in criteria], place.at("criteria"))
    scales = {item.scale.id: item.scale.hash for item in criteria}
    if any(scales[item.scale.id] != item.scale.hash for item in criteria):
        place.at("criteria").fail("two different scales share one identifier")
    return Rubric(
        id=_name(value, place, "id"),
        version=_text(value, place, "version"),
        title=_text(value, place, "title"),
        judged=_text(value, place, "judged"),
        source=tuple(_source(item, at) for item, at in _items(value, place, "source")),
        sees=sees,
        instruction=_text(value, place, "instruction"),
        criteria=criteria,
    )


def _source(value: Any, place: _Place) -> Source:
    _keys(value, place, ("title", "reference"))
    reference = _text(value, place, "reference")
    if not _REFERENCE.fullmatch(reference):
        place.at("reference").fail(
            f"expected doi:..., arXiv:..., PMID:... or github:OWNER/NAME@COMMIT, found {reference!r}"
        )
    return Source(title=_text(value, place, "title"), reference=reference)


def _part(value: Any, place: _Place) -> Part:
    _keys(value, place, ("part", "called"), ("optional", "list"))
    return Part(
        part=_name(value, place, "part"),
        called=_text(value, place, "called"),
        optional=_flag(value, place, "optional"),
        list=_flag(value, place, "list"),
    )


def _criterion(value: Any, place: _Place, sees: tuple[Part, ...]) -> Criterion:
    _keys(value, place, ("id", "question", "scale"), ("each", "in_scope"))
    each = _name(value, place, "each") if "each" in value else ""
    if each and each not in {part.part for part in sees if part.list}:
        place.at("each").fail(f"{each!r} is no list of those the judge sees")
    return Criterion(
        id=_name(value, place, "id"),
        question=_text(value, place, "question"),
        scale=_scale(value["scale"], place.at("scale")),
        each=each,
        in_scope=_text(value, place, "in_scope") if "in_scope" in value else "",
    )


def _scale(value: Any, place: _Place) -> Scale:
    if isinstance(value, Mapping) and "values" in value:
        _keys(value, place, ("id", "ordered", "values"))
        values = tuple(_value(item, at) for item, at in _items(value, place, "values"))
        integers = False
    else:
        _keys(value, place, ("id", "from", "to", "definitions"))
        values, integers = _range(value, place), True
    if not 2 <= len(values) <= MOST_VALUES:
        place.fail(f"expected 2 to {MOST_VALUES} values, found {len(values)}")
    _distinct([" ".join(item.value.lower().split()) for item in values], place.at("values"))
    return Scale(
        id=_name(value, place, "id"),
        values=values,
        ordered=integers or _flag(value, place, "ordered"),
        integers=integers,
    )


def _value(value: Any, place: _Place) -> ScaleValue:
    _keys(value, place, ("value", "definition"), ("points",))
    return ScaleValue(
        value=_text(value, place, "value"),
        definition=_text(value, place, "definition"),
        points=_number(value, place, "points") if "points" in value else None,
    )


def _range(value: Mapping[str, Any], place: _Place) -> tuple[ScaleValue, ...]:
    low, high = value["from"], value["to"]
    for name, end in (("from", low), ("to", high)):
        if isinstance(end, bool) or not isinstance(end, int):
            place.at(name).fail(f"expected a whole number, found {end!r}")
    if not low < high <= low + MOST_VALUES - 1:
        place.fail(f"expected from < to, and at most {MOST_VALUES} values, found {low} to {high}")
    told = value["definitions"]
    if not isinstance(told, Mapping) or not {low, high} <= set(told) <= set(range(low, high + 1)):
        place.at("definitions").fail(f"expected definitions of {low}, {high} and whole numbers between them")
    for number, text in told.items():
        if not isinstance(text, str) or not text.strip():
            place.at("definitions").at(str(number)).fail("expected a text")
    return tuple(
        ScaleValue(value=str(number), definition=str(told.get(number, "")).strip(), points=float(number))
        for number in range(low, high + 1)
    )


def _keys(value: Any, place: _Place, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    if not isinstance(value, Mapping):
        place.fail(f"expected the elements {', '.join(required)}, found {type(value).__name__}")
    missing = [name for name in required if name not in value]
    if missing:
        place.fail(f"{missing[0]} is missing")
    unknown = [str(name) for name in value if name not in (*required, *optional)]
    if unknown:
        place.fail(f"there is no element {unknown[0]!r}; known are {', '.join((*required, *optional))}")


def _items(value: Mapping[str, Any], place: _Place, name: str) -> list[tuple[Any, _Place]]:
    found = value[name]
    if not isinstance(found, list) or not found:
        place.at(name).fail("expected a list with at least one entry")
    return [(item, place.at(name).at(number)) for number, item in enumerate(found)]


def _text(value: Mapping[str, Any], place: _Place, name: str) -> str:
    found = value[name]
    if not isinstance(found, str) or not found.strip():
        place.at(name).fail(f"expected a text, found {found!r}; put it in quotation marks")
    return found.strip()


def _name(value: Mapping[str, Any], place: _Place, name: str) -> str:
    found = _text(value, place, name)
    if not _NAME.fullmatch(found):
        place.at(name).fail(f"expected small letters, digits, points, - and _, found {found!r}")
    return found


def _flag(value: Mapping[str, Any], place: _Place, name: str) -> bool:
    found = value.get(name, False)
    if not isinstance(found, bool):
        place.at(name).fail(f"expected true or false, found {found!r}")
    return found


def _number(value: Mapping[str, Any], place: _Place, name: str) -> float:
    found = value[name]
    if isinstance(found, bool) or not isinstance(found, int | float) or found != found or abs(found) == float("inf"):
        place.at(name).fail(f"expected a number, found {found!r}")
    return float(found)


def _distinct(names: list[str], place: _Place) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        place.fail(f"{twice[0]!r} stands there twice")
