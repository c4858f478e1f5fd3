"""What a rater sees, when agreement may be seen, and how queues come from the protocol."""

import dataclasses
import itertools
import json

import pytest
import yaml

from equipoise.errors import UsageError
from equipoise.study.history import EventKind
from equipoise.study.planning import assign_all
from equipoise.study.raters import add_rater, raters
from equipoise.study.reveal import require_revealed, unfinished
from equipoise.study.shipped import template
from equipoise.study.store import Item, create_store
from equipoise.study.view import next_public, rater_view, recent

AT = "2026-11-30T12:00:00+00:00"
FULL = {"label": "Supported", "reason": "evidence-supports", "harm": "no", "confidence": "sure"}
SECRETS = {
    "support_label": "REFERENCE-7",
    "model": "MODEL-7",
    "system": "SYSTEM-7",
    "error_type": "STRATUM-7",
    "arm": "ARM-7",
}


def study(tmp_path, change=None, *, items=20):
    value = yaml.safe_load(template("four-label").text)
    value["items"] |= {"reference": "support_label", "stratum": "error_type"}
    value |= change or {}
    store = create_store(tmp_path / "s.sqlite", yaml.safe_dump(value), at=AT)
    made = [
        Item(
            name=f"SOURCE-{number}",
            shown={"patient_summary": f"text {number}", "proposed_therapy": "invented", "extra": "EXTRA-7"},
            hidden=SECRETS | {"error_type": f"STRATUM-{number % 2}"},
        )
        for number in range(items)
    ]
    store.add_items(made, at=AT, origin="made up")
    for code in ("COLLEAGUE-a", "COLLEAGUE-b"):
        add_rater(store, code, at=AT)
    return store


def draw():
    numbers = itertools.count(100)
    return lambda _: f"p{next(numbers)}"


@pytest.fixture
def ready(tmp_path):
    with study(tmp_path) as store:
        assign_all(store, draw=draw(), at=AT)
        yield store


def answer(store, rater, public, answers=FULL, key="1", **more):
    return store.record(rater, public, EventKind.ANSWER, press=key, at=AT, answers=answers, **more)


def test_no_word_of_source_reference_stratum_or_colleague_is_in_a_view(ready):
    for item in ready.assignments("COLLEAGUE-b"):
        answer(ready, "COLLEAGUE-b", item.public, comment="OTHER-COMMENT")
    for item in ready.assignments("COLLEAGUE-a"):
        text = json.dumps(dataclasses.asdict(rater_view(ready, "COLLEAGUE-a", item.public)), default=str)
        assert "text" in text
        for word in ("-7", "STRATUM", "SOURCE", "COLLEAGUE", "OTHER", "evidence-supports"):
            assert word not in text


def test_the_standing_that_is_kept_is_the_one_that_follows_from_the_history(ready):
    """After every kind of event, and after a protocol that asks for less."""

    def agree():
        with ready.reading() as connection:
            kept = {row["public"]: row["standing"] for row in ready.rows(connection, "assignments")}
        return kept == {public: str(state.standing(ready.protocol)) for public, state in ready.states().items()}

    queue = [item.public for item in ready.assignments("COLLEAGUE-a")]
    steps = [
        (EventKind.ANSWER, {"answers": {"label": "Supported"}}),
        (EventKind.ANSWER, {"answers": FULL}),
        (EventKind.UNDO, {}),
        (EventKind.SKIP, {"reason": "mine"}),
        (EventKind.UNDO, {}),
        (EventKind.UNDO, {}),
        (EventKind.ANSWER, {"answers": {"label": "Supported"}}),
    ]
    for number, (kind, more) in enumerate(steps):
        ready.record("COLLEAGUE-a", queue[0], kind, press=str(number), at=AT, **more)
        assert agree()
    value = yaml.safe_load(template("four-label").text)
    value["questions"] = [question | {"required": question["id"] == "label"} for question in value["questions"]]
    ready.amend(yaml.safe_dump(value), reason="too long", at=AT)
    assert agree()
    assert rater_view(ready, "COLLEAGUE-a", queue[0]).done == 1
    assert next_public(ready, "COLLEAGUE-a") == queue[1]


def test_two_raters_share_no_id_and_no_order(ready):
    mine, other = (ready.assignments(code) for code in ("COLLEAGUE-a", "COLLEAGUE-b"))
    assert not {item.public for item in mine} & {item.public for item in other}
    assert [item.item for item in mine] != [item.item for item in other]
    assert {item.item for item in mine} == {item.item for item in other}


def test_an_item_of_a_colleague_looks_like_none(ready):
    other = ready.assignments("COLLEAGUE-b")[0].public
    told = []
    for public in (other, "nothing"):
        with pytest.raises(UsageError) as caught:
            rater_view(ready, "COLLEAGUE-a", public)
        told.append(str(caught.value))
    assert told[0] == told[1]


