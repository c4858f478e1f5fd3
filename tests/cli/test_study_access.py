"""`equipoise study raters` for links and passwords: printed once, never on the command line, never in a log."""

from __future__ import annotations

import json

import pytest

from equipoise.study.raters import check_password, rater_of_link, raters
from equipoise.study.store import open_store

AT = "2026-11-30T12:00:00+00:00"


@pytest.fixture
def study(equipoise, tmp_path):
    folder = tmp_path / "study"
    equipoise("study", "init", folder, "--template", "four-label")
    made = equipoise(
        "study", "raters", folder, "--add", "r1", "--add", "r2", "--coordinator", "chief", "--adjudicator", "j"
    )
    assert made.code == 0
    return folder


def log_of(store):
    with store.reading() as connection:
        return json.dumps(store.rows(connection, "log"))


def test_people_are_added_in_their_roles(study):
    with open_store(study / "study.sqlite") as store:
        assert {one.code: one.role for one in raters(store)} == {
            "r1": "rater", "r2": "rater", "j": "adjudicator", "chief": "coordinator",
        }  # fmt: skip


def test_a_link_is_alone_on_standard_output_and_fits_its_owner(equipoise, study):
    done = equipoise("study", "raters", study, "--link", "r1", "--base-url", "https://desk.example.org/")
    assert done.code == 0
    assert done.out.startswith("https://desk.example.org/enter/")
    assert done.out.count("\n") == 1
    token = done.out.strip().rpartition("/")[2]
    assert token not in done.err
    with open_store(study / "study.sqlite") as store:
        assert rater_of_link(store, token, at="2026-12-01T12:00:00+00:00") == "r1"
        assert token not in log_of(store)


def test_a_new_link_ends_the_earlier_one(equipoise, study):
    tokens = [equipoise("study", "raters", study, "--link", "r1").out.strip().rpartition("/")[2] for _ in range(2)]
    with open_store(study / "study.sqlite") as store:
        assert [rater_of_link(store, token, at="2026-12-01T12:00:00+00:00") for token in tokens] == [None, "r1"]


def test_an_unknown_code_makes_no_link_for_anybody(equipoise, study):
    token = equipoise("study", "raters", study, "--link", "r1").out.strip().rpartition("/")[2]
    done = equipoise("study", "raters", study, "--link", "r1", "--link", "nobody")
    assert (done.code, done.out) == (2, "")
    assert "there is no rater 'nobody'" in done.err
    with open_store(study / "study.sqlite") as store:
        assert rater_of_link(store, token, at="2026-12-01T12:00:00+00:00") == "r1"


def test_a_password_is_read_from_standard_input_and_stands_nowhere(equipoise, study):
    secret = "correct horse battery"
    done = equipoise("study", "raters", study, "--password", "r1", stdin=f"{secret}\nmore\n".encode())
    assert done.code == 0
    assert secret not in done.out + done.err
    with open_store(study / "study.sqlite") as store:
        assert check_password(store, "r1", secret)
        assert secret not in log_of(store)
    assert secret.encode() not in (study / "study.sqlite").read_bytes()


@pytest.mark.parametrize(
    ("code", "stdin", "fault"),
    [
        ("r1", b"", "expected the password on the first line of standard input"),
        ("r1", b"short\n", "expected a password of 12 to 1000 characters"),
        ("nobody", b"correct horse battery\n", "there is no rater 'nobody'"),
    ],
)
def test_a_password_that_does_not_fit_is_refused(equipoise, study, code, stdin, fault):
    done = equipoise("study", "raters", study, "--password", code, stdin=stdin)
    assert (done.code, done.out) == (2, "")
    assert fault in done.err
    assert b"horse" not in done.err.encode()


def test_a_password_typed_twice_differently_changes_nothing(equipoise, study, monkeypatch):
    import getpass

    from equipoise.cli import study_access

    class Terminal:
        def isatty(self):
            return True

    for typed, code in ((["correct horse battery", "correct horse batterz"], 2), (["correct horse battery"] * 2, 0)):
        answers = iter(typed)
        monkeypatch.setattr(getpass, "getpass", lambda _, answers=answers: next(answers))
        monkeypatch.setattr(study_access.sys, "stdin", Terminal())
        with open_store(study / "study.sqlite") as store:
            if code:
                with pytest.raises(Exception, match="the two passwords differ"):
                    study_access.give_password(store, "r1", at=AT)
            else:
                study_access.give_password(store, "r1", at=AT)
            assert check_password(store, "r1", "correct horse battery") is (code == 0)


def test_nothing_is_handed_out_under_a_meeting(equipoise, study):
    done = equipoise("study", "adjudicate", study, "--hand-out")
    assert done.code == 2
    assert "the protocol decides by consensus" in done.err
