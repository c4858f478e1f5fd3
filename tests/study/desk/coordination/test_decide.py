"""Decisions in the browser: the adjudicator's own queue, and the meeting, in which the decision comes before the names."""

import re

import pytest

from equipoise.study.adjudication import decisions
from equipoise.study.history import EventKind

GIVEN = {"value": "Unsupported", "code": "line-or-setting", "reason": "second line"}


def places(browser):
    return re.findall(r'href="/decide/([^"]+)">item \d', browser.get("/decide").text)


def test_nothing_is_opened_while_somebody_still_labels(make, send):
    for by in ("consensus", "third-rater"):
        desk = make(by=by)
        desk.label_all("ann", ["Supported"])
        desk.label_all("bob", ["Unsupported"], lock=False)
        chief = desk.browser("chief")
        assert places(chief) == []
        told = send(chief, "/decide").text if by == "third-rater" else chief.get("/decide").text
        assert "raters have not finished (bob)" in told
        assert places(desk.browser("judge-x")) == []


def test_disagreements_are_handed_out_and_each_sees_only_the_own(thirds, send):
    chief = thirds.browser("chief")
    assert "3 handed out now." in send(chief, "/decide").text
    assert "0 handed out now." in send(chief, "/decide").text
    mine, others = places(thirds.browser("judge-x")), places(thirds.browser("judge-y"))
    assert sorted([len(mine), len(others)]) == [1, 2]
    assert not set(mine) & set(others)
    browser = thirds.browser("judge-x")
    none = browser.get("/decide/nothing")
    for public in (others[0], thirds.store.assignments("ann")[0].public):
        assert (browser.get(f"/decide/{public}").status_code, none.status_code) == (404, 404)
        assert browser.get(f"/decide/{public}").content == none.content
        assert send(browser, f"/decide/{public}", **GIVEN).status_code == 404
    assert decisions(thirds.store) == ()


def test_the_adjudicator_meets_sides_without_names(thirds, send):
    send(thirds.browser("chief"), "/decide")
    browser = thirds.browser("judge-x")
    public = places(browser)[0]
    page = browser.get(f"/decide/{public}")
    assert re.findall(r'data-side="(.)"', page.text) == ["A", "B"]
    assert {"Supported", "Unsupported"} == set(re.findall(r'<p class="label">([^<]*)<', page.text))
    for word in ("ann", "bob", "SOURCE", "REFERENCE", "judge-y"):
        assert not re.search(rf"\b{word}\b", page.text + str(page.headers)), word
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)" in page.text


def test_a_third_rater_decides_and_goes_on(thirds, send):
    send(thirds.browser("chief"), "/decide")
    code = max(("judge-x", "judge-y"), key=lambda one: len(places(thirds.browser(one))))
    browser = thirds.browser(code)
    first, second = places(browser)
    answer = send(browser, f"/decide/{first}", after="0", **GIVEN)
    assert answer.headers["location"] == f"/decide/{second}"
    made = decisions(thirds.store)[0]
    assert (made.value, made.code, made.why, made.by, made.agreed) == (
        "Unsupported", "line-or-setting", "second line", code, ("bob",),
    )  # fmt: skip
    page = browser.get(f"/decide/{first}").text
    assert "second line" in page
    assert "bob" not in page
    assert send(browser, f"/decide/{second}", after="0", **GIVEN).headers["location"] == "/decide"
    assert "0 of 2 to decide" in browser.get("/decide").text


def test_a_decision_from_an_old_page_is_told_and_stays_in_the_form(thirds, send):
    send(thirds.browser("chief"), "/decide")
    browser = thirds.browser("judge-x")
    public = places(browser)[0]
    for _ in range(2):
        assert send(browser, f"/decide/{public}", after="0", **GIVEN).status_code == 303
    assert len(decisions(thirds.store, every=True)) == 1
    told = send(browser, f"/decide/{public}", **{**GIVEN, "value": "Supported", "reason": "typed long", "after": "0"})
    assert (told.status_code, "typed long" in told.text, "decided in another window" in told.text) == (409, True, True)
    assert len(decisions(thirds.store, every=True)) == 1


@pytest.mark.parametrize("change", [{"value": "Unsafe"}, {"value": ""}, {"code": "none"}, {"reason": " "}])
@pytest.mark.parametrize("state", ["done", "thirds"])
def test_a_decision_that_lacks_something_is_not_kept(request, send, state, change):
    desk = request.getfixturevalue(state)
    send(desk.browser("chief"), "/decide") if state == "thirds" else None
    browser = desk.browser("judge-x" if state == "thirds" else "chief")
    told = send(browser, f"/decide/{places(browser)[0]}", **{**GIVEN, "reason": "typed long", **change})
    assert (told.status_code, "is not saved" in told.text) == (422, True)
    assert decisions(desk.store) == ()


