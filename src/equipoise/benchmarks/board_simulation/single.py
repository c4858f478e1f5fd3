"""A single model plays the whole board with tools: it may look up evidence, and its finished reply is audited and may be sent once more.

The calls of tools are bounded and counted. A provider that cannot pass tools on ends the sample with an error that says so: a reply made
without the tools would be none of this setting. With the auditor the model is told once, in a further message, what the audits of its
reply say (`equipoise.boards.single_review`); both replies are kept in the record, and the last one that can be read counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from inspect_ai.model import ChatMessageUser, ModelUsage, execute_tools
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError

from equipoise.benchmarks.board_simulation.agent_tools import audit_of, board_tools, day_of
from equipoise.boards.discussion_record import DISCUSSION_KEY
from equipoise.boards.single_review import SingleReview
from equipoise.errors import EquipoiseError, UpstreamError, UsageError
from equipoise.evals.budget import CHARACTERS_PER_TOKEN, Budget, prices
from equipoise.evals.failures import one_line
from equipoise.evals.refusal_task import REFERENCE_KEY
from equipoise.judging.seated import reply_state

MOST_CALLS = 8
"""Calls of tools before a model has to answer; also the most times it may ask for some."""

MODEL = "model"
"""Stands where a call of a tool has the role that made it."""

CALLS: Mapping[str, int] = {"evidence": MOST_CALLS + 1, "auditor": MOST_CALLS + 2}
"""Calls of the model that a case needs at most, by tools."""

_TOOLS_REFUSED = re.compile(
    r"\b(?:not|n't|cannot|no endpoints? found that) support\w*\b[^.]{0,60}\b(?:tools?|function[ -]?call)"
    r"|\b(?:tools?|tool[ _](?:use|choice|calls?|calling)|function[ -]?calling)\b[^.]{0,60}"
    r"\b(?:not (?:supported|available|enabled|allowed|implemented)|unsupported|requires)"
    r"|\b(?:unsupported|unknown|unexpected|unrecognized|extra)\b[^.]{0,60}\b(?:tools|tool_choice|functions)\b",
    re.IGNORECASE,
)
"""What providers say when they cannot pass tools on."""


@solver
def single_solver(
    tools: str = "evidence",
    as_of: str | None = None,
    jurisdiction: str = "US",
    policy: str = "label",
    civic: str | None = None,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Solver:
    """Let one model play the board of the sample's prompt, with tools.

    Args:
        tools: "evidence" (look-ups), or "auditor" (look-ups, audits, and every recommendation of the reply audited and told once).
        as_of: day of the tools, as 2026-06-01.
        jurisdiction: of the tools.
        policy: of the auditor.
        civic: evidence file of CIViC that look-ups search too.
        max_cost: US dollars after which nothing more is asked.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.

    Raises:
        UsageError: an argument does not exist or does not fit.
    """
    day = day_of(tools, as_of)
    if day is None:
        message = "a single model without tools is asked plainly; expected evidence or auditor"
        raise UsageError(message, field="tools")
    budget = Budget(most=max_cost, prices=prices(price_in, price_out))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        audit = audit_of(state.metadata, state.user_prompt.text, day=day, policy=policy, jurisdiction=jurisdiction)
        review = SingleReview(audit=audit, tells=tools == "auditor")
        state.tools = board_tools(audit, tools, MODEL, 0, review.calls, civic=civic, most=MOST_CALLS)
        try:
            return await _play(state, generate, review, budget)
        finally:
            _keep(state, review)

    return solve


async def _play(state: TaskState, generate: Generate, review: SingleReview, budget: Budget) -> TaskState:
    """Both replies; the one that counts is the state's output at the end."""
    for left in range(MOST_CALLS, -1, -1):
        budget.require()
        state.tool_choice = "auto" if left else "none"
        try:
            state = await generate(state, tool_calls="none")
        except (LimitExceededError, EquipoiseError):
            raise
        except Exception as error:
            if _TOOLS_REFUSED.search(str(error)):
                message = f"{state.model} cannot call tools, its provider says: {one_line(str(error))}; ask it with tools=none"
                raise UpstreamError(message) from error
            raise
        _pay(state, review, budget)
        if not (left and state.output.choices and state.output.message.tool_calls):
            break
        state.messages.extend((await execute_tools(state.messages, state.tools)).messages)
    first = state.output
    told = review.first(first.completion, reply_state(first))
    if not told:
        return state
    budget.require()
    state.tool_choice = "none"
    try:
        state.messages.append(ChatMessageUser(content=told))
        state = await generate(state, tool_calls="none")
    except LimitExceededError as limit:
        state.output = first
        review.lost(f"ended by the {limit.type} limit of the run")
        raise
    except EquipoiseError:
        raise
    except Exception as error:
        review.lost(one_line(str(error)))
        return state
    _pay(state, review, budget)
    if not review.again(state.output.completion, reply_state(state.output)):
        state.output = first
    return state


def _pay(state: TaskState, review: SingleReview, budget: Budget) -> None:
    usage = state.output.usage
    if usage is None:
        review.uncounted += 1
        characters = sum(len(message.text) for message in state.messages[:-1])
        usage = ModelUsage(
            input_tokens=round(characters / CHARACTERS_PER_TOKEN),
            output_tokens=round(len(state.output.completion) / CHARACTERS_PER_TOKEN),
        )
    review.tokens += usage.input_tokens + usage.output_tokens
    budget.pay(usage.input_tokens, usage.output_tokens)


def _keep(state: TaskState, review: SingleReview) -> None:
    """Write the record into the sample's metadata and its reference."""
    record: dict[str, Any] = review.record().to_dict()
    state.metadata[DISCUSSION_KEY] = record
    reference = state.metadata.get(REFERENCE_KEY)
    if isinstance(reference, dict):
        state.metadata[REFERENCE_KEY] = {**reference, DISCUSSION_KEY: record}
