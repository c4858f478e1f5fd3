"""Who is signed in: a random token in the browser, its hash in the study's database, and when it ends."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equipoise.study.desk.access import Who
from equipoise.study.desk.settings import DeskLimits
from equipoise.study.store import Draw, Store

TOKEN_BYTES = 32
_TOUCH = dt.timedelta(minutes=1)
"""How exactly the time of the last request is kept; a finer one would write to the disk with every page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One browser that is signed in.

    Attributes:
        rater: code of the person.
        role: what they may do.
        csrf: what every form of this session carries, so that no other site can send one.
        marker: names the rater to the browser's own store without naming him; the same in every session of the rater.
        preferences: how the rater wants to see the page, as it is stored.
    """

    rater: str
    role: Who
    csrf: str
    marker: str
    preferences: Mapping[str, Any] = field(default_factory=dict)


class Sessions:
    """The sessions of a study.

    Args:
        store: the study.
        limits: when sessions end.
        draw: source of the tokens.
    """

    def __init__(self, store: Store, limits: DeskLimits, draw: Draw) -> None:
        self._store = store
        self._idle = dt.timedelta(minutes=limits.idle_minutes)
        self._whole = dt.timedelta(hours=limits.session_hours)
        self._draw = draw

    def open(self, code: str, now: dt.datetime) -> str:
        """A new session; its token, which is kept nowhere else. Sessions that have ended are cleared away."""
        token = self._draw(TOKEN_BYTES)
        table = self._store.tables["sessions"]
        with self._store.transaction() as connection:
            row = self._store.one(connection, "raters", code=code) or {}
            gone = (table.c.until <= now.isoformat()) | (table.c.seen <= (now - self._idle).isoformat())
            connection.execute(table.delete().where(gone))
            made = {"rater": row["id"], "token": _digest(token), "at": now.isoformat(), "seen": now.isoformat()}
            self._store.add(connection, "sessions", [made | {"until": (now + self._whole).isoformat()}])
        return token

    def find(self, token: str, now: dt.datetime) -> Session | None:
        """The session of a token; None for an unknown, idle or ended one, and for a rater who was forgotten."""
        if not token or len(token) > 200:
            return None
        store = self._store
        with store.reading() as connection:
            row = store.one(connection, "sessions", token=_digest(token))
            if row is None or now.isoformat() >= row["until"] or (now - self._idle).isoformat() >= row["seen"]:
                return None
            person = store.one(connection, "raters", id=row["rater"])
            wishes = store.one(connection, "preferences", rater=row["rater"])
        if person is None or person["forgotten_at"] is not None:
            return None
        if now - dt.datetime.fromisoformat(row["seen"]) >= _TOUCH:
            with store.transaction() as connection:
                store.change(connection, "sessions", row["id"], seen=now.isoformat())
        return Session(
            rater=person["code"],
            role=Who(person["role"]),
            csrf=hmac.new(token.encode(), b"form", hashlib.sha256).hexdigest()[:40],
            marker=hashlib.sha256(f"{store.protocol.name}\n{person['id']}\n{person['at']}".encode()).hexdigest()[:16],
            preferences={} if wishes is None else json.loads(wishes["value"]),
        )

    def close(self, token: str) -> None:
        """End a session; nothing happens without one."""
        with self._store.transaction() as connection:
            self._store.remove(connection, "sessions", token=_digest(token))

    def keep(self, code: str, preferences: Mapping[str, Any]) -> None:
        """Keep how a rater wants to see the page."""
        with self._store.transaction() as connection:
            row = self._store.one(connection, "raters", code=code) or {}
            self._store.remove(connection, "preferences", rater=row["id"])
            self._store.add(connection, "preferences", [{"rater": row["id"], "value": json.dumps(dict(preferences))}])


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()
