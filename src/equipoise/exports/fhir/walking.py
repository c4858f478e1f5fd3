"""Walks a resource by paths such as `Provenance.entity.role`, through lists, without regard to what is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Place = tuple[Mapping[str, Any], str]
"""An element that could hold another one, and the name of that one."""


def at(resource: Mapping[str, Any], path: str) -> list[Any]:
    """Every value at a path.

    Args:
        resource: the resource.
        path: its type, then names of elements, joined by points.
    """
    found: list[Any] = []
    for owner, name in places(resource, path):
        value = owner.get(name)
        found.extend(_items(value))
    return found


def places(resource: Mapping[str, Any], path: str) -> Iterator[Place]:
    """Every element in which the last name of a path could stand; none when the elements above it do not."""
    owners: list[Any] = [resource]
    *above, name = path.split(".")[1:]
    for step in above:
        owners = [item for owner in owners if isinstance(owner, Mapping) for item in _items(owner.get(step))]
    for owner in owners:
        if isinstance(owner, Mapping):
            yield owner, name


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def codes_at(resource: Mapping[str, Any], path: str) -> list[str]:
    """Every code at a path, whether it stands as a code or in the codings of a concept."""
    found: list[str] = []
    for value in at(resource, path):
        if isinstance(value, Mapping):
            found.extend(str(coding.get("code")) for coding in value.get("coding") or ())
        else:
            found.append(str(value))
    return found


def elements(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in a value, however deep, the value itself first."""
    if isinstance(value, dict):
        yield value
        for item in value.values():
            if isinstance(item, dict | list):
                yield from elements(item)
    elif isinstance(value, list):
        for item in value:
            yield from elements(item)


def references(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every Reference with a literal address in a value, however deep; contained resources included."""
    for element in elements(value):
        if isinstance(element.get("reference"), str) and element.keys() <= _OF_REFERENCE:
            yield element


_OF_REFERENCE = frozenset({"reference", "type", "display", "identifier"})
