"""`equipoise audit --to FORMAT`: what lands where, what is said, exit codes."""

from __future__ import annotations

import csv
import importlib
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from equipoise.errors import InternalError
from exports.conftest import DATA, OPEN

AS_OF = ("--as-of", "2026-11-30")
RECORDS = Path(__file__).parents[1] / "cases" / "records" / "fixtures"


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([DATA, OPEN]), encoding="utf-8")
    return file


def test_standard_output_holds_the_export_and_nothing_else(equipoise, cases):
    done = equipoise("audit", cases, *AS_OF, "--to", "csv")
    assert done.code == 0
    rows = list(csv.DictReader(io.StringIO(done.out, newline="")))
    assert [row["recommendation_id"] for row in rows] == ["r1", "r2", "r3", "r4", "r5", "1", "2"]
    assert "not a medical device" in done.err.lower()


def test_one_case_is_one_bundle_to_read_and_several_are_lines(equipoise, cases, tmp_path):
    done = equipoise("audit", cases, *AS_OF, "--to", "fhir")
    bundles = [json.loads(line) for line in done.out.splitlines()]
    assert [bundle["resourceType"] for bundle in bundles] == ["Bundle", "Bundle"]
    one = tmp_path / "one.json"
    one.write_text(json.dumps(DATA), encoding="utf-8")
    done = equipoise("audit", one, *AS_OF, "--to", "fhir")
    assert done.out.startswith("{\n  ")
    assert json.loads(done.out) == bundles[0]


def test_a_file_takes_the_export_and_the_terminal_stays_as_it_is(equipoise, cases, tmp_path):
    for form in ("fhir", "dnpm", "csv", "parquet", "html"):
        file = tmp_path / "deep" / f"out.{form}"
        done = equipoise("audit", cases, *AS_OF, "--to", form, "-o", file)
        assert done.code == 0
        assert "SUPPORTED" in done.out
        assert f"Verdicts: {file}" in done.err
        assert file.stat().st_size > 500
    assert pq.read_table(tmp_path / "deep" / "out.parquet").num_rows == 7
    assert "<!DOCTYPE html>" in (tmp_path / "deep" / "out.html").read_text(encoding="utf-8")


def test_the_page_is_that_of_the_html_option(equipoise, cases, tmp_path):
    equipoise("audit", cases, *AS_OF, "--to", "html", "-o", tmp_path / "a.html", "--html", tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_an_exported_bundle_is_a_record_that_can_be_audited(equipoise, cases, tmp_path):
    file = tmp_path / "out.ndjson"
    equipoise("audit", cases, *AS_OF, "--to", "fhir", "-o", file)
    first = [json.loads(line) for line in equipoise("audit", cases, *AS_OF, "--json").out.splitlines()]
    again = [json.loads(line) for line in equipoise("audit", file, *AS_OF, "--json").out.splitlines()]
    assert [(row["case_id"], row["recommendation_id"], row["label"]) for row in again] == [
        (row["case_id"], row["recommendation_id"], row["label"]) for row in first
    ]


def test_several_recommendations_of_a_record_are_several_verdicts(equipoise):
    done = equipoise("audit", RECORDS / "dnpm_lung.json", *AS_OF, "--to", "dnpm")
    reports = [json.loads(line) for line in done.out.splitlines()]
    paths = {
        issue["path"]
        for report in reports
        for issue in report["issues"]
        if "medicationRecommendations" in issue["path"]
    }
    assert [report["patient"] for report in reports] == ["dnpm-1", "dnpm-1/2"]
    assert len(paths) == 4


@pytest.mark.parametrize("form", ["fhir", "dnpm", "csv"])
def test_a_case_that_cannot_be_read_is_in_the_export_without_a_verdict(equipoise, form, tmp_path):
    file = tmp_path / "c.json"
    file.write_text(json.dumps([{"case_id": "bad", "ecog": 9}, OPEN]), encoding="utf-8")
    done = equipoise("audit", file, *AS_OF, "--to", form)
    assert done.code == 2
    assert "ECOG performance status from 0 to 4" in done.out
    assert str(tmp_path) not in done.out
    assert "demo-2" in done.out


def test_what_is_not_carried_is_said(equipoise, tmp_path):
    file = tmp_path / "c.json"
    twice: list[Any] = [{"drugs": "docetaxel"}, {"drugs": "docetaxel"}]
    file.write_text(json.dumps({**DATA, "prior_therapies": twice}), encoding="utf-8")
    done = equipoise("audit", file, *AS_OF, "--to", "fhir")
    assert done.code == 0
    assert "equipoise: demo-1: not carried by the bundle: prior_therapies (OperationOutcome says why)" in done.err


def test_a_record_with_nothing_to_audit_is_said_and_writes_nothing(equipoise):
    done = equipoise("audit", RECORDS / "variants.csv", *AS_OF, "--to", "fhir")
    assert done.code == 0
    assert done.out == ""
    assert "nothing to audit (no-recommendation)" in done.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--to", "pdf"), "expected one of fhir, dnpm, csv, parquet, html"),
        (("--to", "parquet"), "parquet needs a file: --to-file FILE"),
        (("--to", "html"), "html needs a file: --to-file FILE"),
        (("-o", "x"), "expected --to fhir, dnpm, csv, parquet or html with it"),
        (("--to", "csv", "--json"), "--json takes standard output"),
        (("--to", "csv", "--validate"), "expected --to fhir with it"),
    ],
)
def test_options_that_do_not_fit_are_one_line_and_exit_2(equipoise, cases, options, says):
    done = equipoise("audit", cases, *options)
    assert done.code == 2
    assert done.out == ""
    assert says in done.err
    assert len(done.err.splitlines()) == 1


