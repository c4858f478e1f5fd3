"""Pictures of slides from the user's own folder: found, checked by their first bytes, hashed; nothing outside the folder is opened."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from equipoise.boards.reading import inside, short
from equipoise.errors import InputError, UsageError
from equipoise.ids import bytes_hash

MOST_BYTES = 20 * 1024**2
"""Largest picture taken."""

MOST_NAMED = 10

_SIGNS: tuple[tuple[bytes, int, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"WEBP", 8, "image/webp"),
    (b"GIF87a", 0, "image/gif"),
    (b"GIF89a", 0, "image/gif"),
)
"""First bytes, their place, and the type they show; the name of a file is not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture that was looked at.

    Attributes:
        name: path relative to the folder.
        media_type: by its first bytes.
        sha256: hash of its bytes.
        size: in bytes.
    """

    name: str
    media_type: str
    sha256: str
    size: int


def find_pictures(folder: str | Path, names: Iterable[str]) -> Mapping[str, Picture]:
    """Every picture by its name, checked.

    Args:
        folder: the user's folder.
        names: paths relative to it.

    Raises:
        UsageError: there is no such folder.
        InputError: pictures are missing, too large, of no known type, or lead outside; the message names them, up to ten.
    """
    root = Path(folder)
    if not root.is_dir():
        message = "there is no such folder of pictures"
        raise UsageError(message, file=str(folder), field="images")
    found: dict[str, Picture] = {}
    wrong: list[str] = []
    for name in dict.fromkeys(names):
        try:
            data, media_type = _read(root, name)
        except InputError as error:
            wrong.append(f"{short(name)} {error.message}")
            continue
        found[name] = Picture(name=name, media_type=media_type, sha256=bytes_hash(data), size=len(data))
    if wrong:
        more = f"; and {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
        message = f"{len(wrong)} of the pictures cannot be used: {'; '.join(wrong[:MOST_NAMED])}{more}"
        raise InputError(message, file=root.name, field="images")
    return found


def picture_uri(folder: str | Path, picture: Picture) -> str:
    """A picture as a data address, read again and held against what was looked at.

    Raises:
        InputError: it is gone, or another one by now.
    """
    data, media_type = _read(Path(folder), picture.name)
    if bytes_hash(data) != picture.sha256:
        message = f"{short(picture.name)} is not the picture that was there when the run was planned"
        raise InputError(message, field="images")
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def _read(root: Path, name: str) -> tuple[bytes, str]:
    if not inside(name):
        message = "leads outside the folder"
        raise InputError(message)
    path = root / name
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):
        message = "is not there"
        raise InputError(message) from None
    if not real.is_relative_to(root.resolve()):
        message = "leads outside the folder"
        raise InputError(message)
    if not real.is_file():
        message = "is no file"
        raise InputError(message)
    try:
        with real.open("rb") as handle:
            data = handle.read(MOST_BYTES + 1)
    except OSError:
        message = "cannot be opened"
        raise InputError(message) from None
    if len(data) > MOST_BYTES:
        message = f"is larger than {MOST_BYTES // 1024**2} MiB"
        raise InputError(message)
    media_type = next((kind for sign, place, kind in _SIGNS if data[place : place + len(sign)] == sign), "")
    if not media_type:
        message = "is no PNG, JPEG, WebP or GIF"
        raise InputError(message)
    return data, media_type
