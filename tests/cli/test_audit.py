"""`equipoise audit`: verdicts in input order, JSON alone on standard output, exit codes, messages, input shown inert."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

GOOD = {
    "case_id": "good",
    "tumor": "NSCLC",
    "histology": "adenocarcinoma",
    "stage": "IVB",
    "ecog": 1,
    "prior_therapies": "none",
    "biomarkers": ["EGFR L858R"],
    "recommendations": ["osimertinib", "vemurafenib"],
}
SMALL = {**GOOD, "case_id": "small", "recommendations": ["osimertinib"]}
BROKEN = {"case_id": "bad", "ecog": 9, "recommendations": ["osimertinib"]}
NOTHING = {"case_id": "nothing", "tumor": "NSCLC"}
KEYS = {
    "schema_version",
    "engine_version",
    "case_id",
    "recommendation_id",
    "label",
    "abstain",
    "reasons",
    "missing_fields",
    "what_if",
    "context_gaps",
    "evidence",
    "evidence_against",
    "caveats",
    "alternatives",
    "spans",
    "policy",
    "policy_hash",
    "evidence_hash",
    "case_hash",
    "jurisdiction",
    "as_of",
}
DAY = ("--as-of", "2026-11-01")


def lines(*cases) -> bytes:
    return "".join(json.dumps(case) + "\n" for case in cases).encode()


@pytest.fixture
def file(tmp_path):
    def write(*cases, name="cases.jsonl"):
        path = tmp_path / name
        path.write_bytes(lines(*cases))
        return path

    return write


def objects(out: str) -> list[dict]:
    return [json.loads(line) for line in out.splitlines()]


def test_one_object_a_recommendation_in_input_order_and_nothing_else(equipoise, file):
    done = equipoise("audit", file(GOOD, SMALL, NOTHING), "--json", *DAY)
    rows = objects(done.out)
    assert done.code == 0
    assert done.err == ""
    assert [(row["case_id"], row["recommendation_id"], row["label"]) for row in rows] == [
        ("good", "1", "Supported"),
        ("good", "2", "Unsupported"),
        ("small", "1", "Supported"),
        ("nothing", "", "Insufficient Information"),
    ]
    assert all(set(row) >= KEYS for row in rows)
    assert all(
        row["as_of"] == "2026-11-01" and row["policy"] == "label" and row["jurisdiction"] == "US" for row in rows
    )
    assert all(set(reason) == {"code", "text"} for row in rows for reason in row["reasons"])
    assert {"id", "level", "source"} <= set(rows[0]["evidence"][0])


def test_a_case_without_a_recommendation_gets_one_verdict_that_abstains(equipoise, file):
    (row,) = objects(equipoise("audit", file(NOTHING), "--json", *DAY).out)
    assert row["label"] == "Insufficient Information"
    assert row["abstain"] is True
    assert [reason["code"] for reason in row["reasons"]] == ["input-missing"]
    assert row["missing_fields"] == ["recommendations"]


def test_what_if_cells_in_json_have_fields_value_and_label(equipoise, file):
    case = {key: value for key, value in SMALL.items() if key != "biomarkers"}
    (row,) = objects(equipoise("audit", file(case), "--json", *DAY).out)
    assert row["label"] == "Insufficient Information"
    assert row["what_if"]
    assert all({"fields", "value", "label"} <= set(cell) for cell in row["what_if"])


def test_an_unreadable_case_keeps_its_place_and_the_rest_is_done(equipoise, file):
    path = file(GOOD, BROKEN, SMALL)
    done = equipoise("audit", path, "--json", *DAY)
    rows = objects(done.out)
    assert done.code == 2
    assert [row["case_id"] for row in rows] == ["good", "good", "bad", "small"]
    assert "label" not in rows[2]
    assert (rows[2]["line"], rows[2]["field"]) == (2, "ecog")
    assert rows[2]["error"].startswith(f"{path}, line 2, field ecog: expected an ECOG performance status from 0 to 4")


def test_the_same_without_json_says_it_on_standard_error(equipoise, file):
    path = file(GOOD, BROKEN, SMALL)
    done = equipoise("audit", path, *DAY)
    assert done.code == 2
    assert f"equipoise: {path}, line 2, field ecog: expected an ECOG" in done.err
    assert done.out.index("good") < done.out.index("small")
    assert "SUPPORTED" in done.out
    assert "UNSUPPORTED" in done.out


def test_broken_lines_of_every_kind_in_one_file(equipoise, tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_bytes(lines(SMALL) + b"{broken\n\xff\n[1]\n" + lines(SMALL))
    done = equipoise("audit", path, "--json", *DAY)
    rows = objects(done.out)
    assert done.code == 2
    assert ["error" in row for row in rows] == [False, True, True, True, False]
    assert [row["line"] for row in rows[1:4]] == [2, 3, 4]


def test_standard_input(equipoise):
    done = equipoise("audit", "-", "--json", *DAY, stdin=lines(SMALL, BROKEN, GOOD))
    assert done.code == 2
    assert [row["case_id"] for row in objects(done.out)] == ["small", "bad", "good", "good"]
    assert "standard input, line 2, field ecog" in objects(done.out)[1]["error"]
    assert [
        row["label"] for row in objects(equipoise("audit", "-", "--json", *DAY, stdin=json.dumps(SMALL).encode()).out)
    ] == ["Supported"]


def test_several_files_in_their_order_and_a_missing_one_among_them(equipoise, file, tmp_path):
    one, two = file(SMALL, name="one.jsonl"), file(GOOD, name="two.jsonl")
    done = equipoise("audit", two, one, "--json", *DAY)
    assert [row["case_id"] for row in objects(done.out)] == ["good", "good", "small"]
    done = equipoise("audit", one, tmp_path / "none.jsonl", two, "--json", *DAY)
    assert done.code == 2
    assert [row["case_id"] for row in objects(done.out)] == ["small", "good", "good"]
    assert f"{tmp_path / 'none.jsonl'}: no such file" in done.err


@pytest.mark.parametrize(
    ("gate", "case", "code"),
    [
        ("unsupported", GOOD, 1),
        ("unsupported", SMALL, 0),
        ("unsupported", NOTHING, 0),
        ("insufficient-information", NOTHING, 1),
        ("insufficient-information", SMALL, 0),
        ("abstain", NOTHING, 1),
        ("abstain", GOOD, 0),
        ("partially-supported", {**SMALL, "ecog": 3}, 1),
        ("partially-supported", SMALL, 0),
    ],
)
def test_fail_on(equipoise, file, gate, case, code):
    assert equipoise("audit", file(case), "--json", "--fail-on", gate, *DAY).code == code


def test_labels_do_not_change_the_exit_code_and_bad_input_goes_before_a_gate(equipoise, file):
    assert equipoise("audit", file(GOOD, NOTHING), "--json", *DAY).code == 0
    assert equipoise("audit", file(GOOD, BROKEN), "--json", "--fail-on", "unsupported", *DAY).code == 2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--policy", "nonsense"), "unknown policy 'nonsense'; expected one of label, openmtb-2026, or a YAML file"),
        (("--policy", "none.yaml"), "none.yaml: cannot be read: No such file or directory"),
        (("--as-of", "2026-13-01"), "--as-of: expected a date as YYYY-MM-DD, got '2026-13-01'"),
        (("--as-of", "today"), "--as-of: expected a date as YYYY-MM-DD, got 'today'"),
        (("--jurisdiction", "XX"), "unknown jurisdiction 'XX'; expected one of"),
        (("--overlay", "none.yaml"), "none.yaml: cannot be read"),
        (("--fail-on", "sometimes"), "--fail-on: expected one of unsupported"),
    ],
)
def test_an_argument_that_names_nothing_is_one_message_and_exit_2(equipoise, file, arguments, expected):
    done = equipoise("audit", file(SMALL), "--json", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert done.err.startswith("equipoise: ")
    assert expected in done.err


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("none.json", None, "no such file"),
        ("cut.json", b'{"case_id": ', "line 1: expected JSON"),
        ("latin.json", b'{"case_id":\n "M\xfcller"}', "line 2: expected UTF-8 text, found the byte 0xfc"),
        ("wrong.parquet", b"text", "expected a Parquet file"),
        ("head.csv", b"", "line 1: expected a header line"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_message_and_exit_2(equipoise, tmp_path, name, data, expected):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    done = equipoise("audit", path, "--json")
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith(f"equipoise: {path}")
    assert done.err.count("\n") == 1
    assert expected in done.err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id: mine\n", "version"),
        ("[1, 2", "expected YAML"),
        (
            "id: mine\nversion: 1\ntitle: t\ndescription: d\nsources: []\ndemands: [shoe_size]\n",
            "demands: unknown field 'shoe_size'",
        ),
    ],
)
def test_a_policy_file_that_breaks_its_contract(equipoise, file, tmp_path, text, expected):
    policy = tmp_path / "mine.yaml"
    policy.write_text(text, encoding="utf-8")
    done = equipoise("audit", file(SMALL), "--policy", policy)
    assert done.code == 2
    assert str(policy) in done.err
    assert expected in done.err


def test_an_own_policy_and_the_other_shipped_one_and_eu(equipoise, file, tmp_path):
    policy = tmp_path / "mine.yaml"
    policy.write_text(
        "id: mine\nversion: 1\ntitle: t\ndescription: d\nsources: [s]\ndemands: [age]\n", encoding="utf-8"
    )
    (row,) = objects(equipoise("audit", file(SMALL), "--json", "--policy", policy, *DAY).out)
    assert (row["policy"], row["label"], row["missing_fields"]) == ("mine", "Insufficient Information", ["age"])
    (row,) = objects(equipoise("audit", file(SMALL), "--json", "--policy", "openmtb-2026", *DAY).out)
    assert (row["policy"], row["label"]) == ("openmtb-2026", "Supported")
    (row,) = objects(equipoise("audit", file(SMALL), "--json", "--jurisdiction", "eu", *DAY).out)
    assert row["jurisdiction"] == "EU"


def test_an_overlay_changes_the_evidence_hash_and_counts(equipoise, file, tmp_path):
    overlay = tmp_path / "hospital.yaml"
    overlay.write_text(
        "- id: ours.osimertinib.not-here\n  regimen: osimertinib\n  direction: not-indicated\n  level: A\n  jurisdiction: US\n"
        "  approval: none\n"
        "  valid_from: 2020-01-01\n  requires: [{biomarker: EGFR:L858R}]\n  statement: Not on our formulary.\n"
        "  sources: [{kind: guideline, title: Formulary, id: F1, date: 2026-01-01}]\n"
        "  verified: {state: verified, text: formulary of 2026, on: 2026-01-02}\n",
        encoding="utf-8",
    )
    path = file(SMALL)
    (plain,) = objects(equipoise("audit", path, "--json", *DAY).out)
    (other,) = objects(equipoise("audit", path, "--json", "--overlay", overlay, *DAY).out)
    assert (plain["label"], other["label"]) == ("Supported", "Unsupported")
    assert plain["evidence_hash"] != other["evidence_hash"]
    overlay.write_text("- id: x\n  regimen: nonsense\n", encoding="utf-8")
    done = equipoise("audit", path, "--overlay", overlay)
    assert done.code == 2
    assert "hospital" in done.err


def test_a_case_may_name_its_own_day(equipoise, file):
    case = {**SMALL, "as_of": "2017-01-01"}
    (row,) = objects(equipoise("audit", file(case), "--json", *DAY).out)
    assert row["as_of"] == "2017-01-01"
    assert row["label"] != "Supported"


def test_a_report_page_is_written_and_nothing_else_is_printed(equipoise, file, tmp_path):
    page = tmp_path / "deep" / "report.html"
    done = equipoise("audit", file(GOOD, BROKEN), "--json", "--html", page, *DAY)
    assert done.code == 2
    assert len(objects(done.out)) == 3
    text = page.read_text(encoding="utf-8")
    assert "osimertinib" in text
    done = equipoise("audit", file(SMALL), "--html", tmp_path, *DAY)
    assert done.code == 2
    assert "cannot be written" in done.err


ESCAPES = "\x1b[31mred\x1b[0m \x9b2J \u202egnp.exe \x07 \r over"


@pytest.mark.parametrize(
    "field", ["case_id", "recommendations", "biomarkers", "ecog", "histology", "tumor", "sex", "unknown\x1b[2Jfield"]
)
@pytest.mark.parametrize("json_flag", [(), ("--json",)])
def test_terminal_escapes_in_the_input_are_shown_inert(equipoise, file, field, json_flag):
    done = equipoise("audit", file({**SMALL, field: ESCAPES}), *json_flag, *DAY)
    for char in "\x1b\x9b\u202e\x07\r":
        assert char not in done.out
        assert char not in done.err


def test_half_a_surrogate_pair_is_one_unreadable_case(equipoise, tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b'{"case_id": "\\ud800", "recommendations": "osimertinib"}\n' + lines(SMALL))
    done = equipoise("audit", path, "--json", *DAY)
    assert done.code == 2
    first, second = objects(done.out)
    assert "expected Unicode text" in first["error"]
    assert second["label"] == "Supported"


def test_as_a_process_in_a_pipe(tmp_path, file):
    path = file(GOOD)
    done = subprocess.run(
        [sys.executable, "-c", "from equipoise.cli.main import run; run()", "audit", str(path), "--json", *DAY],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert [row["label"] for row in objects(done.stdout)] == ["Supported", "Unsupported"]
    assert done.stderr == ""
