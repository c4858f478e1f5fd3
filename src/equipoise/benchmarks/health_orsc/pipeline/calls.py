"""Asks models through Inspect: what the journal holds is not asked again, every answer is on the disk at once.

The budget counts what one start spends; calls under way when it is spent are still paid and kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from equipoise._optional import require
from equipoise.benchmarks.health_orsc.pipeline.config import Calls, ModelSpec
from equipoise.benchmarks.health_orsc.pipeline.journal import Answer, Journal
from equipoise.errors import ConfigurationError, UpstreamError, UsageError
from equipoise.evals.budget import BudgetSpentError, Prices
from equipoise.evals.failures import advice, one_line
from equipoise.ids import content_hash
from equipoise.outcomes.schema import ReplyState

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelOutput

Tell = Callable[[str], None]
"""Takes a line for the user."""

BATCH = 4000
"""Calls that are held in memory at a time."""

_CUT = frozenset({"max_tokens", "model_length"})
_PARTS_OF_PROGRESS, _LEAST_STEP = 10, 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One call.

    Attributes:
        stage: stage that asks.
        model: name among the configuration's models.
        prompt_hash: hash of the prompt.
        system: instruction; empty for none.
        user: what is asked.
        repeat: which of several replies to the same question, from 1.
    """

    stage: str
    model: str
    prompt_hash: str
    system: str
    user: str
    repeat: int = 1


class Answers(Sequence[Answer]):
    """Answers in the order of their calls, read from the journal one by one."""

    def __init__(self, keys: Sequence[str], journal: Journal, failed: Mapping[str, Answer]) -> None:
        """Answers to the calls of these keys.

        Args:
            keys: keys of the calls.
            journal: where they are answered.
            failed: failed calls that are gone on without.
        """
        self._keys, self._journal, self._failed = keys, journal, failed

    def __len__(self) -> int:
        """Number of calls."""
        return len(self._keys)

    @overload
    def __getitem__(self, place: int) -> Answer: ...
    @overload
    def __getitem__(self, place: slice) -> list[Answer]: ...
    def __getitem__(self, place: int | slice) -> Answer | list[Answer]:
        """The answer at a place."""
        if isinstance(place, slice):
            return [self._one(key) for key in self._keys[place]]
        return self._one(self._keys[place])

    def _one(self, key: str) -> Answer:
        return self._journal[key] if key in self._journal else self._failed[key]


