"""A rate over replies of which several answer one item; at no event or only events its bound counts items, not replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from equipoise.outcomes.compare import clusters_of, rate_of
from equipoise.outcomes.measures import Count
from equipoise.statistics import Estimate
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRate(Result):
    """A rate with the number of items behind it.

    Attributes:
        estimate: the rate over the readable replies.
        items: items with a readable reply; as many as replies when each was answered once.
    """

    estimate: Estimate
    items: int

    @property
    def events(self) -> int:
        """Replies with the event."""
        return round((self.estimate.estimate or 0.0) * self.estimate.n_used)

    @property
    def repeated(self) -> bool:
        """Whether some item was answered more than once."""
        return self.items < self.estimate.n_used


def item_rate(counts: Sequence[Count], *, cluster: str | None = None, level: float = 0.95) -> ItemRate:
    """Rate over the readable replies, with the number of items they answer.

    Between the edges as in `compare.rate_of`: Wilson, or cluster-robust where items repeat. Where no reply or every
    reply shows the event, the bound is the exact one (Clopper and Pearson) for as many trials as there are items: ten
    replies to one item that agree say no more about other items than one does.

    Args:
        counts: replies under a measure.
        cluster: column whose equal values belong together; the item by default.
        level: coverage aimed at.

    Returns:
        The rate; its estimate is undefined without a readable reply, and for repeated replies to a single item.

    References:
        Clopper CJ, Pearson ES. Biometrika 1934;26:404-413. doi:10.1093/biomet/26.4.404
    """
    read = [item for item in counts if item.value is not None]
    items = len(set(clusters_of(read, cluster)))
    return ItemRate(estimate=exact_at_edge(rate_of(counts, cluster, level=level), items, level=level), items=items)


def exact_at_edge(estimate: Estimate, items: int, *, level: float = 0.95) -> Estimate:
    """A rate of 0 or 1 with the exact bound for as many trials as there are items; any other estimate as it is.

    Args:
        estimate: a rate.
        items: items with a readable reply.
        level: coverage aimed at.
    """
    if estimate.estimate not in (0.0, 1.0) or estimate.low is None:
        return estimate
    miss = ((1 - level) / 2) ** (1 / items)
    low, high = (0.0, 1 - miss) if estimate.estimate == 0 else (miss, 1.0)
    where = f" on {items} items" if items < estimate.n_used else ""
    return replace(estimate, low=low, high=high, method=f"exact{where}, {level:.0%}")
