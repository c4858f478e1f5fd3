"""Every answered call, one JSON line each, on the disk before the next step reads it.

A start that is killed leaves at most a torn last line, which is cut off when the journal is opened again. A call is
known by its key, so a later start asks only what has no line. A failed call leaves a line too, and is asked again.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

from equipoise.errors import UsageError
from equipoise.outcomes.schema import ReplyState

JOURNAL_FILE = "journal.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of one call.

    Attributes:
        key: content hash of stage, prompt, model, settings, input and repeat.
        stage: stage that asked.
        model: Inspect's name of the model.
        state: ok, empty, blocked, truncated or error; what the text says is read by the stage.
        text: the reply as received; empty for an error.
        error: what went wrong, in a line; empty when nothing did.
        tokens_in: tokens of the prompt; None when not told.
        tokens_out: tokens of the reply; None when not told.
        cost: US dollars; None without prices.
    """

    key: str
    stage: str
    model: str
    state: ReplyState
    text: str
    error: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, in the order of the attributes."""
        return {item.name: getattr(self, item.name) for item in fields(self)} | {"state": self.state.value}


class Journal:
    """The journal of one output folder, open for one start at a time.

    Attributes:
        answered: answers by key; failed calls are not among them.
        torn: bytes of a torn last line that were cut off when the journal was opened.
        unreadable: whole lines that could not be read; their calls are asked again.
    """

    def __init__(self, folder: Path) -> None:
        """Open or make the journal of a folder.

        Args:
            folder: the output folder; made when missing.

        Raises:
            UsageError: it cannot be opened, or another start holds it.
        """
        self.path = folder / JOURNAL_FILE
        self.answered: dict[str, Answer] = {}
        self.torn = 0
        self.unreadable = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            message = f"cannot be opened: {error.strerror}"
            raise UsageError(message, file=str(self.path)) from error
        try:
            _hold(self._file, self.path)
            self._read()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Journal:
        """The journal itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        os.close(self._file)

    def add(self, answer: Answer) -> None:
        """Write an answer to the disk; the first answer to a call is the one that counts."""
        line = json.dumps(answer.to_dict(), ensure_ascii=True, allow_nan=False) + "\n"
        data = line.encode("ascii")
        while data:
            data = data[os.write(self._file, data) :]
        os.fsync(self._file)
        if answer.state is not ReplyState.ERROR:
            self.answered.setdefault(answer.key, answer)

    def spent(self) -> dict[str, dict[str, Any]]:
        """Calls, tokens and cost by model over all starts, as far as they were told; sorted by model."""
        calls: Counter[str] = Counter(answer.model for answer in self.answered.values())
        return {
            model: {
                "calls": calls[model],
                **{
                    name: _total(getattr(answer, name) for answer in self.answered.values() if answer.model == model)
                    for name in ("tokens_in", "tokens_out", "cost")
                },
            }
            for model in sorted(calls)
        }

    def _read(self) -> None:
        size = os.fstat(self._file).st_size
        data = b""
        while len(data) < size:
            data += os.read(self._file, size - len(data))
        whole = data.rfind(b"\n") + 1
        self.torn = len(data) - whole
        if self.torn:
            os.ftruncate(self._file, whole)
        os.lseek(self._file, whole, os.SEEK_SET)
        for line in data[:whole].splitlines():
            answer = _answer(line)
            if answer is None:
                self.unreadable += 1
            elif answer.state is not ReplyState.ERROR:
                self.answered.setdefault(answer.key, answer)


def _answer(line: bytes) -> Answer | None:
    try:
        value = json.loads(line)
        known = {item.name for item in fields(Answer)}
        if not isinstance(value, Mapping) or not set(value) <= known or not isinstance(value["key"], str):
            return None
        return Answer(**{**value, "state": ReplyState(value["state"])})
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _total(values: Any) -> float | int | None:
    told = [value for value in values if value is not None]
    return round(sum(told), 6) if told else None


def _hold(file: int, path: Path) -> None:
    """Keep a second start out while this one lives; the system lets go when the process ends, however it ends."""
    try:
        import fcntl
    except ModuleNotFoundError:  # a system without advisory locks
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        message = "another start is at work in this folder; wait for its end, or name another folder"
        raise UsageError(message, file=str(path)) from error
