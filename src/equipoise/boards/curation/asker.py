"""Where the replies of a stage come from: a file of stored ones, those on record in the stage's folder, or a model that is asked now.

Every reply goes to the disk at once, in the form that can be replayed. One on record is taken again for the same prompt only; one of a file
that names a prompt's hash too. A unit for which there is no reply, and no model to ask, is not asked: that is no failure and no result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise._optional import require
from equipoise.boards.curation.store import append_private, read_lines
from equipoise.errors import InputError
from equipoise.ids import bytes_hash, content_hash
from equipoise.outcomes.readers import read_json_lines
from equipoise.outcomes.schema import ReplyState

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from equipoise.evals.budget import Budget

REPLIES = "replies.jsonl"
"""Journal of a stage, in its folder."""

NOBODY = "there is no model and no stored reply"
"""Why nothing was asked."""

REPLAYED = "replayed"
"""What stands for the model where a stored reply names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a model is asked.

    Attributes:
        model: Inspect's name; empty for none.
        base_url: address of its endpoint; None for the provider's own.
        temperature: of the model.
        max_tokens: tokens of a reply at most; None for the model's own limit.
        timeout: seconds for a reply, all tries together.
        connections: calls at a time.
        again: ask anew what is on record.
    """

    model: str = ""
    base_url: str | None = None
    temperature: float = 0.0
    max_tokens: int | None = 4096
    timeout: int | None = 600
    connections: int = 4
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """A reply, or why there is none.

    Attributes:
        state: what became of it; None when nothing was asked.
        text: the reply.
        why: what went wrong; empty when nothing did.
        model: who wrote it.
    """

    state: ReplyState | None
    text: str = ""
    why: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replays:
    """Stored replies by stage, unit and try.

    Attributes:
        rows: in the order of the files.
        hash: of the files; empty when there are none.
    """

    rows: Mapping[tuple[str, str, int], Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    hash: str = ""


def read_replays(paths: Sequence[Path]) -> Replays:
    """Stored replies of files of JSON lines with `stage`, `unit`, `reply`, and where known `attempt`, `state`, `prompt_hash`, `model`.

    Raises:
        UsageError: a file cannot be opened.
        InputError: a line that is no such row.
    """
    rows: dict[tuple[str, str, int], list[Mapping[str, Any]]] = {}
    hashes = []
    for path in paths:
        for line, row in read_json_lines(path):
            for name in ("stage", "unit", "reply"):
                if not isinstance(row.get(name), str):
                    message = "expected a text"
                    raise InputError(message, file=str(path), line=line, field=name)
            attempt = row.get("attempt", 1)
            if isinstance(attempt, bool) or not isinstance(attempt, int):
                message = "expected a whole number from 1"
                raise InputError(message, file=str(path), line=line, field="attempt")
            state = row.get("state", ReplyState.OK)
            if state not in list(ReplyState):
                message = f"expected one of {', '.join(ReplyState)}"
                raise InputError(message, file=str(path), line=line, field="state")
            rows.setdefault((row["stage"], row["unit"], attempt), []).append(row)
        hashes.append(bytes_hash(path.read_bytes()))
    return Replays(rows=rows, hash=content_hash(sorted(hashes)) if hashes else "")


class Asker:
    """Gets the replies of one stage.

    Attributes:
        stage: id of the stage.
        prompts: what was asked, for the record.
        counts: replies by where they came from: `replayed`, `on record`, `asked`, `not asked`.
        models: who wrote the replies.
    """

    def __init__(
        self, stage: str, folder: Path, *, settings: Settings, replays: Replays, opened: Opened, budget: Budget | None
    ) -> None:
        """Prepare to ask.

        Args:
            stage: id of the stage.
            folder: its folder.
            settings: how the model is asked.
            replays: stored replies.
            opened: the model, opened when it is first needed.
            budget: money; None for no limit.
        """
        self.stage, self.prompts, self.counts = stage, [], dict.fromkeys(_SOURCES, 0)  # type: ignore[var-annotated]
        self.models: set[str] = set()
        self._path, self._settings, self._replays, self._opened, self._budget = (
            folder / REPLIES, settings, replays, opened, budget
        )  # fmt: skip
        self._kept: dict[tuple[str, int, str], list[Mapping[str, Any]]] = {}
        for row in read_lines(self._path):
            key = (str(row.get("unit")), int(row.get("attempt") or 1), str(row.get("prompt_hash")))
            self._kept.setdefault(key, []).append(row)
        self._gate = asyncio.Semaphore(max(1, settings.connections))
        self._spent = False

    @property
    def model_named(self) -> bool:
        """Whether a model is there to be asked."""
        return bool(self._settings.model)

    async def get(self, unit: str, attempt: int, system: str, user: str) -> Got:
        """The reply to a prompt.

        Args:
            unit: the recording or case it is about.
            attempt: which try, from 1.
            system: the instruction.
            user: what is asked.

        Raises:
            ConfigurationError: the model cannot be had.
        """
        key = content_hash([system, user])
        self.prompts.append({"unit": unit, "attempt": attempt, "prompt_hash": key, "system": system, "user": user})
        stored = self._stored(unit, attempt, key)
        if stored is not None:
            self.counts["replayed"] += 1
            return self._take(stored, unit, attempt, key)
        if not self._settings.again and (kept := self._on_record(unit, attempt, key)) is not None:
            self.counts["on record"] += 1
            self.models.add(str(kept.get("model")))
            return _got(kept)
        if not self._settings.model or self._spent:
            self.counts["not asked"] += 1
            return Got(state=None, why="the money is spent" if self._spent else NOBODY)
        return await self._ask(unit, attempt, key, system, user)

    def _stored(self, unit: str, attempt: int, key: str) -> Mapping[str, Any] | None:
        rows = self._replays.rows.get((self.stage, unit, attempt), ())
        fitting = [row for row in rows if row.get("prompt_hash") in (None, key) and _lasting(row)]
        return fitting[-1] if fitting else None

    def _on_record(self, unit: str, attempt: int, key: str) -> Mapping[str, Any] | None:
        model = self._settings.model
        rows = [row for row in self._kept.get((unit, attempt, key), ()) if _lasting(row)]
        fitting = [row for row in rows if not model or row.get("model") == model]
        return fitting[-1] if fitting else None

    def _take(self, row: Mapping[str, Any], unit: str, attempt: int, key: str) -> Got:
        found = _got(row)
        self.models.add(found.model)
        kept = self._kept.get((unit, attempt, key), ())
        if not any(item.get("reply") == found.text and item.get("state") == found.state for item in kept):
            self._keep(unit, attempt, key, found)
        return found

    async def _ask(self, unit: str, attempt: int, key: str, system: str, user: str) -> Got:
        require("inspect_ai", extra="eval")
        from equipoise.evals.ask import ask_once
        from equipoise.evals.budget import BudgetSpentError

        settings = self._settings
        model = self._opened.model(settings)
        async with self._gate:
            try:
                asked = await ask_once(
                    model,
                    system,
                    user,
                    temperature=settings.temperature,
                    max_tokens=settings.max_tokens,
                    timeout=settings.timeout,
                    connections=settings.connections,
                    budget=self._budget,
                )
            except BudgetSpentError:
                self._spent = True
                self.counts["not asked"] += 1
                return Got(state=None, why="the money is spent")
        self.counts["asked"] += 1
        self.models.add(settings.model)
        found = Got(state=asked.state, text=asked.text, why=asked.why, model=settings.model)
        more = {"tokens_in": asked.tokens_in, "tokens_out": asked.tokens_out, "seconds": asked.seconds}
        self._keep(unit, attempt, key, found, **more)
        return found

    def _keep(self, unit: str, attempt: int, key: str, found: Got, **more: Any) -> None:
        row = {
            "stage": self.stage,
            "unit": unit,
            "attempt": attempt,
            "model": found.model,
            "prompt_hash": key,
            "state": found.state,
            "reply": found.text,
            "why": found.why,
            **more,
        }
        append_private(self._path, row)
        self._kept.setdefault((unit, attempt, key), []).append(row)


class Opened:
    """A model that is opened when it is first asked, once for all stages."""

    def __init__(self) -> None:
        """Nothing is opened yet."""
        self._model: Model | None = None

    def model(self, settings: Settings) -> Model:
        """The model.

        Raises:
            ConfigurationError: it cannot be had.
        """
        if self._model is None:
            from equipoise.evals.ask import open_model

            self._model = open_model(settings.model, base_url=settings.base_url)
        return self._model

    async def close(self) -> None:
        """Let go of it."""
        if self._model is not None:
            await self._model.__aexit__(None, None, None)
            self._model = None


_SOURCES = ("replayed", "on record", "asked", "not asked")


def _lasting(row: Mapping[str, Any]) -> bool:
    """Whether a reply on record stands; a failed call does not."""
    return row.get("state", ReplyState.OK) != ReplyState.ERROR and isinstance(row.get("reply"), str)


def _got(row: Mapping[str, Any]) -> Got:
    text = str(row["reply"])
    state = ReplyState(row.get("state", ReplyState.OK))
    if state is ReplyState.OK and not text.strip():
        state = ReplyState.EMPTY
    return Got(state=state, text=text, why=str(row.get("why") or ""), model=str(row.get("model") or REPLAYED))
