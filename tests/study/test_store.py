"""The database: what is acknowledged is kept, histories are only added to, ids are a rater's own."""

import signal
import sqlite3
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import equipoise
from equipoise.errors import ConfigurationError, DependencyError, InputError, UpstreamError, UsageError
from equipoise.study.database import APPEND_ONLY, tables
from equipoise.study.history import EventKind, Standing
from equipoise.study.shipped import template
from equipoise.study.store import Item, create_store, open_store

AT = "2026-11-30T12:00:00+00:00"
SURE = {"label": "Supported", "reason": "evidence-supports", "harm": "no", "confidence": "sure"}


def press(store, rater, public, kind=EventKind.ANSWER, *, key="1", **more):
    return store.record(rater, public, kind, press=key, at=AT, **more)


def first(store, rater="a"):
    return store.assignments(rater)[0].public


def test_a_label_is_there_after_the_database_is_opened_again(tmp_path, filled):
    public = first(filled)
    press(filled, "a", public, answers=SURE, comment="clear", seconds=12.5)
    filled.close()
    with open_store(tmp_path / "study.sqlite") as again:
        state = again.states()[public]
        assert (state.answers, state.comment, state.seconds) == (SURE, "clear", 12.5)
        assert state.standing(again.protocol) is Standing.COMPLETE


def test_a_half_answered_item_is_partial_and_cannot_be_locked(filled):
    public = first(filled)
    state = press(filled, "a", public, answers={"label": "Supported"})
    assert state.standing(filled.protocol) is Standing.PARTIAL
    with pytest.raises(UsageError, match="not complete"):
        press(filled, "a", public, EventKind.LOCK, key="2")


def test_undo_goes_back_step_by_step_and_the_history_keeps_all(filled):
    public = first(filled)
    press(filled, "a", public, answers={"label": "Supported"})
    press(filled, "a", public, key="2", answers={"label": "Unsupported"})
    assert press(filled, "a", public, EventKind.UNDO, key="3").answers == {"label": "Supported"}
    assert press(filled, "a", public, EventKind.UNDO, key="4").answers == {}
    with pytest.raises(UsageError, match="nothing to undo"):
        press(filled, "a", public, EventKind.UNDO, key="5")
    kinds = [str(event.kind) for event in filled.history("a", public)]
    assert kinds == ["answer", "answer", "undo", "undo"]


def test_a_skip_needs_a_reason_and_is_no_label(filled):
    public = first(filled)
    with pytest.raises(UsageError, match=r"field reason: expected a reason for this \(skip\)"):
        press(filled, "a", public, EventKind.SKIP)
    press(filled, "a", public, answers=SURE)
    state = press(filled, "a", public, EventKind.SKIP, key="2", reason="I treated this patient")
    assert state.standing(filled.protocol) is Standing.SKIPPED
    assert state.answers == {}
    assert press(filled, "a", public, EventKind.UNDO, key="3").answers == SURE


def test_a_locked_item_changes_only_after_it_is_reopened_with_a_reason(filled):
    public = first(filled)
    press(filled, "a", public, answers=SURE)
    assert press(filled, "a", public, EventKind.LOCK, key="2").locked
    for kind in (EventKind.ANSWER, EventKind.UNDO, EventKind.SKIP):
        with pytest.raises(UsageError, match="locked"):
            press(filled, "a", public, kind, key="3", answers=SURE, reason="x")
    with pytest.raises(UsageError, match="expected a reason"):
        press(filled, "a", public, EventKind.REOPEN, key="4")
    assert not press(filled, "a", public, EventKind.REOPEN, key="5", reason="slip").locked


def test_a_press_sent_twice_counts_once(filled):
    public = first(filled)
    press(filled, "a", public, answers=SURE)
    press(filled, "a", public, answers={"label": "Unsupported"})
    assert len(filled.history("a", public)) == 1
    assert filled.states()[public].answers == SURE


def test_two_windows_do_not_overwrite_each_other(filled):
    public = first(filled)
    press(filled, "a", public, answers=SURE, after=0)
    with pytest.raises(UsageError, match="changed in another window"):
        press(filled, "a", public, key="2", answers={"label": "Unsupported"}, after=0)
    assert filled.states()[public].answers == SURE


