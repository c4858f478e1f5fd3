"""What stands around every request: names of the host, the same headers on every answer, one page for every failure."""

from __future__ import annotations

import logging
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from equipoise.study.desk.settings import DeskSettings

LOGGER = "equipoise.study.desk"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of every answer: nothing inline, nothing from elsewhere."""

REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""The policy of a report, which carries its own style and loads nothing, no script either."""

HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    # Not no-referrer: with it Chromium sends "Origin: null" with our own forms, which are then taken for foreign ones.
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), browsing-topics=()"),
    (b"x-robots-tag", b"noindex, nofollow"),
)
"""Headers of every answer, page or not."""

_NO_STORE = (b"cache-control", b"no-store")
_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")


class Guard:
    """The outermost layer.

    Args:
        app: what answers.
        settings: how the desk was started.
        failed: bytes of the page for a failure of ours.
        misnamed: bytes of the page for a wrong host.
    """

    def __init__(self, app: ASGIApp, settings: DeskSettings, failed: bytes, misnamed: bytes) -> None:
        self.app = app
        self.settings = settings
        self.failed = failed
        self.misnamed = misnamed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def sender(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message = {**message, "headers": self._headers(message.get("headers", ()))}
            await send(message)

        if not self._named(scope):
            await _page(421, self.misnamed, sender)
            return
        try:
            await self.app(scope, receive, sender)
        except Exception as error:  # the text of an error can hold what a rater wrote, so that only its kind is logged
            logging.getLogger(LOGGER).error("failed: %s at %s", type(error).__name__, _route(scope))
            if not started:
                await _page(500, self.failed, sender)

    def _named(self, scope: Scope) -> bool:
        if not self.settings.hosts:
            return True
        names = [value for name, value in scope["headers"] if name == b"host"]
        host = names[0].decode("latin-1").lower() if len(names) == 1 else ""
        name = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
        return name in self.settings.hosts

    def _headers(self, given: Any) -> list[tuple[bytes, bytes]]:
        own = [*HEADERS, *([_TRANSPORT] if self.settings.secure else [])]
        ours = {name for name, _ in own}
        if (b"content-security-policy", REPORT_POLICY.encode()) in given:
            own[0] = (b"content-security-policy", REPORT_POLICY.encode())
        found = [(name, value) for name, value in given if name.lower() not in ours]
        if not any(name.lower() == b"cache-control" for name, _ in found):
            found.append(_NO_STORE)
        return [*found, *own]


def _route(scope: Scope) -> str:
    """The pattern of the address; never the address itself, which can hold a token."""
    return str(getattr(scope.get("route"), "path", "") or "unmatched")


async def _page(status: int, body: bytes, send: Send) -> None:
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
