"""Rows as JSON lines, written whole or not at all, with their hashes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import UsageError
from equipoise.ids import bytes_hash
from equipoise.outcomes.readers import read_json_lines


def json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as JSON lines, keys in the order of the rows; equal rows give equal bytes, and no character ends a line early."""
    return "".join(_line(row) + "\n" for row in rows)


def _line(row: Mapping[str, Any]) -> str:
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\u0085", "\\u0085")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def json_text(value: Any) -> str:
    """A value as indented JSON with a line feed at its end."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def write_whole(path: Path, text: str) -> str:
    """Write a file so that a reader sees the old or the new one, and return its SHA-256.

    Raises:
        UsageError: it cannot be written.
    """
    data = text.encode("utf-8", "backslashreplace")
    scratch = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with scratch.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise UsageError(message, file=str(path)) from error
    return bytes_hash(data)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a file of JSON lines.

    Raises:
        UsageError: there is no such file.
        InputError: a line that is no JSON object.
    """
    return [row for _, row in read_json_lines(path)]


def file_hash(path: Path) -> str:
    """SHA-256 of a file; empty when there is none."""
    return bytes_hash(path.read_bytes()) if path.is_file() else ""
