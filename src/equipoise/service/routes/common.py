"""What several addresses share: checked parameters, and the choice where a document is worked on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from starlette.requests import Request

from equipoise.service.batch import answer_document
from equipoise.service.call import state_of
from equipoise.service.engine import Asked, Audited
from equipoise.service.problems import refuse
from equipoise.service.state import State

AUDIT_PARAMETERS: tuple[str, ...] = ("policy", "as_of", "jurisdiction", "format")
CASE_MEDIA: tuple[str, ...] = ("application/json", "application/fhir+json")
LINE_MEDIA: tuple[str, ...] = ("application/x-ndjson", "application/ndjson", "application/jsonl")
TEXT_MEDIA: tuple[str, ...] = ("text/plain",)
_LIGHT_NOTE = 4 * 1024
_LIGHT_PARTS = 64
"""Objects of a case that is worked on at once; many small cases, or many recommendations, are work for the process beside."""

_NOTE = re.compile(rb'"text"\s*:\s*"')


def parameters(request: Request, allowed: Iterable[str]) -> dict[str, str]:
    """The parameters of the address; a misspelt one is refused, since leaving it out would change the answer unseen.

    Raises:
        RefusedError: one is unknown, or stands twice.
    """
    names = tuple(allowed)
    found: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in names:
            raise refuse(400, f"expected only the parameters {', '.join(names) or 'none'}", field=name[:80])
        if name in found:
            raise refuse(400, "stands twice", field=name)
        found[name] = value
    return found


def asked_of(request: Request, state: State) -> Asked:
    """What a request asks for, from its address.

    Raises:
        RefusedError: a parameter is unknown.
        UsageError: a parameter names nothing that the service has.
    """
    given = parameters(request, AUDIT_PARAMETERS)
    return state.engine.asked(
        today=state.now().date(),
        policy=given.get("policy", ""),
        as_of=given.get("as_of", ""),
        jurisdiction=given.get("jurisdiction", ""),
        form=given.get("format", "auto"),
    )


async def work_on(request: Request, data: bytes, asked: Asked) -> tuple[Audited, ...]:
    """Audit a document: a small one here, a large one or a long note in the process beside.

    Raises:
        UsageError: it cannot be read.
        RefusedError: it took too long.
    """
    state = state_of(request)
    if is_light(data, asked, state.settings.limits.inline_bytes):
        return state.engine.answer(data, asked)
    return await state.heavy.run(answer_document, data, asked)


def is_light(data: bytes, asked: Asked, most: int) -> bool:
    """Whether a document takes a millisecond or two: reading a note costs some twenty times as much a byte as reading JSON."""
    if data.count(b"{") > _LIGHT_PARTS or data.count(b",") > 4 * _LIGHT_PARTS:
        return b'"resourceType"' in data and len(data) <= most
    if len(data) <= _LIGHT_NOTE:
        return True
    if asked.form == "text" or (b'"resourceType"' not in data and _NOTE.search(data) is not None):
        return False
    return len(data) <= most


def number_of(given: dict[str, Any], name: str, default: int, low: int, high: int) -> int:
    """A whole number among the parameters.

    Raises:
        RefusedError: it is none, or outside its range.
    """
    value = given.get(name, default)
    text = str(value)
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,12}", text) or not low <= int(text) <= high:
        raise refuse(400, f"expected a whole number from {low} to {high}", field=name)
    return int(text)
