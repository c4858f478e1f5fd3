"""What a mention of a therapy is, and what happens between mentions."""

from __future__ import annotations

from dataclasses import dataclass, field

from equipoise.cases.model import Outcome
from equipoise.cases.narrative.scope import When


@dataclass(slots=True)
class Event:
    """One mention of a regimen, or of a trial or procedure, with its role.

    Attributes:
        role: "rec", "prior", "neg", "cond", "cons" (weighed), "order" (prescribed) or "none".
        kind: "drug", "trial", "other".
        start: place in the note.
        end: one past the last character.
        components: canonical names.
        settings: settings named with it.
        action: start, continue, switch, add, rechallenge or empty.
        outcome: how a course ended, as far as the sentence says.
        line: line of therapy, None when not stated.
        link: how it follows the mention before it.
        local: a local treatment of a site.
        maintenance: named as maintenance.
        sentence: number of the sentence.
        plan: whether it stands in a part headed as plan.
        sure: whether words, not only place, give it its role.
        when: first date that follows it.
        ended: day of the last dose; None when it is not stated to the day.
        again: whether it is named as one more course ("rechallenge").
        stopped: whether it is said to have been stopped.
    """

    role: str
    kind: str
    start: int
    end: int
    components: list[str]
    settings: set[str] = field(default_factory=set)
    action: str = ""
    outcome: Outcome = Outcome.UNKNOWN
    line: int | None = None
    link: str = ""
    local: bool = False
    maintenance: bool = False
    sentence: int = 0
    plan: bool = False
    sure: bool = False
    when: When | None = None
    ended: When | None = None
    again: bool = False
    stopped: bool = False


@dataclass(slots=True)
class Turn:
    """Progression, end or change that a sentence states without naming the drug.

    Attributes:
        outcome: what happened.
        start: place in the note.
        sentence: number of the sentence.
    """

    outcome: Outcome
    start: int
    sentence: int