@pytest.mark.parametrize(
    ("answers", "fault"),
    [
        ({"label": "Unsafe"}, "field label: 'Unsafe' is no answer; expected one of Supported"),
        ({"labels": "Supported"}, "there is no question 'labels'"),
        ({"label": ["Supported"]}, "is no answer"),
        ({"label": "Insufficient Information", "missing": "ecog"}, "field missing: expected a list"),
        ({"label": "Insufficient Information", "missing": ["weight"]}, "'weight' is no answer"),
        ({"label": "Supported", "rationale": "x" * 10_001}, "at most 10000 characters"),
    ],
)
def test_an_answer_that_does_not_exist_is_refused_and_nothing_is_lost(filled, answers, fault):
    public = first(filled)
    press(filled, "a", public, answers=SURE)
    with pytest.raises(UsageError, match=fault.replace("(", r"\(")):
        press(filled, "a", public, key="2", answers=answers)
    assert filled.states()[public].answers == SURE


def test_an_answer_to_a_question_that_is_not_asked_is_not_kept(filled):
    state = press(filled, "a", first(filled), answers={**SURE, "missing": ["ecog"]})
    assert "missing" not in state.answers


def test_an_item_meets_every_rater_under_another_id(filled):
    ids = [item.public for item in filled.assignments()]
    assert len(set(ids)) == 8
    with pytest.raises(UsageError, match="no such item in this queue"):
        press(filled, "b", first(filled, "a"), answers=SURE)
    with pytest.raises(UsageError, match="no such item in this queue"):
        filled.history("b", first(filled, "a"))


def test_what_is_assigned_twice_is_assigned_once(filled):
    before = filled.assignments()
    assert filled.assign([("a", "case-0", "main", 1)], draw=lambda _: "other", at=AT) == 0
    assert filled.assignments() == before
    with pytest.raises(UsageError, match="there is no rater 'z'"):
        filled.assign([("z", "case-0", "main", 1)], draw=lambda _: "other", at=AT)
    with pytest.raises(UsageError, match="there is no item 'case-9'"):
        filled.assign([("a", "case-9", "main", 1)], draw=lambda _: "other", at=AT)


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET at = 'now'"])
def test_a_history_refuses_change_even_by_hand(tmp_path, filled, table, statement):
    press(filled, "a", first(filled), answers=SURE)
    with filled.transaction() as connection:
        row = {"item": 1, "value": "Supported", "reason": "", "by": "x", "agreed": "[]", "rationales": "[]", "at": AT}
        filled.add(connection, "decisions", [row])
    with sqlite3.connect(tmp_path / "study.sqlite") as connection:
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] >= 1
        with pytest.raises(sqlite3.IntegrityError, match=f"rows of {table} are only added"):
            connection.execute(statement.format(table))


def test_the_same_items_again_change_nothing_and_others_are_refused_whole(filled):
    same = Item(name="case-0", shown={"patient_summary": "text 0"}, hidden={"label": "Supported"})
    assert filled.add_items([same], at=AT, origin="again") == (0, 1)
    before = filled.items_hash()
    with pytest.raises(InputError, match="'case-0' is in the study with another content"):
        filled.add_items([Item(name="new", shown={}), Item(name="case-0", shown={})], at=AT, origin="other")
    assert filled.items_hash() == before


def test_a_changed_protocol_stands_beside_the_first_with_its_reason(filled):
    first_hash = filled.protocol.hash
    changed = template("four-label").text.replace("seed: 1", "seed: 2")
    press(filled, "a", first(filled), answers=SURE)
    with pytest.raises(UsageError, match="expected a reason for the change"):
        filled.amend(changed, reason=" ", at=AT)
    with pytest.raises(ConfigurationError):
        filled.amend("version: 2", reason="x", at=AT)
    filled.amend(changed, reason="a third rater joined", at=AT)
    assert [row["hash"] for row in filled.versions()] == [first_hash, filled.protocol.hash]
    assert filled.versions()[1]["reason"] == "a third rater joined"


def test_a_database_is_made_once(tmp_path, store):
    with pytest.raises(UsageError, match="there is a study in this database"):
        create_store(tmp_path / "study.sqlite", template("four-label").text, at=AT)


