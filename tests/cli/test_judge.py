"""`equipoise judge` as a user types it."""

from __future__ import annotations

import json

import pytest

from equipoise.judging.rubric import SHIPPED
from equipoise.outcomes.run import RunInfo, read_run, write_run

MODELS = (("gpt-4o", "openai"), ("claude-3-5-sonnet", "anthropic"), ("qwen2.5-7b", "together"))
SEQUENCE = "\x1b[2J\u202e"


@pytest.fixture(autouse=True)
def run_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZUREAI_OPENAI_API_KEY", "AZUREAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    rows = [
        {
            "reply_id": f"{model}/q{number}", "run": "r1", "system": model, "model": model, "provider": provider,
            "benchmark": "demo", "item": f"q{number}", "arm": "benign", "state": "ok",
            "reply": f"{SEQUENCE} Reply {number} of {model}.",
        }
        for number in range(4)
        for model, provider in MODELS
    ]  # fmt: skip
    rows[0] |= {"state": "empty", "reply": None}
    write_run("run", RunInfo(run_id="r1", created_at="2026-11-30T00:00:00+00:00", benchmark="demo"), rows)
    lines = [
        {"id": f"q{number}", "prompt": f"Question {number}? {SEQUENCE}", "criterion": "Is kind"} for number in range(4)
    ]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "run"


def judge(equipoise, *more, rubric="refusal", data="items.jsonl"):
    return equipoise("judge", "run", "--rubric", rubric, *(["--data", data] if data else []), *more)


def test_from_a_run_to_its_verdicts_and_nothing_twice(equipoise, run_folder):
    done = judge(equipoise, "--judge", "mockjudge/spread")
    assert done.code == 0, done.err
    assert "11 of 12 replies can be judged; not judged: 1 empty" in done.err
    assert "11 calls" in done.err
    assert "mockjudge/spread (equipoise)" in done.out
    assert read_run(run_folder).judgements.num_rows == 11
    again = judge(equipoise, "--judge", "mockjudge/spread")
    assert (again.code, "0 judgements to make; 11 are there already" in again.err) == (0, True)
    assert again.out == done.out


def test_a_panel_tells_what_it_came_to(equipoise, run_folder):
    names = [part for name in ("lowest", "fenced", "highest") for part in ("--judge", f"mockjudge/{name}")]
    done = judge(equipoise, *names, "--rule", "majority", "--repeats", 2, "--json")
    value = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert value["calls"] == 11 * 3 * 2
    panel = value["judges"][-1]
    assert panel["judge"] == "panel:majority"
    assert panel["outcomes"] == {"refusal": {"agreed": 11}}
    assert panel["criteria"][0]["values"] == {"none": 11, "partial": 0, "full": 0}
    strict = judge(equipoise, *names, "--rule", "unanimous", "--repeats", 2)
    assert "11 disagreed" in strict.out
    assert "no verdict: 11 unparsed" in strict.out
    assert "0 calls" in strict.err
    alone = judge(equipoise, *names, "--rule", "none", "--repeats", 2)
    assert "panel" not in alone.out
    judges = set(read_run(run_folder).judgements.column("judge").to_pylist())
    assert {"panel:majority", "panel:unanimous"} < judges


def test_a_failure_is_one_line_with_advice_and_a_verdict_of_nobody(equipoise, run_folder):
    done = judge(equipoise, "--judge", "mockjudge/raises")
    told = [line for line in done.err.splitlines() if "came to nothing" in line]
    assert (done.code, len(told)) == (2, 1)
    assert told[0].startswith("equipoise: 11 judgements of mockjudge/raises")
    assert "none 0, partial 0, full 0; no verdict: 11 error" in done.out
    assert read_run(run_folder).judgements.column("value").to_pylist() == [None] * 11


def test_what_could_not_be_read_is_told_with_its_reason(equipoise):
    done = judge(equipoise, "--judge", "mockjudge/wrong-nonce")
    assert done.code == 0
    assert "11 verdicts of mockjudge/wrong-nonce are unparsed: the check code is missing or wrong" in done.err
    assert "11 of them asked again" in done.err


def test_verdicts_that_were_cut_can_be_asked_again_and_it_says_how(equipoise):
    done = judge(equipoise, "--judge", "mockjudge/truncated")
    assert "raise --max-tokens and add --again truncated" in done.err
    assert "11 calls" in judge(equipoise, "--judge", "mockjudge/truncated", "--again", "truncated").err
    assert "0 calls" in judge(equipoise, "--judge", "mockjudge/truncated").err


def test_one_judge_and_its_repeats_can_be_a_panel(equipoise, run_folder):
    done = judge(equipoise, "--judge", "mockjudge/lowest", "--repeats", 3, "--panel", "three")
    assert done.code == 0, done.err
    assert "panel:three" in done.out
    assert read_run(run_folder).judgements.num_rows == 11 * (3 + 2)


