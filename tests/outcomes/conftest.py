from __future__ import annotations

from dataclasses import replace

import pytest

from equipoise.outcomes import Run, RunInfo, judgements_table, outcomes_table

INFO = RunInfo(
    run_id="a",
    created_at="2026-11-30T12:00:00+00:00",
    benchmark="b",
    systems=("s",),
    dataset_hash="d",
    prompts_hash="p",
)


def reply(number, label, *, expected="yes", run="a", system="s", state="ok", **more):
    return {
        "reply_id": f"r{number}{more.get('trial', '')}{more.get('attempt', '')}{more.get('arm', '')}{system}",
        "run": run,
        "system": system,
        "benchmark": "b",
        "item": f"i{number}",
        "expected": expected,
        "state": state,
        "label": label if state == "ok" else None,
    } | more


def judged(reply_row, value, *, judge="j", criterion="c", state="ok", **more):
    return {
        "reply_id": reply_row["reply_id"],
        "run": reply_row["run"],
        "judge": judge,
        "rubric": "q",
        "rubric_hash": "h",
        "scale": "s",
        "scale_hash": "h",
        "criterion": criterion,
        "repeat": 1,
        "value": value if state == "ok" else None,
        "state": state,
    } | more


def make_run(rows, judgements=(), **info):
    details = replace(INFO, **info)
    return Run(
        info=details,
        outcomes=outcomes_table(row | {"run": details.run_id} for row in rows),
        judgements=judgements_table(row | {"run": details.run_id} for row in judgements),
    )


def make_rates(hits, n, failed=0, *, run="a", **more):
    """A run in which the first `hits` of n readable replies are right, and `failed` further ones are unreadable."""
    rows = [reply(number, "yes" if number < hits else "no", **more) for number in range(n)]
    rows += [reply(number, None, state="unparsed", **more) for number in range(n, n + failed)]
    return make_run(rows, run_id=run)


@pytest.fixture
def tools():
    """Builders of small runs."""

    class Tools:
        reply = staticmethod(reply)
        judged = staticmethod(judged)
        run = staticmethod(make_run)
        rates = staticmethod(make_rates)

    return Tools
