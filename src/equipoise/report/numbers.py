"""Numbers as they are printed: pure functions from counts and intervals to text, nothing else.

A rate stands with its interval and its counts. Below 10 cases there is no rate, only "2 of 7"; one decimal from 200
cases on, none below; zero events give an upper bound in words. Between two bounds stands "to", never a dash.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass

FEWEST_FOR_A_RATE = 10
"""Below this many cases only the counts are printed."""

FEW = 30
"""Below this many cases a rate is marked "few", with an open marker and a dashed interval."""

FEWEST_FOR_A_DECIMAL = 200
"""From this many cases on, percentages carry one decimal."""

_ALPHA = 0.05


def exact_bound(n: int) -> float:
    """The upper end of the exact two-sided 95 % interval for 0 of n events, as a fraction (Clopper and Pearson 1934).

    Args:
        n: number of cases, at least 1.

    Raises:
        ValueError: n is below 1.
    """
    if n < 1:
        message = "a bound needs at least one case"
        raise ValueError(message)
    return float(1 - (_ALPHA / 2) ** (1 / n))


def decimals(n: int) -> int:
    """Decimals of a percentage that rests on n cases."""
    return 1 if n >= FEWEST_FOR_A_DECIMAL else 0


def percent(share: float, n: int) -> str:
    """A share as a bare percentage number without its sign: 0.0408 of 441 cases is "4.1".

    Args:
        share: a fraction from 0 to 1.
        n: number of cases it rests on; decides the decimals.
    """
    return f"{100 * share:.{decimals(n)}f}"


def of(events: int, n: int) -> str:
    """Counts alone: "18 of 441"."""
    return f"{events} of {n}"


def interval(low: float, high: float, n: int) -> str:
    """Two bounds in percent without the sign: "2.6 to 6.4"."""
    return f"{percent(low, n)} to {percent(high, n)}"


def share(events: int, n: int, low: float, high: float, *, units: int = 0) -> tuple[str, str]:
    """The two halves of a printed rate: the estimate with its interval, and the counts.

    Args:
        events: number of events.
        n: number of cases used.
        low: lower bound of the 95 % interval as a fraction; not used when no or all cases are events.
        high: upper bound as a fraction.
        units: items behind the n replies where items were answered more than once; 0 when each was answered once.

    Returns:
        ("4.1 % (2.6 to 6.4)", "18 of 441"); the first half is empty below 10 cases, and "up to 6.0 %" or
        "at least 94.0 %" when there are no events or only events. That bound counts items: "0 of 180, 60 items".
    """
    if n < FEWEST_FOR_A_RATE:
        return "", of(events, n)
    counts = of(events, n) + (f", {count(units, 'item')}" if 0 < units < n else "")
    if events == 0:
        return f"up to {100 * exact_bound(units or n):.1f} %", counts
    if events == n:
        return f"at least {100 * (1 - exact_bound(units or n)):.1f} %", counts
    return f"{percent(events / n, n)} % ({interval(low, high, n)})", of(events, n)


def rate(events: int, n: int, low: float, high: float, *, left_out: int = 0, units: int = 0) -> str:
    """A rate as it stands in text: "4.1 % (2.6 to 6.4), 18 of 441".

    Args:
        events: number of events.
        n: number of cases used; 0 gives "not defined: no case", or "none was read" where some were left out.
        low: lower bound of the 95 % interval as a fraction; not used when no or all cases are events.
        high: upper bound as a fraction.
        left_out: cases that could not be used; named when there are any.
        units: as in `share`.
    """
    if n == 0:
        text = "not defined: none was read" if left_out else "not defined: no case"
    else:
        estimate, counts = share(events, n, low, high, units=units)
        if not estimate:
            text = counts
        elif estimate.startswith(("up", "at")):
            text = f"{counts}; {estimate}"
        else:
            text = f"{estimate}, {counts}"
        if n >= FEWEST_FOR_A_RATE and (units or n) < FEW:
            text += " (few)"
    return f"{text}; {left_out} left out" if left_out else text


def score(
    estimate: float | None, low: float | None, high: float | None, n: int, *, places: int = 3, left_out: int = 0
) -> str:
    """A score that is not a proportion of cases: "0.930 (0.905 to 0.951), n 500".

    Args:
        estimate: the score; None or NaN gives "not defined".
        low: lower bound; None or NaN gives "interval not available".
        high: upper bound.
        n: number of cases used.
        places: decimals.
        left_out: cases that could not be used; named when there are any.
    """
    if estimate is None or math.isnan(estimate):
        return "not defined"
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        text = f"{estimate:.{places}f} (interval not available), n {n}"
    else:
        text = f"{estimate:.{places}f} ({low:.{places}f} to {high:.{places}f}), n {n}"
    return f"{text}; {left_out} left out" if left_out else text


def count(n: int, noun: str, plural: str = "") -> str:
    """A counted noun: "1 case", "2 cases".

    Args:
        n: the number.
        noun: singular.
        plural: plural, when it is not the singular with an s.
    """
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def iso(day: dt.date | str | None) -> str:
    """A day as ISO text; None gives "not stated".

    Args:
        day: a date, or text that begins with an ISO date.

    Raises:
        ValueError: the text does not begin with an ISO date.
    """
    if day is None or day == "":
        return "not stated"
    if isinstance(day, dt.datetime):
        return day.date().isoformat()
    if isinstance(day, dt.date):
        return day.isoformat()
    return dt.date.fromisoformat(day[:10]).isoformat()


def listed(words: list[str] | tuple[str, ...]) -> str:
    """Words joined as in a sentence: "a", "a and b", "a, b and c"; "none" for no word."""
    if not words:
        return "none"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


@dataclass(frozen=True, slots=True)
class Rate:
    """A proportion of cases, with what a reader needs to dispute it.

    Attributes:
        key: machine name ("over_refusal_rate").
        name: as it is printed.
        events: number of events.
        n: number of cases used.
        low: lower bound of the 95 % interval, as a fraction.
        high: upper bound.
        method: how the interval was computed.
        left_out: cases that could not be used.
        units: items behind the n replies where items were answered more than once; 0 when each was answered once.
    """

    key: str
    name: str
    events: int
    n: int
    low: float
    high: float
    method: str
    left_out: int = 0
    units: int = 0

    @property
    def estimate(self) -> float | None:
        """The proportion as a fraction; None without cases."""
        return self.events / self.n if self.n else None

    @property
    def shown(self) -> bool:
        """Whether there are enough cases for a rate rather than counts alone."""
        return self.n >= FEWEST_FOR_A_RATE

    @property
    def few(self) -> bool:
        """Whether the rate rests on few cases."""
        return (self.units or self.n) < FEW

    @property
    def text(self) -> str:
        """The rate as it stands in text."""
        return rate(self.events, self.n, self.low, self.high, left_out=self.left_out, units=self.units)

    @property
    def halves(self) -> tuple[str, str]:
        """The estimate with its interval, and the counts."""
        return share(self.events, self.n, self.low, self.high, units=self.units)

    @property
    def bounds(self) -> tuple[str, str, str]:
        """Estimate, lower and upper bound in percent without the sign, as a table prints them; empty when not shown."""
        if not self.shown:
            return "", "", ""
        low, high = self.low, self.high
        places = decimals(self.n)
        if self.events == 0:
            low, high, places = 0.0, exact_bound(self.units or self.n), 1
        elif self.events == self.n:
            low, high, places = 1 - exact_bound(self.units or self.n), 1.0, 1
        return percent(self.events / self.n, self.n), f"{100 * low:.{places}f}", f"{100 * high:.{places}f}"

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds that are drawn and printed, as fractions: exact at no event or only events, on items."""
        if self.n and self.events == 0:
            return 0.0, exact_bound(self.units or self.n)
        if self.n and self.events == self.n:
            return 1 - exact_bound(self.units or self.n), 1.0
        return self.low, self.high


@dataclass(frozen=True, slots=True)
class Score:
    """A score that is no proportion of cases (F1, a composite).

    Attributes:
        key: machine name ("macro_f1").
        name: as it is printed.
        estimate: the score; None when not defined.
        low: lower bound of the 95 % interval; None when not available.
        high: upper bound; None when not available.
        n: number of cases used.
        method: how the interval was computed; empty when there is none.
        left_out: cases that could not be used.
        places: decimals that are printed.
    """

    key: str
    name: str
    estimate: float | None
    low: float | None
    high: float | None
    n: int
    method: str = ""
    left_out: int = 0
    places: int = 3

    @property
    def text(self) -> str:
        """The score as it stands in text."""
        return score(self.estimate, self.low, self.high, self.n, places=self.places, left_out=self.left_out)
