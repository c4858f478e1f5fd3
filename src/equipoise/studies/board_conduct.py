"""How the boards went: who spoke, what was lost or repeated, how they ended, what the auditor told them and what they made of it.

The measures are rules over words (`equipoise.boards.measures.process`): they screen a discussion and replace no reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from equipoise.boards.discussion_record import DiscussionRecord, Stop, ToolCall
from equipoise.boards.judging.criteria import BOARD
from equipoise.boards.measures.process import Process, measure_discussion
from equipoise.boards.measures.treatments import drugs_in
from equipoise.boards.replies import BoardReply, read_board_reply
from equipoise.boards.vocabulary import Role, role_of
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics.estimate import Result
from equipoise.studies.board_runs import BoardPart

AGAINST = frozenset({"Unsupported", "Insufficient Information"})
"""Labels that speak against following a recommendation as it stands, unless the auditor leaves it to a person."""
KEPT, NAMED, LEFT, NO_CONCLUSION = "kept", "still named", "left", "no conclusion"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Result):
    """An audit of one recommendation of a board.

    Attributes:
        item: the case.
        turn: number of the turn it belongs to.
        role: who recommended it, or asked.
        regimen: the regimen as understood.
        verdict: the auditor's label.
        abstained: whether the auditor leaves it to a person.
        reasons: its reason codes.
        told: whether the whole board was told.
        became: kept (the conclusion still recommends it), still named (the conclusion names a drug of it, for or against), left, or
            no conclusion.
    """

    item: str
    turn: int
    role: str
    regimen: str
    verdict: str
    abstained: bool | None
    reasons: tuple[str, ...]
    told: bool
    became: str

    @property
    def against(self) -> bool:
        """Whether the auditor speaks against it; what it leaves to a person is neither for nor against."""
        return self.verdict in AGAINST and not self.abstained


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct(Result):
    """The discussions of one system in one setting.

    Attributes:
        arm: captions or images.
        setting: single or agents, with the tools.
        system: what answered.
        boards: discussions asked for.
        read: of those, discussions whose turns could be read.
        turns: their turns.
        expected: roles the recorded boards had, summed over discussions read.
        spoke: of those, roles that spoke.
        missing: roles that never spoke, by role.
        breaches: turns that decide in another specialty's field.
        with_breach: discussions with one.
        dissent: views against an earlier one.
        lost: of those, views that nobody took back and the conclusion does not tell of.
        not_told: of those, views in discussions without a conclusion.
        repetitions: turns that say again what an earlier one said.
        checked: discussions whose conclusion can be held against what was said.
        unmentioned: of those, conclusions that name a treatment nobody named, or decide one the other way.
        recorded: discussions with a record of how they ran; none for a single model.
        stops: how those ended.
        silent: roles without a readable turn in them, by role.
        silent_in: discussions with such a role.
        closed_early: discussions ended by consensus although a role had not spoken.
        empty: calls without words, by state.
        blocked: calls for consensus that were not followed.
        tokens: tokens of all calls.
        told: audits, in order.
    """

    arm: str
    setting: str
    system: str
    boards: int
    read: int
    turns: int
    expected: int
    spoke: int
    missing: Mapping[str, int]
    breaches: int
    with_breach: int
    dissent: int
    lost: int
    not_told: int
    repetitions: int
    checked: int
    unmentioned: int
    recorded: int
    stops: Mapping[str, int]
    silent: Mapping[str, int]
    silent_in: int
    closed_early: int
    empty: Mapping[str, int]
    blocked: int
    tokens: int
    told: tuple[Told, ...]


@dataclass(slots=True)
class _Sums:
    """What is summed up while the discussions of a part are read."""

    processes: list[Process] = field(default_factory=list)
    records: list[DiscussionRecord] = field(default_factory=list)
    expected: int = 0
    told: list[Told] = field(default_factory=list)


def conduct_of(part: BoardPart) -> Conduct | None:
    """How the discussions of a part went; None for single answers of specialists."""
    if part.run.info.benchmark != BOARD or not part.rows:
        return None
    sums = _Sums()
    for row in part.rows:
        reference, record = part.reference(row), part.discussion(row)
        reply = read_board_reply(str(row.get("reply") or ""))
        if reply.turns and row["state"] in (ReplyState.OK, ReplyState.UNPARSED):
            panel = (record.roles if record is not None else ()) or reference.get("expected_roles") or ()
            expected = {role for name in panel if (role := role_of(str(name)))}
            expected -= {Role.MODERATOR, Role.UNKNOWN}
            sums.expected += len(expected)
            sums.processes.append(measure_discussion(reply.turns, reply.conclusion, expected_roles=expected))
        if record is not None and record.stop is not Stop.SINGLE:
            sums.records.append(record)
        if record is not None:
            sums.told += [_told(str(row["item"]), call, record, reply) for call in record.tool_calls if call.verdict]
    return _conduct(part, sums)


def _conduct(part: BoardPart, sums: _Sums) -> Conduct:
    first = part.rows[0]
    dissent = [item for process in sums.processes for item in process.dissent]
    checked = [process for process in sums.processes if process.consistent is not None]
    missing = Counter(role.value for process in sums.processes for role in process.missing_roles)
    return Conduct(
        arm=str(first.get("arm") or ""),
        setting=str(part.reference(first).get("setting") or first.get("operator") or ""),
        system=part.system,
        boards=len(part.rows),
        read=len(sums.processes),
        turns=sum(process.turns for process in sums.processes),
        expected=sums.expected,
        spoke=sums.expected - missing.total(),
        missing=_counted(missing),
        breaches=sum(len(process.breaches) for process in sums.processes),
        with_breach=sum(bool(process.breaches) for process in sums.processes),
        dissent=len(dissent),
        lost=sum(item.lost for item in dissent),
        not_told=sum(item.recorded is None for item in dissent),
        repetitions=sum(len(process.repetitions) for process in sums.processes),
        checked=len(checked),
        unmentioned=sum(not process.consistent for process in checked),
        recorded=len(sums.records),
        stops=_counted(Counter(record.stop.value for record in sums.records)),
        silent=_counted(Counter(role for record in sums.records for role in record.silent_roles)),
        silent_in=sum(bool(record.silent_roles) for record in sums.records),
        closed_early=sum(record.stop is Stop.CONSENSUS and bool(record.silent_roles) for record in sums.records),
        empty=_counted(Counter(str(call.get("state")) for record in sums.records for call in record.empty)),
        blocked=sum(record.consensus_blocked for record in sums.records),
        tokens=sum(record.tokens for record in sums.records),
        told=tuple(sums.told),
    )


def _counted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _told(item: str, call: ToolCall, record: DiscussionRecord, reply: BoardReply) -> Told:
    return Told(
        item=item,
        turn=call.turn,
        role=call.role,
        regimen=call.regimen,
        verdict=call.verdict,
        abstained=call.abstained,
        reasons=tuple(call.reasons),
        told=call.told,
        became=_became(call, record.kept_unsupported, reply.conclusion),
    )


def _became(call: ToolCall, kept: Sequence[str], conclusion: str) -> str:
    if not conclusion:
        return NO_CONCLUSION
    own = drugs_in(call.regimen)
    if any(call.regimen == other or (own and own == drugs_in(other)) for other in kept):
        return KEPT
    if own and own & drugs_in(conclusion):
        return KEPT if call.verdict not in AGAINST and own <= drugs_in(conclusion) else NAMED
    return LEFT
