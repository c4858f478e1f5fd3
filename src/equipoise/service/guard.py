"""What stands around every request: an id, the names of the host, headers of every answer, one log line, one shape for failures."""

from __future__ import annotations

import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from equipoise.service.call import Call
from equipoise.service.identity import new_request
from equipoise.service.problems import Problem, problem_of
from equipoise.service.state import State

API_POLICY = "default-src 'none'; frame-ancestors 'none'"
"""Content-Security-Policy of every answer that is no page."""

_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_QUIET = frozenset({"/health", "/ready", "/metrics"})
"""Addresses that are called all the time; they are logged only when they fail."""


class Guard:
    """The outermost layer of ours.

    Args:
        app: what answers.
        state: the running service.
    """

    def __init__(self, app: ASGIApp, state: State) -> None:
        self.app = app
        self.state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        call = scope["equipoise.call"] = Call(id=new_request())
        started = time.perf_counter()
        status = 0

        async def sender(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = _with_headers(message.get("headers", ()), call.id)
                if _has_body(scope) and not call.body_read:
                    headers = [*(one for one in headers if one[0].lower() != b"connection"), (b"connection", b"close")]
                message = {**message, "headers": headers}
            try:
                await send(message)
            except Exception as error:
                raise _GoneError from error

        try:
            problem = self._host(scope)
            if problem is not None:
                call.refused = "host"
                await _answer(problem, call, sender)
            else:
                await self.app(scope, receive, sender)
        except _GoneError:
            call.refused = call.refused or "gone"
        except Exception as error:  # every failure is answered in one shape, and its text stays out of the log
            self.state.metrics.count("equipoise_failures_total")
            self.state.log.failure("failed", error, request=call.id, route=_route(scope))
            if not status:
                await _answer(problem_of(error), call, sender)
        finally:
            self._note(scope, call, status, time.perf_counter() - started)

    def _host(self, scope: Scope) -> Problem | None:
        allowed = self.state.settings.hosts
        if not allowed:
            return None
        names = [value for name, value in scope["headers"] if name == b"host"]
        host = names[0].decode("latin-1").lower() if len(names) == 1 else ""
        name = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
        if name in allowed:
            return None
        return Problem(status=421, message="this service is not called by that name; see --allowed-host")

    def _note(self, scope: Scope, call: Call, status: int, seconds: float) -> None:
        route = _route(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self.state.metrics.count("equipoise_requests_total", route=route, method=method, status=str(status))
        self.state.metrics.took(route, seconds)
        if call.refused:
            self.state.metrics.count("equipoise_refused_total", reason=call.refused)
        if route in _QUIET and status < 400:
            return
        self.state.log.event(
            "request",
            request=call.id,
            method=method,
            route=route,
            status=status,
            ms=round(1000 * seconds, 2),
            bytes=call.bytes_in,
            caller=call.caller,
            cases=call.subjects[:20],
            refused=call.refused,
        )


class _GoneError(Exception):
    """The answer could not be sent: the other side closed the connection or broke the protocol."""


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _route(scope: Scope) -> str:
    """The pattern of the address; never the address itself, which can hold an id of a patient."""
    return str(getattr(scope.get("route"), "path", "") or "unmatched")


def _with_headers(headers: Any, request_id: str) -> list[tuple[bytes, bytes]]:
    found = list(headers)
    stated = {name.lower() for name, _ in found}
    found += [(name, value) for name, value in _HEADERS if name not in stated]
    if b"content-security-policy" not in stated:
        found.append((b"content-security-policy", API_POLICY.encode()))
    found.append((b"x-request-id", request_id.encode()))
    return found


def _has_body(scope: Scope) -> bool:
    """Whether a request announces a body; an answer that does not wait for it ends the connection, which nobody can then hold open."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip() != b"0")
        for name, value in scope["headers"]
    )


async def _answer(problem: Problem, call: Call, send: Send) -> None:
    body = problem.body(call.id)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
