"""A file that a coordinator brings in: kind, size in rows, and errors that name it as it was called."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from equipoise.errors import InputError, UsageError
from equipoise.study.desk.forms import Upload
from equipoise.study.importing import Imported

KINDS: tuple[str, ...] = (".jsonl", ".json", ".csv")
MOST_ROWS = 50_000
"""Lines of a file at most; a larger one is brought in with `equipoise study import`."""
_LONGEST_NAME = 80


def bring_in(upload: Upload, kinds: tuple[str, ...], work: Callable[[Path], Imported]) -> Imported:
    """Does something with the file under its own name, in a folder that is gone afterwards.

    Args:
        upload: what came.
        kinds: endings that are taken.
        work: what to do with it.

    Raises:
        UsageError: no file, an empty one, another kind, or too many lines.
        InputError: `work` refuses it; the text names the file as it was called.
    """
    name = re.sub(r"[^\w.-]", "_", upload.name)[-_LONGEST_NAME:].lstrip(".")
    if not name or not upload.data:
        message = "expected a file that is not empty"
        raise UsageError(message, file=name or None)
    ending = Path(name).suffix.lower()
    if ending not in kinds:
        message = f"expected a file of kind {', '.join(kinds)}"
        raise UsageError(message, file=name)
    lines = upload.data.count(b"\n")
    if lines > MOST_ROWS:
        message = (
            f"expected at most {MOST_ROWS} lines, found {lines}; bring it in with: equipoise study import STUDY FILE"
        )
        raise UsageError(message, file=name)
    with tempfile.TemporaryDirectory(prefix="equipoise-upload-") as folder:
        path = Path(folder) / name
        path.write_bytes(upload.data)
        try:
            return work(path)
        except InputError as error:
            message = error.message.replace(str(path), name)
            raise InputError(message, file=name if error.file else None, line=error.line, field=error.field) from None


def pairs(text: str, *, turned: bool, what: str) -> dict[str, str]:
    """Lines of LEFT=RIGHT as a mapping; the sign that counts is the last one, or with `turned` the first.

    Raises:
        UsageError: a line that is none, or a left side given twice.
    """
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        left, sign, right = (part.strip() for part in (line.partition("=") if turned else line.rpartition("=")))
        if not sign or not left or not right or left in found:
            message = f"expected one {what} a line, each once; got {line.strip()!r}"
            raise UsageError(message)
        found[left] = right
    return found
