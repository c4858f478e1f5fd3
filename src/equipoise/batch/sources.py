"""The cases of an input one by one, as they stand in it, without holding the whole in memory where the format allows it."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from equipoise.cases.formats import known_fields
from equipoise.cases.formats.dnpm import record as dnpm
from equipoise.cases.formats.fhir import reader as fhir
from equipoise.cases.load import ReadItem, csv_cell, csv_record, line_value, parquet_rows
from equipoise.cases.record_files import read_path, read_stream
from equipoise.errors import CaseError, UsageError

_LOOKED_AT = 5
"""Lines that are read to tell what JSON lines hold, as `equipoise audit` does."""

_WINDOW = 5_000
"""Lines of CSV that are held at once."""

_LONGEST = 1_000
"""Lines within which a record of CSV must be closed."""


class Nothing(NamedTuple):
    """A record that was read and holds nothing to audit: coded reason, and the id of the record."""

    code: str
    case_id: str


Payload = bytes | Mapping[str, Any] | CaseError | Nothing
Item = tuple[int, int | None, Payload]
"""1-based place, 1-based line where the input has lines, and what stands there."""


Kind = Literal["lines", "csv", "parquet", "record-lines", "notes", "records"]


class Source(NamedTuple):
    """An input.

    Attributes:
        kind: lines (of JSON), csv, parquet, record-lines (each line a bundle or a DNPM record), notes (a folder of texts) or records
            (everything else that `equipoise audit` takes; a file of it is held in memory).
        path: the file or folder.
        form: what the user says it is.
    """

    kind: Kind
    path: Path
    form: str = "auto"

    def items(self, skip: int = 0) -> Iterator[Item]:
        """What stands in the input, in order.

        Args:
            skip: cases to leave out at the beginning.

        Raises:
            UsageError: it cannot be read, or is not of the format it is said to be.
        """
        found = _ITEMS[self.kind](self.path, self.form)
        for _ in range(skip):
            next(found, None)
        return found

    def total(self) -> int:
        """How many cases stand in the input; of Parquet by its metadata, otherwise by reading it once."""
        if self.kind == "parquet":
            import pyarrow.parquet as pq

            rows: int = pq.read_metadata(self.path).num_rows
            return rows
        return sum(1 for _ in self.items())


def source_of(path: str | Path, form: str = "auto") -> Source:
    """What an input is, by its name and its first lines.

    Args:
        path: a file, or a folder of notes (.txt), FHIR resources or a study.
        form: auto, case, fhir, dnpm, cbioportal or variants.

    Raises:
        UsageError: there is no such file.
    """
    file = Path(path)
    if not file.exists():
        message = "no such file"
        raise UsageError(message, file=str(path))
    if file.is_dir():
        notes = form == "auto" and any(_notes_of(file)) and not any(_records_of(file))
        return Source("notes" if notes else "records", file, form)
    suffix = file.suffix.lower()
    if suffix == ".parquet":
        return Source("parquet", file, form)
    if suffix == ".txt" and form == "auto" and not _is_table(file):
        return Source("notes", file, form)
    if suffix == ".csv" and form in ("auto", "case"):
        return Source("csv" if _is_own_table(file) or form == "case" else "records", file, form)
    if suffix in (".jsonl", ".ndjson") and form in ("auto", "case", "fhir", "dnpm"):
        return Source("lines" if form == "case" else _kind_of_lines(file), file, form)
    return Source("records", file, form)


def _notes_of(folder: Path) -> Iterator[Path]:
    return (item for item in sorted(folder.iterdir()) if item.suffix.lower() == ".txt" and not _is_table(item))


def _records_of(folder: Path) -> Iterator[Path]:
    return (item for item in folder.iterdir() if item.suffix.lower() in (".json", ".ndjson", ".jsonl", ".tsv"))


def _is_table(file: Path) -> bool:
    """Whether a text file is a table with tabs, such as a study has."""
    with file.open("rb") as stream:
        return any(line.count(b"\t") > 1 for line in (stream.readline(100_000) for _ in range(_LOOKED_AT)))


def _is_own_table(file: Path) -> bool:
    with file.open("rb") as stream:
        first = stream.readline(1_000_000).decode("utf-8-sig", errors="replace")
    try:
        header = next(csv.reader([first]), [])
    except csv.Error:
        return False
    own = {"biomarkers", "recommendations", "recommendation", "tumor", "text"}
    return not own.isdisjoint(header) or not known_fields().isdisjoint(header)


def _kind_of_lines(file: Path) -> Kind:
    """Lines of cases, of whole records, or of resources that only together make records."""
    looked_at = 0
    with file.open("rb") as stream:
        for raw in stream:
            if raw.isspace():
                continue
            value = line_value(raw)
            if dnpm.recognises(value) or (fhir.recognises(value) and value["resourceType"] == "Bundle"):
                return "record-lines"
            if fhir.recognises(value):
                return "records"
            looked_at += 1
            if looked_at == _LOOKED_AT:
                break
    return "lines"


# --- one reader a kind -------------------------------------------------------------------------------------------------------------


def _lines(file: Path, form: str) -> Iterator[Item]:
    place = 0
    with file.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            if raw.isspace():
                continue
            place += 1
            yield place, number, raw


def _csv(file: Path, form: str) -> Iterator[Item]:
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as stream:
        lines: list[str] = []
        header: list[str] | None = None
        start = first = place = 0
        ended = False
        while True:
            if not ended and len(lines) - start < _LONGEST:
                first += start
                more = list(itertools.islice(stream, _WINDOW))
                lines, start, ended = [*lines[start:], *more], 0, not more
            if start >= len(lines):
                return
            line = first + start + 1
            row, start = csv_record(lines, start)
            if header is None:
                if isinstance(row, CaseError) or known_fields().isdisjoint(row):
                    message = "expected a header line with the names of the fields, separated by commas"
                    raise UsageError(message, file=str(file), line=1)
                header = row
                continue
            if isinstance(row, list) and not row:
                continue
            place += 1
            yield place, line, _csv_object(row, header)


def _csv_object(row: list[str] | CaseError, header: list[str]) -> Mapping[str, Any] | CaseError:
    if isinstance(row, CaseError):
        return row
    if len(row) > len(header):
        return CaseError("the line has more cells than the header")
    for name, value in zip(header, row, strict=False):
        if not value.isascii() and any("\udc80" <= char <= "\udcff" for char in value):
            return CaseError("expected UTF-8 text", field=name)
    return {key: csv_cell(value) for key, value in zip(header, row, strict=False) if value != ""}


def _parquet(file: Path, form: str) -> Iterator[Item]:
    yield from parquet_rows(file, str(file))


def _notes(path: Path, form: str) -> Iterator[Item]:
    """Each text file of a folder is one note; its name without the ending is the id of the case."""
    for place, file in enumerate(_notes_of(path) if path.is_dir() else [path], start=1):
        try:
            yield place, None, {"case_id": file.stem, "text": file.read_bytes().decode("utf-8-sig")}
        except UnicodeDecodeError as error:
            yield (
                place,
                None,
                CaseError(f"expected UTF-8 text, found the byte 0x{error.object[error.start]:02x}", file=file.name),
            )


def _record_lines(file: Path, form: str) -> Iterator[Item]:
    """Each line by the readers of `equipoise audit`; a second record of one id is told apart by its place, as there."""
    taken: set[str] = set()
    place = 0
    with file.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            if raw.isspace():
                continue
            try:
                found = list(read_stream(raw, name=file.name, form=form))
            except UsageError as error:
                place += 1
                yield place, number, CaseError(error.message)
                continue
            for item in found:
                place += 1
                yield place, number, _payload(item, place, taken)


def _payload(item: ReadItem, place: int, taken: set[str]) -> Payload:
    record = item.record
    if record is None:
        return _of_item(item)
    name = (item.case_id if item.case_id != "record-1" else "") or f"record-{place}"
    if name in taken:
        name = f"{name}@{place}"
    taken.add(name)
    if record.nothing is not None:
        return Nothing(record.nothing.value, name)
    return {**item.data, "case_id": name}


def _of_item(item: ReadItem) -> Payload:
    if item.record is not None and item.record.nothing is not None:
        return Nothing(item.record.nothing.value, item.case_id)
    if item.data is None:
        return item.error or CaseError("expected an object with the fields of a case, got NoneType")
    data: Payload = item.data
    return data


def _records(path: Path, form: str) -> Iterator[Item]:
    """By the readers of `equipoise audit`, which hold one file in memory."""
    for item in read_path(path, form):
        yield item.place, item.line, _of_item(item)


_ITEMS = {
    "lines": _lines,
    "csv": _csv,
    "parquet": _parquet,
    "notes": _notes,
    "records": _records,
    "record-lines": _record_lines,
}
