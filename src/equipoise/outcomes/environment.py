"""What a run ran on: interpreter, system, packages, the code itself, the command. No clock, no folder, no user name."""

from __future__ import annotations

import hashlib
import platform
import re
import shlex
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

CODE_SUFFIXES: frozenset[str] = frozenset({".py", ".yaml", ".json", ".md", ".txt", ".j2", ".css"})
"""Files of the package that decide what it computes and shows."""

_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def environment(command: Sequence[str] = (), *, seed: int | None = None) -> dict[str, Any]:
    """What a run ran on, as it is kept in run.json.

    Args:
        command: the command as typed; folders and credentials are taken out.
        seed: seed of the run; None when it draws nothing at random.

    Returns:
        `python`, `implementation`, `os`, `machine`, `packages` (version by name), `code_hash`, and, where known,
        `command` and `seed`. Equal on the same machine for the same command.
    """
    found: dict[str, Any] = {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "os": f"{platform.system()} {platform.release()}".strip(),
        "machine": platform.machine(),
        "packages": packages(),
        "code_hash": code_hash(),
    }
    if command:
        found["command"] = command_text(command)
    if seed is not None:
        found["seed"] = seed
    return found


def packages() -> dict[str, str]:
    """Version of every distribution that the interpreter can import, by its normalised name, in order of the names."""
    found: dict[str, str] = {}
    for item in distributions():
        name = item.metadata["Name"] if item.metadata is not None else None
        if name:
            found.setdefault(re.sub(r"[-_.]+", "-", str(name)).lower(), str(item.version or "unknown"))
    return dict(sorted(found.items()))


def code_hash() -> str:
    """SHA-256, in hexadecimal, over name and bytes of every file of this package that decides a result."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*"), key=lambda item: item.relative_to(root).as_posix()):
        if path.suffix in CODE_SUFFIXES and path.is_file():
            name, data = path.relative_to(root).as_posix().encode(), path.read_bytes()
            digest.update(b"%d %b %d " % (len(name), name, len(data)) + data)
    return digest.hexdigest()


def command_text(command: Sequence[str]) -> str:
    """A command as one line to type again, without folders of this machine and without credentials in addresses.

    Args:
        command: its words.
    """
    return shlex.join(_word(word) for word in command)


def _word(word: str) -> str:
    name, sign, value = word.partition("=") if word.startswith("-") else ("", "", word)
    return f"{name}{sign}{_place(value)}" if value else word


def _place(value: str) -> str:
    if _ADDRESS.match(value):
        parts = urlsplit(value)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
    path = Path(value)
    return path.name if path.is_absolute() or value.startswith(("../", "~")) else value
