"""Readers, one a format, and the table that chooses among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.cases.formats import openmtb, own
from equipoise.cases.model import Case
from equipoise.errors import CaseError


@dataclass(frozen=True, slots=True)
class ObjectFormat:
    """One way a JSON object (or table row) can hold a case.

    Attributes:
        name: short name.
        recognises: whether an object is of this format.
        read: builds the case.
    """

    name: str
    recognises: Callable[[Mapping[str, Any]], bool]
    read: Callable[..., Case]


FORMATS: tuple[ObjectFormat, ...] = (
    ObjectFormat("openmtb", lambda data: not openmtb.MARKS.isdisjoint(data), openmtb.read),
    ObjectFormat("own", lambda data: True, own.read_case),
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
    if not isinstance(data, Mapping):
        message = f"expected an object with the fields of a case, got {type(data).__name__}"
        raise CaseError(message)
    for form in FORMATS:
        if form.recognises(data):
            return form.read(data, default_id=default_id)
    message = "no known format"
    raise CaseError(message)
