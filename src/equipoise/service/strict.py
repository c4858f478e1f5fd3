"""JSON as RFC 8259 has it: what Python's reader lets through beyond it (NaN, infinity, numbers too large for a float) is refused."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from equipoise.errors import UsageError

_SUSPECT = re.compile(rb"NaN|Infinity|[eE]\+?[0-9]{3}|[0-9]{300}")
"""Cheap look at the bytes: only a document with such a place is read a second time."""


def refuse_non_finite(data: bytes, name: str) -> None:
    """Refuse JSON that holds a number which is none, or which no float can hold; anything else is left to the readers.

    Args:
        data: the document.
        name: how to call it in the message.

    Raises:
        UsageError: it holds one.
    """
    if _SUSPECT.search(data) is None:
        return
    for part in (data, *data.split(b"\n")) if b"\n" in data else (data,):
        try:
            json.loads(part, parse_constant=_constant, parse_float=_float)
        except _NonFiniteError as error:
            message = f"expected JSON: {error} is no number that JSON and a float can hold"
            raise UsageError(message, file=name) from None
        except (ValueError, RecursionError):
            continue
        else:
            return


class _NonFiniteError(Exception):
    """A number that is none."""


def _constant(text: str) -> NoReturn:
    raise _NonFiniteError(text)


def _float(text: str) -> Any:
    value = float(text)
    if not math.isfinite(value):
        raise _NonFiniteError(text[:20])
    return value