def test_what_is_no_study_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    with pytest.raises(UsageError, match="begin one with `equipoise study init`"):
        open_store(tmp_path / "none.sqlite")
    (tmp_path / "text.sqlite").write_text("not a database, but long enough to look like one" * 40, encoding="utf-8")
    with pytest.raises(UpstreamError, match="no database of a study"):
        open_store(tmp_path / "text.sqlite")
    with pytest.raises(UsageError, match="no database of this kind is known: nothing"):
        open_store("nothing://host/x")
    with pytest.raises(DependencyError, match="the driver psycopg2 of this database is not installed"):
        open_store("postgresql+psycopg2://host/name")
    with pytest.raises(UsageError, match="not the URL of a database"):
        open_store("://")


WRITER = """
    import itertools, sys
    from equipoise.study.history import EventKind
    from equipoise.study.store import open_store

    store = open_store(sys.argv[1])
    queue = [item.public for item in store.assignments("a")]
    for number in itertools.count():
        label = ("Supported", "Unsupported")[number % 2]
        state = store.record(
            "a", queue[number % len(queue)], EventKind.ANSWER, press=f"{sys.argv[2]}-{number}", at="2026-11-30T12:00:00",
            answers={"label": label},
        )
        print(queue[number % len(queue)], state.number, label, flush=True)
"""


def test_a_killed_writer_loses_no_acknowledged_label(tmp_path, filled):
    """Killed five times between any two instructions: every label that was acknowledged is in the history."""
    filled.close()
    place = tmp_path / "study.sqlite"
    source = str(Path(equipoise.__file__).parents[1])
    acknowledged = []
    for turn in range(5):
        child = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(WRITER), str(place), str(turn)],
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": source, "PATH": ""},
        )
        lines = [child.stdout.readline() for _ in range(4 + 3 * turn)]
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read()
        child.stdout.close()
        assert child.wait() == -signal.SIGKILL
        acknowledged += [line.split() for line in "".join([*lines, rest]).splitlines() if len(line.split()) == 3]
    assert len(acknowledged) >= 50
    with open_store(place) as store:
        for public in {line[0] for line in acknowledged}:
            history = store.history("a", public)
            assert [event.number for event in history] == list(range(1, len(history) + 1))
            kept = {str(event.number): event.answers["label"] for event in history}
            assert all(kept[number] == label for name, number, label in acknowledged if name == public)


def test_raters_who_label_at_once_lose_nothing(filled):
    """Two raters, eight threads: every press is in a history, and the histories have no gap."""
    queue = [(item.rater, item.public) for item in filled.assignments()]

    def work(place):
        rater, public = queue[place]
        return [
            press(
                filled, rater, public, key=f"{turn}", answers={"label": ("Supported", "Unsupported")[turn % 2]}
            ).number
            for turn in range(10)
        ]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [list(range(1, 11))] * 8
    assert {state.number for state in filled.states().values()} == {10}


def test_two_threads_on_one_item_are_put_in_order_or_refused(filled):
    public = first(filled)

    def work(key):
        try:
            return press(filled, "a", public, key=key, answers=SURE, after=0).number
        except UsageError:
            return 0

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(work, "abcd")) == [0, 0, 0, 1]
    assert len(filled.history("a", public)) == 1


def test_a_reader_does_not_wait_for_a_writer(filled):
    with filled.transaction() as writing:
        filled.log(writing, at=AT, actor="x", what="y", detail={})
        with ThreadPoolExecutor(1) as pool:
            assert len(pool.submit(filled.states, "a").result(timeout=20)) == 4


def test_states_of_one_rater_are_those_of_the_rater_alone(filled):
    press(filled, "a", first(filled, "a"), answers=SURE)
    press(filled, "b", first(filled, "b"), answers={"label": "Unsupported"})
    mine = filled.states("a")
    assert set(mine) == {item.public for item in filled.assignments("a")}
    assert {public: state for public, state in filled.states().items() if public in mine} == mine
    assert filled.states("nobody") == {}
    assert filled.assignments("nobody") == ()


def test_the_tables_can_be_made_elsewhere():
    """The statements for PostgreSQL are written without an error; no server takes them here."""
    from sqlalchemy.dialects import postgresql
    from sqlalchemy.schema import CreateTable

    made = [str(CreateTable(table).compile(dialect=postgresql.dialect())) for table in tables().sorted_tables]
    assert len(made) == 12
    assert all("SERIAL" in text for text in made if "id " in text)
