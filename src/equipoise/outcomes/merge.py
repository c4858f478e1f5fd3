"""Puts several runs into one, if they are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from equipoise.errors import InputError
from equipoise.outcomes.likeness import unlike
from equipoise.outcomes.measures import KEY
from equipoise.outcomes.run import Run, RunInfo
from equipoise.outcomes.schema import judgements_table, outcomes_table


def merge(
    runs: Sequence[Run], *, run_id: str, created_at: str, allow_unlike: bool = False
) -> tuple[Run, tuple[str, ...]]:
    """One run with the rows of all; replies are renamed "run/reply" so that their origin stays visible.

    Args:
        runs: two or more runs.
        run_id: identifier of the merged run.
        created_at: ISO date and time of the merge.
        allow_unlike: merge although prompts, dataset, judges or rubrics differ.

    Returns:
        The merged run, and the differences that were allowed (empty when there are none).

    Raises:
        InputError: fewer than two runs, equal run ids, runs that differ in what must agree, or a system that answers
            one item and trial in two of them.
    """
    if len(runs) < 2 or len({run.info.run_id for run in runs}) < len(runs):
        message = "expected two or more runs with different identifiers"
        raise InputError(message)
    found = unlike(runs)
    if found and not allow_unlike:
        message = "the runs are not alike:\n" + "\n".join(found)
        raise InputError(message)
    outcomes: list[dict[str, Any]] = []
    judgements: list[dict[str, Any]] = []
    first: dict[tuple[Any, ...], str] = {}
    for run in runs:
        for row in run.outcomes.to_pylist():
            key = (row["system"], row["arm"], *(row[column] for column in KEY), row["attempt"])
            if first.setdefault(key, run.info.run_id) != run.info.run_id:
                message = (
                    f"system {row['system']!r} answers item {row['item']!r} in {first[key]} and in {run.info.run_id}"
                )
                raise InputError(message, field="system")
            outcomes.append(row | {"run": run_id, "reply_id": f"{run.info.run_id}/{row['reply_id']}"})
        judgements += [
            row | {"run": run_id, "reply_id": f"{run.info.run_id}/{row['reply_id']}"}
            for row in run.judgements.to_pylist()
        ]
    info = RunInfo(
        run_id=run_id,
        created_at=created_at,
        benchmark=_common(runs, "benchmark"),
        systems=tuple(dict.fromkeys(system for run in runs for system in run.info.systems)),
        versions={
            f"{run.info.run_id}/{name}": value for run in runs for name, value in sorted(run.info.versions.items())
        },
        dataset_hash=_common(runs, "dataset_hash"),
        prompts_hash=_common(runs, "prompts_hash"),
        protocol_hash=_common(runs, "protocol_hash"),
        evidence_hash=_common(runs, "evidence_hash"),
        policy_hash=_common(runs, "policy_hash"),
        arguments={"merged": [run.info.run_id for run in runs], "allowed_differences": list(found)},
    )
    return Run(info=info, outcomes=outcomes_table(outcomes), judgements=judgements_table(judgements)), found


def _common(runs: Sequence[Run], field: str) -> str:
    """The value all runs share, or "mixed"."""
    values = {str(getattr(run.info, field)) for run in runs}
    return values.pop() if len(values) == 1 else "mixed"
