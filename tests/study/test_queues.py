"""Questions about a queue that are answered without reading it whole."""

import pytest

from equipoise.study.history import EventKind, Standing
from equipoise.study.queues import changed, last_changed, lock_all, neighbours, press_number, progress
from equipoise.study.store import Store
from study.conftest import AT

ANSWERS = {"label": "Supported", "reason": "evidence-supports", "harm": "no", "confidence": "sure"}


def public(store, place, rater="a"):
    return store.assignments(rater)[place - 1].public


def label(store, place, rater="a", press="press-one"):
    store.record(rater, public(store, place, rater), EventKind.ANSWER, press=press, at=AT, answers=ANSWERS)


def test_neighbours_of_the_first_a_middle_and_the_last_item(filled):
    names = [public(filled, place) for place in (1, 2, 3, 4)]
    found = [neighbours(filled, "a", place) for place in (1, 2, 3, 4)]
    assert [one.before for one in found] == [None, *names[:3]]
    assert [one.after for one in found] == [*names[1:], None]


def test_what_was_changed_last_comes_first_and_final_items_are_left_out(filled):
    for place in (3, 1, 2):
        label(filled, place)
    label(filled, 4, rater="b")
    assert [entry.place for entry in last_changed(filled, "a", most=10)] == [2, 1, 3]
    assert [entry.place for entry in last_changed(filled, "a", most=1)] == [2]
    filled.record("a", public(filled, 1), EventKind.LOCK, press="lock-one", at=AT)
    assert [entry.place for entry in last_changed(filled, "a", most=10)] == [2, 3]
    listed = changed(filled, "a", offset=0, most=10)
    assert [(entry.place, entry.locked) for entry in listed] == [(1, True), (2, False), (3, False)]
    assert {entry.standing for entry in listed} == {Standing.COMPLETE}
    assert [entry.place for entry in changed(filled, "a", offset=1, most=1)] == [2]


def test_progress_counts_own_items_only(filled):
    label(filled, 1)
    filled.record("a", public(filled, 2), EventKind.SKIP, press="skip-it", at=AT, reason="garbled")
    label(filled, 1, rater="b")
    found = progress(filled, "a")
    assert (found.total, found.done, found.locked, found.ended) == (4, 2, 0, False)


def test_the_end_is_reached_with_the_last_item_or_with_the_labels_of_the_protocol(filled):
    for place in (1, 2, 3):
        label(filled, place)
    assert not progress(filled, "a").ended
    stopping = filled.protocol.stopping.model_copy(update={"rule": "labels", "labels": 3})
    short = Store(filled._engine, filled.protocol.model_copy(update={"stopping": stopping}))
    assert progress(short, "a").ended
    label(filled, 4)
    assert progress(filled, "a").ended


def test_all_finished_items_become_final_together_and_once(filled):
    for place in (1, 2):
        label(filled, place)
    label(filled, 1, rater="b")
    assert lock_all(filled, "a", press="the-lock", at=AT) == 2
    assert lock_all(filled, "a", press="the-lock", at=AT) == 0
    assert [filled.states("a")[public(filled, place)].locked for place in (1, 2, 3)] == [True, True, False]
    assert not filled.states("b")[public(filled, 1, "b")].locked
    assert progress(filled, "a").locked == 2


def test_a_reopened_item_becomes_final_again(filled):
    label(filled, 1)
    lock_all(filled, "a", press="the-lock", at=AT)
    filled.record("a", public(filled, 1), EventKind.REOPEN, press="reopen-it", at=AT, reason="read again")
    assert progress(filled, "a").locked == 0
    assert lock_all(filled, "a", press="later-lock", at=AT) == 1


@pytest.mark.parametrize(
    ("rater", "press", "number"), [("a", "press-one", 1), ("a", "other", None), ("b", "press-one", None)]
)
def test_the_number_of_a_press_is_told_to_its_own_rater(filled, rater, press, number):
    label(filled, 1)
    assert press_number(filled, rater, public(filled, 1), press) == number
