from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

from equipoise.errors import InputError, UsageError
from equipoise.outcomes import RunInfo, outcomes_table, read_run, write_run

INFO = RunInfo(
    run_id="run-1",
    created_at="2026-11-30T12:00:00+00:00",
    benchmark="b",
    systems=("auditor",),
    versions={"equipoise": "0.1.0"},
    dataset_hash="d",
    arguments={"seed": 42},
)
ROWS = [
    {"reply_id": "r1", "run": "run-1", "system": "auditor", "benchmark": "b", "item": "i1", "state": "ok", "label": "x",
     "missing_fields": ["ecog"]},
    {"reply_id": "r2", "run": "run-1", "system": "auditor", "benchmark": "b", "item": "i2", "state": "truncated"},
]  # fmt: skip
JUDGED = [
    {"reply_id": "r1", "run": "run-1", "judge": "j", "rubric": "q", "rubric_hash": "h", "scale": "s", "scale_hash": "h",
     "criterion": "c", "repeat": 1, "value": "met", "state": "ok"},
]  # fmt: skip


def test_reads_back_what_was_written(tmp_path):
    folder = write_run(tmp_path / "deep" / "run", INFO, ROWS, JUDGED)
    run = read_run(folder)
    assert run.info == INFO
    assert run.outcomes.num_rows == 2
    assert run.outcomes.column("missing_fields").to_pylist() == [["ecog"], None]
    assert run.judgements.column("value").to_pylist() == ["met"]
    assert sorted(path.name for path in folder.iterdir()) == ["judgements.parquet", "outcomes.parquet", "run.json"]
    assert [path.name for path in folder.parent.iterdir()] == ["run"]


def test_same_run_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_run(tmp_path / name, INFO, ROWS, JUDGED)
    for file in ("run.json", "outcomes.parquet", "judgements.parquet"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_without_judgements(tmp_path):
    assert read_run(write_run(tmp_path / "run", INFO, outcomes_table(ROWS))).judgements.num_rows == 0


def test_the_same_run_may_be_written_again_and_other_files_stay(tmp_path):
    folder = write_run(tmp_path / "run", INFO, ROWS)
    (folder / "report.html").write_text("kept", encoding="utf-8")
    write_run(folder, INFO, ROWS[:1])
    assert read_run(folder).outcomes.num_rows == 1
    assert (folder / "report.html").read_text(encoding="utf-8") == "kept"


def test_a_different_run_is_not_overwritten_unless_told(tmp_path):
    folder = write_run(tmp_path / "run", INFO, ROWS)
    other = RunInfo(run_id="run-2", created_at="later", benchmark="b")
    rows = [row | {"run": "run-2"} for row in ROWS]
    with pytest.raises(UsageError, match=r"another run \(run-1\)"):
        write_run(folder, other, rows)
    assert read_run(folder).info.run_id == "run-1"
    write_run(folder, other, rows, overwrite=True)
    assert read_run(folder).info.run_id == "run-2"


def test_a_folder_with_other_things_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="other things than a run"):
        write_run(tmp_path, INFO, ROWS, overwrite=True)
    with pytest.raises(UsageError, match="this is a file"):
        write_run(tmp_path / "notes.txt", INFO, ROWS)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_folder_below_a_file_is_said(tmp_path):
    (tmp_path / "taken").write_text("x")
    info = RunInfo(run_id="r", created_at="2026-12-01", benchmark="b", systems=())
    with pytest.raises(UsageError, match="cannot be written"):
        write_run(tmp_path / "taken" / "run", info, [])


def test_unsound_tables_are_not_written_and_all_problems_are_named(tmp_path):
    rows = [ROWS[0] | {"item": None}, ROWS[1] | {"label": "x"}]
    with pytest.raises(InputError) as caught:
        write_run(tmp_path / "run", INFO, rows)
    assert "2 problems" in str(caught.value)
    assert "row 0, column item" in str(caught.value)
    assert "row 1, column label" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_rows_of_another_run_and_judgements_without_reply(tmp_path):
    with pytest.raises(InputError, match=r"outcomes, row 0, column run: 'run-1' is not this run \(run-9\)"):
        write_run(tmp_path / "run", RunInfo(run_id="run-9", created_at="", benchmark="b"), ROWS)
    with pytest.raises(InputError, match="judgements, row 0, column reply_id: no outcome has 'r7'"):
        write_run(tmp_path / "run", INFO, ROWS, [JUDGED[0] | {"reply_id": "r7"}])


def test_damage_is_recognised(tmp_path):
    with pytest.raises(UsageError, match=r"no run here: run\.json is missing"):
        read_run(tmp_path)
    folder = write_run(tmp_path / "run", INFO, ROWS)
    pq.write_table(outcomes_table(ROWS[:1]), folder / "outcomes.parquet")
    with pytest.raises(InputError, match="damaged or was cut short"):
        read_run(folder)
    (folder / "outcomes.parquet").unlink()
    with pytest.raises(InputError, match="the file is missing"):
        read_run(folder)


@pytest.mark.parametrize(
    ("change", "expected"),
    [({"schema_version": "0"}, "expected version '1'"), ({"run_id": 3}, "field run_id: expected a text")],
)
def test_run_file_of_another_version_or_form(tmp_path, change, expected):
    folder = write_run(tmp_path / "run", INFO, ROWS)
    value = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    (folder / "run.json").write_text(json.dumps(value | change), encoding="utf-8")
    with pytest.raises(InputError, match=expected):
        read_run(folder)
