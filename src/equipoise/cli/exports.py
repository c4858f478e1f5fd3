"""Writes what `equipoise audit --to FORMAT` asks for."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise._optional import require
from equipoise.cli.common import json_line, say, write_text
from equipoise.errors import InternalError, UsageError

if TYPE_CHECKING:
    import datetime as dt

    from equipoise.audit.verdict import Verdict
    from equipoise.cases.model import Case

FORMATS: tuple[str, ...] = ("fhir", "dnpm", "csv", "parquet", "html")
"""Forms in which verdicts can be written."""
_NEEDS_FILE = ("parquet", "html")


class Export:
    """Takes verdicts case by case and writes them at the end.

    Args:
        form: one of `FORMATS`.
        output: the file; None is standard output.
        as_of: day for which the evidence is read.
        paper: page size of a page in print.
        validate: hold FHIR bundles against the models of fhir.resources too.

    Raises:
        UsageError: an unknown format, or one that needs a file and has none.
        DependencyError: `validate` without fhir.resources.
    """

    def __init__(
        self, form: str, output: Path | None, as_of: dt.date, *, paper: str = "A4", validate: bool = False
    ) -> None:
        if form not in FORMATS:
            message = f"expected one of {', '.join(FORMATS)}, got {form!r}"
            raise UsageError(message, field="--to")
        if output is None and form in _NEEDS_FILE:
            message = f"{form} needs a file: --to-file FILE"
            raise UsageError(message, field="--to")
        self.form = form
        self.output = output
        self.as_of = as_of
        self.paper = paper
        self.validate = validate
        if validate:
            require("fhir.resources.R4B", extra="fhir")
        self._rows: list[Mapping[str, Any]] = []
        self._lines: list[dict[str, Any]] = []
        self._notes: dict[str, str] = {}
        self._not_carried: dict[str, set[str]] = {}

    def add(self, case: Case, verdicts: Sequence[Verdict], note: str | None) -> None:
        """Take the verdicts of one case."""
        if self.form == "fhir":
            from equipoise.exports.fhir.audit import audit_bundle

            bundle = audit_bundle(case, verdicts)
            self._bundle(bundle)
            lost = [
                issue["expression"][0]
                for entry in bundle["entry"]
                if entry["resource"]["resourceType"] == "OperationOutcome"
                for issue in entry["resource"]["issue"]
            ]
            if lost:
                self._not_carried.setdefault(case.case_id, set()).update(lost)
        elif self.form == "dnpm":
            from equipoise.exports.dnpm import issue_report

            self._lines.append(issue_report(case.case_id, verdicts))
        else:
            self._rows.extend(verdict.to_dict() for verdict in verdicts)
            if note is not None:
                self._notes[case.case_id] = note

    def add_unreadable(self, case_id: str, error: str, field: str) -> None:
        """Take a case that could not be read: it has no verdict, and is not left out."""
        if self.form == "fhir":
            from equipoise.exports.fhir.audit import unreadable_bundle

            self._bundle(unreadable_bundle(case_id, error, field))
        elif self.form == "dnpm":
            from equipoise.exports.dnpm import unreadable_report

            self._lines.append(unreadable_report(case_id, error, self.as_of, field=field))
        else:
            self._rows.append({"case_id": case_id, "line": None, "field": field or None, "error": error})

    def _bundle(self, bundle: dict[str, Any]) -> None:
        if self.validate:
            from equipoise.exports.fhir.checking import library_problems

            found = library_problems(bundle)
            if found:
                message = f"a FHIR bundle was written that fhir.resources refuses ({found[0].place}): {found[0].text}"
                raise InternalError(message)
        self._lines.append(bundle)

    def write(self) -> None:
        """Write everything that was taken.

        Raises:
            UsageError: the file cannot be written.
        """
        if self.form == "parquet":
            self._parquet()
        else:
            text = self._text()
            if self.output is None:
                sys.stdout.write(text)
            else:
                write_text(self.output, text)
        for case_id, fields in self._not_carried.items():
            say(
                f"equipoise: {case_id}: not carried by the bundle: {', '.join(sorted(fields))} (OperationOutcome says why)"
            )

    def _text(self) -> str:
        if self.form == "csv":
            from equipoise.exports.table import to_csv

            text = to_csv(self._rows)
            return text.removeprefix("\ufeff") if self.output is None else text
        if self.form == "html":
            from equipoise.report.render import render_verdicts

            return render_verdicts(self._rows, notes=self._notes or None, paper=self.paper)
        if len(self._lines) == 1:
            return json.dumps(json.loads(json_line(self._lines[0])), indent=2, ensure_ascii=True) + "\n"
        return "".join(json_line(line) for line in self._lines)

    def _parquet(self) -> None:
        from equipoise.exports.table import to_parquet

        assert self.output is not None  # the format needs a file
        try:
            self.output.parent.mkdir(parents=True, exist_ok=True)
            to_parquet(self._rows, self.output)
        except OSError as error:
            message = f"cannot be written: {error.strerror or error}"
            raise UsageError(message, file=str(self.output)) from None
