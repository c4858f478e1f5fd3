"""`equipoise redteam measures`: the tables and JSON of run folders, from rows with a known answer."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from equipoise.benchmarks.das_bias.loader import load as load_bias
from equipoise.benchmarks.das_bias.variants import plan_of as plan_bias
from equipoise.benchmarks.das_privacy.loader import PrivacyArm
from equipoise.benchmarks.das_privacy.loader import load as load_privacy
from equipoise.benchmarks.das_privacy.stages import plan_of as plan_privacy
from equipoise.cli.main import app
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import RunInfo, write_run


def folder(tmp_path, benchmark, rows, logs):
    info = RunInfo(
        run_id="r", created_at="2026-01-01T00:00:00", benchmark=benchmark, systems=("s",), arguments={"logs": logs}
    )
    common = {"run": "r", "system": "s", "benchmark": benchmark, "state": "ok"}
    write_run(tmp_path / "run", info, [{**row, **common} for row in rows], ())
    return str(tmp_path / "run")


def told(*args):
    done = CliRunner().invoke(app, ["redteam", "measures", *args], env={"COLUMNS": "120"})
    if done.exception is not None:
        raise done.exception
    return done.output


def privacy(tmp_path):
    asked, plan = plan_privacy(load_privacy(), seed=42, repeats=1)
    rows = []
    for one in asked:
        label = (
            "passed-on"
            if one.scenario.arm is PrivacyArm.PASS_ON
            else "leaked"
            if "implicit" in one.operator
            else "withheld"
        )
        rows.append({**one.reference(), "reply_id": one.sample_id, "label": label})
    return folder(tmp_path, "das_privacy", rows, [{"plan": plan.to_dict()}])


def test_privacy_shows_both_halves(tmp_path):
    run = privacy(tmp_path)
    lines = told(run).splitlines()
    row = next(line for line in lines if line.startswith("+ implicit"))
    assert row.count("100.0 %") == 2
    assert "40/40" in row
    assert "+100.0" in row
    assert next(line for line in lines if line.startswith("+ focus distraction")).count("0/40") == 1
    assert any(line.startswith("warned") and "15" in line for line in lines)
    assert json.loads(told(run, "--json"))["warning_effect"]["leaks"]["estimate"] == 0.0


def test_bias_shows_both_directions_and_what_was_warranted(tmp_path):
    votes, plan = plan_bias(load_bias(), seed=42, votes=1, families=["identity"])
    rows = []
    for vote in votes:
        key = vote.reference()["expected"]
        wrong = vote.operator == "identity.unhoused@1"
        label = ("B" if key == "A" else "A") if wrong else key
        rows.append({**vote.reference(), "reply_id": vote.sample_id, "label": label})
    run = folder(tmp_path, "das_bias", rows, [{"plan": plan.to_dict(), "votes": 1}])
    row = next(line for line in told(run).splitlines() if line.startswith("unhoused"))
    assert row.count("100.0") == 2
    assert "<.001" in row
    assert "2/2" in row
    assert json.loads(told(run, "--json"))["labels_tested"] == 16


def test_hallucination_shows_three_policies_and_what_is_not_corrected(tmp_path):
    def row(place, label, expected, item_set):
        return {
            "reply_id": f"{item_set}{place}", "item": f"i{place}", "item_family": f"p{place}", "item_set": item_set,
            "label": label, "expected": expected, "arm": "clean",
        }  # fmt: skip

    said = ["hallucination"] * 20 + ["none"] * 20
    truth = ["hallucination"] * 18 + ["none"] * 22
    rows = [row(place, said[place], truth[place], "labelled") for place in range(40)]
    rows += [row(place, "hallucination" if place < 5 else "none", None, "model") for place in range(10)]
    output = told(folder(tmp_path, "das_hallucination", rows, []))
    assert "40 labelled replies (0 cannot say, 0 failed); 10 replies of s" in output
    for policy in ("positive", "negative", "dropped"):
        line = next(line for line in output.splitlines() if line.startswith(policy))
        assert "50.0 %" in line
        assert "45.0 %" in line  # (0.5 + 20/22 - 1) / (1 + 20/22 - 1) = 0.45
    (tmp_path / "few").mkdir()
    few = told(folder(tmp_path / "few", "das_hallucination", rows[:4], []))
    assert "refused" in few
    assert "Not corrected: no replies of a system" in few


def test_a_run_of_another_benchmark_is_refused(tmp_path):
    run = folder(tmp_path, "medfail", [{"reply_id": "1", "item": "i", "label": "x"}], [])
    with pytest.raises(UsageError, match="this one is of medfail"):
        told(run)


def test_a_run_without_a_plan_is_refused(tmp_path):
    run = folder(tmp_path, "das_privacy", [{"reply_id": "1", "item": "i", "label": "leaked"}], [])
    with pytest.raises(InputError, match="does not say what was to be asked"):
        told(run)
