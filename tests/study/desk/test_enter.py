"""Signing in and out: by password, by link, with a limit, and sessions that end when they should."""

import pytest

from equipoise.study.desk.settings import DeskLimits, DeskSettings
from equipoise.study.raters import forget, make_link, set_password
from study.desk.conftest import AT, PASSWORD, token


def enter(browser, code, password=PASSWORD, **more):
    return browser.post("/enter", data={"code": code, "password": password, **more}, follow_redirects=False)


def test_nobody_sees_an_item_without_signing_in(desk):
    browser = desk.browser(follow_redirects=False)
    answer = browser.get("/desk")
    assert (answer.status_code, answer.headers["location"]) == (303, "/enter?to=/desk")
    assert browser.post("/desk/lock", data={}).status_code == 401


def test_a_rater_enters_by_password(desk):
    browser = desk.browser()
    answer = browser.post("/enter", data={"code": "ann", "password": PASSWORD})
    assert answer.status_code == 200
    assert 'data-page="item"' in answer.text


def test_a_wrong_password_and_an_unknown_code_look_the_same(desk):
    known, unknown = enter(desk.browser(), "ann", "wrong"), enter(desk.browser(), "nobody", "wrong")
    assert known.status_code == unknown.status_code == 401
    assert known.content == unknown.content
    assert known.headers == unknown.headers
    assert "set-cookie" not in known.headers


def test_a_password_is_not_shown_again(desk):
    assert "wrong-password-of-ann" not in enter(desk.browser(), "ann", "wrong-password-of-ann").text


@pytest.mark.parametrize("code", ["ann", "nobody"])
def test_after_ten_failures_a_code_must_wait_whether_it_exists_or_not(desk, code):
    browser = desk.browser()
    for _ in range(10):
        assert enter(browser, code, "wrong").status_code == 401
    answer = enter(browser, code)
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 901
    desk.clock.pass_(minutes=16)
    assert enter(browser, code).status_code == (303 if code == "ann" else 401)


def test_another_code_is_not_held_up_by_the_failures_of_one(desk):
    for _ in range(10):
        enter(desk.browser(), "bob", "wrong")
    assert enter(desk.browser(), "ann").status_code == 303


def test_an_address_that_guesses_many_codes_must_wait(make):
    desk = make(settings=DeskSettings(limits=DeskLimits(failures_address=5)))
    for number in range(5):
        assert enter(desk.browser(), f"guess{number}", "wrong").status_code == 401
    assert enter(desk.browser(), "ann").status_code == 429
    assert desk.browser().post("/enter/no-such-token").status_code == 429


def test_links_cannot_be_guessed_without_end(make):
    desk = make(settings=DeskSettings(limits=DeskLimits(failures_address=3)))
    found = [desk.browser().post(f"/enter/guess{number}").status_code for number in range(4)]
    assert found == [404, 404, 404, 429]


def test_looking_at_a_link_does_nothing_and_its_button_signs_in(desk):
    link = make_link(desk.store, "ann", draw=desk.draw, at=AT)
    browser = desk.browser(follow_redirects=False)
    for _ in range(3):
        looked = browser.get(f"/enter/{link}")
        assert looked.status_code == 200
        assert "set-cookie" not in looked.headers
    assert browser.get("/desk").status_code == 303
    assert browser.post(f"/enter/{link}").status_code == 303
    assert browser.get("/desk").headers["location"].startswith("/desk/items/")


def test_a_link_that_exists_and_one_that_does_not_look_the_same(desk):
    link = make_link(desk.store, "ann", draw=desk.draw, at=AT)
    browser = desk.browser()
    other = "y" * len(link)
    assert browser.get(f"/enter/{link}").text.replace(link, "") == browser.get(f"/enter/{other}").text.replace(
        other, ""
    )


def test_a_new_link_ends_the_old_one_and_open_sessions(desk):
    old = make_link(desk.store, "ann", draw=desk.draw, at=AT)
    browser = desk.browser(follow_redirects=False)
    browser.post(f"/enter/{old}")
    assert browser.get("/desk/guide").status_code == 200
    make_link(desk.store, "ann", draw=desk.draw, at=AT)
    assert browser.get("/desk/guide").status_code == 303
    assert desk.browser().post(f"/enter/{old}").status_code == 404


