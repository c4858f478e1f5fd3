"""Typed access to `codes.yaml`, read once on first use."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources
from typing import Any, NamedTuple

import yaml


class Coding(NamedTuple):
    """One coding of a record.

    Attributes:
        system: short name of the code system, or its address when it is none of the known ones.
        code: the code, without a prefix such as `HGNC:`.
        display: the name beside the code.
        version: edition of the code system as written.
    """

    system: str
    code: str
    display: str = ""
    version: str = ""


@functools.cache
def tables() -> Mapping[str, Any]:
    """Every table of `codes.yaml`, by name."""
    text = resources.files(__package__).joinpath("codes.yaml").read_text(encoding="utf-8")
    data: Mapping[str, Any] = yaml.safe_load(text)
    return data


@functools.lru_cache(maxsize=1024)
def system_of(address: str) -> str:
    """Short name of a code system by a part of its address; the address itself when it is not known."""
    low = address.strip().lower().removeprefix("urn:oid:")
    for row in tables()["systems"]:
        part = row["part"]
        if low == part or (not row.get("exact") and part in low):
            return str(row["name"])
    return address


def look_up(table: str, coding: Coding) -> str | None:
    """What a coding means in a table that is divided by code system; None when it is not there."""
    rows = tables()[table].get(coding.system)
    if not rows:
        return None
    found = rows.get(coding.code)
    return None if found is None else str(found)


def starts_with(rows: Mapping[str, str], code: str) -> str | None:
    """The entry whose key is the longest beginning of a code; None when there is none."""
    keys = [key for key in rows if code.startswith(key)]
    return rows[max(keys, key=len)] if keys else None
