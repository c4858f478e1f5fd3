"""Keys, roles, sessions, the secret."""

from __future__ import annotations

import datetime as dt
import json
import stat

import pytest

from equipoise.errors import ConfigurationError, UsageError
from equipoise.service.access.keys import KeyFile, Role
from equipoise.service.access.secret import Secret
from equipoise.service.access.session import HOURS, Sessions

DAY = dt.date(2026, 11, 1)


@pytest.fixture
def keys(tmp_path):
    return KeyFile(tmp_path / "keys.json")


def test_a_key_is_found_by_its_text_and_kept_as_a_digest(keys):
    key, text = keys.add("ward 7", [Role.AUDIT], today=DAY)
    assert keys.find(text) == key
    stored = keys.path.read_text(encoding="utf-8")
    assert text.split("_")[2] not in stored
    assert key.digest in stored
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600


def test_a_wrong_secret_an_unknown_id_and_a_revoked_key_are_not_found(keys):
    key, text = keys.add("a", [Role.AUDIT], today=DAY)
    head, secret = text.rsplit("_", 1)[0], text.rsplit("_", 1)[1]
    swapped = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    for presented in (f"{head}_{swapped}", f"eqp_ffffffff_{secret}", "", secret, text + "x", text.upper()):
        assert keys.find(presented) is None
    keys.revoke(key.id, today=DAY)
    assert keys.find(text) is None
    every = keys.keys()
    assert [one.revoked for one in every] == ["2026-11-01"]


def test_a_change_by_another_process_is_seen(keys):
    _, text = keys.add("a", [Role.AUDIT], today=DAY)
    other = KeyFile(keys.path)
    assert other.find(text) is not None
    keys.revoke(text.split("_")[1], today=DAY)
    assert other.find(text) is None


def test_roles(keys):
    audit = keys.add("a", [Role.AUDIT], today=DAY)[0]
    both = keys.add("b", [Role.AUDIT, Role.TRAIL], today=DAY)[0]
    admin = keys.add("c", [Role.ADMIN], today=DAY)[0]
    assert [[key.allows(role) for role in Role] for key in (audit, both, admin)] == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\x1b[31m"])
def test_a_key_needs_a_name(keys, name):
    with pytest.raises(UsageError):
        keys.add(name, [Role.AUDIT], today=DAY)


@pytest.mark.parametrize("content", ["nonsense", "{}", '{"keys": [{"id": 1}]}', '{"keys": 7}'])
def test_a_broken_file_of_keys_is_an_error_and_not_an_open_door(keys, content):
    keys.path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="expected a file of keys"):
        keys.find("eqp_00000000_" + "A" * 43)


def test_a_session_ends_with_its_time_and_with_its_key(keys, tmp_path):
    secret = Secret.load(tmp_path / "secret.key")
    sessions = Sessions(secret, keys)
    key = keys.add("a", [Role.AUDIT], today=DAY)[0]
    cookie = sessions.make(key, 1000.0)
    assert sessions.read(cookie, 1000.0 + HOURS * 3600 - 1) == key
    assert sessions.read(cookie, 1000.0 + HOURS * 3600) is None
    for forged in (
        cookie[:-1] + ("0" if cookie[-1] != "0" else "1"),
        cookie.replace(key.id, "00000000"),
        "",
        "..",
        "a.b.c",
        cookie + ".x",
    ):
        assert sessions.read(forged, 1000.0) is None, forged
    keys.revoke(key.id, today=DAY)
    assert sessions.read(cookie, 1000.0) is None


def test_the_secret_is_made_once_and_private(tmp_path):
    path = tmp_path / "secret.key"
    first = Secret.load(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert first.pseudonym("Anna") == Secret.load(path).pseudonym("Anna") != Secret(b"0" * 32).pseudonym("Anna")
    assert first.pseudonym("") == ""
    path.write_text("short", encoding="utf-8")
    with pytest.raises(ConfigurationError):
        Secret.load(path)


def test_a_revoked_key_is_refused_by_a_running_service(running):
    identifier = running.keys["audit"].split("_")[1]
    assert running.audit().status_code == 200
    KeyFile(running.settings.data / "keys.json").revoke(identifier, today=DAY)
    assert running.audit().status_code == 401


def test_an_open_service_needs_no_key(make):
    running = make(open=True)
    assert running.client.get("/policies").status_code == 200
    assert json.loads(running.audit().text)["cases"][0]["trail"]["seq"] == 1
