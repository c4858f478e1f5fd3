"""How far a study is: counts against the histories themselves, pace by day, attention checks, when it may be seen."""

from collections import Counter

import pytest
import yaml

from equipoise.errors import UsageError
from equipoise.study.history import EventKind
from equipoise.study.planning import assign_all
from equipoise.study.progress import attention_checks, day_table, locked_by_all, pace, progress
from equipoise.study.raters import add_rater
from equipoise.study.reveal import reveal, unblind, unfinished
from equipoise.study.shipped import template
from equipoise.study.store import Item, create_store

AT = "2026-11-30T12:00:00+00:00"
SURE = {"label": "Supported", "reason": "evidence-supports", "harm": "no", "confidence": "sure"}


def study(tmp_path, change=None, items=6, checks=("SOURCE-0", "SOURCE-1")):
    value = yaml.safe_load(template("four-label").text)
    value["order"] |= {"repeats": 0.0}
    value["attention"] = {"items": [{"item": name, "expected": {"label": "Supported"}} for name in checks]}
    value |= change or {}
    store = create_store(tmp_path / "study.sqlite", yaml.safe_dump(value), at=AT)
    shown = {"patient_summary": "x", "proposed_therapy": "y"}
    made = [
        Item(name=f"SOURCE-{number}", shown=shown, role="attention" if f"SOURCE-{number}" in checks else "main")
        for number in range(items)
    ]
    store.add_items(made, at=AT, origin="made up")
    for code in ("a", "b"):
        add_rater(store, code, at=AT)
    numbers = iter(range(10_000))
    assign_all(store, draw=lambda _: f"p{next(numbers)}", at=AT)
    return store


@pytest.fixture
def ready(tmp_path):
    with study(tmp_path) as store:
        yield store


def press(store, rater, place, kind=EventKind.ANSWER, key="1", at=AT, **more):
    if kind is EventKind.ANSWER:
        more = {"answers": SURE} | more
    return store.record(rater, store.assignments(rater)[place].public, kind, press=key, at=at, **more)


def row(store, code):
    return next(found for found in progress(store) if found.code == code)


def test_the_counts_are_those_of_the_histories(ready):
    press(ready, "a", 0)
    press(ready, "a", 1, answers={"label": "Supported"})
    press(ready, "a", 2, EventKind.SKIP, reason="my patient")
    press(ready, "a", 3)
    press(ready, "a", 3, EventKind.UNDO, key="2")
    press(ready, "a", 4)
    press(ready, "a", 4, EventKind.LOCK, key="2")
    found = row(ready, "a")
    states = ready.states("a")
    counted = Counter(str(state.standing(ready.protocol)) for state in states.values())
    assert (found.complete, found.partial, found.skipped, found.open) == tuple(
        counted[name] for name in ("complete", "partial", "skipped", "open")
    )
    assert (found.given, found.locked, found.left, found.finished) == (6, 1, 3, False)
    press(ready, "a", 4, EventKind.REOPEN, key="3", reason="slip")
    assert row(ready, "a").locked == 0
    assert row(ready, "b").given == row(ready, "b").open == 6


def test_a_rater_is_done_when_everything_is_and_locked_when_everything_is(ready):
    for code in ("a", "b"):
        for place in range(6):
            press(ready, code, place)
    assert (unfinished(ready), locked_by_all(progress(ready))) == ({}, False)
    for code in ("a", "b"):
        for place in range(6):
            press(ready, code, place, EventKind.LOCK, key="2")
    assert locked_by_all(progress(ready))


def test_a_stopping_rule_counts_what_is_wanted(tmp_path):
    with study(tmp_path, {"stopping": {"rule": "labels", "labels": 2}}) as store:
        assert row(store, "a").left == 2
        for place in range(2):
            press(store, "a", place)
            press(store, "a", place, EventKind.LOCK, key="2")
        assert (row(store, "a").left, row(store, "a").finished, row(store, "a").shut) == (0, True, True)
        assert unfinished(store) == {"b": 2}


