"""A batch says of every case what a single audit says, in every format, with any number of processes, stopped and resumed."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from equipoise.audit.alternatives import options
from equipoise.audit.pipeline import Auditor
from equipoise.batch import desk, pool, sources
from equipoise.batch.output import safe_cell
from equipoise.batch.rows import COLUMNS
from equipoise.batch.run import run_batch
from equipoise.batch.settings import Settings
from equipoise.cases.formats import case_from_object
from equipoise.cases.record_files import read_path
from equipoise.errors import ConfigurationError, UsageError

DAY = dt.date(2026, 11, 1)
SETTINGS = Settings(as_of=DAY)
BASE = {
    "tumor": "NSCLC", "histology": "adenocarcinoma", "stage": "IVB", "ecog": 1, "prior_therapies": "none",
    "biomarkers": ["EGFR L858R"], "recommendations": ["osimertinib"],
}  # fmt: skip
CASES: list[dict] = [
    {"case_id": "a", **BASE},
    {"case_id": "b", **BASE},
    {"case_id": "=1+1", **BASE, "recommendations": ["vemurafenib"]},
    {"case_id": "d", **BASE, "recommendations": ["osimertinib", {"id": "second", "regimen": "=cmd|' /C calc'!A0"}]},
    {"case_id": "e", **BASE, "ecog": 9},
    {**BASE, "ward": "7"},
    {
        "case_id": "g",
        "tumor": "NSCLC",
        "as_of": "2019-05-01",
        "biomarkers": ["EGFR T790M"],
        "recommendations": "osimertinib",
    },
    {"case_id": "h", **BASE, "recommendations": []},
    {
        "case_id": "i",
        "text": "NSCLC stage IVB, ECOG 1, no prior therapy. EGFR L858R detected. Recommendation: osimertinib.",
    },
    {"case_id": "jü 1", **BASE},
    {"case_id": 17, **BASE},
]


def jsonl(path: Path, cases=CASES) -> Path:
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return path


def rows_of(folder: Path) -> list[dict]:
    return [row for file in sorted(folder.glob("part-*.parquet")) for row in pq.read_table(file).to_pylist()]


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(item.relative_to(folder)): item.read_bytes() for item in sorted(folder.rglob("*")) if item.is_file()}


def expected_of(cases) -> list[tuple]:
    """By case and recommendation, what the single audit says; an error for what cannot be read."""
    auditor = Auditor(as_of=DAY)
    found = []
    for place, data in enumerate(cases, start=1):
        default = f"case-{place}"
        try:
            verdicts = auditor.audit(case_from_object(data, default_id=default))
        except ValueError:
            raise
        except Exception as error:
            found.append((place, str(data.get("case_id", default)), "error", error.message, error.field))
            continue
        found.extend(
            (
                place, verdict.case_id, "ok", verdict.recommendation_id, verdict.recommendation, list(verdict.regimen), verdict.label,
                verdict.abstain, [reason.code for reason in verdict.reasons], list(verdict.missing_fields),
                [use.id for use in verdict.evidence], [use.id for use in verdict.evidence_against],
                [item.regimen for item in verdict.alternatives], list(verdict.ignored_fields), verdict.case_hash, str(verdict.as_of),
            )
            for verdict in verdicts
        )  # fmt: skip
    return found


def said_of(rows) -> list[tuple]:
    return [
        (row["place"], row["case_id"], "error", row["error"], row["error_field"])
        if row["state"] == "error"
        else (
            row["place"], row["case_id"], row["state"], row["recommendation_id"], row["recommendation"], row["regimen"], row["label"],
            row["abstain"], row["reasons"], row["missing_fields"], row["evidence"], row["evidence_against"], row["alternatives"],
            row["ignored_fields"], row["case_hash"], row["as_of"],
        )
        for row in rows
    ]  # fmt: skip


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


# --- the same as single audits -------------------------------------------------------------------------------------------------------


def test_rows_say_what_single_audits_say(tmp_path, out):
    run_batch(jsonl(tmp_path / "cases.jsonl"), out, SETTINGS, part_cases=4)
    rows = rows_of(out)
    assert said_of(rows) == expected_of(CASES)
    assert [row["line"] for row in rows] == [row["place"] for row in rows]
    assert {row["state"] for row in rows} == {"ok", "error"}
    assert list(pq.read_schema(next(iter(sorted(out.glob("part-*")))))).__len__() == len(COLUMNS)


def test_each_distinct_decision_key_is_audited_once(tmp_path, out, monkeypatch):
    judged = []
    original = Auditor.judge
    monkeypatch.setattr(Auditor, "judge", lambda self, *args: judged.append(1) or original(self, *args))
    cases = [{"case_id": f"p{place}", "mrn": place, **BASE, "ecog": place % 3} for place in range(60)]
    done = run_batch(jsonl(tmp_path / "cases.jsonl", cases), out, SETTINGS)
    assert len(judged) == 3 == done.summary["distinct_decision_keys"]
    assert done.summary["distinct_share"] == 0.05
    assert len({row["case_hash"] for row in rows_of(out)}) == 60


def test_parquet_and_csv_give_the_rows_of_json_lines(tmp_path, out):
    cases = [case for case in CASES if "text" not in case]
    texts = [
        {key: value if isinstance(value, str) else json.dumps(value) for key, value in case.items()} for case in cases
    ]
    names = sorted({name for case in texts for name in case})
    with (tmp_path / "cases.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(texts)
    pq.write_table(
        pa.Table.from_pylist([{name: case.get(name) for name in names} for case in texts]), tmp_path / "cases.parquet"
    )
    run_batch(jsonl(tmp_path / "cases.jsonl", cases), out / "jsonl", SETTINGS)
    run_batch(tmp_path / "cases.csv", out / "csv", SETTINGS, part_cases=3)
    run_batch(tmp_path / "cases.parquet", out / "parquet", SETTINGS, part_cases=3)
    without = ("line", "case_hash", "error")
    ours, by_csv, by_parquet = (
        [{key: value for key, value in row.items() if key not in without} for row in rows_of(out / name)]
        for name in ("jsonl", "csv", "parquet")
    )
    assert by_csv == ours
    assert by_parquet == ours
    assert rows_of(out / "csv")[0]["line"] == 2


def test_options_are_those_of_the_command_options(tmp_path, out, monkeypatch):
    nothing = {"case_id": "none", "tumor": "NSCLC", "age": 10}
    monkeypatch.setattr(desk, "list_options", lambda auditor, case: () if case.age.value else options(auditor, case))
    cases = [*CASES[:2], nothing, {"case_id": "bad", "ecog": 9}]
    done = run_batch(jsonl(tmp_path / "cases.jsonl", cases), out, Settings(as_of=DAY, options=True))
    rows = rows_of(out)
    auditor = Auditor(as_of=DAY)
    for case in cases[:2]:
        found = [
            (row["recommendation"], row["label"], row["level"], row["evidence"])
            for row in rows
            if row["case_id"] == case["case_id"]
        ]
        assert found == [(item.regimen, item.label, item.level, [item.id]) for item in options(auditor, case)]
        assert len(found) > 2
    assert [(row["case_id"], row["state"], row["reasons"]) for row in rows[-2:]] == [
        ("none", "nothing", ["no-option-on-file"]),
        ("bad", "error", []),
    ]
    assert done.summary["distinct_decision_keys"] == 2
    assert done.summary["distinct_share"] == round(2 / 3, 6)


def test_other_policies_and_days_reach_every_row(tmp_path, out):
    settings = Settings(as_of=dt.date(2017, 1, 1), policy="openmtb-2026")
    run_batch(jsonl(tmp_path / "cases.jsonl", CASES[:1]), out, settings)
    verdict = Auditor(as_of=settings.as_of, policy="openmtb-2026").audit(CASES[0])[0]
    (row,) = rows_of(out)
    assert (row["label"], row["as_of"], row["reasons"]) == (
        verdict.label,
        "2017-01-01",
        [item.code for item in verdict.reasons],
    )
    said = json.loads((out / "manifest.json").read_text())["settings"]
    assert (said["policy"], said["policy_hash"], said["evidence_hash"]) == (
        "openmtb-2026",
        verdict.policy_hash,
        verdict.evidence_hash,
    )


# --- records and notes -----------------------------------------------------------------------------------------------------------------


def bundle(number: int, drug: str | None) -> dict:
    patient = {"resourceType": "Patient", "id": f"p{number}", "gender": "female"}
    condition = {
        "resourceType": "Condition", "id": "c", "subject": {"reference": f"Patient/p{number}"},
        "code": {"coding": [{"system": "http://snomed.info/sct", "code": "254637007"}]},
    }  # fmt: skip
    order = {
        "resourceType": "MedicationRequest", "id": "m", "status": "active", "intent": "proposal",
        "subject": {"reference": f"Patient/p{number}"}, "medicationCodeableConcept": {"text": drug},
    }  # fmt: skip
    entries = [patient, condition, *([order] if drug else [])]
    return {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": entry} for entry in entries]}


def test_fhir_lines_give_a_row_a_recommendation_and_a_reason_where_there_is_nothing(tmp_path, out):
    path = jsonl(tmp_path / "bundles.ndjson", [bundle(1, "osimertinib"), bundle(2, None), bundle(3, "vemurafenib")])
    done = run_batch(path, out, SETTINGS)
    rows = rows_of(out)
    assert [(row["state"], row["regimen"], row["reasons"]) for row in rows if row["state"] == "nothing"] == [
        ("nothing", [], ["no-recommendation"])
    ]
    assert [row["regimen"] for row in rows if row["state"] == "ok"] == [["osimertinib"], ["vemurafenib"]]
    assert done.summary["nothing"] == {"no-recommendation": 1}


DNPM = {
    "patient": {"id": "d1", "gender": {"code": "male"}, "birthDate": "1960-01"},
    "diagnoses": [{"id": "x", "patient": {"id": "d1"}, "code": {"code": "C34.1", "system": "http://fhir.de/CodeSystem/bfarm/icd-10-gm"}}],
    "episodesOfCare": [],
    "carePlans": [{"id": "p", "patient": {"id": "d1"}, "medicationRecommendations": [
        {"id": "r", "medication": [{"code": "L01EB04", "system": "http://fhir.de/CodeSystem/bfarm/atc", "display": "Osimertinib"}]}]}],
}  # fmt: skip


def test_lines_of_records_are_read_one_by_one_as_audit_reads_the_file(tmp_path, out, monkeypatch):
    lines = [
        json.dumps(bundle(1, "osimertinib")),
        "no json",
        json.dumps(bundle(1, "afatinib")),
        "",
        json.dumps(bundle(2, "vemurafenib")),
    ]
    path = tmp_path / "bundles.ndjson"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    whole = list(read_path(path))
    monkeypatch.setattr(sources, "read_path", None)
    run_batch(path, out, SETTINGS)
    rows = rows_of(out)
    assert [(row["line"], row["state"]) for row in rows] == [(1, "ok"), (2, "error"), (3, "ok"), (5, "ok")]
    assert [row["regimen"] for row in rows] == [["osimertinib"], [], ["afatinib"], ["vemurafenib"]]
    ids = [row["case_id"] for row in rows if row["state"] == "ok"]
    assert ids == [item.case_id.replace("@2", "@3") for item in whole]
    auditor = Auditor(as_of=DAY)
    for row, item in zip([row for row in rows if row["state"] == "ok"], whole, strict=True):
        assert (row["label"], row["reasons"]) == (
            (verdict := auditor.audit(item.case)[0]).label,
            [reason.code for reason in verdict.reasons],
        )


def test_dnpm_lines_give_their_recommendations(tmp_path, out):
    run_batch(jsonl(tmp_path / "dnpm.ndjson", [DNPM, {**DNPM, "patient": {"id": "d2"}}]), out, SETTINGS)
    assert [(row["case_id"], row["regimen"], row["state"]) for row in rows_of(out)] == [
        ("d1", ["osimertinib"], "ok"), ("d2", ["osimertinib"], "ok"),
    ]  # fmt: skip


def test_lines_of_single_resources_are_put_together(tmp_path, out):
    resources = [entry["resource"] for entry in bundle(1, "osimertinib")["entry"]]
    run_batch(jsonl(tmp_path / "resources.ndjson", resources), out, SETTINGS)
    assert [(row["state"], row["regimen"]) for row in rows_of(out)] == [("ok", ["osimertinib"])]


def test_a_folder_of_notes_is_read_one_case_a_file(tmp_path, out):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "second.txt").write_text(
        "NSCLC stage IVB, ECOG 1, no prior therapy. EGFR L858R. Recommendation: osimertinib."
    )
    (folder / "first.txt").write_text("NSCLC stage IVB. KRAS G12C. Recommendation: vemurafenib.")
    (folder / "third.txt").write_bytes(b"NSCLC \xff")
    run_batch(folder, out, SETTINGS)
    rows = rows_of(out)
    auditor = Auditor(as_of=DAY)
    texts = [(folder / f"{name}.txt").read_text() for name in ("first", "second")]
    said = [auditor.audit({"text": text})[0].label for text in texts]
    assert [(row["case_id"], row["label"]) for row in rows[:2]] == list(zip(("first", "second"), said, strict=True))
    assert said[0] != said[1]
    assert rows[2]["state"] == "error"
    assert "UTF-8" in rows[2]["error"]


# --- what is wrong stops nothing -----------------------------------------------------------------------------------------------------


def test_bad_lines_are_rows_with_their_place_and_cost_only_themselves(tmp_path, out):
    good = json.dumps(CASES[0])
    path = tmp_path / "cases.jsonl"
    path.write_bytes(
        f'{good}\n\n{{"case_id": "x", \n[1]\n{good}\nnull\n{{"case_id":"z","stage":"IX"}}\n'.encode()
        + b'{"case_id":"\xff"}\n'
        b'{"case_id":"n","tumor":"NS\x00CLC"}\n' + good.encode()
    )
    done = run_batch(path, out, SETTINGS)
    rows = rows_of(out)
    assert [(row["place"], row["line"], row["state"]) for row in rows] == [
        (1, 1, "ok"), (2, 3, "error"), (3, 4, "error"), (4, 5, "ok"), (5, 6, "error"), (6, 7, "error"), (7, 8, "error"),
        (8, 9, "error"), (9, 10, "ok"),
    ]  # fmt: skip
    assert rows[4]["error"].startswith("expected an object")
    assert (rows[5]["case_id"], rows[5]["error_field"]) == ("z", "stage")
    assert all(row["label"] == "" and row["abstain"] is None for row in rows if row["state"] == "error")
    assert done.summary["rows"] == {"ok": 3, "nothing": 0, "error": 6}
    assert sum(done.summary["errors"].values()) == 6
    assert sum(done.summary["labels"].values()) == 3
    assert "IX" not in done.text


def test_a_bad_record_of_csv_costs_only_itself(tmp_path, out):
    path = tmp_path / "cases.csv"
    head = "case_id,tumor,biomarkers,recommendation\r\n"
    path.write_bytes(
        head.encode()
        + b'a,NSCLC,EGFR L858R,osimertinib\r\nb,NSCLC,"EGFR,\r\nc,NSCLC,EGFR L858R,osimertinib,more,and more\r\n'
        b"d,NSC\xffLC,EGFR L858R,osimertinib\r\n\r\ne,NSCLC,EGFR L858R,vemurafenib\r\n"
    )
    run_batch(path, out, SETTINGS)
    assert [(row["line"], row["case_id"], row["state"]) for row in rows_of(out)] == [
        (2, "a", "ok"), (3, "case-2", "error"), (4, "case-3", "error"), (5, "case-4", "error"), (7, "e", "ok"),
    ]  # fmt: skip


def test_long_csv_is_read_in_windows_and_lines_stay_right(tmp_path, out):
    path = tmp_path / "cases.csv"
    body = "".join(f'p{place},NSCLC,EGFR L858R,"osimer\ntinib"\n' for place in range(4000))
    path.write_text(f"case_id,tumor,biomarkers,recommendation\n{body}", encoding="utf-8")
    run_batch(path, out, SETTINGS)
    rows = rows_of(out)
    assert [row["case_id"] for row in rows] == [f"p{place}" for place in range(4000)]
    assert [row["line"] for row in rows] == [2 + 2 * place for place in range(4000)]


def test_a_defect_of_ours_is_a_row_too(tmp_path, out, monkeypatch):
    original = Auditor.judge

    def judge(self, case, recommendation):
        if case.ecog.value == {2}:
            raise RuntimeError
        return original(self, case, recommendation)

    monkeypatch.setattr(Auditor, "judge", judge)
    cases = [{"case_id": f"p{place}", **BASE, "ecog": place} for place in (1, 2, 3)]
    run_batch(jsonl(tmp_path / "cases.jsonl", cases), out, SETTINGS)
    rows = rows_of(out)
    assert [row["state"] for row in rows] == ["ok", "error", "ok"]
    assert "RuntimeError" in rows[1]["error"]


# --- written forms ---------------------------------------------------------------------------------------------------------------------


def test_csv_holds_no_cell_that_a_spreadsheet_computes(tmp_path, out):
    run_batch(jsonl(tmp_path / "cases.jsonl"), out, SETTINGS, write="csv")
    text = (out / "part-00000.csv").read_bytes().decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == [column.name for column in COLUMNS]
    cells = [cell for row in rows[1:] for cell in row]
    assert not [cell for cell in cells if cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert "'=1+1" in cells
    assert "'=cmd|' /C calc'!A0" in cells


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("osimertinib", "osimertinib"), ("=1", "'=1"), ("  @x", "'  @x"), ("\tx", "' x"), ("a\nb", "a b"), ("\uff1d1", "'\uff1d1"),
        ("", ""), ("a=b", "a=b"), ("-", "'-"),
    ],
)  # fmt: skip
def test_a_cell_is_made_safe(text, safe):
    assert safe_cell(text) == safe


def test_json_lines_and_csv_hold_the_rows_of_parquet(tmp_path, out):
    path = jsonl(tmp_path / "cases.jsonl")
    for write in ("parquet", "jsonl", "csv"):
        run_batch(path, out / write, SETTINGS, write=write)
    rows = rows_of(out / "parquet")
    assert [json.loads(line) for line in (out / "jsonl" / "part-00000.jsonl").read_text().splitlines()] == rows
    table = list(csv.DictReader(io.StringIO((out / "csv" / "part-00000.csv").read_bytes().decode(), newline="")))
    assert [row["label"] for row in table] == [row["label"] for row in rows]
    assert [row["reasons"] for row in table] == ["; ".join(row["reasons"]) for row in rows]


# --- processes, stopping and going on -----------------------------------------------------------------------------------------------------


def many(path: Path, count: int = 240) -> Path:
    drugs = ("osimertinib", "vemurafenib", "alectinib")
    return jsonl(
        path,
        [
            {"case_id": f"p{place}", **BASE, "ecog": place % 4, "recommendations": [drugs[place % 3]]}
            for place in range(count)
        ],
    )


def test_two_processes_write_the_bytes_of_one(tmp_path, out, monkeypatch):
    path = many(tmp_path / "cases.jsonl")
    run_batch(path, out / "one", SETTINGS, part_cases=100, workers=1)
    monkeypatch.setattr(pool, "START_AT", 2)
    monkeypatch.setattr(pool, "CHUNK", 3)
    started = []
    original = pool.ProcessPoolExecutor
    monkeypatch.setattr(
        pool, "ProcessPoolExecutor", lambda *args, **kwargs: started.append(1) or original(*args, **kwargs)
    )
    run_batch(path, out / "two", SETTINGS, part_cases=100, workers=2)
    assert started == [1]
    assert files_of(out / "two") == files_of(out / "one")


class Stop(Exception):
    """Stands for whatever ends a batch before its time."""


def test_a_batch_that_was_stopped_goes_on_and_ends_with_the_same_bytes(tmp_path, out):
    path = many(tmp_path / "cases.jsonl")
    run_batch(path, out / "whole", SETTINGS, part_cases=50)

    def stop(cases):
        if cases >= 100:
            raise Stop

    with pytest.raises(Stop):
        run_batch(path, out / "stopped", SETTINGS, part_cases=50, progress=stop)
    there = {name for name in files_of(out / "stopped") if name.startswith("part-")}
    assert {"part-00000.parquet", "part-00001.parquet"} <= there
    assert "summary.json" not in files_of(out / "stopped")
    done = run_batch(path, out / "stopped", SETTINGS, part_cases=50)
    assert done.resumed >= 2
    assert done.cases <= 140
    assert files_of(out / "stopped") == files_of(out / "whole")


def test_a_batch_that_was_killed_goes_on_and_ends_with_the_same_bytes(tmp_path, out):
    path = many(tmp_path / "cases.jsonl", 6000)
    run_batch(path, out / "whole", SETTINGS, part_cases=20)
    code = (
        "import datetime as dt\nfrom equipoise.batch.run import run_batch\nfrom equipoise.batch.settings import Settings\n"
        f"run_batch({str(path)!r}, {str(out / 'killed')!r}, Settings(as_of=dt.date(2026, 11, 1)), part_cases=20)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], env=os.environ)
    manifest = out / "killed" / "manifest.json"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (manifest.exists() and len(json.loads(manifest.read_bytes())["parts"]) > 3):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = json.loads(manifest.read_bytes())
    assert not kept["complete"]
    done = run_batch(path, out / "killed", SETTINGS, part_cases=20)
    assert done.resumed == len(kept["parts"]) > 3
    assert files_of(out / "killed") == files_of(out / "whole")


def test_a_complete_batch_is_not_run_again(tmp_path, out):
    path = many(tmp_path / "cases.jsonl")
    first = run_batch(path, out, SETTINGS, part_cases=100)
    before = files_of(out)
    again = run_batch(path, out, SETTINGS, part_cases=100)
    assert (again.cases, again.resumed, again.summary, again.text) == (0, 3, first.summary, first.text)
    assert files_of(out) == before


@pytest.mark.parametrize("name", ["part-00001.parquet", "summary.json"])
def test_a_file_that_was_changed_afterwards_is_made_again(tmp_path, out, name):
    path = many(tmp_path / "cases.jsonl")
    run_batch(path, out, SETTINGS, part_cases=100)
    before = files_of(out)
    (out / name).write_bytes(b"changed")
    run_batch(path, out, SETTINGS, part_cases=100)
    assert files_of(out) == before


def test_another_batch_is_not_mixed_in(tmp_path, out):
    path = many(tmp_path / "cases.jsonl")
    run_batch(path, out, SETTINGS)
    for settings, words in (
        (Settings(as_of=DAY, policy="openmtb-2026"), "policy was 'label', is 'openmtb-2026'"),
        (Settings(as_of=dt.date(2026, 1, 1)), "as_of was '2026-11-01', is '2026-01-01'"),
        (Settings(as_of=DAY, options=True), "options was False, is True"),
    ):
        with pytest.raises(UsageError, match=words):
            run_batch(path, out, settings)
    many(path, 10)
    with pytest.raises(UsageError, match="input sha256 was"):
        run_batch(path, out, SETTINGS)
    done = run_batch(path, out, SETTINGS, restart=True)
    assert done.summary["cases"] == 10
    assert len(rows_of(out)) == 10


def test_a_folder_with_other_files_is_left_alone(tmp_path, out):
    out.mkdir()
    (out / "thesis.docx").write_bytes(b"x")
    with pytest.raises(UsageError, match="found other files"):
        run_batch(many(tmp_path / "cases.jsonl"), out, SETTINGS, restart=True)
    assert list(files_of(out)) == ["thesis.docx"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"write": "xlsx"}, "--write: expected one of parquet, csv, jsonl, got 'xlsx'"),
        ({"engine": "spark"}, "--engine: expected one of local, ray, got 'spark'"),
        ({"workers": 0}, "--workers: expected a number from 1 up, got 0"),
        ({"part_cases": 0}, "--part-cases: expected a number from 1 up, got 0"),
    ],
)
def test_wrong_arguments_are_named(tmp_path, out, arguments, words):
    with pytest.raises(UsageError, match=words):
        run_batch(many(tmp_path / "cases.jsonl"), out, SETTINGS, **arguments)
    assert not out.exists()


def test_what_is_not_there_is_named(tmp_path, out):
    with pytest.raises(UsageError, match="no such file"):
        run_batch(tmp_path / "nothing.jsonl", out, SETTINGS)
    with pytest.raises(UsageError, match="unknown policy"):
        run_batch(many(tmp_path / "cases.jsonl"), out, Settings(as_of=DAY, policy="none"))


def test_an_overlay_counts_and_stands_in_the_evidence_hash(tmp_path, out):
    path = jsonl(tmp_path / "cases.jsonl", CASES[:1])
    plain = run_batch(path, out / "plain", SETTINGS).summary["settings"]["evidence_hash"]
    wrong = tmp_path / "overlay.yaml"
    wrong.write_text("- nonsense", encoding="utf-8")
    with pytest.raises(ConfigurationError):
        run_batch(path, out / "wrong", Settings(as_of=DAY, overlays=(str(wrong),)))
    assert len(plain) == 16


def test_an_empty_input_is_an_empty_batch(tmp_path, out):
    done = run_batch(jsonl(tmp_path / "cases.jsonl", []), out, SETTINGS)
    assert done.summary["cases"] == 0
    assert done.summary["distinct_share"] is None
    assert rows_of(out) == []


# --- the summary ------------------------------------------------------------------------------------------------------------


def test_the_summary_adds_up(tmp_path, out):
    done = run_batch(jsonl(tmp_path / "cases.jsonl"), out, SETTINGS, part_cases=3)
    rows = rows_of(out)
    data = done.summary
    assert data == json.loads((out / "summary.json").read_text())
    assert done.text == (out / "summary.txt").read_text()
    ok = [row for row in rows if row["state"] == "ok"]
    assert data["judged"] == len(ok) == sum(data["labels"].values())
    assert data["labels"] == {label: sum(row["label"] == label for row in ok) for label in data["labels"]}
    assert data["abstained"] == sum(row["abstain"] for row in ok)
    assert data["labels_by_drug"]["osimertinib"]["Supported"] == sum(
        row["label"] == "Supported" and "osimertinib" in row["regimen"] for row in ok
    )
    assert sum(sum(counts.values()) for counts in data["labels_by_year"].values()) == len(ok)
    assert set(data["labels_by_year"]) == {"2019", "2026"}
    assert data["labels_by_biomarker"]["EGFR:T790M"] == {
        label: int(label == next(row["label"] for row in ok if row["case_id"] == "g")) for label in data["labels"]
    }
    assert data["missing_fields"] == {
        name: sum(name in row["missing_fields"] for row in ok) for name in data["missing_fields"]
    }
    assert data["distinct_decision_keys"] == len({row["decision_key"] for row in ok})
    assert f"{data['distinct_decision_keys']} distinct decision keys (distinct share" in done.text


# --- public files -----------------------------------------------------------------------------------------------------------


@pytest.mark.data
def test_every_public_record_gives_the_rows_of_its_audit(data_dir, tmp_path, out):
    """Each file by itself, and all of them as lines of one file."""
    auditor = Auditor(as_of=DAY)
    files = sorted([*(data_dir / "dnpm").glob("*.json"), *(data_dir / "fhir").glob("*.json")])
    assert len(files) >= 9
    lines, rows = [], []
    for number, file in enumerate(files):
        run_batch(file, out / str(number), SETTINGS)
        own = rows_of(out / str(number))
        expected = []
        for item in read_path(file):
            if item.record is not None and item.record.nothing is not None:
                expected.append(("nothing", "", [item.record.nothing.value]))
            elif item.case is not None:
                expected.extend(
                    ("ok", verdict.label, [reason.code for reason in verdict.reasons])
                    for verdict in auditor.audit(item.case)
                )
        assert [(row["state"], row["label"], row["reasons"]) for row in own] == expected
        data = json.loads(file.read_bytes())
        if isinstance(data, dict):
            lines.append(json.dumps(data))
            rows.extend(own)
    assert len(lines) >= 8
    path = tmp_path / "all.ndjson"
    path.write_text("\n".join(lines), encoding="utf-8")
    run_batch(path, out / "all", SETTINGS)
    without = ("place", "line", "case_id", "case_hash")
    assert [{key: value for key, value in row.items() if key not in without} for row in rows_of(out / "all")] == [
        {key: value for key, value in row.items() if key not in without} for row in rows
    ]
