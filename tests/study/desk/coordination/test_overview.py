"""What the coordinator sees: how far everybody is, and nothing of what anybody said before its time."""

import json
import re

import pytest

from equipoise.study.history import EventKind

PAGES = (
    "/coordinator", "/coordinator/raters", "/coordinator/items", "/coordinator/import", "/coordinator/protocol", "/decide",
)  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("state", ["desk", "done", "thirds"])
def test_every_page_is_whole_and_inert(request, state, path):
    page = request.getfixturevalue(state).browser("chief").get(path)
    assert page.status_code == 200
    assert page.text.rstrip().endswith("</html>")
    assert page.text.count("<h1") == 1
    assert "<script>alert" not in page.text
    assert "\x1b" not in page.text
    assert "style=" not in page.text
    assert not re.search(r'(src|href)="(?!/|#)', page.text)


@pytest.mark.parametrize("code", ["ann", "judge-x"])
def test_the_pages_of_the_coordinator_are_nobody_elses(done, code):
    browser = done.browser(code)
    for path in (
        *PAGES[:-1],
        "/coordinator/report",
        "/coordinator/export/labels.csv",
        "/coordinator/raters/bob/personal",
    ):
        answer = browser.get(path)
        assert (answer.status_code, "SOURCE" in answer.text, "said of" in answer.text) == (403, False, False), path


def test_progress_is_counts_and_no_label(desk):
    desk.label_all("ann", ["Unsupported"])
    page = desk.browser("chief").get("/coordinator").text
    row = re.search(r'<tr><th scope="row">ann</th>(.*?)</tr>', page, re.S)[1]
    assert re.sub(r"<[^>]+>", " ", row).split() == ["6", "6", "0", "0", "0", "6", "finished"]
    assert "bob has not finished" in page
    for word in ("Unsupported", "REFERENCE", "said of"):
        assert word not in page
        assert word not in desk.browser("chief").get("/coordinator/items").text


def test_pace_shows_the_days_and_does_not_rank(desk):
    desk.label_all("bob", ["Supported"])
    desk.label_all("ann", ["Supported"])
    page = desk.browser("chief").get("/coordinator").text
    assert "2026-12-01: 12" in page
    pace = page[page.index("h-pace") :]
    assert pace.index(">ann<") < pace.index(">bob<")


def test_agreement_is_hidden_until_all_have_finished(desk, send):
    browser = desk.browser("chief")
    assert "Hidden: raters still have items to label (ann 6, bob 6)." in browser.get("/coordinator").text
    told = browser.get("/coordinator/report")
    assert (told.status_code, "kappa" in told.text) == (409, False)
    assert send(browser, "/coordinator/unblind", reason=" ").status_code == 422
    assert desk.log("unblind") == []
    desk.label_all("ann", ["Supported"])
    desk.label_all("bob", ["Supported"])
    assert browser.get("/coordinator/report").status_code == 200
    assert desk.log("look") == []


def test_an_early_look_has_a_reason_and_is_logged_each_time(desk, send):
    browser = desk.browser("chief")
    desk.label_all("ann", ["Supported"])
    assert send(browser, "/coordinator/unblind", reason="the safety board asked").status_code == 303
    entry = desk.log("unblind")[0]
    assert (entry["actor"], json.loads(entry["detail"])["reason"]) == ("chief", "the safety board asked")
    page = browser.get("/coordinator").text
    assert "Open because the study was unblinded" in page
    assert "by chief: the safety board asked" in page
    for looks in (1, 2):
        assert browser.get("/coordinator/report").status_code == 200
        assert len(desk.log("look")) == looks


def test_the_report_carries_its_own_style_and_no_script(done):
    answer = done.browser("chief").get("/coordinator/report")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert "script-src" not in answer.headers["content-security-policy"]
    assert "Raters differ on 3 of 6 items" in answer.text
    assert "<script" not in answer.text
    assert "'unsafe-inline'" not in done.browser("chief").get("/coordinator").headers["content-security-policy"]


def test_the_report_follows_a_change(done):
    browser = done.browser("chief")
    assert "Raters differ on 3 of 6 items" in browser.get("/coordinator/report").text
    public = next(given.public for given in done.store.assignments("bob") if given.item == "SOURCE-1")
    done.store.record("bob", public, EventKind.REOPEN, press="3", at="2026-12-01T08:40:00+00:00", reason="slip")
    answers = {"label": "Supported", "reason": "evidence-supports", "harm": "no", "confidence": "sure"}
    done.store.record("bob", public, EventKind.ANSWER, press="4", at="2026-12-01T08:41:00+00:00", answers=answers)
    assert "Raters differ on 2 of 6 items" in browser.get("/coordinator/report").text


def test_outcomes_of_items_stand_only_when_everybody_has_made_the_work_final(make):
    desk = make()
    browser = desk.browser("chief")
    desk.label_all("ann", ["Supported"])
    desk.label_all("bob", ["Supported", "Unsupported"], lock=False)
    page = browser.get("/coordinator/items").text
    assert page.count("<td>hidden</td>") == 6
    assert browser.get("/coordinator/items?show=differ").status_code == 422
    for given in desk.store.assignments("bob"):
        desk.store.record("bob", given.public, EventKind.LOCK, press="2", at="2026-12-01T08:30:00+00:00")
    page = browser.get("/coordinator/items").text
    assert (page.count("<td>agree</td>"), page.count("<td>differ</td>")) == (3, 3)
    assert browser.get("/coordinator/items?show=differ").text.count("SOURCE-") == 3


def test_items_are_found_by_name_and_paged(make):
    desk = make(items=120)
    browser = desk.browser("chief")
    assert browser.get("/coordinator/items").text.count('<th scope="row">') == 50
    last = browser.get("/coordinator/items?page=3").text
    assert "101 to 120 of 120" in last
    assert browser.get("/coordinator/items?q=source-11").text.count('<th scope="row">') == 11
    assert browser.get("/coordinator/items?q=%25").text.count('<th scope="row">') == 0
    for odd in ("page=0", "page=x", "page=-1", "page=%F0%9F%99%82", "page=99999"):
        assert browser.get(f"/coordinator/items?{odd}").status_code == 200


def test_what_to_do_next_follows_the_study(make):
    steps = []
    for more in ({"items": 0, "people": False}, {"people": False}, {}):
        desk = make(**more)
        steps.append(
            re.search(r"Next:</strong> ([^<]*)</p><a[^>]*>([^<]*)<", desk.browser("chief").get("/coordinator").text)[2]
        )
    assert steps == ["Bring in items", "Add raters", "Raters and their links"]
