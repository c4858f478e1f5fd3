"""Files of the Healthcare Agent Orchestrator and of TBFact: queries, reference texts, facts, a summary of scores.

Source: github.com/Azure-Samples/healthcare-agent-orchestrator, `docs/evaluation.md` and the TBFact metric; paper arXiv:2509.06602. That
software scores a missing reference as 0; here it is a failure, and has no score.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from equipoise.boards.reading import (
    Fields,
    Loaded,
    Problem,
    file_bytes,
    kind_of,
    plain_name,
    read_csv_rows,
    read_json_file,
    short,
)
from equipoise.errors import InputError, UsageError

PATIENT, QUERY, FOLLOW_UP = "Patient ID", "Initial Query", "Possible Follow up"


class FactCategory(StrEnum):
    """Categories of a fact in TBFact."""

    DEMOGRAPHICS = "demographics"
    DIAGNOSIS = "diagnosis"
    TREATMENT = "treatment"
    SYMPTOM = "symptom"
    BIOMARKER = "biomarker"
    OTHER = "other"


class Entailment(StrEnum):
    """Whether a text says a fact."""

    YES = "Yes"
    PARTIAL = "Partial"
    NO = "No"


class Direction(StrEnum):
    """Facts of the answer held against the reference (precision), or the other way (recall)."""

    PRECISION = "pred_to_gold"
    RECALL = "gold_to_pred"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A first question to the agents, with a possible follow-up (may be empty)."""

    patient: str
    text: str
    follow_up: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceText:
    """The reference text of a patient."""

    patient: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact of a reference text."""

    patient: str
    text: str
    category: FactCategory


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedFact:
    """One fact, and whether the other text says it."""

    text: str
    category: FactCategory
    entailment: Entailment
    direction: Direction


@dataclass(frozen=True, slots=True, kw_only=True)
class FactScore:
    """TBFact of one answer.

    Attributes:
        metric: name of the metric in the file.
        patient: id of the patient.
        failed: why there is no score; empty when there is one.
        precision: 0 to 1; None when failed.
        recall: 0 to 1; None when failed.
        f1: 0 to 1; None when failed.
        facts: the judged facts that could be read.
    """

    metric: str
    patient: str
    failed: str
    precision: float | None
    recall: float | None
    f1: float | None
    facts: tuple[JudgedFact, ...]


def read_queries(path: str | Path) -> Loaded[Query]:
    """The queries of a CSV file with the columns Patient ID, Initial Query, Possible Follow up.

    Raises:
        UsageError: the file cannot be opened.
        InputError: not UTF-8, or a column is missing.
    """
    return read_csv_rows(
        path, _query, columns=(PATIENT, QUERY, FOLLOW_UP), known=lambda name: name in (PATIENT, QUERY, FOLLOW_UP)
    )


def _query(row: Fields) -> Query:
    patient = row.text(PATIENT).strip()
    if not plain_name(patient):
        message = "expected an id that can be a file name: the reference of a patient is ID.txt"
        raise row.fail(message, PATIENT)
    return Query(patient=patient, text=row.text(QUERY), follow_up=row.text(FOLLOW_UP, required=False))


def read_references(folder: str | Path, *, patients: Iterable[str]) -> Loaded[ReferenceText]:
    """The reference texts `ID.txt` of patients; a missing or empty one is a problem, never an empty reference.

    Raises:
        UsageError: there is no such folder.
    """
    folder = Path(folder)
    if not folder.is_dir():
        message = "there is no such folder"
        raise UsageError(message, file=str(folder))
    items, problems = [], []
    for patient in dict.fromkeys(patients):
        path = folder / f"{patient}.txt"
        if not plain_name(patient):
            problems.append(Problem(file=str(folder), message=f"{short(patient)} cannot be a file name"))
            continue
        try:
            text = file_bytes(path)[0].decode("utf-8-sig")
        except UsageError as error:
            problems.append(Problem(file=str(path), message=error.message))
            continue
        except UnicodeDecodeError:
            problems.append(Problem(file=str(path), message="not UTF-8 text; save the file as UTF-8"))
            continue
        if text.strip():
            items.append(ReferenceText(patient=patient, text=text))
        else:
            problems.append(Problem(file=str(path), message="the reference is empty; the patient cannot be scored"))
    return Loaded(items=tuple(items), problems=tuple(problems))


def read_facts(path: str | Path) -> Loaded[Fact]:
    """The stored facts of TBFact: lists of fact and category by patient. A patient without facts is a problem.

    Raises:
        UsageError: the file cannot be opened.
        InputError: not JSON, or not an object.
    """
    value, digest = read_json_file(path)
    if not isinstance(value, dict):
        message = f"expected an object of lists by patient, found {kind_of(value)}"
        raise InputError(message, file=str(path))
    items, problems = [], []
    for patient, entries in value.items():
        if not isinstance(entries, list) or not entries:
            message = "expected a list of facts, found " + ("none" if entries == [] else kind_of(entries))
            problems.append(Problem(file=str(path), field=patient, message=message))
            continue
        for place, entry in enumerate(entries):
            label = f"{patient}[{place}]"
            try:
                row = Fields(Fields({}).object(entry, label), prefix=f"{label}.")
                items.append(
                    Fact(patient=patient, text=row.text("fact"), category=row.choice("category", FactCategory))
                )
            except InputError as error:
                problems.append(Problem(file=str(path), field=error.field, message=error.message))
    return Loaded(items=tuple(items), problems=tuple(problems), sha256=digest)


def read_tbfact_summary(path: str | Path) -> Loaded[FactScore]:
    """The TBFact scores of a `summary_*.json`; other metrics of the file are noted, not read.

    Raises:
        UsageError: the file cannot be opened.
        InputError: not JSON, or without `metrics`.
    """
    value, digest = read_json_file(path)
    metrics = value.get("metrics") if isinstance(value, dict) else None
    if not isinstance(metrics, dict):
        message = "expected an object with metrics"
        raise InputError(message, file=str(path))
    items: list[FactScore] = []
    problems: list[Problem] = []
    for name, metric in metrics.items():
        if not name.endswith("_tbfact"):
            continue
        results = metric.get("results") if isinstance(metric, dict) else None
        if not isinstance(results, list):
            message = f"expected a list, found {kind_of(results)}"
            problems.append(Problem(file=str(path), field=f"metrics.{name}.results", message=message))
            continue
        for place, row in enumerate(results):
            label = f"metrics.{name}.results[{place}]"
            try:
                items.append(
                    _score(name, Fields(Fields({}).object(row, label), prefix=f"{label}."), str(path), problems)
                )
            except InputError as error:
                problems.append(Problem(file=str(path), field=error.field, message=error.message))
    notes = tuple(f"metric {name} was not read" for name in metrics if not name.endswith("_tbfact"))
    return Loaded(items=tuple(items), problems=tuple(problems), notes=notes, sha256=digest)


def _score(name: str, row: Fields, file: str, problems: list[Problem]) -> FactScore:
    result = row.part("result" if "result" in row.values else "results")
    details = result.object(result.values.get("details") or {}, "details")
    numbers = details.get("metrics")
    patient = row.text("patient_id")
    if not isinstance(numbers, dict):
        why = result.text("explanation", required=False) or "no metrics in the file"
        return FactScore(metric=name, patient=patient, failed=why, precision=None, recall=None, f1=None, facts=())
    scores = Fields(numbers, prefix=f"{result.prefix}details.metrics.")
    facts = []
    for part in Fields(details, prefix=f"{result.prefix}details.").parts("fact_evaluations"):
        try:
            facts.append(
                JudgedFact(
                    text=part.text("fact"),
                    category=part.choice("category", FactCategory),
                    entailment=part.choice("entailment", Entailment),
                    direction=part.choice("direction", Direction),
                )
            )
        except InputError as error:
            problems.append(Problem(file=file, field=error.field, message=error.message))
    return FactScore(
        metric=name,
        patient=patient,
        failed="",
        precision=_share(scores, "precision"),
        recall=_share(scores, "recall"),
        f1=_share(scores, "f1"),
        facts=tuple(facts),
    )


def _share(row: Fields, name: str) -> float:
    value = row.number(name)
    if value is None or not 0 <= value <= 1:
        message = "expected a number from 0 to 1"
        raise row.fail(message, name)
    return value
