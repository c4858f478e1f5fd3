"""`equipoise audit`: cases in, one verdict a recommendation out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import (
    BAD_INPUT,
    GATE_FAILED,
    NOT_A_DEVICE,
    json_line,
    parse_date,
    print_json,
    say,
    today,
    visible,
    write_text,
)
from equipoise.cli.records import RecordLines
from equipoise.errors import CaseError, UsageError

if TYPE_CHECKING:
    from equipoise.audit.pipeline import Auditor
    from equipoise.audit.verdict import Verdict
    from equipoise.cases.load import ReadItem
    from equipoise.cli.exports import Export

_CELL_ORDER = ("Supported", "Partially Supported", "Unsupported", "Insufficient Information")
_CELLS_SHOWN = 6
_FAIL_ON = {
    "unsupported": "Unsupported",
    "partially-supported": "Partially Supported",
    "insufficient-information": "Insufficient Information",
}


def audit(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="Cases (JSON, JSON lines, CSV, Parquet) or records (FHIR, DNPM, cBioPortal, variants), or - for standard input."
        ),
    ] = None,
    text: Annotated[str | None, typer.Option(help="A clinical note to audit, in place of a file.")] = None,
    policy: Annotated[str, typer.Option(help="A shipped policy (label, openmtb-2026) or a YAML file.")] = "label",
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="Day for which the evidence is read, YYYY-MM-DD; today by default.")
    ] = None,
    jurisdiction: Annotated[str, typer.Option(help="Of which the sources speak: US or EU.")] = "US",
    overlay: Annotated[
        list[Path] | None, typer.Option(help="A hospital's own assertions, a YAML file; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one verdict object a line and nothing else.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a report page; the same as --to html --to-file FILE.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            help="Write the verdicts as fhir (bundles), dnpm (issue lists), csv, parquet or html (a page to print)."
        ),
    ] = None,
    validate: Annotated[
        bool, typer.Option("--validate", help="Hold --to fhir against the models of fhir.resources too (extra fhir).")
    ] = False,
    paper: Annotated[str, typer.Option(help="Page size of the page when it is printed: A4 or letter.")] = "A4",
    output: Annotated[
        Path | None,
        typer.Option("--to-file", "-o", help="File for --to; without it the text goes to standard output, alone."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for cases.jsonl and verdicts.jsonl, which `reaudit` reads.")
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="auto (by content), case, fhir, dnpm, cbioportal or variants.")
    ] = "auto",
    fail_on: Annotated[
        str | None,
        typer.Option(
            help="Exit 1 when a verdict has this label: unsupported, partially-supported, insufficient-information or abstain."
        ),
    ] = None,
) -> None:
    """Audit every recommendation of every case, in input order."""
    if fail_on is not None and fail_on not in (*_FAIL_ON, "abstain"):
        message = f"expected one of {', '.join((*_FAIL_ON, 'abstain'))}, got {fail_on!r}"
        raise UsageError(message, field="--fail-on")
    if not files and text is None:
        message = "expected a file of cases, - for standard input, or --text"
        raise UsageError(message)
    auditor = make_auditor(policy, as_of, jurisdiction, overlay)
    size = _paper(paper)
    export = _export(to, output, as_json, auditor, size, validate)
    quiet = export is not None and output is None
    seen = _Seen(keep=html is not None or out is not None, as_json=as_json, fail_on=fail_on, export=export, quiet=quiet)
    sources: list[tuple[str, str | None]] = [(name, None) for name in files or ()]
    if text is not None:
        sources.append(("--text", text))
    for name, note in sources:
        try:
            for item in _items(name, note, form):
                seen.add(item, auditor)
            seen.close(name)
        except UsageError as error:
            if len(sources) == 1:
                raise
            seen.failed = True
            say(f"equipoise: {error}")
    if html is not None:
        from equipoise.report.render import render_verdicts

        write_text(html, render_verdicts(seen.rows, notes=seen.notes or None, paper=size))
    if export is not None:
        export.write()
    if out is not None:
        write_text(out / "cases.jsonl", "".join(json_line(case) for case in seen.cases))
        write_text(out / "verdicts.jsonl", "".join(json_line(row) for row in seen.rows if "error" not in row))
    if not as_json:
        for label, place in (("Report", html), ("Verdicts", output if export else None), ("Cases and verdicts", out)):
            if place is not None:
                say(f"{label}: {place}")
        say(NOT_A_DEVICE)
    if seen.failed:
        raise typer.Exit(BAD_INPUT)
    if seen.hit:
        raise typer.Exit(GATE_FAILED)


class _Seen:
    """What a run of `audit` has to remember: rows for a report, whether something failed, whether --fail-on was met."""

    def __init__(
        self, *, keep: bool, as_json: bool, fail_on: str | None, export: Export | None = None, quiet: bool = False
    ) -> None:
        self.keep = keep
        self.export = export
        self.quiet = quiet
        self.as_json = as_json
        self.fail_on = fail_on
        self.rows: list[dict[str, Any]] = []
        self.cases: list[Any] = []
        self.notes: dict[str, str] = {}
        self.failed = False
        self.hit = False
        self.records = RecordLines()

    def add(self, item: ReadItem, auditor: Auditor) -> None:
        """Audit one case and print what it comes to."""
        if item.record is not None:
            if self.as_json:
                if item.record.nothing is not None:
                    print_json({"case_id": item.case_id, "record": item.record.to_dict()})
            elif not self.quiet:
                self.records.show(item.case_id, item.record)
            elif item.record.nothing is not None:
                say(f"equipoise: {item.case_id}: nothing to audit ({item.record.nothing.value})")
            if item.record.nothing is not None:
                return
        if (self.keep or self.export is not None) and item.data is not None:
            self.cases.append(item.data)
            if isinstance(item.data, Mapping) and isinstance(item.data.get("text"), str):
                self.notes[item.case_id] = item.data["text"]
        verdicts = []
        for row, verdict in _audited(item, auditor):
            if verdict is not None:
                verdicts.append(verdict)
            elif self.export is not None:
                what = item.error.message if item.error is not None else str(row["error"])
                self.export.add_unreadable(item.case_id, what, str(row.get("field") or ""))
            if self.keep:
                self.rows.append(row)
            if verdict is None:
                self.failed = True
                if not self.as_json:
                    say(f"equipoise: {row['error']}")
            elif self.fail_on is not None:
                label = str(verdict.label)
                self.hit = self.hit or (
                    verdict.abstain if self.fail_on == "abstain" else label == _FAIL_ON[self.fail_on]
                )
            if self.as_json:
                print_json(row if item.record is None else {**row, "record": item.record.to_dict()})
            elif verdict is not None and not self.quiet:
                _show(verdict)
        if self.export is not None and verdicts and item.case is not None:
            self.export.add(item.case, verdicts, self.notes.get(item.case_id))

    def close(self, name: str) -> None:
        """Say of the records of one file what was not shown one by one."""
        if not self.as_json and not self.quiet:
            self.records.close(name)


def _paper(name: str) -> str:
    """A page size by its name in any case.

    Raises:
        UsageError: it is none that a page knows.
    """
    known = {"a4": "A4", "letter": "letter"}.get(name.lower())
    if known is None:
        message = f"expected A4 or letter, got {name!r}"
        raise UsageError(message, field="--paper")
    return known


def _export(
    to: str | None, output: Path | None, as_json: bool, auditor: Auditor, paper: str, validate: bool
) -> Export | None:
    """What --to asks for; None when it is not given."""
    from equipoise.cli.exports import Export

    if validate and to != "fhir":
        message = "expected --to fhir with it"
        raise UsageError(message, field="--validate")
    if to is None:
        if output is not None:
            message = "expected --to fhir, dnpm, csv, parquet or html with it"
            raise UsageError(message, field="--to-file")
        return None
    if as_json and output is None:
        message = "expected --to-file FILE: --json takes standard output"
        raise UsageError(message, field="--to")
    return Export(to, output, auditor.as_of, paper=paper, validate=validate)


def _items(name: str, note: str | None, form: str) -> Iterator[ReadItem]:
    from equipoise.cases.load import read_objects
    from equipoise.cases.record_files import read_path, read_stream

    if note is not None:
        return read_objects([{"case_id": "text", "text": note}], name=name)
    if name == "-":
        return read_stream(sys.stdin.buffer.read(), name="standard input", form=form)
    return read_path(name, form)


def make_auditor(policy: str, as_of: str | None, jurisdiction: str, overlay: list[Path] | None) -> Auditor:
    """An auditor from command-line options.

    Raises:
        UsageError: one of them names something that does not exist.
        ConfigurationError: a policy or overlay breaks its contract.
    """
    from equipoise.audit.pipeline import Auditor
    from equipoise.evidence.base import load_overlay, shipped_base

    base = shipped_base()
    for path in overlay or ():
        base = load_overlay(path, base)
    return Auditor(as_of=parse_date(as_of) or today(), policy=policy, jurisdiction=jurisdiction, evidence=base)


def _audited(item: ReadItem, auditor: Auditor) -> Iterator[tuple[dict[str, Any], Verdict | None]]:
    if item.case is None:
        yield unreadable(item.case_id, item.line, item.error), None
        return
    try:
        for verdict in auditor.audit(item.case):
            yield verdict.to_dict(), verdict
    except CaseError as error:
        yield unreadable(item.case_id, item.line, error), None


def unreadable(case_id: str, line: int | None, error: CaseError | None) -> dict[str, Any]:
    """What stands in the place of a verdict for a case that could not be read."""
    return {"case_id": case_id, "line": line, "field": error.field if error else None, "error": str(error)}


def _show(verdict: Verdict) -> None:
    lines = [
        f"{verdict.case_id}  {verdict.recommendation or 'no recommendation'}",
        f"  {verdict.label.upper()}{'  (a human decides)' if verdict.abstain else ''}",
    ]
    lines.append(f"  {verdict.headline}")
    lines.extend(f"  - {reason.code}: {reason.text}" for reason in verdict.reasons)
    lines.extend(f"  evidence: {use.id} (level {use.level}; {use.source})" for use in verdict.evidence[:2])
    lines.extend(f"  against: {use.id} (level {use.level}; {use.source})" for use in verdict.evidence_against[:2])
    lines.extend(f"  caveat: {item.name}: {item.text}" for item in verdict.caveats if item.state == "fires")
    if verdict.missing_fields:
        lines.append(f"  missing: {', '.join(verdict.missing_fields)}")
    cells = sorted(verdict.what_if, key=lambda cell: _CELL_ORDER.index(cell.label))
    lines.extend(f"  what if: {'; '.join(cell.value.values())} -> {cell.label}" for cell in cells[:_CELLS_SHOWN])
    if len(cells) > _CELLS_SHOWN:
        lines.append(f"  what if: {len(cells) - _CELLS_SHOWN} further cells (--json or --html shows them)")
    if verdict.alternatives:
        lines.append(
            f"  the evidence on file supports instead (no order of merit): {'; '.join(item.regimen for item in verdict.alternatives)}"
        )
    if verdict.ignored_fields:
        lines.append(f"  not read: {', '.join(verdict.ignored_fields)}")
    typer.echo(visible("\n".join(lines)) + "\n")
