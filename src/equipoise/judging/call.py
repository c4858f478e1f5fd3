"""One judgement by a language model: the messages, the call through Inspect, the reading, a bounded second try."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, Model, ResponseSchema
from inspect_ai.util import JSONSchema

from equipoise.evals.budget import Budget
from equipoise.evals.failures import one_line
from equipoise.judging.frame import Prepared, prepare
from equipoise.judging.material import JudgeMaterial
from equipoise.judging.reading import Verdict, failed, read_verdict
from equipoise.judging.rubric import Rubric
from equipoise.outcomes.schema import ReplyState

SCHEMA_PROVIDERS: frozenset[str] = frozenset(
    {"anthropic", "azureai", "google", "grok", "groq", "mistral", "openai", "vllm", "sglang"}
)
"""Providers to which Inspect 0.3.285 hands a response schema; what others do with one is not known beforehand."""

SchemaMode = Literal["auto", "always", "prompt"]
"""Whether the schema is sent as such: to `SCHEMA_PROVIDERS`, to all, or only within the prompt, where it always stands."""

ASK_AGAIN = 1
"""Tries after a reply that cannot be read."""

READABLE_AGAIN: frozenset[ReplyState] = frozenset({ReplyState.UNPARSED, ReplyState.EMPTY})
"""States after which the judge is asked again; a blocked or cut reply would come back the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One call.

    Attributes:
        text: the reply as received.
        stop_reason: why generation ended, in Inspect's words; empty when the call failed.
        state: how it was read.
        reading: which step of the reader found the answer.
        why: why something could not be read; empty when all was.
        tokens_in: tokens of the prompt; None when not stated.
        tokens_out: tokens of the reply; None when not stated.
        cost: US dollars; None when not known.
        seconds: from call to reply.
    """

    text: str
    stop_reason: str
    state: ReplyState
    reading: str
    why: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a judge said of one item and reply.

    Attributes:
        verdict: the answer: the first complete one, else that with most answers, the earliest of equal ones.
        attempts: all calls, in order.
        material_hash: hash of rubric and material.
        out_of_scope: questions that were not asked because they were declared out of scope.
    """

    verdict: Verdict
    attempts: tuple[Attempt, ...]
    material_hash: str
    out_of_scope: tuple[str, ...] = ()


async def judge(
    model: Model,
    rubric: Rubric,
    material: JudgeMaterial,
    *,
    repeat: int = 1,
    config: GenerateConfig | None = None,
    budget: Budget | None = None,
    schema: SchemaMode = "auto",
    ask_again: int = ASK_AGAIN,
) -> Judgement:
    """Ask a judge; a failure is a state of the result, never an exception and never a value.

    Args:
        model: Inspect's model; its own limits hold for calls at a time, tries after transport errors and time.
        rubric: the rubric.
        material: the texts.
        repeat: repeat of the same judgement, from 1.
        config: settings of generation; temperature 0 unless it says otherwise.
        budget: money; paid call by call.
        schema: where the JSON schema goes.
        ask_again: tries after a reply that cannot be read.

    Raises:
        InputError: the item lacks a part the rubric shows.
        BudgetSpentError: the money is spent; nothing was asked.
    """
    base = GenerateConfig(temperature=0.0).merge(config) if config is not None else GenerateConfig(temperature=0.0)
    best: Verdict | None = None
    attempts: list[Attempt] = []
    why = ""
    prepared = prepare(rubric, material, repeat=repeat)
    left = tuple(sorted(material.out_of_scope))
    if not prepared.asked:
        return Judgement(
            verdict=Verdict(state=ReplyState.OK, judged=()), attempts=(), material_hash=prepared.material_hash,
            out_of_scope=left,
        )  # fmt: skip
    for number in range(1, ask_again + 2):
        if number > 1:
            prepared = prepare(rubric, material, repeat=repeat, attempt=number, why=why)
        if budget is not None:
            budget.require()
        verdict, attempt = await _call(model, prepared, _with_schema(base, prepared, model, schema), budget)
        attempts.append(attempt)
        if best is None or verdict.answered > best.answered:
            best = verdict
        if verdict.complete or (verdict.state not in READABLE_AGAIN and not verdict.answered):
            break
        why = verdict.why
    return Judgement(
        verdict=best or failed(prepared.asked, ReplyState.ERROR, "nothing was asked"),
        attempts=tuple(attempts),
        material_hash=prepared.material_hash,
        out_of_scope=left,
    )


async def _call(
    model: Model, prepared: Prepared, config: GenerateConfig, budget: Budget | None
) -> tuple[Verdict, Attempt]:
    started = time.perf_counter()
    try:
        output = await model.generate(
            [ChatMessageSystem(content=prepared.system), ChatMessageUser(content=prepared.user)], config=config
        )
    except Exception as error:
        why = one_line(f"{type(error).__name__}: {error}")
        seconds = time.perf_counter() - started
        attempt = Attempt(
            text="", stop_reason="", state=ReplyState.ERROR, reading="", why=why, seconds=round(seconds, 3)
        )
        return failed(prepared.asked, ReplyState.ERROR, why), attempt
    stop = str(output.stop_reason) if output.choices else "stop"
    text = output.completion
    problem = one_line(output.error) if output.error else None
    verdict = read_verdict(text, asked=prepared.asked, nonce=prepared.nonce, stop_reason=stop, error=problem)
    usage = output.usage
    tokens_in = tokens_out = cost = None
    if usage is not None:
        tokens_in = usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        tokens_out = usage.output_tokens
        cost = usage.total_cost
        if cost is None and budget is not None and budget.prices is not None:
            cost = budget.prices.cost(tokens_in, tokens_out)
        if budget is not None:
            budget.pay(tokens_in, tokens_out)
    return verdict, Attempt(
        text=text,
        stop_reason=stop,
        state=verdict.state,
        reading=verdict.reading,
        why=verdict.why,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=cost,
        seconds=round(output.time if output.time is not None else time.perf_counter() - started, 3),
    )


def _with_schema(base: GenerateConfig, prepared: Prepared, model: Model, mode: SchemaMode) -> GenerateConfig:
    if mode == "prompt" or (mode == "auto" and _provider(model) not in SCHEMA_PROVIDERS):
        return base
    return base.merge(GenerateConfig(response_schema=_response_schema(prepared.schema)))


def _response_schema(schema: Mapping[str, Any]) -> ResponseSchema:
    return ResponseSchema(name="verdicts", json_schema=JSONSchema.model_validate(schema), strict=True)


def _provider(model: Model) -> str:
    return str(model).split("/", 1)[0]
