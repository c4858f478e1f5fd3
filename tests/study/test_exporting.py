"""Export: every assignment is a row, what has no label says why, and a spreadsheet computes nothing."""

import csv
import io
import json

import pytest

from equipoise.errors import UsageError
from equipoise.outcomes.run import read_run
from equipoise.study.adjudication import decide
from equipoise.study.exporting import ADJUDICATED, export_run, rows, to_csv
from equipoise.study.history import EventKind
from equipoise.study.raters import add_rater
from equipoise.study.store import Item

AT = "2026-11-30T12:00:00+00:00"
INSUFFICIENT = {
    "label": "Insufficient Information", "missing": ["stage", "ecog"], "reason": "information-missing", "harm": "possibly",
    "confidence": "fairly-sure",
}  # fmt: skip
SUPPORTED = {"label": "Supported", "reason": "evidence-supports", "harm": "no", "confidence": "sure"}


@pytest.fixture
def worked(filled):
    """a: one full label, one skip, one half answer, one open; b: the first item otherwise, with a hostile comment."""
    queue = [item.public for item in filled.assignments("a")]
    filled.record("a", queue[0], EventKind.ANSWER, press="1", at=AT, answers=INSUFFICIENT, seconds=30.0)
    filled.record("a", queue[1], EventKind.SKIP, press="1", at=AT, reason="my own patient")
    filled.record("a", queue[2], EventKind.ANSWER, press="1", at=AT, answers={"label": "Supported"})
    first = filled.assignments("b")[0].public
    filled.record("b", first, EventKind.ANSWER, press="1", at=AT, answers=SUPPORTED, comment='=HYPERLINK("x")')
    return filled


def rows_of(tmp_path, store):
    return read_run(export_run(store, tmp_path / "run", at=AT))


def test_every_assignment_is_a_row_and_only_a_full_label_is_one(tmp_path, worked):
    run = rows_of(tmp_path, worked)
    rows = {(row["system"], row["item"]): row for row in run.outcomes.to_pylist()}
    assert len(rows) == 8
    full = rows["a", "case-0"]
    assert (full["label"], full["missing_fields"], full["confidence"], full["latency"]) == (
        "Insufficient Information", ["ecog", "stage"], 0.5, 30.0,
    )  # fmt: skip
    assert (full["conversation"], full["turn"], full["item_set"]) == ("a", 1, "main")
    for item, standing in (("case-1", "skipped"), ("case-2", "partial"), ("case-3", "open")):
        row = rows["a", item]
        assert (row["state"], row["label"]) == ("empty", None)
        assert json.loads(row["reply"])["standing"] == standing
    assert json.loads(rows["a", "case-1"]["reply"])["skipped"] == "my own patient"
    assert run.info.protocol_hash == worked.protocol.hash


def test_every_closed_answer_is_a_judgement_with_the_hash_of_the_protocol(tmp_path, worked):
    run = rows_of(tmp_path, worked)
    found = {(row["judge"], row["criterion"]): row for row in run.judgements.to_pylist()}
    assert set(found) == {
        *(("a", name) for name in ("label", "missing", "reason", "harm", "confidence")),
        *(("b", name) for name in ("label", "reason", "harm", "confidence")),
    }
    assert found["a", "missing"]["value"] == "ecog; stage"
    assert found["b", "confidence"]["points"] == 3
    assert {row["rubric_hash"] for row in found.values()} == {worked.protocol.hash}


def test_a_decision_is_a_system_of_its_own(tmp_path, worked):
    decide(worked, "case-0", "Supported", reason="stage is in the note", by="consensus", agreed=["b"], at=AT)
    row = next(row for row in rows_of(tmp_path, worked).outcomes.to_pylist() if row["system"] == ADJUDICATED)
    assert (row["item"], row["label"]) == ("case-0", "Supported")
    told = json.loads(row["reply"])
    assert (told["reason"], told["agreed"]) == ("stage is in the note", ["b"])
    assert [part["rater"] for part in told["rationales"]] == ["a", "b"]


def test_the_same_labels_give_the_same_run_and_others_do_not_replace_it(tmp_path, worked):
    first = rows_of(tmp_path, worked).info.run_id
    assert rows_of(tmp_path, worked).info.run_id == first
    queue = worked.assignments("a")
    worked.record("a", queue[3].public, EventKind.ANSWER, press="1", at=AT, answers=SUPPORTED)
    with pytest.raises(UsageError, match="holds another run"):
        export_run(worked, tmp_path / "run", at=AT)
    assert read_run(export_run(worked, tmp_path / "run", at=AT, overwrite=True)).info.run_id != first


def test_a_spreadsheet_computes_nothing(worked):
    text = to_csv(worked)
    assert text.startswith("\ufeffitem,rater,")
    table = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    assert len(table) == 8
    by = {(row["rater"], row["item"]): row for row in table}
    assert by["b", "case-0"]["comment"] == '\'=HYPERLINK("x")'
    assert by["a", "case-0"]["missing"] == "ecog; stage"
    assert by["a", "case-1"]["skipped"] == "my own patient"
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in table for cell in row.values())


@pytest.mark.parametrize(
    ("hidden", "wanted"),
    [
        ({"error_type": "line-shift"}, "line-shift"), ({"error_type": "none"}, None), ({}, None),
        ({"operator": "swap"}, "swap"), ({"error_type": "a", "operator": "b"}, "a"),
    ],
)  # fmt: skip
def test_the_error_put_into_an_item_travels_with_its_labels(store, hidden, wanted):
    store.add_items([Item(name="one", shown={"patient_summary": "x"}, hidden=hidden)], at=AT, origin="made up")
    add_rater(store, "a", at=AT)
    store.assign([("a", "one", "main", 1)], draw=lambda _: "p", at=AT)
    outcomes, _ = rows(store)
    assert outcomes[0]["operator"] == wanted
