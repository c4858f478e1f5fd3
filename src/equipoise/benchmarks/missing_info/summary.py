"""What a run folder of the missing-information test comes to, system by system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.benchmarks.missing_info.asking import RECOGNISES
from equipoise.benchmarks.missing_info.leniency import leniency
from equipoise.errors import InputError
from equipoise.outcomes.run import Run, read_run
from equipoise.redteam.missing.measures import (
    TRUNCATION,
    MissingMeasures,
    Underdetermined,
    missing_measures,
    underdetermined,
)
from equipoise.redteam.plan import plan_of
from equipoise.statistics import Leniency
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingResult(Result):
    """A run folder.

    Attributes:
        systems: one a system.
        underdetermined: what became of the tumor-board cases; None when none was asked.
        leniency: whether judges favour their own maker; None when the run does not allow to say.
        no_leniency: why not.
    """

    systems: tuple[MissingMeasures, ...]
    underdetermined: Underdetermined | None
    leniency: Leniency | None
    no_leniency: str


def summary_of(folder: str | Path, *, judge: str = "", human: str = "", seed: int = 42) -> MissingResult:
    """Everything from a run folder.

    Args:
        folder: the run folder.
        judge: whose readings count; a panel's, else the only judge's, else the rule's by default.
        human: judge of the rows that people wrote; empty without.
        seed: seed of the intervals.

    Raises:
        UsageError: there is no run.
        InputError: it is damaged, or states no plan.
    """
    return result_of(read_run(folder), judge=judge, human=human, seed=seed)


def result_of(run: Run, *, judge: str = "", human: str = "", seed: int = 42) -> MissingResult:
    """Everything from a run; arguments and errors as of `summary_of`."""
    outcomes, judgements = run.outcomes.to_pylist(), run.judgements.to_pylist()
    plan = plan_of(run.info.arguments)
    systems = tuple(
        missing_measures(
            outcomes, judgements, plan, system=system, rng=np.random.default_rng(seed), judge=judge, human=human
        )
        for system in run.info.systems
    )
    kept = run.info.arguments["logs"][0].get("dependence") or {}
    found, why = None, ""
    if len(systems) < 2:
        why = "it needs several systems, each with one judge of its maker"
    else:
        try:
            found = leniency(outcomes, judgements, criterion=RECOGNISES, rng=np.random.default_rng(seed))
        except InputError as error:
            why = error.message
    return MissingResult(
        systems=systems,
        underdetermined=underdetermined(kept) if kept.get("records") else None,
        leniency=found,
        no_leniency=why,
    )


def summary(run: Run) -> dict[str, Any]:
    """All measures of a run, as plain values."""
    return result_of(run).to_dict()


def lines(result: Mapping[str, Any]) -> list[str]:
    """The lines for a terminal: both failures side by side, by kind, and what a removal did to the cases."""
    told: list[str] = []
    for one in result["systems"]:
        told.append(f"{one['system']}, as {one['judge']} reads it")
        rows = [("", "items", "confident when gone", "asks when nothing is", "excess", "95 %")]
        pairs = [one["named"], *([one["cut"]] if one["cut"] else []), *one["by_kind"]]
        rows += [
            (
                item["kind"].replace("_", " "), str(item["n_mutants"]), _percent(item["confidence"]["estimate"]),
                _percent(item["over_asking"]["estimate"]), _points(item["excess"]["estimate"]),
                f"{_points(item['excess']['low'])} to {_points(item['excess']['high'])}",
            )
            for item in pairs if item["kind"] != TRUNCATION
        ]  # fmt: skip
        rows += [
            (name, "", _percent(confidence), _percent(asking), "+0", "")
            for name, (confidence, asking) in one["constants"].items()
        ]
        wide = [max(len(row[place]) for row in rows) for place in range(6)]
        told += [
            "  ".join(
                text.ljust(wide[0]) if place == 0 else text.rjust(wide[place]) for place, text in enumerate(row)
            ).rstrip()
            for row in rows
        ]
        told.append(f"untouched repeats read otherwise than the first reply: {_percent(one['noise']['estimate'])}")
        told.append(
            "excess: points by which a reply finds something missing more often when it is than when it is not."
        )
    found = result["underdetermined"]
    if found:
        told.append(
            f"tumor-board cases with a fact on which they hang: {_percent(found['checked']['estimate'])}; "
            f"notes that a cut left underdetermined: {_percent(found['half_turn']['estimate'])}"
        )
    return told


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.0f}"
