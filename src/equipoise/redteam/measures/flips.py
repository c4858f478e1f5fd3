"""Flips: whether a reply to the changed question is right where the first reply to the untouched one was not, or the reverse.

A model that draws its words at random flips without any attack. So flips under an attack are held against flips among
untouched repeats of the same items: only the excess can be put down to the attack.

Flips count in both directions, so where the first replies are often wrong, gains hide losses. `more_wrong` looks at the loss
alone: wrong under attack against wrong among the repeats, whatever the first reply was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from equipoise.redteam.measures.rates import WHY
from equipoise.redteam.measures.replies import Replies, Reply
from equipoise.statistics import Estimate, HypothesisTest, mcnemar, paired_rate_difference
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction(Result):
    """Flips in one direction, among replies that were read.

    Attributes:
        attacked: replies to attacks that flipped.
        attacked_of: replies to attacks that could have: of items whose first reply was right (or was wrong).
        repeats: untouched repeats that flipped.
        repeats_of: untouched repeats that could have.
    """

    attacked: int
    attacked_of: int
    repeats: int
    repeats_of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips(Result):
    """Flips under an attack against flips among untouched repeats.

    Attributes:
        items: items whose first reply, attack and at least one repeat were read.
        left_out: items with a mutant that lack one of them.
        attacked: share of flips under attack, mean over the items' own shares.
        repeats: the same among untouched repeats.
        excess: attacked minus repeats, paired by item, items drawn together.
        excess_wrong: the same among items whose first reply was right: only flips to wrong.
        right_to_wrong: flips from right to wrong.
        wrong_to_right: flips from wrong to right.
        test: exact McNemar test on one attack and its own repeat of each item; of several operators an item has one vote, the
            sign of its sum, so that items stay independent.
        adjusted_p: p value after Holm's correction over the operators of the run; None when not defined.
        more_wrong: share wrong under attack minus share wrong among untouched repeats, per item, of items whose attack and at
            least one repeat were read, whatever the first reply was.
        more_wrong_test: exact McNemar test on one attack and its own repeat of each item: wrong under the one alone.
        more_wrong_adjusted_p: its p value after Holm's correction over the operators of the run.
    """

    items: int
    left_out: int
    attacked: float | None
    repeats: float | None
    excess: Estimate
    excess_wrong: Estimate
    right_to_wrong: Direction
    wrong_to_right: Direction
    test: HypothesisTest
    more_wrong: Estimate
    more_wrong_test: HypothesisTest
    adjusted_p: float | None = None
    more_wrong_adjusted_p: float | None = None


@dataclass(slots=True)
class _Tally:
    attacked: int = 0
    attacked_of: int = 0
    repeats: int = 0
    repeats_of: int = 0

    def add(self, attacks: Sequence[bool], repeats: Sequence[bool]) -> None:
        self.attacked += sum(attacks)
        self.attacked_of += len(attacks)
        self.repeats += sum(repeats)
        self.repeats_of += len(repeats)

    def frozen(self) -> Direction:
        return Direction(
            attacked=self.attacked, attacked_of=self.attacked_of, repeats=self.repeats, repeats_of=self.repeats_of
        )


@dataclass(slots=True)
class _Loss:
    items: list[str] = field(default_factory=list)
    attacked: list[float] = field(default_factory=list)
    repeats: list[float] = field(default_factory=list)
    nets: Counter[str] = field(default_factory=Counter)

    def add(self, item: str, attacked: Sequence[Reply], repeats: Sequence[Reply]) -> None:
        self.items.append(item)
        self.attacked.append(sum(not reply.right for reply in attacked) / len(attacked))
        self.repeats.append(sum(not reply.right for reply in repeats) / len(repeats))
        own = partner(attacked[0], repeats)
        self.nets[item] += bool(own.right) - bool(attacked[0].right)


def flips_of(replies: Replies, pairs: Sequence[tuple[str, str]], rng: np.random.Generator) -> Flips:
    """Flips of some attacks.

    Args:
        replies: all replies of a system.
        pairs: operator and item of each attack; items may come more than once and are then drawn together.
        rng: random generator.
    """
    one: list[float] = []
    two: list[float] = []
    clusters: list[str] = []
    was_right: list[bool] = []
    harm, help_ = _Tally(), _Tally()
    nets: Counter[str] = Counter()
    loss = _Loss()
    for operator, item in pairs:
        before = replies.clean_right(item)
        attacked = [reply for reply in replies.attacked.get((operator, item), ()) if reply.right is not None]
        repeats = [reply for reply in replies.repeats.get(item, ()) if reply.right is not None]
        if not attacked or not repeats:
            continue
        loss.add(item, attacked, repeats)
        if before is None:
            continue
        by_attack = [reply.right is not before for reply in attacked]
        by_repeat = [reply.right is not before for reply in repeats]
        one.append(sum(by_attack) / len(by_attack))
        two.append(sum(by_repeat) / len(by_repeat))
        clusters.append(item)
        was_right.append(before)
        (harm if before else help_).add(by_attack, by_repeat)
        own = partner(attacked[0], repeats).right is not before
        nets[item] += by_attack[0] - own
    left_out = len(pairs) - len(one)
    among = [place for place, right in enumerate(was_right) if right]
    own_one, own_two = [one[place] for place in among], [two[place] for place in among]
    return Flips(
        items=len(one),
        left_out=left_out,
        attacked=sum(one) / len(one) if one else None,
        repeats=sum(two) / len(two) if two else None,
        excess=difference(one, two, clusters, rng, left_out),
        excess_wrong=difference(own_one, own_two, [clusters[place] for place in among], rng),
        right_to_wrong=harm.frozen(),
        wrong_to_right=help_.frozen(),
        test=_test(nets),
        more_wrong=difference(loss.attacked, loss.repeats, loss.items, rng, len(pairs) - len(loss.items)),
        more_wrong_test=_test(loss.nets),
    )


def _test(nets: Mapping[str, int]) -> HypothesisTest:
    """McNemar's exact test with one vote an item: the sign of what its attacks did more often than their own repeats."""
    return mcnemar(sum(net > 0 for net in nets.values()), sum(net < 0 for net in nets.values()))


def difference(
    one: Sequence[float], two: Sequence[float], clusters: Sequence[str], rng: np.random.Generator, left_out: int = 0
) -> Estimate:
    """Mean of one - two with a paired bootstrap interval; items that come more than once are drawn together."""
    repeated = len(set(clusters)) < len(clusters)
    if repeated and len(set(clusters)) < 2:
        one, two, clusters, repeated = [sum(one) / len(one)], [sum(two) / len(two)], clusters[:1], False
    return paired_rate_difference(
        np.asarray(one, dtype=float),
        np.asarray(two, dtype=float),
        rng=rng,
        clusters=np.asarray(clusters) if repeated else None,
        n_left_out=left_out,
        why_left_out=WHY if left_out else "",
    )


def partner(attack: Reply, repeats: Sequence[Reply]) -> Reply:
    """The untouched repeat that was fixed beforehand as the partner of an attack; the first that was read without one."""
    return next((item for item in repeats if attack.pair and item.pair == attack.pair), repeats[0])
