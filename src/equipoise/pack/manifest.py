"""MANIFEST.sha256: one line a file, and what a later look at the folder finds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from equipoise.errors import InputError, UsageError
from equipoise.ids import bytes_hash, text_hash

MANIFEST = "MANIFEST.sha256"
"""Name of the file; its form is that of `sha256sum`, which can check it too."""

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


def manifest_text(files: Mapping[str, bytes]) -> str:
    """The manifest of some files, in the order of their names.

    Args:
        files: bytes by name, a path with forward slashes.
    """
    return "".join(f"{bytes_hash(files[name])}  {name}\n" for name in sorted(files))


def files_hash(files: Mapping[str, bytes]) -> str:
    """One hash over names and contents of some files.

    Args:
        files: bytes by name.
    """
    return text_hash(manifest_text(files))


def read_manifest(folder: str | Path) -> dict[str, str]:
    """Hash by name, as the manifest of a pack says.

    Args:
        folder: the pack.

    Raises:
        UsageError: there is no manifest.
        InputError: a line is not one of a manifest, or names a place outside the folder.
    """
    path = Path(folder) / MANIFEST
    if not path.is_file():
        message = f"there is no pack here: {MANIFEST} is missing"
        raise UsageError(message, file=str(folder))
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        parts = _LINE.fullmatch(line)
        if parts is None or _outside(parts[2]) or parts[2] in found:
            message = "expected a SHA-256, two spaces and the name of a file of the pack, each file once"
            raise InputError(message, file=str(path), line=number)
        found[parts[2]] = parts[1]
    return found


def verify(folder: str | Path) -> tuple[str, ...]:
    """What in a pack is not as its manifest says: one line a file, empty when nothing differs.

    Args:
        folder: the pack.

    Raises:
        UsageError: there is no manifest.
        InputError: the manifest cannot be read.
    """
    root = Path(folder)
    expected = read_manifest(root)
    there = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_symlink() or path.is_file()}
    found: dict[str, str] = {}
    for name, digest in expected.items():
        path = there.get(name)
        if path is None:
            found[name] = f"missing: {name}"
        elif path.is_symlink():
            found[name] = f"a link, not a file: {name}"
        elif bytes_hash(path.read_bytes()) != digest:
            found[name] = f"changed: {name}"
    found |= {name: f"not in the manifest: {name}" for name in there if name not in expected and name != MANIFEST}
    return tuple(found[name] for name in sorted(found))


def _outside(name: str) -> bool:
    parts = name.split("/")
    return name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in parts)
