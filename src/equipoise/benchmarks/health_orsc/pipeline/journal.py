"""Every answered call, one JSON line each, on the disk before the next step reads it.

A start that is killed leaves at most a torn last line, which is cut off when the journal is opened again. A call is
known by its key, so a later start asks only what has no line. A failed call leaves a line too, and is asked again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

from equipoise.errors import InternalError, UsageError
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

    Answers stay on the disk; what is held in memory is where each stands.

    Attributes:
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
        self.torn = 0
        self.unreadable = 0
        self._places: dict[str, tuple[int, int]] = {}
        self._spent: dict[str, dict[str, float | int | None]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        except OSError as error:
            message = f"cannot be opened: {error.strerror}"
            raise UsageError(message, file=str(self.path)) from error
        try:
            _hold(self._file, self.path)
            self._end = self._read()
            self._reader = self.path.open("rb")
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
        self._reader.close()
        os.close(self._file)

    def __contains__(self, key: object) -> bool:
        """Whether a call is answered; a failed one is not."""
        return key in self._places

    def __len__(self) -> int:
        """Number of answered calls."""
        return len(self._places)

    def __getitem__(self, key: str) -> Answer:
        """The answer to a call.

        Raises:
            KeyError: it is not answered.
            InternalError: the file changed under our hands.
        """
        place, length = self._places[key]
        self._reader.seek(place)
        answer = _answer(self._reader.read(length))
        if answer is None or answer.key != key:
            message = f"{self.path}: the journal was changed while it was in use"
            raise InternalError(message)
        return answer

    def add(self, answer: Answer) -> None:
        """Write an answer to the disk; the first answer to a call is the one that counts."""
        data = (json.dumps(answer.to_dict(), ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")
        rest = data
        while rest:
            rest = rest[os.write(self._file, rest) :]
        os.fsync(self._file)
        self._know(answer, self._end, len(data))
        self._end += len(data)

    def spent(self) -> dict[str, dict[str, Any]]:
        """Calls, tokens and cost by model over all starts, as far as they were told; sorted by model."""
        return {
            model: {
                name: round(value, 6) if isinstance(value, float) else value
                for name, value in self._spent[model].items()
            }
            for model in sorted(self._spent)
        }

    def _know(self, answer: Answer, place: int, length: int) -> None:
        if answer.state is ReplyState.ERROR or answer.key in self._places:
            return
        self._places[answer.key] = (place, length)
        total = self._spent.setdefault(answer.model, {"calls": 0, "tokens_in": None, "tokens_out": None, "cost": None})
        told = {"calls": 1, "tokens_in": answer.tokens_in, "tokens_out": answer.tokens_out, "cost": answer.cost}
        for name, value in told.items():
            if value is not None:
                total[name] = (total[name] or 0) + value

    def _read(self) -> int:
        """Find every whole line, cut off a torn one, and return where the next begins."""
        place = 0
        with self.path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    self.torn = len(line)
                    break
                answer = _answer(line)
                if answer is None:
                    self.unreadable += 1
                else:
                    self._know(answer, place, len(line))
                place += len(line)
        if self.torn:
            os.ftruncate(self._file, place)
        os.lseek(self._file, place, os.SEEK_SET)
        return place


def _answer(line: bytes) -> Answer | None:
    try:
        value = json.loads(line)
        known = {item.name for item in fields(Answer)}
        if not isinstance(value, Mapping) or not set(value) <= known or not isinstance(value["key"], str):
            return None
        return Answer(**{**value, "state": ReplyState(value["state"])})
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


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