def test_the_queue_goes_on_where_it_was_left(ready):
    queue = [item.public for item in ready.assignments("COLLEAGUE-a")]
    assert next_public(ready, "COLLEAGUE-a") == queue[0]
    answer(ready, "COLLEAGUE-a", queue[0])
    ready.record("COLLEAGUE-a", queue[1], EventKind.SKIP, press="1", at=AT, reason="my patient")
    answer(ready, "COLLEAGUE-a", queue[2], {"label": "Supported"})
    assert next_public(ready, "COLLEAGUE-a") == queue[2]
    view = rater_view(ready, "COLLEAGUE-a", queue[2])
    assert (view.place, view.total, view.done, view.state.answers) == (3, 22, 2, {"label": "Supported"})
    assert recent(ready, "COLLEAGUE-a") == (queue[2], queue[1], queue[0])
    for public in queue[2:]:
        answer(ready, "COLLEAGUE-a", public, key="2")
    assert next_public(ready, "COLLEAGUE-a") is None


def test_a_locked_item_is_not_offered_for_change(ready):
    public = ready.assignments("COLLEAGUE-a")[0].public
    answer(ready, "COLLEAGUE-a", public)
    ready.record("COLLEAGUE-a", public, EventKind.LOCK, press="2", at=AT)
    assert recent(ready, "COLLEAGUE-a") == ()


def test_a_stopping_rule_ends_the_queue(tmp_path):
    with study(tmp_path, {"stopping": {"rule": "labels", "labels": 3}}) as store:
        assign_all(store, draw=draw(), at=AT)
        for code in ("COLLEAGUE-a", "COLLEAGUE-b"):
            assert unfinished(store)[code] == 3
            for _ in range(3):
                answer(store, code, next_public(store, code))
            assert next_public(store, code) is None
        assert unfinished(store) == {}


def test_agreement_is_hidden_until_all_have_finished(ready):
    for item in ready.assignments("COLLEAGUE-a"):
        answer(ready, "COLLEAGUE-a", item.public)
    assert unfinished(ready) == {"COLLEAGUE-b": 22}
    with pytest.raises(UsageError, match=r"raters still have items to label \(COLLEAGUE-b 22\)"):
        require_revealed(ready, at=AT)
    for item in ready.assignments("COLLEAGUE-b"):
        ready.record("COLLEAGUE-b", item.public, EventKind.SKIP, press="1", at=AT, reason="no time")
    require_revealed(ready, at=AT)


def test_seeing_it_earlier_is_written_down(ready):
    require_revealed(ready, at=AT, unblind="the safety board asked")
    with ready.transaction() as connection:
        last = ready.rows(connection, "log")[-1]
    assert (last["what"], json.loads(last["detail"])["reason"]) == ("unblind", "the safety board asked")


def test_a_protocol_may_never_show_it(tmp_path):
    with (
        study(tmp_path, {"reveal": "never"}) as store,
        pytest.raises(UsageError, match="the protocol never shows agreement here"),
    ):
        require_revealed(store, at=AT)


def test_queues_come_from_the_protocol_once(tmp_path):
    change = {
        "attention": {"items": [{"item": "SOURCE-0", "expected": {"label": "Supported"}}]},
        "training": [{"item": "SOURCE-1", "expected": {"label": "Supported"}}],
    }
    with study(tmp_path, change, items=0) as store:
        with pytest.raises(UsageError, match="item 'SOURCE-1' of the protocol is not in the study"):
            assign_all(store, draw=draw(), at=AT)
        roles = ("attention", "training", *["main"] * 10)
        made = [Item(name=f"SOURCE-{number}", shown={}, role=role) for number, role in enumerate(roles)]
        store.add_items(made, at=AT, origin="made up")
        assert assign_all(store, draw=draw(), at=AT) == 2 * (10 + 1 + 1 + 1)
        queue = store.assignments("COLLEAGUE-a")
        assert queue[0].purpose == "training"
        assert rater_view(store, "COLLEAGUE-a", queue[0].public).practice
        with pytest.raises(UsageError, match="the queues were drawn already"):
            assign_all(store, draw=draw(), at=AT)


def test_the_planned_raters_must_be_there(tmp_path):
    with study(tmp_path) as store:
        add_rater(store, "third", at=AT)
        add_rater(store, "judge", at=AT, role="adjudicator")
        assert len(raters(store)) == 4
        with pytest.raises(UsageError, match="the protocol plans 2 raters; the study has 3"):
            assign_all(store, draw=draw(), at=AT)


def test_without_items_nothing_is_drawn(tmp_path):
    with study(tmp_path, items=0) as store, pytest.raises(UsageError, match="there are no items to label"):
        assign_all(store, draw=draw(), at=AT)


def test_the_same_seed_draws_the_same_queues_under_other_ids(tmp_path):
    queues = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with study(tmp_path / name) as store:
            assign_all(store, draw=(lambda ids, mark: lambda _: f"{mark}{next(ids)}")(itertools.count(), name), at=AT)
            queues.append(store.assignments())
    assert [(item.rater, item.item, item.purpose) for item in queues[0]] == [
        (item.rater, item.item, item.purpose) for item in queues[1]
    ]
    assert not {item.public for item in queues[0]} & {item.public for item in queues[1]}
