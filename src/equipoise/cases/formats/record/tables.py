"""Reads tables that tools of genomics write: tabs or commas, `#` lines above the header, rows of any length."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

EMPTY = frozenset({"", "na", "n/a", "nan", "[not available]", "not available", "unknown", "not applicable", "."})
"""Cells that say nothing, in lower case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table.

    Attributes:
        name: file name.
        columns: header, as written.
        rows: 1-based line and cells by column; cells that say nothing are left out.
        short: lines with fewer or more cells than the header.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[int, dict[str, str]], ...]
    short: tuple[int, ...] = ()


def read_table(text: str, name: str) -> Table | None:
    """Read one table; None when there is no header line.

    Args:
        text: the whole file.
        name: file name.
    """
    lines = list(_lines(text))
    if not lines:
        return None
    delimiter = "\t" if "\t" in lines[0][1] else ","
    cells = [(number, row) for number, line in lines for row in csv.reader(io.StringIO(line), delimiter=delimiter)]
    header = tuple(cell.strip() for cell in cells[0][1])
    rows: list[tuple[int, dict[str, str]]] = []
    short: list[int] = []
    for number, row in cells[1:]:
        if len(row) != len(header):
            short.append(number)
        found = {key: cell.strip() for key, cell in zip(header, row, strict=False) if cell.strip().lower() not in EMPTY}
        if found:
            rows.append((number, found))
    return Table(name=name, columns=header, rows=tuple(rows), short=tuple(short))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            yield number, line


def column(columns: Sequence[str], *names: str) -> str:
    """The first column with one of the names, without regard to case; empty when there is none."""
    low = {item.lower(): item for item in columns}
    return next((low[name.lower()] for name in names if name.lower() in low), "")
