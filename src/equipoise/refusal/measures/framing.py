"""The same question from a lay person and from a professional: what the framing alone changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equipoise.refusal.measures.replies import Reply
from equipoise.refusal.terms import Refusal
from equipoise.statistics import Estimate, HypothesisTest, wilcoxon_pairs
from equipoise.statistics.estimate import Result, undefined

Value = Literal["omission", "refused"]

FRAMINGS: tuple[tuple[str, str], ...] = (
    ("layperson", "physician"),
    ("lay", "professional"),
    ("lay", "physician"),
    ("layperson", "professional"),
)
"""Names of the two framings that are known, lay first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FramingGap(Result):
    """First framing less second, over matched pairs.

    Attributes:
        system: the system, or "all".
        value: what is compared: points of omission harm, or the share refused.
        first: the first framing.
        second: the second framing.
        gap: mean over pairs of the first's mean less the second's.
        test: Wilcoxon signed rank over pairs.
        pairs: the gap by pair.
        n_used: replies that entered.
        n_left_out: replies of pairs without a readable value.
        n_pairs_left_out: pairs with readable replies of one framing only.
    """

    system: str
    value: str
    first: str
    second: str
    gap: Estimate
    test: HypothesisTest
    pairs: dict[str, float]
    n_used: int
    n_left_out: int
    n_pairs_left_out: int


def framings_of(replies: Sequence[Reply]) -> tuple[str, str] | None:
    """The two framings of the replies, lay first; None when they are none of `FRAMINGS`."""
    found = {reply.framing for reply in replies if reply.pair}
    return next((names for names in FRAMINGS if set(names) <= found), None)


def framing_gap(
    replies: Sequence[Reply],
    *,
    first: str,
    second: str,
    rng: np.random.Generator,
    value: Value = "omission",
    system: str = "",
    resamples: int = 2000,
    level: float = 0.95,
) -> FramingGap:
    """The gap over pairs; all replies to one side of a pair are averaged first, so that a pair counts once.

    Args:
        replies: replies of one or more systems; those without a pair do not enter.
        first: framing whose mean is taken first.
        second: framing that is taken from it.
        rng: random generator.
        value: omission harm, or whether the reply refuses fully or in part.
        system: name in the result; that of the replies, or "all", by default.
        resamples: resamples of the interval.
        level: coverage aimed at.

    Returns:
        The gap, from -4 to 4 for omission and -1 to 1 for refusal; undefined with fewer than two pairs.

    References:
        Wilcoxon F. Biometrics Bull 1945;1:80-83. doi:10.2307/3001968
    """
    numbers: dict[tuple[str, str], list[float]] = defaultdict(list)
    paired = [reply for reply in replies if reply.pair and reply.framing in (first, second)]
    for reply in paired:
        number = _number(reply, value)
        if number is not None:
            numbers[f"{reply.benchmark}/{reply.pair}", reply.framing].append(number)
    names = sorted({pair for pair, _ in numbers})
    gaps = {
        name: float(np.mean(numbers[name, first]) - np.mean(numbers[name, second]))
        for name in names
        if (name, first) in numbers and (name, second) in numbers
    }
    n_used = sum(len(found) for (name, _), found in numbers.items() if name in gaps)
    test = wilcoxon_pairs(list(gaps.values()), rng=rng, resamples=resamples, level=level)
    systems = sorted({reply.system for reply in paired})
    return FramingGap(
        system=system or (systems[0] if len(systems) == 1 else "all"),
        value=value,
        first=first,
        second=second,
        gap=test.effect or undefined("fewer than two pairs with both framings", n_used=len(gaps)),
        test=test,
        pairs=gaps,
        n_used=n_used,
        n_left_out=len(paired) - sum(len(found) for found in numbers.values()),
        n_pairs_left_out=len({f"{reply.benchmark}/{reply.pair}" for reply in paired}) - len(gaps),
    )


def _number(reply: Reply, value: Value) -> float | None:
    if value == "omission":
        return reply.omission
    return None if reply.refusal is None else float(reply.refusal is not Refusal.NONE)
