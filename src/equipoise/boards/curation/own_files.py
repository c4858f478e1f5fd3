"""Files that a person wrote beside the recordings: YAML and CSV, read as text and nothing else.

A recording named 2026-03-04 and a speaker labelled 1 or yes stay words. A spreadsheet's semicolons and tabs divide columns as commas do.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unicodedata import normalize

import yaml

from equipoise.boards.reading import file_bytes
from equipoise.errors import InputError


def read_text(path: Path) -> str:
    """The text of a file, with letters and their accents as one sign.

    Raises:
        InputError: it cannot be opened, or is not UTF-8.
    """
    try:
        return normalize("NFC", file_bytes(path)[0].decode("utf-8-sig"))
    except UnicodeDecodeError:
        message = "not UTF-8 text; save the file as UTF-8"
        raise InputError(message, file=str(path)) from None


def read_yaml(path: Path) -> Any:
    """The value of a YAML file, all of whose words are texts.

    Raises:
        InputError: it cannot be opened, is not UTF-8, or not YAML.
    """
    try:
        return yaml.load(read_text(path), Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        message = "not a YAML file"
        raise InputError(message, file=str(path)) from None


def read_table(path: Path, *columns: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Line and cells of every row of a CSV file, divided by commas, semicolons or tabs.

    Raises:
        InputError: it cannot be opened, is not UTF-8, or lacks one of the columns.
    """
    text = read_text(path)
    head = text.split("\n", 1)[0]
    sign = max(",;\t", key=head.count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=sign)
    try:
        rows.fieldnames = [name.strip().casefold() for name in rows.fieldnames or ()]
        if not set(columns) <= set(rows.fieldnames):
            message = f"expected columns {' and '.join(columns)}"
            raise InputError(message, file=str(path), line=1)
        for row in rows:
            yield rows.line_num, {name: value or "" for name, value in row.items() if name and isinstance(name, str)}
    except csv.Error:
        message = "a row cannot be read"
        raise InputError(message, file=str(path), line=rows.line_num) from None
