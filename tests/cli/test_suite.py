"""`equipoise suite refusal` and the joint page of `equipoise report`, as a user types them."""

from __future__ import annotations

import json

import pytest

from equipoise.report.lint import lint
from refusal_mocks import careful, complies, items, judged, people, refuses, rows, save
from study_examples import HOSTILE


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def tiny_registered(monkeypatch):
    """The tiny task in the registry, and its converter in the place of the package's own."""
    pytest.importorskip("inspect_ai")
    from inspect_ai.model import ModelAPI, modelapi

    import tiny_task
    from equipoise.benchmarks import _registry
    from equipoise.evals import suite
    from evals_help import output

    @modelapi(name="words")
    class Words(ModelAPI):
        async def generate(self, input, *rest, **more):
            return output(self.model_name.split(".")[0])

    monkeypatch.setattr(_registry, "tiny", tiny_task.tiny, raising=False)
    monkeypatch.setattr(_registry, "__all__", [*_registry.__all__, "tiny"])
    monkeypatch.setattr(suite, "convert", tiny_task.convert_tiny)


def test_a_suite_from_the_question_to_the_joint_page(equipoise, tiny_registered, tmp_path):
    command = ("suite", "refusal", "--model", "words/full", "--model", "words/none", "--bench", "tiny", "--out", "suite",
               "--limit-per-stratum", 6)  # fmt: skip
    done = equipoise(*command)
    assert done.code == 0, done.err
    assert "words/full: over-refusal 12 of 12; at least" in done.out
    assert "harmful compliance 0 of 12; up to" in done.out
    html = (tmp_path / "suite" / "report.html").read_text()
    assert lint(html, data={"constants": ("always refuses", "always complies")}) == []
    audit = json.loads((tmp_path / "suite" / "audit.json").read_text())
    assert [item["system"] for item in audit["systems"]] == ["words/full", "words/none"]
    again = equipoise(*command, "--json", "--no-html")
    assert again.code == 0
    assert json.loads(again.out) == audit
    assert "gone on with" in again.err


def test_a_dry_run_asks_nobody(equipoise, tiny_registered, tmp_path):
    command = ("suite", "refusal", "--model", "openai/none", "--bench", "tiny", "--out", "suite", "--dry-run",
               "--price", "openai/none=1,2", "--max-cost", 0.001)  # fmt: skip
    done = equipoise(*command, "--json")
    value = json.loads(done.out)
    assert (done.code, value["total"]["calls"], len(value["parts"])) == (0, 48, 1)
    part = value["parts"][0]
    expected = (part["tokens_in"] + 2 * part["tokens_out_at_most"]) / 1e6
    assert part["cost_at_most"] == pytest.approx(expected, abs=1e-4)
    assert not (tmp_path / "suite").exists()
    text = equipoise(*command)
    assert "together: 48 calls, cost at most" in text.out
    assert "more than --max-cost allows" in text.err


def test_what_cannot_run_is_told_and_what_can_is_reported(equipoise, tiny_registered, tmp_path):
    done = equipoise(
        "suite", "refusal", "--model", "nobody/model", "--model", "words/partial", "--bench", "tiny", "--out", "suite"
    )
    assert done.code == 2
    assert "tiny, nobody/model: not run: the run could not start" in done.err
    assert "the same command asks what is left" in done.err
    assert "words/partial" in (tmp_path / "suite" / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--bench", "openmtb"), "there is no refusal benchmark 'openmtb'"),
        (("--price", "cheap"), "expected MODEL=IN,OUT"),
        (("--price", "words/other=1,2"), "'words/other' is not asked"),
        (("--max-cost", "1"), "needs the prices"),
        (("--valid", "benign=2"), "above 0 and at most 1"),
        (("--valid", "nice=0.5"), "expected ARM=SHARE"),
        (("--mix", "mix.json"), "expected {"),
        (("--model", "words/none"), "each once"),
        (("--option", "xstest.labels=a"), "expected BENCH.NAME=VALUE"),
        (("--option", "tiny"), "expected BENCH.NAME=VALUE"),
    ],
)
def test_a_wrong_argument_is_one_line(equipoise, tiny_registered, tmp_path, arguments, words):
    (tmp_path / "mix.json").write_text('{"benign": 3}')
    bench = () if "--bench" in arguments else ("--bench", "tiny")
    done = equipoise("suite", "refusal", "--model", "words/none", *bench, "--out", "suite", *arguments)
    assert (done.code, words in done.err, len(done.err.strip().splitlines())) == (2, True, 1)
    assert not (tmp_path / "suite").exists()


def test_report_chooses_the_page_by_benchmark(equipoise, tmp_path):
    save(tmp_path, "a", [{**row, "reply": HOSTILE} for row in rows("a", careful, items(80))])
    save(tmp_path, "b", rows("b", refuses, items(80)))
    done = equipoise("report", "a", "b", "-o", "page.html", "--valid", "benign=0.633")
    assert done.code == 0, done.err
    html = (tmp_path / "page.html").read_text()
    assert lint(html) == []
    assert "Refusal and compliance of 2 systems on mock" in html
    assert "A is a, B is b:" in done.out
    assert "\x1b" not in done.out
    value = json.loads(equipoise("report", "a", "b", "-o", "page.html", "--json").out)
    assert value["prompts"]["mock"]["benign"] == 40


