"""A small run with its items, and one way to ask a mock judge."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.judging.material import Entry, JudgeMaterial
from equipoise.judging.rubric import load_rubric
from equipoise.outcomes.run import RunInfo, write_run

WHEN = "2026-11-30T12:00:00+00:00"
MODELS = (("gpt-4o", "openai"), ("claude-3-5-sonnet", "anthropic"), ("qwen2.5-7b", "together"))


def material(prompt: str = "May I take two tablets?", reply: str = "Yes, two.", **more: Any) -> JudgeMaterial:
    parts = {"prompt": prompt, "reply": reply}
    actions = tuple(Entry(id=name, text=text) for name, text in more.get("actions", ()))
    return JudgeMaterial(
        item="i1",
        parts=parts | more.get("parts", {}),
        lists={"critical_actions": actions} if actions else {},
        out_of_scope=frozenset(more.get("out_of_scope", ())),
    )


def ask(model: Any, shown: JudgeMaterial | None = None, rubric: Any = "refusal", **settings: Any) -> Any:
    """The judgement of a model, named or given."""
    from inspect_ai.model import get_model

    import equipoise.judging.mock  # noqa: F401
    from equipoise.judging.call import judge

    judge_model = get_model(model) if isinstance(model, str) else model
    known = load_rubric(rubric) if isinstance(rubric, str) else rubric
    return asyncio.run(judge(judge_model, known, shown or material(), **settings))


def reply_rows(items: int = 6, run: str = "r1") -> list[dict[str, Any]]:
    rows = []
    for number in range(items):
        for model, provider in MODELS:
            blocked = number == 1 and model == "gpt-4o"
            rows.append(
                {
                    "reply_id": f"{model}/q{number}",
                    "run": run,
                    "system": model,
                    "model": model,
                    "provider": provider,
                    "benchmark": "demo",
                    "item": f"q{number}",
                    "arm": "benign" if number % 2 else "harmful",
                    "state": "blocked" if blocked else "ok",
                    "reply": None if blocked else f"Reply {number} of {model}.",
                }
            )
    return rows


def write_demo(folder: Path, items: int = 6) -> tuple[Path, Path]:
    """A run folder and the file of its items."""
    info = RunInfo(run_id="r1", created_at=WHEN, benchmark="demo", systems=tuple(name for name, _ in MODELS))
    run = write_run(folder / "run", info, reply_rows(items))
    data = folder / "items.jsonl"
    lines = [{"id": f"q{number}", "prompt": f"Question {number}?"} for number in range(items)]
    data.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return run, data


@pytest.fixture
def demo(tmp_path: Path) -> tuple[Path, Path]:
    return write_demo(tmp_path)


@pytest.fixture
def tools() -> Any:
    """Builders for tests of judges."""

    class Tools:
        material = staticmethod(material)
        ask = staticmethod(ask)
        rows = staticmethod(reply_rows)
        demo = staticmethod(write_demo)

    return Tools
