"""Small run folders to make packs of: OpenMTB replies written by hand, one wrong on purpose, and another benchmark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from equipoise.benchmarks.openmtb.dataset import BenchmarkCase
from equipoise.benchmarks.openmtb.questions import load_source, reference_record
from equipoise.benchmarks.openmtb.scoring import write_references
from equipoise.outcomes.run import RunInfo, write_run

ENVIRONMENT = {
    "python": "3.11.7",
    "implementation": "CPython",
    "os": "Linux 6",
    "machine": "x86_64",
    "packages": {"numpy": "2.0.1", "pyarrow": "17.0.0"},
    "code_hash": "c" * 64,
    "command": "equipoise eval openmtb --model openai/model",
}
LOG = {
    "model": "openai/model",
    "settings": {"temperature": 0.0, "max_tokens": 1024},
    "configuration": "base",
    "prompt_version": "1",
    "dataset": "generated, seed 42, 500 cases",
    "rules": "label",
    "as_of": "2026-10-01",
    "jurisdiction": "US",
    "started_at": "2026-11-30T10:00:00+00:00",
    "finished_at": "2026-11-30T10:05:00+00:00",
    "answered_as": ["model-2026-11-01"],
}
N = 24


@pytest.fixture(scope="session")
def cases() -> tuple[BenchmarkCase, ...]:
    return load_source().cases[:N]


@pytest.fixture
def make_run(tmp_path: Path, cases: tuple[BenchmarkCase, ...]) -> Callable[..., Path]:
    """Write an OpenMTB run whose first `wrong` replies differ from the reference; every text can be chosen."""

    def make(
        name: str = "a",
        *,
        wrong: int = 6,
        system: str = "openai/model",
        reply: str = '{"label": "..."}',
        environment: dict[str, Any] | None = None,
        log: dict[str, Any] | None = None,
        run_id: str | None = None,
        **info: Any,
    ) -> Path:
        identity = run_id or f"openmtb-{name}"
        rows = []
        for place, case in enumerate(cases):
            right = case.reference.label
            label = right if place >= wrong else ("Supported" if right != "Supported" else "Unsupported")
            rows.append(
                {
                    "reply_id": f"{identity}/{place}", "run": identity, "system": system, "benchmark": "openmtb",
                    "model": system.partition("/")[2] or system, "provider": system.partition("/")[0],
                    "item": case.case_id, "expected": right, "stratum": case.reference.error_type, "trial": 1,
                    "attempt": 1, "state": "ok", "label": label, "abstained": case.reference.abstain, "reply": reply,
                    "missing_fields": list(case.reference.missing_fields), "tokens_in": 100, "tokens_out": 10,
                    "latency": 1.0,
                }
            )  # fmt: skip
        rows[-1] |= {"state": "unparsed", "label": None, "abstained": None, "missing_fields": None}
        details: dict[str, Any] = {
            "created_at": "2026-11-30T10:00:00+00:00", "benchmark": "openmtb", "systems": (system,),
            "versions": {"equipoise": "0.1.0", "reply reader": "1"}, "dataset_hash": "d", "prompts_hash": "p",
            "evidence_hash": "e", "policy_hash": "q", "arguments": {"logs": [LOG if log is None else log]},
            "environment": ENVIRONMENT if environment is None else environment,
        } | info  # fmt: skip
        folder = write_run(tmp_path / name, RunInfo(run_id=identity, **details), rows)
        write_references(folder, [reference_record(case.case_id, case.reference) for case in cases])
        return folder

    return make


@pytest.fixture
def other_run(tmp_path: Path) -> Callable[..., Path]:
    """Write a run of a benchmark that has no page of its own: labels without references, replies that may be harmful."""

    def make(name: str = "other", *, reply: str = "words of a reply", group: str | None = None) -> Path:
        rows = [
            {
                "reply_id": f"{name}/{place}", "run": name, "system": "guard", "benchmark": "invented", "item": f"i{place}",
                "arm": "benign", "expected": "none", "state": "ok", "label": "none" if place else "full", "reply": reply,
                "group": group,
            }
            for place in range(12)
        ]  # fmt: skip
        info = RunInfo(run_id=name, created_at="2026-11-29T00:00:00+00:00", benchmark="invented", dataset_hash="x")
        return write_run(tmp_path / name, info, rows)

    return make
