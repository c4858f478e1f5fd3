"""The manifest of a batch: what was asked, what was written, each part with its hash; by it a batch that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.batch.output import FORMATS, write_whole
from equipoise.errors import UsageError
from equipoise.ids import bytes_hash

NAME = "manifest.json"
SCHEMA_VERSION = "1"
"""Version of the columns and of this file; raised when one changes its meaning or goes."""

_STATE = ".state"
_BLOCK = 1 << 22


def input_identity(path: Path) -> dict[str, Any]:
    """Name, size and SHA-256 of an input; of a folder, over the names and hashes of its files."""
    if path.is_dir():
        whole = hashlib.sha256()
        size = 0
        for file in sorted(item for item in path.iterdir() if item.is_file()):
            whole.update(f"{file.name}\n{_file_hash(file)}\n".encode())
            size += file.stat().st_size
        return {"name": path.name, "bytes": size, "sha256": whole.hexdigest()}
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": _file_hash(path)}


def _file_hash(file: Path) -> str:
    found = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


class Folder:
    """The folder a batch is written to."""

    def __init__(self, path: Path) -> None:
        """Name it; nothing is read or written.

        Args:
            path: the folder.
        """
        self.path = path

    def part_name(self, number: int, form: str) -> str:
        """Name of the file of a part."""
        return f"part-{number:05}.{form}"

    def read(self) -> dict[str, Any] | None:
        """The manifest; None when there is none.

        Raises:
            UsageError: the folder holds something else, or the manifest cannot be read.
        """
        file = self.path / NAME
        if not file.exists():
            if self.path.exists() and not self.path.is_dir():
                message = "expected a new or empty folder to write to, found a file"
                raise UsageError(message, file=str(self.path))
            if self.path.is_dir() and any(not item.name.startswith((".", "part-")) for item in self.path.iterdir()):
                message = "expected a new or empty folder to write to, found other files in it"
                raise UsageError(message, file=str(self.path))
            return None
        try:
            data = json.loads(file.read_bytes())
        except (OSError, ValueError):
            message = "the manifest cannot be read; choose another folder, or start again with --restart"
            raise UsageError(message, file=str(file)) from None
        if (
            not isinstance(data, dict)
            or data.get("schema_version") != SCHEMA_VERSION
            or not isinstance(data.get("parts"), list)
        ):
            message = "the manifest is of another version; choose another folder, or start again with --restart"
            raise UsageError(message, file=str(file))
        return data

    def whole_parts(self, data: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Parts of a manifest, in order, up to the first whose file or counts are missing or changed."""
        kept: list[dict[str, Any]] = []
        for part in data["parts"]:
            file = self.path / str(part["file"])
            counts = self.state_file(len(kept), "json")
            keys = self.state_file(len(kept), "keys")
            if not file.is_file() or bytes_hash(file.read_bytes()) != part["sha256"]:
                break
            if not data.get("complete") and not (counts.is_file() and keys.is_file()):
                break
            kept.append(part)
        return kept

    def state_file(self, number: int, kind: str) -> Path:
        """File with the counts (json) or decision keys (keys) of a part, kept until the batch is complete."""
        return self.path / _STATE / f"part-{number:05}.{kind}"

    def write(self, data: Mapping[str, Any]) -> None:
        """Write the manifest whole."""
        write_whole(self.path / NAME, (json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode())

    def drop_state(self) -> None:
        """Remove the counts of single parts, once the batch is complete."""
        folder = self.path / _STATE
        if folder.is_dir():
            for file in folder.iterdir():
                file.unlink()
            folder.rmdir()

    def clear(self) -> None:
        """Remove what a batch has written here, and nothing else."""
        self.drop_state()
        if self.path.is_dir():
            for file in self.path.iterdir():
                name = file.name.removeprefix(".").removesuffix(".part")
                ours = name.startswith("part-") and name.endswith(FORMATS)
                if file.is_file() and (ours or name in (NAME, "summary.json", "summary.txt")):
                    file.unlink()


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """In which respects two manifests are of different batches, in words."""
    found: list[str] = []
    for group in ("settings", "input"):
        before, now = old.get(group) or {}, new[group]
        found.extend(
            f"{group} {name} was {before.get(name)!r}, is {now.get(name)!r}"
            for name in sorted({*before, *now})
            if before.get(name) != now.get(name)
        )
    found.extend(
        f"{name} was {old.get(name)!r}, is {new[name]!r}"
        for name in ("write", "part_cases", "format")
        if old.get(name) != new[name]
    )
    return found
