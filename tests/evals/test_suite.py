"""A set of tasks for several models: every part in its own folder, resumable, and no part stops another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ModelAPI, ModelOutput, modelapi

from equipoise.errors import UsageError
from equipoise.evals.budget import Prices
from equipoise.evals.suite import REFERENCES, Suite, estimate_task, folder_name, run_suite
from equipoise.outcomes.run import read_run
from evals_help import output
from tiny_task import convert_tiny, tiny

ASKED: list[str] = []
MENDED: list[bool] = []


@modelapi(name="stub")
class Stub(ModelAPI):
    """stub/refuses, stub/complies, and stub/fails, which fails until it is mended."""

    def __init__(self, model_name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(model_name)

    async def generate(self, input: Any, *rest: Any, **more: Any) -> ModelOutput:
        ASKED.append(self.model_name)
        if self.model_name == "fails" and not MENDED:
            message = "503 Service Unavailable"
            raise ValueError(message)
        return output("full" if self.model_name == "refuses" else "none")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    MENDED.clear()
    ASKED.clear()


def suite(*models: str, **more: Any) -> Suite:
    return Suite(benchmarks={"tiny": {"per_stratum": 2}}, models=models, **more)


def ran(what: Suite, out: Path):
    return list(run_suite(what, out, converter=convert_tiny))


def test_every_part_becomes_a_run_folder_and_is_asked_once(tmp_path):
    done = ran(suite("stub/refuses", "stub/complies"), tmp_path)
    assert [item.whole for item in done] == [True, True]
    assert [item.replies for item in done] == [8, 8]
    labels = [set(read_run(item.folder).outcomes.column("label").to_pylist()) for item in done]
    assert labels == [{"full"}, {"none"}]
    assert json.loads((done[0].folder / REFERENCES).read_text().splitlines()[0])["critical_actions"]
    again = ran(suite("stub/refuses", "stub/complies"), tmp_path)
    assert len(ASKED) == 16
    assert [item.resumed for item in again] == [True, True]
    assert read_run(again[0].folder).info == read_run(done[0].folder).info


def test_a_model_that_fails_stops_no_other_and_is_asked_again(tmp_path):
    first, second = ran(suite("stub/fails", "stub/complies"), tmp_path)
    assert (first.whole, second.whole) == (False, True)
    assert sum(first.errors.values()) == 8
    assert set(read_run(first.folder).outcomes.column("state").to_pylist()) == {"error"}
    MENDED.append(True)
    ASKED.clear()
    mended, kept = ran(suite("stub/fails", "stub/complies"), tmp_path)
    assert (mended.whole, kept.whole) == (True, True)
    assert ASKED == ["fails"] * 8


def test_a_task_without_data_is_told_in_one_line_and_the_rest_runs(tmp_path):
    plan = Suite(benchmarks={"tiny": {"data": "missing"}}, models=["stub/refuses", "nobody/model"])
    done = ran(plan, tmp_path)
    assert [item.folder for item in done] == [None, None]
    assert "the data are not here" in done[0].failure
    assert "\n" not in done[0].failure
    assert "name the model as PROVIDER/MODEL" in done[1].failure


def test_money_is_shared_so_that_the_whole_is_never_above_it():
    plan = suite(
        "stub/a", "stub/b", max_cost=3.0, prices=dict.fromkeys(("stub/a", "stub/b"), Prices(input=1, output=2))
    )
    orders = [part.order.task_args for part in plan.parts()]
    assert [order["max_cost"] for order in orders] == [1.5, 1.5]
    assert orders[0] == {"per_stratum": 2, "price_in": 1, "price_out": 2, "max_cost": 1.5}
    with pytest.raises(UsageError, match="needs the prices"):
        suite("stub/a", max_cost=3.0).parts()


@pytest.mark.parametrize("models", [(), ("stub/a", "stub/a")])
def test_no_model_or_one_twice_is_refused(models):
    with pytest.raises(UsageError, match="at least one, each once"):
        suite(*models).parts()


def test_what_a_task_would_need_comes_from_its_prompts():
    needed = estimate_task(tiny(per_stratum=1, trials=3), 100, Prices(input=4, output=10))
    characters = sum(len(f"stand-in {arm}-{name}-0") for arm in ("benign", "harmful") for name in ("one", "two"))
    assert (needed.calls, needed.tokens_out) == (12, 1200)
    assert needed.tokens_in == round(3 * characters / 4)
    assert needed.cost == pytest.approx((4 * needed.tokens_in + 10 * 1200) / 1e6)
    assert estimate_task(tiny(), 100, None, limit=5).calls == 5


def test_folders_of_models_stay_apart_and_inside():
    names = {folder_name(name) for name in ("a/b", "a_b", "a b", "../../x", "x" * 200, "ok-1.0")}
    assert len(names) == 6
    assert not [name for name in names if "/" in name or name.startswith(".")]
    assert folder_name("ok-1.0") == "ok-1.0"
