"""Generated cases as notes: the same cases and references, the note as the only clinical input, no telling style."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import Label
from equipoise.benchmarks.openmtb.dataset import dataset_hash
from equipoise.benchmarks.openmtb.generate import generate
from equipoise.benchmarks.openmtb.questions import generated_cases, load_source, question_of
from equipoise.benchmarks.openmtb.run import AS_OF, answer
from equipoise.errors import UsageError


@pytest.fixture(scope="module")
def notes():
    return generate(500, 42, form="note")


def test_notes_are_the_same_cases_under_the_same_references(notes):
    records = generate(500, 42)
    assert [(item["case_id"], item["reference"]) for item in notes] == [
        (item["case_id"], item["reference"]) for item in records
    ]
    assert all(list(item) == ["case_id", "as_of", "text", "reference"] for item in notes)
    assert len({item["text"] for item in notes}) == 500


def test_the_same_seed_gives_the_same_notes(notes):
    assert json.dumps(generate(500, 42, form="note")) == json.dumps(notes)


def test_an_error_keeps_the_style_of_its_parent(notes):
    """Style is told by the first line of a note, which no edit of the plan changes but in the patient it names."""
    by_id = {item["case_id"]: item for item in notes}
    pairs = [(by_id[item["reference"]["parent_id"]], item) for item in notes if item["reference"]["parent_id"] in by_id]
    assert len(pairs) > 100
    for parent, child in pairs:
        assert style(parent["text"]) == style(child["text"])
    assert len({style(item["text"]) for item in notes}) == 6
    assert min(Counter(style(item["text"]) for item in notes).values()) > 40


def style(text: str) -> str:
    first = text.splitlines()[0]
    if first.startswith("Dear"):
        return "letter"
    if first == "MOLECULAR PATHOLOGY REPORT":
        return "report"
    if first[:2] in ("- ", "* ", "• "):
        return "list"
    if first.startswith("A ") and "-year-old" in first:
        return "narrative"
    return "board" if first.isupper() or len(text.splitlines()) > 2 else "shorthand"


def test_text_is_the_default_source_without_a_file():
    source, full = load_source(inputs="text"), load_source()
    assert (source.name, source.rules, len(source.cases)) == ("generated, seed 42, 500 notes", "label", 500)
    assert dataset_hash(source.cases) != dataset_hash(full.cases)
    assert dataset_hash(source.cases) == dataset_hash(load_source(inputs="text").cases)
    question = question_of(source.cases[0], source)
    assert set(question.record) == {"as_of", "text"}
    assert question.as_of.isoformat() == question.record["as_of"]


def test_a_case_without_text_is_said(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in generate(3, 1)))
    with pytest.raises(UsageError, match="has no patient_summary and no text"):
        load_source(path, inputs="text")
    path.write_text("".join(json.dumps(item) + "\n" for item in generate(3, 1, form="note")))
    assert load_source(path, inputs="text").cases == generated_cases(3, 1, inputs="text")[0]
    with pytest.raises(UsageError, match="record or note"):
        generate(3, 1, form="poem")


def test_the_auditor_reads_the_notes_nearly_as_it_reads_the_records():
    cases, _ = generated_cases(500, 42, inputs="text")
    answers = answer(cases, Auditor(as_of=AS_OF))
    wrong = [
        (case.reference.label, found.label)
        for case, found in zip(cases, answers.predictions, strict=True)
        if found.label != case.reference.label
    ]
    assert not answers.errors
    assert len(wrong) <= 3
    assert (Label.UNSUPPORTED.value, Label.SUPPORTED.value) not in wrong
