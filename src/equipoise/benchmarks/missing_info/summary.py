"""What a run folder of the missing-information test comes to, system by system."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from equipoise.benchmarks.missing_info.asking import RECOGNISES
from equipoise.benchmarks.missing_info.leniency import leniency
from equipoise.errors import InputError
from equipoise.outcomes.run import read_run
from equipoise.redteam.missing.measures import MissingMeasures, Underdetermined, missing_measures, underdetermined
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
    run = read_run(folder)
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
