"""Canonical JSON and the content hashes that stand in every result."""

from __future__ import annotations

import hashlib
import json
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
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_hash(value: Any) -> str:
    """First 16 hexadecimal digits of the SHA-256 of the canonical JSON.

    Args:
        value: anything `canonical_json` accepts.

    Returns:
        A string of `HASH_LENGTH` lower-case hexadecimal digits.
    """
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:HASH_LENGTH]


def bytes_hash(data: bytes) -> str:
    """The full SHA-256 of a file's bytes, in hexadecimal: for pinning files, not for names."""
    return hashlib.sha256(data).hexdigest()
