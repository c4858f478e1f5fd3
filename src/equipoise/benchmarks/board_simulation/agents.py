"""A board of agents: one model a role, a moderator who gives the floor, and the machine of `equipoise.boards.discussion` that stops it.

Models come from Inspect's model roles (`--model-role surgeon=... --model-role moderator=...`, with underscores for spaces); a role without
one is played by the task's model. Each call stands by itself: an instruction, and one message with the case, what was said and where the
board stands. The order is fixed by what was said, so the same replies give the same discussion. Inspect's own limits hold beside the
board's: when one is reached, what was said so far is written down and the limit goes on to Inspect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import LimitExceededError

from equipoise.benchmarks.board_simulation.agent_tools import audit_of, board_tools, day_of
from equipoise.boards import agent_prompts
from equipoise.boards.agent_replies import read_call, read_conclusion, read_said, said_line, shown, turns_of
from equipoise.boards.board_audit import OPENING, BoardAudit
from equipoise.boards.discussion import Call, Discussion, DiscussionRecord, Entry, Limits, Said, Stop, roles_named
from equipoise.boards.discussion_record import AUDITOR_ROLE, DISCUSSION_KEY, ToolCall
from equipoise.boards.measures.process import tells_of_dissent
from equipoise.boards.named_only import NamedOnly
from equipoise.boards.recommended import Hearing, Kind, Recommended, hear, hear_turn
from equipoise.boards.replies import write_board_reply
from equipoise.boards.vocabulary import Role
from equipoise.errors import EquipoiseError, UpstreamError
from equipoise.evals.budget import CHARACTERS_PER_TOKEN, Budget, prices
from equipoise.evals.failures import one_line
from equipoise.evals.refusal_task import REFERENCE_KEY
from equipoise.evals.replies import CUT, without_text
from equipoise.outcomes.schema import ReplyState

TOOL_ROUNDS = 3
"""Times an agent may call tools before it has to answer."""


@solver
def agents_solver(
    roles: list[str] | str | None = None,
    max_turns: int = 24,
    max_tokens_total: int | None = None,
    min_speakers: int = 4,
    tools: str = "none",
    as_of: str | None = None,
    jurisdiction: str = "US",
    policy: str = "label",
    civic: str | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Solver:
    """Let a board of agents discuss the case that is the sample's input.

    Args:
        roles: who is on the board, in the fixed order; six specialists by default. The moderator is always there.
        max_turns: most calls of specialists.
        max_tokens_total: most tokens of a board, prompts and replies; it is exceeded by one call at most.
        min_speakers: roles that must have spoken before a consensus.
        tools: "none", "evidence" (look-ups), or "auditor" (look-ups, audits, and every recommendation audited and told).
        as_of: day of the tools, as 2026-06-01; needed with tools.
        jurisdiction: of the tools.
        policy: of the auditor.
        civic: evidence file of CIViC that look-ups search too.
        max_tokens: most tokens of one reply; the model's own limit by default.
        seed: seed of every call, where the provider knows one.
        max_cost: US dollars after which nothing more is asked; prices hold for all models of the board alike.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.

    Raises:
        UsageError: an argument does not exist or does not fit.
    """
    named = roles_named(roles)
    limits = Limits(max_turns=max_turns, max_tokens=max_tokens_total, min_speakers=min_speakers)
    day = day_of(tools, as_of)
    budget = Budget(most=max_cost, prices=prices(price_in, price_out))
    config = GenerateConfig(seed=seed, max_tokens=max_tokens)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        pictures, case = _input(state)
        audit = (
            None if day is None else audit_of(state.metadata, case, day=day, policy=policy, jurisdiction=jurisdiction)
        )
        board = Board(
            machine=Discussion(roles=named, limits=limits),
            case=case,
            pictures=pictures,
            tools=tools,
            audit=audit,
            civic=civic,
            budget=budget,
            config=config,
        )
        try:
            await board.discuss()
            await board.conclude()
        except LimitExceededError as limit:
            board.cut_off(limit)
            board.keep(state)
            raise
        board.keep(state)
        if board.broken_off:
            message = f"the board broke off, a whole round of calls failed: {board.why}"
            raise UpstreamError(message)
        if board.conclusion_state == ReplyState.ERROR:
            message = f"the call for the conclusion failed: {board.why}"
            raise UpstreamError(message)
        return state

    return solve


def _input(state: TaskState) -> tuple[list[Content], str]:
    """Pictures with their labels, and the text before them; an instruction for a single model is left out."""
    pictures: list[Content] = []
    texts: list[str] = []
    for message in state.messages:
        if message.role != "user":
            continue
        if isinstance(message.content, str) or not any(isinstance(part, ContentImage) for part in message.content):
            texts.append(message.text)
            continue
        first, *rest = message.content
        if isinstance(first, ContentText):
            texts.append(first.text)
        else:
            pictures.append(first)
        pictures += rest
    return pictures, "\n\n".join(texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of a call.

    Attributes:
        text: the reply; empty unless the state is ok.
        state: ok, or why there is nothing to read.
    """

    text: str
    state: ReplyState


