"""Canonical JSON and the content hashes that stand in every result."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

HASH_LENGTH = 16
"""Hexadecimal digits kept of a SHA-256 (64 bits: a collision among a million items has a chance of 3e-8)."""


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces and no NaN, so that equal values give equal bytes.

    Args:
        value: anything the json module can write; NaN and infinity are refused.

    Raises:
        ValueError: the value holds NaN or infinity.
        TypeError: the value holds something JSON has no form for.
    """
    return _CANONICAL.encode(value)


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_hash(value: Any) -> str:
    """First 16 hexadecimal digits of the SHA-256 of the canonical JSON.

    Args:
        value: anything `canonical_json` accepts.

    Returns:
        A string of `HASH_LENGTH` lower-case hexadecimal digits.
    """
    return text_hash(canonical_json(value))


def text_hash(text: str) -> str:
    """First 16 hexadecimal digits of the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()[:HASH_LENGTH]


def stable_form(value: Any) -> Any:
    """Plain JSON values for a value built in code, the same in every process: dataclasses by field, sets sorted, anything else as text."""
    if value is None or isinstance(value, str | int | float | bool):
        return (
            str(value) if isinstance(value, Enum) or (isinstance(value, float) and not math.isfinite(value)) else value
        )
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: stable_form(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): stable_form(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((stable_form(item) for item in value), key=canonical_json)
    if isinstance(value, list | tuple):
        return [stable_form(item) for item in value]
    return str(value)


def bytes_hash(data: bytes) -> str:
    """The full SHA-256 of a file's bytes, in hexadecimal: for pinning files, not for names."""
    return hashlib.sha256(data).hexdigest()
