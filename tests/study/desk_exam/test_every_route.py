"""Every route of the application, asked for by everybody there is: what each of them gets, written down here by hand."""

import datetime as dt

import pytest

from equipoise.study.raters import add_rater, forget, make_link, set_password
from equipoise.study.store import Item, create_store
from study.desk_exam.helpers import AT, PASSWORD, SURE, Inside, csrf, four_label

PEOPLE = ("nobody", "ann", "bob", "third", "chief", "gone", "late", "made-up")
"""Nobody; the rater whose item is asked for; another rater; adjudicator; coordinator; a rater whose data were deleted; a rater
whose session has run out; a cookie that was made up."""
ENDED = {"nobody", "gone", "late", "made-up"}
ANSWER = {f"answer.{name}": value for name, value in (SURE | {"label": "Supported"}).items()} | {
    "press": "pressed-1",
    "after": "0",
}
OPEN, FORM = {}, None


def row(method, path, form=OPEN, *, ann, bob, third, chief, ended=None):
    """One line of the table: the status for each role; who is not signed in is sent to sign in, or told 401."""
    ended = ended or (303 if method == "GET" else 401)
    return (method, path), form, {"ann": ann, "bob": bob, "third": third, "chief": chief} | dict.fromkeys(ENDED, ended)


def everybody(status):
    return dict.fromkeys(("ann", "bob", "third", "chief"), status) | {"ended": status}


ONLY_CHIEF = {"ann": 403, "bob": 403, "third": 403}
ONLY_RATERS = {"third": 403, "chief": 403}
TABLE = (
    row("GET", "/healthz", **everybody(200)),
    row("GET", "/static/desk.css", **everybody(200)),
    row("GET", "/", **everybody(303)),
    row("GET", "/enter", **everybody(200)),
    row("POST", "/enter", {"code": "ann", "password": "wrong"}, **everybody(401)),
    row("GET", "/enter/{token}", **everybody(200)),
    row("POST", "/enter/{token}", **everybody(303)),
    row("POST", "/leave", **everybody(303)),
    row("GET", "/desk", ann=303, bob=303, **ONLY_RATERS),
    row("GET", "/desk/guide", ann=200, bob=200, **ONLY_RATERS),
    row("GET", "/desk/history", ann=200, bob=200, **ONLY_RATERS),
    row("GET", "/desk/settings", ann=200, bob=200, third=200, chief=200),
    row("POST", "/desk/settings", {"size": "large", "scheme": "dark"}, ann=303, bob=303, third=303, chief=303),
    row("GET", "/desk/items/{public}", ann=200, bob=404, **ONLY_RATERS),
    row("POST", "/desk/items/{public}/answer", ANSWER, ann=303, bob=404, **ONLY_RATERS),
    row("POST", "/desk/items/{public}/skip", {"reason": "why", "after": "0"}, ann=303, bob=404, **ONLY_RATERS),
    row("POST", "/desk/items/{public}/undo", {"after": "0"}, ann=422, bob=404, **ONLY_RATERS),
    row("POST", "/desk/items/{public}/reopen", {"after": "0", "reason": "w"}, ann=409, bob=404, **ONLY_RATERS),
    row("POST", "/desk/lock", ann=422, bob=422, **ONLY_RATERS),
    row("GET", "/coordinator", chief=200, **ONLY_CHIEF),
    row("GET", "/coordinator/items", chief=200, **ONLY_CHIEF),
    row("GET", "/coordinator/report", chief=409, **ONLY_CHIEF),
    row("POST", "/coordinator/unblind", {"reason": "an emergency"}, chief=303, **ONLY_CHIEF),
    row("GET", "/coordinator/raters", chief=200, **ONLY_CHIEF),
    row("POST", "/coordinator/raters", {"code": "new", "role": "rater"}, chief=303, **ONLY_CHIEF),
    row("POST", "/coordinator/queues", chief=422, **ONLY_CHIEF),
    row("POST", "/coordinator/raters/ann/link", chief=200, **ONLY_CHIEF),
    row("GET", "/coordinator/raters/ann/personal", chief=200, **ONLY_CHIEF),
    row("GET", "/coordinator/raters/ann/forget", chief=200, **ONLY_CHIEF),
    row("POST", "/coordinator/raters/ann/forget", {"confirm": "ann"}, chief=303, **ONLY_CHIEF),
    row("GET", "/coordinator/export/labels.csv", chief=200, **ONLY_CHIEF),
    row("GET", "/coordinator/import", chief=200, **ONLY_CHIEF),
    row("POST", "/coordinator/import", {"kind": "items"}, chief=422, **ONLY_CHIEF),
    row("GET", "/coordinator/protocol", chief=200, **ONLY_CHIEF),
    row("POST", "/coordinator/protocol", {"protocol": "x", "reason": "y"}, chief=422, **ONLY_CHIEF),
    row("GET", "/decide", ann=403, bob=403, third=200, chief=200),
    row("POST", "/decide", ann=403, bob=403, third=403, chief=422),
    row("GET", "/decide/{public}", ann=403, bob=403, third=404, chief=404),
    row("POST", "/decide/{public}", {"value": "Supported"}, ann=403, bob=403, third=404, chief=404),
)
FORMED = {path for (method, path), *_ in TABLE if method == "POST" and not path.startswith("/enter")}


