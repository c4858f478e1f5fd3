"""Adjudication against the worked cases; the decider sees sides, not raters; a decision keeps both rationales."""

from pathlib import Path

import pytest
import yaml

from equipoise.errors import UsageError
from equipoise.study.adjudication import decide, decisions, disagreements, disagrees
from equipoise.study.history import EventKind
from equipoise.study.protocol import load_protocol
from equipoise.study.raters import add_rater
from equipoise.study.shipped import template

AT = "2026-11-30T12:00:00+00:00"
CASES = yaml.safe_load((Path(__file__).parent / "adjudication.yaml").read_text(encoding="utf-8"))
BASE = yaml.safe_load(template("free-rubric").text)


def protocol_of(rule):
    value = dict(BASE)
    points = {f"p{number}": float(number) for number in range(1, 6)}
    options = [{"value": name, "points": number} for name, number in points.items()]
    if rule == "any-difference":
        options = [{"value": name} for name in "abc"]
    kind = "choice" if rule == "any-difference" else "scale"
    value["questions"] = [{"id": "q", "text": "?", "kind": kind, "options": options}]
    value["analysis"] = {"primary": "q"}
    value["adjudication"] = {"rule": rule} if rule == "any-difference" else {"rule": "distance", "distance": 2.0}
    return load_protocol(yaml.safe_dump(value))


@pytest.mark.parametrize("rule", ["any-difference", "distance-2"])
@pytest.mark.parametrize("side", ["decided", "left"])
def test_the_worked_cases(rule, side):
    cases = CASES[rule][side]
    assert cases
    protocol = protocol_of(rule)
    assert [labels for labels in cases if disagrees(protocol, labels) != (side == "decided")] == []


def test_a_label_that_does_not_exist_is_no_distance():
    with pytest.raises(ValueError, match="'p9' is no answer to 'q'"):
        disagrees(protocol_of("distance-2"), ["p9", "p1"])


def label(store, rater, place, value, **more):
    public = store.assignments(rater)[place].public
    answers = {"label": value, "reason": "evidence-supports", "harm": "no", "confidence": "sure"}
    if value == "Insufficient Information":
        answers["missing"] = ["ecog"]
    store.record(rater, public, EventKind.ANSWER, press="1", at=AT, answers=answers, **more)


@pytest.fixture
def split(filled):
    """Agreement on case-0, disagreement on case-1 and case-2, one label on case-3."""
    for rater, labels in (("a", ["Supported"] * 4), ("b", ["Supported", "Unsupported", "Insufficient Information"])):
        for place, value in enumerate(labels):
            label(filled, rater, place, value, comment=f"{rater} on {place}")
    return filled


def test_only_disagreements_go_to_a_decision(split):
    assert [found.item for found in disagreements(split)] == ["case-1", "case-2"]


def test_the_decider_sees_sides_without_names_and_no_rater_is_always_first(split):
    found = disagreements(split)[0]
    assert [side.letter for side in found.sides] == ["A", "B"]
    assert {side.label for side in found.sides} == {"Supported", "Unsupported"}
    assert found.sides == disagreements(split)[0].sides
    from equipoise.study.adjudication import _sides, labelled

    states = labelled(split)["case-1"]
    firsts = {_sides(split.protocol, f"item-{number}", states)[0].label for number in range(20)}
    assert firsts == {"Supported", "Unsupported"}


def test_a_decision_keeps_both_rationales_and_who_agreed(split):
    made = decide(split, "case-1", "Unsupported", reason="wrong line", by="consensus", agreed=["b"], at=AT)
    assert (made.value, made.by, made.agreed) == ("Unsupported", "consensus", ("b",))
    assert [(part["rater"], part["comment"]) for part in made.rationales] == [("a", "a on 1"), ("b", "b on 1")]
    assert [found.item for found in disagreements(split)] == ["case-2"]


def test_a_later_decision_holds_and_the_first_stays(split):
    decide(split, "case-1", "Unsupported", reason="first", by="consensus", agreed=[], at=AT)
    decide(split, "case-1", "Supported", reason="second", by="consensus", agreed=["a", "b"], at=AT)
    assert [item.value for item in decisions(split)] == ["Supported"]
    assert [item.value for item in decisions(split, every=True)] == ["Unsupported", "Supported"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"item": "case-0"}, "no disagreement on item 'case-0'"),
        ({"value": "Unsafe"}, "field value: 'Unsafe' is no answer"),
        ({"reason": " "}, "field reason: expected the reason"),
        ({"by": "a"}, "field by: the protocol decides by consensus, not by 'a'"),
        ({"agreed": ["z"]}, "field agreed: 'z' did not label this item"),
    ],
)
def test_a_decision_that_does_not_fit_is_refused(split, change, fault):
    given = {"item": "case-1", "value": "Supported", "reason": "x", "by": "consensus", "agreed": ["a"]} | change
    item, value = given.pop("item"), given.pop("value")
    with pytest.raises(UsageError, match=fault):
        decide(split, item, value, at=AT, **given)
    assert decisions(split) == ()


def test_a_third_rater_must_be_a_third(split):
    text = template("four-label").text.replace("by: consensus", "by: third-rater")
    split.amend(text, reason="no meeting possible", at=AT)
    for code, why in (("a", "labelled the item"), ("z", "is no rater of the study")):
        with pytest.raises(UsageError, match=why):
            decide(split, "case-1", "Supported", reason="x", by=code, agreed=[], at=AT)
    add_rater(split, "c", at=AT, role="adjudicator")
    assert decide(split, "case-1", "Supported", reason="x", by="c", agreed=["a"], at=AT).by == "c"
