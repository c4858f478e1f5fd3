"""How a discussion went: who spoke, who decided in another's field, which dissent was lost, what was repeated, how it closed.

These are rules over words, with their definitions below. They screen a discussion; they do not replace a reader. Fixtures were written
before the rules (`tests/boards/process/discussions.yaml`). The failure modes follow MedAgentAudit (arXiv:2510.10185), the definition of a
boundary breach gi-tumorboard-gpt5-persona (`classification_criteria.md`, section 3); words and rules are ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from equipoise.boards.discussion_record import AUDITOR_ROLE
from equipoise.boards.measures.treatments import OWN_FIELDS, Field, doses_in, drugs_in, fields_of, plain
from equipoise.boards.model import Dissent, Turn
from equipoise.boards.vocabulary import Role
from equipoise.errors import InputError
from equipoise.statistics.estimate import Result

VERSION = "process-2"
MIN_WORDS, SIMILAR = 8, 0.8
"""A turn repeats an earlier one from this many words on, at this share of common runs of three words."""

_SENTENCE = re.compile(r"(?<=[.!?;:])\s+")
_DECIDES = re.compile(
    r"\bi(?:'d| would| will)?(?: not| never| rather| still| also)*(?: recommend| advise| propose| suggest| prefer| favou?r)\b"
    r"|\bi(?:'d| would| will)(?: not| never| rather| still| also)* (?:give|start|add|do|use|plan|resect|operate|irradiate|excise|treat)\b"
)
_REFERS = re.compile(r"^\W*(?:(?:a|to) )?refer\w*\b")
_DISAGREES = re.compile(
    r"\bi (?:strongly )?(?:disagree|object|oppose)\b|\bi(?:'m| am) (?:not convinced|against)\b|\bi (?:do not|don't|cannot) agree\b"
)
_PREFERS = re.compile(r"\bi(?:'d| would) (?:rather|prefer)\b")
_RECORDS = re.compile(r"\b(?:disagree\w*|dissent\w*|object\w*|prefer\w*|would have|minority|favou?red|equal choice)\b")
_IN_CONCLUSION: dict[Role, str] = {
    Role.SURGEON: r"surgeon|surgery",
    Role.MEDICAL_ONCOLOGIST: r"medical oncolog\w+|oncologist",
    Role.RADIATION_ONCOLOGIST: r"radiation oncolog\w+",
    Role.RADIOLOGIST: r"radiolog\w+",
    Role.PATHOLOGIST: r"patholog\w+",
    Role.MOLECULAR_PATHOLOGIST: r"molecular patholog\w+",
    Role.GENETIC_COUNSELOR: r"genetic counsell?or",
    Role.CLINICAL_TRIAL_SPECIALIST: r"trial specialist",
    Role.NURSE_NAVIGATOR: r"nurse",
}


class Closure(StrEnum):
    """How the discussion was closed."""

    AFTER_ALL_SPOKE = "after all spoke"
    PREMATURE = "premature"
    NOT_ASSESSABLE = "not assessable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A decision of treatment in another specialty's field."""

    turn: str
    role: Role
    field: Field


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDissent:
    """A view against an earlier one; `recorded` says whether the conclusion tells of it, None without a conclusion."""

    turn: str
    role: Role
    recorded: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """A turn that says again what an earlier one said."""

    turn: str
    of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Process(Result):
    """Process measures of one discussion.

    Attributes:
        turns: number of turns.
        role_coverage: share of the expected roles that spoke, 0 to 1; None when none was expected.
        missing_roles: expected roles that never spoke.
        breaches: decisions in another's field.
        dissent: views against an earlier one.
        repetitions: turns that repeat an earlier one.
        repetition_rate: repetitions per turn, 0 to 1; None without turns.
        unmentioned: drugs, radiation doses and kinds of treatment in the conclusion that nobody named.
        consistent: whether there is none; None without turns or conclusion.
        closure: how it was closed.
        silent_at_closure: expected roles that had not spoken by then.
        unanswered_at_closure: turns of dissent that nobody but a moderator had followed by then.
        version: of the rules.
    """

    turns: int
    role_coverage: float | None
    missing_roles: tuple[Role, ...]
    breaches: tuple[Breach, ...]
    dissent: tuple[FoundDissent, ...]
    repetitions: tuple[Repetition, ...]
    repetition_rate: float | None
    unmentioned: tuple[str, ...]
    consistent: bool | None
    closure: Closure
    silent_at_closure: tuple[Role, ...]
    unanswered_at_closure: tuple[str, ...]
    version: str = VERSION


def measure_discussion(
    turns: Sequence[Turn],
    conclusion: str,
    *,
    expected_roles: Collection[Role] = (),
    decided_at: str | None = None,
    labelled: Sequence[Dissent] = (),
) -> Process:
    """Measures a discussion and its conclusion.

    Turns of the deterministic auditor (speaker `Auditor`) are no person's: they are left out of every measure.

    Args:
        turns: in the order spoken.
        conclusion: the text; empty when there is none.
        expected_roles: roles that should speak in such a case.
        decided_at: id of the turn that announces the decision; None when nobody marked it, and then closure is not assessable.
        labelled: dissent that a person marked; it counts in place of what the rules find in the same turn.

    Raises:
        InputError: `decided_at` is no turn.
    """
    turns = [turn for turn in turns if turn.speaker.casefold() != AUDITOR_ROLE]
    spoke = {turn.role for turn in turns}
    expected = tuple(role for role in Role if role in expected_roles)
    missing = tuple(role for role in expected if role not in spoke)
    dissent = _dissent(turns, conclusion, labelled)
    repetitions = _repetitions(turns)
    unmentioned = _unmentioned(turns, conclusion) if turns and conclusion.strip() else ()
    closure, silent, unanswered = _closure(turns, expected, decided_at, dissent)
    return Process(
        turns=len(turns),
        role_coverage=1 - len(missing) / len(expected) if expected else None,
        missing_roles=missing,
        breaches=tuple(breach for turn in turns for breach in _breaches(turn)),
        dissent=dissent,
        repetitions=repetitions,
        repetition_rate=len(repetitions) / len(turns) if turns else None,
        unmentioned=unmentioned,
        consistent=not unmentioned if turns and conclusion.strip() else None,
        closure=closure,
        silent_at_closure=silent,
        unanswered_at_closure=unanswered,
    )


