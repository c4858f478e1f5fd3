"""What every reader needs: unknown words, lists of statements, dates."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from equipoise.cases.model import Documented, Source, Status, unknown
from equipoise.errors import CaseError

T = TypeVar("T")

_UNKNOWN_WORDS = frozenset({
    "", "unknown", "not tested", "pending", "not documented", "not available", "n/a", "na", "nd", "not stated", "not reported",
    "not assessed", "not done", "not performed", "awaited", "nan", "null", "unk",
})  # fmt: skip


def is_unknown(value: Any) -> bool:
    """Whether a value says that nothing is documented (None, NaN, "unknown", "not tested", "pending", ...)."""
    if value is None:
        return True
    if type(value) is str:
        return value in _UNKNOWN_WORDS or value.strip().lower() in _UNKNOWN_WORDS
    return bool(value != value)


def is_mapping(value: Any) -> bool:
    """Whether a value is an object (a mapping); a plain dict is recognised without the slow way round."""
    return type(value) is dict or isinstance(value, Mapping)


def tidy(value: Any) -> Any:
    """The value with white space in its texts, keys excepted, reduced to single spaces; lines of a text stay lines."""
    if type(value) is str:
        if value.isprintable() and "  " not in value and value[:1] != " " and value[-1:] != " ":
            return value
        return "\n".join(line for line in (" ".join(part.split()) for part in value.splitlines()) if line)
    if type(value) is list:
        return [tidy(item) for item in value]
    if type(value) is dict:
        return {key: tidy(item) for key, item in value.items()}
    return value


def as_list(value: Any) -> Sequence[Any]:
    """A list as it is, nothing as an empty list, anything else as a list of one."""
    if value is None:
        return ()
    if isinstance(value, list | tuple):
        return value
    return (value,)


def join(
    statements: Sequence[tuple[T, str]],
    field: str,
    meet: Callable[[T, T], T | None] | None,
    *,
    paths: Sequence[str] = (),
) -> Documented[T]:
    """One documented value from several statements.

    Args:
        statements: what each says, and its words.
        field: field of the Case, and path of the statements unless `paths` gives them.
        meet: what two statements leave possible together; None when they exclude each other. Without it, they must be equal.
        paths: path of each statement.

    Returns:
        UNKNOWN without statements; CONFLICTING when two exclude each other.
    """
    if not statements:
        return unknown()
    value = statements[0][0]
    if len(statements) == 1:
        return Documented(Status.VALUE, value, (), (Source(paths[0] if paths else field, statements[0][1]),))
    agreed = True
    for other, _ in statements[1:]:
        both = meet(value, other) if meet else (value if value == other else None)
        if both is None:
            agreed = False
            break
        value = both
    sources = tuple(Source(paths[place] if paths else field, text) for place, (_, text) in enumerate(statements))
    if not agreed:
        return Documented(Status.CONFLICTING, stated=tuple(text for _, text in statements), sources=sources)
    return Documented(Status.VALUE, value, sources=sources)


def date_of(value: Any, field: str) -> dt.date | None:
    """A day from an ISO date; None when it is not stated or stated only as a year or month.

    Raises:
        CaseError: the value is not an ISO date.
    """
    if value is None:
        return None
    if type(value) is str and len(value) == 10:
        try:
            return dt.date.fromisoformat(value)
        except ValueError:
            pass
    if is_unknown(value):
        return None
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    text = str(value).strip()
    try:
        if text[10:11] in ("", "T", " "):
            return dt.date.fromisoformat(text[:10])
    except ValueError:
        pass
    parts = text.split("-")
    if (
        len(parts) <= 2
        and all(part.isascii() and part.isdigit() for part in parts)
        and len(parts[0]) == 4
        and (len(parts) == 1 or 1 <= int(parts[1]) <= 12)
    ):
        return None
    msg = f"expected a date as YYYY-MM-DD, got {value!r}"
    raise CaseError(msg, field=field)


def first(*values: Any) -> Any:
    """The first value that is there."""
    for value in values:
        if value is not None:
            return value
    return None


def text_of(value: Any, field: str) -> str:
    """A short text or number as text; empty when nothing is stated.

    Raises:
        CaseError: it is neither.
    """
    if value is None:
        return ""
    if type(value) is str:
        return value
    if isinstance(value, str | int) and not isinstance(value, bool):
        return str(value)
    msg = f"expected text, got {value!r}"
    raise CaseError(msg, field=field)


def whole_of(value: Any, field: str) -> int | None:
    """A whole number of at most three digits; None when nothing is stated.

    Raises:
        CaseError: it is not one.
    """
    if value is None:
        return None
    if is_unknown(value):
        return None
    if isinstance(value, bool) or not isinstance(value, int | str) or not re.fullmatch(r"\s*[0-9]{1,3}\s*", str(value)):
        msg = f"expected a whole number, got {value!r}"
        raise CaseError(msg, field=field)
    return int(value)
