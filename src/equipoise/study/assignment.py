"""Which rater labels which items, in which order: drawn from a seed, balanced, and the same on every machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One place in a rater's queue.

    Attributes:
        item: name of the item.
        purpose: "training", "main", "attention" or "repeat".
        repeat: 1, and 2 where the rater meets the item again.
    """

    item: str
    purpose: str
    repeat: int = 1


def overlap(
    strata: Mapping[str, str], raters: Sequence[str], *, per_item: int, share: float, rng: np.random.Generator
) -> dict[str, tuple[str, ...]]:
    """The raters of every item.

    A share of the items, drawn from each stratum, goes to `per_item` raters; every other item to one. Loads of two raters
    differ by at most one item, and pairs of raters meet as evenly as that allows.

    Args:
        strata: stratum by item, in the order of the import.
        raters: their codes.
        per_item: raters of an item of the overlap, at most all of them.
        share: share of the overlap, 0 to 1; rounded up in each stratum.
        rng: random generator.

    Raises:
        ValueError: no rater, or more raters an item than there are.
    """
    if not 1 <= per_item <= len(raters):
        message = f"expected 1 to {len(raters)} raters an item, found {per_item}"
        raise ValueError(message)
    groups = _groups(strata)
    double: set[str] = set()
    for items in groups.values():
        order = [items[place] for place in rng.permutation(len(items))]
        double |= set(order[: int(np.ceil(share * len(order) - 1e-9))])
    load: Counter[str] = Counter()
    met: Counter[frozenset[str]] = Counter()
    chosen: dict[str, tuple[str, ...]] = {}
    # Items with the most raters first, so that single ones even out the loads at the end.
    for item in sorted(strata, key=lambda name: name not in double):
        ties = dict(zip(raters, rng.permutation(len(raters)).tolist(), strict=True))
        picked: list[str] = []
        for _ in range(per_item if item in double else 1):
            rest = [rater for rater in raters if rater not in picked]
            best = min(
                rest, key=lambda rater: (load[rater], sum(met[frozenset((rater, one))] for one in picked), ties[rater])
            )
            picked.append(best)
        for rater in picked:
            load[rater] += 1
        met.update(frozenset((one, two)) for place, one in enumerate(picked) for two in picked[place + 1 :])
        chosen[item] = tuple(rater for rater in raters if rater in picked)
    return {item: chosen[item] for item in strata}


def queue(
    strata: Mapping[str, str],
    *,
    place: int,
    raters: int,
    rng: np.random.Generator,
    training: Sequence[str] = (),
    attention: Sequence[str] = (),
    repeats: float = 0.0,
) -> list[Turn]:
    """One rater's order.

    Each stratum is cut into as many parts as there are raters, the same for all; rater k begins with part k, so that over
    all raters an item stands equally often early and late. Within a part the order is the rater's own, and the strata
    are spread evenly over the whole. Repeats come from the first half and stand in the last quarter. Attention items
    are spread over the whole, training comes first.

    Args:
        strata: stratum by item that this rater labels, in the order of the import.
        place: number of the rater, from 0.
        raters: raters of the study.
        rng: the rater's own random generator.
        training: items of the training, in their order.
        attention: items that check attention.
        repeats: share of the items shown twice, 0 to 0.5.
    """
    spread: list[tuple[float, str]] = []
    for items in _groups(strata).values():
        parts = np.array_split(np.arange(len(items)), max(1, raters))
        turned = [parts[(place + step) % len(parts)] for step in range(len(parts))]
        order = [items[number] for part in turned for number in rng.permutation(part)]
        spread += [((rank + rng.random()) / len(order), item) for rank, item in enumerate(order)]
    turns = [Turn(item=item, purpose="main") for _, item in sorted(spread)]
    first = turns[: (len(turns) + 1) // 2]
    again = [first[number].item for number in rng.permutation(len(first))[: round(repeats * len(turns))]]
    late = len(turns) - len(turns) // 4
    for item in again:
        turns.insert(int(rng.integers(late, len(turns) + 1)), Turn(item=item, purpose="repeat", repeat=2))
    size = len(turns)
    checks = [attention[number] for number in rng.permutation(len(attention))]
    for rank in reversed(range(len(checks))):
        spot = int((rank + rng.random()) * size / len(checks))
        turns.insert(spot, Turn(item=checks[rank], purpose="attention"))
    return [*(Turn(item=item, purpose="training") for item in training), *turns]


def _groups(strata: Mapping[str, str]) -> dict[str, list[str]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for item, stratum in strata.items():
        groups[stratum].append(item)
    return {name: groups[name] for name in sorted(groups)}