@dataclass(slots=True)
class Asker:
    """Asks what is not answered yet.

    Attributes:
        models: settings by name.
        journal: the journal.
        seed: seed of the run; every call gets one of its own from it.
        settings: how models are called.
        max_cost: US dollars for this start; None for no limit.
        tell: takes lines on what goes on.
        spent: US dollars so far, in this start.
        asked: calls made in this start.
    """

    models: Mapping[str, ModelSpec]
    journal: Journal
    seed: int
    settings: Calls
    max_cost: float | None = None
    tell: Tell = lambda line: None
    spent: float = 0.0
    asked: int = 0
    _open: dict[str, Model] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_prices(self.models, self.max_cost)

    def key(self, ask: Ask) -> str:
        """What a call is known by: stage, prompt, model with settings, seed, question and repeat."""
        spec = self.models[ask.model]
        return content_hash(
            [ask.stage, ask.prompt_hash, spec.identity(), self.seed, [ask.system, ask.user], ask.repeat]
        )

    async def ask(self, asks: Iterable[Ask], total: int) -> Answers:
        """Answers in the order of the calls; equal calls are made once. Calls are gone through `BATCH` at a time.

        Args:
            asks: the calls.
            total: how many there are.

        Raises:
            BudgetSpentError: the money of this start is spent; what was answered is kept.
            UpstreamError: calls failed, and failed calls stop the run; one line says how many and what to do.
            ConfigurationError: a model cannot be opened.
        """
        keys: list[str] = []
        failed: dict[str, Answer] = {}
        rest = iter(asks)
        while batch := list(islice(rest, BATCH)):
            known = [self.key(ask) for ask in batch]
            keys += known
            waiting = {key: ask for key, ask in zip(known, batch, strict=True) if key not in self.journal}
            if waiting:
                await self._make(waiting, failed, later=total - len(keys))
        return Answers(keys, self.journal, failed)

    async def close(self) -> None:
        """Let go of the models."""
        for model in self._open.values():
            await model.__aexit__(None, None, None)
        self._open.clear()

    async def _make(self, waiting: Mapping[str, Ask], failed: dict[str, Answer], *, later: int) -> None:
        stage = next(iter(waiting.values())).stage
        for name in sorted({ask.model for ask in waiting.values()}):
            self._model(name)
        total, done = len(waiting), 0
        step = max(_LEAST_STEP, total // _PARTS_OF_PROGRESS)
        self.tell(f"{stage}: {total} calls to make" + (f", then up to {later} more" if later else ""))
        queue: Iterator[tuple[str, Ask]] = iter(waiting.items())
        skipped = 0

        async def work() -> None:
            nonlocal done, skipped
            for key, ask in queue:
                if self._spent_out() or (len(failed) >= self.settings.most_failures and self._stops):
                    skipped += 1
                    continue
                answer = await self._call(key, ask)
                self.journal.add(answer)
                if answer.state is ReplyState.ERROR:
                    failed[key] = answer
                done += 1
                if done % step == 0 and done < total:
                    self.tell(f"{stage}: {done} of {total} calls made")

        await asyncio.gather(*(work() for _ in range(min(self.settings.concurrency, total))))
        if failed and self._stops:
            text = next(iter(failed.values())).error
            message = (
                f"stage {stage}: {len(failed)} of {done} calls came to nothing: {text}; {advice(text)};"
                " what was answered is kept, and the same command asks the rest"
            )
            raise UpstreamError(message)
        if skipped:
            message = (
                f"stage {stage}: the budget of {self.max_cost:g} US dollars is spent and up to {skipped + later} calls are left;"
                " repeat the same command to ask them, for as much money again"
            )
            raise BudgetSpentError(message)

    @property
    def _stops(self) -> bool:
        return self.settings.on_error == "stop"

    def _spent_out(self) -> bool:
        return self.max_cost is not None and self.spent >= self.max_cost

    async def _call(self, key: str, ask: Ask) -> Answer:
        spec = self.models[ask.model]
        base: dict[str, Any] = {"key": key, "stage": ask.stage, "model": spec.model}
        self.asked += 1
        try:
            output = await self._generate(key, ask, spec)
        except Exception as error:
            text = one_line(f"{type(error).__name__}: {error}")
            return Answer(**base, state=ReplyState.ERROR, text="", error=text)
        usage = output.usage
        tokens = (usage.input_tokens, usage.output_tokens) if usage is not None else (None, None)
        cost = None
        if spec.price_in is not None and spec.price_out is not None and usage is not None:
            cost = Prices(input=spec.price_in, output=spec.price_out).cost(usage.input_tokens, usage.output_tokens)
            self.spent += cost
        state, text, told = state_of(output)
        return Answer(**base, state=state, text=text, error=told, tokens_in=tokens[0], tokens_out=tokens[1], cost=cost)

    async def _generate(self, key: str, ask: Ask, spec: ModelSpec) -> ModelOutput:
        from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig

        config = GenerateConfig(
            temperature=spec.temperature,
            top_p=spec.top_p,
            max_tokens=spec.max_tokens,
            seed=call_seed(self.seed, key),
            max_retries=self.settings.retries,
            timeout=self.settings.timeout,
            max_connections=self.settings.concurrency,
        )
        messages = [ChatMessageSystem(content=ask.system)] if ask.system else []
        return await self._model(ask.model).generate([*messages, ChatMessageUser(content=ask.user)], config=config)

    def _model(self, name: str) -> Model:
        if name not in self._open:
            require("inspect_ai", extra="eval")
            from inspect_ai.model import get_model

            from equipoise.benchmarks.health_orsc.pipeline import rehearsal

            rehearsal.register()
            spec = self.models[name]
            try:
                self._open[name] = get_model(spec.model, base_url=spec.base_url, memoize=False, **spec.args)
            except Exception as error:
                text = one_line(str(error))
                message = f"model {name} ({spec.model}) cannot be used: {text}; {_open_advice(text)}"
                raise ConfigurationError(message) from error
        return self._open[name]


def state_of(output: ModelOutput) -> tuple[ReplyState, str, str]:
    """State, text and message of an output, before any stage reads the text.

    Args:
        output: what Inspect gave.
    """
    if output.error:
        return ReplyState.ERROR, "", one_line(output.error)
    text = output.completion if output.choices else ""
    if output.choices and output.stop_reason == "content_filter":
        return ReplyState.BLOCKED, text, ""
    if output.choices and output.stop_reason in _CUT:
        return ReplyState.TRUNCATED, text, ""
    return (ReplyState.OK if text.strip() else ReplyState.EMPTY), text, ""


def call_seed(seed: int, key: str) -> int:
    """The seed a call is given, 0 to 2^31 - 1: the same for the same run seed and call."""
    return int(content_hash([seed, key])[:8], 16) % 2**31


def require_prices(models: Mapping[str, ModelSpec], max_cost: float | None) -> None:
    """A limit in money needs the prices of every model.

    Raises:
        UsageError: a model has no prices, or the limit is negative.
    """
    if max_cost is None:
        return
    if max_cost < 0:
        message = f"expected 0 or more US dollars, found {max_cost:g}"
        raise UsageError(message, field="max_cost")
    without = [name for name, spec in models.items() if spec.price_in is None]
    if without:
        message = f"a limit in money needs price_in and price_out of every model; {without[0]} has none"
        raise UsageError(message, field="max_cost")


def _open_advice(text: str) -> str:
    if "not recognized" in text or "should be in the format" in text:
        return "name the model as PROVIDER/MODEL, for instance openai/MODEL or openai-api/SERVICE/MODEL"
    if "environment" in text and ("defined" in text or "variable" in text):
        return "set that variable to the key of the service"
    if "pip install" in text:
        return "install the library it names"
    return advice(text)
