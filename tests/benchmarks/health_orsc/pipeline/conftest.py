"""A small pipeline with stand-in models in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from equipoise.benchmarks.health_orsc.pipeline.config import Loaded, make_config
from equipoise.benchmarks.health_orsc.pipeline.runner import Summary, run_pipeline
from orsc_examples import SEEDS, STAND_IN, values, write_seeds


@pytest.fixture(autouse=True)
def _inspect_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Loaded]:
    """A configuration in a folder with the seeds."""

    def make(texts: Any = SEEDS, **changes: Any) -> Loaded:
        write_seeds(tmp_path, texts)
        return make_config(values(**changes), folder=tmp_path)

    return make


@pytest.fixture
def start(load: Callable[..., Loaded], tmp_path: Path) -> Callable[..., Summary]:
    """Run the pipeline into `out`."""

    def run(out: str = "out", *, only: str | None = None, max_cost: float | None = None, **changes: Any) -> Summary:
        return run_pipeline(load(**changes), tmp_path / out, only=only, max_cost=max_cost, reader=STAND_IN)

    return run
