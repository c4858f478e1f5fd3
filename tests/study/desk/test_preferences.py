"""How a rater wants to see the page: kept, checked, and never able to break it."""

import re

import pytest

from equipoise.errors import UsageError
from equipoise.study.desk.preferences import Preferences, keys_of, own_keys, read_preferences
from equipoise.study.protocol import load_protocol
from study.desk.conftest import protocol, token

PROTOCOL = load_protocol(protocol())


def test_keys_at_first_are_those_of_the_desk_and_the_protocol():
    keys = keys_of(Preferences(), PROTOCOL)
    assert (keys["undo"], keys["label/Supported"], keys["harm/no"]) == ("u", "1", "n")
    assert "missing/ecog" not in keys


def test_only_changed_keys_are_kept():
    own = own_keys({"undo": "z", "back": "k", "label/Supported": "", "missing/ecog": "a"}, PROTOCOL)
    assert own == {"undo": "z", "label/Supported": "", "missing/ecog": "a"}
    keys = keys_of(Preferences(own=own), PROTOCOL)
    assert keys["undo"] == "z"
    assert "label/Supported" not in keys


@pytest.mark.parametrize(
    ("given", "field", "fault"),
    [
        ({"undo": "1"}, "label/Supported", "the key '1' is given to undo and to label/Supported"),
        ({"undo": "#"}, "undo", "'#' cannot be a key here"),
        ({"undo": "ab"}, "undo", "'ab' cannot be a key here"),
    ],
)
def test_a_key_does_one_thing(given, field, fault):
    with pytest.raises(UsageError, match=fault) as caught:
        own_keys(given, PROTOCOL)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"keys": "no", "size": "huge", "scheme": 7, "onwards": None, "clock": "yes", "own": []},
        {"own": {"undo": "1"}},
        {"own": {"undo": "##"}},
        {"own": {"nothing": "z"}},
    ],
)
def test_what_does_not_hold_counts_as_not_stored(stored):
    found = read_preferences(stored, PROTOCOL)
    assert found.own == {}
    assert (found.size, found.scheme) == ("normal", "auto")


def test_settings_are_kept_and_show_on_every_page(desk, ann):
    sent = {"csrf": token(ann), "size": "larger", "scheme": "dark", "clock": "on", "key.undo": "z"}
    assert "Kept." in ann.post("/desk/settings", data=sent).text
    page = ann.get("/desk").text
    assert '<html lang="en" data-scheme="dark" data-text-size="larger">' in page
    assert 'data-clock="on"' in page
    assert 'data-keys="off"' in page
    assert "<kbd>u</kbd>" not in page
    ann.post("/desk/settings", data=sent | {"keys": "on"})
    page = ann.get("/desk").text
    assert "<kbd>z</kbd> Undo" in page
    other = desk.signed_in("bob").get("/desk").text
    assert 'data-scheme="auto"' in other
    assert "<kbd>u</kbd> Undo" in other


def test_wrong_settings_keep_nothing_and_say_where(ann):
    before = ann.get("/desk/settings").text
    answer = ann.post("/desk/settings", data={"csrf": token(ann), "scheme": "dark", "key.undo": "k"})
    assert answer.status_code == 422
    assert "the key &#39;k&#39; is given to back and to undo" in answer.text
    assert re.search(r'name="key.undo" value="k"[^>]*aria-invalid="true"', answer.text)
    assert ann.get("/desk/settings").text == before


def test_keys_can_be_set_back(ann):
    sent = {"csrf": token(ann), "keys": "on", "key.undo": "z"}
    ann.post("/desk/settings", data=sent)
    assert "<kbd>z</kbd> Undo" in ann.get("/desk").text
    ann.post("/desk/settings", data=sent | {"reset": "keys"})
    assert "<kbd>u</kbd> Undo" in ann.get("/desk").text
