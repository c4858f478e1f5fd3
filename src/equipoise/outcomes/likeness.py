"""Are two runs alike enough to stand in one table?"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from equipoise.outcomes.run import Run

MUST_AGREE: tuple[tuple[str, str], ...] = (
    ("benchmark", "benchmark"),
    ("dataset_hash", "dataset"),
    ("prompts_hash", "set of prompts"),
)
"""Fields of a run that must agree before its rows are put beside another's, and how they are called."""

MAY_DIFFER: tuple[tuple[str, str], ...] = (
    ("evidence_hash", "evidence base"),
    ("policy_hash", "policy"),
    ("protocol_hash", "protocol"),
)
"""Fields that may be the very thing compared."""

JUDGING: tuple[tuple[str, str], ...] = (
    ("judge", "judge"),
    ("rubric_hash", "rubric"),
    ("scale_hash", "scale"),
)
"""Columns of the judgements whose values must agree."""


def unlike(runs: Sequence[Run]) -> tuple[str, ...]:
    """In what runs differ that must agree: benchmark, dataset, prompts, and judges, rubrics and scales by criterion.

    Args:
        runs: two or more runs.

    Returns:
        One sentence a difference; empty when they are alike. A run without judgements differs in none.
    """
    found = [_field(runs, field, name) for field, name in MUST_AGREE]
    found += [_judging(runs, column, name) for column, name in JUDGING]
    return tuple(text for text in found if text)


def differences(runs: Sequence[Run]) -> tuple[str, ...]:
    """In what runs differ that may be the thing compared: evidence, policy, protocol.

    Args:
        runs: two or more runs.

    Returns:
        One sentence a difference.
    """
    return tuple(text for text in (_field(runs, field, name) for field, name in MAY_DIFFER) if text)


def _field(runs: Sequence[Run], field: str, name: str) -> str:
    values = [str(getattr(run.info, field)) for run in runs]
    if len(set(values)) < 2:
        return ""
    told = ", ".join(f"{run.info.run_id}: {value or 'none stated'}" for run, value in zip(runs, values, strict=True))
    return f"the {name} differs ({told})"


def _judging(runs: Sequence[Run], column: str, name: str) -> str:
    judged = [run for run in runs if run.judgements.num_rows]
    sets = [_by_criterion(run.judgements, column) for run in judged]
    for criterion in sorted({key for item in sets for key in item}):
        values = [item.get(criterion, frozenset()) for item in sets]
        if len(set(values)) > 1:
            told = ", ".join(
                f"{run.info.run_id}: {', '.join(sorted(value)) or 'not judged'}"
                for run, value in zip(judged, values, strict=True)
            )
            return f"the {name} of criterion {criterion!r} differs ({told})"
    return ""


def _by_criterion(table: pa.Table, column: str) -> dict[str, frozenset[str]]:
    values: dict[str, set[str]] = {}
    for criterion, value in zip(table.column("criterion").to_pylist(), table.column(column).to_pylist(), strict=True):
        values.setdefault(criterion, set()).add(value)
    return {criterion: frozenset(found) for criterion, found in values.items()}