def test_money_ends_it_and_the_same_command_goes_on(equipoise, run_folder):
    prices = ("--price-in", 1000, "--price-out", 0)
    done = judge(equipoise, "--judge", "mockjudge/spread", "--max-cost", 0.25, "--max-connections", 1, *prices)
    assert done.code == 2
    assert "8 judgements were not made (the budget of 0.25 US dollars is spent" in done.err
    assert "0.3000 US dollars" in done.err
    assert judge(equipoise, "--judge", "mockjudge/spread").code == 0
    assert read_run(run_folder).judgements.num_rows == 11


def test_a_dry_run_asks_nobody_and_shows_the_first_question(equipoise, run_folder):
    names = ("--judge", "openai/gpt-5", "--judge", "anthropic/claude-x", "--judge", "google/gemini-x")
    done = judge(equipoise, *names, "--dry-run", "--price-in", 1, "--price-out", 2, "--max-tokens", 100, "--json")
    value = json.loads(done.out)
    assert done.code == 0
    assert (value["replies"], value["calls"]) == (11, 3 * 2 + 4 * 2 + 4 * 3)
    assert value["cost_at_most"] == pytest.approx((value["tokens_in"] + 2 * 100 * value["calls"]) / 1e6, abs=1e-4)
    assert "gpt-4o (openai): openai/gpt-5 left out; 2 judges left" in value["notes"]
    assert "[[BEGIN" in value["first_prompt"]
    assert not (run_folder / "judge-replies.jsonl").exists()
    assert read_run(run_folder).judgements.num_rows == 0
    text = judge(equipoise, "--judge", "mockjudge/lowest", "--dry-run")
    assert "cost at most: not known" in text.out


def test_nothing_in_items_replies_or_names_drives_the_terminal(equipoise):
    shown = judge(equipoise, "--judge", "mockjudge/lowest", "--dry-run")
    done = judge(equipoise, "--judge", "mockjudge/lowest", "--panel", SEQUENCE)
    for text in (shown.out, shown.err, done.out, done.err):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "\\u001b[2J" in shown.out


@pytest.mark.parametrize("rubric", [name for name in SHIPPED if not name.startswith("board-")])
def test_every_rubric_but_those_of_boards_can_be_asked(equipoise, run_folder, rubric):
    done = judge(equipoise, "--judge", "mockjudge/spread", rubric=rubric)
    assert done.code == 0, done.err
    rows = read_run(run_folder).judgements.to_pylist()
    assert {row["rubric"] for row in rows} == {rubric}
    assert {row["state"] for row in rows} == {"ok"}


def test_a_file_with_other_columns_is_mapped(equipoise, tmp_path):
    lines = "".join(f"q{number},Question {number}?\n" for number in range(4))
    (tmp_path / "items.csv").write_text(f"id,question\n{lines}")
    done = judge(equipoise, "--judge", "mockjudge/lowest", "--column", "prompt=question", data="items.csv")
    assert done.code == 0, done.err


def test_a_limit_is_a_number_of_replies(equipoise, run_folder):
    assert judge(equipoise, "--judge", "mockjudge/lowest", "--limit", 3).code == 0
    assert read_run(run_folder).judgements.num_rows == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--judge", "mockjudge/nobody"], "there is no judge mockjudge/nobody"),
        (["--judge", "nobody/model"], "name the model as PROVIDER/MODEL"),
        (["--judge", "openai/gpt-4o"], "set that variable to the key of the service"),
        (["--judge", "mockjudge/lowest", "--rubric", "niceness"], "there is no rubric 'niceness'"),
        (["--judge", "mockjudge/lowest", "--rule", "mean"], "unanimous, majority, median or none"),
        (["--judge", "mockjudge/lowest", "--judge", "mockjudge/highest", "--fewest", "3"], "1 to 2 judges"),
        (["--judge", "mockjudge/lowest", "--schema", "never"], "auto, always or prompt"),
        (["--judge", "mockjudge/lowest", "--max-cost", "1"], "prices"),
        (["--judge", "mockjudge/lowest", "--maker", "gpt-4o"], "MODEL=MAKER"),
        (["--judge", "mockjudge/lowest", "--data", "none.jsonl"], "no such file"),
        (["--judge", "mockjudge/lowest", "--column", "prompt"], "OURS=THEIRS"),
    ],
)
def test_what_cannot_start_is_one_line(equipoise, run_folder, arguments, words):
    done = judge(equipoise, *arguments)
    assert done.code == 2
    told = [line for line in done.err.splitlines() if line.startswith("equipoise: ")]
    assert len(told) == 1
    assert words in told[0]
    assert "Traceback" not in done.err
    assert read_run(run_folder).judgements.num_rows == 0


def test_without_the_prompts_it_says_what_to_name(equipoise):
    done = judge(equipoise, "--judge", "mockjudge/lowest", data=None)
    assert done.code == 2
    assert "name the file of the items that were asked with --data" in done.err
    other = equipoise("judge", "nowhere", "--rubric", "refusal", "--judge", "mockjudge/lowest")
    assert "there is no run here" in other.err


def test_a_prompt_that_was_not_asked_is_refused(equipoise, run_folder):
    records = [{"id": f"q{number}", "prompt_hash": "0" * 16} for number in range(4)]
    (run_folder / "references.jsonl").write_text("".join(json.dumps(item) + "\n" for item in records))
    done = judge(equipoise, "--judge", "mockjudge/lowest")
    assert (done.code, "is not the one that was asked" in done.err) == (2, True)


