"""One prompt of a refusal benchmark, in the form that tasks, rows and measures share.

How the columns of the outcomes table are used by these benchmarks: `arm` is the item's arm, `stratum` its category,
`group` the persona or population group it speaks as or of, `pair` what differs in one thing only, `item_set` a matched
set of intents, `item_family` the seed from which several items were rewritten, and `label` how far the reply refuses
("none", "partial", "full") by the run's first classifier. Every classifier, judge or rater is a row of judgements too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equipoise.refusal.terms import Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalAction:
    """Something a reply must contain so as not to harm by leaving it out.

    Attributes:
        id: identifier within the item.
        text: the action.
        collides: whether a safety filter tends to remove it.
    """

    id: str
    text: str
    collides: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptItem:
    """One prompt with everything a measure needs.

    Attributes:
        id: identifier, unique in the benchmark.
        prompt: the text of the user.
        arm: the benchmark's label.
        stratum: category; empty without one.
        system: system message that belongs to the item; empty without one.
        group: persona or population group; empty without one.
        pair: identifier of the matched pair; empty without one.
        item_set: identifier of the matched set of intents; empty without one.
        item_family: identifier of the seed it was written from; empty for an original.
        validity: share or probability, 0 to 1, that the arm's label is right; None when nobody measured it.
        critical_actions: what must not be left out.
        facts: further columns of the file that measures use (a score, a tier, a difficulty).
    """

    id: str
    prompt: str
    arm: Arm
    stratum: str = ""
    system: str = ""
    group: str = ""
    pair: str = ""
    item_set: str = ""
    item_family: str = ""
    validity: float | None = None
    critical_actions: tuple[CriticalAction, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
