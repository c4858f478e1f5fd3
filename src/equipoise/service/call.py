"""One request while it is answered: who calls, what its body is, and what the log and the trail hear of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect, Request

from equipoise.service.access.keys import Key, Role
from equipoise.service.access.session import COOKIE
from equipoise.service.problems import refuse

if TYPE_CHECKING:
    from equipoise.service.state import State

NOBODY = Key(id="open", name="open", roles=(Role.ADMIN,), digest="", created="")
"""Who calls a service that was started open."""


@dataclass(slots=True, kw_only=True)
class Call:
    """What is known of a request.

    Attributes:
        id: id of the request.
        caller: id of the key; empty while nobody is known.
        bytes_in: size of the body that was read.
        subjects: pseudonyms of the cases.
        refused: why it was refused before it was read; empty otherwise.
        body_read: whether the whole body was read.
    """

    id: str
    caller: str = ""
    bytes_in: int = 0
    subjects: list[str] = field(default_factory=list)
    refused: str = ""
    body_read: bool = False


def call_of(request: Request) -> Call:
    """What is known of a request."""
    found: Call = request.scope["equipoise.call"]
    return found


def state_of(request: Request) -> State:
    """The running service."""
    found: State = request.app.state.service
    return found


def caller(request: Request, role: Role) -> Key:
    """The key of a request that allows a role.

    Raises:
        RefusedError: there is none (401), or it does not allow it (403).
    """
    state, call = state_of(request), call_of(request)
    key = _key(request, state)
    if key is None:
        call.refused = "key"
        raise refuse(401, "expected a key: Authorization: Bearer eqp_..., or X-API-Key")
    call.caller = key.id
    if not key.allows(role):
        call.refused = "role"
        raise refuse(403, f"the key does not allow this; it needs the role {role}")
    return key


def _key(request: Request, state: State) -> Key | None:
    presented = _presented(request)
    if presented:
        return state.keys.find(presented)
    if state.settings.open:
        return NOBODY
    return None


def _presented(request: Request) -> str:
    authorisation = request.headers.getlist("authorization")
    others = request.headers.getlist("x-api-key")
    if len(authorisation) + len(others) > 1:
        raise refuse(400, "expected one key, got several headers with one")
    if authorisation:
        scheme, _, value = authorisation[0].partition(" ")
        if scheme.lower() != "bearer":
            raise refuse(401, "expected Authorization: Bearer eqp_...")
        return value.strip()
    return others[0].strip() if others else ""


def signed_in(request: Request) -> Key | None:
    """The key with which a browser signed in; None when it did not."""
    state = state_of(request)
    if state.settings.open:
        return NOBODY
    return state.sessions.read(request.cookies.get(COOKIE, ""), state.now().timestamp())


def media_of(request: Request, allowed: Iterable[str]) -> str:
    """The media type of a body.

    Raises:
        RefusedError: it is none of those that are read here.
    """
    stated = request.headers.getlist("content-type")
    media, _, rest = (stated[0] if len(stated) == 1 else "").lower().partition(";")
    media = media.strip()
    charset = rest.partition("charset=")[2].partition(";")[0].strip(' "')
    problem = ""
    if media not in allowed:
        problem = f"expected Content-Type to be one of {', '.join(allowed)}"
    elif charset not in ("", "utf-8", "utf8", "us-ascii"):
        problem = "expected UTF-8"
    elif request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        problem = "expected a body without Content-Encoding"
    if problem:
        call_of(request).refused = "media type"
        raise refuse(415, problem)
    return media


async def body_of(request: Request, most: int) -> bytes:
    """The body of a request.

    Args:
        request: the request.
        most: bytes that are taken.

    Raises:
        RefusedError: it is larger (413), or does not come in time (408).
    """
    call = call_of(request)
    stated = request.headers.get("content-length", "")
    if stated.isdigit() and int(stated[:20]) > most:
        call.refused = "too large"
        raise refuse(413, f"expected at most {most} bytes")
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(state_of(request).settings.limits.body_seconds):
            async for part in request.stream():
                call.bytes_in += len(part)
                if call.bytes_in > most:
                    call.refused = "too large"
                    raise refuse(413, f"expected at most {most} bytes")
                parts.append(part)
    except TimeoutError:
        call.refused = "too slow"
        seconds = state_of(request).settings.limits.body_seconds
        raise refuse(408, f"expected the whole body within {seconds:g} seconds") from None
    except ClientDisconnect:
        call.refused = "gone"
        raise refuse(400, "the connection closed before the body was whole") from None
    call.body_read = True
    return parts[0] if len(parts) == 1 else b"".join(parts)
