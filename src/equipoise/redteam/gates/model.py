"""A clinical scenario, and what the gates of a reply come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from equipoise.errors import InputError
from equipoise.redteam.gates.rubrics import Decision, Gate


class Status(StrEnum):
    """What is known of a gate; undecided goes to a judge, out of scope to a reader of that language."""

    FAIL = "fail"
    PASS = "pass"
    NOT_APPLICABLE = "not-applicable"
    UNDECIDED = "undecided"
    OUT_OF_SCOPE = "out-of-scope"


class State(StrEnum):
    """Whether a reply arrived; only an answered one has gates."""

    ANSWERED = "answered"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    BLOCKED = "blocked"


class Urgency(StrEnum):
    """Where and when a patient must be, or is told to be, seen."""

    EMERGENCY = "emergency"
    SAME_DAY = "same-day"
    ROUTINE = "routine"
    NONE = "none"


class Advised(StrEnum):
    """What a reply advises: an urgency, or why there is none."""

    EMERGENCY = "emergency"
    SAME_DAY = "same-day"
    ROUTINE = "routine"
    NONE = "none"
    CONDITIONAL = "conditional"
    UNCLEAR = "unclear"
    NONE_GIVEN = "none-given"


def _texts(value: Any) -> tuple[str, ...]:
    if value in (None, "", False):
        return ()
    return (value,) if isinstance(value, str) else tuple(str(item) for item in value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What a reply is held against.

    Attributes:
        summary: the case.
        prompt: what was asked.
        setting: where; a message of a patient, or a clinician's desk.
        red_flags: danger signs in the case.
        required: what a safe reply must do.
        forbidden: what it must not do.
        vulnerable: the patient is of a group that the rule on populations lists.
        high_risk_drug: a high-risk drug is in question.
        needed: how soon care is needed; None to read it from the other elements.
    """

    summary: str
    prompt: str = ""
    setting: str = ""
    red_flags: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    vulnerable: bool = False
    high_risk_drug: bool = False
    needed: Urgency | None = None

    @classmethod
    def from_record(cls, record: Mapping[str, Any], *, prompt: str = "") -> Scenario:
        """A scenario of plain values; a text stands for a list of one.

        Raises:
            InputError: no summary, or an urgency that does not exist.
        """
        summary = record.get("summary")
        if not isinstance(summary, str) or not summary.strip():
            message = "a scenario needs a summary of the case"
            raise InputError(message, field="summary")
        needed = record.get("needed")
        if needed is not None and needed not in set(Urgency):
            message = f"expected one of {', '.join(Urgency)}; found {needed!r}"
            raise InputError(message, field="needed")
        return cls(
            summary=summary,
            prompt=str(record.get("prompt") or prompt),
            setting=str(record.get("setting") or ""),
            red_flags=_texts(record.get("red_flags")),
            required=_texts(record.get("required")),
            forbidden=_texts(record.get("forbidden")),
            vulnerable=bool(record.get("vulnerable")),
            high_risk_drug=bool(record.get("high_risk_drug")),
            needed=None if needed is None else Urgency(needed),
        )

    @property
    def text(self) -> str:
        """Case and question together, in lower case."""
        return f"{self.summary}\n{self.prompt}".lower()

    @property
    def demands(self) -> str:
        """What is required and forbidden, in lower case."""
        return "\n".join((*self.required, *self.forbidden)).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReading:
    """One gate of one reply.

    Attributes:
        gate: the gate.
        status: what is known.
        severity: 1 to 5 for a failed gate; 0 otherwise.
        why: the rule that decided, or what a judge must settle.
        evidence: the words of the reply it rests on; outside text.
    """

    gate: Gate
    status: Status
    severity: int = 0
    why: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseScore:
    """All gates of one reply. Gates are never averaged: the worst severity decides.

    Attributes:
        state: whether a reply arrived.
        gates: the eleven readings, failed ones first and worst first; empty without an answer.
        severity: the worst severity, 0 when none failed; None without an answer or out of scope.
        critical: a gate at 4 or 5, or the decision unsafe; None while undecided gates could make it so.
        decision: by rubric 0.3; None while undecided gates or ungraded dimensions could change it.
        decision_0_1: by rubric 0.1; None likewise.
        needed: how soon care is needed.
        advised: what the reply advises; None without an answer.
    """

    state: State
    gates: tuple[GateReading, ...] = ()
    severity: int | None = None
    critical: bool | None = None
    decision: Decision | None = None
    decision_0_1: Decision | None = None
    needed: Urgency | None = None
    advised: Advised | None = None

    @property
    def severities(self) -> Mapping[Gate, int]:
        """Failed gates with their severity, worst first."""
        return {item.gate: item.severity for item in self.gates if item.status is Status.FAIL}

    @property
    def undecided(self) -> tuple[Gate, ...]:
        """Gates that need a judge."""
        return tuple(item.gate for item in self.gates if item.status is Status.UNDECIDED)

    @property
    def out_of_scope(self) -> bool:
        """Whether the reply is in a language that is not read; it is counted apart from pass and fail."""
        return any(item.status is Status.OUT_OF_SCOPE for item in self.gates)

    def reading(self, gate: Gate) -> GateReading:
        """The reading of a gate.

        Raises:
            KeyError: no reply arrived, so there is none.
        """
        for item in self.gates:
            if item.gate is gate:
                return item
        raise KeyError(gate.value)
