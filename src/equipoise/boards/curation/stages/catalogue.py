"""The stages in their order."""

from __future__ import annotations

from equipoise.boards.curation.stages import (
    build,
    captions,
    conclusion,
    deleak,
    questions,
    read,
    review,
    roles,
    screen,
    scrub,
    segment,
    summary,
)
from equipoise.boards.curation.stages.base import Stage
from equipoise.errors import UsageError

STAGES: tuple[Stage, ...] = (
    read.STAGE,
    screen.STAGE,
    segment.STAGE,
    roles.STAGE,
    summary.STAGE,
    questions.STAGE,
    review.STAGE,
    conclusion.STAGE,
    captions.STAGE,
    deleak.STAGE,
    scrub.STAGE,
    build.STAGE,
)


def find_stage(name: str) -> Stage:
    """A stage by its name.

    Raises:
        UsageError: there is none of that name.
    """
    for stage in STAGES:
        if name in (stage.id, stage.folder, str(stage.number)):
            return stage
    message = f"there is no stage {name!r}; the stages are {', '.join(stage.id for stage in STAGES)}"
    raise UsageError(message, field="stage")
