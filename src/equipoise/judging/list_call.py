"""Lists taken out of texts by a model: the calls, several at a time, each reading handed on at once."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, Model

from equipoise.evals.budget import Budget, BudgetSpentError
from equipoise.evals.failures import one_line
from equipoise.judging.call import READABLE_AGAIN
from equipoise.judging.listing import ListForm, ListReading, list_question, read_list
from equipoise.judging.step import CONNECTIONS, MOST_FAILURES, Settings
from equipoise.outcomes.schema import ReplyState


@dataclass(slots=True)
class ListsSpent:
    """What was asked.

    Attributes:
        calls: calls of the model.
        tokens_in: tokens of the prompts.
        tokens_out: tokens of the replies.
        not_asked: texts that nobody was asked about.
        stopped: why, in words; empty when all was asked.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    not_asked: int = 0
    stopped: str = ""


def list_all(
    form: ListForm,
    texts: Sequence[str],
    model: Model,
    name: str,
    *,
    kept: Callable[[str, ListReading, str], None],
    budget: Budget | None = None,
    settings: Settings | None = None,
) -> ListsSpent:
    """Take the list out of each text.

    Args:
        form: what is taken out.
        texts: the texts, each once.
        model: the model.
        name: its name.
        kept: called with the text, the reading and the last reply as received, after each.
        budget: money.
        settings: how the model is asked.

    Returns:
        What was asked; a call that came to nothing is a reading in state error. An interruption by the user stands in `stopped`.
    """
    spent = ListsSpent()
    own = None if budget is None else budget.of(name)
    asked = settings or Settings()
    queue = deque(texts)
    failures = 0

    async def worker() -> None:
        nonlocal failures
        while queue and not spent.stopped and failures < MOST_FAILURES:
            text = queue.popleft()
            try:
                reading, reply = await _ask(form, text, model, asked, own, spent)
            except BudgetSpentError as error:
                queue.append(text)
                spent.stopped = str(error)
                return
            failures = failures + 1 if reading.state is ReplyState.ERROR else 0
            kept(text, reading, reply)

    async def run() -> None:
        workers = asked.connections or model.api.max_connections() or CONNECTIONS
        await asyncio.gather(*(worker() for _ in range(min(workers, len(texts)))))

    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        spent.stopped = "stopped by the user"
    spent.not_asked = len(queue)
    return spent


async def _ask(
    form: ListForm, text: str, model: Model, asked: Settings, budget: Budget | None, spent: ListsSpent
) -> tuple[ListReading, str]:
    config = GenerateConfig(temperature=0.0).merge(asked.config)
    reading, reply = ListReading(state=ReplyState.ERROR, why="nothing was asked"), ""
    for attempt in range(1, asked.ask_again + 2):
        question = list_question(form, text, attempt=attempt, why=reading.why if attempt > 1 else "")
        if budget is not None:
            budget.require()
        spent.calls += 1
        try:
            output = await model.generate(
                [ChatMessageSystem(content=question.system), ChatMessageUser(content=question.user)], config=config
            )
        except Exception as error:
            return ListReading(state=ReplyState.ERROR, why=one_line(f"{type(error).__name__}: {error}")), ""
        reply = output.completion
        stop = str(output.stop_reason) if output.choices else "stop"
        problem = one_line(output.error) if output.error else None
        reading = read_list(reply, form, nonce=question.nonce, stop_reason=stop, error=problem)
        if output.usage is not None:
            spent.tokens_in += output.usage.input_tokens
            spent.tokens_out += output.usage.output_tokens
            if budget is not None:
                budget.pay(output.usage.input_tokens, output.usage.output_tokens)
        if reading.state not in READABLE_AGAIN:
            break
    return reading, reply
