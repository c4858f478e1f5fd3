"""One thread writes; what waits goes to disk in one group, so that many requests share one sync and none is answered before it."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence

from equipoise.errors import UpstreamError
from equipoise.service.problems import refuse
from equipoise.service.trail.entries import Draft, Receipt
from equipoise.service.trail.store import Trail

MOST_IN_A_GROUP = 512
MOVE_SECONDS = 1.0
_Waiting = tuple[Sequence[Draft], "asyncio.Future[list[Receipt]]", asyncio.AbstractEventLoop]


class Writer:
    """Takes entries from the requests and gives each its receipt when it is on disk.

    Args:
        trail: where they go.
        most_waiting: entries that may wait; the next ones are refused.
        on_group: told how many entries a write held.
        on_failure: told of a write that failed.
    """

    def __init__(
        self,
        trail: Trail,
        *,
        most_waiting: int,
        on_group: Callable[[int], None] = lambda count: None,
        on_failure: Callable[[BaseException], None] = lambda error: None,
    ) -> None:
        self._trail = trail
        self._most = most_waiting
        self._on_group = on_group
        self._on_failure = on_failure
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._waiting = 0
        self.healthy = True
        self._thread = threading.Thread(target=self._run, name="trail", daemon=True)
        self._ended = threading.Event()
        self._mover = threading.Thread(target=self._move, name="trail-log", daemon=True)
        self._thread.start()
        self._mover.start()

    @property
    def waiting(self) -> int:
        """Entries that are not on disk yet."""
        return self._waiting

    async def append(self, drafts: Sequence[Draft]) -> list[Receipt]:
        """Put entries on the trail; returns when they are on disk.

        Raises:
            RefusedError: too many wait, or the database did not take them; then no verdict may be given.
        """
        if not drafts:
            return []
        if self._waiting + len(drafts) > self._most:
            raise refuse(503, "the trail is behind; ask again in a moment")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[Receipt]] = loop.create_future()
        self._waiting += len(drafts)
        self._queue.put((drafts, future, loop))
        try:
            return await asyncio.shield(future)
        except UpstreamError:
            raise refuse(503, "the trail cannot be written, so no verdict is given") from None

    def close(self) -> None:
        """Write what waits, then end."""
        self._queue.put(None)
        self._thread.join(timeout=30)
        self._ended.set()
        self._mover.join(timeout=30)

    def _move(self) -> None:
        """Keep the log of the database short, beside the writing."""
        while not self._ended.wait(MOVE_SECONDS):
            try:
                self._trail.checkpoint()
            except UpstreamError as error:
                self._on_failure(error)

    def _run(self) -> None:
        ended = False
        while not ended:
            item = self._queue.get()
            group: list[_Waiting] = []
            size = 0
            while True:
                if item is None:
                    ended = True
                    break
                group.append(item)
                size += len(item[0])
                if size >= MOST_IN_A_GROUP:
                    break
                try:
                    item = self._queue.get_nowait()
                except queue.Empty:
                    break
            if group:
                self._write(group, size)

    def _write(self, group: Sequence[_Waiting], size: int) -> None:
        error: BaseException | None = None
        receipts: list[Receipt] = []
        try:
            receipts = self._trail.append([draft for drafts, _, _ in group for draft in drafts])
            self.healthy = True
            self._on_group(size)
        except Exception as failure:  # the thread must live on, whatever the database says
            error = failure if isinstance(failure, UpstreamError) else UpstreamError("the trail cannot be written")
            self.healthy = False
            self._on_failure(failure)
        for loop in {loop for _, _, loop in group}:
            answers = []
            place = 0
            for drafts, future, one in group:
                answers += [(future, receipts[place : place + len(drafts)], len(drafts))] if one is loop else []
                place += len(drafts)
            try:
                loop.call_soon_threadsafe(self._deliver, answers, error)
            except RuntimeError:  # the loop ended; the entries are on disk all the same
                continue

    def _deliver(
        self,
        answers: Sequence[tuple[asyncio.Future[list[Receipt]], list[Receipt], int]],
        error: BaseException | None,
    ) -> None:
        for future, receipts, count in answers:
            self._waiting -= count
            if future.done():
                continue
            if error is None:
                future.set_result(receipts)
            else:
                future.set_exception(error)
