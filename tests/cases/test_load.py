"""One case in four file formats and two sets of names is one case; what cannot be read says where, and loses nothing else."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from equipoise.cases.load import ReadItem, read_bytes, read_file
from equipoise.cases.model import Case
from equipoise.errors import UsageError

OWN: list[dict[str, Any]] = [
    {
        "case_id": "a",
        "as_of": "2026-11-01",
        "age": 63,
        "sex": "female",
        "ecog": 1,
        "tumor": "NSCLC",
        "histology": "adenocarcinoma",
        "stage": "IVB",
        "stage_edition": 8,
        "setting": "metastatic",
        "brain_mets": False,
        "biomarkers": [
            {"name": "EGFR L858R", "status": "present"},
            {"name": "ALK fusion", "status": "absent", "assay": "FISH", "date": "2026-09-01"},
        ],
        "biomarkers_complete": True,
        "pdl1": {"tps": 60},
        "tmb": 8.5,
        "msi": "MSS",
        "prior_therapies": [
            {"drugs": "osimertinib", "line": 1, "setting": "metastatic", "outcome": "progressed", "ended": "2026-08-01"}
        ],
        "comorbidities": {"interstitial lung disease": False},
        "comedications": {"strong CYP3A inducer": True},
        "qtc_ms": 450,
        "recommendations": [
            {
                "id": "r1",
                "regimen": "amivantamab + carboplatin + pemetrexed",
                "line": 2,
                "level": "A",
                "citations": ["PMID:37879444"],
            }
        ],
    },
    {
        "case_id": "b",
        "ecog": 2,
        "tumor": "NSCLC",
        "histology": "squamous cell carcinoma",
        "stage": "IIIA",
        "biomarkers": [],
        "pdl1": {"tps": 0},
        "prior_therapies": [],
        "recommendations": [
            {"id": "x", "regimen": "durvalumab", "setting": "consolidation"},
            {"id": "y", "regimen": "observation"},
        ],
    },
    {"case_id": "c", "tumor": "melanoma", "recommendations": [{"id": "1", "regimen": "vemurafenib"}]},
]
OPENMTB: list[dict[str, Any]] = [
    {
        "case_id": "m1",
        "patient_summary": "not read",
        "genomic_alteration": "EGFR T790M",
        "profile_key": "not read",
        "proposed_therapy": "osimertinib",
        "stage": "Stage IV",
        "ecog": 3,
        "prior_therapy": "Erlotinib (progressed)",
        "histology": "Lung adenocarcinoma",
        "pdl1": "< 1%",
        "brain_mets": False,
        "treatment_setting": "metastatic",
        "age": 46,
        "sex": "male",
    },
    {
        "case_id": "m2",
        "patient_summary": "not read",
        "genomic_alteration": "KRAS G12C",
        "proposed_therapy": "sotorasib",
        "stage": "Stage III",
        "ecog": 1,
        "prior_therapy": "none",
        "histology": "NSCLC NOS",
        "pdl1": "not tested",
        "brain_mets": True,
        "treatment_setting": "locally advanced",
        "age": 71,
        "sex": "female",
    },
    {"case_id": "m3", "genomic_alteration": "ALK fusion", "proposed_therapy": "alectinib"},
]


def write_json(path: Path, cases: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps(cases), encoding="utf-8")
    return path


def write_jsonl(path: Path, cases: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return path


def write_csv(path: Path, cases: list[dict[str, Any]]) -> Path:
    names = list(dict.fromkeys(name for case in cases for name in case))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for case in cases:
            writer.writerow([_cell(case.get(name)) for name in names])
    return path


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, list | dict | bool) else str(value)


def write_parquet(path: Path, cases: list[dict[str, Any]]) -> Path:
    pq.write_table(pa.Table.from_pylist(cases), path)
    return path


def write_flat_parquet(path: Path, cases: list[dict[str, Any]]) -> Path:
    """Nested elements as JSON text, the way a table tool writes them."""
    flat = [
        {name: json.dumps(value) if isinstance(value, list | dict) else value for name, value in case.items()}
        for case in cases
    ]
    pq.write_table(pa.Table.from_pylist(flat), path)
    return path


WRITERS = {
    "json": ("cases.json", write_json),
    "jsonl": ("cases.jsonl", write_jsonl),
    "ndjson": ("cases.ndjson", write_jsonl),
    "csv": ("cases.csv", write_csv),
    "parquet": ("cases.parquet", write_parquet),
    "flat parquet": ("flat.parquet", write_flat_parquet),
    "json lines without the ending": ("cases.txt", write_jsonl),
    "upper-case ending": ("CASES.JSONL", write_jsonl),
}


def essence(case: Case) -> Case:
    """A case without the words it was read from and without names of conditions that are unknown."""
    known = {name: state for name, state in case.conditions.items() if state.known}
    return dataclasses.replace(case, content_hash="", conditions=known)


def only_cases(items: list[ReadItem]) -> list[Case]:
    assert [item.error for item in items] == [None] * len(items)
    return [essence(item.case) for item in items if item.case is not None]


@pytest.mark.parametrize("form", list(WRITERS))
@pytest.mark.parametrize("cases", [OWN, OPENMTB], ids=["own", "openmtb"])
def test_every_file_format_gives_the_same_cases(tmp_path, cases, form):
    name, write = WRITERS[form]
    expected = only_cases(list(read_bytes(json.dumps(cases).encode())))
    assert only_cases(list(read_file(write(tmp_path / name, cases)))) == expected
    assert [case.case_id for case in expected] == [case["case_id"] for case in cases]


def test_a_single_object_a_list_and_a_document_with_cases_are_read_alike():
    one = json.dumps(OWN[0])
    for text in (one, f"[{one}]", f'{{"cases": [{one}]}}', f"\ufeff{one}", f"\n\n{one}\n"):
        assert only_cases(list(read_bytes(text.encode()))) == only_cases(list(read_bytes(one.encode())))


def test_case_hash_follows_the_content_and_not_the_order_of_fields():
    hashes = [
        next(iter(read_bytes(json.dumps(case).encode()))).case.content_hash
        for case in (OWN[0], dict(reversed(OWN[0].items())), OWN[1])
    ]
    assert hashes[0] == hashes[1] != hashes[2]


def test_places_lines_and_ids(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text('{"case_id": "a"}\n\n{"ecog": 1}\n{"case_id": 7}\n', encoding="utf-8")
    items = list(read_file(path))
    assert [(item.place, item.line, item.case_id) for item in items] == [(1, 1, "a"), (2, 3, "case-2"), (3, 4, "7")]


GOOD = '{"case_id": "good", "recommendations": ["osimertinib"]}'
BROKEN_LINES = [
    pytest.param('{"case_id": "x", ', None, "expected one JSON object a line", id="cut off"),
    pytest.param("[1, 2", None, "expected one JSON object a line", id="no JSON"),
    pytest.param("[1, 2]", None, "expected an object with the fields of a case, got list", id="a list"),
    pytest.param("17", None, "expected an object with the fields of a case, got int", id="a number"),
    pytest.param('{"ecog": 7}', "ecog", "expected an ECOG performance status from 0 to 4", id="ECOG 7"),
    pytest.param('{"ecog": true}', "ecog", "expected an ECOG performance status", id="ECOG true"),
    pytest.param('{"ecog": 5}', "ecog", "expected an ECOG performance status", id="ECOG 5 is death"),
    pytest.param('{"stage": "IVQ"}', "stage", "expected a stage such as IIIB or IV, got 'IVQ'", id="stage"),
    pytest.param('{"stage": {"group": "IV"}}', "stage", "expected a stage", id="stage object"),
    pytest.param('{"age": "old"}', "age", "expected years from 0 to 130", id="age"),
    pytest.param('{"age": 1e999}', "age", "expected years from 0 to 130", id="age infinite"),
    pytest.param('{"setting": "somewhere"}', "setting", "expected a setting", id="setting"),
    pytest.param(
        '{"brain_mets": "maybe"}', "brain_mets", "expected true, false, treated, untreated or unknown", id="brain"
    ),
    pytest.param('{"pdl1": {"cpx": 5}}', "pdl1", "expected one of tps, tc, ic", id="PD-L1 scale"),
    pytest.param('{"pdl1": {"tps": 101}}', "pdl1.tps", "expected a percentage from 0 to 100", id="PD-L1 101"),
    pytest.param('{"pdl1": {"tps": -1}}', "pdl1.tps", "expected a percentage from 0 to 100", id="PD-L1 -1"),
    pytest.param('{"pdl1": -5}', "pdl1", "expected a PD-L1 score", id="PD-L1 bare -5"),
    pytest.param('{"tmb": "lots"}', "tmb", "expected mutations per megabase", id="TMB"),
    pytest.param('{"msi": "somewhat"}', "msi", "expected MSI-H, dMMR, MSS or pMMR", id="MSI"),
    pytest.param('{"qtc_ms": [450, "long"]}', "qtc_ms", "expected milliseconds", id="QTc"),
    pytest.param(
        '{"biomarkers": [17]}',
        "biomarkers[0]",
        "expected text or an object with name and status",
        id="biomarker number",
    ),
    pytest.param(
        '{"biomarkers": [{"name": "ALK", "status": "perhaps"}]}',
        "biomarkers[0].status",
        "expected one of present, absent",
        id="status",
    ),
    pytest.param('{"biomarkers": [{"nam": "ALK"}]}', "biomarkers[0]", "unknown element 'nam'", id="marker element"),
    pytest.param(
        '{"biomarkers": [{"name": "ALK", "date": "1.9.2026"}]}',
        "biomarkers[0].date",
        "expected a date as YYYY-MM-DD",
        id="marker date",
    ),
    pytest.param('{"biomarkers_complete": "yes"}', "biomarkers_complete", "expected true or false", id="complete"),
    pytest.param(
        '{"prior_therapies": [{"outcome": "progressed"}]}',
        "prior_therapies[0].drugs",
        "expected the drugs",
        id="prior without drugs",
    ),
    pytest.param(
        '{"prior_therapies": [{"drugs": "x", "outcome": "well"}]}',
        "prior_therapies[0].outcome",
        "expected one of progressed",
        id="outcome",
    ),
    pytest.param(
        '{"prior_therapies": [{"drugs": "x", "line": "two"}]}',
        "prior_therapies[0].line",
        "expected a line number",
        id="line",
    ),
    pytest.param(
        '{"prior_therapies": [{"drugs": "x", "ended": "yesterday"}]}',
        "prior_therapies[0].ended",
        "expected a date",
        id="ended",
    ),
    pytest.param('{"prior_therapies": 3}', "prior_therapies", "expected text or an object", id="prior number"),
    pytest.param('{"comorbidities": 3}', "comorbidities", "expected a list of names", id="comorbidities"),
    pytest.param(
        '{"comorbidities": {"ild": "perhaps"}}',
        "comorbidities.ild",
        "expected true, false or unknown",
        id="condition state",
    ),
    pytest.param(
        '{"recommendations": 3}', "recommendations", "expected text, an object or a list", id="recommendation number"
    ),
    pytest.param(
        '{"recommendations": [{"regimen": 3}]}',
        "recommendations[0].regimen",
        "expected a regimen as text",
        id="regimen number",
    ),
    pytest.param(
        '{"recommendations": [{"regimn": "x"}]}',
        "recommendations[0]",
        "unknown element 'regimn'",
        id="recommendation element",
    ),
    pytest.param(
        '{"recommendations": [{"id": "r", "regimen": "a"}, {"id": "r", "regimen": "b"}]}',
        "recommendations",
        "two recommendations",
        id="same id",
    ),
    pytest.param('{"as_of": "soon"}', "as_of", "expected a date as YYYY-MM-DD", id="as_of"),
    pytest.param('{"as_of": "2026-02-30"}', "as_of", "expected a date as YYYY-MM-DD", id="no such day"),
    pytest.param('{"case_id": ["x"]}', "case_id", "expected text", id="case id"),
    pytest.param('{"stage_edition": "eighth"}', "stage_edition", "expected a whole number", id="edition"),
    pytest.param('{"kps": 0}', "kps", "expected a Karnofsky score from 10 to 100", id="KPS 0"),
    pytest.param('{"tumor": 5}', "tumor", "expected the name of a tumor", id="tumor"),
]


@pytest.mark.parametrize(("line", "field", "expected"), BROKEN_LINES)
def test_a_bad_line_names_file_line_field_and_what_was_expected_and_loses_nothing(tmp_path, line, field, expected):
    path = tmp_path / "cases.jsonl"
    path.write_text(f"{GOOD}\n{line}\n{GOOD}\n", encoding="utf-8")
    items = list(read_file(path))
    assert [item.case is not None for item in items] == [True, False, True]
    error = items[1].error
    assert (error.file, error.line, error.field) == (str(path), 2, field)
    text = str(error)
    assert text.startswith(f"{path}, line 2{f', field {field}' if field else ''}: ")
    assert expected in text
    assert "\n" not in text


@pytest.mark.parametrize(("line", "field", "expected"), BROKEN_LINES[4:])
def test_the_same_in_a_json_list_names_the_field(tmp_path, line, field, expected):
    path = tmp_path / "cases.json"
    path.write_text(f"[{GOOD}, {line}, {GOOD}]", encoding="utf-8")
    items = list(read_file(path))
    assert [item.case is not None for item in items] == [True, False, True]
    assert items[1].error.field == field
    assert expected in str(items[1].error)
    assert items[1].place == 2


def test_bytes_that_are_no_utf8_lose_one_line_of_json_lines(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_bytes(GOOD.encode() + b'\n{"case_id": "M\xfcller"}\n' + GOOD.encode())
    items = list(read_file(path))
    assert [item.case is not None for item in items] == [True, False, True]
    assert str(items[1].error) == f"{path}, line 2: expected UTF-8 text, found the byte 0xfc"


@pytest.mark.parametrize("name", ["cases.json", "cases.csv"])
def test_bytes_that_are_no_utf8_elsewhere_are_one_error_with_a_line(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b'case_id,stage\n"M\xfcller",IV\n')
    with pytest.raises(UsageError) as caught:
        list(read_file(path))
    assert str(caught.value) == f"{path}, line 2: expected UTF-8 text, found the byte 0xfc"


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("none.json", None, "no such file"),
        ("empty.json", b"", "expected JSON: Expecting value"),
        ("cut.json", b'[{"case_id": "a"},\n{"case_id": ', "line 2: expected JSON"),
        ("wrong.parquet", b"PAR1 not parquet", "expected a Parquet file"),
        ("empty.csv", b"", "line 1: expected a header line with the names of the fields"),
        (
            "semicolons.csv",
            b"case_id;stage;ecog\na;IV;1\n",
            "line 1: expected a header line with the names of the fields, separated by commas",
        ),
        ("utf16.csv", "case_id,stage\na,IV\n".encode("utf-16"), "line 1: expected UTF-8 text, found the byte 0xff"),
    ],
)
def test_a_file_that_cannot_be_read_at_all(tmp_path, name, data, expected):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        list(read_file(path))
    assert str(caught.value).startswith(str(path))
    assert expected in str(caught.value)


def test_a_folder_is_no_file_of_cases(tmp_path):
    with pytest.raises(UsageError, match="expected a file of cases, got a folder"):
        list(read_file(tmp_path))


def test_a_bad_line_of_csv_loses_nothing(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text(
        'case_id,stage,ecog,recommendations\na,IV,1,osimertinib\nb,IV,1,osimertinib,too,many\nc,IVQ,1,osimertinib\nd,IV\n"e,IV,1,osimertinib\n'
        'f,IV,1,"carboplatin\n+ pemetrexed"\n\ng,IV,1,osimertinib\n',
        encoding="utf-8",
    )
    items = list(read_file(path))
    found = [
        (item.case_id, item.line, str(item.error).removeprefix(f"{path}, ") if item.error else None) for item in items
    ]
    assert found == [
        ("a", 2, None),
        ("case-2", 3, "line 3: the line has more cells than the header"),
        ("c", 4, "line 4, field stage: expected a stage such as IIIB or IV, got 'IVQ'"),
        ("d", 5, None),
        ("case-5", 6, "line 6: expected CSV: ',' expected after '\"'"),
        ("f", 7, None),
        ("g", 10, None),
    ]
    assert items[5].case.recommendations[0].components == {"carboplatin", "pemetrexed"}


def test_one_bad_line_on_standard_input_loses_nothing():
    for first in (b"{broken", b"\xff", b""):
        items = list(read_bytes(first + b"\n" + GOOD.encode() + b"\n" + GOOD.encode(), name="standard input"))
        assert sum(item.case is not None for item in items) == 2
        assert all(str(item.error).startswith("standard input, line 1") for item in items if item.error is not None)


def test_csv_is_read_whatever_the_line_ends_and_the_mark_at_the_start(tmp_path):
    path = tmp_path / "cases.csv"
    rows = "case_id,stage,recommendations\r\na,IV,osimertinib\r\nb,IIIA,durvalumab\r\n"
    path.write_bytes(b"\xef\xbb\xbf" + rows.encode())
    assert [item.case_id for item in read_file(path)] == ["a", "b"]
    path.write_bytes(rows.replace("\r\n", "\n").rstrip("\n").encode())
    assert [item.case.stage.value for item in read_file(path)] == [{"IVA", "IVB"}, {"IIIA"}]


def test_parquet_rows_of_other_shapes_keep_what_they_state(tmp_path):
    """Rows of a table share one shape, so that an element that one row lacks comes as null."""
    path = tmp_path / "cases.parquet"
    cases = [
        {"case_id": "a", "recommendations": [{"regimen": "osimertinib"}], "prior_therapies": [{"drugs": "erlotinib"}]},
        {
            "case_id": "b",
            "recommendations": [{"drugs": ["carboplatin", "pemetrexed"]}],
            "prior_therapies": [{"regimen": "gefitinib"}],
        },
    ]
    pq.write_table(pa.Table.from_pylist(cases, schema=_schema()), path)
    first, second = (item.case for item in read_file(path))
    assert first.recommendations[0].components == {"osimertinib"}
    assert second.recommendations[0].components == {"carboplatin", "pemetrexed"}
    assert [prior.drugs for case in (first, second) for prior in case.prior_therapies.value] == [
        {"erlotinib"},
        {"gefitinib"},
    ]


def _schema() -> pa.Schema:
    recommendation = pa.struct([("regimen", pa.string()), ("drugs", pa.list_(pa.string()))])
    prior = pa.struct([("drugs", pa.string()), ("regimen", pa.string())])
    return pa.schema(
        [("case_id", pa.string()), ("recommendations", pa.list_(recommendation)), ("prior_therapies", pa.list_(prior))]
    )


@pytest.mark.data
def test_the_published_cases_are_read_without_an_error(openmtb_cases):
    items = list(read_file(openmtb_cases))
    assert len(items) == 500
    assert [item.error for item in items if item.error is not None] == []
    assert all(item.case.tumor.value == "NSCLC" for item in items)


@pytest.fixture
def openmtb_cases(data_dir) -> Path:
    return data_dir / "openmtb" / "cases.jsonl"


def test_an_element_that_stands_twice_with_two_values_is_an_error_of_that_case(tmp_path):
    lines = (
        '{"case_id": "a", "ecog": 1, "ecog": 3}',
        '{"case_id": "b", "ecog": 1, "ecog": 1}',
        '{"case_id": "c", "pdl1": {"tps": 1, "tps": 60}}',
    )
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    first, second, third = read_file(file)
    assert "field ecog: the element stands twice" in str(first.error)
    assert second.case.case_id == "b"
    assert "field tps: the element stands twice" in str(third.error)
    whole = tmp_path / "cases.json"
    whole.write_text("[" + ", ".join(lines) + "]", encoding="utf-8")
    assert [item.error is None for item in read_file(whole)] == [False, True, False]


def test_an_id_given_by_place_never_meets_one_that_is_stated():
    (item,) = read_bytes(b'{"recommendations": [{"id": "2", "regimen": "osimertinib"}, "docetaxel", "gefitinib"]}')
    assert [one.id for one in item.case.recommendations] == ["2", "3", "4"]
    (item,) = read_bytes(b'{"recommendations": ["osimertinib", "docetaxel"]}')
    assert [one.id for one in item.case.recommendations] == ["1", "2"]