def test_a_file_that_cannot_be_written_is_one_line_and_exits_2(equipoise, cases, tmp_path):
    blocked = tmp_path / "f"
    blocked.write_text("x", encoding="utf-8")
    for form in ("csv", "parquet"):
        done = equipoise("audit", cases, *AS_OF, "--to", form, "-o", blocked / "out")
        assert done.code == 2
        assert "cannot be written" in done.err


def test_the_paper_of_a_page_can_be_chosen(equipoise, cases, tmp_path):
    for name, size in (("Letter", "letter"), ("a4", "A4")):
        equipoise("audit", cases, *AS_OF, "--to", "html", "-o", tmp_path / "a.html", "--paper", name)
        assert f"size: {size};" in (tmp_path / "a.html").read_text(encoding="utf-8")
    done = equipoise("audit", cases, *AS_OF, "--html", tmp_path / "b.html", "--paper", "A5")
    assert done.code == 2
    assert done.err == "equipoise: field --paper: expected A4 or letter, got 'A5'\n"
    assert not (tmp_path / "b.html").exists()


def test_a_bundle_can_be_validated_as_it_is_written(equipoise, cases, monkeypatch):
    plain = equipoise("audit", cases, *AS_OF, "--to", "fhir")
    done = equipoise("audit", cases, *AS_OF, "--to", "fhir", "--validate")
    assert done.code == 0
    assert done.out == plain.out
    monkeypatch.setattr("equipoise.exports.fhir.audit.NOT_A_DEVICE", 1)
    with pytest.raises(InternalError, match=r"fhir\.resources refuses \(Device, entry 1\)"):
        equipoise("audit", cases, *AS_OF, "--to", "fhir", "--validate")


def test_validation_without_its_extra_is_one_line_and_exits_2(equipoise, cases, monkeypatch):
    real = importlib.import_module

    def refuse(name: str, *more: Any) -> Any:
        if name.split(".")[0] == "fhir":
            raise ModuleNotFoundError(name=name)
        return real(name, *more)

    monkeypatch.setattr(importlib, "import_module", refuse)
    done = equipoise("audit", cases, *AS_OF, "--to", "fhir", "--validate")
    assert done.code == 2
    assert done.out == ""
    assert done.err == (
        "equipoise: This needs fhir.resources.R4B, which is not installed. Install it with: pip install 'equipoise[fhir]'\n"
    )
    assert equipoise("audit", cases, *AS_OF, "--to", "fhir").code == 0
