"""`equipoise parse reply`: replies from the command line or from standard input, good lines answered whatever the bad ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

import typer

from equipoise.cli.common import print_json, say, visible
from equipoise.errors import InputError


def read_arguments(text: str, prompt: str | None, as_json: bool) -> None:
    """Prints the reading of one reply given as an argument."""
    _print(text, prompt, as_json)


def read_lines(stream: TextIO, prompt: str | None, as_json: bool) -> int:
    """Prints the reading of every line of a stream.

    When the first line that is not blank starts with a brace, all lines are JSON objects with the fields `id`
    (optional), `prompt` (optional) and `reply`, and each is answered by one JSON line; otherwise a line is a reply.

    Args:
        stream: text stream; where it has bytes under it, a line that is not UTF-8 is reported and left out.
        prompt: what was asked, for lines without a prompt of their own.
        as_json: print JSON also for lines that are plain text.

    Returns:
        Number of lines that could not be read; each was named on standard error.
    """
    rows: bool | None = None
    bad = 0
    for number, line in _numbered(stream):
        try:
            text = _decoded(line).strip("\r\n")
            if not text.strip():
                continue
            if rows is None:
                rows = text.lstrip().startswith("{")
            if rows:
                _answer(text, prompt)
            else:
                _print(text, prompt, as_json)
        except InputError as error:
            bad += 1
            say(f"equipoise: {error.located(file='standard input', line=number)}")
    return bad


def _numbered(stream: TextIO) -> Iterator[tuple[int, bytes | str]]:
    yield from enumerate(getattr(stream, "buffer", stream), start=1)


def _decoded(line: bytes | str) -> str:
    if isinstance(line, str):
        return line
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"expected UTF-8, found byte 0x{line[error.start]:02x}; the line was left out"
        raise InputError(message) from None


def _answer(text: str, prompt: str | None) -> None:
    """One JSON line in, one JSON line out."""
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        message = 'expected a JSON object such as {"id": "1", "prompt": "...", "reply": "..."}; the line was left out'
        raise InputError(message) from None
    if not isinstance(row, dict):
        message = f"expected a JSON object, found {type(row).__name__}; the line was left out"
        raise InputError(message)
    asked = row.get("prompt")
    for field, value, optional in (("reply", row.get("reply"), False), ("prompt", asked, True)):
        if not isinstance(value, str) and not (optional and value is None):
            found = "nothing" if field not in row else type(value).__name__ if value is not None else "null"
            message = f"expected text, found {found}; the line was left out"
            raise InputError(message, field=field)
    print_json({"id": row.get("id"), **_reading(row["reply"], prompt if asked is None else asked)})


def _print(text: str, prompt: str | None, as_json: bool) -> None:
    found = _reading(text, prompt)
    if as_json:
        print_json({"input": text, **found})
        return
    typer.echo(visible(text))
    typer.echo(f"  refusal: {found['refusal'] or 'not read'}")
    typer.echo(visible(f"  state: {found['state']} ({found['reason']})"))
    for cue in found["cues"]:
        start, end = cue["span"]
        typer.echo(visible(f"  {cue['kind']}: {cue['text']!r} at {start} to {end}: {cue['says']}"))


def _reading(text: str, prompt: str | None) -> dict[str, Any]:
    from equipoise.refusal.detector import read_reply

    reading = read_reply(text, prompt)
    return {
        "refusal": None if reading.refusal is None else reading.refusal.value,
        "state": reading.state.value,
        "reason": reading.reason,
        "cues": [
            {"kind": cue.kind.value, "id": cue.id, "text": cue.text, "says": cue.says, "span": [cue.start, cue.end]}
            for cue in reading.cues
        ],
        "content": {
            "sentences": reading.content.sentences,
            "informative": reading.content.informative,
            "weight": reading.content.weight,
        },
        "language": reading.language,
        "version": reading.version,
    }
