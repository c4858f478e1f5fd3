"""`equipoise study`: from a template to a report, with what is printed, refused and kept."""

from __future__ import annotations

import csv
import json

import pytest

from equipoise.outcomes.run import read_run
from equipoise.report.lint import lint
from equipoise.study.store import open_store

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"
ITEMS = [
    {"case_id": f"c{number}", "patient_summary": f"{HOSTILE} {number}", "proposed_therapy": "invented", "kept": "x"}
    for number in range(12)
]
FIRST = ["Supported"] * 6 + ["Unsupported"] * 6
SECOND = ["Supported"] * 5 + ["Insufficient Information"] + ["Unsupported"] * 6


@pytest.fixture
def study(equipoise, tmp_path):
    """A study with twelve items and the labels of two raters from a file."""
    folder = tmp_path / "study"
    assert equipoise("study", "init", folder, "--template", "four-label").code == 0
    items = tmp_path / "items.jsonl"
    items.write_text("".join(json.dumps(item) + "\n" for item in ITEMS), encoding="utf-8")
    assert equipoise("study", "import", folder, items).out == "12 items added, 0 were there.\n"
    with (tmp_path / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "one", "two"])
        writer.writerows([item["case_id"], *labels] for item, *labels in zip(ITEMS, FIRST, SECOND, strict=True))
    done = equipoise(
        "study", "import", folder, tmp_path / "labels.csv", "--labels", "--rater", "one=a", "--rater", "two=b"
    )
    assert done.out == "24 labels added, 0 were there.\n"
    return folder


def test_without_a_template_they_are_listed(equipoise, tmp_path):
    for arguments in ((), (tmp_path / "s",)):
        done = equipoise("study", "init", *arguments)
        assert done.code == 0
        assert "four-label " in done.out
        assert "free-rubric " in done.out
    assert not (tmp_path / "s").exists()


def test_a_study_goes_from_labels_to_a_decision_an_export_and_a_report(equipoise, tmp_path, study):
    listed = equipoise("study", "adjudicate", study)
    assert (listed.out.splitlines()[0], listed.err) == ("c5", "1 to decide.\n")
    sides = json.loads(equipoise("study", "adjudicate", study, "--json").out)[0]["sides"]
    assert {side["label"] for side in sides} == {"Supported", "Insufficient Information"}
    assert "rater" not in json.dumps(sides)
    made = equipoise(
        "study", "adjudicate", study, "c5", "--value", "Supported", "--reason", "it is there", "--agreed", "a"
    )
    assert made.out == "c5: Supported, decided by consensus.\n"
    assert equipoise("study", "adjudicate", study).err == "0 to decide.\n"
    assert equipoise("study", "export", study, "--run", tmp_path / "run", "--csv", tmp_path / "l.csv").code == 0
    run = read_run(tmp_path / "run")
    assert run.info.systems == ("a", "b", "adjudicated")
    assert (tmp_path / "l.csv").read_text(encoding="utf-8").count("\n") == 26
    shown = equipoise("study", "agreement", study)
    assert "Raters differ on 1 of 12 items; kappa 0.85" in shown.out
    found = json.loads(equipoise("study", "agreement", study, "--json").out)
    assert (found["disagreed"], found["decided"]) == (1, 1)
    page = tmp_path / "r.html"
    assert equipoise("study", "report", study, "--html", page).err == f"Report: {page}\n"
    assert lint(page.read_text(encoding="utf-8")) == []


def test_another_run_stands_beside_the_raters(equipoise, tmp_path, study):
    equipoise("study", "export", study, "--run", tmp_path / "run")
    found = json.loads(equipoise("study", "agreement", study, "--json", "--with", tmp_path / "run").out)
    assert ("a", "b") in {(row["system"], row["basis"]) for row in found["against"]}


