"""Reads biomarkers, PD-L1, TMB and MSI of the own format."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from equipoise.cases.formats.values import as_list, date_of, is_mapping, is_unknown, join
from equipoise.cases.model import PDL1, Documented, Finding, FindingStatus, Interval, unknown
from equipoise.cases.vocabulary.biomarkers import nothing_found, read_biomarkers
from equipoise.cases.vocabulary.expression import read_msi, read_pdl1, read_tmb
from equipoise.errors import CaseError

_FIELDS = frozenset({"name", "gene", "alteration", "status", "assay", "date"})
_SCALES = ("tps", "tc", "ic")
_STATUSES = {**{item.value: item for item in FindingStatus}, "not tested": FindingStatus.NOT_TESTED, "positive": FindingStatus.PRESENT,
             "negative": FindingStatus.ABSENT, "detected": FindingStatus.PRESENT, "not detected": FindingStatus.ABSENT,
             "vus": FindingStatus.UNCERTAIN, "wild type": FindingStatus.ABSENT}  # fmt: skip
_SPECIAL = frozenset({"PD-L1", "TMB", "MSI"})

Texts = Sequence[tuple[str, str]]


class Markers(NamedTuple):
    """What the element `biomarkers` says.

    Attributes:
        findings: in the order of the record.
        pdl1, tmb, msi: statements of these scores as (path, words).
        unread: entries in which nothing was recognised.
        nothing_else: an entry says that a whole panel found nothing to act on.
    """

    findings: tuple[Finding, ...] = ()
    pdl1: Texts = ()
    tmb: Texts = ()
    msi: Texts = ()
    unread: tuple[str, ...] = ()
    nothing_else: bool = False


def read(value: Any) -> Markers:
    """Read the element `biomarkers`.

    Args:
        value: a list of strings and objects, an object of gene and result, or one string.

    Raises:
        CaseError: an entry has a wrong type or an unknown status.
    """
    if is_unknown(value):
        return _SILENT
    findings: list[Finding] = []
    unread: list[str] = []
    special: dict[str, list[tuple[str, str]]] = {}
    nothing_else = False
    for path, text, status, assay, date in _entries(value):
        entry = (
            _read_entry(text, path, status, assay) if len(text) <= _REMEMBERED else _entry(text, path, status, assay)
        )
        if entry.findings:
            if date is not None and (date or status is not None or assay):
                day = _date(date, path)
                findings.extend([_stated(finding, None, "", day) for finding in entry.findings])
            else:
                findings.extend(entry.findings)
        for gene in entry.scores:
            special.setdefault(gene, []).append((path, text))
        if entry.unread:
            unread.append(entry.unread)
        elif entry.nothing_else:
            nothing_else = True
    return Markers(
        tuple(findings),
        special.get("PD-L1", ()),
        special.get("TMB", ()),
        special.get("MSI", ()),
        tuple(unread),
        nothing_else,
    )


class _Entry(NamedTuple):
    """What one entry of `biomarkers` says, its date left aside.

    Attributes:
        findings: findings that are no score.
        scores: PD-L1, TMB or MSI, once for each statement of it.
        unread: the entry, when nothing was recognised in it; otherwise empty.
        nothing_else: it says that a whole panel found nothing to act on.
    """

    findings: tuple[Finding, ...] = ()
    scores: tuple[str, ...] = ()
    unread: str = ""
    nothing_else: bool = False


_SILENT = Markers()
_NO_ENTRY = _Entry()
_REMEMBERED = 400
"""Longest text, in characters, whose reading is remembered."""


def _entry(text: str, path: str, status: FindingStatus | None, assay: str) -> _Entry:
    """Read the words of one entry, with the status and assay it states beside them."""
    if is_unknown(text):
        return _NO_ENTRY
    got = read_biomarkers(text, field=path)
    if not got:
        if status is None and nothing_found(text):
            return _Entry(nothing_else=True)
        return _Entry(unread=f"{path}: {text}")
    findings: list[Finding] = []
    scores: list[str] = []
    for finding in got:
        if finding.gene in _SPECIAL:
            if status is None or status is FindingStatus.PRESENT:
                scores.append(finding.gene)
            continue
        findings.append(_stated(finding, status, assay, None) if status is not None or assay else finding)
    return _Entry(tuple(findings), tuple(scores))


_read_entry = functools.lru_cache(maxsize=16_384)(_entry)
"""The reading of one short string at one place: a look-up in the vocabulary, remembered by the string."""


def _stated(finding: Finding, status: FindingStatus | None, assay: str, date: dt.date | None) -> Finding:
    """A finding with what its entry states beside the name."""
    gene, name, names, kind, read, specific, possible, read_assay, read_date, source = finding
    return Finding(
        gene, name, names, kind, status or read, specific, possible, assay or read_assay, date or read_date, source
    )


def _date(value: Any, path: str) -> dt.date | None:
    return None if value is None else date_of(value, f"{path}.date")


def _entries(value: Any) -> list[tuple[str, str, FindingStatus | None, str, Any]]:
    if is_mapping(value):
        return [
            (f"biomarkers.{gene}", f"{gene} {result}", None, "", None)
            for gene, result in value.items()
            if not _skip(gene, result)
        ]
    found: list[tuple[str, str, FindingStatus | None, str, Any]] = []
    single = isinstance(value, str)
    for place, item in enumerate(as_list(value)):
        path = "biomarkers" if single else f"biomarkers[{place}]"
        if item is None:
            continue
        if isinstance(item, str):
            found.append((path, item, None, "", None))
            continue
        if type(item) is not dict and not is_mapping(item):
            msg = f"expected text or an object with name and status, got {item!r}"
            raise CaseError(msg, field=path)
        if not _FIELDS.issuperset(item):
            extra = [key for key in item if key not in _FIELDS]
            msg = f"unknown element {extra[0]!r}; expected one of {', '.join(sorted(_FIELDS))}"
            raise CaseError(msg, field=path)
        name = item.get("name")
        if name is None:
            name = " ".join([str(item[key]) for key in ("gene", "alteration") if item.get(key)])
        if not isinstance(name, str) or not name.strip():
            msg = "expected the name of a biomarker"
            raise CaseError(msg, field=f"{path}.name")
        stated = item.get("status")
        status = None
        if stated is not None:
            status = (_STATUSES.get(stated) if type(stated) is str else None) or _status(stated, path)
        assay = item.get("assay")
        found.append((path, name, status, str(assay) if assay else "", item.get("date")))
    return found


def _status(stated: Any, path: str) -> FindingStatus:
    status = _STATUSES.get(str(stated).strip().lower())
    if status is None:
        msg = f"expected one of {', '.join(item.value for item in FindingStatus)}, got {stated!r}"
        raise CaseError(msg, field=f"{path}.status")
    return status


def _skip(gene: Any, result: Any) -> bool:
    if result is None:
        return True
    if not isinstance(result, str | int | float):
        msg = f"expected the result as text, got {result!r}"
        raise CaseError(msg, field=f"biomarkers.{gene}")
    return False


def pdl1(value: Any, others: Texts) -> PDL1:
    """Read the element `pdl1` and what the biomarkers say of PD-L1.

    Raises:
        CaseError: the value is not a PD-L1 score.
    """
    if not others:
        if value is None:
            return _NOTHING
        if type(value) is str and len(value) <= _REMEMBERED:
            return _pdl1_text(value)
    return _pdl1(value, others)


@functools.lru_cache(maxsize=4096)
def _pdl1_text(text: str) -> PDL1:
    return _pdl1(text, ())


def _pdl1(value: Any, others: Texts) -> PDL1:
    statements: dict[str, list[tuple[Interval, str, str]]] = {}
    for item in as_list(value):
        if is_unknown(item):
            continue
        if is_mapping(item):
            _scales(item, statements)
            continue
        got = read_pdl1(item)
        if not got and not _score_of_another_scale(item):
            msg = f"expected a PD-L1 score such as 'TPS 60%', a percentage or unknown, got {item!r}"
            raise CaseError(msg, field="pdl1")
        for scale, interval in got.items():
            statements.setdefault(scale, []).append((interval, "pdl1", str(item)))
    for path, text in others:
        for scale, interval in read_pdl1(text).items():
            statements.setdefault(scale, []).append((interval, path, text))
    if not statements:
        return _NOTHING
    return PDL1(**{scale: _joined(rows, f"pdl1.{scale}") for scale, rows in statements.items()})


_NOTHING = PDL1()


def _score_of_another_scale(item: Any) -> bool:
    """A combined positive score is a PD-L1 result that no criterion of lung cancer reads."""
    return isinstance(item, str) and ("cps" in item.lower() or "combined positive" in item.lower())


def _scales(item: Mapping[str, Any], statements: dict[str, list[tuple[Interval, str, str]]]) -> None:
    for scale, stated in item.items():
        key = str(scale).lower()
        if key == "cps":
            continue
        if key not in _SCALES:
            msg = f"expected one of {', '.join(_SCALES)}, got {scale!r}"
            raise CaseError(msg, field="pdl1")
        for one in as_list(stated):
            if is_unknown(one):
                continue
            got = read_pdl1(one)
            interval = got.get(key) or got.get("tps")
            if interval is None or interval.low < 0 or interval.high > 100:
                msg = f"expected a percentage from 0 to 100, got {one!r}"
                raise CaseError(msg, field=f"pdl1.{key}")
            statements.setdefault(key, []).append((interval, f"pdl1.{key}", str(one)))


def _meet(one: Interval, two: Interval) -> Interval | None:
    low, high = max(one.low, two.low), min(one.high, two.high)
    return Interval(low, high) if low <= high else None


def _joined(rows: Sequence[tuple[Interval, str, str]], field: str) -> Documented[Interval]:
    return join([(interval, text) for interval, _, text in rows], field, _meet, paths=[path for _, path, _ in rows])


def number(value: Any, field: str, others: Texts) -> Documented[Interval]:
    """Read the tumor mutational burden, in mutations per megabase.

    Raises:
        CaseError: the value is not a number.
    """
    if value is None and not others:
        return unknown()
    rows: list[tuple[Interval, str]] = []
    paths: list[str] = []
    for item in as_list(value):
        if is_unknown(item):
            continue
        got = read_tmb(item)
        if got is None:
            msg = f"expected mutations per megabase, got {item!r}"
            raise CaseError(msg, field=field)
        rows.append((got, str(item)))
        paths.append(field)
    for path, text in others:
        got = read_tmb(text)
        if got is not None:
            rows.append((got, text))
            paths.append(path)
    return join(rows, field, _meet, paths=paths)


def msi(value: Any, others: Texts) -> Documented[str]:
    """Read microsatellite or mismatch-repair status: "high" or "stable".

    Raises:
        CaseError: the value is neither.
    """
    if not others:
        if value is None:
            return unknown()
        if type(value) is str and len(value) <= _REMEMBERED:
            return _msi_text(value)
    return _msi(value, others)


@functools.lru_cache(maxsize=4096)
def _msi_text(text: str) -> Documented[str]:
    return _msi(text, ())


def _msi(value: Any, others: Texts) -> Documented[str]:
    rows: list[tuple[str, str]] = []
    paths: list[str] = []
    for item in as_list(value):
        if is_unknown(item):
            continue
        got = read_msi(item)
        if got is None:
            msg = f"expected MSI-H, dMMR, MSS or pMMR, got {item!r}"
            raise CaseError(msg, field="msi")
        rows.append((got, str(item)))
        paths.append("msi")
    for path, text in others:
        got = read_msi(text)
        if got is not None:
            rows.append((got, text))
            paths.append(path)
    return join(rows, "msi", None, paths=paths)
