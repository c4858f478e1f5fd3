"""What became of one reply under one criterion: the one form that every mean, interval and page is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

NOT_JUDGED = "not judged"
"""State of a judgement that was to be made and has no row, such as one the money did not reach."""

NOT_ASKED = "not asked"
"""State of a judgement that nobody was to make: the criterion is out of scope, or the reply failed and there is nothing to judge."""

SCOPE_UNKNOWN = "scope unknown"
"""State where nobody said before judging whether the reference takes the decision, so that nothing was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemScore:
    """One reply under one criterion, by one judge and repeat; or under a measure that needs no judge.

    Only a row in scope counts. A row in scope without points is a failure, never a low score: of the reply (`reply_state` is not
    ok) or of the judge (`reply_state` is ok). A flag or a precision of a reply that failed is out of scope, since there is no answer it
    could hold for.

    Attributes:
        system: what answered.
        benchmark: specialist_turn or board_simulation.
        arm: captions or images; never merged.
        setting: single or agents, with the tools; never merged.
        item: the question or case.
        recording: the meeting, for clustering; the item's own name when the source has none.
        stratum: question type or site; empty when not known.
        role: whom the question was put to; empty for a board.
        rubric: identifier of the rubric; "text" for measures over words.
        criterion: identifier of the criterion.
        scale: identifier of the scale; values of two scales never meet in one mean.
        lowest: points of the worst value; what a failed reply gets where failures are floored.
        highest: points of the best value. For a flag of a fault it is less than `lowest`.
        points: points; None for every failure and out of scope.
        in_scope: whether the row counts at all.
        reply_state: state of the reply; unparsed when no answer could be taken out of it.
        judge_state: ok; a state of the judgement without a value; or `NOT_JUDGED`, `NOT_ASKED`, `SCOPE_UNKNOWN`.
        judge: the judge or panel; empty for a measure without one.
        repeat: repeat of the judgement, from 1.
        trial: independent repeat of the reply, from 1.
        reply_id: the reply.
        rubric_hash: content hash of the rubric; version of the measure for one without a judge.
        scope_hash: hash of the frozen scope, on the four decisions; empty elsewhere.
        category: category of facts that the row is about; empty for all of them.
        site: tumor site; empty when not known.
    """

    system: str
    benchmark: str
    arm: str
    setting: str
    item: str
    recording: str
    stratum: str
    role: str
    rubric: str
    criterion: str
    scale: str
    lowest: float
    highest: float
    points: float | None
    in_scope: bool
    reply_state: str
    judge_state: str
    judge: str
    repeat: int
    trial: int = 1
    reply_id: str = ""
    rubric_hash: str = ""
    scope_hash: str = ""
    category: str = ""
    site: str = ""


def item_scores(folder: str | Path) -> tuple[ItemScore, ...]:
    """All scores of a run folder, failures and what is out of scope among them; see `equipoise.boards.judging.scores`.

    Args:
        folder: a run folder of the benchmarks specialist_turn or board_simulation, judged or not.

    Raises:
        UsageError: there is no run in the folder.
        InputError: the run is damaged, or keeps nothing to judge against.
    """
    from equipoise.boards.judging.scores import scores_of

    return scores_of(folder)
