"""Logs of inspect_evals as rows. The tasks here are stand-ins that record what those of inspect_evals record."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from inspect_ai import Task, task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import generate

from equipoise.errors import InputError
from equipoise.evals.logs import convert
from equipoise.outcomes.run import read_run, write_run
from evals_help import written
from stand_in_detector import read_reply


@scorer(metrics=[accuracy()])
def recorded(scores):
    """Gives each sample the score that was written for it."""

    async def score(state, target):
        del target
        return scores[str(state.sample_id)]

    return score


def stand_in(samples, scores):
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=recorded(scores))


@task
def xstest(subset="safe", scorer_model="openai/gpt-4o"):
    kinds = {
        "s1": ("homonyms", "safe"),
        "s2": ("homonyms", "safe"),
        "s3": ("contrast_homonyms", "unsafe"),
        "s4": ("definitions", "safe"),
    }
    samples = [
        Sample(id=name, input=f"Stand-in question {name}.", metadata={"type": kind, "label": label, "focus": "word", "note": ""})
        for name, (kind, label) in kinds.items()
    ]  # fmt: skip
    return stand_in(
        samples, {"s1": Score(value="C"), "s2": Score(value="P"), "s3": Score(value="I"), "s4": Score(value="maybe")}
    )


@task
def fortress_benign(grader_model="openai/o3"):
    metadata = {"ID": 7, "risk_domain": "domain", "risk_subdomain": "sub", "adversarial_or_benign": "benign"}
    return stand_in([Sample(id="b1", input="Stand-in benign.", metadata=metadata)], {"b1": Score(value="C")})


@task
def fortress_adversarial(grader_models=("a/one", "b/two")):
    metadata = {
        "ID": 7,
        "risk_domain": "domain",
        "risk_subdomain": "sub",
        "adversarial_or_benign": "adversarial",
        "num_dim": 2,
    }
    samples = [Sample(id=name, input=f"Stand-in adversarial {name}.", metadata=metadata) for name in ("a1", "a2")]
    return stand_in(samples, {"a1": Score(value=0.5), "a2": Score(value="INVALID")})


@task
def strong_reject(jailbreak_method="AIM", judge_llm="openai/gpt-4o"):
    samples = [
        Sample(id=name, input=f"Stand-in {name}.", metadata={"category": "cat", "source": "src"})
        for name in ("r1", "r2")
    ]
    good = Score(value={"refusal": 1, "convincingness": 2, "specificity": 3, "other": 9})
    return stand_in(
        samples, {"r1": good, "r2": Score(value={"refusal": math.nan, "convincingness": 2, "specificity": 3})}
    )


@task
def healthbench(judge_model="openai/gpt-4o-mini"):
    details = [
        {"criterion": "names the dose", "points": 5, "met": True, "explanation": "yes", "tags": []},
        {
            "criterion": "does harm",
            "points": -10,
            "met": False,
            "explanation": "Failed to parse judge response: x",
            "tags": [],
        },
        {"criterion": "is kind", "points": 2, "met": False, "explanation": "no", "tags": []},
        {"criterion": "is short", "points": 1, "met": "yes", "explanation": "", "tags": []},
    ]
    sample = Sample(
        id="h1", input="Stand-in conversation.",
        metadata={"example_tags": ["theme:hedging", "level:consensus"], "rubrics": [{"points": 5}, {"points": -10}]},
    )  # fmt: skip
    return stand_in([sample], {"h1": Score(value=0.5, metadata={"detailed_results": details})})


@task
def coconot(subset="original"):
    rows = {"c1": "Requests with safety concerns", "c2": "Incomplete requests"}
    samples = [
        Sample(id=name, input=f"Stand-in {name}.", metadata={"category": kind, "subcategory": "sub"})
        for name, kind in rows.items()
    ]
    return stand_in(samples, {"c1": Score(value="ACCEPTABLE"), "c2": Score(value="NEITHER")})


@task
def another_task():
    return stand_in([Sample(id="x", input="Stand-in.")], {"x": Score(value="C")})


@pytest.fixture
def converted(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def run(made, reply=lambda prompt: "Here, in part.", **more):
        log = inspect_eval(made, model=written(reply), log_dir=str(tmp_path / "logs"), log_buffer=1, display="none")[0]
        assert log.status == "success", log.error
        result = convert([log], detector=read_reply, **more)
        folder = tmp_path / f"run-{result.info.run_id}"
        run = read_run(write_run(folder, result.info, result.outcomes, result.judgements))
        return result, run.outcomes.to_pylist(), run.judgements.to_pylist()

    return run


def of(judgements, judge):
    return [
        (row["criterion"], row["value"], row["points"], row["state"]) for row in judgements if row["judge"] == judge
    ]


def test_xstest_stands_with_its_grade_beside_the_detectors(converted):
    result, rows, judged = converted(xstest())
    assert {row["benchmark"] for row in rows} == {"xstest"}
    assert [(row["arm"], row["stratum"], row["label"]) for row in rows] == [
        ("benign", "homonyms", "partial"), ("benign", "homonyms", "partial"), ("harmful", "contrast_homonyms", "partial"),
        ("benign", "definitions", "partial"),
    ]  # fmt: skip
    assert [item[1] for item in of(judged, "openai/gpt-4o")] == ["none", "partial", "full", None]
    assert of(judged, "openai/gpt-4o")[3][3] == "unparsed"
    assert len(of(judged, "equipoise/refusal-detector")) == 4
    assert result.unmapped == {"refusal: grade 'maybe'": 1}
    kept = {item["item"]: item for item in result.references}
    assert "prompt" in kept["s1"]
    assert "prompt" not in kept["s3"]


def test_an_empty_reply_is_empty_although_the_log_calls_it_a_refusal(converted):
    result, rows, judged = converted(xstest(), reply=lambda prompt: "")
    assert Counter(row["state"] for row in rows) == {"empty": 4}
    assert judged == []
    assert result.unmapped == {"scores of a reply in state empty": 4}


def test_fortress_pairs_both_sides_and_an_invalid_vote_is_no_zero(converted):
    _, rows, judged = converted(fortress_benign())
    assert (rows[0]["arm"], rows[0]["pair"], rows[0]["stratum"]) == ("benign", "7", "domain")
    assert of(judged, "openai/o3") == [("refused", "yes", None, "ok")]
    _, rows, judged = converted(fortress_adversarial())
    assert [row["arm"] for row in rows] == ["harmful", "harmful"]
    assert [(item[2], item[3]) for item in of(judged, "a/one+b/two")] == [(0.5, "ok"), (None, "unparsed")]


def test_strong_reject_keeps_its_three_parts(converted):
    result, rows, judged = converted(strong_reject())
    assert {(row["arm"], row["stratum"]) for row in rows} == {("harmful", "cat")}
    found = of(judged, "openai/gpt-4o")
    assert [item[2] for item in found[:3]] == [1.0, 2.0, 3.0]
    assert found[3] == ("refusal", None, None, "unparsed")
    assert result.unmapped == {"strong_reject: score 'other'": 1}
    assert result.references[0]["facts"]["jailbreak_method"] == "AIM"


def test_healthbench_counts_a_judge_that_failed_as_failed_and_not_as_unmet(converted):
    result, rows, judged = converted(healthbench())
    assert (rows[0]["arm"], rows[0]["stratum"]) == ("unlabelled", "hedging")
    found = of(judged, "openai/gpt-4o-mini")
    assert [(item[1], item[2], item[3]) for item in found] == [
        ("met", 5.0, "ok"), (None, None, "unparsed"), ("not met", 0.0, "ok"), (None, None, "unparsed")
    ]  # fmt: skip
    assert result.references[0]["facts"]["points"] == [5.0, -10.0]


def test_coconot_is_harmful_only_where_its_category_is_about_safety(converted):
    _, rows, judged = converted(coconot())
    assert [row["arm"] for row in rows] == ["harmful", "unlabelled"]
    assert [item[1] for item in of(judged, "recorded")] == ["acceptable", "neither"]
    _, rows, _ = converted(coconot(subset="contrast"))
    assert {row["arm"] for row in rows} == {"benign"}


def test_a_log_of_any_other_task_is_refused_with_those_that_can_be_read(converted):
    with pytest.raises(InputError, match="no task of this package, nor one of inspect_evals .*strong_reject"):
        converted(another_task())
