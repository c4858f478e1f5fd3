"""Reads elements of FHIR data types from JSON of any quality. Nothing here raises: what is not of the right type is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.cases.formats.record.codes import Coding, system_of


def items(value: Any) -> list[Any]:
    """A list as it is, nothing as an empty list, anything else as a list of one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a value that should be an object or a list of them."""
    return [item for item in items(value) if isinstance(item, Mapping)]


def text(value: Any) -> str:
    """A text or number as text; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value).strip()


def number(value: Any) -> float | None:
    """A finite number, also when it is written as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        read = float(value)
    except ValueError:
        return None
    return read if read - read == 0 else None


def coding(value: Mapping[str, Any]) -> Coding:
    """One Coding; codes of HGNC lose their prefix."""
    code = text(value.get("code"))
    return Coding(
        system_of(text(value.get("system"))),
        code.removeprefix("HGNC:"),
        text(value.get("display")),
        text(value.get("version")),
    )


def codings(concept: Any) -> list[Coding]:
    """The codings of a CodeableConcept, or of a Coding that stands in its place."""
    found: list[Coding] = []
    for one in objects(concept):
        inner = objects(one.get("coding"))
        if not inner and "code" in one:
            inner = [one]
        found.extend(coding(item) for item in inner)
    return found


def words(concept: Any) -> str:
    """The words of a concept: its text, or the first name beside a code."""
    if isinstance(concept, str):
        return concept.strip()
    for one in objects(concept):
        stated = text(one.get("text"))
        if stated:
            return stated
    return next((item.display for item in codings(concept) if item.display), "")


def all_words(concept: Any) -> str:
    """Every word of a concept, in lower case, to look for what has no code."""
    parts = [text(one.get("text")) for one in objects(concept)]
    parts.extend(item.display for item in codings(concept))
    return " ".join(parts).lower()


def extensions(resource: Mapping[str, Any], *ends: str) -> Iterator[Mapping[str, Any]]:
    """Extensions, nested ones too, whose address ends in one of the given names."""
    for one in objects(resource.get("extension")):
        if text(one.get("url")).rstrip("/").endswith(ends):
            yield one
        yield from extensions(one, *ends)


def value_of(element: Mapping[str, Any]) -> Any:
    """The value of an element, whatever its type."""
    return next((item for key, item in element.items() if key.startswith("value") and item is not None), None)


def start_of(resource: Mapping[str, Any], *names: str) -> str:
    """The first day that a resource states under one of the names, as a date or the start of a period."""
    for name in names:
        value = resource.get(name)
        if isinstance(value, Mapping):
            value = value.get("start")
        if text(value):
            return text(value)
    return ""


def end_of(resource: Mapping[str, Any], *names: str) -> str:
    """The last day of a period under one of the names."""
    for name in names:
        value = resource.get(name)
        if isinstance(value, Mapping) and text(value.get("end")):
            return text(value.get("end"))
    return ""
