"""`equipoise board judge` and `equipoise board released`, as a user types them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from board_judging_runs import DEMO, batch, board_reply, board_run
from equipoise.cli.main import app
from equipoise.errors import InputError, UsageError
from equipoise.judging.rubric import SHIPPED, load_rubric


def run(*words, code=0):
    found = CliRunner().invoke(app, [str(word) for word in words])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == code, found.output
    return found


@pytest.fixture
def folder(tmp_path):
    replies = {("m", name): board_reply(case.conclusion.text) for name, case in DEMO.items()}
    return board_run(tmp_path / "run", replies | {("m\x1b[31m", "demo-01"): "empty"})


def test_a_run_is_judged_and_shown_with_failures_apart(folder):
    found = run("board", "judge", folder, "--judge", "mockjudge/compares")
    lines = [line.split() for line in found.stdout.splitlines()]
    assert ["alignment", "1-5", str(len(DEMO)), "5.00", "5.00"] in lines
    assert ["alignment", "1-5", "1", "none", "1.00", "1.00-5.00", "1"] in lines
    assert "Not a medical device" in found.output
    assert "\x1b[31m" not in found.output


def test_without_a_judge_nothing_is_asked_and_what_is_there_is_shown(folder):
    run("board", "judge", folder, "--judge", "mockjudge/compares", "--rubric", "board-alignment")
    found = run("board", "judge", folder)
    assert "judged by mockjudge/compares" in found.stdout
    assert "calls" not in found.output


def test_json_holds_means_agreement_and_what_was_not_read(folder, tmp_path):
    labels = tmp_path / "labels.csv"
    lines = [f"{name},anna,alignment,{4 + place % 2}" for place, name in enumerate(DEMO)] + ["demo-01,anna,alignment,9"]
    labels.write_text("item,rater,criterion,value\n" + "\n".join(lines) + "\n", encoding="utf-8")
    found = run("board", "judge", folder, "--judge", "mockjudge/spread", "--keep-own", "--rubric", "board-alignment",
                "--labels", labels, "--json", code=2)  # fmt: skip
    told = json.loads(found.stdout.splitlines()[0])
    means = {(item["system"], item["criterion"]): item for item in told["means"]}
    assert means["m", "alignment"]["in_scope"] == len(DEMO)
    (pair,) = told["agreement"]["pairs"]
    assert (pair["first"], pair["second"], pair["n"]) == ("person:anna", "mockjudge/spread", len(DEMO))
    assert pair["recordings"] == len({case.recording for case in DEMO.values()})
    assert len(told["labels_not_read"]) == 1


def test_the_same_seed_gives_the_same_intervals(folder):
    words = ("board", "judge", folder, "--judge", "mockjudge/spread", "--judge", "mockjudge/compares", "--keep-own",
             "--rubric", "board-alignment", "--json")  # fmt: skip
    first, second = (json.loads(run(*words).stdout.splitlines()[0])["agreement"] for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--judge", "mockjudge/nobody"), "there is no judge"),
        (("--judge", "mockjudge/compares", "--rule", "mean"), "expected one of median"),
        (("--judge", "mockjudge/compares", "--rubric", "refusal"), "does not fit this run"),
        (
            ("--judge", "mockjudge/compares", "--facts-from", "air", "--rubric", "board-facts"),
            "expected decisions or model",
        ),
        (("--labels", "nowhere.csv"), "no such file"),
    ],
)
def test_a_wrong_word_is_one_clear_line(folder, words, told):
    with pytest.raises(UsageError, match=told):
        run("board", "judge", folder, *words)


@pytest.mark.parametrize("rubric", [name for name in SHIPPED if name.startswith("board-")])
def test_the_plain_command_sends_users_of_board_rubrics_here(folder, rubric):
    with pytest.raises(UsageError, match="use equipoise board judge RUN"):
        run("judge", folder, "--rubric", rubric, "--judge", "mockjudge/lowest")


def test_categories_are_asked_when_named_and_shown_under_their_own_names(folder):
    words = ("board", "judge", folder, "--judge", "mockjudge/lowest", "--rubric", "board-category")
    texts = {text for case in DEMO.values() for text in (case.conclusion.text, *case.references)}
    shown = run(*words, "--dry-run").stdout
    assert f"board-category, references by mockjudge/lowest: {len(texts)} calls" in shown
    assert f"board-category by mockjudge/lowest: {len(DEMO)} calls" in shown
    found = run(*words)
    assert "category, first" in found.stdout
    assert "category, any" in found.stdout
    assert f"{len(DEMO)} references recommend no category, where concordance is undefined" in found.output
    assert f"board-category, references ({load_rubric('board-category').hash})" in found.output


def test_money_that_is_spent_is_said_and_the_exit_code_too(folder):
    found = run("board", "judge", folder, "--judge", "mockjudge/compares", "--rubric", "board-alignment", "--max-cost",
                "0.00005", "--price-in", "1", "--price-out", "1", "--max-connections", "1", code=2)  # fmt: skip
    assert "not made" in found.output
    assert "stopped" in found.output


def test_a_dry_run_counts_what_would_be_asked_and_asks_nothing(folder):
    words = ("board", "judge", folder, "--judge", "mockjudge/compares", "--judge", "mockjudge/raises", "--keep-own")
    prices = ("--price-in", "1", "--price-out", "2", "--max-tokens", "100")
    told = json.loads(run(*words, "--rubric", "board-decisions", *prices, "--dry-run", "--json").stdout)["steps"]
    assert [(item["judge"], item["calls"], item["tokens_out"]) for item in told] == [
        ("mockjudge/compares", len(DEMO), 100 * len(DEMO)), ("mockjudge/raises", len(DEMO), 100 * len(DEMO)),
    ]  # fmt: skip
    assert told[0]["cost"] == pytest.approx((told[0]["tokens_in"] + 2 * 100 * len(DEMO)) / 1e6)
    assert 'Criterion "therapy"' in told[0]["first"]
    assert not (folder / "judge-replies.jsonl").exists()
    shown = run(*words, "--rubric", "board-facts", "--dry-run").stdout
    texts = {text for case in DEMO.values() for text in (case.conclusion.text, *case.references)}
    assert f"facts by mockjudge/compares: {len(texts)} calls" in shown
    assert "cannot be counted before they are taken out" in shown
    assert not (folder / "board-facts.jsonl").exists()


def test_a_limit_in_money_without_the_price_of_a_judge_is_refused(folder):
    with pytest.raises(UsageError, match="none is known for mockjudge/spread"):
        run("board", "judge", folder, "--judge", "mockjudge/compares", "--judge", "mockjudge/spread", "--max-cost", "1",
            "--price", "mockjudge/compares=1,1")  # fmt: skip


def test_a_judge_that_is_down_is_said_with_what_to_do_and_the_exit_code(folder):
    found = run("board", "judge", folder, "--judge", "mockjudge/raises", "--rubric", "board-alignment", code=2)
    assert f"{len(DEMO)} judgements of mockjudge/raises came to nothing" in found.output
    lines = [line.split() for line in found.stdout.splitlines()]
    assert ["alignment", "1-5", str(len(DEMO)), "none", "none", "1.00-5.00", str(len(DEMO))] in lines


def test_judgements_of_the_published_scripts_are_read_and_shown(tmp_path):
    out = tmp_path / "out"
    found = run(
        "board", "released", batch(tmp_path / "batch"), "--out", out, "--judge", "qwen/Qwen3.8-27B", "--arm", "images"
    )
    assert "3 replies, 8 values" in found.stdout
    shown = run("board", "judge", out)
    lines = [line.split() for line in shown.stdout.splitlines()]
    assert ["therapy", "1-5", "1", "4.00", "4.00"] in lines
    assert "8 verdicts on decisions are left out because nobody fixed" in shown.stdout
    with pytest.raises(UsageError, match="expected captions or images"):
        run("board", "released", tmp_path / "batch", "--out", out, "--judge", "j", "--arm", "both")


def test_a_damaged_run_is_refused(folder):
    (folder / "outcomes.parquet").write_bytes(b"nothing")
    with pytest.raises(InputError, match="damaged"):
        run("board", "judge", folder)
