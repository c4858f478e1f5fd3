"""API keys: what a caller may do. Only a digest of a key is kept; the key itself is shown once.

A key is `eqp_ID_SECRET`; the secret has 256 random bits, so that one SHA-256 of it is enough (a slow hash protects guessable secrets).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from equipoise.errors import ConfigurationError, UsageError


class Role(StrEnum):
    """What a key allows.

    `audit`: audit, evidence, policies, CDS Hooks, the page, the metrics. `trail`: read and replay the trail. `admin`: all of it.
    """

    AUDIT = "audit"
    TRAIL = "trail"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key.

    Attributes:
        id: eight hexadecimal digits; stands in the trail and the logs.
        name: who it was made for.
        roles: what it allows.
        digest: SHA-256 of the secret, in hexadecimal.
        created: day it was made.
        revoked: day it was revoked; empty while it holds.
    """

    id: str
    name: str
    roles: tuple[Role, ...]
    digest: str
    created: str
    revoked: str = ""

    def allows(self, role: Role) -> bool:
        """Whether the key allows a role; `admin` allows all."""
        return not self.revoked and (role in self.roles or Role.ADMIN in self.roles)


_FORM = re.compile(r"eqp_([0-9a-f]{8})_([A-Za-z0-9_-]{43})")
_NOBODY = hashlib.sha256(b"nobody").hexdigest()


class KeyFile:
    """The keys of a service, in one file that only its owner can read. Changes by another process are seen within a second.

    Args:
        path: the file; it may not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int] = (-1, -1)
        self._keys: dict[str, Key] = {}

    def keys(self) -> tuple[Key, ...]:
        """Every key, revoked ones included, in the order they were made.

        Raises:
            ConfigurationError: the file is not one of keys.
        """
        self._load()
        return tuple(self._keys.values())

    def find(self, presented: str) -> Key | None:
        """The key that was presented; None when it is unknown, wrong or revoked. Takes the same time for each.

        Args:
            presented: as the caller sent it.
        """
        self._load()
        parts = _FORM.fullmatch(presented)
        known = self._keys.get(parts[1]) if parts else None
        secret = parts[2] if parts else presented[:64]
        digest = hashlib.sha256(secret.encode(errors="replace")).hexdigest()
        same = hmac.compare_digest(digest, known.digest if known else _NOBODY)
        return known if known is not None and same and not known.revoked else None

    def by_id(self, identifier: str) -> Key | None:
        """The key of an id, if it holds."""
        self._load()
        found = self._keys.get(identifier)
        return found if found is not None and not found.revoked else None

    def add(self, name: str, roles: Iterable[Role], *, today: dt.date) -> tuple[Key, str]:
        """Make a key.

        Args:
            name: who it is for.
            roles: what it allows.
            today: the day.

        Returns:
            The key as it is kept, and the text that its owner presents; the text is kept nowhere.

        Raises:
            UsageError: no role or no name.
        """
        wanted = tuple(dict.fromkeys(roles))
        if not wanted:
            message = f"expected at least one role of {', '.join(Role)}"
            raise UsageError(message, field="--role")
        clean = " ".join(name.split())
        if not clean or len(clean) > 80 or not clean.isprintable():
            message = "expected a name of at most 80 printable characters"
            raise UsageError(message, field="name")
        self._load()
        identifier = secrets.token_hex(4)
        while identifier in self._keys:
            identifier = secrets.token_hex(4)
        secret = secrets.token_urlsafe(32)
        key = Key(
            id=identifier,
            name=clean,
            roles=wanted,
            digest=hashlib.sha256(secret.encode()).hexdigest(),
            created=today.isoformat(),
        )
        self._save({**self._keys, identifier: key})
        return key, f"eqp_{identifier}_{secret}"

    def revoke(self, identifier: str, *, today: dt.date) -> Key:
        """Revoke a key; it stays in the file, since the trail names it.

        Raises:
            UsageError: there is no such key.
        """
        self._load()
        key = self._keys.get(identifier)
        if key is None:
            message = f"no key has the id {identifier!r}; `equipoise serve keys list` shows them"
            raise UsageError(message)
        if not key.revoked:
            key = replace(key, revoked=today.isoformat())
            self._save({**self._keys, identifier: key})
        return key

    def _load(self) -> None:
        try:
            state = self.path.stat()
        except FileNotFoundError:
            self._keys, self._seen = {}, (-1, -1)
            return
        except OSError as error:
            message = f"{self.path}: cannot be read: {error.strerror}"
            raise ConfigurationError(message) from None
        seen = (state.st_mtime_ns, state.st_ino)
        if seen == self._seen:
            return
        try:
            rows = json.loads(self.path.read_text(encoding="utf-8"))["keys"]
            keys = [Key(**{**row, "roles": tuple(Role(name) for name in row["roles"])}) for row in rows]
        except (OSError, ValueError, KeyError, TypeError) as error:
            message = (
                f"{self.path}: expected a file of keys as `equipoise serve keys add` writes it ({type(error).__name__})"
            )
            raise ConfigurationError(message) from None
        self._keys = {key.id: key for key in keys}
        self._seen = seen

    def _save(self, keys: dict[str, Key]) -> None:
        text = json.dumps({"keys": [asdict(key) for key in keys.values()]}, indent=1) + "\n"
        write_private(self.path, text.encode())
        self._load()


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all, and on the disk when this returns.

    Raises:
        UsageError: it cannot be written.
    """
    scratch = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.unlink(missing_ok=True)
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise UsageError(message, file=str(path)) from None
