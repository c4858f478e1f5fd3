"""References of several runs: their union, one error where they disagree, and who covers whom."""

from __future__ import annotations

import json

import pytest

from equipoise.benchmarks.openmtb.generate import generate
from equipoise.benchmarks.openmtb.questions import load_source, reference_record
from equipoise.benchmarks.openmtb.scoring import (
    REFERENCES,
    UnknownReferencesError,
    read_references,
    union_references,
    write_references,
)
from equipoise.errors import InputError
from equipoise.outcomes import RunInfo, read_run, write_run

CASES = load_source().cases


def save(folder, name, cases, *, stored=True, dataset="d"):
    rows = [
        {
            "reply_id": f"{name}/{case.case_id}", "run": name, "system": name, "benchmark": "openmtb", "item": case.case_id,
            "expected": case.reference.label, "trial": 1, "state": "ok", "label": "Supported",
        }
        for case in cases
    ]  # fmt: skip
    info = RunInfo(run_id=name, created_at="2026-11-30", benchmark="openmtb", dataset_hash=dataset)
    path = write_run(folder / name, info, rows)
    if stored:
        write_references(path, [reference_record(case.case_id, case.reference) for case in cases])
    return path, read_run(path)


def test_a_run_with_a_limit_does_not_hide_the_items_of_the_others(tmp_path):
    runs = [save(tmp_path, "a", CASES[:5]), save(tmp_path, "b", CASES[3:20])]
    assert [item.case_id for item in union_references(runs)] == [case.case_id for case in CASES[:20]]
    assert [item.reference.label for item in union_references(runs[::-1])] == [
        case.reference.label for case in (*CASES[3:20], *CASES[:3])
    ]
    assert len(read_references(*runs[0])) == 5


def test_runs_that_hold_an_item_against_something_else_are_one_error(tmp_path):
    runs = [save(tmp_path, "a", CASES[:5]), save(tmp_path, "b", CASES[:5])]
    lines = [json.loads(line) for line in (runs[1][0] / REFERENCES).read_text().splitlines()]
    lines[2]["label"] = "Supported" if lines[2]["label"] != "Supported" else "Unsupported"
    (runs[1][0] / REFERENCES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InputError) as caught:
        union_references(runs)
    text = str(caught.value)
    assert "\n" not in text
    assert CASES[2].case_id in text
    assert "in run a" in text
    assert "in run b" in text


def test_a_run_that_does_not_say_is_covered_by_one_that_does(tmp_path):
    runs = [save(tmp_path, "a", CASES[:5], stored=False), save(tmp_path, "b", CASES[:9])]
    assert len(union_references(runs)) == 9
    runs[0] = save(tmp_path, "c", CASES[:10], stored=False)
    with pytest.raises(UnknownReferencesError, match=r"nothing says .* name the file of cases"):
        union_references(runs)


def test_generated_cases_and_notes_are_known_by_their_hash(tmp_path):
    from equipoise.benchmarks.openmtb.dataset import dataset_hash

    for inputs in ("full", "text"):
        source = load_source(inputs=inputs)
        run = save(tmp_path, inputs, source.cases[:3], stored=False, dataset=dataset_hash(source.cases))
        assert len(union_references([run])) == 500


def test_a_file_of_cases_speaks_for_all_runs(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in generate(6, 9, form="note")))
    from equipoise.benchmarks.openmtb.dataset import dataset_hash, load_cases

    for inputs in ("full", "text"):
        cases = load_cases(path, inputs=inputs)
        run = save(tmp_path, inputs, cases, stored=False, dataset=dataset_hash(cases))
        assert len(union_references([run], path)) == 6
    with pytest.raises(InputError, match="does not hold the cases of this run"):
        union_references([save(tmp_path, "x", CASES[:2], dataset="other")], path)
