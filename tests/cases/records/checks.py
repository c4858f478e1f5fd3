"""Compares what a file came to with a golden entry, and says every difference in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.audit.pipeline import Auditor
from equipoise.cases.load import ReadItem
from equipoise.cases.model import Case, Documented, FindingStatus, Status
from equipoise.cases.record_files import read_path

_FIELDS = ("tumor", "stage", "setting", "histology", "ecog", "tmb", "msi", "sex", "age")


def read(path: Path) -> list[ReadItem]:
    return list(read_path(path))


def differences(items: Sequence[ReadItem], golden: Mapping[str, Any], auditor: Auditor) -> list[str]:
    """Every way in which the items of one file differ from its golden entry; empty when there is none."""
    found: list[str] = []
    if "count" in golden and len(items) != golden["count"]:
        found.append(f"{len(items)} cases, expected {golden['count']}")
    by_id = {item.case_id: item for item in items}
    if "nothing" in golden:
        others = Counter(_nothing(item) for item in items if _nothing(item) != golden["nothing"])
        if others:
            found.append(f"nothing to audit: {dict(others)}, expected {golden['nothing']}")
    if "known_pdl1" in golden:
        known = sum(item.case is not None and item.case.pdl1.tps.known for item in items)
        if known != golden["known_pdl1"]:
            found.append(f"{known} with PD-L1, expected {golden['known_pdl1']}")
    for patient in golden["patients"]:
        item = by_id.get(patient["id"])
        if patient.get("missing"):
            if item is not None:
                found.append(f"{patient['id']}: invented")
            continue
        if item is None or item.case is None or item.record is None:
            found.append(f"{patient['id']}: not read, of {list(by_id)[:3]}")
            continue
        if item.record.format != golden["format"]:
            found.append(f"{patient['id']}: read as {item.record.format}")
        found.extend(f"{patient['id']}: {text}" for text in _patient(item, item.case, patient, auditor))
    return found


def _nothing(item: ReadItem) -> str:
    return "" if item.record is None or item.record.nothing is None else item.record.nothing.value


def _patient(item: ReadItem, case: Case, golden: Mapping[str, Any], auditor: Auditor) -> list[str]:
    found: list[str] = []
    for field, expected in golden.get("facts", {}).items():
        got = _fact(case, field)
        if got != expected:
            found.append(f"{field} is {got!r}, expected {expected!r}")
    for field in golden.get("absent_facts", ()):
        if _documented(case, field).status is not Status.UNKNOWN:
            found.append(f"{field} is {_fact(case, field)!r}, expected nothing")
    for field in golden.get("conflicting", ()):
        if _documented(case, field).status is not Status.CONFLICTING:
            found.append(f"{field} is {_documented(case, field)}, expected a conflict")
    found.extend(_findings(case, golden))
    if "priors" in golden:
        got = sorted(_priors(case))
        if got != sorted(golden["priors"]):
            found.append(f"priors are {got}, expected {sorted(golden['priors'])}")
    assert item.record is not None
    reasons = Counter(one.reason.value for one in item.record.ignored)
    for reason, least in golden.get("ignored", {}).items():
        if reasons[reason] < least:
            found.append(f"{reasons[reason]} ignored as {reason}, expected {least}")
    if "nothing" in golden and _nothing(item) != golden["nothing"]:
        found.append(f"nothing to audit: {_nothing(item)!r}, expected {golden['nothing']!r}")
    if "recommendations" in golden:
        found.extend(_recommendations(item, case, golden["recommendations"], auditor))
    return found


def _documented(case: Case, field: str) -> Documented[Any]:
    if field in ("pdl1", "tps"):
        return case.pdl1.tps
    value: Documented[Any] = getattr(case, field)
    return value


def _fact(case: Case, field: str) -> Any:
    if field == "stage_edition":
        return case.stage_edition
    known = _documented(case, field)
    if field == "brain_mets":
        return "present" if known.value else known.status.value
    if field == "prior_therapies":
        return "none" if known.status is Status.ABSENT else known.status.value
    value = known.value
    if value is None:
        return known.status.value
    if isinstance(value, frozenset):
        return sorted(value)
    if field in ("tps", "tmb", "age"):
        return value.low if value.low == value.high else str(value)
    return value


def _findings(case: Case, golden: Mapping[str, Any]) -> list[str]:
    found = []
    present = {name for one in case.findings if one.status is FindingStatus.PRESENT for name in one.names}
    stated = {(name, one.status.value) for one in case.findings for name in (one.names or {one.name})}
    for name, status in golden.get("findings", {}).items():
        if (name, status) not in stated:
            found.append(f"{name} {status} is missing, of {sorted(stated)[:6]}")
    if golden.get("findings") == {} and present:
        found.append(f"findings {sorted(present)}, expected none")
    found.extend(f"{name} is present, expected nothing" for name in golden.get("no_findings", ()) if name in present)
    return found


def _priors(case: Case) -> list[str]:
    return [
        f"{'+'.join(sorted(one.drugs)) or '-'} | {one.outcome.value} | {one.line or '-'}"
        for one in case.prior_therapies.value or ()
    ]


def _recommendations(item: ReadItem, case: Case, golden: Sequence[Mapping[str, Any]], auditor: Auditor) -> list[str]:
    found = []
    verdicts = auditor.audit(case)
    if len(case.recommendations) != len(golden):
        found.append(f"{len(case.recommendations)} recommendations, expected {len(golden)}")
    for number, (one, verdict, expected) in enumerate(
        zip(case.recommendations, verdicts, golden, strict=False), start=1
    ):
        got: dict[str, Any] = {
            "components": sorted(one.components),
            "kind": one.kind.value,
            "text": one.text,
            "level": one.level,
            "citations": list(one.citations),
            "priority": one.priority,
            "label": verdict.label.value,
            "reason": verdict.reasons[0].code if verdict.reasons else "",
        }
        found.extend(
            f"recommendation {number}: {key} is {got[key]!r}, expected {value!r}"
            for key, value in expected.items()
            if got[key] != value
        )
    return found
