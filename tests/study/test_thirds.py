"""The third rater's queue: who decides what, under ids of his or her own, without a name of anybody."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from equipoise.errors import UsageError
from equipoise.study.adjudication import decide, decisions
from equipoise.study.history import EventKind
from equipoise.study.raters import add_rater, forget
from equipoise.study.shipped import template
from equipoise.study.store import Item, create_store
from equipoise.study.thirds import decide_third, hand_out, spread, third_queue, third_view

AT = "2026-11-30T12:00:00+00:00"
CASES = yaml.safe_load((Path(__file__).parent / "thirds.yaml").read_text(encoding="utf-8"))
SURE = {"reason": "evidence-supports", "harm": "no", "confidence": "sure"}


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_worked_cases(case, seed):
    items = {f"i{number}": raters for number, raters in enumerate(case["given"])}
    loads = dict.fromkeys(case["adjudicators"], 0) | case["loads"]
    made = spread(items, loads, rng=np.random.default_rng(seed))
    after = dict(loads)
    for item, code in made.items():
        assert code not in items[item]
        after[code] += 1
    assert len(items) - len(made) == case["left"]
    if "wanted" in case:
        assert after == case["wanted"]
    if "total" in case:
        assert sum(after.values()) == case["total"]
    if "spread" in case:
        assert max(after.values()) - min(after.values()) == case["spread"]


def test_the_draw_depends_on_the_seed_and_on_nothing_else():
    items = {f"i{number}": ["a", "b"] for number in range(30)}
    drawn = [spread(items, {"x": 0, "y": 0}, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


def ids(mark="p"):
    numbers = iter(range(10_000))
    return lambda size: f"{mark}{next(numbers)}"


@pytest.fixture
def split(tmp_path):
    """Eight items of COLLEAGUE-a and COLLEAGUE-b, who differ on all but SOURCE-0; two adjudicators; decided by a third."""
    text = template("four-label").text.replace("by: consensus", "by: third-rater")
    with create_store(tmp_path / "study.sqlite", text, at=AT) as store:
        shown = {"patient_summary": "text", "proposed_therapy": "invented"}
        items = [Item(name=f"SOURCE-{number}", shown=shown, hidden={"label": "REFERENCE"}) for number in range(8)]
        store.add_items(items, at=AT, origin="made up")
        for code in ("COLLEAGUE-a", "COLLEAGUE-b"):
            add_rater(store, code, at=AT)
        for code in ("judge-x", "judge-y"):
            add_rater(store, code, at=AT, role="adjudicator")
        turns = [(code, item.name, "main", 1) for code in ("COLLEAGUE-a", "COLLEAGUE-b") for item in items]
        store.assign(turns, draw=ids("q"), at=AT)
        for rater in ("COLLEAGUE-a", "COLLEAGUE-b"):
            for place, given in enumerate(store.assignments(rater)):
                value = "Unsupported" if rater == "COLLEAGUE-b" and place else "Supported"
                answers = SURE | {"label": value, "rationale": f"because {value}"}
                store.record(rater, given.public, EventKind.ANSWER, press="1", at=AT, answers=answers, comment="mine")
                store.record(rater, given.public, EventKind.LOCK, press="2", at=AT)
        yield store


def test_every_disagreement_is_handed_out_once_and_evenly(split):
    done = hand_out(split, draw=ids(), at=AT)
    assert (done.new, done.left) == (7, 0)
    queues = {code: third_queue(split, code) for code in ("judge-x", "judge-y")}
    assert sorted(len(queue) for queue in queues.values()) == [3, 4]
    again = hand_out(split, draw=ids("r"), at=AT)
    assert (again.new, again.left) == (0, 0)
    assert queues == {code: third_queue(split, code) for code in queues}


def test_nothing_is_handed_out_while_somebody_still_labels(split):
    public = split.assignments("COLLEAGUE-a")[2].public
    split.record("COLLEAGUE-a", public, EventKind.REOPEN, press="3", at=AT, reason="slip")
    with pytest.raises(UsageError, match=r"raters have not finished \(COLLEAGUE-a\)"):
        hand_out(split, draw=ids(), at=AT)
    assert third_queue(split, "judge-x") == ()


def test_without_an_adjudicator_the_items_are_left_and_counted(split):
    for code in ("judge-x", "judge-y"):
        forget(split, code, at=AT)
    done = hand_out(split, draw=ids(), at=AT)
    assert (done.new, done.left) == (0, 7)


def test_the_decider_meets_no_name_and_no_reference(split):
    hand_out(split, draw=ids(), at=AT)
    first = third_queue(split, "judge-x")[0]
    view = third_view(split, "judge-x", first.public)
    assert [side.letter for side in view.sides] == ["A", "B"]
    assert {side.label for side in view.sides} == {"Supported", "Unsupported"}
    for word in ("COLLEAGUE", "SOURCE", "REFERENCE", "judge-y"):
        assert word not in repr(view)
        assert word not in repr(third_queue(split, "judge-x"))


def test_an_item_of_another_adjudicator_looks_like_none(split):
    hand_out(split, draw=ids(), at=AT)
    told = []
    for public in (third_queue(split, "judge-y")[0].public, split.assignments("COLLEAGUE-a")[1].public, "nothing"):
        for reach in (third_view, lambda *a: decide_third(*a, "Supported", code="other", reason="x", at=AT)):
            with pytest.raises(UsageError) as caught:
                reach(split, "judge-x", public)
            told.append(str(caught.value))
    assert len(set(told)) == 1


def test_a_decision_names_who_had_said_so_and_leaves_the_queue(split):
    hand_out(split, draw=ids(), at=AT)
    public = third_queue(split, "judge-x")[0].public
    made = decide_third(split, "judge-x", public, "Unsupported", code="line-or-setting", reason="second line", at=AT)
    assert (made.by, made.agreed, made.code, made.why) == (
        "judge-x",
        ("COLLEAGUE-b",),
        "line-or-setting",
        "second line",
    )
    queue = third_queue(split, "judge-x")
    assert [(place.public, place.state) for place in queue if place.state == "decided"] == [(public, "decided")]
    view = third_view(split, "judge-x", public)
    assert [(made.value, made.why) for made in view.made] == [("Unsupported", "second line")]
    assert "COLLEAGUE" not in repr(view)
    assert len(decisions(split)) == 1


def test_a_decision_on_a_page_that_is_out_of_date_is_refused_and_a_press_sent_twice_counts_once(split):
    hand_out(split, draw=ids(), at=AT)
    public = third_queue(split, "judge-x")[0].public
    given = {"code": "other", "reason": "x", "at": AT, "after": 0}
    for _ in range(2):
        decide_third(split, "judge-x", public, "Unsupported", **given)
    assert len(decisions(split, every=True)) == 1
    with pytest.raises(UsageError, match="decided in another window"):
        decide_third(split, "judge-x", public, "Supported", **given)
    decide_third(split, "judge-x", public, "Supported", **given | {"after": 1})
    assert [made.value for made in decisions(split, every=True)] == ["Unsupported", "Supported"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"code": "none"}, "field code: 'none' is no reason code; expected one of"),
        ({"code": ""}, "field code: '' is no reason code"),
        ({"reason": "  "}, "field reason: expected the reason"),
    ],
)
def test_a_decision_needs_a_code_and_a_reason(split, change, fault):
    hand_out(split, draw=ids(), at=AT)
    public = third_queue(split, "judge-x")[0].public
    with pytest.raises(UsageError, match=fault):
        decide_third(split, "judge-x", public, "Supported", **({"code": "other", "reason": "x", "at": AT} | change))
    assert decisions(split) == ()


def test_an_item_that_is_no_disagreement_any_more_is_told_as_such(split):
    hand_out(split, draw=ids(), at=AT)
    first = third_queue(split, "judge-x")[0]
    name = next(given.item for given in split.assignments("judge-x") if given.public == first.public)
    public = next(given.public for given in split.assignments("COLLEAGUE-b") if given.item == name)
    split.record("COLLEAGUE-b", public, EventKind.REOPEN, press="3", at=AT, reason="misread")
    answers = SURE | {"label": "Supported"}
    split.record("COLLEAGUE-b", public, EventKind.ANSWER, press="4", at=AT, answers=answers)
    assert third_queue(split, "judge-x")[0].state == "settled"


def test_a_third_raters_queue_is_no_label_and_stops_nobody(split):
    from equipoise.study.exporting import rows
    from equipoise.study.reveal import unfinished

    hand_out(split, draw=ids(), at=AT)
    outcomes, _ = rows(split)
    assert {row["system"] for row in outcomes} == {"COLLEAGUE-a", "COLLEAGUE-b"}
    assert unfinished(split) == {}
    public = third_queue(split, "judge-x")[0].public
    decide_third(split, "judge-x", public, "Supported", code="slip", reason="typed wrongly", at=AT)
    outcomes, _ = rows(split)
    told = json.loads(next(row for row in outcomes if row["system"] == "adjudicated")["reply"])
    assert (told["code"], told["reason"], told["by"]) == ("slip", "typed wrongly", "judge-x")


def test_a_study_that_decides_by_consensus_hands_nothing_out(split):
    split.amend(template("four-label").text, reason="a meeting is possible", at=AT)
    with pytest.raises(UsageError, match="the protocol decides by consensus"):
        hand_out(split, draw=ids(), at=AT)


def test_a_decision_without_a_code_reads_as_before(split):
    split.amend(template("four-label").text, reason="a meeting is possible", at=AT)
    made = decide(split, "SOURCE-1", "Supported", reason="note: as in the file", by="consensus", agreed=[], at=AT)
    assert (made.code, made.why) == ("", "note: as in the file")
