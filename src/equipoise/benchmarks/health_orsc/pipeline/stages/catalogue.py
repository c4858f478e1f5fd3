"""The stages in the order in which they run."""

from __future__ import annotations

from equipoise.benchmarks.health_orsc.pipeline.stages import (
    categorise,
    difficulty,
    export,
    moderate,
    rewrite,
    seeds_arm,
    select_seeds,
)
from equipoise.benchmarks.health_orsc.pipeline.stages.base import Stage
from equipoise.errors import UsageError

STAGES: tuple[Stage, ...] = (
    select_seeds.STAGE,
    categorise.STAGE,
    rewrite.STAGE,
    moderate.STAGE,
    seeds_arm.STAGE,
    difficulty.STAGE,
    export.STAGE,
)
"""Each reads only stages before it."""

FOLDERS = {stage.id: stage.folder for stage in STAGES}
"""Folder of each stage."""


def find_stage(name: str) -> Stage:
    """The stage of a name.

    Raises:
        UsageError: there is none.
    """
    for stage in STAGES:
        if stage.id == name:
            return stage
    message = f"there is no stage {name!r}; expected one of {', '.join(FOLDERS)}"
    raise UsageError(message, field="stage")
