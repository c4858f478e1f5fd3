from __future__ import annotations

import pytest

from equipoise.errors import InputError, UsageError
from equipoise.outcomes import read_table

MAP = {"id": "reply_id", "case": "item", "answer": "label", "status": "state", "sure": "confidence", "try": "trial",
       "refused": "abstained", "lacking": "missing_fields"}  # fmt: skip
CONSTANTS = {"run": "r", "system": "s", "benchmark": "b"}
STATES = {"done": "ok", "filtered": "blocked"}


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def read(path, **more):
    return read_table(path, **{"name": "outcomes", "columns": MAP, "constants": CONSTANTS, "states": STATES} | more)


def test_csv_by_a_map_of_columns(tmp_path):
    path = write(
        tmp_path / "x.csv",
        "id,case,answer,status,sure,try,refused,lacking,note\n"
        '1,c1,yes,done,0.9,1,false,ecog|stage,"a, b"\n'
        "2,c2,,filtered,,2,,,x\n",
    )
    rows = read(path).to_pylist()
    assert rows[0]["label"] == "yes"
    assert rows[0]["confidence"] == 0.9
    assert rows[0]["abstained"] is False
    assert rows[0]["missing_fields"] == ["ecog", "stage"]
    assert rows[1]["state"] == "blocked"
    assert rows[1]["label"] is None
    assert rows[1]["trial"] == 2
    assert {row["system"] for row in rows} == {"s"}


def test_jsonl_by_a_map_of_columns(tmp_path):
    path = write(
        tmp_path / "x.jsonl",
        '{"id": "1", "case": "c1", "answer": "yes", "status": "done", "sure": 0.5, "lacking": ["ecog"]}\n\n'
        '{"id": "2", "case": "c2", "status": "unparsed"}\n',
    )
    rows = read(path).to_pylist()
    assert [row["state"] for row in rows] == ["ok", "unparsed"]
    assert rows[0]["missing_fields"] == ["ecog"]


def test_all_problems_with_their_line(tmp_path):
    path = write(
        tmp_path / "x.jsonl",
        '{"id": "1", "case": "c1", "answer": "yes", "status": "done"}\n\n'
        '{"id": "1", "case": "c2", "answer": "yes", "status": "filtered"}\n'
        '{"id": "3", "answer": "yes", "status": "odd"}\n',
    )
    with pytest.raises(InputError) as caught:
        read(path)
    text = str(caught.value)
    for part in ("line 3, column label", "line 3, column reply_id", "line 4, column item", "line 4, column state"):
        assert part in text
    assert "row" not in text.replace("repeats row", "")


@pytest.mark.parametrize(
    ("cell", "column", "match"),
    [
        ("high", "sure", "expected a number"),
        ("1.5", "try", "whole number"),
        ("perhaps", "refused", "true or false"),
    ],
)
def test_cells_of_another_type(tmp_path, cell, column, match):
    values = {
        "id": "1",
        "case": "c",
        "answer": "yes",
        "status": "done",
        "sure": "",
        "try": "",
        "refused": "",
        "lacking": "",
    }
    values[column] = cell
    path = write(tmp_path / "x.csv", ",".join(values) + "\n" + ",".join(values.values()) + "\n")
    with pytest.raises(InputError, match=f"line 2, column {column}: .*{match}"):
        read(path)


def test_judgements(tmp_path):
    path = write(tmp_path / "x.csv", "reply,verdict\n1,met\n2,\n")
    constants = {"run": "r", "judge": "j", "rubric": "q", "rubric_hash": "h", "scale": "s", "scale_hash": "h",
                 "criterion": "c", "repeat": 1}  # fmt: skip
    with pytest.raises(InputError, match="line 3, column value: state ok without a value"):
        read_table(path, name="judgements", columns={"reply": "reply_id", "verdict": "value"},
                   constants=constants | {"state": "ok"})  # fmt: skip


@pytest.mark.parametrize(
    ("name", "columns", "text", "error", "match"),
    [
        ("x.txt", MAP, "", UsageError, "csv or .jsonl"),
        ("x.csv", {"a": "colour"}, "a\n1\n", UsageError, "no column colour"),
        ("x.csv", MAP, "id,case\n1,2\n", InputError, "columns are missing: answer"),
        ("x.csv", {"id": "reply_id", "case": "item"}, "id,case\n1\n", InputError, "expected 2 cells"),
    ],
)
def test_refusals(tmp_path, name, columns, text, error, match):
    path = write(tmp_path / name, text)
    with pytest.raises(error, match=match):
        read(path, columns=columns)
    with pytest.raises(UsageError, match="outcomes or judgements"):
        read(path, name="replies")
