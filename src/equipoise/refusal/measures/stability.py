"""What is not the model's tendency: replies that flip over trials, and verdicts that differ over judges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from equipoise.refusal.measures.definitions import Definition
from equipoise.refusal.measures.rates import clustered_rate
from equipoise.refusal.measures.replies import Reply, cluster_column, cluster_labels
from equipoise.refusal.terms import Refusal
from equipoise.statistics import Estimate
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipRate(Result):
    """How often the trials of one prompt disagree.

    Attributes:
        system: the system.
        arm: the arm; "all" for all of them.
        refused: share of prompts whose readable trials are neither all refused (fully or in part) nor all not.
        three_way: the same over none, partial and full.
        worst: share of prompts with the definition's event in at least one trial; None without a definition.
        n_prompts: prompts with at least two readable trials.
        n_left_out: prompts with fewer.
    """

    system: str
    arm: str
    refused: Estimate
    three_way: Estimate
    worst: Estimate | None
    n_prompts: int
    n_left_out: int


def flip_rate(replies: Sequence[Reply], *, definition: Definition | None = None, level: float = 0.95) -> FlipRate:
    """Flip rate of one system over trials.

    Args:
        replies: replies of one system.
        definition: restricts to its arm and gives the set-level worst case; None takes all arms.
        level: coverage aimed at.

    Returns:
        Undefined when no prompt has two readable trials.
    """
    own = [reply for reply in replies if definition is None or definition.enters(reply)]
    cells: dict[tuple[str, str], list[Reply]] = defaultdict(list)
    for reply in own:
        cells[reply.benchmark, reply.item].append(reply)
    read = {key: [reply for reply in cell if reply.refusal is not None] for key, cell in cells.items()}
    kept = [cell for cell in read.values() if len(cell) > 1]
    left = len(cells) - len(kept)
    labels = cluster_labels([cell[0] for cell in kept], cluster_column(own))
    why = "fewer than two readable trials" if left else ""
    rates = [
        clustered_rate(hits, labels, n_left_out=left, why_left_out=why, level=level)
        for hits in (
            [len({reply.refusal is Refusal.NONE for reply in cell}) > 1 for cell in kept],
            [len({reply.refusal for reply in cell}) > 1 for cell in kept],
        )
    ]
    worst = None
    if definition is not None:
        worst = clustered_rate(
            [any(definition.occurs(reply) for reply in cell) for cell in kept],
            labels,
            n_left_out=left,
            why_left_out=why,
            level=level,
        )
    return FlipRate(
        system=own[0].system if own else "",
        arm="all" if definition is None else definition.arm.value,
        refused=rates[0],
        three_way=rates[1],
        worst=worst,
        n_prompts=len(kept),
        n_left_out=left,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSpread(Result):
    """One rate under each judge.

    Attributes:
        definition: what is counted.
        system: the system.
        by_judge: the rate under each judge.
        spread: largest less smallest rate, 0 to 1; None with fewer than two judges.
        disagreement: share of replies read by at least two judges on which they differ in the event.
    """

    definition: Definition
    system: str
    by_judge: Mapping[str, Estimate]
    spread: float | None
    disagreement: Estimate


def judge_spread(replies: Sequence[Reply], definition: Definition, *, level: float = 0.95) -> JudgeSpread:
    """Spread of a refusal rate over the judges that classified the replies of one system; people are no judges here.

    Args:
        replies: replies of one system.
        definition: a definition that reads refusal.
        level: coverage aimed at.
    """
    own = [reply for reply in replies if definition.enters(reply)]
    judges = sorted({judge for reply in own for judge in reply.refusals})
    column = cluster_column(own)
    by_judge = {}
    for judge in judges:
        asked = [reply for reply in own if judge in reply.refusals]
        read = [(reply, word) for reply in asked if (word := reply.refusals[judge]) is not None]
        left = len(asked) - len(read)
        by_judge[judge] = clustered_rate(
            [bool(definition.occurs(reply, refusal=word)) for reply, word in read],
            cluster_labels([reply for reply, _ in read], column),
            n_left_out=left,
            why_left_out="no readable verdict" if left else "",
            level=level,
        )
    several = []
    for reply in own:
        events = {bool(definition.occurs(reply, refusal=word)) for word in reply.refusals.values() if word is not None}
        if sum(word is not None for word in reply.refusals.values()) > 1:
            several.append((reply, len(events) > 1))
    shares = [rate.estimate for rate in by_judge.values() if rate.estimate is not None]
    return JudgeSpread(
        definition=definition,
        system=own[0].system if own else "",
        by_judge=by_judge,
        spread=max(shares) - min(shares) if len(shares) > 1 else None,
        disagreement=clustered_rate(
            [differs for _, differs in several],
            cluster_labels([reply for reply, _ in several], column),
            n_left_out=len(own) - len(several),
            why_left_out="fewer than two readable verdicts" if len(several) < len(own) else "",
            level=level,
        ),
    )
