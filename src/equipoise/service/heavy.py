"""Large documents and notes are worked on in a process beside the one that answers: nobody waits for somebody else's document.

A job that takes too long is ended with its process; the next job gets a new one.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from equipoise.service.engine import Engine
from equipoise.service.problems import Problem, RefusedError, problem_of, refuse
from equipoise.service.settings import Settings

T = TypeVar("T")


class Heavy:
    """One process, asked one job after the other.

    Args:
        settings: policies, overlays and limits.
        on_failure: told the type of an error that nobody planned for.
    """

    def __init__(self, settings: Settings, on_failure: Callable[[str], None] = lambda name: None) -> None:
        self._settings = settings
        self._on_failure = on_failure
        self._context = multiprocessing.get_context("spawn")
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._asker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="heavy")
        self.waiting = 0

    def start(self) -> None:
        """Start the process, so that the first job does not wait for it."""
        self._asker.submit(self._ready)

    async def run(self, job: Callable[..., T], *arguments: Any) -> T:
        """Have a job done.

        Args:
            job: a function of a module; called with the engine and the arguments.
            arguments: what it gets beside.

        Raises:
            RefusedError: too many wait, the job took too long, or it refused.
        """
        if self.waiting >= self._settings.limits.waiting:
            raise refuse(503, "too many large documents are waiting; ask again in a moment")
        self.waiting += 1
        try:
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._asker, self._ask, job, arguments)
        finally:
            self.waiting -= 1
        if isinstance(answer, Problem):
            raise RefusedError(answer)
        return answer  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the process, whatever it does."""
        process = self._process
        self._asker.shutdown(wait=False, cancel_futures=True)
        if process is not None and process.is_alive():
            process.kill()

    def _ready(self) -> Connection:
        if self._process is None or not self._process.is_alive() or self._pipe is None:
            if self._pipe is not None:
                self._pipe.close()
            ours, theirs = self._context.Pipe()
            settings = self._settings
            self._process = self._context.Process(
                target=_work,
                args=(theirs, settings.policies, settings.overlays, settings.jurisdiction),
                name="equipoise-heavy",
                daemon=True,
            )
            self._process.start()
            theirs.close()
            self._pipe = ours
        return self._pipe

    def _ask(self, job: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        try:
            pipe = self._ready()
            pipe.send((job, arguments))
            if not pipe.poll(self._settings.limits.work_seconds):
                self._end()
                return Problem(status=504, message="the document took too long to audit; send a shorter one")
            kind, answer = pipe.recv()
        except (EOFError, OSError):
            self._end()
            self._on_failure("process")
            return Problem(
                status=503, message="the document could not be audited: its process ended; send a shorter one"
            )
        if kind == "failed":
            self._on_failure(answer)
            return Problem(status=500, message="the service failed on this request; its log names the place")
        return answer

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join(timeout=5)
        self._process = None


def _work(pipe: Connection, policies: tuple[str, ...], overlays: tuple[Any, ...], jurisdiction: str) -> None:
    """What the process does: one job after the other, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    engine = Engine(policies, overlays, jurisdiction)
    while True:
        try:
            job, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            pipe.send(("done", job(engine, *arguments)))
        except Exception as error:  # the process lives on; the answer says what happened
            problem = problem_of(error)
            pipe.send(("failed", type(error).__name__) if problem.status == 500 else ("refused", problem))
