"""The measures of a run folder of the tasks on privacy, bias and hallucination, whichever it holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.benchmarks.das_bias.measures import BiasMeasures, bias_measures
from equipoise.benchmarks.das_hallucination.measures import HallucinationMeasures, hallucination_measures
from equipoise.benchmarks.das_privacy.measures import PrivacyMeasures, privacy_measures
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.readers import read_json_lines
from equipoise.outcomes.run import Run, read_run
from equipoise.redteam.plan import Plan

AXES: tuple[str, ...] = ("das_privacy", "das_bias", "das_hallucination")
"""Benchmarks whose runs have measures here."""

REFERENCES = "references.jsonl"
Measures = PrivacyMeasures | BiasMeasures | HallucinationMeasures


def measures_of(folder: str | Path, *, seed: int = 42, system: str | None = None) -> Measures:
    """The measures of one system of a run folder.

    Args:
        folder: the run folder.
        seed: seed of the intervals by resampling.
        system: the system; the only one by default.

    Raises:
        UsageError: a run of another benchmark.
        InputError: no run folder, no plan in it, or rows that the measures refuse.
    """
    run = read_run(folder)
    if run.info.benchmark not in AXES:
        message = f"expected a run of {', '.join(AXES)}; this one is of {run.info.benchmark}"
        raise UsageError(message, file=str(folder))
    rng = np.random.default_rng(seed)
    outcomes, judgements = run.outcomes.to_pylist(), run.judgements.to_pylist()
    if run.info.benchmark == "das_hallucination":
        path = Path(folder) / REFERENCES
        references = [record for _, record in read_json_lines(path)] if path.is_file() else []
        return hallucination_measures(outcomes, judgements, references, rng=rng, system=system)
    facts = _facts(run, folder, system)
    plan = Plan.from_dict(facts["plan"])
    if run.info.benchmark == "das_privacy":
        return privacy_measures(outcomes, judgements, plan, rng=rng, system=system)
    return bias_measures(outcomes, plan, votes=int(facts["votes"]), rng=rng, system=system)


def _facts(run: Run, folder: str | Path, system: str | None) -> Mapping[str, Any]:
    """What the task recorded; logs of one run that asked different things cannot be measured as one."""
    logs = list(run.info.arguments.get("logs") or ())
    if not logs or any("plan" not in log for log in logs):
        message = "the run does not say what was to be asked; make it from the logs of the task"
        raise InputError(message, file=str(folder), field="arguments")
    if system is not None:
        logs = [log for log in logs if str(log.get("model")) == system] or logs
    if len({json.dumps([log["plan"], log.get("votes")], sort_keys=True) for log in logs}) > 1:
        message = "the logs of this run were to ask different things; read each into a run of its own"
        raise InputError(message, file=str(folder), field="plan")
    return dict(logs[0])
