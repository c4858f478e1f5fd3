"""The systems of some runs, each with its rows at hand, and their rates as the page of several systems shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow.compute as pc

from equipoise.benchmarks.openmtb.rates import FALSE_APPROVAL, OVER_REFUSAL, WITHOUT_INFORMATION
from equipoise.errors import InputError
from equipoise.outcomes.item_rates import ItemRate, item_rate
from equipoise.outcomes.measures import Count, Measure, count
from equipoise.outcomes.run import Run
from equipoise.report.measured import drawn_rate, shown_item_rate
from equipoise.report.numbers import Rate
from equipoise.report.result_contexts import ShownRate

KEYS = {FALSE_APPROVAL.id: "false_approvals", WITHOUT_INFORMATION.id: "approvals_without_information"}
"""Keys of rates on a page; others by the id of the measure."""

NAMES = {OVER_REFUSAL.id: "over-refusal", FALSE_APPROVAL.id: "false approval"}
"""How the rates that are drawn are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """One system of a run: a run of its own, with its rows at hand.

    Attributes:
        name: as printed; with the run where two runs hold it.
        run: the run, restricted to the system.
        rows: its rows.
        rates: rates that were asked for, by measure; each is counted once.
    """

    name: str
    run: Run
    rows: list[dict[str, Any]]
    rates: dict[str, ItemRate] = field(default_factory=dict, repr=False, compare=False)

    @property
    def items(self) -> set[str]:
        """Items it was asked."""
        return {row["item"] for row in self.rows}

    def counts(self, measure: Measure) -> tuple[Count, ...]:
        """Its replies under a measure."""
        return count(self.run, measure)

    def rate(self, measure: Measure) -> ItemRate:
        """Its rate under a measure."""
        if measure.id not in self.rates:
            self.rates[measure.id] = item_rate(self.counts(measure))
        return self.rates[measure.id]

    def shown(self, measure: Measure) -> ShownRate:
        """The rate for a cell."""
        return shown_item_rate(key_of(measure), self.rate(measure))

    def drawn(self, measure: Measure) -> Rate:
        """The rate for a drawing."""
        return drawn_rate(key_of(measure), NAMES[measure.id], self.rate(measure))


def key_of(measure: Measure) -> str:
    """The key of a measure's rate on a page."""
    return KEYS.get(measure.id, measure.id)


def systems_of(runs: Sequence[Run]) -> list[System]:
    """The systems of some runs, in their order.

    Args:
        runs: runs of one benchmark and dataset.

    Raises:
        InputError: no run, a run without replies, or runs of different benchmarks or cases.
    """
    _require_alike(runs)
    names = Counter(name for run in runs for name in set(run.outcomes.column("system").to_pylist()))
    found = []
    for run in runs:
        for name in dict.fromkeys(run.outcomes.column("system").to_pylist()):
            part = run.outcomes.filter(pc.equal(run.outcomes.column("system"), name))
            shown = name if names[name] == 1 else f"{name} [{run.info.run_id}]"
            judged = run.judgements.filter(
                pc.is_in(run.judgements.column("reply_id"), value_set=part.column("reply_id").combine_chunks())
            )
            own = Run(info=run.info, outcomes=part, judgements=judged)
            found.append(System(name=shown, run=own, rows=part.to_pylist()))
    return found


def _require_alike(runs: Sequence[Run]) -> None:
    if not runs:
        message = "expected at least one run"
        raise InputError(message)
    for run in runs:
        if run.outcomes.num_rows == 0:
            message = f"run {run.info.run_id} holds no reply"
            raise InputError(message)
    for name in ("benchmark", "dataset_hash"):
        values = sorted({str(getattr(run.info, name)) for run in runs})
        if len(values) > 1:
            message = (
                f"the runs differ in {name} ({', '.join(values)}); systems are put side by side on the same cases only"
            )
            raise InputError(message, field=name)
