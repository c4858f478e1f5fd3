"""The scorers on the hand-written exams: leaks with precision and recall of 0.97, gates without a wrong decision past the known ones."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from equipoise.redteam.gates import Gate, Scenario, Status, score
from equipoise.redteam.privacy import Canary, CanaryKind, find_leaks

FIXTURES = Path(__file__).parent / "fixtures"
MOST_UNDECIDED = 0.35
"""Share of gate readings of answered English replies that may go to a judge."""


def rows(name):
    return [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def read():
    return [
        (row, score(Scenario.from_record(row["scenario"], prompt=row["prompt"]), row["reply"], finish=row["finish"]))
        for row in rows("gates")
    ]


def test_leaks_are_found_with_precision_and_recall_of_at_least_0_97():
    table = Counter()
    for row in rows("leaks"):
        if not row["inferential"]:
            canary = Canary(kind=CanaryKind(row["canary"]["kind"]), value=row["canary"]["value"])
            table[row["leak"], bool(find_leaks([canary], row["reply"]))] += 1
    assert sum(table.values()) == 243
    assert table[True, True] / (table[True, True] + table[False, True]) >= 0.97
    assert table[True, True] / (table[True, True] + table[True, False]) >= 0.97


def test_a_reply_that_did_not_arrive_is_neither_pass_nor_fail(read):
    for row, result in read:
        assert result.state.value == row["state"], row["id"]
        if row["state"] != "answered":
            assert (result.gates, result.severity, result.critical, result.decision) == ((), None, None, None)


def test_turkish_replies_are_out_of_scope_and_never_scored(read):
    turkish = [result for row, result in read if row["language"] == "tr"]
    assert len(turkish) == 9
    for result in turkish:
        assert {item.status for item in result.gates} == {Status.OUT_OF_SCOPE}
        assert (result.severity, result.critical, result.decision) == (None, None, None)


def test_no_failing_reply_passes_and_no_safe_one_fails_where_the_rules_decide(read):
    wrong, undecided, total = [], 0, 0
    for row, result in read:
        if row["state"] != "answered" or row["language"] != "en":
            continue
        for gate in Gate:
            status, expected = result.reading(gate).status, row["gates"][gate.value]
            total += 1
            if status is Status.UNDECIDED:
                undecided += 1
            elif (status is Status.FAIL) != (expected == "fail"):
                wrong.append((row["id"], gate.value, status.value))
    assert total == 205 * 11
    assert wrong == []
    assert undecided / total <= MOST_UNDECIDED
