"""Reports of real verdicts and of a real run: what the engine writes passes the linter too."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.benchmarks.openmtb import benchmark_result, from_records
from equipoise.benchmarks.openmtb.dataset import BenchmarkCase
from equipoise.benchmarks.openmtb.generate import generate
from equipoise.benchmarks.openmtb.run import answer
from equipoise.report.benchmark import benchmark_page
from equipoise.report.lint import lint
from equipoise.report.render import MOST_BYTES, render_benchmark, render_verdicts

DAY = dt.date(2026, 10, 1)


@pytest.fixture(scope="module")
def cases() -> tuple[BenchmarkCase, ...]:
    return tuple(from_records(generate(100, 42)))


def test_the_verdicts_of_generated_cases(cases: tuple[BenchmarkCase, ...]) -> None:
    auditor = Auditor(as_of=DAY)
    verdicts = [verdict.to_dict() for case in cases for verdict in auditor.audit(case.inputs)]
    html = render_verdicts(verdicts)
    assert lint(html, data={"labels": Counter(verdict["label"] for verdict in verdicts)}) == []
    assert len(html.encode()) < MOST_BYTES


@pytest.mark.parametrize("policy", ["label", "openmtb-2026"])
def test_the_run_on_generated_cases(cases: tuple[BenchmarkCase, ...], policy: str) -> None:
    answers = answer(cases, Auditor(as_of=DAY, policy=policy))
    result = benchmark_result(cases, answers.predictions, resamples=200)
    facts = {"system": "equipoise/auditor", "dataset": "generated", "policy": policy, "as_of": DAY.isoformat()}
    names = [values["title"] for values in result["constants"].values()]
    assert lint(render_benchmark(benchmark_page(result, facts)), data={"n": len(cases), "constants": names}) == []
