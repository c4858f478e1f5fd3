"""Pictures of slides: only from the user's folder, only pictures, and the same when they are sent."""

from __future__ import annotations

import base64
import os

import pytest

from boards_help import PNG
from equipoise.boards import pictures
from equipoise.boards.pictures import find_pictures, picture_uri
from equipoise.errors import InputError, UsageError

SIGNED = {
    "a.jpg": (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
    "b.webp": (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
    "c.gif": (b"GIF89a\x01\x00", "image/gif"),
    "d.png": (PNG, "image/png"),
    "named.jpg": (PNG, "image/png"),
}


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "pictures"
    (root / "deep").mkdir(parents=True)
    (root / "one.png").write_bytes(PNG)
    (root / "deep" / "two.png").write_bytes(PNG + b"2")
    (tmp_path / "secret.png").write_bytes(PNG)
    return root


def test_pictures_are_found_hashed_and_typed_by_their_bytes(folder):
    for name, (data, _) in SIGNED.items():
        (folder / name).write_bytes(data)
    found = find_pictures(folder, [*SIGNED, "deep/two.png", "d.png"])
    assert {name: found[name].media_type for name in SIGNED} == {name: kind for name, (_, kind) in SIGNED.items()}
    assert found["deep/two.png"].sha256 != found["d.png"].sha256
    assert picture_uri(folder, found["named.jpg"]) == "data:image/png;base64," + base64.b64encode(PNG).decode()


@pytest.mark.parametrize(
    "name", ["../secret.png", "/etc/passwd", "deep/../../secret.png", "", "C:/x.png", "..\\secret.png", "~/x.png"]
)
def test_a_path_that_leads_outside_is_refused(folder, name):
    with pytest.raises(InputError, match="leads outside the folder"):
        find_pictures(folder, [name])


def test_a_link_that_leads_outside_is_refused(folder):
    os.symlink(folder.parent / "secret.png", folder / "link.png")
    os.symlink(folder / "one.png", folder / "inner.png")
    os.symlink(folder.parent, folder / "up")
    for name in ("link.png", "up/secret.png"):
        with pytest.raises(InputError, match="leads outside the folder"):
            find_pictures(folder, [name])
    assert find_pictures(folder, ["inner.png"])["inner.png"].media_type == "image/png"


def test_every_picture_that_cannot_be_used_is_named(folder, monkeypatch):
    (folder / "text.png").write_text("no picture")
    (folder / "empty.png").write_bytes(b"")
    with pytest.raises(InputError) as told:
        find_pictures(folder, ["one.png", "gone.png", "text.png", "empty.png", "deep"])
    assert "4 of the pictures cannot be used" in str(told.value)
    for words in ("'gone.png' is not there", "'text.png' is no PNG", "'empty.png' is no PNG", "'deep' is no file"):
        assert words in str(told.value)
    assert str(folder.parent) not in str(told.value)
    monkeypatch.setattr(pictures, "MOST_BYTES", 10)
    with pytest.raises(InputError, match="is larger than"):
        find_pictures(folder, ["one.png"])


def test_of_many_missing_pictures_ten_are_named(folder):
    with pytest.raises(InputError, match=r"30 of the pictures .*'9\.png' is not there; and 20 more"):
        find_pictures(folder, [f"{number}.png" for number in range(30)])


def test_a_picture_that_changed_is_not_sent(folder):
    found = find_pictures(folder, ["one.png"])["one.png"]
    (folder / "one.png").write_bytes(PNG + b"changed")
    with pytest.raises(InputError, match="is not the picture that was there"):
        picture_uri(folder, found)
    (folder / "one.png").unlink()
    with pytest.raises(InputError, match="is not there"):
        picture_uri(folder, found)


def test_a_folder_that_is_none_is_said(tmp_path):
    with pytest.raises(UsageError, match="there is no such folder of pictures"):
        find_pictures(tmp_path / "none", [])
