"""A file of CIViC's evidence as a snapshot: every row is kept or rejected."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from pathlib import Path

from equipoise.errors import UpstreamError, UsageError
from equipoise.evidence.civic.items import CivicItem, CivicRecord, CivicSnapshot, Rejection, snapshot_id
from equipoise.evidence.civic.rejection import RejectedError, reject
from equipoise.evidence.civic.rows import item_of, record_of
from equipoise.ids import bytes_hash

_REQUIRED = frozenset({"evidence_id", "disease", "doid", "evidence_type", "evidence_direction", "evidence_level"})

_ISO_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")

_RELEASE_DAY = re.compile(r"(?<!\d)(\d{2})-([A-Za-z]{3})-(\d{4})(?!\d)")

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def read_snapshot(path: str | Path, *, date: dt.date | None = None) -> CivicSnapshot:
    """Read an evidence file.

    Args:
        path: a ClinicalEvidenceSummaries file of any release.
        date: day of the release; by default the day in the file name.

    Raises:
        UsageError: the file cannot be opened or is not UTF-8.
        UpstreamError: it has not the columns of an evidence file.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise UsageError(message, file=str(path)) from None
    return parse_snapshot(data, date=date or _day_of_name(file.name), name=str(path))


def parse_snapshot(data: bytes, *, date: dt.date | None = None, name: str = "-") -> CivicSnapshot:
    """The same as `read_snapshot`, from the bytes of a file.

    Raises:
        UsageError: the bytes are not UTF-8.
        UpstreamError: they have not the columns of an evidence file.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"expected UTF-8 text, found the byte 0x{data[error.start]:02x}"
        raise UsageError(message, file=name) from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t")
    try:
        header = tuple(next(reader, ()))
        rows = list(reader)
    except csv.Error as error:
        message = f"{name}, line {reader.line_num}: expected tab-separated text: {error}"
        raise UpstreamError(message) from None
    _check_columns(header, name)
    builder = _Builder(header, snapshot_id(date, sha256 := bytes_hash(data)))
    for number, cells in enumerate(rows, start=2):
        builder.take(number, cells)
    return CivicSnapshot(
        date=date,
        sha256=sha256,
        columns=header,
        rows_read=len(rows),
        items=tuple(sorted(builder.items, key=lambda item: item.evidence_id)),
        rejections=tuple(builder.rejections),
        records=builder.records,
    )


def _day_of_name(name: str) -> dt.date | None:
    found = _ISO_DAY.search(name)
    try:
        if found is not None:
            return dt.date(int(found[1]), int(found[2]), int(found[3]))
        found = _RELEASE_DAY.search(name)
        if found is not None and found[2].lower() in _MONTHS:
            return dt.date(int(found[3]), _MONTHS.index(found[2].lower()) + 1, int(found[1]))
    except ValueError:
        return None
    return None


def _check_columns(header: tuple[str, ...], name: str) -> None:
    missing = sorted(_REQUIRED - set(header))
    if "molecular_profile" not in header and not {"gene", "variant"} <= set(header):
        missing.append("molecular_profile (or gene and variant)")
    if missing:
        message = f"{name}: not an evidence table of CIViC, the column {missing[0]} is missing"
        raise UpstreamError(message)


class _Builder:
    """Sorts the rows of one file."""

    def __init__(self, header: tuple[str, ...], snapshot: str) -> None:
        self.header = header
        self.snapshot = snapshot
        self.items: list[CivicItem] = []
        self.rejections: list[Rejection] = []
        self.records: dict[int, CivicRecord] = {}

    def take(self, line: int, cells: list[str]) -> None:
        """Keep or reject one row."""
        identifier: int | None = None
        row: dict[str, str] = {}
        item: CivicItem | None = None
        try:
            if len(cells) != len(self.header):
                reject("malformed-row", f"{len(cells)} cells, {len(self.header)} columns")
            row = {key: value.strip() for key, value in zip(self.header, cells, strict=True)}
            if not row["evidence_id"].isdecimal():
                reject("no-id", row["evidence_id"])
            identifier = int(row["evidence_id"])
            if identifier in self.records:
                reject("duplicate-id", str(identifier))
            item = item_of(row, identifier, self.snapshot)
            self.items.append(item)
        except RejectedError as reason:
            self.rejections.append(Rejection(line, identifier, reason.code, reason.detail))
            if identifier is None or reason.code == "duplicate-id":
                return
        self.records[identifier] = record_of(row, identifier, kept=item is not None)
