"""Desks in other processes, started when there is enough to do for them."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection
from typing import Any

from equipoise.batch.desk import Answer, Desk
from equipoise.batch.memo import Slot
from equipoise.batch.settings import Settings, same_auditor
from equipoise.errors import UpstreamError

START_AT = 2_500
"""Work that is waiting when processes are started afresh: less is done sooner here than they take to start."""

CHUNK = 250
"""Work that is handed over at once."""

_NOTE_BYTES = 40
"""Bytes of a note that take as long to read as a hundredth of a case of fields."""

_desk: Desk | None = None


def _sit_down(settings: Settings, expected: dict[str, Any]) -> None:
    """In a process that was started afresh: read policy and evidence."""
    global _desk
    _desk = Desk(same_auditor(settings, expected), options=settings.options)
    _end_with_parent()


def _end_with_parent() -> None:
    """A process whose parent was killed ends, and does not wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def may_fork() -> bool:
    """Whether a copy of this process can work: on Linux, while it has one thread and no library that has threads of its own."""
    libraries = ("numpy", "pyarrow", "torch", "ray")
    return (
        sys.platform == "linux" and threading.active_count() == 1 and not any(name in sys.modules for name in libraries)
    )


def _answer_many(payloads: Sequence[Any]) -> list[Answer]:
    assert _desk is not None
    return [_desk.answer(payload) for payload in payloads]


def work_of(payload: Any) -> float:
    """How much work an input is: 1 for a case of fields, more for a note by its length."""
    if type(payload) is bytes:
        return 1 + len(payload) / _NOTE_BYTES if b'"text"' in payload else 1
    text = payload.get("text") if isinstance(payload, dict) else None
    return 1 + len(text) / _NOTE_BYTES if isinstance(text, str) else 1


class Answers:
    """Answers slots: here while there is little to do, then in processes of their own.

    Attributes:
        identity: of the settings by which they are answered.
    """

    def __init__(self, desk: Desk, settings: Settings, expected: dict[str, Any], workers: int) -> None:
        """Nothing is started yet.

        Args:
            desk: the desk of this process.
            settings: for the desks of the others.
            expected: identity of the settings, which the others must find too.
            workers: processes to use; with 1 everything is done here.
        """
        self.identity = expected
        self._desk = desk
        self._make = (settings, expected)
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._waiting: list[Slot] = []
        self._work = 0.0
        self._running: deque[tuple[list[Slot], Future[list[Answer]]]] = deque()

    def fork(self) -> None:
        """Start the processes at once as copies of this one, where that can be done; they have read policy and evidence already."""
        global _desk
        if self._workers < 2 or not may_fork():
            return
        _desk = self._desk
        self._pool = ProcessPoolExecutor(
            self._workers, mp_context=multiprocessing.get_context("fork"), initializer=_end_with_parent
        )
        self._pool.submit(_answer_many, ()).result()
        _desk = None

    def ask(self, slot: Slot) -> None:
        """Have a slot answered; `settle` waits for it."""
        if self._workers < 2:
            slot.answer = self._desk.answer(slot.payload)
            slot.payload = None
            return
        self._waiting.append(slot)
        self._work += work_of(slot.payload)
        if self._work >= (CHUNK if self._pool is not None else START_AT):
            self._hand_over()

    def now(self, payload: Any) -> Answer:
        """One answer, here and at once."""
        return self._desk.answer(payload)

    def settle(self, slots: Iterable[Slot]) -> None:
        """See to it that slots are answered; others may still be on their way.

        Raises:
            UpstreamError: a process ended before it answered.
        """
        open_ = [slot for slot in slots if slot.answer is None]
        if not open_:
            return
        if self._pool is None:
            for slot in self._waiting:
                slot.answer = self._desk.answer(slot.payload)
                slot.payload = None
            self._waiting, self._work = [], 0.0
            return
        if any(slot.answer is None for slot in self._waiting):
            self._hand_over()
        while any(slot.answer is None for slot in open_):
            chunk, future = self._running.popleft()
            try:
                answers = future.result()
            except BrokenProcessPool:
                message = "a process of the batch ended before its time (out of memory?); what is written stays: run it again to go on"
                raise UpstreamError(message) from None
            for slot, answer in zip(chunk, answers, strict=True):
                slot.answer = answer
                slot.payload = None

    def _hand_over(self) -> None:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_sit_down,
                initargs=self._make,
            )
        chunk: list[Slot] = []
        work = 0.0
        for slot in self._waiting:
            chunk.append(slot)
            work += work_of(slot.payload)
            if work >= CHUNK:
                self._submit(chunk)
                chunk, work = [], 0.0
        if chunk:
            self._submit(chunk)
        self._waiting = []
        self._work = 0.0

    def _submit(self, slots: list[Slot]) -> None:
        assert self._pool is not None
        self._running.append((slots, self._pool.submit(_answer_many, [slot.payload for slot in slots])))

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