@dataclass(slots=True, kw_only=True)
class Board:
    """One board while it is played: the machine, the models, the tools.

    Attributes:
        machine: speakers, positions, stops.
        case: the case as everyone is shown it.
        pictures: pictures shown with it, each after its label.
        tools: "none", "evidence" or "auditor".
        audit: the auditor; None without tools.
        civic: evidence file of CIViC.
        budget: money.
        config: settings of every call.
    """

    machine: Discussion
    case: str
    pictures: Sequence[Content]
    tools: str
    audit: BoardAudit | None
    civic: str | None
    budget: Budget
    config: GenerateConfig
    calls: list[ToolCall] = field(default_factory=list)
    conclusion: str = ""
    conclusion_state: str = "not-asked"
    lost: tuple[str, ...] = ()
    repaired: bool = False
    revised: bool = False
    kept: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    named: NamedOnly = field(default_factory=NamedOnly)
    usage: ModelUsage = field(default_factory=ModelUsage)
    uncounted: int = 0
    why: str = ""

    async def discuss(self) -> None:
        """Give and take the floor until the machine stops."""
        machine = self.machine
        while machine.ready():
            await self._moderate()
            if not machine.ready() or machine.speaker is None:
                continue
            role = machine.speaker
            answer = await self._ask(
                role, agent_prompts.specialist_system(role, tools=self.tools), agent_prompts.specialist_turn(role)
            )
            said = read_said(answer.text, role) if answer.state is ReplyState.OK else Said(state=answer.state)
            machine.said(replace(said, words=shown(said)) if said.state is ReplyState.OK else said)
            if said.state is ReplyState.OK:
                self._heard(role.value, hear_turn(said.words, said.proposal))

    async def conclude(self) -> None:
        """Ask for the conclusion, and tell at the end what was named and not audited, also where there is none."""
        await self._conclude()
        if self.audit is not None and self.tools == "auditor":
            self._tell_named()

    async def _conclude(self) -> None:
        """Ask for the conclusion, and once more where it leaves out dissent or the auditor has something to say of it."""
        if not self.machine.may_conclude:
            return
        system = agent_prompts.conclusion_system(tools=self.tools)
        draft = await self._written(system, agent_prompts.conclusion_turn(self.machine))
        if not draft:
            return
        self.conclusion = draft
        found = hear(draft, Kind.CONCLUSION)
        told = self._heard(Role.MODERATOR.value, found, again=True)
        lost = self._lost(draft)
        if (lost or told) and self.machine.may_conclude:
            again = await self._written(system, agent_prompts.repair_turn(draft, lost, told))
            if again:
                self.repaired, self.revised, self.conclusion = bool(lost), bool(told), again
                known = {item.components for item in found.recommended}
                last = hear(again, Kind.CONCLUSION)
                self._audit_last([one for one in last.recommended if one.components not in known])
                self.named.hears(Role.MODERATOR.value, self.machine.place, last)
        self.lost = tuple(role.value for role in self._lost(self.conclusion))
        if self.audit is not None and self.tools == "auditor":
            self.kept = self.audit.standing_of(hear(self.conclusion, Kind.CONCLUSION).recommended)

    @property
    def broken_off(self) -> bool:
        """Whether calls that failed, and not replies without words, ended the board; then it can be asked again."""
        last = self.machine.empty[-len(self.machine.roles) :]
        return self.machine.stop is Stop.FAILED and all(row["state"] == ReplyState.ERROR for row in last)

    def cut_off(self, limit: LimitExceededError) -> None:
        """Note that a limit of Inspect ended the board."""
        if self.machine.stop is None:
            self.machine.stop = {"token": Stop.TOKEN_BUDGET, "message": Stop.TURN_LIMIT}.get(limit.type, Stop.FAILED)
        self.why = f"ended by the {limit.type} limit of the run"

    def record(self) -> DiscussionRecord:
        """Everything that is reported of the board."""
        return replace(
            self.machine.record(),
            tool_calls=tuple(self.calls),
            calls_uncounted=self.uncounted,
            lost_dissent=self.lost,
            repaired=self.repaired,
            revised=self.revised,
            kept_unsupported=self.kept[0],
            kept_open=self.kept[1],
            named_not_audited=self.named.rows(),
            conclusion_state=self.conclusion_state,
            audit_basis={} if self.audit is None else self.audit.basis(),
            why=self.why,
        )

    def keep(self, state: TaskState) -> None:
        """Write the discussion as the reply, and the record into the sample's metadata and its reference."""
        record = self.record().to_dict()
        state.metadata[DISCUSSION_KEY] = record
        reference = state.metadata.get(REFERENCE_KEY)
        if isinstance(reference, dict):
            state.metadata[REFERENCE_KEY] = {**reference, DISCUSSION_KEY: record}
        turns = turns_of(self.machine.entries)
        text = write_board_reply(turns, said_line(self.conclusion)) if turns else ""
        output = ModelOutput.from_content(model=str(state.model), content=text)
        output.usage = self.usage
        state.output = output
        state.messages.append(output.message)

    # --- calls -------------------------------------------------------------------------------------------------------------------------

    async def _moderate(self) -> None:
        machine = self.machine
        answer = await self._ask(
            Role.MODERATOR,
            agent_prompts.moderator_system(machine.roles, tools=self.tools),
            agent_prompts.moderator_turn(machine),
        )
        call = read_call(answer.text, machine.roles) if answer.state is ReplyState.OK else Call(state=answer.state)
        machine.moderated(call)
        if call.words:
            self._heard(Role.MODERATOR.value, hear(call.words, Kind.TURN))

    async def _written(self, system: str, last: str) -> str:
        answer = await self._ask(Role.MODERATOR, system, last, concluding=True)
        text = read_conclusion(answer.text) if answer.state is ReplyState.OK else ""
        if text or not self.conclusion:
            self.conclusion_state = str(
                ReplyState.UNPARSED if answer.state is ReplyState.OK and not text else answer.state
            )
        return text

    async def _ask(self, role: Role, system: str, last: str, *, concluding: bool = False) -> Answer:
        """One answer of a role; the tools it calls on the way are run."""
        text = f"{agent_prompts.situation(self.case, self.machine)}\n\n{last}"
        content: str | list[Content] = [ContentText(text=text), *self.pictures] if self.pictures else text
        messages: list[ChatMessage] = [ChatMessageSystem(content=system), ChatMessageUser(content=content)]
        tools = [] if role is Role.MODERATOR else self._tools(role)
        for left in range(TOOL_ROUNDS, -1, -1):
            self.budget.require()
            try:
                output = await get_model(role=role.value.replace(" ", "_")).generate(
                    messages,
                    tools=tools,
                    tool_choice=("auto" if left else "none") if tools else None,
                    config=self.config,
                )
            except (LimitExceededError, EquipoiseError):
                raise
            except Exception as error:
                self.why = one_line(str(error))
                return Answer(text="", state=ReplyState.ERROR)
            self._pay(output, messages)
            if not (left and tools and output.choices and output.message.tool_calls):
                return _answer(output)
            if not (self.machine.may_conclude if concluding else self.machine.ready()):
                return Answer(text="", state=ReplyState.TRUNCATED)
            messages.append(output.message)
            messages.extend((await execute_tools(messages, tools)).messages)
        return Answer(text="", state=ReplyState.TRUNCATED)

    def _pay(self, output: ModelOutput, messages: Sequence[ChatMessage]) -> None:
        usage = output.usage
        if usage is None:
            self.uncounted += 1
            characters = sum(len(message.text) for message in messages)
            usage = ModelUsage(
                input_tokens=round(characters / CHARACTERS_PER_TOKEN),
                output_tokens=round(len(output.completion) / CHARACTERS_PER_TOKEN),
            )
        self.machine.used(usage.input_tokens + usage.output_tokens)
        self.budget.pay(usage.input_tokens, usage.output_tokens)
        self.usage.input_tokens += usage.input_tokens
        self.usage.output_tokens += usage.output_tokens
        self.usage.total_tokens += usage.input_tokens + usage.output_tokens

    # --- tools and rules -----------------------------------------------------------------------------------------------------------------

    def _tools(self, role: Role) -> list[Tool]:
        if self.audit is None:
            return []
        return board_tools(self.audit, self.tools, role.value, self.machine.place, self.calls, civic=self.civic)

    def _heard(self, role: str, hearing: Hearing, *, again: bool = False) -> list[str]:
        """Audit what was recommended and tell the board; returns what asks for a second look."""
        if self.audit is None or self.tools != "auditor":
            return []
        machine = self.machine
        turn = machine.place if again else machine.place - 1
        self.named.hears(role, turn, hearing)
        heard = self.audit.hears(role, turn, hearing.recommended, again=again)
        for item in heard:
            self.calls.append(item.call)
            if item.text:
                machine.entries.append(Entry(role=AUDITOR_ROLE, text=item.text))
        return [item.text for item in heard if item.asks]

    def _audit_last(self, found: Sequence[Recommended]) -> None:
        """Audit what only the last conclusion recommends; nobody is there any more to be told."""
        if self.audit is not None and self.tools == "auditor":
            heard = self.audit.hears(Role.MODERATOR.value, self.machine.place, found)
            self.calls += [replace(item.call, told=False) for item in heard]

    def _tell_named(self) -> None:
        """Say in the auditor's last turn what was named and not audited; a turn of its own where it has not spoken last."""
        line, entries = self.named.line(), self.machine.entries
        if not line:
            return
        if entries and entries[-1].role == AUDITOR_ROLE:
            entries[-1] = replace(entries[-1], text=f"{entries[-1].text} {line}")
        else:
            entries.append(Entry(role=AUDITOR_ROLE, text=f"{OPENING} {line}"))

    def _lost(self, conclusion: str) -> tuple[Role, ...]:
        return tuple(role for role in self.machine.dissent if not tells_of_dissent(role, conclusion))


def _answer(output: Any) -> Answer:
    stop = output.stop_reason if output.choices else "stop"
    failed = without_text(output.completion, stop, output.error)
    if failed is not None:
        return Answer(text="", state=failed[0])
    if stop in CUT:
        return Answer(text="", state=ReplyState.TRUNCATED)
    return Answer(text=output.completion, state=ReplyState.OK)