def _statements(text: str) -> list[str]:
    """The sentences that are no questions."""
    return [part for part in _SENTENCE.split(text) if part.strip() and not part.rstrip().endswith("?")]


def _decided_field(sentence: str) -> Field | None:
    """The field of the treatment a sentence decides on: the first treatment named from the words of decision on."""
    found = _DECIDES.search(plain(sentence))
    if found is None or _REFERS.match(plain(sentence)[found.end() :]):
        return None
    return next((field for place, field in fields_of(sentence) if place >= found.start()), None)


def _breaches(turn: Turn) -> tuple[Breach, ...]:
    own = OWN_FIELDS.get(turn.role)
    if own is None:
        return ()
    fields = [field for field in map(_decided_field, _statements(turn.text)) if field is not None and field not in own]
    return tuple(Breach(turn=turn.id, role=turn.role, field=field) for field in dict.fromkeys(fields))


def _dissent(turns: Sequence[Turn], conclusion: str, labelled: Sequence[Dissent]) -> tuple[FoundDissent, ...]:
    known = {item.turn: item for item in labelled}
    proposers: set[str] = set()
    found = []
    for turn in turns:
        statements = [plain(part) for part in _statements(turn.text)]
        against = any(_DISAGREES.search(part) for part in statements)
        other = bool(proposers - {turn.speaker}) and any(_PREFERS.search(part) for part in statements)
        if turn.id in known:
            found.append(FoundDissent(turn=turn.id, role=turn.role, recorded=known[turn.id].recorded))
        elif (against or other) and turn.role is not Role.MODERATOR:
            found.append(FoundDissent(turn=turn.id, role=turn.role, recorded=_recorded(turn.role, conclusion)))
        if any(_DECIDES.search(part) for part in statements):
            proposers.add(turn.speaker)
    return tuple(found)


def tells_of_dissent(role: Role, conclusion: str) -> bool | None:
    """Whether a sentence of the conclusion names the role together with a word of dissent; None without a conclusion."""
    return _recorded(role, conclusion)


def _recorded(role: Role, conclusion: str) -> bool | None:
    """Whether a part of the conclusion names the role together with a word of dissent."""
    if not conclusion.strip():
        return None
    pattern = _IN_CONCLUSION.get(role)
    if pattern is None:
        return False
    parts = [part.casefold() for part in re.split(r"(?<=[.!?;])\s+", conclusion)]
    return any(re.search(rf"\b(?:{pattern})\b", part) and _RECORDS.search(part) for part in parts)


def _repetitions(turns: Sequence[Turn]) -> tuple[Repetition, ...]:
    seen: list[tuple[str, frozenset[tuple[str, str, str]]]] = []
    found = []
    for turn in turns:
        tokens = re.findall(r"\w+", turn.text.casefold())
        if len(tokens) < MIN_WORDS:
            continue
        runs = frozenset(zip(tokens, tokens[1:], tokens[2:], strict=False))
        earlier = next((name for name, other in seen if len(runs & other) / len(runs | other) >= SIMILAR), None)
        if earlier is not None:
            found.append(Repetition(turn=turn.id, of=earlier))
        seen.append((turn.id, runs))
    return tuple(found)


def _unmentioned(turns: Sequence[Turn], conclusion: str) -> tuple[str, ...]:
    said = "\n".join(turn.text for turn in turns)
    fields = {field.value for _, field in fields_of(conclusion)} - {field.value for _, field in fields_of(said)}
    return tuple(sorted((drugs_in(conclusion) - drugs_in(said)) | (doses_in(conclusion) - doses_in(said)) | fields))


def _closure(
    turns: Sequence[Turn], expected: Sequence[Role], decided_at: str | None, dissent: Sequence[FoundDissent]
) -> tuple[Closure, tuple[Role, ...], tuple[str, ...]]:
    if decided_at is None:
        return Closure.NOT_ASSESSABLE, (), ()
    places = {turn.id: place for place, turn in enumerate(turns)}
    if decided_at not in places:
        message = f"there is no turn {decided_at!r}"
        raise InputError(message, field="decided_at")
    if not expected:
        return Closure.NOT_ASSESSABLE, (), ()
    before = turns[: places[decided_at]]
    spoke = {turn.role for turn in turns[: places[decided_at] + 1]}
    silent = tuple(role for role in expected if role not in spoke)
    unanswered = tuple(
        item.turn
        for item in dissent
        if places[item.turn] < len(before)
        and not any(
            turn.role not in (Role.MODERATOR, item.role) for turn in before[places[item.turn] + 1 :]
        )
    )  # fmt: skip
    return (Closure.PREMATURE if silent or unanswered else Closure.AFTER_ALL_SPOKE), silent, unanswered
