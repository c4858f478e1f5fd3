"""CSV that a spreadsheet shows and never runs, and CSV as a spreadsheet saves it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from equipoise.errors import InputError
from equipoise.outcomes.readers import read_text

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings that a spreadsheet takes for a formula, full-width forms among them."""

MARK = "'"
"""Stands before such a cell: a spreadsheet then shows text."""


def safe_cell(text: str) -> str:
    """The text as a cell that no spreadsheet computes: control characters become spaces, a beginning of a formula gets `MARK`.

    Args:
        text: any text.
    """
    plain = "".join(char if char.isprintable() else " " for char in text)
    return MARK + plain if plain.lstrip(" ").startswith(_STARTS) or text.startswith(_STARTS) else plain


def csv_text(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table as CSV with a byte order mark, so that a spreadsheet reads UTF-8; every cell is safe."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([safe_cell(head) for head in heads])
    writer.writerows([safe_cell(str(cell)) for cell in row] for row in rows)
    return "\ufeff" + file.getvalue()


def read_csv(path: Path, *needed: str) -> list[tuple[int, dict[str, str]]]:
    """Line and cells by column of every row that is not blank; commas, semicolons and tabs are known by the header.

    Args:
        path: the file.
        needed: columns it must have.

    Raises:
        UsageError: there is no such file.
        InputError: not UTF-8, not CSV, or a column is missing.
    """
    text = read_text(path)
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        head = [cell.strip().lower() for cell in next(reader, [])]
        missing = [name for name in needed if name not in head]
        if missing:
            message = f"there is no column {missing[0]!r}; expected {', '.join(needed)} in the first line"
            raise InputError(message, file=str(path), line=1)
        rows = []
        for cells in reader:
            if any(cell.strip() for cell in cells):
                padded = [*cells, *[""] * len(head)]
                rows.append((reader.line_num, dict(zip(head, padded, strict=False))))
    except csv.Error as error:
        message = f"not readable as CSV ({error})"
        raise InputError(message, file=str(path), line=reader.line_num) from error
    return rows
