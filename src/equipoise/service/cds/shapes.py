"""Holds a request, an answer or feedback against the published shapes, as our JSON schema states them (`shapes.schema.json`)."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

from equipoise._optional import require
from equipoise.service.problems import refuse

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

Shape = Literal["discovery", "request", "response", "feedback"]


@functools.cache
def schema() -> dict[str, Any]:
    """The schema as it ships."""
    text = resources.files(__package__).joinpath("shapes.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def shape_schema(shape: Shape) -> Any:
    """The schema of one shape, complete in itself."""
    return _inlined(schema()["$defs"][shape])


def _inlined(part: Any) -> Any:
    if isinstance(part, list):
        return [_inlined(item) for item in part]
    if not isinstance(part, Mapping):
        return part
    if "$ref" in part:
        return _inlined(schema()["$defs"][part["$ref"].rpartition("/")[2]])
    return {key: _inlined(value) for key, value in part.items()}


@functools.cache
def _validator(shape: Shape) -> Draft202012Validator:
    library = require("jsonschema", extra="service")
    found: Draft202012Validator = library.Draft202012Validator(shape_schema(shape))
    return found


def problems(shape: Shape, value: Any) -> list[tuple[str, str]]:
    """Where a value leaves its shape, and how; empty when it keeps it.

    Args:
        shape: which one.
        value: a JSON value.
    """
    found = []
    for error in _validator(shape).iter_errors(value):
        path = ".".join(map(str, error.absolute_path))
        for name, words in _said(error):
            found.append((".".join(part for part in (path, name) if part), words))
    return sorted(set(found))


def check(shape: Shape, value: Any) -> None:
    """Refuse a value that leaves its shape.

    Raises:
        RefusedError: it does; the first place is named.
    """
    found = problems(shape, value)
    if found:
        place, words = found[0]
        raise refuse(400, words, field=place)


def _said(error: Any) -> list[tuple[str, str]]:
    """Element below the place of an error, and what was expected there; the value itself is not repeated."""
    kind, rule = error.validator, error.validator_value
    if kind == "not":
        return [(name, "not expected here") for name in rule["required"]]
    if kind == "required":
        return [(name, "expected, and missing") for name in rule if name not in error.instance]
    if kind == "dependentRequired":
        return [
            (name, f"expected beside {given}, and missing")
            for given, names in rule.items()
            if given in error.instance
            for name in names
            if name not in error.instance
        ]
    if kind == "enum":
        return [("", f"expected one of {', '.join(map(str, rule))}")]
    if kind == "const":
        return [("", f"expected {rule}")]
    if kind == "type":
        return [("", f"expected {_TYPES.get(rule, rule)}")]
    if kind in ("minLength", "minItems", "minProperties"):
        return [("", "expected a value, got an empty element; leave it out when there is none")]
    if kind == "maxLength":
        return [("", f"expected at most {rule} characters")]
    if kind == "pattern":
        return [("", _PATTERNS.get(rule, f"expected a text of the form {rule}"))]
    return [("", "not of the expected shape")]


_TYPES = {
    "string": "a text",
    "object": "an object",
    "array": "a list",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}
_PATTERNS = {
    r"^https?://[^\s]+$": "expected an address (https://...)",
    r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$": "expected a UUID",
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$": (
        "expected a date and time as 2026-11-01T08:30:00Z"
    ),
}
