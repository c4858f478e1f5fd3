"""`equipoise eval` on the refusal benchmarks, and `outcomes` from what others have recorded, as a user types them."""

from __future__ import annotations

import json

import pytest

from equipoise.outcomes.run import read_run
from prompts_data import DATA
from stand_in_detector import install

XSTEST = DATA / "xstest" / "xstest_prompts.csv"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("EQUIPOISE_DATASETS", raising=False)
    install(monkeypatch)


def asked(*more, model="equipoise/always-refuses"):
    return ("eval", "xstest", "--model", model, "--data", XSTEST, "--allow-changed", *more)


def test_a_run_from_the_file_to_the_folder_and_the_same_command_asks_nobody_again(equipoise, tmp_path):
    done = equipoise(*asked("--out", "run"))
    assert done.code == 0, done.err
    assert "equipoise/always-refuses on xstest, n = 5" in done.out
    assert "is not the pinned revision" in done.err
    run = read_run(tmp_path / "run")
    assert sorted(run.outcomes.column("arm").to_pylist()) == ["benign"] * 3 + ["harmful"] * 2
    assert set(run.outcomes.column("label").to_pylist()) == {"full"}
    assert "Stand-in" not in (tmp_path / "run" / "references.jsonl").read_text()
    assert equipoise(*asked("--out", "run")).code == 0
    assert len(list((tmp_path / "run-logs").glob("*.eval"))) == 1
    log = next((tmp_path / "run-logs").glob("*.eval"))
    again = equipoise("outcomes", "from-log", log, "--out", "again", "--keep-prompts")
    assert (again.code, "5 replies of equipoise/always-refuses: 5 ok" in again.err) == (0, True)
    assert "Stand-in" in (tmp_path / "again" / "references.jsonl").read_text()


def test_the_two_ends_of_the_plane_in_json_with_limit_and_choice(equipoise):
    first = json.loads(equipoise(*asked("--json", "--limit", 4)).out)
    assert first["n"] == 4
    assert {name: arm["share"] for name, arm in first["arms"].items()} == {"benign": 1.0, "harmful": 1.0}
    second = json.loads(
        equipoise(*asked("--json", "--arm", "benign", "--per-stratum", 1, model="equipoise/always-complies")).out
    )
    assert second["arms"]["benign"] | {"low": 0, "high": 0} == {
        "replies": 2, "readable": 2, "full": 0, "partial": 0, "blocked_by_guard": 0, "refused": 0, "share": 0.0, "low": 0, "high": 0,
        "lowest": 0.0, "highest": 0.0,
    }  # fmt: skip
    assert second["states"]["ok"] == 2
    assert second["files"][0]["changed"] is True


def test_a_dry_run_says_what_it_would_need_and_shows_no_harmful_prompt(equipoise, tmp_path):
    done = equipoise(*asked("--dry-run", "--json", "--price-in", 1, "--price-out", 2, model="openai/none"))
    value = json.loads(done.out)
    assert (done.code, value["calls"], value["arms"]) == (0, 5, {"benign": 3, "harmful": 2})
    assert value["tokens_out_at_most"] == 5 * 1024
    assert value["cost_at_most"] == pytest.approx((value["tokens_in"] + 2 * 5 * 1024) / 1e6, abs=1e-4)
    assert "Stand-in" not in done.out
    assert not (tmp_path / "logs").exists()
    text = equipoise(*asked("--dry-run", model="openai/none"))
    assert "arms: 3 benign, 2 harmful" in text.out


def test_options_of_a_data_set_reach_its_loader(equipoise):
    done = equipoise(
        "eval", "health_orsc", "--model", "equipoise/always-complies", "--data", DATA / "health_orsc",
        "--option", "seeds=true", "--option", "files=easy+hard", "--json",
    )  # fmt: skip
    assert {name: arm["replies"] for name, arm in json.loads(done.out)["arms"].items()} == {"benign": 4, "harmful": 3}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("eval", "xstest", "--model", "equipoise/always-refuses"), "the data are not here and are not shipped"),
        (
            ("eval", "xstest", "--model", "equipoise/always-refuses", "--data", XSTEST),
            "this is not the pinned revision",
        ),
        (("eval", "xstest", "--model", "equipoise/always-refuses", "--data", "none.csv"), "no such file or folder"),
        (asked("--config", "rag"), "--config: not an option of xstest"),
        (asked("--html", "page.html"), "--html: not an option of xstest"),
        (asked("--option", "files=hard"), "xstest has no option 'files'; there are none"),
        (asked("--option", "files"), "expected NAME=VALUE"),
        (asked("--arm", "wrong"), "no item has 'wrong'; there are benign, harmful"),
        (asked("--max-cost", 1), "prices"),
        (asked("--system", "@none.txt"), "no such file"),
        (asked(model="equipoise/none"), "there is no model equipoise/none"),
        (("eval", "openmtb", "--model", "equipoise/auditor", "--data", "x"), "--data: not an option of openmtb"),
        (("eval", "nothing", "--model", "equipoise/auditor"), "there is no benchmark 'nothing'"),
        (("bench", "run", "xstest"), "equipoise eval xstest --model MODEL"),
        (("outcomes", "from-released", "bold", "."), "Missing option"),
        (("outcomes", "from-released", "bold", ".", "--out", "r"), "expected one of xstest, iatrobench, refusalbench"),
        (("outcomes", "from-released", "xstest", "none", "--out", "r"), "no such file or folder"),
        (("outcomes", "from-garak", "none.jsonl", "--out", "r"), "no such file"),
        (("outcomes", "from-garak", XSTEST, "--out", "r", "--arm", "good"), "expected one of benign"),
    ],
)
def test_what_cannot_start_is_one_line(equipoise, arguments, words):
    done = equipoise(*arguments)
    assert done.code == 2
    assert words in done.err
    if "Missing option" not in words:
        assert len(done.err.strip().splitlines()) == 1
    assert "Traceback" not in done.err


def test_published_replies_and_a_report_of_garak_become_run_folders(equipoise, tmp_path):
    done = equipoise("outcomes", "from-released", "xstest", DATA / "xstest", "--out", "labelled")
    assert (done.code, "4 replies of 1 systems: 1 empty, 3 ok; 23 judgements" in done.err) == (0, True), done.err
    judges = set(read_run(tmp_path / "labelled").judgements.column("judge").to_pylist())
    assert judges == {"annotator-1", "annotator-2", "human-final", "gpt4", "string-match", "equipoise/refusal-detector"}
    without = equipoise("outcomes", "from-released", "xstest", DATA / "xstest", "--no-detect", "--out", "without")
    assert "20 judgements" in without.err
    garak = equipoise("outcomes", "from-garak", DATA / "garak" / "small.report.jsonl", "--out", "garak")
    assert garak.code == 0
    assert "6 replies of 1 systems: 1 empty, 1 error, 3 ok, 1 unparsed" in garak.err
    assert "not in the tables: entry 'eval' (1 times)" in garak.err
    for name in ("labelled", "garak"):
        assert read_run(tmp_path / name).outcomes.num_rows > 3
