"""Raters: a code that stands in the data, and apart from it the person, who can be forgotten.

Passwords are kept as argon2id hashes (RFC 9106) with a salt each, with the least memory, passes and lanes that OWASP's
Password Storage Cheat Sheet asks for (https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html);
a hash of the earlier form (scrypt, RFC 7914) still fits and is replaced when its rater next signs in. The token of a personal
link is kept as its SHA-256, which is enough for 256 random bits. None of them can be read back.
"""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise._optional import require
from equipoise.errors import UsageError
from equipoise.study.database import EXTRA
from equipoise.study.store import Draw, Store

MEMORY_KIB, PASSES, LANES, HASH_BYTES = 19 * 1024, 2, 1, 32
"""m, t and p of argon2id (19 MiB, two passes, one lane) and the length of the hash."""
SCRYPT_MEMORY = 64 * 1024 * 1024
"""Most memory for a hash of the earlier form, which took 32 MiB."""
LONGEST_PASSWORD = 1000
SHORTEST_PASSWORD = 12
LINK_DAYS = 60
ROLES: tuple[str, ...] = ("rater", "adjudicator", "coordinator")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rater:
    """One rater, as the study's data know them.

    Attributes:
        code: pseudonym in all data.
        role: "rater", "adjudicator" or "coordinator".
        forgotten: whether the personal data were deleted.
    """

    code: str
    role: str
    forgotten: bool


def add_rater(
    store: Store, code: str, *, at: str, role: str = "rater", name: str = "", contact: str = "", password: str = "",
    salt: bytes = b"",
) -> None:  # fmt: skip
    """Adds a rater.

    Args:
        store: the study.
        code: pseudonym: letters, digits, dash, underscore; it stands in every export, so it should name nobody.
        at: ISO date and time.
        role: one of `ROLES`.
        name: the person's name; may stay empty.
        contact: how to reach them; may stay empty.
        password: at least 12 characters; empty for personal links only.
        salt: 16 random bytes; needed with a password.

    Raises:
        UsageError: the code is taken or not allowed, an unknown role, a short password.
    """
    if not code or len(code) > 80 or not all(char.isalnum() or char in "-_" for char in code):
        message = f"{code!r} is no code; expected letters, digits, dashes and underscores"
        raise UsageError(message)
    if role not in ROLES:
        message = f"{role!r} is no role; expected one of {', '.join(ROLES)}"
        raise UsageError(message)
    stored = hash_password(password, salt=salt) if password else ""
    with store.transaction() as connection:
        if store.one(connection, "raters", code=code) is not None:
            message = f"there is a rater {code!r} already"
            raise UsageError(message)
        store.add(connection, "raters", [{"code": code, "role": role, "at": at, "forgotten_at": None}])
        row = store.one(connection, "raters", code=code)
        person = {"rater": (row or {})["id"], "name": name, "contact": contact, "password": stored}
        store.add(connection, "persons", [person])


def raters(store: Store) -> tuple[Rater, ...]:
    """All raters, in the order in which they came."""
    with store.reading() as connection:
        return tuple(
            Rater(code=row["code"], role=row["role"], forgotten=row["forgotten_at"] is not None)
            for row in store.rows(connection, "raters")
        )


def hash_password(password: str, *, salt: bytes) -> str:
    """The stored form of a password, which names the parameters and the salt.

    Raises:
        UsageError: under 12 characters, over 1,000, or no salt of 16 bytes.
        DependencyError: argon2-cffi is not installed.
    """
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD or len(salt) < 16:
        message = f"expected a password of {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters and a salt of 16 bytes"
        raise UsageError(message, field="password")
    return _argon2(password, salt)


def password_fits(password: str, stored: str) -> bool:
    """Whether a password is the one that was stored; the same work is done when nothing is stored.

    Only a hash of the earlier form costs another time, until its rater has signed in once.
    """
    if stored.startswith("scrypt$"):
        return _scrypt_fits(password, stored)
    low = require("argon2", extra=EXTRA).low_level
    made = stored or _nobody()
    try:
        fits = low.verify_secret(made.encode(), password[:LONGEST_PASSWORD].encode(errors="surrogatepass"), low.Type.ID)
    except require("argon2.exceptions", extra=EXTRA).VerificationError:
        return False
    return bool(fits) and bool(stored) and len(password) <= LONGEST_PASSWORD


def check_password(store: Store, code: str, password: str, *, salt: bytes = b"") -> bool:
    """Whether a rater may enter with a password. An unknown or forgotten rater costs the same time.

    Args:
        store: the study.
        code: what was given as the rater's code.
        password: what was given as the password.
        salt: 16 random bytes; with them a hash of the earlier form is replaced once its password was given.
    """
    with store.reading() as connection:
        row = store.one(connection, "raters", code=code)
        person = None if row is None else store.one(connection, "persons", rater=row["id"])
    stored = "" if person is None else str(person["password"])
    fits = password_fits(password, stored)
    if fits and salt and person is not None and not stored.startswith(_prefix()):
        with store.transaction() as connection:
            store.change(connection, "persons", person["id"], password=_argon2(password, salt))
    return fits


