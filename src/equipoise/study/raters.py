"""Raters: a code that stands in the data, and apart from it the person, who can be forgotten.

Passwords are kept as scrypt hashes (RFC 7914) with a salt each; the token of a personal link is kept as its SHA-256, which
is enough for 256 random bits. Neither can be read back.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.errors import UsageError
from equipoise.study.store import Draw, Store

COST, BLOCK, LANES = 2**15, 8, 1
"""N, r and p of scrypt: 32 MiB and about a tenth of a second a try."""
MEMORY = 64 * 1024 * 1024
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
    """The stored form of a password: parameters, salt, hash.

    Raises:
        UsageError: under 12 characters, over 1,000, or no salt of 16 bytes.
    """
    if not SHORTEST_PASSWORD <= len(password) <= 1000 or len(salt) < 16:
        message = f"expected a password of {SHORTEST_PASSWORD} to 1000 characters and a salt of 16 bytes"
        raise UsageError(message, field="password")
    made = hashlib.scrypt(password.encode(), salt=salt, n=COST, r=BLOCK, p=LANES, maxmem=MEMORY)
    return f"scrypt${COST}${BLOCK}${LANES}${salt.hex()}${made.hex()}"


def password_fits(password: str, stored: str) -> bool:
    """Whether a password is the one that was stored; the same work is done when nothing is stored."""
    parts = stored.split("$")
    known = len(parts) == 6
    cost, block, lanes = (int(part) for part in parts[1:4]) if known else (COST, BLOCK, LANES)
    salt, wanted = (bytes.fromhex(parts[4]), bytes.fromhex(parts[5])) if known else (bytes(16), bytes(64))
    made = hashlib.scrypt(password[:1000].encode(), salt=salt, n=cost, r=block, p=lanes, maxmem=MEMORY)
    return hmac.compare_digest(made, wanted) and known and len(password) <= 1000


def check_password(store: Store, code: str, password: str) -> bool:
    """Whether a rater may enter with a password. An unknown or forgotten rater costs the same time."""
    with store.reading() as connection:
        row = store.one(connection, "raters", code=code)
        person = None if row is None else store.one(connection, "persons", rater=row["id"])
    return password_fits(password, "" if person is None else person["password"])


def make_link(store: Store, code: str, *, draw: Draw, at: str, days: int = LINK_DAYS) -> str:
    """A new token for a personal link; earlier ones of the rater end. It is shown once and cannot be read back.

    Raises:
        UsageError: no such rater, or forgotten.
    """
    token = draw(32)
    until = (dt.datetime.fromisoformat(at) + dt.timedelta(days=days)).isoformat()
    with store.transaction() as connection:
        row = _living(store, connection, code)
        store.remove(connection, "links", rater=row["id"])
        store.add(connection, "links", [{"rater": row["id"], "token": _digest(token), "at": at, "until": until}])
        store.log(connection, at=at, actor="coordinator", what="link", detail={"rater": code})
    return token


def rater_of_link(store: Store, token: str, *, at: str) -> str | None:
    """The code of the rater whose link it is; None for an unknown or outdated one."""
    with store.reading() as connection:
        link = store.one(connection, "links", token=_digest(token))
        if link is None or dt.datetime.fromisoformat(at) >= dt.datetime.fromisoformat(link["until"]):
            return None
        row = store.one(connection, "raters", id=link["rater"])
    return None if row is None or row["forgotten_at"] is not None else str(row["code"])


def forget(store: Store, code: str, *, at: str) -> None:
    """Deletes a rater's personal data, password and links; the labels stay under the code.

    Comments and rationales are part of the labels and stay too: what a rater wrote there about himself must be dealt
    with by hand.

    Raises:
        UsageError: no such rater, or forgotten already.
    """
    with store.transaction() as connection:
        row = _living(store, connection, code)
        store.remove(connection, "links", rater=row["id"])
        store.remove(connection, "persons", rater=row["id"])
        store.change(connection, "raters", row["id"], forgotten_at=at)
        store.log(connection, at=at, actor="coordinator", what="forget", detail={"rater": code})
    store.settle()


def personal_data(store: Store, code: str) -> dict[str, Any]:
    """Everything kept about a rater, as plain values: the person, the code, and every event with its time.

    Password hashes and link hashes are named as kept, not given.

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
