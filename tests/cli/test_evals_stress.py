"""`equipoise eval` on the stress tests, as a user types them: estimate, run, failures, going on, and what it prints."""

from __future__ import annotations

import json

import anyio
import pytest

import stub_endpoint
from equipoise.cli.evals_stress import STRESS_TASKS, stress_task
from equipoise.outcomes.run import read_run
from equipoise.redteam.measures import robustness
from stub_endpoint import endpoint

FEW = ("--limit", 2, "--option", "operators=option_order,bait.recency")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    from inspect_ai.model import _retry

    async def at_once(seconds: float) -> None:
        await anyio.sleep(0.01)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("STUB_API_KEY", "none")
    monkeypatch.delenv("EQUIPOISE_DATASETS", raising=False)
    monkeypatch.setattr(_retry, "_sleep", at_once)
    monkeypatch.setattr(stub_endpoint, "ANSWER", "Answer: A")


def test_every_stress_task_is_found_by_its_name_and_has_its_benchmark():
    from equipoise.benchmarks import _registry, find

    for test in STRESS_TASKS:
        assert stress_task(test.id) is test
        assert find(test.id).card().id == test.id
        assert test.id in _registry.__all__
    assert stress_task("openmtb") is None


def test_a_dry_run_says_what_it_would_need_and_shows_the_first_prompt(equipoise, tmp_path):
    arguments = (
        "eval",
        "das_robustness",
        "--model",
        "openai/none",
        "--dry-run",
        *FEW,
        "--price-in",
        1,
        "--price-out",
        2,
    )
    value = json.loads(equipoise(*arguments, "--json").out)
    # two questions, each untouched, two attacks and two repeats
    assert (value["items"], value["samples"], value["calls_at_most"]) == (2, 10, 10)
    assert value["tokens_out_at_most"] == 10 * 1024
    assert value["cost_at_most"] == pytest.approx((value["tokens_in"] + 2 * 10 * 1024) / 1e6, abs=1e-4)
    text = equipoise(*arguments)
    assert "note: no data was named" in text.out
    assert "A) Testing for the HLA-B*5701 allele" in text.out
    assert not (tmp_path / "logs").exists()
    adaptive = json.loads(equipoise(*arguments, "--option", "loop=adaptive", "--option", "rounds=3", "--json").out)
    assert (adaptive["samples"], adaptive["calls_at_most"]) == (2, 14)


def test_a_run_and_the_same_command_asks_nobody_again(equipoise, tmp_path):
    arguments = ("eval", "medqa_order", "--model", "equipoise/always-refuses", "--limit", 3, "--out", "run")
    first = equipoise(*arguments)
    assert first.code == 0, first.err
    assert "demo questions of this package" in first.out
    assert "order of options: shuffled minus untouched +0.0 points" in first.out
    assert equipoise(*arguments).out == first.out
    assert len(list((tmp_path / "run-logs").glob("*.eval"))) == 1
    found = robustness(read_run(tmp_path / "run"))
    assert (found.benchmark, found.items, found.clean.events) == ("medqa_order", 3, 0)


def test_what_failed_is_asked_again_and_nothing_else(equipoise, tmp_path):
    broken = {"on": True}

    def behave(prompt, before):
        return (
            "500"
            if broken["on"] and "heparin for a procedure" not in prompt and "HLA-B*5701" not in prompt
            else "answer"
        )

    with endpoint(behave) as stub:
        arguments = (
            "eval",
            "das_robustness",
            "--model",
            "openai-api/stub/m",
            "--base-url",
            stub.url,
            *FEW,
            "--out",
            "run",
        )
        first = equipoise(*arguments)
        assert (first.code, "5 of 10 calls came to nothing" in first.err) == (2, True)
        rows = read_run(tmp_path / "run").outcomes.to_pylist()
        assert sorted(row["state"] for row in rows) == ["error"] * 5 + ["ok"] * 5
        answered = {prompt: number for prompt, number in stub.asked.items() if "HLA-B*5701" in prompt}
        broken["on"] = False
        second = equipoise(*arguments)
        assert second.code == 0, second.err
        assert {prompt: number for prompt, number in stub.asked.items() if "HLA-B*5701" in prompt} == answered
    rows = read_run(tmp_path / "run").outcomes.to_pylist()
    assert [row["state"] for row in rows] == ["ok"] * 10
    assert {row["arm"] for row in rows} == {"clean", "repeat", "attacked"}


def test_the_adaptive_loop_prints_a_worst_case_beside_its_control(equipoise, tmp_path):
    with endpoint(lambda prompt, before: "answer") as stub:
        done = equipoise(
            "eval", "das_robustness", "--model", "openai-api/stub/m", "--base-url", stub.url, "--limit", 2, "--option", "loop=adaptive",
            "--option", "rounds=2", "--out", "run",
        )  # fmt: skip
    assert done.code == 0, done.err
    assert "worst of up to 2 rounds: a wrong reply to" in done.out
    assert "worst of as many untouched repeats: 0 of 1" in done.out
    assert "excess flips" not in done.out
    found = robustness(read_run(tmp_path / "run")).adaptive
    assert (found.rounds, found.clean_right) == (2, 1)


def test_an_item_whose_loop_broke_is_asked_again_as_a_whole_and_no_other(equipoise, tmp_path):
    broken = {"on": True}

    def behave(prompt, before):
        return "500" if broken["on"] and "<question>" in prompt and "swallowed" in prompt else "answer"

    with endpoint(behave) as stub:
        arguments = ("eval", "das_robustness", "--model", "openai-api/stub/m", "--base-url", stub.url, "--limit", 2, "--option",
                     "loop=adaptive", "--option", "rounds=2", "--out", "run")  # fmt: skip
        first = equipoise(*arguments)
        assert (first.code, "1 of 6 calls came to nothing" in first.err) == (2, True), first.err
        kept = {prompt: number for prompt, number in stub.asked.items() if "abacavir" in prompt}
        broken["on"] = False
        assert equipoise(*arguments).code == 0
        assert {prompt: number for prompt, number in stub.asked.items() if "abacavir" in prompt} == kept
    rows = read_run(tmp_path / "run").outcomes.to_pylist()
    assert {row["state"] for row in rows} == {"ok"}
    assert [row["arm"] for row in rows if row["item_family"] == "demo-02"] == [
        "clean",
        "repeat",
        "repeat",
    ]  # "A" is wrong here


def test_a_run_is_printed_as_json_alone(equipoise):
    value = json.loads(
        equipoise("eval", "medqa_order", "--model", "equipoise/always-refuses", "--limit", 1, "--json").out
    )
    assert value["states"] == {"ok": value["replies"]}
    assert value["result"]["order"]["equivalence"]["margin"] == 0.05


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--option", "nothing=1"), "das_robustness has no option 'nothing'"),
        (("--option", "loop"), "expected NAME=VALUE"),
        (("--option", "limit=3", "--limit", 2), "limit is given twice"),
        (("--option", "operators=nothing"), "there is no operator or family 'nothing'"),
        (("--arm", "clean"), "not an option of das_robustness"),
        (("--config", "rag"), "not an option of das_robustness"),
        (("--data", "nowhere.jsonl"), "nowhere.jsonl"),
        (("--max-cost", 1), "prices"),
    ],
)
def test_what_fits_nothing_is_one_line(equipoise, arguments, said):
    done = equipoise("eval", "das_robustness", "--model", "equipoise/always-refuses", *arguments)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.strip().splitlines()) == 1, done.err
    assert said in done.err