def pattern(path):
    """The address as the application names it."""
    for given, named in (
        ("/static/desk.css", "/static/{name}"),
        ("/raters/ann/", "/raters/{code}/"),
        ("/export/labels.csv", "/export/{name}"),
    ):
        path = path.replace(given, named)
    return path


@pytest.fixture
def desk(tmp_path):
    with create_store(tmp_path / "study.sqlite", four_label(), at=AT) as store:
        shown = {"patient_summary": "Invented.", "proposed_therapy": "inventinib"}
        store.add_items([Item(name=f"i{place}", shown=shown) for place in range(3)], at=AT, origin="made up")
        for code, role in (
            ("ann", "rater"),
            ("bob", "rater"),
            ("gone", "rater"),
            ("third", "adjudicator"),
            ("chief", "coordinator"),
        ):
            add_rater(store, code, at=AT, role=role)
        desk = Inside(store)
        turns = [(code, f"i{place}", "main", 1) for code in ("ann", "bob", "gone") for place in range(3)]
        store.assign(turns, draw=desk.draw, at=AT)
        yield desk


def browser_of(desk, who):
    """A browser of somebody, and the form token that goes with it."""
    if who == "nobody":
        return desk.browser(), ""
    if who == "made-up":
        browser = desk.browser()
        browser.cookies.set("desk", "a" * 43)
        return browser, "b" * 40
    if who == "late":
        now = desk.now
        desk.now = now - dt.timedelta(hours=13)
        browser = desk.browser("ann")
        token = csrf(browser)
        desk.now = now
        return browser, token
    browser = desk.browser(who)
    token = csrf(browser)
    if who == "gone":
        forget(desk.store, "gone", at=AT)
    return browser, token


def public_of(desk, code="ann"):
    return desk.store.assignments(code)[0].public


def test_the_table_names_every_route_of_the_application(desk):
    known = {(method, route.path) for route in desk.app.routes for method in route.methods}
    assert {(method, pattern(path)) for (method, path), *_ in TABLE} == known
    assert len({key for key, *_ in TABLE}) == len(TABLE)


@pytest.mark.parametrize("line", TABLE, ids=lambda line: " ".join(line[0]))
def test_what_everybody_gets(desk, line):
    (method, path), form, wanted = line
    found = {}
    # Those who may do least ask first, so that what the others change does not help them.
    for who in ("nobody", "made-up", "late", "gone", "third", "bob", "ann", "chief"):
        browser, token = browser_of(desk, who)
        link = make_link(desk.store, "bob", draw=desk.draw, at=desk.now.isoformat()) if "{token}" in path else ""
        where = path.replace("{public}", public_of(desk)).replace("{token}", link)
        more = {} if method == "GET" else {"data": form | {"csrf": token}}
        answer = browser.request(method, where, **more)
        found[who] = answer.status_code
        if who in ENDED and wanted[who] == 303 and method == "GET":
            assert answer.headers["location"].startswith("/enter")
    assert found == wanted


@pytest.mark.parametrize(
    "line", [line for line in TABLE if line[0][1] in FORMED and line[0][0] == "POST"], ids=lambda line: line[0][1]
)
@pytest.mark.parametrize("wrong", ["missing", "empty", "other session", "other page"])
def test_a_form_from_elsewhere_changes_nothing(desk, line, wrong):
    (_, path), form, wanted = line
    who = "ann" if wanted["ann"] not in (401, 403) else "chief"
    browser, token = browser_of(desk, who)
    other = csrf(desk.browser(who))
    assert other != token
    given = {"missing": {}, "empty": {"csrf": ""}, "other session": {"csrf": other}, "other page": {"csrf": token}}[
        wrong
    ]
    headers = {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"} if wrong == "other page" else {}
    before = everything(desk)
    answer = browser.post(path.replace("{public}", public_of(desk)), data=form | given, headers=headers)
    assert answer.status_code == 403
    assert everything(desk) == before


def everything(desk):
    """All rows of the study, but for the times of sessions."""
    with desk.store.reading() as connection:
        return {
            name: desk.store.rows(connection, name)
            for name in (
                "events",
                "decisions",
                "raters",
                "persons",
                "links",
                "preferences",
                "protocols",
                "assignments",
                "log",
                "sessions",
            )
        }


@pytest.mark.parametrize(
    "header", ["null", "https://testserver", "http://testserver.elsewhere.example", "http://testserver:81"]
)
def test_origins_that_only_look_like_the_own_one_are_foreign(desk, header):
    browser, token = browser_of(desk, "ann")
    answer = browser.post("/desk/settings", data={"csrf": token, "size": "large"}, headers={"Origin": header})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "path", ["/desk/items/{}", "/desk/items/{}/answer", "/desk/items/{}/undo", "/desk/items/{}/skip"]
)
def test_an_item_of_somebody_else_is_like_one_that_does_not_exist(desk, path):
    browser, token = browser_of(desk, "bob")
    theirs = public_of(desk)
    nothing = theirs[:-1] + ("y" if theirs[-1] != "y" else "z")
    ask = (
        (lambda at: browser.get(at))
        if path.endswith("{}")
        else (lambda at: browser.post(at, data=ANSWER | {"csrf": token, "reason": "r"}))
    )
    one, other = ask(path.format(theirs)), ask(path.format(nothing))
    assert one.status_code == other.status_code == 404
    assert (one.content, one.headers) == (other.content, other.headers)


