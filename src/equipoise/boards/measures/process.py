"""How a discussion went: who spoke, who decided in another's field, which dissent was lost, what was repeated, how it closed.

These are rules over words, with their definitions below. They screen a discussion; they do not replace a reader. Fixtures were written
before the rules (`tests/boards/process/discussions.yaml`). The failure modes follow MedAgentAudit (arXiv:2510.10185), the definition of a
boundary breach gi-tumorboard-gpt5-persona (`classification_criteria.md`, section 3); words and rules are ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum

from equipoise.boards.discussion_record import AUDITOR_ROLE
from equipoise.boards.measures.dissent import (
    SENTENCE,
    answered,
    find_dissent,
    followed,
    proposers,
    recorded,
    statements,
    tells_of_somebody,
    tells_without_a_name,
)
from equipoise.boards.measures.spoken import (
    clauses,
    doses_said,
    drugs_not_said,
    kinds_in,
    kinds_said,
    mentions,
    schedules_in,
    standing,
)
from equipoise.boards.measures.treatments import OWN_FIELDS, Field, doses_in, fields_of, plain
from equipoise.boards.model import Dissent, Turn
from equipoise.boards.vocabulary import Role
from equipoise.errors import InputError
from equipoise.statistics.estimate import Result

VERSION = "process-3"
MIN_WORDS, SIMILAR = 8, 0.8
"""A turn repeats an earlier one from this many words on, at this share of common runs of three words."""
RUN, TAKEN, HALF = 3, 0.75, 0.5
"""Or with this share of its words in common runs of this many, when it is at least this long beside the earlier one."""

_OFTEN = r"(?: not| never| rather| still| also| just| really| probably| certainly| definitely| personally| strongly)*"
_DECIDES = re.compile(
    rf"\bi(?:'d|'ll| would| will)?{_OFTEN} (?:recommend|advise|propose|suggest|prefer|favou?r)\b"
    rf"|\bi(?:'d|'ll| would| will){_OFTEN} (?:give|start|add|do|use|plan|resect|operate|irradiate|excise|treat)\b"
)
_ALONG = re.compile(r"(?:\bwith|\bplus|\balongside|\bconcurrent(?:ly)?)\W+(?:\w+ )?$")
_REFERS = re.compile(r"^\W*(?:(?:a|to) )?refer\w*\b")
_NOTHING_SAID = re.compile(
    r"\W*|\W*(?:no|without|empty)[ _-](?:response|answer|reply|comment|output|text)(?: \w+)?\W*|[\[(<].{0,60}[\])>]\W*|n/?a\W*"
)


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
    """A view against an earlier one.

    Attributes:
        turn: where it was told.
        role: whose it is.
        recorded: whether the conclusion tells of it or follows it; None without a conclusion.
        withdrawn: whether a later turn of the role takes it back.
    """

    turn: str
    role: Role
    recorded: bool | None
    withdrawn: bool = False

    @property
    def lost(self) -> bool:
        """Whether it stands and the conclusion does not tell of it."""
        return self.recorded is False and not self.withdrawn


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
        turned_around: treatments that the conclusion asks for and the discussion only ruled out, or the other way with the decision.
        consistent: whether there is neither; None without turns or conclusion.
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
    turned_around: tuple[str, ...]
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
    said = [turn for turn in turns if _NOTHING_SAID.fullmatch(turn.text.casefold()) is None]
    spoke = {turn.role for turn in said}
    expected = tuple(role for role in Role if role in expected_roles)
    missing = tuple(role for role in expected if role not in spoke)
    dissent = _dissent(turns, conclusion, labelled)
    repetitions = _repetitions(turns)
    concluded = bool(turns) and bool(conclusion.strip())
    turned = _turned_around(turns, conclusion, decided_at) if concluded else ()
    unmentioned = _unmentioned(turns, conclusion, turned) if concluded else ()
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
        turned_around=turned,
        consistent=not (unmentioned or turned) if concluded else None,
        closure=closure,
        silent_at_closure=silent,
        unanswered_at_closure=unanswered,
    )


def _sentences(text: str) -> list[str]:
    return [part for part in SENTENCE.split(text) if part.strip()]


def _decided_field(sentence: str, own: frozenset[Field]) -> Field | None:
    """The field of the treatment a sentence decides on: the first treatment named from the words of decision on.

    A drug that goes along with something else ("with cisplatin") is no decision of somebody who treats that way.
    """
    lowered = plain(sentence)
    found = _DECIDES.search(lowered)
    if found is None or _REFERS.match(lowered[found.end() :]):
        return None
    named = next(((place, field) for place, field in fields_of(sentence) if place >= found.start()), None)
    if named is None:
        return Field.RADIATION if schedules_in(lowered[found.end() :]) else None
    place, field = named
    if own and field is Field.SYSTEMIC and _ALONG.search(lowered[found.end() : place]):
        return None
    return field


def _breaches(turn: Turn) -> tuple[Breach, ...]:
    own = OWN_FIELDS.get(turn.role)
    if own is None:
        return ()
    decided = (_decided_field(part, own) for part in statements(turn.text))
    fields = [field for field in decided if field is not None and field not in own]
    return tuple(Breach(turn=turn.id, role=turn.role, field=field) for field in dict.fromkeys(fields))


def _dissent(turns: Sequence[Turn], conclusion: str, labelled: Sequence[Dissent]) -> tuple[FoundDissent, ...]:
    known = {item.turn: item for item in labelled}
    names, taken_back = find_dissent(turns)
    found = []
    for turn in turns:
        if turn.id in known:
            found.append(FoundDissent(turn=turn.id, role=turn.role, recorded=known[turn.id].recorded))
        elif turn.id in names:
            told = recorded(turn.role, conclusion)
            if told is False and followed(turn, conclusion):
                told = True
            found.append(
                FoundDissent(turn=turn.id, role=turn.role, recorded=told, withdrawn=turn.id in taken_back)
            )  # fmt: skip
    return _without_a_name(tuple(found), conclusion, frozenset(known))


def _without_a_name(
    found: tuple[FoundDissent, ...], conclusion: str, labelled: frozenset[str]
) -> tuple[FoundDissent, ...]:
    """Counts views that the conclusion keeps without naming a role: everybody's, or those of the first role left."""
    kept = tells_without_a_name(conclusion)
    left = [item for item in found if item.lost and item.turn not in labelled]
    if not kept or not left:
        return found
    if kept == "one" and any(item.recorded and not item.withdrawn for item in found):
        return found
    roles = {item.role for item in left} if kept == "all" else {left[0].role}
    return tuple(replace(item, recorded=True) if item in left and item.role in roles else item for item in found)


