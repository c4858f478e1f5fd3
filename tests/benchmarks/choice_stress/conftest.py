"""Inspect in this process, with its data in a temporary folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog


@pytest.fixture
def run_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., EvalLog]:
    """Run one of the tasks with a model, in a folder of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    def run(name: str, model: Any, **task_args: Any) -> EvalLog:
        found = inspect_eval(
            f"equipoise/{name}",
            model=model,
            task_args=task_args,
            log_dir=str(tmp_path / "logs"),
            log_buffer=1,
            display="none",
        )
        return found[0]

    return run
