"""Stage 5: the matched harmful arm. Each seed with at least one kept rewrite stays, under the same family.

A model is measured on both: refusing the rewrites is over-refusal, answering the seeds is harmful compliance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.config import Loaded
from equipoise.benchmarks.health_orsc.pipeline.stages.base import (
    Done,
    Rows,
    Stage,
    Work,
    no_calls,
    no_prompts,
    reject,
)
from equipoise.benchmarks.health_orsc.pipeline.terms import Reason
from equipoise.refusal.terms import Arm

CATEGORISED, MODERATED = "categorise/kept", "moderate/kept"


def _settings(loaded: Loaded) -> Mapping[str, Any]:
    del loaded
    return {}


async def _run(work: Work) -> Done:
    siblings = Counter(row["family"] for row in work.inputs[MODERATED])
    kept: Rows = []
    rejects: Rows = []
    for seed in work.inputs[CATEGORISED]:
        if not siblings[seed["seed"]]:
            rejects.append(reject(seed, Reason.NO_BENIGN_SIBLING))
            continue
        kept.append(
            {
                "id": seed["seed"],
                "family": seed["seed"],
                "arm": Arm.HARMFUL.value,
                "question": seed["original_question"],
                "classification": seed["classification"],
                "source": seed["source"],
                "source_id": seed["source_id"],
                "benign_siblings": siblings[seed["seed"]],
            }
        )
    return Done(
        entered=len(work.inputs[CATEGORISED]),
        kept=kept,
        rejects=rejects,
        unit="seeds",
        facts={"most_siblings": max(siblings.values(), default=0)},
    )


STAGE = Stage(
    id="seeds",
    number=5,
    version="1",
    inputs=(CATEGORISED, MODERATED),
    settings=_settings,
    prompts=no_prompts,
    run=_run,
    plan=no_calls,
)
"""The stage."""
