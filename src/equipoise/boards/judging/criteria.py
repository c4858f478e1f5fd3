"""The criteria of board judging: on which scale each is, where its ends are, and what kind of question it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from equipoise.boards.measures.decisions import SCALE_0_5, SCALE_1_5
from equipoise.boards.vocabulary import DecisionKind

EQUIVALENCE, ALIGNMENT, DECISIONS, FACTS = "board-equivalence", "board-alignment", "board-decisions", "board-facts"
SCOPE, CATEGORY = "board-scope", "board-category"
TEXT = "text"
"""Rubric of measures over words, which need no judge."""

TURN, BOARD = "specialist_turn", "board_simulation"

DEFAULT_RUBRICS: Mapping[str, tuple[str, ...]] = {TURN: (EQUIVALENCE,), BOARD: (ALIGNMENT, DECISIONS)}
"""Rubrics of each benchmark that are asked when none are named; facts are asked for by name, since they cost most."""

RUBRICS: Mapping[str, tuple[str, ...]] = {TURN: (EQUIVALENCE, FACTS), BOARD: (ALIGNMENT, DECISIONS, FACTS, CATEGORY)}
"""All rubrics of each benchmark."""


class Kind(StrEnum):
    """What a criterion asks."""

    SCORE = "score"
    FLAG = "flag"
    DECISION = "decision"
    SHARE = "share"


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionForm:
    """One criterion of board judging.

    Attributes:
        rubric: identifier of the rubric.
        criterion: its identifier.
        kind: what it asks.
        scale: identifier of the scale.
        lowest: points of the worst value.
        highest: points of the best value.
    """

    rubric: str
    criterion: str
    kind: Kind
    scale: str
    lowest: float
    highest: float


def criterion_of(kind: DecisionKind) -> str:
    """Name of a decision as a criterion."""
    return kind.value.replace("_", "-")


DECISION_KINDS: Mapping[str, DecisionKind] = {criterion_of(kind): kind for kind in DecisionKind}
"""The four decisions by their names as criteria."""

OTB_EQUIVALENCE, OTB_ALIGNMENT = "opentumorboard-equivalence", "opentumorboard-alignment"
OTB_DECISIONS, OTB_TRAINING = "opentumorboard-decisions", "opentumorboard-decisions-training"
"""Rubrics of judgements read from OpenTumorBoard's files: other words than ours, so never one mean with ours."""

FACT_CRITERIA: tuple[str, ...] = ("precision", "recall", "f1", "precision-strict", "recall-strict", "f1-strict")
"""Scores made of judged facts: with half credit for "partial", and without."""

CATEGORY_CRITERIA: tuple[str, ...] = ("first", "any")
"""Concordance of treatment categories: of what an answer recommends first, and of anything it recommends."""


def _score(rubric: str, criterion: str, scale: str) -> CriterionForm:
    return CriterionForm(rubric=rubric, criterion=criterion, kind=Kind.SCORE, scale=scale, lowest=1, highest=5)


def _flag(rubric: str, criterion: str, scale: str) -> CriterionForm:
    return CriterionForm(rubric=rubric, criterion=criterion, kind=Kind.FLAG, scale=scale, lowest=1, highest=0)


def _decisions(rubric: str, scale: str, low: float) -> tuple[CriterionForm, ...]:
    return tuple(
        CriterionForm(rubric=rubric, criterion=name, kind=Kind.DECISION, scale=scale, lowest=low, highest=5)
        for name in DECISION_KINDS
    )


def _share(rubric: str, criterion: str) -> CriterionForm:
    return CriterionForm(rubric=rubric, criterion=criterion, kind=Kind.SHARE, scale="0-1", lowest=0, highest=1)


CRITERIA: tuple[CriterionForm, ...] = (
    _score(EQUIVALENCE, "equivalence", "board-equivalence-1-5"),
    _flag(EQUIVALENCE, "critical-error", "board-flag"),
    _flag(EQUIVALENCE, "unsupported-claim", "board-flag"),
    _score(ALIGNMENT, "alignment", "board-alignment-1-5"),
    *_decisions(DECISIONS, "board-decisions-1-5", 1),
    *(_share(FACTS, name) for name in FACT_CRITERIA),
    *(_share(CATEGORY, name) for name in CATEGORY_CRITERIA),
    _score(OTB_EQUIVALENCE, "equivalence", "opentumorboard-equivalence-1-5"),
    _flag(OTB_EQUIVALENCE, "critical-error", "opentumorboard-flag"),
    _flag(OTB_EQUIVALENCE, "unsupported-claim", "opentumorboard-flag"),
    _score(OTB_ALIGNMENT, "alignment", "opentumorboard-alignment-1-5"),
    *_decisions(OTB_DECISIONS, SCALE_1_5.id, SCALE_1_5.low),
    *_decisions(OTB_TRAINING, SCALE_0_5.id, SCALE_0_5.low),
    _share(TEXT, "rouge-l"),
    _share(TEXT, "embedding"),
    _share(TEXT, "concordance"),
)
"""All criteria, in the order of tables."""

BY_RUBRIC: Mapping[str, tuple[CriterionForm, ...]] = {
    rubric: tuple(item for item in CRITERIA if item.rubric == rubric)
    for rubric in dict.fromkeys(item.rubric for item in CRITERIA)
}
