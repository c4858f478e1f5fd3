"""One question to a language model outside a task: the call through Inspect, and what became of it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, Model, get_model

from equipoise.errors import ConfigurationError, EquipoiseError
from equipoise.evals.budget import Budget
from equipoise.evals.failures import advice, one_line
from equipoise.evals.mock_counts import count_without_network
from equipoise.evals.runner import start_advice
from equipoise.outcomes.schema import ReplyState

_CUT = frozenset({"max_tokens", "model_length"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What became of one call.

    Attributes:
        state: ok, empty, blocked, truncated or error; never unparsed, since nothing is read here.
        text: the reply as received; empty unless the model wrote something.
        why: what went wrong, without any word of the prompt; empty when nothing did.
        tokens_in: tokens of the prompt; None when not stated.
        tokens_out: tokens of the reply; None when not stated.
        seconds: from call to reply.
    """

    state: ReplyState
    text: str
    why: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float = 0.0


def open_model(name: str, *, base_url: str | None = None) -> Model:
    """A model by Inspect's name.

    Args:
        name: PROVIDER/MODEL.
        base_url: address of the endpoint; None for the provider's own.

    Raises:
        ConfigurationError: unknown provider, no key, or a library that is missing; one line says what to do.
    """
    count_without_network()
    try:
        return get_model(name, base_url=base_url, memoize=False)
    except EquipoiseError:
        raise
    except Exception as error:
        message = f"model {name} cannot be had: {one_line(str(error))}; {start_advice(error)}"
        raise ConfigurationError(message) from error


async def ask_once(
    model: Model,
    system: str,
    user: str,
    *,
    temperature: float = 0.0,
    max_tokens: int | None = None,
    timeout: int | None = None,
    connections: int | None = None,
    budget: Budget | None = None,
) -> Asked:
    """Ask a model; a failure is a state of the result, never an exception.

    The message of a failed call is not kept, since a service may repeat the prompt in it: kept are its class and what to do about it.

    Args:
        model: the model.
        system: the instruction.
        user: what is asked.
        temperature: of the model.
        max_tokens: tokens of the reply at most; None for the model's own limit.
        timeout: seconds, all tries together.
        connections: calls at a time.
        budget: money; paid call by call.

    Raises:
        BudgetSpentError: the money is spent; nothing was asked.
    """
    if budget is not None:
        budget.require()
    config = GenerateConfig(
        temperature=temperature, max_tokens=max_tokens, timeout=timeout, max_connections=connections
    )
    started = time.perf_counter()
    try:
        output = await model.generate([ChatMessageSystem(content=system), ChatMessageUser(content=user)], config=config)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        why = f"{type(error).__name__}; {advice(text, otherwise='the call failed')}"
        return Asked(state=ReplyState.ERROR, text="", why=why, seconds=round(time.perf_counter() - started, 3))
    usage = output.usage
    tokens_in = tokens_out = None
    if usage is not None:
        tokens_in = usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        tokens_out = usage.output_tokens
        if budget is not None:
            budget.pay(tokens_in, tokens_out)
    seconds = round(output.time if output.time is not None else time.perf_counter() - started, 3)
    text = output.completion if output.choices else ""
    stop = str(output.stop_reason) if output.choices else "stop"
    state, why = _state(text, stop, failed=bool(output.error), message=str(output.error or ""))
    return Asked(state=state, text=text, why=why, tokens_in=tokens_in, tokens_out=tokens_out, seconds=seconds)


def _state(text: str, stop: str, *, failed: bool, message: str) -> tuple[ReplyState, str]:
    if stop == "content_filter":
        return ReplyState.BLOCKED, "the provider withheld the reply"
    if failed:
        return ReplyState.ERROR, advice(message, otherwise="the call failed")
    if stop in _CUT:
        return ReplyState.TRUNCATED, "a limit cut the reply off"
    return (ReplyState.OK, "") if text.strip() else (ReplyState.EMPTY, "the reply held no text")
