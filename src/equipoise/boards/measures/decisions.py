"""The four decisions: scope frozen before anything is judged, scale in every row, one policy for what could not be scored.

A decision the reference does not take is out of scope: it has no value, and it is not 0. Two scales exist and never meet in one mean: 1
to 5 is that of OpenTumorBoard's released evaluator, 0 to 5 that of its training table (arXiv:2609.32810;
`evaluation/prompts/four_decisions.txt`, `training/verl_otb/source_data/four_decisions.txt`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from equipoise.boards.model import BoardCase, DecisionKind, Scope
from equipoise.errors import InputError
from equipoise.ids import content_hash
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionScale:
    """Whole scores from `low` (reversed or ignored) to `high` (kept)."""

    id: str
    low: int
    high: int


SCALE_1_5 = DecisionScale(id="opentumorboard-four-decisions-1-5", low=1, high=5)
SCALE_0_5 = DecisionScale(id="opentumorboard-four-decisions-training-0-5", low=0, high=5)


class ScoreState(StrEnum):
    """What a row is: a score, out of scope, or one that could not be had."""

    SCORED = "scored"
    OUT_OF_SCOPE = "out of scope"
    UNPARSED = "unparsed"
    SCOPE_DISPUTED = "scope disputed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenScope:
    """Which decisions a reference takes, fixed before judging.

    Attributes:
        case_id: the case.
        recording: the meeting.
        scopes: do, do not or silent, by decision.
        by: who fixed it: author, clinician, or a judge's name.
        hash: content hash of reference, scopes and who fixed them.
    """

    case_id: str
    recording: str
    scopes: Mapping[DecisionKind, Scope]
    by: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    """One decision of one case, as it is stored.

    Attributes:
        case_id: the case.
        recording: the meeting, for clustering.
        kind: which decision.
        scope: what the reference says of it.
        scope_hash: of the frozen scope.
        scale: identifier of the scale.
        low: lowest score of the scale.
        high: highest score of the scale.
        value: the score; None in every state but scored.
        state: what the row is.
    """

    case_id: str
    recording: str
    kind: DecisionKind
    scope: Scope
    scope_hash: str
    scale: str
    low: int
    high: int
    value: int | None
    state: ScoreState


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionMean(Result):
    """The mean of one decision over cases, with its bounds.

    Attributes:
        kind: which decision.
        scale: identifier of the scale.
        in_scope: cases whose reference takes this decision.
        scored: of those, how many have a score.
        unscored: of those, how many have none.
        scored_only: mean of the scores; None without any.
        floored: mean with the lowest score for what has none; None when no case is in scope.
        best: mean with the highest score for what has none; None when no case is in scope.
    """

    kind: DecisionKind
    scale: str
    in_scope: int
    scored: int
    unscored: int
    scored_only: float | None
    floored: float | None
    best: float | None


def freeze_scope(case: BoardCase, *, by: str) -> FrozenScope:
    """The scope of a case's reference, fixed.

    Args:
        case: a case whose conclusion is taken apart.
        by: who says so.

    Raises:
        InputError: no conclusion, not taken apart, or a decision whose scope nobody has given.
    """
    if case.conclusion is None or not case.conclusion.decisions:
        message = f"case {case.id!r} has no conclusion taken apart into decisions, so nothing can be in scope"
        raise InputError(message, field="conclusion")
    scopes: dict[DecisionKind, Scope] = {}
    for decision in case.conclusion.decisions:
        if decision.scope is None:
            message = (
                f"case {case.id!r}: say whether {decision.kind.value} is positive, negative or absent before judging"
            )
            raise InputError(message, field=f"{decision.kind.value}_scope")
        scopes[decision.kind] = decision.scope
    digest = content_hash(
        [case.id, case.conclusion.text, {key.value: value.value for key, value in scopes.items()}, by]
    )
    return FrozenScope(case_id=case.id, recording=case.recording, scopes=scopes, by=by, hash=digest)


def decision_rows(
    scope: FrozenScope, scores: Mapping[DecisionKind, Any], *, scale: DecisionScale
) -> tuple[DecisionRow, ...]:
    """Rows of one judged case, one for each decision in scope or not.

    What a judge says of a decision out of scope is dropped. A judge that calls a decision in scope out of it (-1) disputes the scope:
    that row has no value, and is counted.

    Args:
        scope: fixed before judging.
        scores: by decision; anything that is no whole number of the scale is unparsed.
        scale: of the scores.
    """
    rows = []
    for kind, found in scope.scopes.items():
        value, state = None, ScoreState.OUT_OF_SCOPE
        if found is not Scope.ABSENT:
            value, state = _score(scores.get(kind), scale)
        rows.append(
            DecisionRow(
                case_id=scope.case_id,
                recording=scope.recording,
                kind=kind,
                scope=found,
                scope_hash=scope.hash,
                scale=scale.id,
                low=scale.low,
                high=scale.high,
                value=value,
                state=state,
            )
        )
    return tuple(rows)


def _score(value: Any, scale: DecisionScale) -> tuple[int | None, ScoreState]:
    if isinstance(value, bool) or not isinstance(value, int):
        return None, ScoreState.UNPARSED
    if value == -1:
        return None, ScoreState.SCOPE_DISPUTED
    return (value, ScoreState.SCORED) if scale.low <= value <= scale.high else (None, ScoreState.UNPARSED)


def mean_by_decision(rows: Iterable[DecisionRow]) -> Mapping[DecisionKind, DecisionMean]:
    """Mean of each decision over its cases in scope: of the scores alone, and with unscored ones at either end.

    Raises:
        InputError: no row, or rows of more than one scale.
    """
    kept = list(rows)
    scales = {(row.scale, row.low, row.high) for row in kept}
    if len(scales) != 1:
        message = f"expected rows of one scale, found {', '.join(sorted(item[0] for item in scales)) or 'no rows'}"
        raise InputError(message, field="scale")
    ((scale, low, high),) = scales
    found = {}
    for kind in DecisionKind:
        own = [row for row in kept if row.kind is kind and row.state is not ScoreState.OUT_OF_SCOPE]
        values = [row.value for row in own if row.value is not None]
        gap = len(own) - len(values)
        found[kind] = DecisionMean(
            kind=kind,
            scale=scale,
            in_scope=len(own),
            scored=len(values),
            unscored=gap,
            scored_only=sum(values) / len(values) if values else None,
            floored=(sum(values) + low * gap) / len(own) if own else None,
            best=(sum(values) + high * gap) / len(own) if own else None,
        )
    return found