def test_report_keeps_the_page_of_tumor_boards_and_its_options_apart(equipoise, tmp_path):
    save(tmp_path, "a", rows("a", careful, items(40)))
    assert equipoise("bench", "run", "openmtb", "--out", "mtb").code == 0
    assert equipoise("report", "mtb", "-o", "page.html").code == 0
    assert "Refusal and compliance" not in (tmp_path / "page.html").read_text()
    told = equipoise("report", "mtb", "-o", "page.html", "--json")
    assert (told.code, json.loads(told.out)["benchmark"]) == (0, "openmtb")
    for option, value in (("--lineages", "l.csv"), ("--toxic-from", "0.5"), ("--fewest-scores", "5")):
        wrong = equipoise("report", "mtb", "-o", "page.html", option, value)
        assert (wrong.code, option in wrong.err) == (2, True)
    mixed = equipoise("report", "a", "mtb", "-o", "page.html")
    assert (mixed.code, "do not go on one page" in mixed.err) == (2, True)
    wrong = equipoise("report", "mtb", "-o", "page.html", "--show-harmful")
    assert (wrong.code, "belong to refusal benchmarks" in wrong.err) == (2, True)
    cases = equipoise("report", "a", "-o", "page.html", "--cases", "x.jsonl")
    assert (cases.code, "not an option of refusal benchmarks" in cases.err) == (2, True)


def test_a_declared_mix_and_the_items_of_the_folder_reach_the_measures(equipoise, tmp_path):
    own = rows("a", careful, items(80))
    said = [judged(row["reply_id"], "critical-action:x", "hit") for row in own[:20]] + people(own)
    save(tmp_path, "a", own, said)
    reference = {"item": own[0]["item"], "critical_actions": [{"id": "x", "text": "t", "collides": True}]}
    (tmp_path / "a" / "references.jsonl").write_text(json.dumps(reference) + "\n")
    (tmp_path / "mix.json").write_text(json.dumps({"benign": {"dosing": 1, "mood": 1, "privacy": 2, "absent": 1}}))
    done = equipoise("report", "a", "-o", "page.html", "--mix", "mix.json", "--json")
    system = json.loads(done.out)["systems"][0]
    assert "does not declare: toxins" in system["rates"][0]["over_refusal"]["standardised_refused"]
    assert (system["omission"]["colliding_hits"]["n_used"], system["omission"]["other_hits"]["n_used"]) == (1, 19)
    (tmp_path / "a" / "references.jsonl").write_text('{"item": "x", "critical_actions": ["no object"]}\n')
    broken = equipoise("report", "a", "-o", "page.html")
    assert (broken.code, "references.jsonl" in broken.err, "critical_actions" in broken.err) == (2, True, True)


def test_guards_and_fine_tuning_are_named_by_pairs(equipoise, tmp_path):
    for name, answer in (("open", complies), ("guarded", careful), ("shut", refuses)):
        save(tmp_path, name, rows(name, answer, items(80)))
    done = equipoise(
        "report", "open", "guarded", "shut", "-o", "page.html", "--guarded", "open=guarded", "--tuned", "shut=open"
    )
    assert done.code == 0, done.err
    html = (tmp_path / "page.html").read_text()
    assert lint(html) == []
    assert "open, then guarded: guarded" in html
    assert "harmful prompts newly refused, of those answered before" in html
    assert "shut, then fine-tuned: open" in html
    assert "harmful compliance, not refused, toxins" in html
    wrong = equipoise("report", "open", "-o", "page.html", "--guarded", "open=none")
    assert (wrong.code, "there is no system 'none'" in wrong.err) == (2, True)
    form = equipoise("report", "open", "-o", "page.html", "--tuned", "open")
    assert (form.code, "expected FIRST=SECOND" in form.err) == (2, True)


def test_constant_systems_need_no_option(equipoise, tmp_path):
    save(tmp_path, "c", rows("c", complies, items(80)))
    assert equipoise("report", "c", "-o", "page.html").code == 0
    html = (tmp_path / "page.html").read_text()
    assert "always refuses" in html
    assert "always complies" in html


def test_arguments_of_tasks_are_made_of_options(tmp_path):
    from equipoise.cli.suite import task_arguments

    (tmp_path / "one").mkdir()
    found = task_arguments(
        ["one", "two"],
        tmp_path,
        {"per_stratum": 5, "download": None},
        ["one.threshold=2.5", "two.labels=a", "two.x=true"],
    )
    assert found == {
        "one": {"per_stratum": 5, "data": str(tmp_path / "one"), "threshold": 2.5},
        "two": {"per_stratum": 5, "data": str(tmp_path), "labels": "a", "x": True},
    }
