"""Are two runs alike enough to stand in one table?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from equipoise.outcomes.run import Run

PROMPTS = "prompts_hash"
"""Field of a run that names its prompts."""

PLACE: tuple[str, ...] = ("item", "conversation", "turn", "round")
"""Columns that say which question a row answers, whoever answers it and however often."""

MUST_AGREE: tuple[tuple[str, str], ...] = (
    ("benchmark", "benchmark"),
    ("dataset_hash", "dataset"),
    (PROMPTS, "set of prompts"),
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


def unlike(runs: Sequence[Run], *, prompts: bool = True) -> tuple[str, ...]:
    """In what runs differ that must agree: benchmark, dataset, references, labels that may be given, prompts, and judges,
    rubrics and scales by criterion.

    Args:
        runs: two or more runs.
        prompts: whether the prompts must agree; not when configurations are the very thing compared.

    Returns:
        One sentence a difference; empty when they are alike. A run without judgements differs in none, one that does
        not state its labels not in these.
    """
    found = [_field(runs, field, name) for field, name in MUST_AGREE if prompts or field != PROMPTS]
    found += [_references(runs), _labels(runs)]
    found += [_judging(runs, column, name) for column, name in JUDGING]
    return tuple(text for text in found if text)


def differences(runs: Sequence[Run], *, prompts: bool = False) -> tuple[str, ...]:
    """In what runs differ that may be the thing compared: evidence, policy, protocol, and prompts where asked.

    Args:
        runs: two or more runs.
        prompts: whether the prompts are named among them, with configuration and version.

    Returns:
        One sentence a difference.
    """
    found = [_prompts(runs)] if prompts else []
    found += [_field(runs, field, name) for field, name in MAY_DIFFER]
    return tuple(text for text in found if text)


def prompt_name(run: Run) -> str:
    """The prompts of a run as configuration, version and hash; the hash alone where the run does not name them."""
    named = [
        f"{log['configuration']}, version {log.get('prompt_version') or 'not stated'} ({log.get('prompt_hash')})"
        for log in _logs(run)
        if log.get("configuration")
    ]
    return "; ".join(dict.fromkeys(named)) or run.info.prompts_hash or "none stated"


def _prompts(runs: Sequence[Run]) -> str:
    if len({run.info.prompts_hash for run in runs}) < 2:
        return ""
    return f"the prompt differs: {' against '.join(prompt_name(run) for run in runs)}"


def _logs(run: Run) -> list[Mapping[str, Any]]:
    """What a run made from logs keeps of each of them."""
    logs = run.info.arguments.get("logs")
    return [log for log in logs if isinstance(log, Mapping)] if isinstance(logs, list | tuple) else []


def _references(runs: Sequence[Run]) -> str:
    """The first item that is held against another label in another run; a run may hold it against one label an arm."""
    seen: dict[tuple[Any, ...], tuple[str, set[str]]] = {}
    for run in runs:
        for key, labels in _expected(run).items():
            run_id, others = seen.setdefault(key, (run.info.run_id, labels))
            if not labels <= others and not others <= labels:
                told = f"{run_id}: {', '.join(sorted(others))}, {run.info.run_id}: {', '.join(sorted(labels))}"
                return f"the reference of item {key[0]!r} differs ({told})"
    return ""


def _expected(run: Run) -> dict[tuple[Any, ...], set[str]]:
    found: dict[tuple[Any, ...], set[str]] = {}
    columns = [run.outcomes.column(name).to_pylist() for name in (*PLACE, "expected")]
    for *key, label in zip(*columns, strict=True):
        if label is not None:
            found.setdefault(tuple(key), set()).add(str(label))
    return found


def _labels(runs: Sequence[Run]) -> str:
    stated = {
        run.info.run_id: sorted({str(label) for log in _logs(run) for label in log.get("labels") or ()}) for run in runs
    }
    given = {name: labels for name, labels in stated.items() if labels}
    if len({tuple(labels) for labels in given.values()}) < 2:
        return ""
    told = "; ".join(f"{name}: {', '.join(labels)}" for name, labels in given.items())
    return f"the set of labels differs ({told})"


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
