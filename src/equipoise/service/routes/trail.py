"""`/trail`: read the audit trail. Every reading is itself an entry of the trail."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from equipoise.cases.load import parse_document
from equipoise.errors import UsageError
from equipoise.service.access.keys import Role
from equipoise.service.answers import json_answer
from equipoise.service.call import body_of, call_of, caller, media_of, state_of
from equipoise.service.openapi import TRAIL_ENTRY, TRAIL_HEAD, TRAIL_REPLAY, TRAIL_SEARCH
from equipoise.service.problems import refuse
from equipoise.service.routes.common import number_of, parameters
from equipoise.service.state import State
from equipoise.service.trail.entries import Entry
from equipoise.service.trail.replay import Replay, replay

router = APIRouter()

SEARCH: tuple[str, ...] = ("case_id", "request", "kind", "since", "before", "after", "limit")
"""Elements of a search."""

_BODY = 16 * 1024


@router.get("/trail/head", **TRAIL_HEAD)
async def head(request: Request) -> Response:
    """Number and hash of the last entry: keep it elsewhere, and the trail cannot be rewritten unseen."""
    state = state_of(request)
    caller(request, Role.TRAIL)
    parameters(request, ())
    return json_answer((await asyncio.to_thread(state.trail.head)).to_dict())


@router.post("/trail/search", **TRAIL_SEARCH)
async def search(request: Request) -> Response:
    """Entries by case, request, kind or time, without what was audited. The id of the case stands in the body, so that no proxy logs it."""
    state, call = state_of(request), call_of(request)
    caller(request, Role.TRAIL)
    parameters(request, ())
    media_of(request, ("application/json",))
    given = _given(parse_document(await body_of(request, _BODY), "body"))
    wanted = {name: str(given.get(name, "")) for name in ("request", "kind", "since", "before")}
    subject = state.secret.pseudonym(str(given.get("case_id", "")))
    after = number_of(given, "after", 0, 0, 10**11)
    limit = number_of(given, "limit", 100, 1, 1000)

    def read() -> list[Entry]:
        return list(state.trail.entries(subject=subject, after=after, limit=limit, payloads=False, **wanted))

    entries = await asyncio.to_thread(read)
    await state.record_reading(call, subject=subject, what="search", count=len(entries))
    return json_answer({"entries": [entry_row(one) for one in entries]})


@router.get("/trail/{number}", **TRAIL_ENTRY)
async def entry(request: Request, number: str) -> Response:
    """One entry with the case as it was audited and the verdicts as they were given."""
    found = await _entry(request, number, "entry")
    row = entry_row(found)
    if found.payload is not None:
        row |= {
            "case": _value(found.payload.case),
            "verdicts": _value(found.payload.verdicts),
            "more": _value(found.payload.more),
        }
    return json_answer(row)


@router.get("/trail/{number}/replay", **TRAIL_REPLAY)
async def again(request: Request, number: str) -> Response:
    """Make the verdicts of an entry again: the same bytes under the recorded versions, what differs under others."""
    state = state_of(request)
    found = await _entry(request, number, "replay")
    result: Replay | None = replay(found, state.engine)
    if result is None:
        raise refuse(409, "this entry holds no verdict")
    return json_answer(result.to_dict())


async def _entry(request: Request, number: str, what: str) -> Entry:
    state: State = state_of(request)
    call = call_of(request)
    caller(request, Role.TRAIL)
    parameters(request, ())
    seq = number_of({"number": number}, "number", 0, 1, 10**11)
    try:
        found = await asyncio.to_thread(state.trail.entry, seq)
    except UsageError:
        raise refuse(404, "the trail has no such entry") from None
    await state.record_reading(call, what=what, entry=seq)
    return found


def entry_row(one: Entry) -> dict[str, Any]:
    """The part of an entry that stays."""
    return {"hash": one.hash, **one.fields, "deleted_by": one.deleted_by or None}


def _given(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise refuse(422, "expected a JSON object")
    for name, item in value.items():
        if name not in SEARCH:
            raise refuse(422, f"expected only {', '.join(SEARCH)}", field=name[:80])
        if not isinstance(item, str | int) or isinstance(item, bool) or (isinstance(item, str) and len(item) > 500):
            raise refuse(422, "expected a text or a whole number", field=name)
    return value


def _value(data: bytes) -> Any:
    return json.loads(data) if data else None
