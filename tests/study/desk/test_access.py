"""Who may ask for what: every address of the table, as every role."""

import pytest

from equipoise.errors import InternalError
from equipoise.study.desk import app as application
from equipoise.study.desk.access import ACCESS, Rule, Who, matched, table
from equipoise.study.desk.gate import Route
from equipoise.study.desk.settings import DeskSettings
from study.desk.conftest import token

CODES = {Who.RATER: "ann", Who.ADJUDICATOR: "third", Who.COORDINATOR: "chief"}
GUARDED = [rule for rule in ACCESS if rule.who is not None]


def path_of(rule):
    return "/".join("x" if part.startswith("{") else part for part in rule.path.split("/"))


def ids(rule):
    return f"{rule.method} {rule.path}"


@pytest.mark.parametrize("rule", GUARDED, ids=ids)
def test_an_address_is_closed_to_those_who_are_not_signed_in(desk, rule):
    browser = desk.browser(follow_redirects=False)
    answer = browser.request(rule.method, path_of(rule), data={} if rule.method == "POST" else None)
    assert answer.status_code == (303 if rule.method == "GET" else 401)
    if rule.method == "GET":
        assert answer.headers["location"].startswith("/enter")


@pytest.mark.parametrize("role", list(Who))
@pytest.mark.parametrize("rule", GUARDED, ids=ids)
def test_an_address_is_open_to_the_roles_of_the_table_and_to_no_other(desk, rule, role):
    browser = desk.signed_in(CODES[role], follow_redirects=False)
    data = {"csrf": token(browser)} if rule.method == "POST" else None
    answer = browser.request(rule.method, path_of(rule), data=data)
    if role in rule.who:
        assert answer.status_code not in (401, 403)
    else:
        assert answer.status_code == 403


@pytest.mark.parametrize("rule", [rule for rule in GUARDED if rule.method == "POST"], ids=ids)
def test_a_form_without_its_token_is_refused(desk, rule):
    role = sorted(rule.who)[0]
    browser = desk.signed_in(CODES[role])
    other = token(desk.signed_in(CODES[role]))
    for data in ({}, {"csrf": ""}, {"csrf": other}):
        assert browser.request("POST", path_of(rule), data=data).status_code == 403


def test_pages_that_are_refused_look_the_same_whatever_is_behind_them(desk):
    chief = desk.signed_in("chief")
    theirs = desk.store.assignments("ann")[0].public
    pages = [chief.get(path) for path in ("/desk", "/desk/history", "/desk/items/whatever", f"/desk/items/{theirs}")]
    assert {page.status_code for page in pages} == {403}
    assert len({page.content for page in pages}) == 1


def test_the_table_and_the_routes_are_the_same(desk):
    assert {(route.method, route.path) for route in application.ROUTES} == set(table())


def test_a_route_that_is_not_in_the_table_does_not_start(desk, monkeypatch):
    extra = Route("GET", "/open-door", lambda ask: ask.to("/"))
    monkeypatch.setattr(application, "ROUTES", (*application.ROUTES, extra))
    with pytest.raises(InternalError, match="GET /open-door has no entry in the access table"):
        application.desk_app(desk.store, DeskSettings(), clock=desk.clock, draw=desk.draw)


def test_an_entry_without_a_route_does_not_start():
    rule = Rule(method="GET", path="/a", who=None)
    with pytest.raises(InternalError, match="GET /a is in the access table, but nothing answers it"):
        matched([], [rule])


def test_an_address_stands_once():
    rule = Rule(method="GET", path="/a", who=None)
    with pytest.raises(InternalError, match="GET /a stands in the access table twice"):
        table([rule, rule])
    with pytest.raises(InternalError, match="GET /a is answered twice"):
        matched([("GET", "/a"), ("GET", "/a")], [rule])


def test_only_these_addresses_need_no_sign_in():
    """A new open address must be put here too, so that it is opened on purpose."""
    assert {ids(rule) for rule in ACCESS if rule.who is None} == {
        "GET /healthz", "GET /static/{name}", "GET /", "GET /enter", "POST /enter", "GET /enter/{token}",
        "POST /enter/{token}", "POST /leave",
    }  # fmt: skip


@pytest.mark.parametrize(
    "path", ["/nothing", "/desk/", "/openapi.json", "/docs", "/static/..%2fsettings.py", "/static/x.js"]
)
def test_other_addresses_do_not_exist(ann, path):
    assert ann.get(path).status_code == 404


def test_another_method_is_refused(ann):
    assert ann.put("/desk").status_code == 405
    assert ann.get("/leave").status_code == 405
