"""One way to run a command as a user does: through the entry point, with its exit code and both streams."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def equipoise(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run `equipoise ARGUMENTS`, with bytes on standard input where they are given."""
    from equipoise.cli.main import run

    def command(*arguments: Any, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["equipoise", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code: Any = 0
        try:
            run()
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        return Done(0 if code is None else code, out, err)

    return command
