"""`equipoise parse`: what the readers understand of a text, without an audit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from equipoise.cli.common import BAD_INPUT, print_json, visible

app = typer.Typer(
    help="Show what is read from a note, a biomarker string, a drug name or a model's reply.", no_args_is_help=True
)

_Text = Annotated[list[str] | None, typer.Argument(help="The text; without it, one input a line on standard input.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object an input, in order.")]


@app.command()
def biomarker(text: _Text = None, as_json: _Json = False) -> None:
    """Read a biomarker report string."""
    _each(text, _biomarker, as_json)


@app.command()
def drug(text: _Text = None, as_json: _Json = False) -> None:
    """Read a drug or regimen."""
    _each(text, _drug, as_json)


@app.command()
def case(text: _Text = None, as_json: _Json = False) -> None:
    """Read a clinical note into the fields of a case."""
    _each(text, _case, as_json)


@app.command()
def reply(
    text: _Text = None,
    prompt: Annotated[str | None, typer.Option("--prompt", help="What was asked; a short reply depends on it.")] = None,
    as_json: _Json = False,
) -> None:
    """Read how far a model's reply refuses: none, partial or full, and the words that say so.

    On standard input: one reply a line, or JSON lines with the fields id, prompt and reply, answered as JSON lines.
    """
    from equipoise.cli.parse_reply import read_arguments, read_lines

    if text:
        read_arguments(" ".join(text), prompt, as_json)
        return
    bad = read_lines(sys.stdin, prompt, as_json)
    if bad:
        raise typer.Exit(BAD_INPUT)


def _each(text: list[str] | None, read: Callable[[str], dict[str, Any]], as_json: bool) -> None:
    for line in _inputs(text):
        found = read(line)
        if as_json:
            print_json(found)
            continue
        typer.echo(visible(found.pop("input")))
        for name, value in found.items():
            if value not in ([], {}, None, "", False):
                typer.echo(visible(f"  {name}: {_words(value)}"))


def _inputs(text: list[str] | None) -> Iterator[str]:
    if text:
        yield " ".join(text)
        return
    for line in sys.stdin:
        if line.strip():
            yield line.rstrip("\r\n")


def _words(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(_words(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_words(item)}" for key, item in value.items() if item is not None)
    return str(value)


def _biomarker(text: str) -> dict[str, Any]:
    from equipoise.cases.vocabulary.biomarkers import read_biomarkers

    rows: list[dict[str, Any]] = []
    for finding in read_biomarkers(text):
        names = sorted(finding.names) or [finding.name]
        ordered = [finding.name, *(name for name in names if name != finding.name)]
        span = [finding.source.start, finding.source.end]
        rows.extend({"name": name, "status": finding.status.value, "span": span} for name in ordered)
    return {"input": text, "biomarkers": rows}


def _drug(text: str) -> dict[str, Any]:
    from equipoise.cases.vocabulary.drugs import classes_of, read_regimen

    regimen = read_regimen(text)
    return {
        "input": text,
        "components": [{"name": name, "classes": sorted(classes_of(name))} for name in sorted(regimen.components)],
        "unspecific": sorted(regimen.unspecific),
        "unread": list(regimen.unread),
        "settings": sorted(regimen.settings or ()),
        "withheld": regimen.withheld,
        "trial": regimen.trial,
    }


def _case(text: str) -> dict[str, Any]:
    from equipoise.audit.report_generator import spans
    from equipoise.cases.narrative.reader import read_note

    note = read_note(text)
    rows = [
        {"field": span.field, "value": span.value, "text": span.text, "span": [span.start, span.end]}
        for span in spans(note, None)
    ]
    return {
        "input": text,
        "fields": rows,
        "recommendations": [
            {
                "id": item.id,
                "kind": item.kind.value,
                "components": sorted(item.components),
                "text": item.text,
                "span": [item.source.start, item.source.end],
            }
            for item in note.recommendations
        ],
        "unsupported_language": note.unsupported_language,
        "instructions": [source.text for source in note.instructions],
    }
