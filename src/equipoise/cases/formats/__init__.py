"""Readers, one a format, and the table that chooses among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.cases.formats import openmtb, own
from equipoise.cases.formats.values import is_mapping
from equipoise.cases.model import Case
from equipoise.errors import CaseError


@dataclass(frozen=True, slots=True)
class ObjectFormat:
    """One way a JSON object (or table row) can hold a case.

    Attributes:
        name: short name.
        recognises: whether an object is of this format.
        read: builds the case.
        own_fields: the elements under the names of the own format.
    """

    name: str
    recognises: Callable[[Mapping[str, Any]], bool]
    read: Callable[..., Case]
    own_fields: Callable[[Mapping[str, Any]], dict[str, Any]]


FORMATS: tuple[ObjectFormat, ...] = (
    ObjectFormat("openmtb", lambda data: not openmtb.MARKS.isdisjoint(data), openmtb.read, openmtb.own_fields),
    ObjectFormat("openmtb-summary", lambda data: openmtb.SUMMARY in data, openmtb.read_summary, openmtb.summary_fields),
    ObjectFormat("own", lambda data: True, own.read_case, dict),
)
"""In the order in which they are tried; the last one takes everything."""


def case_from_object(data: Any, *, default_id: str = "") -> Case:
    """Build a case from one object of any known format.

    Args:
        data: a JSON object or table row.
        default_id: id to use when it has none.

    Raises:
        CaseError: it is not an object, or one of its elements cannot be read.
    """
    return _format_of(data).read(data, default_id=default_id)


def known_fields() -> frozenset[str]:
    """Names of the top-level fields of every known format."""
    return own.FIELDS.union(openmtb.NAMES, (openmtb.SUMMARY,))


def own_fields(data: Any) -> dict[str, Any]:
    """The elements of an object of any known format under the names of the own format (docs/semantics.md section 1).

    Args:
        data: a JSON object or table row.

    Raises:
        CaseError: it is not an object.
    """
    return _format_of(data).own_fields(data)


def _format_of(data: Any) -> ObjectFormat:
    if not is_mapping(data):
        message = f"expected an object with the fields of a case, got {type(data).__name__}"
        raise CaseError(message)
    for form in FORMATS:
        if form.recognises(data):
            return form
    message = "no known format"
    raise CaseError(message)
