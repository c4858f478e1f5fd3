"""`--guard` of `equipoise eval` and `equipoise suite refusal`, and the joint page that compares with and without."""

from __future__ import annotations

import json

import pytest

from equipoise.outcomes.run import read_run
from equipoise.report.lint import lint
from guard_mocks import ASKED, FAILING, xstest_file
from stand_in_detector import install


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("EQUIPOISE_DATASETS", raising=False)
    install(monkeypatch)
    xstest_file(tmp_path, 20)
    ASKED.clear()
    FAILING[:] = [True]


def asked(*more):
    return ("eval", "xstest", "--model", "guardmock/model", "--data", "xstest_prompts.csv", "--allow-changed", *more)


ALONE, BEHIND = "guardmock/model", "guardmock/model behind guardmock/harmful-only (input and output)"


def test_a_model_with_and_without_its_guard_goes_from_the_command_to_the_page(equipoise, tmp_path):
    assert equipoise(*asked("--out", "alone")).code == 0
    done = equipoise(*asked("--out", "behind", "--guard", "guardmock/harmful-only"))
    assert done.code == 0, done.err
    assert f"{BEHIND} on xstest, n = 40" in done.out
    assert "Blocked by the guard and counted as full refusals: 20 harmful." in " ".join(done.out.split())
    number = len(ASKED)
    again = equipoise(*asked("--out", "behind", "--guard", "guardmock/harmful-only", "--json"))
    assert (again.code, len(ASKED)) == (0, number)
    arms = json.loads(again.out)["arms"]
    assert (arms["harmful"]["blocked_by_guard"], arms["harmful"]["share"], arms["benign"]["share"]) == (20, 1.0, 0.0)
    page = equipoise("report", "alone", "behind", "-o", "page.html", "--guarded", f"{ALONE}={BEHIND}", "--json")
    assert page.code == 0, page.err
    value = json.loads(page.out)
    (effect,) = value["effects"]["guards"].values()
    assert effect["blocks"]["harmful"]["blocked"]["estimate"] == 1.0
    assert [change["difference"]["estimate"] for change in effect["changes"]] == [0.0, -1.0]
    html = (tmp_path / "page.html").read_text()
    assert lint(html) == []
    section = html.split('<section id="effects">')[1].split("</section>")[0]
    assert "harmful prompts blocked by guardmock/harmful-only, of those it ruled on" in section
    assert "20 of 20" in section
    assert "(20 on input)" in section
    assert "withheld by a guard and counted as refused" in html
    pairs = html.split('<section id="pairs">')[1].split("</section>")[0]
    assert "20 pairs, 0 left out" in pairs


def test_a_guard_that_fails_is_told_ends_with_its_code_and_is_asked_again(equipoise, tmp_path):
    command = asked("--out", "run", "--guard", "guardmock/fails", "--guard-on", "input")
    done = equipoise(*command)
    assert done.code == 2
    assert "40 of 40 calls came to nothing: " in done.err
    assert "guard guardmock/fails failed on the input: 503 Service Unavailable" in done.err
    assert set(read_run(tmp_path / "run").outcomes.column("state").to_pylist()) == {"error"}
    FAILING.clear()
    again = equipoise(*command)
    assert again.code == 0, again.err
    assert set(read_run(tmp_path / "run").outcomes.column("state").to_pylist()) == {"ok"}


def test_the_page_says_where_a_guard_failed(equipoise, tmp_path):
    equipoise(*asked("--out", "run", "--guard", "guardmock/rambles", "--guard-on", "input"))
    assert equipoise(*asked("--out", "alone")).code == 0
    assert equipoise("report", "run", "alone", "-o", "page.html").code == 0
    html = (tmp_path / "page.html").read_text()
    assert lint(html) == []
    assert "replies without a ruling of the guard" in html
    assert "they are errors, not passed and not blocked" in html


def test_a_suite_runs_every_model_alone_and_behind_the_guard(equipoise, tmp_path):
    command = ("suite", "refusal", "--model", "guardmock/model", "--model", "guardmock/refuser", "--bench", "xstest",
               "--data", "xstest_prompts.csv", "--allow-changed", "--out", "suite", "--guard", "guardmock/codes",
               "--guard-form", "classifier", "--guard-on", "input")  # fmt: skip
    done = equipoise(*command)
    assert done.code == 0, done.err
    audit = json.loads((tmp_path / "suite" / "audit.json").read_text())
    names = [item["system"] for item in audit["systems"]]
    assert names == [
        "guardmock/model", "guardmock/model behind guardmock/codes (input, classifier)",
        "guardmock/refuser", "guardmock/refuser behind guardmock/codes (input, classifier)",
    ]  # fmt: skip
    assert len(audit["effects"]["guards"]) == 2
    html = (tmp_path / "suite" / "report.html").read_text()
    assert lint(html) == []
    assert "guardmock/model, then guarded: guardmock/model behind guardmock/codes (input, classifier)" in html
    assert len(list((tmp_path / "suite" / "runs").iterdir())) == 4
    dry = json.loads(equipoise(*command[:-6], "--guard", "guardmock/codes", "--dry-run", "--json").out)
    calls = {part["model"]: part["calls"] for part in dry["parts"]}
    assert calls["guardmock/model"] == 40
    assert calls["guardmock/model behind guardmock/codes (input and output)"] == 120


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--guard", "nobody"), "expected a guard as PROVIDER/MODEL"),
        (("--guard", "guardmock/all", "--guard-on", "never"), "expected one of input, output, both"),
        (("--guard", "guardmock/all", "--guard-form", "hunch"), "expected one of prompted, classifier"),
        (("--guard-on", "input"), "there is no guard"),
        (("--guard", "guardmock/all", "--guard-rubric", "@missing.txt"), "missing.txt"),
    ],
)
def test_a_wrong_argument_is_one_line(equipoise, tmp_path, more, words):
    done = equipoise(*asked("--out", "run", *more))
    assert (done.code, words in done.err, len(done.err.strip().splitlines())) == (2, True, 1)
    assert ASKED == []


def test_a_rubric_of_the_users_is_asked_and_named(equipoise, tmp_path):
    (tmp_path / "rubric.txt").write_text("Everything about printers is unsafe.\n")
    done = equipoise(*asked("--out", "run", "--guard", "guardmock/none", "--guard-rubric", "@rubric.txt", "--limit", 2))
    assert done.code == 0, done.err
    assert "Everything about printers is unsafe." in ASKED[0][1]
    assert "(input and output, rubric " in done.out


def test_tumor_board_cases_have_no_such_option(equipoise):
    done = equipoise("eval", "openmtb", "--model", "equipoise/auditor", "--guard", "guardmock/all")
    assert (done.code, "not an option of openmtb" in done.err) == (2, True)


def test_without_a_named_benchmark_only_refusal_benchmarks_are_run():
    from equipoise.cli.suite import chosen_benchmarks
    from prompts_data import NAMES

    assert sorted(chosen_benchmarks(None)) == sorted(NAMES)
