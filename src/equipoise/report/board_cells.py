"""Cells and words of the board page: scores on their scales, faults as counts, what a mean rests on."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.boards.judging.criteria import BOARD, TURN
from equipoise.report.measured import p_text, rate_text
from equipoise.report.numbers import of, score
from equipoise.report.redteam_contexts import TableCell
from equipoise.statistics.estimate import Estimate
from equipoise.studies.board_scores import BENCHMARKS, CONSTANTS, ENOUGH_ITEMS, FEWEST_RECORDINGS, BoardMean

ITEMS = {TURN: "question", BOARD: "case"}
"""What an item of each benchmark is called."""


def places(lowest: float, highest: float) -> int:
    """Decimals of a score: two on a scale of points, three on one from 0 to 1."""
    return 3 if max(lowest, highest) <= 1 else 2


def score_text(estimate: Estimate, decimals: int) -> str:
    """A mean with its interval and counts: "2.40 (2.10 to 2.71), n 66; 2 left out"."""
    return score(
        estimate.estimate, estimate.low, estimate.high, estimate.n_used, places=decimals, left_out=estimate.n_left_out
    )


def number(value: float | None, decimals: int) -> str:
    """A bare mean; a dash where there is none."""
    return "-" if value is None else f"{value:.{decimals}f}"


def mean_cell(mean: BoardMean, which: str) -> TableCell:
    """The floored or the scored-only mean.

    Args:
        mean: the mean.
        which: floored or scored_only.
    """
    estimate: Estimate = getattr(mean, which)
    text = score_text(estimate, places(mean.lowest, mean.highest))
    return TableCell(text, "score", f"{mean.criterion}_{which}", estimate.n_used, estimate.n_left_out)


def range_cell(mean: BoardMean) -> TableCell:
    """Between what a mean could be if everything without a score had the worst or the best value."""
    if mean.in_scope == mean.scored:
        return TableCell("all were scored", "method")
    decimals = places(mean.lowest, mean.highest)
    return TableCell(f"{number(mean.worst, decimals)} to {number(mean.best, decimals)}", "method")


def fault_cell(mean: BoardMean) -> TableCell:
    """A fault over the judged replies: a rate with its interval, or the counts where there are too few recordings."""
    estimate = mean.scored_only
    if estimate.estimate is None:
        text = "not defined: none was judged" if estimate.n_left_out else "not defined: no reply to judge"
    elif estimate.low is None:
        text = of(round(estimate.estimate * estimate.n_used), estimate.n_used)
        text += f"; {estimate.n_left_out} left out" if estimate.n_left_out else ""
    else:
        text = rate_text(estimate)
    return TableCell(text, "rate", mean.criterion.replace("-", "_"), estimate.n_used, estimate.n_left_out)


def fault_range(mean: BoardMean) -> TableCell:
    """How often a fault could stand in the replies that can hold one, were all without a verdict free of it or none: "3 to 48 of 117"."""
    missing = mean.in_scope - mean.scored
    if not missing:
        return TableCell("all were judged" if mean.scored else "no reply to judge", "method")
    found = round((mean.scored_only.estimate or 0.0) * mean.scored)
    return TableCell(f"{found} to {of(found + missing, mean.in_scope)}", "method")


def rests_on(mean: BoardMean) -> TableCell:
    """Items and recordings behind a mean, and whether they are too few for a comparison."""
    words = f"{mean.items} items, {mean.recordings} recordings"
    return TableCell(f"{words}; underpowered" if mean.underpowered else words, "method")


FEW_WORDS = (
    f"Underpowered: under {ENOUGH_ITEMS} items, as the field calls it. Under {FEWEST_RECORDINGS} recordings there is no interval and no "
    "test."
)
"""What the two limits mean, once a section."""


def p_cell(value: float | None) -> TableCell:
    """A p value to three decimals."""
    if value is None:
        return TableCell("no test")
    return TableCell("below 0.001" if value < 0.001 else p_text(value))


def place_words(benchmark: str, stage: str) -> str:
    """A stage in words: "Board Simulation, captions, agents+auditor"."""
    return ", ".join(part for part in (BENCHMARKS.get(benchmark, benchmark), stage) if part)


def stage_of(mean: BoardMean) -> str:
    """Arm and setting of a mean."""
    return f"{mean.arm}, {mean.setting}"


def constants_last(means: Sequence[BoardMean]) -> list[BoardMean]:
    """Systems by name, the ones that read nothing after them."""
    return sorted(means, key=lambda item: (item.system in CONSTANTS, item.system))


def place_order(mean: BoardMean) -> tuple[str, bool, bool, str, str]:
    """An order of rows: arm, single before agents, constants last, setting, system."""
    return mean.arm, mean.system in CONSTANTS, mean.setting != "single", mean.setting, mean.system
