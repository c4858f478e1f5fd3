"""`equipoise batch`: exit codes, what stands on standard output, messages."""

from __future__ import annotations

import json

import pytest
import typer.testing

from equipoise.cli.main import app

DAY = ("--as-of", "2026-11-01")
GOOD = {
    "case_id": "good", "tumor": "NSCLC", "histology": "adenocarcinoma", "stage": "IVB", "ecog": 1, "prior_therapies": "none",
    "biomarkers": ["EGFR L858R"], "recommendations": ["osimertinib"],
}  # fmt: skip
BROKEN = {"case_id": "\x1b[31mbad", "ecog": "\x1b[31m9", "recommendations": ["osimertinib"]}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in (GOOD, GOOD, BROKEN)), encoding="utf-8")
    return path


def run(*arguments):
    return typer.testing.CliRunner().invoke(app, ["batch", *map(str, arguments)])


def test_it_writes_the_folder_and_prints_the_summary(file, tmp_path):
    result = run(file, tmp_path / "out", *DAY, "--workers", 1)
    assert result.exit_code == 0, result.stderr
    assert {item.name for item in (tmp_path / "out").iterdir()} == {
        "manifest.json", "part-00000.parquet", "summary.json", "summary.txt",
    }  # fmt: skip
    assert result.stdout == (tmp_path / "out" / "summary.txt").read_text(encoding="utf-8")
    assert "3 cases, 2 recommendations judged" in result.stdout
    assert "1 distinct decision keys (distinct share 50.0 %)" in result.stdout
    assert "1 could not be read: 1 ecog: expected an ECOG" in result.stdout
    assert (result.stdout + result.stderr).count("not a medical device") == 1
    assert "\x1b" not in result.stdout + result.stderr


def test_a_case_that_cannot_be_read_fails_only_when_asked(file, tmp_path):
    assert run(file, tmp_path / "out", *DAY, "--workers", 1, "--fail-on-error").exit_code == 2
    assert (tmp_path / "out" / "summary.json").exists()


def test_it_says_what_was_there_already(file, tmp_path):
    run(file, tmp_path / "out", *DAY, "--workers", 1)
    result = run(file, tmp_path / "out", *DAY, "--workers", 1)
    assert "1 parts (1 were there already)" in result.stderr
    refused = run(file, tmp_path / "out", *DAY, "--workers", 1, "--policy", "openmtb-2026")
    assert refused.exit_code != 0
    assert "the folder holds another batch (settings policy was 'label'" in str(refused.exception)


def test_options_and_csv(file, tmp_path):
    result = run(file, tmp_path / "out", *DAY, "--workers", 1, "--options", "--write", "csv", "--jurisdiction", "US")
    assert result.exit_code == 0
    text = (tmp_path / "out" / "part-00000.csv").read_text(encoding="utf-8")
    assert ",osimertinib,osimertinib,Supported," in text
    assert "\x1b" not in text
    assert "options judged" in result.stdout
