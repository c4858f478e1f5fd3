"""Twenty real samples, stated by hand before the reader was run on them, against what the reader and the auditor make of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from equipoise.audit.pipeline import Auditor
from equipoise.cases.load import ReadItem
from equipoise.cases.model import Case, FindingStatus, Status
from equipoise.cases.record_files import read_path, read_samples

STATEMENTS: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parent / "hand_statements.yaml").read_text(encoding="utf-8")
)
SAMPLES: list[dict[str, Any]] = STATEMENTS["samples"]
FILE = Path("cbioportal") / "lung_msk_2017__data_clinical_sample.txt"


@pytest.fixture(scope="module")
def samples(data_dir: Path) -> dict[str, tuple[ReadItem, str]]:
    return {item.case_id: (item, patient) for item, patient in read_samples(data_dir / FILE)}


@pytest.fixture(scope="module")
def patients(data_dir: Path) -> dict[str, ReadItem]:
    return {item.case_id: item for item in read_path(data_dir / FILE)}


@pytest.fixture(scope="module")
def auditors() -> dict[str, Auditor]:
    days = {str(day) for entry in SAMPLES for day in entry["labels"]}
    return {day: Auditor(as_of=dt.date.fromisoformat(day)) for day in days}


def fact(case: Case, field: str) -> Any:
    known = getattr(case, field)
    if field == "brain_mets":
        return "present" if known.value else known.status.value
    if known.value is None:
        return known.status.value
    if field == "tmb":
        return round(known.value.low, 1)
    return sorted(known.value) if isinstance(known.value, frozenset) else known.value


def said(case: Case, entry: Mapping[str, Any]) -> list[str]:
    """What a case says otherwise than the statement."""
    found = [
        f"{field} is {fact(case, field)}, stated {value}"
        for field, value in entry.get("facts", {}).items()
        if fact(case, field) != value
    ]
    stated = {(name, one.status.value) for one in case.findings for name in (one.names or {one.name})}
    found += [
        f"{name} {status} is missing of {sorted(stated)}"
        for name, status in entry.get("findings", {}).items()
        if (name, status) not in stated
    ]
    present = {name for one in case.findings if one.status is FindingStatus.PRESENT for name in one.names}
    if entry.get("findings") == {} and present:
        found.append(f"{sorted(present)} present, stated nothing")
    found += [f"{name} is present" for name in entry.get("no_findings", ()) if name in present]
    if "priors" in entry:
        lines = case.prior_therapies.value or ()
        absent = case.prior_therapies.status is Status.ABSENT
        if len(lines) != entry["priors"] or absent != (entry["priors"] == 0):
            found.append(f"{len(lines)} lines ({case.prior_therapies.status.value}), stated {entry['priors']}")
        found += [f"line with drugs {sorted(line.drugs)}" for line in lines if line.drugs]
    for field in entry.get("conflicting", ()):
        if getattr(case, field).status is not Status.CONFLICTING:
            found.append(f"{field} is {fact(case, field)}, stated conflicting")
    return found


def test_there_are_twenty_of_twenty_patients() -> None:
    assert len({entry["patient"] for entry in SAMPLES}) == len({entry["sample"] for entry in SAMPLES}) == 20


@pytest.mark.data
@pytest.mark.parametrize("entry", SAMPLES, ids=lambda entry: entry["sample"])
def test_a_sample_says_what_was_read_by_hand(entry: dict[str, Any], samples: dict[str, tuple[ReadItem, str]]) -> None:
    item, patient = samples[entry["sample"]]
    assert patient == entry["patient"]
    assert item.case is not None
    assert said(item.case, entry) == []


@pytest.mark.data
@pytest.mark.parametrize(
    "entry", [entry for entry in SAMPLES if "patient_facts" in entry], ids=lambda entry: entry["patient"]
)
def test_a_patient_with_several_samples_is_one_and_names_conflicts(
    entry: dict[str, Any], patients: dict[str, ReadItem], samples: dict[str, tuple[ReadItem, str]]
) -> None:
    whole = entry["patient_facts"]
    assert sum(patient == entry["patient"] for _, patient in samples.values()) == whole["samples"]
    case = patients[entry["patient"]].case
    assert case is not None
    assert said(case, whole) == []


@pytest.mark.data
@pytest.mark.parametrize("entry", SAMPLES, ids=lambda entry: entry["sample"])
def test_the_options_of_a_sample_are_what_a_reader_of_the_labels_says(
    entry: dict[str, Any], samples: dict[str, tuple[ReadItem, str]], auditors: dict[str, Auditor]
) -> None:
    case = samples[entry["sample"]][0].case
    assert case is not None
    got = {
        day: {regimen: auditors[str(day)].audit_regimen(case, regimen).label.value for regimen in labels}
        for day, labels in entry["labels"].items()
    }
    assert got == entry["labels"]
