"""Rates of the refusal measures as they are drawn and printed: with their own interval where replies come in clusters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from equipoise.refusal.measures.rates import CALIBRATED_ELSEWHERE, MeasuredRate
from equipoise.report.measured import points_text, reason, signed
from equipoise.report.numbers import FEW, FEWEST_FOR_A_RATE, Rate, Score, decimals, interval, of, percent
from equipoise.statistics.bounds import Bounds
from equipoise.statistics.estimate import Estimate


@dataclass(frozen=True, slots=True)
class OwnRate(Rate):
    """A rate whose interval is its own at every count: over clusters, 0 of 200 is weaker than over 200 items.

    Attributes:
        own: whether the interval's own ends are printed at no event or only events.
        why: why it is not defined; empty when it is.
    """

    own: bool = False
    why: str = ""

    @property
    def _edge(self) -> bool:
        return self.own and self.n > 0 and self.events in (0, self.n)

    @property
    def halves(self) -> tuple[str, str]:
        """The estimate with its interval, and the counts."""
        if not self._edge or not self.shown:
            return Rate.halves.fget(self)  # type: ignore[attr-defined,no-any-return]
        end = self.high if self.events == 0 else self.low
        return f"{'up to' if self.events == 0 else 'at least'} {100 * end:.1f} %", of(self.events, self.n)

    @property
    def bounds(self) -> tuple[str, str, str]:
        """Estimate, lower and upper bound in percent without the sign; empty when not shown."""
        if not self._edge or not self.shown:
            return Rate.bounds.fget(self)  # type: ignore[attr-defined,no-any-return]
        return percent(self.events / self.n, self.n), f"{100 * self.low:.1f}", f"{100 * self.high:.1f}"

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds that are drawn, as fractions."""
        return (self.low, self.high) if self._edge else Rate.ends.fget(self)  # type: ignore[attr-defined]

    @property
    def text(self) -> str:
        """The rate as it stands in text."""
        left = f"; {self.left_out} left out" if self.left_out else ""
        if self.why:
            return f"not defined: {self.why}{left}"
        if not self._edge or not self.shown:
            return Rate.text.fget(self)  # type: ignore[attr-defined,no-any-return]
        estimate, counts = self.halves
        return f"{counts}; {estimate}{' (few)' if self.n < FEW else ''}{left}"


def drawn(key: str, name: str, estimate: Estimate) -> OwnRate:
    """An estimate of a proportion as the drawings and cells take it.

    Args:
        key: machine name.
        name: as it is printed.
        estimate: the proportion; one that is not defined stands for no case.
    """
    if estimate.estimate is None:
        why = estimate.method.removeprefix("undefined: ")
        return OwnRate(key, name, 0, 0, 0.0, 1.0, estimate.method, estimate.n_used + estimate.n_left_out, why=why)
    events = round(estimate.estimate * estimate.n_used)
    own = not estimate.method.startswith("Wilson, ")
    method = _short(estimate.method)
    if not own and events in (0, estimate.n_used):
        method = "exact, 95 %"
    low, high = (0.0 if estimate.low is None else estimate.low), (1.0 if estimate.high is None else estimate.high)
    return OwnRate(key, name, events, estimate.n_used, low, high, method, estimate.n_left_out, own=own)


def _short(method: str) -> str:
    """How an interval was made, short enough for a cell."""
    clusters = re.search(r"in (\d+) clusters", method)
    text = method if clusters is None else f"over {clusters[1]} clusters, 95%"
    return text.replace("95%", "95 %")


def crude(rate: MeasuredRate, name: str = "") -> OwnRate:
    """The crude form of a measured rate.

    Args:
        rate: the rate.
        name: as it is printed; that of its definition by default.
    """
    return drawn(rate.definition.id, name or rate.definition.name, rate.crude)


def score_of(key: str, name: str, estimate: Estimate, *, places: int = 2) -> Score:
    """An estimate that is no proportion.

    Args:
        key: machine name.
        name: as it is printed.
        estimate: the estimate.
        places: decimals.
    """
    return Score(
        key, name, estimate.estimate, estimate.low, estimate.high, estimate.n_used, estimate.method,
        estimate.n_left_out, places,
    )  # fmt: skip


def share_text(estimate: Estimate | None, refused: str) -> str:
    """A rate that is no count of replies (standardised, corrected): estimate, interval, replies behind it.

    Args:
        estimate: the rate; None when refused.
        refused: why there is none.
    """
    if estimate is None:
        return f"not done: {refused}"
    if estimate.estimate is None:
        return reason(estimate)
    if estimate.n_used < FEWEST_FOR_A_RATE:
        return f"n {estimate.n_used}, below 10"
    n = estimate.n_used
    outside = "" if 0 <= estimate.estimate <= 1 else "; outside 0 to 100, the labels may not fit these replies"
    if estimate.low is None or estimate.high is None:
        return f"{percent(estimate.estimate, n)} % (interval not available), n {n}{outside}"
    return f"{percent(estimate.estimate, n)} % ({interval(estimate.low, estimate.high, n)}), n {n}{outside}"


def corrected_text(rate: MeasuredRate) -> str:
    """The corrected rate, what its interval was made of, and what the human labels do not speak for.

    Args:
        rate: the rate.
    """
    text = share_text(rate.corrected, rate.corrected_refused)
    cell = rate.calibration
    if rate.corrected is None or rate.corrected.estimate is None or cell is None:
        return text
    counts = cell.calibration
    labels = f"{counts.positives} positive and {counts.negatives} negative labels"
    made = (
        f"bootstrap over {cell.n_clusters} clusters of replies and {cell.n_label_clusters} of labels, {labels}"
        if cell.n_clusters
        else f"Lang-Reiczigel, replies independent, {labels}"
    )
    elsewhere = [warning for warning in rate.corrected.warnings if warning.startswith(CALIBRATED_ELSEWHERE)]
    return "; ".join((text, made, *elsewhere))


def bounds_text(bounds: Bounds | None, none: str, *, unread: bool = True) -> str:
    """Best and worst value of a rate.

    Args:
        bounds: the bounds; None when there are none.
        none: what stands there then.
        unread: whether the number of unread replies is named.
    """
    if bounds is None:
        return none
    if bounds.low is None or bounds.high is None:
        return "not defined"
    n = bounds.rate.n_used + (bounds.rate.n_left_out if unread else 0)
    if n < FEWEST_FOR_A_RATE:
        return f"n {n}, below 10"
    places = decimals(n)
    text = f"{100 * bounds.low:.{places}f} to {100 * bounds.high:.{places}f} %"
    return f"{text}, {bounds.rate.n_left_out} of {n} not read" if bounds.rate.n_left_out and unread else text


def unread_text(rate: MeasuredRate) -> str:
    """Range of a rate over all replies, and what became of those that could not be read.

    Args:
        rate: the rate.
    """
    if not rate.left_out:
        return "every reply was read" if rate.n_used else "no reply"
    states = ", ".join(f"{number} {state}" for state, number in rate.left_out.items())
    return f"{bounds_text(rate.unread, '')} ({states})"


def effect_text(value: float | None) -> str:
    """Cohen's h with its sign; "not defined" without one."""
    return "not defined" if value is None else signed(value, 2)


def part_text(estimate: Estimate) -> str:
    """A part of a gap in points; one whose interval no resample defines says so.

    Args:
        estimate: the part, a difference of proportions.
    """
    if estimate.estimate is not None and (estimate.low is None or estimate.high is None):
        return f"{signed(100 * estimate.estimate, 1)} points (interval not available)"
    return points_text(estimate)
