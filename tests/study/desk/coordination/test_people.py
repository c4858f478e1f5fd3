"""People of a study in the browser: links shown once, queues drawn once, personal data given out and deleted."""

import json
import re

import pytest

from equipoise.study.desk.settings import DeskSettings
from equipoise.study.raters import rater_of_link, raters


def test_a_link_is_shown_once_and_ends_the_session_of_its_owner(make, send):
    desk = make(settings=DeskSettings(base_url="http://localhost:8090"))
    ann, chief = desk.browser("ann"), desk.browser("chief")
    assert ann.get("/desk").status_code in (200, 303)
    page = send(chief, "/coordinator/raters/ann/link").text
    token = re.search(r"http://localhost:8090/enter/([A-Za-z0-9_-]+)<", page)[1]
    assert rater_of_link(desk.store, token, at="2026-12-01T09:00:00+00:00") == "ann"
    assert token not in chief.get("/coordinator/raters").text
    assert token not in json.dumps(desk.log("link"))
    assert desk.log("link")[0]["actor"] == "chief"
    assert ann.get("/desk").headers["location"].startswith("/enter")
    assert chief.get("/coordinator/raters/ann/link").status_code == 405


def test_a_person_is_added_under_a_code_and_a_wrong_one_is_kept_in_the_form(desk, send):
    chief = desk.browser("chief")
    assert send(chief, "/coordinator/raters", code="zoe", role="adjudicator", name="Dr Invented").status_code == 303
    assert [one.role for one in raters(desk.store) if one.code == "zoe"] == ["adjudicator"]
    for fields, fault in (
        ({"code": "zoe", "role": "rater"}, "there is a rater &#39;zoe&#39; already"),
        ({"code": "a b", "role": "rater"}, "is no code"),
        ({"code": "ok", "role": "admin"}, "is no role"),
        ({"code": "ok", "role": "rater", "name": "x" * 201}, "at most 200 characters"),
    ):
        told = send(chief, "/coordinator/raters", **fields)
        assert (told.status_code, fault in told.text) == (422, True), fields
        assert f'value="{fields["code"]}"' in told.text
    assert len(raters(desk.store)) == 6
    assert [json.loads(entry["detail"]) for entry in desk.log("person")] == [{"rater": "zoe", "role": "adjudicator"}]


def test_queues_are_drawn_once(make, send):
    desk = make(people=False)
    chief = desk.browser("chief")
    assert "the protocol plans 2 raters; the study has 0" in send(chief, "/coordinator/queues").text
    for code in ("ann", "bob"):
        send(chief, "/coordinator/raters", code=code, role="rater")
    assert send(chief, "/coordinator/queues").status_code == 303
    assert len(desk.store.assignments()) == 12
    assert send(chief, "/coordinator/queues").status_code == 422
    assert len(desk.store.assignments()) == 12
    assert 'id="draw"' not in chief.get("/coordinator/raters").text


def test_personal_data_are_a_file_and_taking_it_is_logged(done):
    answer = done.browser("chief").get("/coordinator/raters/ann/personal")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert len(answer.json()["items"]) == 6
    assert json.loads(done.log("personal")[0]["detail"]) == {"rater": "ann"}


@pytest.mark.parametrize("typed", ["", "an", "Ann", "ann ", "bob"])
def test_a_deletion_needs_the_code_typed(done, send, typed):
    chief = done.browser("chief")
    told = send(chief, "/coordinator/raters/ann/forget", confirm=typed)
    assert (told.status_code, "Nothing was deleted" in told.text) == (422, True)
    assert not next(one for one in raters(done.store) if one.code == "ann").forgotten


def test_a_deleted_person_is_signed_out_and_the_labels_stay(done, send):
    chief, ann = done.browser("chief"), done.browser("ann")
    assert "Type the code ann" in chief.get("/coordinator/raters/ann/forget").text
    assert send(chief, "/coordinator/raters/ann/forget", confirm="ann").status_code == 303
    assert ann.get("/desk").headers["location"].startswith("/enter")
    assert next(one for one in raters(done.store) if one.code == "ann").forgotten
    assert len(done.store.assignments("ann")) == 6
    assert send(chief, "/coordinator/raters/ann/forget", confirm="ann").status_code == 422


def test_nobody_deletes_the_ground_under_their_own_feet(desk, send):
    chief = desk.browser("chief")
    assert send(chief, "/coordinator/raters/chief/forget", confirm="chief").status_code == 422
    assert chief.get("/coordinator").status_code == 200


@pytest.mark.parametrize("path", ["link", "forget"])
def test_a_person_who_is_not_there_looks_like_no_address(desk, send, path):
    assert send(desk.browser("chief"), f"/coordinator/raters/nobody/{path}").status_code == 404


def test_a_form_without_the_token_of_the_session_changes_nothing(desk):
    chief = desk.browser("chief")
    for path, fields in (
        ("/coordinator/raters", {"code": "zoe", "role": "rater"}),
        ("/coordinator/raters/ann/forget", {"confirm": "ann"}),
        ("/coordinator/unblind", {"reason": "x"}),
        ("/coordinator/protocol", {"protocol": "x"}),
    ):
        assert chief.post(path, data=fields).status_code == 403
        assert chief.post(path, data={**fields, "csrf": "wrong"}).status_code == 403
    assert len(raters(desk.store)) == 5
    assert desk.log("unblind") == []
