"""What holds for every answer: headers, the host's name, where forms come from, and failures that tell nothing."""

import logging

import pytest

from equipoise.study.desk.guard import HEADERS, LOGGER
from equipoise.study.desk.routes import rater
from equipoise.study.desk.settings import DeskSettings
from study.desk.conftest import PASSWORD, token

PATHS = [
    "/enter",
    "/desk",
    "/desk/guide",
    "/desk/history",
    "/desk/settings",
    "/desk/items/nothing",
    "/nothing",
    "/healthz",
]


@pytest.mark.parametrize("path", PATHS)
def test_every_page_carries_the_same_headers(ann, path):
    answer = ann.get(path)
    for name, value in HEADERS:
        assert answer.headers.get_list(name.decode()) == [value.decode()]
    assert answer.headers["cache-control"] == "no-store"
    assert set(answer.headers) == set(ann.get("/desk/guide").headers)


def test_nothing_inline_and_nothing_from_elsewhere_may_run(ann):
    policy = ann.get("/desk").headers["content-security-policy"]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize("path", ["/enter", "/desk", "/desk/guide", "/desk/history", "/desk/settings"])
def test_no_page_needs_what_the_policy_forbids(ann, path):
    page = ann.get(path).text
    assert "<style" not in page
    assert " style=" not in page
    assert " on" not in [part[:3] for part in page.split('"')[::2]]
    assert "<script>" not in page
    assert "://" not in page.replace("http://testserver", "")


def test_files_are_kept_by_the_browser_only_under_their_hash(ann):
    page = ann.get("/desk").text
    address = page.split('rel="stylesheet" href="')[1].split('"')[0]
    assert "immutable" in ann.get(address).headers["cache-control"]
    assert ann.get("/static/desk.css?v=000000000000").headers["cache-control"] == "no-cache"


def test_https_is_kept_to(make):
    assert "strict-transport-security" not in make().browser().get("/enter").headers
    desk = make(settings=DeskSettings(base_url="https://study.example.org"))
    assert desk.browser().get("/enter").headers["strict-transport-security"] == "max-age=31536000"


def test_the_desk_answers_only_to_its_name(make):
    desk = make(settings=DeskSettings(hosts=("study.example.org", "[::1]")))
    assert desk.browser(base_url="http://study.example.org:8090").get("/enter").status_code == 200
    assert desk.browser(base_url="http://[::1]:8090").get("/enter").status_code == 200
    wrong = desk.browser(base_url="http://rebound.example").get("/enter")
    assert wrong.status_code == 421
    assert wrong.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://testserver"}, 303),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://testserver.evil.example"}, 403),
        ({"origin": "https://testserver"}, 403),
        ({"sec-fetch-site": "same-origin"}, 303),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"referer": "http://testserver/enter"}, 303),
        ({"referer": "http://evil.example/enter"}, 403),
    ],
)
def test_a_form_from_another_page_is_refused(desk, headers, status):
    data = {"code": "ann", "password": PASSWORD}
    answer = desk.browser(follow_redirects=False).post("/enter", data=data, headers=headers)
    assert answer.status_code == status


def test_with_a_base_address_forms_come_from_there(make):
    desk = make(settings=DeskSettings(base_url="https://study.example.org"))
    data = {"code": "ann", "password": PASSWORD}
    browser = desk.browser(base_url="http://10.0.0.1:8090", follow_redirects=False)
    assert browser.post("/enter", data=data, headers={"origin": "https://study.example.org"}).status_code == 303
    assert browser.post("/enter", data=data, headers={"origin": "http://10.0.0.1:8090"}).status_code == 403


def test_a_failure_of_ours_tells_nothing_to_the_page_or_the_log(make, monkeypatch, caplog):
    def fail(*_):
        message = "the comment of Ann"
        raise RuntimeError(message)

    desk = make()
    browser = desk.signed_in("ann")
    browser = desk.browser(cookies=dict(browser.cookies), raise_server_exceptions=False)
    monkeypatch.setattr(rater, "rater_view", fail)
    data = {"csrf": token(browser), "answer.label": "Supported"}
    with caplog.at_level(logging.ERROR, logger=LOGGER):
        answer = browser.post("/desk/items/drawn-secret/answer", data=data)
    assert answer.status_code == 500
    assert answer.headers["cache-control"] == "no-store"
    assert "comment of Ann" not in answer.text + caplog.text
    assert "RuntimeError at /desk/items/{public}/answer" in caplog.text
    assert "drawn-secret" not in caplog.text


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("192.0.2.7", "", "192.0.2.7"),
        ("192.0.2.7", "203.0.113.5", "192.0.2.7"),
        ("10.0.0.1", "203.0.113.5", "203.0.113.5"),
        ("10.0.0.1", "1.2.3.4, 203.0.113.5", "203.0.113.5"),
        ("10.0.0.1", "203.0.113.5, 10.0.0.2", "203.0.113.5"),
        ("10.0.0.1", "rubbish", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("testclient", "203.0.113.5", "testclient"),
        ("10.0.0.1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.9", "", "203.0.113.9"),
    ],
)
def test_only_a_proxy_of_ours_says_where_a_request_comes_from(peer, forwarded, expected):
    assert DeskSettings(proxies=("10.0.0.0/8",)).client(peer, forwarded) == expected