def set_password(store: Store, code: str, password: str, *, salt: bytes, at: str) -> None:
    """Gives a rater a new password; sessions opened before it end.

    Raises:
        UsageError: no such rater, or forgotten; a password that is too short or too long.
    """
    made = hash_password(password, salt=salt)
    with store.transaction() as connection:
        row = _living(store, connection, code)
        person = store.one(connection, "persons", rater=row["id"]) or {}
        store.change(connection, "persons", person["id"], password=made)
        store.remove(connection, "sessions", rater=row["id"])
        store.log(connection, at=at, actor="coordinator", what="password", detail={"rater": code})


def _prefix() -> str:
    return f"$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}$"


@functools.cache
def _nobody() -> str:
    """A hash that is checked for a code without a password. Made once: made each time, such a code would cost twice the work."""
    return _argon2("", bytes(16))


def _argon2(password: str, salt: bytes) -> str:
    low = require("argon2", extra=EXTRA).low_level
    made = low.hash_secret(
        password.encode(errors="surrogatepass"), salt, time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=LANES,
        hash_len=HASH_BYTES, type=low.Type.ID,
    )  # fmt: skip
    return str(made.decode())


def _scrypt_fits(password: str, stored: str) -> bool:
    parts = stored.split("$")
    cost, block, lanes = (int(part) for part in parts[1:4])
    salt, wanted = bytes.fromhex(parts[4]), bytes.fromhex(parts[5])
    given = password[:LONGEST_PASSWORD].encode(errors="surrogatepass")
    made = hashlib.scrypt(given, salt=salt, n=cost, r=block, p=lanes, maxmem=SCRYPT_MEMORY)
    return hmac.compare_digest(made, wanted) and len(password) <= LONGEST_PASSWORD


def make_link(
    store: Store, code: str, *, draw: Draw, at: str, days: int = LINK_DAYS, actor: str = "coordinator"
) -> str:  # fmt: skip
    """A new token for a personal link; earlier ones of the rater end, and so do open sessions. It is shown once and cannot
    be read back.

    Raises:
        UsageError: no such rater, or forgotten.
    """
    token = draw(32)
    until = (dt.datetime.fromisoformat(at) + dt.timedelta(days=days)).isoformat()
    with store.transaction() as connection:
        row = _living(store, connection, code)
        store.remove(connection, "links", rater=row["id"])
        store.remove(connection, "sessions", rater=row["id"])
        store.add(connection, "links", [{"rater": row["id"], "token": _digest(token), "at": at, "until": until}])
        store.log(connection, at=at, actor=actor, what="link", detail={"rater": code})
    return token


def rater_of_link(store: Store, token: str, *, at: str) -> str | None:
    """The code of the rater whose link it is; None for an unknown or outdated one."""
    with store.reading() as connection:
        link = store.one(connection, "links", token=_digest(token))
        if link is None or dt.datetime.fromisoformat(at) >= dt.datetime.fromisoformat(link["until"]):
            return None
        row = store.one(connection, "raters", id=link["rater"])
    return None if row is None or row["forgotten_at"] is not None else str(row["code"])


def forget(store: Store, code: str, *, at: str, actor: str = "coordinator") -> None:
    """Deletes a rater's personal data, password, links, sessions and settings; the labels stay under the code.

    Comments and rationales are part of the labels and stay too: what a rater wrote there about himself must be dealt
    with by hand.

    Raises:
        UsageError: no such rater, or forgotten already.
    """
    with store.transaction() as connection:
        row = _living(store, connection, code)
        for table in ("links", "sessions", "preferences", "persons"):
            store.remove(connection, table, rater=row["id"])
        store.change(connection, "raters", row["id"], forgotten_at=at)
        store.log(connection, at=at, actor=actor, what="forget", detail={"rater": code})
    store.settle()


def personal_data(store: Store, code: str) -> dict[str, Any]:
    """Everything kept about a rater, as plain values: the person, the code, and every event with its time.

    Hashes of passwords, links and sessions are named as kept, not given.

    Raises:
        UsageError: no such rater.
    """
    with store.reading() as connection:
        row = store.one(connection, "raters", code=code)
        if row is None:
            message = f"there is no rater {code!r}"
            raise UsageError(message)
        person = store.one(connection, "persons", rater=row["id"])
        links = store.rows(connection, "links", rater=row["id"])
        sessions = store.rows(connection, "sessions", rater=row["id"])
        preferences = store.one(connection, "preferences", rater=row["id"])
    histories: list[Mapping[str, Any]] = []
    for item in store.assignments(code):
        events = [
            {"number": event.number, "kind": str(event.kind), "answers": dict(event.answers), "comment": event.comment}
            | {"reason": event.reason, "at": event.at, "seconds": event.seconds}
            for event in store.history(code, item.public)
        ]
        histories.append({"item": item.public, "position": item.position, "events": events})
    return {
        "code": code,
        "role": row["role"],
        "since": row["at"],
        "forgotten_at": row["forgotten_at"],
        "name": "" if person is None else person["name"],
        "contact": "" if person is None else person["contact"],
        "password_kept": bool(person and person["password"]),
        "links": [{"made": link["at"], "until": link["until"]} for link in links],
        "sessions": [{"made": one["at"], "seen": one["seen"], "until": one["until"]} for one in sessions],
        "settings": {} if preferences is None else json.loads(preferences["value"]),
        "items": histories,
    }


def _living(store: Store, connection: Any, code: str) -> dict[str, Any]:
    row = store.one(connection, "raters", code=code)
    if row is None or row["forgotten_at"] is not None:
        message = f"there is no rater {code!r}" if row is None else f"the data of rater {code!r} were deleted"
        raise UsageError(message)
    return row


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