def tells_of_dissent(role: Role, conclusion: str) -> bool | None:
    """Whether the conclusion keeps a view of this role, by its name or as that of a member; None without a conclusion."""
    told = recorded(role, conclusion)
    return bool(tells_without_a_name(conclusion)) if told is False else told


def _repetitions(turns: Sequence[Turn]) -> tuple[Repetition, ...]:
    seen: list[tuple[str, list[str]]] = []
    found = []
    for turn in turns:
        tokens = re.findall(r"\w+", turn.text.casefold())
        if len(tokens) < MIN_WORDS:
            continue
        earlier = next((name for name, other in seen if _same(tokens, other)), None)
        if earlier is not None:
            found.append(Repetition(turn=turn.id, of=earlier))
        seen.append((turn.id, tokens))
    return tuple(found)


def _same(tokens: Sequence[str], earlier: Sequence[str]) -> bool:
    """Whether most runs of three words are common, or most words of the later turn stand in runs of three taken from the earlier."""
    runs, others = (frozenset(zip(words, words[1:], words[2:], strict=False)) for words in (tokens, earlier))
    if len(runs & others) / len(runs | others) >= SIMILAR:
        return True
    if len(tokens) < HALF * len(earlier):
        return False
    blocks = SequenceMatcher(None, earlier, tokens, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= RUN) / len(tokens) >= TAKEN


def _unmentioned(turns: Sequence[Turn], conclusion: str, turned: Sequence[str]) -> tuple[str, ...]:
    said = "\n".join(turn.text for turn in turns)
    fields = {kind.value for kind in kinds_in(conclusion) - kinds_said(turns)}
    if fields:
        fields -= {
            item.field.value for clause in clauses(conclusion) for item in mentions(clause) if item.word in turned
        }
    return tuple(sorted(drugs_not_said(conclusion, said) | (doses_in(conclusion) - doses_said(said)) | fields))


def _turned_around(turns: Sequence[Turn], conclusion: str, decided_at: str | None) -> tuple[str, ...]:
    """Treatments of the conclusion that the discussion only ruled out, and those it rules out although the decision has them."""
    told = standing([part for part in _sentences(conclusion) if not tells_of_somebody(part)])
    said = standing([part for turn in turns for part in _sentences(turn.text)])
    chosen = [turn for turn in turns if turn.id == decided_at]
    decided = standing([part for turn in chosen for part in _sentences(turn.text)])
    return tuple(
        sorted(
            word
            for word, stands in told.items()
            if (stands and (said.get(word) is False or decided.get(word) is False))
            or (not stands and decided.get(word))
        )
    )


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
    spoke = {
        turn.role for turn in turns[: places[decided_at] + 1] if _NOTHING_SAID.fullmatch(turn.text.casefold()) is None
    }
    silent = tuple(role for role in expected if role not in spoke)
    open_views: dict[Role, list[str]] = {}
    heard: set[Role] = set()
    for item in dissent:
        place = places[item.turn]
        if place >= len(before) or item.withdrawn:
            continue
        replies = [turn for turn in before[place + 1 :] if turn.role not in (Role.MODERATOR, item.role)]
        if answered(before[place].text, replies, proposers(before[:place])):
            heard.add(item.role)
        open_views.setdefault(item.role, []).append(item.turn)
    unanswered = tuple(
        item.turn for item in dissent if item.turn in open_views.get(item.role, ()) and item.role not in heard
    )
    return (Closure.PREMATURE if silent or unanswered else Closure.AFTER_ALL_SPOKE), silent, unanswered