def test_imported_labels_and_thirds_are_nobodys_work(ready):
    numbers = iter(range(10))
    add_rater(ready, "file", at=AT)
    add_rater(ready, "judge", at=AT, role="adjudicator")
    turns = [("file", "SOURCE-3", "import", 1), ("judge", "SOURCE-3", "third", 1)]
    ready.assign(turns, draw=lambda _: f"x{next(numbers)}", at=AT)
    assert row(ready, "judge").given == 0
    assert row(ready, "file").given == 0
    assert row(ready, "file").imported == 1
    assert "file" not in unfinished(ready)


def test_pace_is_items_and_minutes_by_day_and_a_window_left_open_does_not_count(ready):
    for place, seconds in enumerate((30.0, 90.0)):
        press(ready, "a", place, seconds=seconds, at="2026-11-29T10:00:00+00:00")
    press(ready, "a", 0, key="2", seconds=60.0, at="2026-11-29T10:01:00+00:00")
    press(ready, "a", 2, seconds=50_000.0)
    press(ready, "b", 0, EventKind.SKIP, reason="x", at="2026-11-01T10:00:00+00:00")
    found = pace(ready, as_of="2026-11-30", days=14)
    days = [(day.rater, day.day, day.items, day.minutes) for day in found]
    assert days == [("a", "2026-11-29", 2, 2.5), ("a", "2026-11-30", 1, 10.0)]
    table = day_table(found, as_of="2026-11-30", days=3)
    assert [(name, items) for name, items, _ in table] == [("2026-11-28", 0), ("2026-11-29", 2), ("2026-11-30", 1)]


def test_an_undone_press_is_still_work_of_its_day(ready):
    press(ready, "a", 0, seconds=30.0)
    press(ready, "a", 0, EventKind.UNDO, key="2", at="2026-12-01T12:00:00+00:00")
    assert [(day.day, day.items) for day in pace(ready, as_of="2026-12-01")] == [("2026-11-30", 1)]


def test_attention_is_held_against_the_threshold_of_the_protocol(ready):
    checks = [place for place, given in enumerate(ready.assignments("a")) if given.purpose == "attention"]
    press(ready, "a", checks[0])
    press(ready, "a", checks[1], answers=SURE | {"label": "Unsupported"})
    found = {check.rater: check for check in attention_checks(ready)}
    assert (found["a"].right, found["a"].answered, found["a"].given, found["a"].told_apart) == (1, 2, 2, True)
    assert (found["b"].answered, found["b"].told_apart) == (0, None)
    press(ready, "a", checks[1], EventKind.UNDO, key="2")
    assert attention_checks(ready)[0].told_apart is False


def test_attention_as_on_this_page_is_attention_as_in_the_report(ready):
    from equipoise.study.analysis import analyse
    from equipoise.study.exporting import study_run

    for code, wrong in (("a", 1), ("b", 2)):
        checks = [place for place, given in enumerate(ready.assignments(code)) if given.purpose == "attention"]
        for number, place in enumerate(checks):
            value = "Unsupported" if number < wrong else "Supported"
            press(ready, code, place, answers=SURE | {"label": value})
    assert attention_checks(ready) == analyse(study_run(ready, at=AT), ready.protocol).attention


def test_a_study_without_checks_has_none(tmp_path):
    with study(tmp_path, {"attention": {"items": []}}, checks=()) as store:
        assert attention_checks(store) == ()


def test_what_may_be_seen_follows_the_protocol_and_an_unblinding_stays_written_down(ready):
    state = reveal(ready)
    assert (state.shown, state.left) == (False, {"a": 6, "b": 6})
    assert "raters still have items to label" in state.why
    with pytest.raises(UsageError, match="field reason: expected the reason"):
        unblind(ready, reason=" ", at=AT, actor="chief")
    assert not reveal(ready).shown
    unblind(ready, reason="the safety board asked", at=AT, actor="chief")
    state = reveal(ready)
    assert (state.shown, state.unblinded[0].reason, state.unblinded[0].actor) == (
        True,
        "the safety board asked",
        "chief",
    )


def test_a_protocol_that_never_shows_it_keeps_to_that(tmp_path):
    with study(tmp_path, {"reveal": "never"}) as store:
        for code in ("a", "b"):
            for place in range(6):
                press(store, code, place)
        assert (reveal(store).shown, reveal(store).left) == (False, {})
        assert "never" in reveal(store).why
