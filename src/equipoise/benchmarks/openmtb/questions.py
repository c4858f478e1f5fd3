"""From benchmark cases to the questions that a model is asked; needs no library of models."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.benchmarks.openmtb.dataset import BenchmarkCase, Reference, from_records, load_cases
from equipoise.benchmarks.openmtb.generate import generate
from equipoise.benchmarks.openmtb.run import AS_OF
from equipoise.errors import UsageError
from equipoise.evals.question import RULES, Question

CASES, SEED = 500, 42
"""Cases generated when no file is given."""

JURISDICTION = "US"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The cases of a run and how they are asked.

    Attributes:
        cases: in order.
        name: where they come from, without a folder.
        inputs: what a system is shown.
        rules: what counts, one of `question.RULES`.
        as_of: day for which the sources are read; a case that names its own is asked for that one.
    """

    cases: tuple[BenchmarkCase, ...]
    name: str
    inputs: str
    rules: str
    as_of: dt.date


def load_source(
    cases: str | Path | None = None, *, inputs: str = "full", rules: str = "auto", as_of: str | dt.date | None = None
) -> Source:
    """Cases of a file, or generated ones.

    Args:
        cases: file of cases; 500 generated with seed 42 when None, as notes where text is asked for.
        inputs: full, no-profile or text.
        rules: one of `question.RULES`; auto takes openmtb-2026 for cases in the published form, label for others.
        as_of: ISO day; the month of the published cases by default.

    Raises:
        UsageError: a file, value or day that does not exist, or text asked of cases that have none.
        InputError: the file cannot be read.
    """
    chosen: Any = inputs
    if cases is None:
        found, name = generated_cases(CASES, SEED, inputs=inputs)
    else:
        found, name = load_cases(cases, inputs=chosen), Path(cases).name
    if rules == "auto":
        rules = "openmtb-2026" if published_form(found) else "label"
    if rules not in RULES:
        message = f"expected auto or one of {', '.join(RULES)}; found {rules!r}"
        raise UsageError(message, field="rules")
    return Source(cases=found, name=name, inputs=inputs, rules=rules, as_of=_day(as_of))


def generated_cases(n: int, seed: int = SEED, *, inputs: str = "full") -> tuple[tuple[BenchmarkCase, ...], str]:
    """Generated cases and how they are called; with inputs `text` every case is a note and nothing else.

    Args:
        n: number of cases.
        seed: seed of the cases, and of style and wording of the notes.
        inputs: full, no-profile or text.

    Raises:
        UsageError: an unknown value of `inputs`, or a number out of range.
    """
    chosen: Any = inputs
    notes = inputs == "text"
    found = from_records(generate(n, seed, form="note" if notes else "record"), inputs=chosen)
    return found, f"generated, seed {seed}, {n} {'notes' if notes else 'cases'}"


def published_form(cases: Sequence[BenchmarkCase]) -> bool:
    """Whether cases have the elements of the published ones."""
    return any("genomic_alteration" in item.inputs or "patient_summary" in item.inputs for item in cases)


def question_of(case: BenchmarkCase, source: Source) -> Question:
    """The question of a case; its identifier is left out.

    Raises:
        UsageError: the case names a day that is none.
    """
    record = {name: value for name, value in case.inputs.items() if name != "case_id"}
    return Question(
        record=record,
        as_of=_day(record.get("as_of") or source.as_of),
        jurisdiction=JURISDICTION,
        rules=source.rules,
    )


def reference_record(case_id: str, reference: Reference) -> dict[str, Any]:
    """What a reply is held against, as plain values: kept beside a run so that it can be scored without the cases."""
    return {
        "case_id": case_id,
        "label": reference.label,
        "abstain": reference.abstain,
        "missing_fields": list(reference.missing_fields),
        "error_type": reference.error_type,
        "parent_id": reference.parent_id,
    }


def _day(value: Any) -> dt.date:
    if value is None:
        return AS_OF
    try:
        return value if isinstance(value, dt.date) else dt.date.fromisoformat(str(value))
    except ValueError:
        message = f"expected a day as YYYY-MM-DD, found {value!r}"
        raise UsageError(message, field="as_of") from None
