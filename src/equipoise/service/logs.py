"""The log: one JSON object a line, without patient data. Ids are keyed hashes, addresses their pattern, errors type and place."""

from __future__ import annotations

import datetime as dt
import json
import logging
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any, TextIO

_FRAMES = 12


class Log:
    """Writes events.

    Args:
        stream: where to.
        clock: the time.
    """

    def __init__(self, stream: TextIO | None = None, *, clock: Callable[[], dt.datetime] | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._clock = clock or (lambda: dt.datetime.now(tz=dt.UTC))

    def event(self, name: str, **facts: Any) -> None:
        """One line.

        Args:
            name: what happened.
            facts: numbers, ids of ours, codes; never a text from outside.
        """
        line = {"at": self._clock().isoformat(timespec="milliseconds"), "event": name, **_kept(facts)}
        self._stream.write(json.dumps(line) + "\n")
        self._stream.flush()

    def failure(self, name: str, error: BaseException, **facts: Any) -> None:
        """An error that nobody planned for: its type and where it arose. Its text is left out, since it can hold values of a patient."""
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
        place = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames]
        self.event(name, error=type(error).__name__, place=place, **facts)


def _kept(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in facts.items() if value not in (None, "", (), [])}


class ServerMessages(logging.Handler):
    """Hands the warnings of the web server to the log, as their fixed text without what was filled in."""

    def __init__(self, log: Log) -> None:
        super().__init__(level=logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one message; of an exception only its type."""
        error = record.exc_info[1] if record.exc_info else None
        facts = {"error": type(error).__name__} if error is not None else {}
        self._log.event("server", level=record.levelname.lower(), message=str(record.msg)[:200], **facts)
