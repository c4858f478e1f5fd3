"""`POST /audit` and `POST /audit/batch`."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from equipoise.service.access.keys import Role
from equipoise.service.answers import JSON, cases_bytes, entry_bytes
from equipoise.service.batch import BatchEntry, answer_lines, answer_list, groups, lines_of
from equipoise.service.call import Call, body_of, call_of, caller, media_of, state_of
from equipoise.service.engine import Asked, Audited
from equipoise.service.openapi import AUDIT, BATCH
from equipoise.service.problems import RefusedError, refuse
from equipoise.service.routes.common import CASE_MEDIA, LINE_MEDIA, TEXT_MEDIA, asked_of, work_on
from equipoise.service.state import State
from equipoise.service.trail.entries import Receipt

router = APIRouter()


@router.post("/audit", **AUDIT)
async def audit(request: Request) -> Response:
    """Audit every recommendation of a case, a record or a note."""
    state, call = state_of(request), call_of(request)
    caller(request, Role.AUDIT)
    media = media_of(request, (*CASE_MEDIA, *LINE_MEDIA, *TEXT_MEDIA))
    asked = asked_of(request, state)
    if media in TEXT_MEDIA:
        asked = _as_text(asked)
    data = await body_of(request, state.settings.limits.document_bytes)
    audited = await work_on(request, data, asked)
    if len(audited) == 1 and audited[0].problem is not None:
        raise RefusedError(audited[0].problem)
    receipts = await state.record(call, audited, asked)
    body = b'{"request_id":"' + call.id.encode() + b'","cases":' + cases_bytes(audited, receipts) + b"}"
    return Response(body, media_type=JSON)


@router.post("/audit/batch", **BATCH)
async def batch(request: Request) -> Response:
    """Audit a list of documents, or one a line. Each is answered; a bad one is its own error."""
    state, call = state_of(request), call_of(request)
    caller(request, Role.AUDIT)
    media = media_of(request, (*CASE_MEDIA, *LINE_MEDIA))
    asked = asked_of(request, state)
    limits = state.settings.limits
    if media in LINE_MEDIA:
        data = await body_of(request, limits.batch_bytes)
        _check_lines(data, limits.batch_entries, limits.document_bytes)
        return StreamingResponse(_lines(state, call, data, asked), media_type="application/x-ndjson")
    data = await body_of(request, limits.document_bytes)
    entries = await state.heavy.run(answer_list, data, asked, limits.batch_entries)
    parts = [part async for part in _recorded(state, call, entries, asked)]
    body = b'{"request_id":"' + call.id.encode() + b'","entries":[' + b",".join(parts) + b"]}"
    return Response(body, media_type=JSON)


def _as_text(asked: Asked) -> Asked:
    from dataclasses import replace

    if asked.form not in ("auto", "text"):
        raise refuse(400, "a body of text/plain is read as a note", field="format")
    return replace(asked, form="text")


def _check_lines(data: bytes, most: int, longest: int) -> None:
    count = 0
    for number, line in lines_of(data):
        count += 1
        if len(line) > longest:
            raise refuse(413, f"expected at most {longest} bytes a line", line=number)
        if count > most:
            raise refuse(413, f"expected at most {most} lines")
    if not count:
        raise refuse(422, "expected one case or record a line, got an empty body")


async def _lines(state: State, call: Call, data: bytes, asked: Asked) -> AsyncIterator[bytes]:
    """Answers line by line. An answer that has begun keeps its status, so a failure of the service is a last line with the error."""
    for group in groups(lines_of(data)):
        try:
            entries = await state.heavy.run(answer_lines, group, asked)
            async for part in _recorded(state, call, entries, asked):
                yield part + b"\n"
        except RefusedError as error:
            yield error.problem.body(call.id) + b"\n"
            return


async def _recorded(state: State, call: Call, entries: list[BatchEntry], asked: Asked) -> AsyncIterator[bytes]:
    """Entries as JSON, once they are on the trail, in groups of one write."""
    for start in range(0, len(entries), 256):
        part = entries[start : start + 256]
        every: list[Audited] = [one for entry in part for one in entry.audited]
        receipts = await state.record(call, every, asked)
        place = 0
        for entry in part:
            own: dict[int, Receipt] = {
                number: receipts[place + number] for number in range(len(entry.audited)) if place + number in receipts
            }
            place += len(entry.audited)
            yield entry_bytes(entry, own)