def test_the_meeting_decides_first_and_names_who_agrees_last(done, send):
    chief = done.browser("chief")
    assert "3 of 3 to decide" in chief.get("/decide").text
    public = places(chief)[0]
    page = chief.get(f"/decide/{public}").text
    for word in ("ann", "bob", "SOURCE", "REFERENCE"):
        assert not re.search(rf"\b{word}\b", page), word
    asked = send(chief, f"/decide/{public}", after="0", **GIVEN)
    assert (asked.status_code, decisions(done.store)) == (200, ())
    assert re.findall(r'name="agreed" value="([^"]*)"', asked.text) == ["ann", "bob"]
    kept = send(chief, f"/decide/{public}", after="0", step="agreed", agreed=["bob", "ann"], **GIVEN)
    assert kept.headers["location"] == "/decide"
    made = decisions(done.store)[0]
    assert (made.value, made.by, set(made.agreed), made.code) == (
        "Unsupported", "consensus", {"ann", "bob"}, "line-or-setting",
    )  # fmt: skip
    assert "2 of 3 to decide" in chief.get("/decide").text
    page = chief.get(f"/decide/{public}").text
    assert re.search(r"Agreed: (bob, ann|ann, bob)\.", page)


def test_a_later_decision_stands_beside_the_first(done, send):
    chief = done.browser("chief")
    public = places(chief)[0]
    send(chief, f"/decide/{public}", after="0", step="agreed", **GIVEN)
    send(chief, f"/decide/{public}", after="1", step="agreed", **{**GIVEN, "value": "Supported"})
    page = chief.get(f"/decide/{public}").text
    made = page[page.index('id="made"') : page.index("</ol>")]
    assert re.findall(r"<strong>([^<]*)</strong>", made) == ["Unsupported", "Supported"]


def test_a_stranger_cannot_agree(done, send):
    chief = done.browser("chief")
    told = send(chief, f"/decide/{places(chief)[0]}", after="0", step="agreed", agreed="judge-x", **GIVEN)
    assert told.status_code == 422
    assert decisions(done.store) == ()


def test_raters_and_those_not_asked_decide_nothing(done, thirds, send):
    for desk in (done, thirds):
        ann = desk.browser("ann")
        assert ann.get("/decide").status_code == 403
    chief = thirds.browser("chief")
    send(chief, "/decide")
    public = places(thirds.browser("judge-x"))[0]
    assert chief.get(f"/decide/{public}").status_code == 404
    assert send(thirds.browser("judge-x"), "/decide").status_code == 403
    assert "There is nothing for you to do here" in done.browser("judge-x").get("/decide").text


def test_a_disagreement_that_was_taken_back_is_told(thirds, send):
    send(thirds.browser("chief"), "/decide")
    browser = thirds.browser("judge-x")
    public = places(browser)[0]
    item = next(given.item for given in thirds.store.assignments("judge-x") if given.public == public)
    own = next(given.public for given in thirds.store.assignments("bob") if given.item == item)
    thirds.store.record("bob", own, EventKind.REOPEN, press="3", at="2026-12-01T08:40:00+00:00", reason="slip")
    answers = {"label": "Supported", "reason": "evidence-supports", "harm": "no", "confidence": "sure"}
    thirds.store.record("bob", own, EventKind.ANSWER, press="4", at="2026-12-01T08:41:00+00:00", answers=answers)
    assert "do not differ on this item any more" in browser.get(f"/decide/{public}").text
    assert send(browser, f"/decide/{public}", after="0", **GIVEN).status_code == 422
    assert decisions(thirds.store) == ()


def test_severities_are_decided_from_the_distance_that_the_protocol_names(make, send):
    severity = {
        "id": "severity", "text": "How bad?", "kind": "scale",
        "options": [{"value": f"s{number}", "points": float(number)} for number in range(4)],
    }  # fmt: skip
    change = {
        "questions": [severity],
        "analysis": {"primary": "severity"},
        "adjudication": {"rule": "distance", "distance": 2.0, "by": "consensus"},
    }
    desk = make(change=change)
    for code, values in (("ann", ["s0"]), ("bob", ["s0", "s1", "s2", "s3", "s1", "s0"])):
        for given, value in zip(
            sorted(desk.store.assignments(code), key=lambda one: one.item), values * 6, strict=False
        ):
            at = "2026-12-01T08:00:00+00:00"
            desk.store.record(code, given.public, EventKind.ANSWER, press="1", at=at, answers={"severity": value})
            desk.store.record(code, given.public, EventKind.LOCK, press="2", at=at)
    chief = desk.browser("chief")
    assert len(places(chief)) == 2
    page = chief.get(f"/decide/{places(chief)[0]}").text
    assert set(re.findall(r'<p class="label">([^<]*)<', page)) == {"s0", "s2"}
    assert "from 2.0 points" in chief.get("/coordinator").text


def test_an_unblinding_opens_the_disagreements_early_and_is_logged(make, send):
    desk = make()
    desk.label_all("ann", ["Supported"], lock=False)
    desk.label_all("bob", ["Supported", "Unsupported"], lock=False)
    chief = desk.browser("chief")
    assert places(chief) == []
    send(chief, "/coordinator/unblind", reason="the meeting is today")
    assert len(places(chief)) == 3
    assert len(desk.log("unblind")) == 1


def test_a_protocol_that_never_shows_agreement_still_lets_disagreements_be_decided(make):
    desk = make(change={"reveal": "never"})
    desk.label_all("ann", ["Supported"])
    desk.label_all("bob", ["Supported", "Unsupported"])
    chief = desk.browser("chief")
    assert chief.get("/coordinator/report").status_code == 409
    assert "Hidden: the protocol never shows agreement here." in chief.get("/coordinator").text
    assert len(places(chief)) == 3
