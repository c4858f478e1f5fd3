"""What every command shares: dates, messages, tables, files."""

from __future__ import annotations

import datetime as dt
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from equipoise.errors import UsageError

DONE, GATE_FAILED, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
"""Exit codes: done whatever the labels; a gate or --fail-on failed; bad input or usage; a gate undecided."""

NOT_A_DEVICE = "Compares a documented recommendation with dated sources. Not a medical device; read the sources."


def today() -> dt.date:
    """The day of the machine; the only clock that a verdict can depend on, and only when --as-of is not given."""
    return dt.datetime.now(tz=dt.UTC).date()


def parse_date(text: str | None) -> dt.date | None:
    """A day from an ISO date.

    Raises:
        UsageError: it is not one.
    """
    if text is None:
        return None
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        message = f"expected a date as YYYY-MM-DD, got {text!r}"
        raise UsageError(message, field="--as-of") from None


def say(text: str) -> None:
    """A line on standard error, where it cannot mix with data."""
    typer.echo(visible(text), err=True)


def json_line(value: Any) -> str:
    """One JSON value as a line, with nothing in it that drives a terminal; NaN is a defect and raises."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
    return _DRIVES.sub(lambda char: f"\\u{ord(char[0]):04x}", text) + "\n"


def print_json(value: Any) -> None:
    """One JSON value on a line of standard output."""
    sys.stdout.write(json_line(value))


_DRIVES = re.compile("[\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that can drive a terminal, end a line or cannot be written, and that JSON leaves as they are."""


def visible(text: str) -> str:
    """The text with control characters shown as code points, so that no input can drive the terminal."""
    return "".join(
        char if char in "\n\t" or (char.isprintable() and not _bidi(char)) else f"\\u{ord(char):04x}" for char in text
    )


def _bidi(char: str) -> bool:
    return char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"


def write_text(path: Path, text: str) -> None:
    """Write a file whole, or leave what was there.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f".{path.name}.part")
        scratch.write_text(text, encoding="utf-8")
        scratch.replace(path)
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise UsageError(message, file=str(path)) from None


def percent(value: float | None) -> str:
    """A share as a percentage with one decimal; a dash when it is undefined."""
    return "-" if value is None else f"{100 * value:.1f} %"


def interval(estimate: Mapping[str, Any] | None) -> str:
    """The interval of an estimate as percentages; empty when there is none."""
    if not estimate or estimate.get("low") is None:
        return ""
    return f"{100 * estimate['low']:.1f} to {100 * estimate['high']:.1f}"
