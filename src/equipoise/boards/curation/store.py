"""Files of the stages: JSON lines written whole or not at all, for their owner alone, with their hashes."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import UsageError
from equipoise.ids import bytes_hash

LOCK = ".lock"
"""File that is locked while a run is at work."""

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
"""What stands in the folders of the stages was said about patients: only the owner may read it."""


def lines_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as JSON lines; equal rows give equal bytes."""
    return "".join(_json(row) + "\n" for row in rows)


def value_text(value: Any) -> str:
    """A value as indented JSON with a line feed at its end."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


def private_folder(path: Path) -> None:
    """Make a folder that only its owner may enter.

    Raises:
        UsageError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
    except OSError as error:
        message = f"cannot be made: {error.strerror}"
        raise UsageError(message, file=str(path)) from None


def write_private(path: Path, text: str) -> str:
    """Write a file so that a reader sees the old or the new one, and return its SHA-256.

    Raises:
        UsageError: it cannot be written.
    """
    data = text.encode("utf-8", "backslashreplace")
    private_folder(path.parent)
    scratch = path.with_name(f".{path.name}.part")
    try:
        with contextlib.suppress(FileNotFoundError):
            scratch.unlink()
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise UsageError(message, file=str(path)) from None
    return bytes_hash(data)


def append_private(path: Path, row: Mapping[str, Any]) -> None:
    """Add a row to a file of JSON lines, on the disk at once.

    Raises:
        UsageError: it cannot be written.
    """
    private_folder(path.parent)
    data = (_json(row) + "\n").encode("utf-8", "backslashreplace")
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
        with os.fdopen(handle, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            file.write((b"\n" if torn else b"") + data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise UsageError(message, file=str(path)) from None


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep a second run out of a folder while this one lives; the system lets go when the process ends, however it ends.

    Raises:
        UsageError: another run is at work, or the folder cannot be written.
    """
    private_folder(folder)
    try:
        import fcntl
    except ModuleNotFoundError:  # a system without advisory locks
        yield
        return
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise UsageError(message, file=str(folder)) from None
    with os.fdopen(handle, "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            message = "another run is at work in this folder; wait for its end"
            raise UsageError(message, file=str(folder)) from None
        yield


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines; a torn line is passed over, and so is a file that is not there."""
    try:
        data = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    rows = []
    for line in data.split("\n"):
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(line)
            if isinstance(value, dict):
                rows.append(value)
    return rows


def file_hash(path: Path) -> str:
    """SHA-256 of a file; empty when there is none."""
    try:
        return bytes_hash(path.read_bytes())
    except OSError:
        return ""
