"""A rate with what could not be read: numerator, denominator, interval, and the rates if all or none of it had shown the event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.statistics import Estimate, cluster_bootstrap_rate, wilson
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate(Result):
    """A share.

    Attributes:
        events: numerator.
        out_of: denominator of the estimate.
        failed: replies that could not be read or were never asked and that could have shown the event.
        estimate: the rate with its interval; undefined when the denominator is 0.
        lowest: rate if no failed reply had shown the event, 0 to 1; None without any reply.
        highest: rate if every one had.
    """

    events: int
    out_of: int
    failed: int
    estimate: Estimate
    lowest: float | None
    highest: float | None


WHY = "not read (empty, blocked, truncated, unparsed, error) or not asked"


def rate_of_read(events: int, read: int, failed: int, estimate: Estimate | None = None) -> Rate:
    """A rate among the replies that were read: events / read, bounds over read and failed.

    Args:
        events: events among the replies that were read.
        read: replies that were read.
        failed: the others.
        estimate: another interval than Wilson's.
    """
    everything = read + failed
    return Rate(
        events=events,
        out_of=read,
        failed=failed,
        estimate=estimate or wilson(events, read, n_left_out=failed, why_left_out=WHY if failed else ""),
        lowest=events / everything if everything else None,
        highest=(events + failed) / everything if everything else None,
    )


def rate_of_all(events: int, everything: int, failed: int, estimate: Estimate | None = None) -> Rate:
    """A rate over a denominator frozen before the run: events / all, where failed ones stay in the denominator.

    Args:
        events: events.
        everything: the frozen denominator.
        failed: replies of it that could not be read and could have shown the event.
        estimate: another interval than Wilson's.
    """
    return Rate(
        events=events,
        out_of=everything,
        failed=failed,
        estimate=estimate or wilson(events, everything),
        lowest=events / everything if everything else None,
        highest=(events + failed) / everything if everything else None,
    )


def clustered(hits: Sequence[bool], clusters: Sequence[str], rng: np.random.Generator, failed: int = 0) -> Estimate:
    """Wilson's interval when every item gave one reply, otherwise a bootstrap over items.

    Args:
        hits: whether each reply shows the event.
        clusters: its item.
        rng: random generator.
        failed: replies left out.
    """
    why = WHY if failed else ""
    if len(set(clusters)) == len(clusters) or len(set(clusters)) < 2:
        return wilson(sum(hits), len(hits), n_left_out=failed, why_left_out=why)
    return cluster_bootstrap_rate(
        np.asarray(hits, dtype=float), np.asarray(clusters), rng=rng, n_left_out=failed, why_left_out=why
    )
