"""Retrieval: what is found, in which direction it is shown, and how often the deciding statement is among it."""

from __future__ import annotations

import datetime as dt

import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.benchmarks.openmtb.questions import load_source, question_of
from equipoise.evals.question import Question
from equipoise.evals.retrieval import (
    CIVIC_DIRECTIONS,
    DIRECTIONS,
    civic_documents,
    curated_documents,
    evidence_block,
    find,
    query,
    searcher,
)
from equipoise.evidence.base import shipped_base
from equipoise.evidence.model import Direction

DAY = dt.date(2026, 11, 1)


def question(**record: object) -> Question:
    return Question(record=record, as_of=DAY, jurisdiction="US", rules="label")


def test_every_direction_has_words_of_its_own():
    assert set(DIRECTIONS) == set(Direction)
    assert len(set(DIRECTIONS.values())) == len(Direction)
    assert len(set(CIVIC_DIRECTIONS.values())) == 3


def test_statements_of_resistance_are_found_and_shown_as_such():
    asked = question(recommendation="osimertinib", biomarkers=["EGFR C797S"], tumor="NSCLC")
    found = find(asked, Auditor(as_of=DAY), k=10)
    assert found.rank is not None
    block = evidence_block(found.documents)
    assert any("C797S" in item.shown and item.shown.startswith("RESISTANCE") for item in found.documents)
    assert block.startswith("<evidence>\n[1] ")
    assert block.endswith("\n</evidence>")


def test_brand_names_are_searched_by_their_drug():
    assert "osimertinib" in query({"recommendation": "Tagrisso"})


def test_markers_that_are_absent_are_not_searched_for():
    text = query(
        {"biomarkers": ["ALK negative", "EGFR L858R", {"name": "ROS1", "status": "absent"}, {"name": "RET fusion"}]}
    )
    assert "ALK" not in text
    assert "ROS1" not in text
    assert "EGFR L858R" in text
    assert "RET fusion" in text
    assert "MET" not in query({"biomarkers": {"EGFR": "L858R", "MET": "not tested"}})
    assert "EGFR L858R" in query({"biomarkers": {"EGFR": "L858R", "MET": "not tested"}})


def test_only_what_holds_on_the_day_is_found():
    base = shipped_base()
    then, now = dt.date(2016, 1, 1), DAY
    ids = {day: {item.id for item in curated_documents(base, "US", day)} for day in (then, now)}
    assert ids[then] != ids[now]
    assert ids[now] == {item.id for item in base.active("US", now)}


def test_words_that_stand_nowhere_find_nothing():
    assert searcher("US", DAY).search("xyzzy qwertz") == ()
    assert "found no statement" in evidence_block(())


def test_the_same_question_finds_the_same_in_the_same_order():
    asked = question(recommendation="alectinib", biomarkers=["ALK fusion"])
    auditor = Auditor(as_of=DAY)
    assert find(asked, auditor) == find(asked, auditor)


def test_the_deciding_statement_is_mostly_among_the_first():
    """On the generated cases of seed 42: 370 of 440 among the first 5 when this was written; well above chance is asked."""
    source = load_source()
    auditor = Auditor(as_of=DAY)
    decided = shown = 0
    for case in source.cases[:150]:
        found = find(question_of(case, source), auditor, k=5)
        decided += bool(found.deciding)
        shown += found.rank is not None
        assert found.rank is None or found.documents[found.rank - 1].id == found.deciding
    assert decided > 100
    assert shown / decided > 0.75


def test_a_record_that_cannot_be_read_has_no_deciding_statement():
    found = find(question(recommendation="osimertinib", ecog="x"), Auditor(as_of=DAY))
    assert (found.deciding, found.rank) == ("", None)


@pytest.mark.data
def test_civic_is_searched_when_a_file_is_given(data_dir):
    from equipoise.evidence.civic import read_snapshot

    path = sorted((data_dir / "civic").glob("2026*.tsv"))[0]
    documents = list(civic_documents(read_snapshot(path).items))
    assert len(documents) > 100
    found = searcher("US", DAY, path).search("osimertinib EGFR T790M sensitivity", 30)
    assert any(item.id.startswith("CIViC EID") for item in found)
    shown = {item.shown.split(" |")[0] for item in documents}
    assert shown == set(CIVIC_DIRECTIONS.values())