@pytest.mark.parametrize(
    "end",
    [
        lambda store: forget(store, "ann", at=AT),
        lambda store: set_password(store, "ann", "another long one", salt=bytes(16), at=AT),
    ],
    ids=["forgotten", "new password"],
)
def test_a_session_ends_with_what_it_stood_on(desk, end):
    browser = desk.signed_in("ann", follow_redirects=False)
    assert browser.get("/desk/guide").status_code == 200
    end(desk.store)
    assert browser.get("/desk/guide").status_code == 303


def test_signing_out_ends_the_session_on_the_server(desk):
    browser = desk.signed_in("ann", follow_redirects=False)
    cookie = browser.cookies["desk"]
    assert browser.post("/leave", data={"csrf": token(browser)}).headers["location"] == "/enter"
    thief = desk.browser(follow_redirects=False, cookies={"desk": cookie})
    assert thief.get("/desk/guide").status_code == 303


def test_signing_out_needs_the_form_token(desk):
    browser = desk.signed_in("ann", follow_redirects=False)
    assert browser.post("/leave", data={}).status_code == 403
    assert browser.get("/desk/guide").status_code == 200


def test_signing_in_gives_a_new_session_and_ends_the_one_before(desk):
    browser = desk.signed_in("ann", follow_redirects=False)
    first = browser.cookies["desk"]
    enter(browser, "bob")
    assert browser.cookies["desk"] != first
    assert desk.browser(follow_redirects=False, cookies={"desk": first}).get("/desk/guide").status_code == 303


def test_a_session_ends_when_it_is_not_used_and_lives_while_it_is(desk):
    browser = desk.signed_in("ann", follow_redirects=False)
    for _ in range(3):
        desk.clock.pass_(minutes=100)
        assert browser.get("/desk/guide").status_code == 200
    desk.clock.pass_(minutes=121)
    assert browser.get("/desk/guide").status_code == 303


def test_a_session_ends_after_half_a_day_in_any_case(desk):
    browser = desk.signed_in("ann", follow_redirects=False)
    for _ in range(7):
        desk.clock.pass_(minutes=100)
        assert browser.get("/desk/guide").status_code == 200
    desk.clock.pass_(minutes=21)
    assert browser.get("/desk/guide").status_code == 303


def test_the_database_holds_no_token(desk, tmp_path):
    browser = desk.signed_in("ann")
    cookie, form = browser.cookies["desk"], token(browser)
    data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert cookie.encode() not in data
    assert form.encode() not in data


@pytest.mark.parametrize(
    ("base", "name", "secure"), [("", "desk", False), ("https://study.example.org", "__Host-desk", True)]
)
def test_the_cookie_is_for_the_server_only_and_travels_over_https(make, base, name, secure):
    desk = make(settings=DeskSettings(base_url=base))
    browser = desk.browser(base_url=base or "http://testserver")
    cookie = enter(browser, "ann").headers["set-cookie"]
    assert cookie.startswith(f"{name}=")
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= parts
    assert ("secure" in parts) is secure
    assert not any(part.startswith("domain") for part in parts)


@pytest.mark.parametrize(
    ("to", "then"),
    [
        ("/desk/history", "/desk/history"),
        ("/desk/items/abc_-9", "/desk/items/abc_-9"),
        ("//evil.example", "/"),
        ("https://evil.example/desk", "/"),
        ("/desk/../../x", "/"),
        ("/desk\\evil", "/"),
        ("/desk/x\r\nset-cookie: a=b", "/"),
        ("/leave", "/"),
    ],
)
def test_after_signing_in_one_comes_back_only_to_a_page_of_the_desk(desk, to, then):
    assert enter(desk.browser(), "ann", to=to).headers["location"] == then
    page = desk.browser().get("/enter", params={"to": to}).text
    assert ('name="to"' in page) is (then != "/")


@pytest.mark.parametrize(("code", "home"), [("ann", "/desk"), ("third", "/decide"), ("chief", "/coordinator")])
def test_every_role_has_its_own_beginning(desk, code, home):
    browser = desk.signed_in(code, follow_redirects=False)
    assert browser.get("/").headers["location"] == home


def test_without_a_session_the_beginning_is_the_sign_in(desk):
    assert desk.browser(follow_redirects=False).get("/").headers["location"] == "/enter"