def test_agreement_waits_for_the_raters_and_unblinding_is_logged(equipoise, study):
    for code in ("c", "d"):
        equipoise("study", "raters", study, "--add", code)
    told = equipoise("study", "raters", study, "--assign")
    assert told.code == 2
    assert "the protocol plans 2 raters; the study has 4" in told.err
    with open_store(study / "study.sqlite") as store:
        store.assign([("c", "c0", "main", 1)], draw=lambda _: "p", at="2026-11-30T12:00:00+00:00")
    told = equipoise("study", "agreement", study)
    assert (told.code, told.out) == (2, "")
    assert "raters still have items to label (c 1)" in told.err
    assert equipoise("study", "agreement", study, "--unblind", "asked by the board").code == 0
    with open_store(study / "study.sqlite") as store, store.transaction() as connection:
        assert store.rows(connection, "log")[-1]["what"] == "unblind"


def test_a_protocol_changes_freely_before_the_first_label_and_with_a_reason_after(equipoise, tmp_path, study):
    new = tmp_path / "new"
    equipoise("study", "init", new, "--template", "four-label")
    for folder in (new, study):
        text = (folder / "protocol.yaml").read_text(encoding="utf-8")
        (folder / "protocol.yaml").write_text(text.replace("seed: 1", "seed: 9"), encoding="utf-8")
    before = equipoise("study", "raters", new)
    assert before.code == 0
    assert "taken over; no label was given yet" in before.err
    after = equipoise("study", "agreement", study)
    assert after.code == 2
    assert "was changed after labels were given" in after.err
    assert equipoise("study", "init", study, "--amend", "the seed was wrong").code == 0
    found = json.loads(equipoise("study", "agreement", study, "--json").out)
    assert found["versions"][-1]["reason"] == "the seed was wrong"


def test_personal_data_are_given_out_and_deleted_and_the_labels_stay(equipoise, study):
    before = json.loads(equipoise("study", "raters", study, "--personal", "a").out)
    assert len(before["items"]) == 12
    listed = equipoise("study", "raters", study, "--forget", "a", "--json")
    assert json.loads(listed.out)[0] | {"items": 12} == {
        "rater": "a", "role": "rater", "forgotten": True, "items": 12, "complete": 12, "skipped": 0, "partial": 0, "open": 0,
    }  # fmt: skip
    assert equipoise("study", "raters", study, "--forget", "a").code == 2


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("export", "{}"), "expected --run FOLDER or --csv FILE"),
        (("init", "{}", "--template", "four-label"), "the folder has a protocol.yaml"),
        (("init", "{}x", "--template", "none"), "there is no template 'none'"),
        (("import", "{}", "{}/protocol.yaml", "--labels"), "expected at least one COLUMN=RATER"),
        (("import", "{}", "{}/protocol.yaml", "--labels", "--rater", "a"), "expected COLUMN=RATER, each once; got 'a'"),
        (("import", "{}", "{}/none.jsonl"), "there is no such file"),
        (("agreement", "{}x"), "there is no study here"),
        (("adjudicate", "{}", "c0", "--value", "Supported", "--reason", "x"), "there is no disagreement on item 'c0'"),
        (("agreement", "{}", "--database", "sqlite:////nowhere/at/all.sqlite"), "no database of a study"),
    ],
)
def test_a_fault_is_one_line_and_an_exit_code(equipoise, study, arguments, fault):
    done = equipoise("study", *(part.replace("{}", str(study)) for part in arguments))
    assert (done.code, done.out) == (2, "")
    assert fault in done.err
    assert done.err.count("\n") == 1


def test_hostile_text_reaches_no_terminal(equipoise, study, tmp_path):
    items = tmp_path / "more.jsonl"
    record = ITEMS[0] | {"case_id": f"evil-{HOSTILE}"}
    items.write_text(json.dumps(record) + "\n" + json.dumps(record) + "\n", encoding="utf-8")
    done = equipoise("study", "import", study, items)
    assert done.code == 2
    assert "\x1b" not in done.err
    assert "\u202e" not in done.err
