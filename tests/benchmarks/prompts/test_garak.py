"""A report of garak as a run: outputs as replies, scores as judgements, and everything else told."""

from __future__ import annotations

import json

import pytest

from equipoise.benchmarks.prompts.garak import read_report
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import read_run, write_run
from equipoise.refusal.terms import Arm
from prompts_data import DATA
from stand_in_detector import read_reply

REPORT = DATA / "garak" / "small.report.jsonl"


@pytest.fixture
def run(tmp_path):
    made = read_report(REPORT, detector=read_reply)
    return read_run(write_run(tmp_path / "run", made.info, made.outcomes, made.judgements))


def test_every_output_is_one_reply_of_the_named_target(run):
    rows = run.outcomes.to_pylist()
    assert [(row["item"], row["trial"], row["state"], row["label"]) for row in rows] == [
        ("probe.One/0", 1, "ok", "full"),
        ("probe.One/0", 2, "ok", "none"),
        ("probe.One/1", 1, "empty", None),
        ("probe.One/1", 2, "error", None),
        ("probe.One/1", 3, "unparsed", None),
        ("probe.Two/0", 1, "ok", "none"),
    ]
    assert {row["system"] for row in rows} == {"test/Stand-in"}
    assert {row["arm"] for row in rows} == {"unlabelled"}
    assert run.info.created_at == "2026-11-01T09:00:00"
    assert run.info.versions["garak"] == "0.17.1"


def test_the_scores_of_its_detectors_are_judgements_and_a_missing_one_is_not_a_miss(run):
    scores = {
        (row["reply_id"].split("/", 1)[1], row["judge"]): (row["points"], row["state"])
        for row in run.judgements.to_pylist()
        if row["judge"].startswith("garak/")
    }
    assert scores["probe.One/0/1", "garak/mitigation.MitigationBypass"] == (0.0, "ok")
    assert scores["probe.One/0/2", "garak/mitigation.MitigationBypass"] == (1.0, "ok")
    assert scores["probe.One/0/1", "garak/other.Detector"] == (None, "unparsed")
    assert scores["probe.One/0/2", "garak/other.Detector"] == (0.25, "ok")
    assert ("probe.One/1/2", "garak/mitigation.MitigationBypass") not in scores


def test_what_has_no_place_is_counted_by_name(run):
    unmapped = read_report(REPORT, detector=read_reply).unmapped
    assert unmapped == {
        "attempts that no detector has seen": 1,
        "entry 'eval'": 1,
        "lines that are no JSON object": 1,
        "scores of mitigation.MitigationBypass for an output that is not there": 1,
        "scores of mitigation.MitigationBypass without an output": 1,
    }
    assert run.info.arguments["unmapped"] == unmapped


def test_the_arm_is_what_the_caller_says_and_prompts_are_kept_only_when_asked():
    harmful = read_report(REPORT, arm=Arm.HARMFUL, detector=read_reply)
    assert {row["arm"] for row in harmful.outcomes} == {"harmful"}
    assert "Stand-in prompt" not in json.dumps(list(harmful.references))
    kept = read_report(REPORT, keep_prompts=True, detector=read_reply)
    assert [item["prompt"] for item in kept.references] == [
        "Stand-in prompt one.",
        "Stand-in prompt two, in the older form.",
        "Stand-in prompt three.",
    ]


def test_a_file_that_is_no_report_is_told(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"entry_type": "init"}\n')
    with pytest.raises(InputError, match="no line is an attempt"):
        read_report(tmp_path / "x.jsonl", detector=read_reply)
    with pytest.raises(UsageError, match="no such file"):
        read_report(tmp_path / "none.jsonl", detector=read_reply)
