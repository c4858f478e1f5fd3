"""Raters: passwords and links cannot be read back, a person can be forgotten, the labels stay."""

import hashlib

import argon2
import pytest

from equipoise.errors import UsageError
from equipoise.study.history import EventKind
from equipoise.study.raters import (
    add_rater,
    check_password,
    forget,
    hash_password,
    make_link,
    password_fits,
    personal_data,
    rater_of_link,
    raters,
    set_password,
)

AT = "2026-11-30T12:00:00+00:00"
LATER = "2027-02-01T12:00:00+00:00"
SALT = bytes(range(16))


def test_a_password_fits_only_itself():
    stored = hash_password("correct horse battery", salt=SALT)
    assert password_fits("correct horse battery", stored)
    assert not password_fits("correct horse batterz", stored)
    assert not password_fits("correct horse battery", "")
    assert not password_fits("", "")
    assert "horse" not in stored
    assert stored != hash_password("correct horse battery", salt=bytes(16))


def test_the_hash_is_scrypt_as_the_standard_computes_it():
    """Second test vector of RFC 7914, section 12, through our own storage form."""
    wanted = (
        "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830da"
        "c727afb94a83ee6d8360cbdfa2cc0640"
    )
    assert password_fits("password", f"scrypt$1024$8$16${b'NaCl'.hex()}${wanted}")


@pytest.mark.parametrize(("password", "salt"), [("short", SALT), ("x" * 1001, SALT), ("long enough here", b"")])
def test_a_weak_password_is_refused(password, salt):
    with pytest.raises(UsageError, match="expected a password of 12 to 1000 characters"):
        hash_password(password, salt=salt)


def test_a_rater_enters_by_password_until_forgotten(store):
    add_rater(
        store, "r1", at=AT, name="Dr Invented", contact="a@example.org", password="correct horse battery", salt=SALT
    )
    assert check_password(store, "r1", "correct horse battery")
    assert not check_password(store, "r1", "wrong horse battery")
    assert not check_password(store, "r2", "correct horse battery")
    forget(store, "r1", at=AT)
    assert not check_password(store, "r1", "correct horse battery")


def test_a_link_is_a_raters_own_ends_and_is_not_kept_readable(tmp_path, store):
    add_rater(store, "r1", at=AT)
    token = make_link(store, "r1", draw=lambda size: f"token-of-{size}-bytes", at=AT)
    assert rater_of_link(store, token, at=AT) == "r1"
    assert rater_of_link(store, token + "x", at=AT) is None
    assert rater_of_link(store, token, at=LATER) is None
    assert token.encode() not in (tmp_path / "study.sqlite").read_bytes()
    newer = make_link(store, "r1", draw=lambda _: "newer", at=AT)
    assert rater_of_link(store, token, at=AT) is None
    assert rater_of_link(store, newer, at=AT) == "r1"


@pytest.mark.parametrize(
    ("code", "role", "fault"),
    [("a b", "rater", "is no code"), ("", "rater", "is no code"), ("c", "admin", "'admin' is no role")],
)
def test_a_rater_needs_a_code_and_a_role(store, code, role, fault):
    with pytest.raises(UsageError, match=fault):
        add_rater(store, code, at=AT, role=role)
    assert raters(store) == ()


def test_a_code_is_given_once(store):
    add_rater(store, "r1", at=AT)
    with pytest.raises(UsageError, match="there is a rater 'r1' already"):
        add_rater(store, "r1", at=AT)


def test_a_forgotten_person_is_gone_from_the_file_and_the_labels_stay(tmp_path, filled):
    add_rater(filled, "c", at=AT, name="Dr Unmistakable", contact="unmistakable@example.org")
    filled.assign([("c", "case-0", "main", 1)], draw=lambda _: "c-1", at=AT)
    filled.record("c", "c-1", EventKind.ANSWER, press="1", at=AT, answers={"label": "Supported"}, comment="mine")
    make_link(filled, "c", draw=lambda _: "t", at=AT)
    before = personal_data(filled, "c")
    assert (before["name"], before["contact"]) == ("Dr Unmistakable", "unmistakable@example.org")
    assert before["items"][0]["events"][0]["comment"] == "mine"
    assert len(before["links"]) == 1
    forget(filled, "c", at=AT)
    after = personal_data(filled, "c")
    assert (after["name"], after["contact"], after["links"], after["forgotten_at"]) == ("", "", [], AT)
    assert after["items"] == before["items"]
    assert rater_of_link(filled, "t", at=AT) is None
    with pytest.raises(UsageError, match="were deleted"):
        forget(filled, "c", at=AT)
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"nmistakable" not in left


def test_data_of_nobody_are_not_given(store):
    with pytest.raises(UsageError, match="there is no rater 'x'"):
        personal_data(store, "x")


def test_a_new_hash_is_argon2id_with_the_least_that_owasp_asks_for():
    """Checked with the library's own reader of the stored form, which is not what wrote it."""
    found = argon2.extract_parameters(hash_password("correct horse battery", salt=SALT))
    assert found.type is argon2.Type.ID
    assert (found.memory_cost, found.time_cost, found.parallelism) == (19456, 2, 1)
    assert (found.salt_len, found.hash_len) == (16, 32)


def test_an_earlier_hash_still_fits_and_is_replaced_at_the_next_sign_in(store):
    made = hashlib.scrypt(b"correct horse battery", salt=SALT, n=2**15, r=8, p=1, maxmem=2**26)
    add_rater(store, "r1", at=AT)
    with store.transaction() as connection:
        person = store.one(connection, "persons", rater=1)
        store.change(connection, "persons", person["id"], password=f"scrypt$32768$8$1${SALT.hex()}${made.hex()}")
    assert not check_password(store, "r1", "wrong horse battery", salt=SALT)
    assert stored(store).startswith("scrypt$")
    assert check_password(store, "r1", "correct horse battery", salt=SALT)
    assert stored(store).startswith("$argon2id$")
    assert check_password(store, "r1", "correct horse battery", salt=SALT)
    assert not check_password(store, "r1", "wrong horse battery", salt=SALT)


def test_a_new_password_takes_the_place_of_the_old_one(store):
    add_rater(store, "r1", at=AT, password="correct horse battery", salt=SALT)
    set_password(store, "r1", "another long password", salt=SALT, at=AT)
    assert check_password(store, "r1", "another long password")
    assert not check_password(store, "r1", "correct horse battery")
    with pytest.raises(UsageError, match="there is no rater 'r2'"):
        set_password(store, "r2", "another long password", salt=SALT, at=AT)


def test_a_password_in_any_letters_fits(store):
    add_rater(store, "r1", at=AT, password="pässwört \U0001f40e lang", salt=SALT)
    assert check_password(store, "r1", "pässwört \U0001f40e lang")
    assert not check_password(store, "r1", "passwort \U0001f40e lang")


def stored(store):
    with store.reading() as connection:
        return store.one(connection, "persons", rater=1)["password"]
