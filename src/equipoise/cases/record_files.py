"""Reads any file or folder that `equipoise audit` takes: cases, or records of a hospital or registry, told apart by content.

A record that can be read gives its cases whatever it lacks; what was not read of it is listed in `ReadItem.record`. Only a file that is
none of the known formats is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from equipoise.cases.formats import case_from_object, known_fields
from equipoise.cases.formats.cbioportal import study
from equipoise.cases.formats.cbioportal.samples import by_sample
from equipoise.cases.formats.dnpm import record as dnpm
from equipoise.cases.formats.fhir import reader as fhir
from equipoise.cases.formats.record.model import Ignored, Reason, Record, first_with
from equipoise.cases.formats.record.tables import Table, read_table
from equipoise.cases.formats.variants import table as variants
from equipoise.cases.load import ReadItem, file_bytes, file_text, parse_document, read_bytes, read_file
from equipoise.errors import CaseError, UsageError

FORMATS: tuple[str, ...] = ("auto", "case", "fhir", "dnpm", "cbioportal", "variants")
"""What a file can be said to be; `auto` looks at its content."""

_TABLES = frozenset({".csv", ".tsv", ".txt", ".maf"})
_SHORTHAND = ".fsh"
_NO_SHORTHAND = (
    "FHIR Shorthand is the source text of profiles and examples, no resource; expected the JSON that SUSHI makes of it"
)
_MARKS = (b'"resourceType"', b'"patient"', b'"entry"')
_LOOKED_AT = 1_000_000
"""Bytes up to which a document is parsed to tell what it is; a larger one only when it holds a mark of a record."""
_FIRST_LINES = 5
_EXPECTED = {
    "fhir": "a FHIR resource, a bundle, NDJSON lines or a folder of them",
    "dnpm": "a DNPM or bwHC record with a patient and its episodes, diagnoses or care plans",
    "cbioportal": "a study folder, or one of its tables with PATIENT_ID or Hugo_Symbol in the header",
    "variants": "a table with a column of genes and one of protein changes (Hugo_Symbol and HGVSp_Short, gene and hgvsp)",
}


def read_path(path: str | Path, form: str = "auto") -> Iterator[ReadItem]:
    """Read a file or folder of cases or records.

    Args:
        path: a file, or a folder of FHIR resources or of a cBioPortal study.
        form: one of `FORMATS`.

    Yields:
        One item a case, in the order of the file.

    Raises:
        UsageError: it cannot be opened, is broken, or is of no known format.
    """
    _check(form)
    file, name = Path(path), str(path)
    if not file.exists():
        msg = "no such file"
        raise UsageError(msg, file=name)
    if file.is_dir():
        yield from _items(_folder(file, name, form))
    elif file.suffix.lower() == _SHORTHAND:
        raise UsageError(_NO_SHORTHAND, file=name)
    elif form == "case" or file.suffix.lower() == ".parquet":
        yield from read_file(path)
    else:
        data = file_bytes(file, name)
        records = read_records(data, name=name, form=form, table=file.suffix.lower() in _TABLES)
        yield from read_file(path) if records is None else _items(records)


def read_samples(path: str | Path) -> list[tuple[ReadItem, str]]:
    """Read a cBioPortal study, or one of its tables, once more by sample.

    Args:
        path: a file or folder that `read_path` reads.

    Returns:
        One item a sample with the id of its patient, in the order of the study; empty when it is no study, or names no samples.
    """
    file = Path(path)
    tables = _study_tables(file) if file.is_dir() else [table] if (table := _table(file)) is not None else []
    if not any(study.kind_of(table) for table in tables):
        return []
    moved, owner = by_sample(tables)
    if not owner:
        return []
    return [(item, owner[item.case_id]) for item in _items(study.read(moved)) if item.case_id in owner]


def read_stream(data: bytes, *, name: str, form: str = "auto") -> Iterator[ReadItem]:
    """Read the bytes of a document that has no file name, such as standard input.

    Raises:
        UsageError: it is broken, or of no known format.
    """
    _check(form)
    records = (
        None if form == "case" else read_records(data, name=name, form=form, table=form in ("cbioportal", "variants"))
    )
    return read_bytes(data, name=name) if records is None else _items(records)


def read_records(data: bytes, *, name: str, form: str = "auto", table: bool = False) -> list[Record] | None:
    """Records of a document, or None when it is one of cases.

    Args:
        data: UTF-8 text.
        name: how to call it in messages.
        form: one of `FORMATS` without `case`.
        table: its name says that it is a table of text.

    Raises:
        UsageError: it is not what `form` says, or an object of no known format.
    """
    if table:
        found = _of_table(file_text(data, name), name, form)
        if found is not None or form != "auto":
            return _required(found, name, form)
        return None
    if form == "auto" and len(data) > _LOOKED_AT and not any(mark in data for mark in _MARKS):
        return None
    lines = _lines(data)
    if lines is not None:
        return _required(_of_objects([value for _, value in lines], form, lines=lines), name, form)
    try:
        value = parse_document(data, name)
    except UsageError:
        if form == "auto":
            return None
        raise
    found = _of_objects(value if isinstance(value, list) else [value], form)
    if found is None and form == "auto" and isinstance(value, Mapping) and value and not _is_case(value):
        msg = "expected a case, a FHIR resource or bundle, or a DNPM record; the object has no element of any of them"
        raise UsageError(msg, file=name)
    return _required(found, name, form)


def _check(form: str) -> None:
    if form not in FORMATS:
        msg = f"expected one of {', '.join(FORMATS)}, got {form!r}"
        raise UsageError(msg, field="--format")


def _required(found: list[Record] | None, name: str, form: str) -> list[Record] | None:
    if found is None and form != "auto":
        msg = f"expected {_EXPECTED[form]}"
        raise UsageError(msg, file=name)
    return found


def _is_case(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("cases"), list) or not known_fields().isdisjoint(value)


def _lines(data: bytes) -> list[tuple[int, Any]] | None:
    """Lines of NDJSON when the document holds records in lines: number, and object or the error of the line; None otherwise."""
    parsed: list[tuple[int, Any]] = []
    good = 0
    start = number = 0
    while start < len(data):
        end = data.find(b"\n", start)
        row, start = (data[start:], len(data)) if end < 0 else (data[start:end], end + 1)
        number += 1
        if not row.strip():
            continue
        value = _line(row)
        good += fhir.recognises(value) or dnpm.recognises(value)
        parsed.append((number, value))
        if not good and len(parsed) >= _FIRST_LINES:
            return None
    return parsed if good and len(parsed) > 1 else None


def _line(row: bytes) -> Any:
    try:
        return json.loads(row.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return CaseError("not JSON")


def _of_objects(
    values: Sequence[Any], form: str, *, lines: Sequence[tuple[int, Any]] | None = None
) -> list[Record] | None:
    if form in ("auto", "dnpm") and any(dnpm.recognises(value) for value in values):
        found: list[Record] = []
        bad: list[Ignored] = []
        for number, value in lines or list(enumerate(values, start=1)):
            if dnpm.recognises(value):
                found.extend(dnpm.read(value))
            else:
                bad.append(_bad(number, value))
        return first_with(found, bad)
    if form in ("auto", "fhir") and any(fhir.recognises(value) or _unnamed_bundle(value) for value in values):
        bundles = [_named(value) for value in values if _is_bundle(value)]
        single = [value for value in values if not _is_bundle(value) and isinstance(value, Mapping)]
        bad = [
            _bad(number, value)
            for number, value in lines or list(enumerate(values, start=1))
            if not isinstance(value, Mapping)
        ]
        found = [record for bundle in bundles for record in fhir.read([bundle])]
        if single:
            found.extend(fhir.read(single))
        return first_with(found, bad)
    return None


def _bad(number: int, value: Any) -> Ignored:
    reason = Reason.NOT_READABLE if isinstance(value, CaseError) else Reason.WRONG_TYPE
    return Ignored(
        place=f"line {number}", reason=reason, detail="not JSON" if reason is Reason.NOT_READABLE else "no record"
    )


def _is_bundle(value: Any) -> bool:
    return isinstance(value, Mapping) and (value.get("resourceType") == "Bundle" or _unnamed_bundle(value))


def _unnamed_bundle(value: Any) -> bool:
    """A bundle that lacks its type: nothing else has a list of entries with resources."""
    if not isinstance(value, Mapping) or "resourceType" in value or not isinstance(value.get("entry"), list):
        return False
    return any(isinstance(entry, Mapping) and isinstance(entry.get("resource"), Mapping) for entry in value["entry"])


def _named(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return value if "resourceType" in value else {**value, "resourceType": "Bundle"}


def _of_table(text: str, name: str, form: str) -> list[Record] | None:
    if text.lstrip()[:1] in ("{", "["):
        return None
    found = read_table(text, Path(name).name)
    if found is None:
        return None
    own = {"biomarkers", "recommendations", "recommendation", "tumor", "text"}.intersection(found.columns)
    wanted = {form} if form != "auto" else set() if own else {"variants", "cbioportal"}
    if "variants" in wanted and variants.recognises(found):
        return variants.read(found)
    if "cbioportal" in wanted and study.kind_of(found):
        return study.read([found])
    return None


def _folder(folder: Path, name: str, form: str) -> list[Record]:
    """Records of a folder: one set of FHIR resources, or one study."""
    files = _files(folder)
    if form in ("auto", "cbioportal"):
        tables = _study_tables(folder)
        if any(study.kind_of(table) for table in tables):
            return study.read(tables)
    if form in ("auto", "fhir"):
        documents: list[Any] = []
        bad: list[Ignored] = []
        for item in files:
            if item.suffix.lower() not in (".json", ".ndjson", ".jsonl"):
                continue
            _collect(item, documents, bad)
        if any(fhir.recognises(value) for value in documents):
            return first_with(fhir.read(documents), bad)
    if files and all(item.suffix.lower() == _SHORTHAND for item in files):
        raise UsageError(_NO_SHORTHAND, file=name)
    expected = _EXPECTED.get(form, "a folder of FHIR resources (JSON) or of a cBioPortal study (data_*.txt)")
    msg = f"expected {expected}"
    raise UsageError(msg, file=name)


def _files(folder: Path) -> list[Path]:
    return sorted(item for item in folder.iterdir() if item.is_file() and not item.name.startswith("."))


def _study_tables(folder: Path) -> list[Table]:
    """The tables of a study folder, without its descriptions and lists of cases."""
    return [
        table
        for item in _files(folder)
        if item.suffix.lower() in (".txt", ".tsv") and not item.name.startswith(("meta_", "cases_"))
        if (table := _table(item)) is not None
    ]


def _table(item: Path) -> Table | None:
    try:
        return read_table(file_text(file_bytes(item, item.name), item.name), item.name)
    except UsageError:
        return None


def _collect(item: Path, documents: list[Any], bad: list[Ignored]) -> None:
    try:
        data = file_bytes(item, item.name)
        lines = _lines(data)
        if lines is None:
            documents.append(parse_document(data, item.name))
        else:
            documents.extend(value for _, value in lines if isinstance(value, Mapping))
    except UsageError:
        bad.append(Ignored(place=item.name, reason=Reason.NOT_READABLE, detail="not JSON"))


def as_items(records: Sequence[Record]) -> Iterator[ReadItem]:
    """Records as items of a file: each with its case, its own id, and what could not be read.

    Args:
        records: what a reader returned.
    """
    return _items(records)


def _items(records: Sequence[Record]) -> Iterator[ReadItem]:
    taken: set[str] = set()
    for place, record in enumerate(records, start=1):
        name = record.case_id or f"record-{place}"
        if name in taken:
            name = f"{name}@{place}"
        taken.add(name)
        yield _item(place, name, record)


def _item(place: int, name: str, record: Record) -> ReadItem:
    """The case of a record; a field whose statements cannot stand together as the format demands is left out and listed."""
    data = {**record.data, "case_id": name}
    ignored = list(record.ignored)
    while True:
        try:
            case = case_from_object(data, default_id=name)
        except CaseError as error:
            field = (error.field or "").partition(".")[0].partition("[")[0]
            if field not in data or field == "case_id":
                return ReadItem(place, None, None, error, name, data, record)
            data = {key: value for key, value in data.items() if key != field}
            ignored.append(Ignored(place=field, reason=Reason.NOT_READABLE, detail="its statements together"))
        else:
            whole = replace(record, case_id=name, data=data, ignored=tuple(ignored))
            return ReadItem(place, None, case, None, name, data, whole)
