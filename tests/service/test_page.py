"""The page without a browser: sign in, audit, switch, what other sites and hostile text can do."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

import pytest

from equipoise.report.wording import STANDING_LINE
from equipoise.service.access.keys import Role
from service_example import CASE, NOTE

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def browser(make):
    """A client that signed in, without the header with the key."""
    running = make()
    del running.client.headers["Authorization"]
    answer = running.client.post("/sign-in", content=urlencode({"key": running.keys[Role.AUDIT]}), headers=FORM)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    return running


def token(running):
    return re.search(r'name="token" value="([^"]*)"', running.client.get("/").text)[1]


def send(running, text, headers=None, **fields):
    given = {
        "token": token(running),
        "case": text,
        "policy": "label",
        "as_of": "",
        "jurisdiction": "US",
        "format": "auto",
        **fields,
    }
    return running.client.post("/", content=urlencode(given), headers={**FORM, **(headers or {})})


def label_of(html):
    return re.search(r'class="result-line"><span class="badge [^"]*" data-label="([^"]*)"', html)[1]


def test_the_page_needs_a_key(make):
    running = make()
    del running.client.headers["Authorization"]
    answer = running.client.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert "Sign in" in running.client.get("/sign-in").text
    assert running.client.post("/", content="case=x", headers=FORM).headers["location"] == "/sign-in"


@pytest.mark.parametrize("which", ["nonsense", Role.TRAIL])
def test_a_wrong_key_does_not_sign_in(make, which):
    running = make()
    text = running.keys.get(which, which)
    answer = running.client.post("/sign-in", content=urlencode({"key": text}), headers=FORM)
    assert answer.status_code == 401
    assert 'role="alert"' in answer.text
    assert "set-cookie" not in answer.headers
    assert text not in answer.text.replace("trail", "")


def test_the_cookie_is_kept_from_scripts_and_other_sites(make):
    running = make()
    answer = running.client.post("/sign-in", content=urlencode({"key": running.keys[Role.AUDIT]}), headers=FORM)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert running.keys[Role.AUDIT] not in cookie


def test_a_note_is_shown_with_its_verdict_and_the_words_it_was_read_from(browser):
    html = send(browser, NOTE).text
    assert '<span class="badge b-supported"' in html
    assert re.search(r'<mark class="used"[^>]*>EGFR L858R', html)
    assert STANDING_LINE in html
    assert "contains patient data" in html
    assert "On the audit trail: entry 1" in html
    assert unescape(re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", html, re.DOTALL)[1]) == NOTE


def test_policy_and_day_are_switched_and_stay_chosen(browser):
    html = send(browser, NOTE, policy="openmtb-2026", as_of="2012-01-01", jurisdiction="EU").text
    assert re.search(r'value="openmtb-2026" checked', html)
    assert 'name="as_of" value="2012-01-01"' in html
    assert "<option selected>EU</option>" in html
    assert "<dd data-quote>2012-01-01</dd>" in html
    assert label_of(html) != label_of(send(browser, NOTE).text) == "Supported"


def test_a_case_with_a_missing_field_shows_what_would_change_it(browser):
    import json

    html = send(browser, json.dumps({**CASE, "recommendations": ["alectinib"]})).text
    assert "What would change this" in html
    assert "Equipoise does not decide this:" in html


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ('{"ecog": 17', 422, "Nothing was audited."),
        ("", 422, "empty body"),
        ('{"hello": 1}', 422, "expected a case"),
    ],
)
def test_what_cannot_be_read_is_said_and_what_was_pasted_stays(browser, text, status, said):
    answer = send(browser, text)
    assert answer.status_code == status
    assert said in answer.text
    assert 'role="alert"' in answer.text
    assert unescape(re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", answer.text, re.DOTALL)[1]) == text


def test_hostile_text_comes_out_inert(browser):
    text = '</textarea><script>alert(1)</script> "onfocus=alert(1) Stage IV lung adenocarcinoma. Recommendation: osimertinib.\u202e'
    html = send(browser, text).text
    assert "<script" not in html
    assert unescape(re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", html, re.DOTALL)[1]) == text
    assert "\u202e" not in html.replace(re.search(r"<textarea.*?</textarea>", html, re.DOTALL)[0], "")


def test_nothing_is_loaded_from_elsewhere_and_nothing_runs(browser):
    answer = send(browser, NOTE)
    assert "script-src 'none'" in answer.headers["content-security-policy"]
    loaded = re.findall(r'(?:src|<link[^>]*href)="([^"]*)"', answer.text)
    assert loaded == ["/assets/page.css"]
    assert not re.search(r"\sstyle=", answer.text)
    assert "<style" not in answer.text
    assert "url(" not in browser.client.get("/assets/page.css").text


def test_every_field_has_a_label(browser):
    html = send(browser, NOTE).text
    labels = set(re.findall(r'<label[^>]* for="([^"]*)"', html))
    fields = re.findall(r"<(?:input|select|textarea)([^>]*)>", html)
    for attributes in fields:
        if 'type="hidden"' in attributes or 'type="radio"' in attributes:
            continue
        assert re.search(r'id="([^"]*)"', attributes)[1] in labels
    assert html.count('<label class="choice"><input type="radio"') == html.count('type="radio"') == 2
    assert "<legend>Policy</legend>" in html


@pytest.mark.parametrize(
    ("headers", "fields"),
    [
        ({}, {"token": "wrong"}),
        ({}, {"token": ""}),
        ({"Origin": "https://evil.example"}, {}),
        ({"Origin": "null"}, {}),
        ({"Sec-Fetch-Site": "cross-site"}, {}),
    ],
)
def test_a_form_of_another_site_is_refused(browser, headers, fields):
    assert send(browser, NOTE, headers, **fields).status_code == 403
    assert browser.state.trail.head().seq == 0


def test_a_page_that_sends_no_referrer_has_no_origin_and_is_taken(browser):
    assert send(browser, NOTE, {"Origin": "null", "Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_a_session_signs_out(browser):
    answer = browser.client.post("/sign-out", content=urlencode({"token": token(browser)}), headers=FORM)
    assert answer.status_code == 303
    assert browser.client.get("/").headers["location"] == "/sign-in"


def test_a_record_says_what_was_read(browser):
    from pathlib import Path

    file = Path(__file__).parents[1] / "cases" / "records" / "fixtures" / "mcode_john_anyperson.json"
    html = send(browser, file.read_text(encoding="utf-8")).text
    assert "Read as a record" in html
    assert "Not read:" in html
    assert "gefitinib" in html
