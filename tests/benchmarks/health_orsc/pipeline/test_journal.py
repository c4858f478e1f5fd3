"""The journal: nothing answered is lost, nothing torn is read."""

from __future__ import annotations

import json

import pytest

from equipoise.benchmarks.health_orsc.pipeline.journal import JOURNAL_FILE, Answer, Journal
from equipoise.errors import InternalError, UsageError
from equipoise.outcomes.schema import ReplyState


def answer(key, text="x", state=ReplyState.OK, **facts):
    return Answer(key=key, stage="rewrite", model="a/b", state=state, text=text, **facts)


def test_what_was_written_is_read_back(tmp_path):
    said = answer("k", "line\u2028end\n\ud800 \u00e9", tokens_in=3, tokens_out=4, cost=0.5)
    with Journal(tmp_path) as journal:
        journal.add(said)
    with Journal(tmp_path) as journal:
        assert (len(journal), journal["k"]) == (1, said)
        assert journal.spent() == {"a/b": {"calls": 1, "tokens_in": 3, "tokens_out": 4, "cost": 0.5}}


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_torn_last_line_is_cut_off_and_the_next_answer_stands_whole(tmp_path, cut):
    with Journal(tmp_path) as journal:
        journal.add(answer("a"))
        journal.add(answer("b"))
    path = tmp_path / JOURNAL_FILE
    data = path.read_bytes()
    path.write_bytes(data[:-cut])
    with Journal(tmp_path) as journal:
        assert (len(journal), "a" in journal) == (1, True)
        assert journal.torn == len(data) // 2 - cut
        journal.add(answer("c"))
    with Journal(tmp_path) as journal:
        assert (len(journal), "a" in journal, journal["c"].key) == (2, True, "c")
        assert (journal.torn, journal.unreadable) == (0, 0)
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_a_damaged_line_is_counted_and_costs_only_itself(tmp_path):
    with Journal(tmp_path) as journal:
        journal.add(answer("a"))
    path = tmp_path / JOURNAL_FILE
    path.write_bytes(b'{"key": 1}\nnonsense\n{"key": "z", "state": "odd"}\n' + path.read_bytes())
    with Journal(tmp_path) as journal:
        assert (len(journal), journal["a"], journal.unreadable) == (1, answer("a"), 3)


def test_the_first_answer_counts_and_a_failed_call_is_asked_again(tmp_path):
    with Journal(tmp_path) as journal:
        journal.add(answer("a", "", ReplyState.ERROR, error="no"))
        assert len(journal) == 0
        journal.add(answer("a", "first"))
        journal.add(answer("a", "second"))
        assert journal["a"].text == "first"
    with Journal(tmp_path) as journal:
        assert journal["a"].text == "first"


def test_two_starts_cannot_work_in_one_folder(tmp_path):
    with Journal(tmp_path), pytest.raises(UsageError, match="another start is at work"):
        Journal(tmp_path)
    with Journal(tmp_path) as journal:
        assert len(journal) == 0


def test_an_answer_is_read_from_the_disk_while_others_are_written(tmp_path):
    with Journal(tmp_path) as journal:
        for number in range(50):
            journal.add(answer(str(number), f"text {number} " * number))
            assert journal[str(number // 2)].text == f"text {number // 2} " * (number // 2)
    with Journal(tmp_path) as journal:
        journal.add(answer("last"))
        assert [journal[str(number)].text for number in (49, 0, 25)] == ["text 49 " * 49, "", "text 25 " * 25]
        assert journal["last"].text == "x"
        with pytest.raises(KeyError):
            journal["none"]


def test_a_journal_that_is_changed_under_our_hands_is_told(tmp_path):
    with Journal(tmp_path) as journal:
        journal.add(answer("a"))
        journal.path.write_bytes(journal.path.read_bytes().replace(b"{", b"["))
        with pytest.raises(InternalError, match="changed while it was in use"):
            journal["a"]
