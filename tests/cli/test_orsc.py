"""`equipoise orsc`, as a user types it."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path

import pytest

from equipoise.report.lint import lint
from orsc_examples import read_stand_in

EXAMPLES = Path(__file__).parents[2] / "examples" / "orsc"
CONFIG = EXAMPLES / "rehearsal.yaml"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    module = types.ModuleType("equipoise.refusal.detector")
    module.VERSION = "stand-in"
    module.read_reply = lambda text, prompt: types.SimpleNamespace(refusal=read_stand_in(prompt, text), state="ok")
    monkeypatch.setitem(sys.modules, "equipoise.refusal.detector", module)


def test_from_the_configuration_to_the_page_and_the_sheets(equipoise, tmp_path):
    done = equipoise("orsc", "run", CONFIG, "--out", "set")
    assert done.code == 0, done.err
    assert "exact duplicate 1, no health keyword 1" in done.out
    assert "Report: set/7-export/report.html" in done.err
    page = (tmp_path / "set" / "7-export" / "report.html").read_text()
    assert lint(page) == []
    assert "What selection does to a model" in page
    again = equipoise("orsc", "run", CONFIG, "--out", "set", "--json")
    value = json.loads(again.out)
    assert (value["calls"], value["ran"]) == (0, [])
    assert value["stages"]["select"]["in"] == 24
    one = equipoise("orsc", "run", CONFIG, "--out", "set", "--stage", "moderate", "--json")
    assert json.loads(one.out)["ran"] == ["moderate"]
    sheets = equipoise("orsc", "sheet", "export", "set", "--out", "sheets", "--raters", 2)
    assert sheets.out.split() == ["sheets/rater-1.csv", "sheets/rater-2.csv", "sheets/instructions.md"]
    for path in (tmp_path / "sheets").glob("rater-*.csv"):
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        path.write_text("\n".join([lines[0], *(f"{line[:-1]}self_harm," for line in lines[1:])]))
    read = equipoise("orsc", "sheet", "import", "set", "sheets/rater-1.csv", "sheets/rater-2.csv")
    assert read.code == 0, read.err
    assert "Fleiss' kappa: not defined (all labels are of one category" in read.out
    assert "0 texts with different labels" in read.out
    assert equipoise("orsc", "run", CONFIG, "--out", "set").code == 0
    page = (tmp_path / "set" / "7-export" / "report.html").read_text()
    assert "Agreement of people on the categories" in page
    assert "data-rate" in page
    assert lint(page) == []


def test_a_dry_run_asks_nobody_and_writes_nothing(equipoise, tmp_path):
    done = equipoise("orsc", "run", CONFIG, "--out", "set", "--dry-run")
    assert done.code == 0
    assert "24 rows of seed files" in done.out
    assert "cost at most: not known" in done.out
    value = json.loads(equipoise("orsc", "run", CONFIG, "--out", "set", "--dry-run", "--json").out)
    assert value["calls_at_most"] == 24 + 72 + 7 * 72 + 6 * 72
    assert value["stages"][0]["prompts"][0].startswith("categorise 1 ")
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "nowhere.yaml", "--out", "set"], "there is no such file"),
        (["run", CONFIG, "--out", "set", "--stage", "nothing"], "there is no stage 'nothing'"),
        (["run", CONFIG, "--out", "set", "--stage", "export"], "needs stage select first"),
        (["run", CONFIG, "--out", "set", "--max-cost", "1"], "needs price_in and price_out of every model"),
        (["run", CONFIG, "--out", "set", "--max-cost", "1", "--dry-run"], "needs price_in and price_out"),
        (["sheet", "export", "set", "--out", "sheets"], "stage categorise has not run here"),
        (["sheet", "import", "set", "a.csv", "b.csv"], "export sheets first"),
    ],
)
def test_what_cannot_start_is_one_line(equipoise, arguments, words):
    done = equipoise("orsc", *arguments)
    assert done.code == 2
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_names_with_markup_are_inert_on_the_page_and_in_the_report(equipoise, tmp_path):
    import yaml

    value = yaml.safe_load(CONFIG.read_text())
    name = "<script>alert(1)</script> \u202e| x"
    value["name"] = name
    moderators = value["moderate"]["moderators"]
    moderators[0]["id"] = "<img src=x onerror=alert(1)>|"
    for seed in value["seeds"]:
        seed["file"] = str(EXAMPLES / seed["file"])
    (tmp_path / "odd.yaml").write_text(yaml.safe_dump(value))
    done = equipoise("orsc", "run", "odd.yaml", "--out", "set")
    assert done.code == 0, done.err
    page = (tmp_path / "set" / "7-export" / "report.html").read_text()
    assert lint(page) == []
    assert "<script>" not in page
    assert "<img" not in page
    text = (tmp_path / "set" / "7-export" / "report.md").read_text()
    assert "<script" not in text
    assert "<img" not in text
    assert "\u202e" not in text


def test_without_the_detector_a_run_with_tiers_does_not_start(equipoise, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "equipoise.refusal.detector", None)
    done = equipoise("orsc", "run", CONFIG, "--out", "set")
    assert done.code == 2
    assert "difficulty needs the refusal detector" in done.err
    assert not (tmp_path / "set").exists()
    assert equipoise("orsc", "run", CONFIG, "--out", "set", "--stage", "select").code == 0