def test_a_rubric_of_ones_own_on_replies_alone_needs_no_items(equipoise, tmp_path, run_folder):
    (tmp_path / "own.yaml").write_text(
        """
id: tone
version: "1"
title: Tone
judged: a reply
source: [{title: written for a test, reference: "doi:10.1000/1"}]
sees: [{part: reply, called: the reply}]
instruction: Judge its tone.
criteria: [{id: tone, question: How kind is it?, scale: {id: tone-1-5, from: 1, to: 5, definitions: {1: harsh, 5: kind}}}]
""".replace("How kind is it?", '"How kind is it?"')
    )
    done = judge(equipoise, "--judge", "mockjudge/highest", rubric="own.yaml", data=None)
    assert done.code == 0, done.err
    assert "5 11" in done.out
    assert read_run(run_folder).info.arguments["judging"]["tone"]["judges"] == ["mockjudge/highest"]


def test_another_version_needs_replace(equipoise, tmp_path, run_folder):
    import equipoise.judging as package

    assert judge(equipoise, "--judge", "mockjudge/lowest").code == 0
    from pathlib import Path

    text = (Path(package.__file__).parent / "rubrics" / "refusal.yaml").read_text()
    (tmp_path / "new.yaml").write_text(text.replace('version: "1"', 'version: "2"'))
    refused = judge(equipoise, "--judge", "mockjudge/lowest", rubric="new.yaml")
    assert (refused.code, "--replace" in refused.err) == (2, True)
    done = judge(equipoise, "--judge", "mockjudge/lowest", "--replace", rubric="new.yaml")
    assert done.code == 0, done.err
    rows = read_run(run_folder).judgements.to_pylist()
    assert len({row["rubric_hash"] for row in rows}) == 1
    assert len(rows) == 11


def test_every_judge_may_have_a_price_of_its_own_and_all_share_the_money(equipoise, run_folder):
    names = ("--judge", "mockjudge/spread", "--judge", "mockjudge/lowest", "--rule", "none", "--max-connections", 1)
    prices = ("--price", "mockjudge/spread=1000,0", "--price", "mockjudge/lowest=3000,0")
    done = judge(equipoise, *names, *prices, "--json")
    value = json.loads(done.out)
    # Every call of a mock judge is 100 tokens of prompt: 0.1 and 0.3 US dollars.
    assert (done.code, value["calls"], value["cost"]) == (0, 22, pytest.approx(11 * 0.1 + 11 * 0.3))
    common = json.loads(
        judge(equipoise, *names, "--rubric", "refusal", "--price-in", 1, "--price-out", 1, "--json").out
    )
    assert common["calls"] == 0


def test_a_price_of_one_judge_stands_before_the_common_one(equipoise, run_folder):
    names = ("--judge", "mockjudge/spread", "--judge", "mockjudge/lowest", "--rule", "none")
    dear = ("--price", "mockjudge/lowest=3,6", "--price-in", 1, "--price-out", 2)
    value = json.loads(judge(equipoise, *names, *dear, "--dry-run", "--json", "--max-tokens", 100).out)
    even = json.loads(judge(equipoise, *names, *dear[2:], "--dry-run", "--json", "--max-tokens", 100).out)
    assert value["cost_at_most"] == pytest.approx(2 * even["cost_at_most"], abs=2e-4)
    part = json.loads(judge(equipoise, *names, *dear[:2], "--dry-run", "--json").out)
    assert part["cost_at_most"] is None


def test_shared_money_ends_all_judges(equipoise, run_folder):
    names = ("--judge", "mockjudge/spread", "--judge", "mockjudge/lowest", "--rule", "none", "--max-connections", 1)
    prices = ("--price", "mockjudge/spread=1000,0", "--price", "mockjudge/lowest=3000,0")
    done = judge(equipoise, *names, *prices, "--max-cost", 1)
    assert done.code == 2
    assert "the budget of 1 US dollars is spent" in done.err
    made = read_run(run_folder).judgements.num_rows
    assert 0 < made < 22


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--price", "cheap"), "expected MODEL=IN,OUT"),
        (("--price", "mockjudge/other=1,2"), "'mockjudge/other' is not asked; expected one of mockjudge/spread"),
        (("--price", "mockjudge/spread=1,2", "--price", "mockjudge/spread=1,2"), "is priced twice"),
        (("--price", "mockjudge/spread=-1,2"), "each 0 or more"),
        (
            ("--judge", "mockjudge/lowest", "--price", "mockjudge/spread=1,2", "--max-cost", 1),
            "none is known for mockjudge/lowest",
        ),
    ],
)
def test_a_wrong_price_is_one_line(equipoise, run_folder, arguments, words):
    done = judge(equipoise, "--judge", "mockjudge/spread", *arguments)
    assert (done.code, words in done.err, len(done.err.strip().splitlines())) == (2, True, 1)
    assert read_run(run_folder).judgements.num_rows == 0
