"""Import: what is taken, what is left out and said, what is refused with file and line; nothing half."""

import csv
import itertools
import json

import pytest
import yaml

from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import RunInfo, write_run
from equipoise.study.blinding import MASK
from equipoise.study.history import EventKind, Standing
from equipoise.study.importing import import_items, import_labels
from equipoise.study.raters import add_rater, raters
from equipoise.study.shipped import template
from equipoise.study.store import create_store

AT = "2026-11-30T12:00:00+00:00"


def study(tmp_path, name="four-label", **items):
    value = yaml.safe_load(template(name).text)
    value["items"] |= items
    return create_store(tmp_path / "s.sqlite", yaml.safe_dump(value), at=AT)


def case(number, **more):
    shown = {"patient_summary": f"A patient, number {number}.", "proposed_therapy": "invented"}
    return {"case_id": f"case-{number}", **shown, "support_label": "Supported", "error_type": "none"} | more


def save(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def draw():
    numbers = itertools.count()
    return lambda _: f"id-{next(numbers)}"


def test_cases_are_split_into_what_is_shown_and_what_is_hidden(tmp_path):
    with study(tmp_path) as store:
        done = import_items(store, save(tmp_path / "c.jsonl", [case(1), case(2)]), at=AT)
        assert (done.new, done.known, dict(done.left_out)) == (2, 0, {})
        item = store.items()[0]
        assert set(item.shown) == {"patient_summary", "proposed_therapy"}
        assert item.hidden["support_label"] == "Supported"
        again = import_items(store, tmp_path / "c.jsonl", at=AT)
        assert (again.new, again.known) == (0, 2)


def test_a_table_and_a_list_are_read_like_lines(tmp_path):
    records = [case(1), case(2)]
    (tmp_path / "c.json").write_text(json.dumps(records), encoding="utf-8")
    with (tmp_path / "c.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    with study(tmp_path) as store:
        assert import_items(store, tmp_path / "c.json", at=AT).new == 2
        assert import_items(store, tmp_path / "c.csv", at=AT).known == 2


@pytest.mark.parametrize(
    ("records", "fault"),
    [
        ([case(1), {"text": "x"}], r"c\.jsonl, line 2: expected an id in one of case_id"),
        ([case(1), case(1)], r"c\.jsonl, line 2: item 'case-1' is given twice"),
        ([{"case_id": "x", "patient_summary": "y"}], "has no field 'proposed_therapy', which the protocol shows"),
        ([case(1, case_id="x" * 201)], "an id has at most 200 characters"),
    ],
)
def test_a_broken_file_is_refused_whole_with_its_line(tmp_path, records, fault):
    with study(tmp_path) as store:
        with pytest.raises(InputError, match=fault):
            import_items(store, save(tmp_path / "c.jsonl", records), at=AT)
        assert store.items() == ()


def test_items_of_the_protocol_get_their_role(tmp_path):
    value = yaml.safe_load(template("four-label").text)
    value["attention"] = {"items": [{"item": "case-2", "expected": {"label": "Supported"}}]}
    value["training"] = [{"item": "case-1", "expected": {"label": "Supported"}}]
    with create_store(tmp_path / "s.sqlite", yaml.safe_dump(value), at=AT) as store:
        import_items(store, save(tmp_path / "c.jsonl", [case(1), case(2), case(3)]), at=AT)
        assert [item.role for item in store.items()] == ["training", "attention", "main"]


@pytest.fixture
def run(tmp_path):
    row = {
        "run": "r",
        "system": "alpha-3 with retrieval",
        "model": "vendor/Alpha-3",
        "provider": "Vendor",
        "benchmark": "b",
    }
    rows = [
        row | {"reply_id": "1", "item": "q1", "state": "ok", "reply": "As Alpha, built by Vendor, I suggest rest."},
        row | {"reply_id": "2", "item": "q2", "state": "blocked"},
        row | {"reply_id": "3", "item": "q2", "state": "ok"},
        row | {"reply_id": "4", "item": "q2", "state": "ok", "reply": "Our helper Zed says: rest."},
    ]
    write_run(tmp_path / "run", RunInfo(run_id="r", created_at=AT, benchmark="b"), rows)
    save(tmp_path / "prompts.jsonl", [{"id": "q1", "prompt": "One?"}, {"id": "q2", "prompt": "Two?"}])
    return tmp_path / "run"


def test_replies_of_a_run_are_items_and_their_source_is_masked(tmp_path, run):
    with study(tmp_path, "refusal-helpfulness") as store:
        done = import_items(store, run, at=AT, join=tmp_path / "prompts.jsonl", names=["Zed"])
        assert (done.new, done.masked, dict(done.left_out)) == (2, 3, {"blocked": 1, "reply not kept": 1})
        first, second = store.items()
        assert first.shown == {"prompt": "One?", "reply": f"As {MASK}, built by {MASK}, I suggest rest."}
        assert second.shown["reply"] == f"Our helper {MASK} says: rest."
        assert (first.name, first.hidden["model"]) == ("1", "vendor/Alpha-3")
        assert not any("lpha" in str(item.shown) or "endor" in str(item.shown) for item in store.items())


def test_a_reply_without_its_prompt_is_told(tmp_path, run):
    save(tmp_path / "prompts.jsonl", [{"id": "q1", "prompt": "One?"}])
    with study(tmp_path, "refusal-helpfulness") as store:
        with pytest.raises(InputError, match=r"item 'q2' of the run is not in prompts\.jsonl"):
            import_items(store, run, at=AT, join=tmp_path / "prompts.jsonl")
        with pytest.raises(UsageError, match="there is no run here"):
            import_items(store, tmp_path, at=AT)


COLUMNS = {"one": "a", "two": "b"}


def labels(tmp_path, text):
    path = tmp_path / "labels.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def cases(tmp_path):
    with study(tmp_path) as store:
        import_items(store, save(tmp_path / "c.jsonl", [case(number) for number in range(1, 4)]), at=AT)
        yield store


def test_labels_of_a_file_become_histories_that_say_where_from(tmp_path, cases):
    path = labels(tmp_path, "case_id,one,two\ncase-1,Supported,Unsafe\ncase-2,Unsupported,\n")
    done = import_labels(
        cases, path, item="case_id", columns=COLUMNS, at=AT, draw=draw(), rename={"Unsafe": "Unsupported"}
    )
    assert (done.new, dict(done.left_out)) == (3, {"no label in the file": 1})
    assert [rater.code for rater in raters(cases)] == ["a", "b"]
    state = {(item.rater, item.item): cases.states()[item.public] for item in cases.assignments()}
    assert {key: value.answers["label"] for key, value in state.items()} == {
        ("a", "case-1"): "Supported",
        ("a", "case-2"): "Unsupported",
        ("b", "case-1"): "Unsupported",
    }
    assert all(value.standing(cases.protocol) is Standing.COMPLETE for value in state.values())
    event = cases.history("a", cases.assignments("a")[0].public)[0]
    assert event.kind is EventKind.IMPORT
    assert event.reason.startswith("labels.csv, sha256 ")
    assert str(tmp_path) not in event.reason


def test_the_same_labels_again_add_nothing(tmp_path, cases):
    path = labels(tmp_path, "case_id,one,two\ncase-1,Supported,Supported\n")
    make = draw()
    for expected in ((2, 0), (0, 2)):
        done = import_labels(cases, path, item="case_id", columns=COLUMNS, at=AT, draw=make)
        assert (done.new, done.known) == expected
    assert len(cases.history("a", cases.assignments("a")[0].public)) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "case,one,two\ncase-1,Supported,Supported\n",
            "line 1: there is no column 'case_id'; the file has case, one, two",
        ),
        ("case_id,one,two\ncase-9,Supported,Supported\n", "line 2, field case_id: item 'case-9' is not in the study"),
        ("case_id,one,two\ncase-1,Supported,Unsafe\n", "line 2, field two: 'Unsafe' is no answer to 'label'"),
        ("case_id,one,two\ncase-1,Supported,Unsafe\n", "rename it with --rename 'Unsafe'=LABEL"),
        (
            "case_id,one,two\ncase-1,Supported,\ncase-1,Supported,\n",
            "line 3, field case_id: item 'case-1' was labelled on line 2",
        ),
        ("case_id,one,two\ncase-1,Supported\n", "line 2: expected 3 cells"),
        ("case_id,one,one\ncase-1,Supported,x\n", "line 1: a column is named twice"),
    ],
)
def test_broken_labels_are_refused_whole_with_their_line(tmp_path, cases, text, fault):
    with pytest.raises(InputError, match=fault):
        import_labels(cases, labels(tmp_path, text), item="case_id", columns=COLUMNS, at=AT, draw=draw())
    assert cases.assignments() == ()
    assert raters(cases) == ()


def test_a_rater_who_labels_here_is_not_mixed_with_one_of_a_file(tmp_path, cases):
    add_rater(cases, "a", at=AT)
    cases.assign([("a", "case-1", "main", 1)], draw=lambda _: "own", at=AT)
    path = labels(tmp_path, "case_id,one,two\ncase-1,Supported,Supported\n")
    with pytest.raises(InputError, match="item 'case-1' is in the queue of rater 'a' here"):
        import_labels(cases, path, item="case_id", columns=COLUMNS, at=AT, draw=draw())
    assert cases.history("a", "own") == ()
    assert [rater.code for rater in raters(cases)] == ["a"]
