"""The cookie of a signed-in browser: which key it signed in with, until when, and a signature. Nothing is kept on the server."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from equipoise.service.access.keys import Key, KeyFile
from equipoise.service.access.secret import Secret

COOKIE = "equipoise"
HOURS = 12


@dataclass(frozen=True, slots=True)
class Sessions:
    """Makes and reads the cookie.

    Attributes:
        secret: signs it.
        keys: a revoked key ends its sessions.
    """

    secret: Secret
    keys: KeyFile

    def make(self, key: Key, now: float) -> str:
        """Value of the cookie for a key.

        Args:
            key: the key that signed in.
            now: seconds since the epoch.
        """
        head = f"{key.id}.{int(now) + HOURS * 3600}"
        return f"{head}.{self.secret.sign('session', head)}"

    def read(self, value: str, now: float) -> Key | None:
        """The key of a cookie; None when it is forged, old or of a revoked key."""
        head, _, signature = value.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self.secret.sign("session", head).encode()):
            return None
        identifier, _, until = head.partition(".")
        return self.keys.by_id(identifier) if until.isdigit() and now < int(until) else None

    def form_token(self, value: str) -> str:
        """What a form of this session carries, so that another site cannot send it."""
        return self.secret.sign("form", value)[:32]