def test_a_session_that_was_planted_is_not_taken_over(desk):
    """Session fixation: signing in gives a new token, and ends the one the browser came with."""
    set_password(desk.store, "ann", PASSWORD, salt=bytes(16), at=AT)
    planted = desk.browser("bob")
    token = planted.cookies["desk"]
    planted.post("/enter", data={"code": "ann", "password": PASSWORD})
    mine = [cookie.value for cookie in planted.cookies.jar if cookie.value != token]
    assert len(mine) == 1
    attacker = desk.browser()
    attacker.cookies.set("desk", token)
    assert attacker.get("/desk/guide").status_code == 303
    made_up = desk.browser()
    made_up.cookies.set("desk", "chosen-by-an-attacker")
    answer = made_up.post("/enter", data={"code": "ann", "password": PASSWORD})
    assert "chosen-by-an-attacker" not in answer.headers["set-cookie"]


@pytest.mark.parametrize("base", ["", "https://study.example.org"])
def test_the_cookie_stays_between_browser_and_desk(desk, base):
    set_password(desk.store, "ann", PASSWORD, salt=bytes(16), at=AT)
    own = Inside(desk.store, base_url=base)
    answer = own.browser().post("/enter", data={"code": "ann", "password": PASSWORD})
    cookie = answer.headers["set-cookie"]
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= parts
    assert not [part for part in parts if part.startswith("domain")]
    assert ("secure" in parts) is bool(base)
    assert cookie.startswith("__Host-desk=") is bool(base)
    if base:
        assert answer.headers["strict-transport-security"].startswith("max-age=")


def test_a_password_is_kept_as_argon2id_with_the_parameters_that_are_recommended(desk):
    set_password(desk.store, "ann", PASSWORD, salt=bytes(range(16)), at=AT)
    with desk.store.reading() as connection:
        stored = [person["password"] for person in desk.store.rows(connection, "persons") if person["password"]]
    kind, version, cost = stored[0].split("$")[1:4]
    assert (kind, version) == ("argon2id", "v=19")
    values = {name: int(value) for name, value in (part.split("=") for part in cost.split(","))}
    assert values["m"] >= 19 * 1024  # OWASP Password Storage Cheat Sheet: 19 MiB with two passes, or 46 MiB with one
    assert values["t"] >= (1 if values["m"] >= 46 * 1024 else 2)
    assert PASSWORD not in stored[0]


def test_personal_data_go_out_whole_and_then_are_gone_while_labels_stay(desk):
    add_rater(desk.store, "named", at=AT, name="Invented Person", contact="person@invented.example")
    desk.store.assign([("named", "i0", "main", 1)], draw=desk.draw, at=AT)
    rater, token = browser_of(desk, "named")
    rater.post(f"/desk/items/{public_of(desk, 'named')}/answer", data=ANSWER | {"csrf": token, "comment": "my remark"})
    chief, token = browser_of(desk, "chief")
    given = chief.get("/coordinator/raters/named/personal").text
    for word in ("Invented Person", "person@invented.example", "my remark", "Supported"):
        assert word in given
    chief.post("/coordinator/raters/named/forget", data={"csrf": token, "confirm": "named"})
    assert rater.get("/desk/guide").status_code == 303
    labels = chief.get("/coordinator/export/labels.csv").text
    assert "named" in labels
    assert "my remark" in labels
    desk.store.settle()
    for path in (name for name in desk_files(desk) if name.is_file()):
        data = path.read_bytes()
        assert b"Invented Person" not in data
        assert b"person@invented.example" not in data


def desk_files(desk):
    with desk.store.reading() as connection:
        from pathlib import Path

        place = Path(connection.engine.url.database)
    return sorted(place.parent.glob(f"{place.name}*"))
