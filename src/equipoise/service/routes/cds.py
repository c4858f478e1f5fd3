"""`/cds-services`: discovery, the two services, feedback."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from equipoise.cases.load import parse_document
from equipoise.errors import UsageError
from equipoise.service.access.keys import Role
from equipoise.service.answers import json_answer
from equipoise.service.call import body_of, call_of, caller, media_of, state_of
from equipoise.service.cds.answer import Answered, answer_order
from equipoise.service.cds.discovery import Service, discovery, service_of
from equipoise.service.cds.shapes import check
from equipoise.service.engine import Asked, Engine
from equipoise.service.identity import request_of
from equipoise.service.openapi import CDS_CALL, CDS_DISCOVERY, CDS_FEEDBACK
from equipoise.service.problems import refuse
from equipoise.service.routes.common import parameters
from equipoise.service.strict import refuse_non_finite

router = APIRouter()
_MEDIA = ("application/json",)
_INLINE = 64 * 1024
_LONGEST_COMMENT = 10_000
_MOST_FEEDBACK = 500


@router.get("/cds-services", **CDS_DISCOVERY)
async def services(request: Request) -> Response:
    """What this service offers; holds no patient data and needs no key."""
    parameters(request, ())
    return json_answer(discovery())


@router.post("/cds-services/{identifier}", **CDS_CALL)
async def call(request: Request, identifier: str) -> Response:
    """Audit the drafted cancer drugs of an ordering session and answer with cards."""
    state, this = state_of(request), call_of(request)
    caller(request, Role.AUDIT)
    service = _service(identifier)
    parameters(request, ())
    media_of(request, _MEDIA)
    data = await body_of(request, state.settings.limits.document_bytes)
    asked = state.engine.asked(today=state.now().date())
    settings = state.settings
    arguments = (data, service, asked, this.id, settings.cards_for_supported, settings.public_url)
    if len(data) <= _INLINE:
        answered = answer_call(state.engine, *arguments)
    else:
        answered = await state.heavy.run(answer_call, *arguments)
    cards = list(answered.cards)
    more = {"service": service.id, "cards": [one["uuid"] for one in cards]}
    await state.record(this, answered.audited, asked, more)
    for indicator in answered.indicators:
        state.metrics.count("equipoise_cards_total", indicator=indicator)
    return json_answer({"cards": cards})


@router.post("/cds-services/{identifier}/feedback", **CDS_FEEDBACK)
async def feedback(request: Request, identifier: str) -> Response:
    """What became of cards: accepted or overridden, with the reason. Goes on the trail beside the verdict that it is about."""
    state, this = state_of(request), call_of(request)
    caller(request, Role.AUDIT)
    service = _service(identifier)
    parameters(request, ())
    media_of(request, _MEDIA)
    value = _object(await body_of(request, state.settings.limits.document_bytes))
    check("feedback", value)
    rows: list[dict[str, Any]] = value["feedback"]
    if len(rows) > _MOST_FEEDBACK:
        raise refuse(413, f"expected feedback on at most {_MOST_FEEDBACK} cards at once", field="feedback")
    await state.record_feedback(this, [_feedback(row, service) for row in rows])
    for row in rows:
        state.metrics.count("equipoise_feedback_total", outcome=row["outcome"])
    return json_answer({})


def _feedback(row: dict[str, Any], service: Service) -> tuple[dict[str, Any], dict[str, Any]]:
    """What stays of feedback on a card, and the whole of it, its comment cut to a length that a person reads."""
    facts = {
        "service": service.id,
        "about": request_of(row["card"]),
        "card": row["card"].lower(),
        "outcome": row["outcome"],
        "when": row["outcomeTimestamp"],
    }
    reason = dict(row.get("overrideReason", {}))
    if "userComment" in reason:
        reason["userComment"] = reason["userComment"][:_LONGEST_COMMENT]
    return facts, {**row, "overrideReason": reason} if reason else row


def answer_call(
    engine: Engine,
    data: bytes,
    service: Service,
    asked: Asked,
    request_id: str,
    supported_too: bool,
    public_url: str,
) -> Answered:
    """Read, check and answer a call; the form in which the job can be handed to another process."""
    value = _object(data)
    check("request", value)
    if value["hook"] != service.hook:
        raise refuse(400, f"expected {service.hook}, for which this service is called", field="hook")
    return answer_order(engine, value, asked, request_id, supported_too, public_url)


def _service(identifier: str) -> Service:
    found = service_of(identifier)
    if found is None:
        raise refuse(404, "no such service; GET /cds-services lists them")
    return found


def _object(data: bytes) -> Any:
    try:
        refuse_non_finite(data, "body")
        value = parse_document(data, "body")
    except UsageError as error:
        raise refuse(400, error.message, line=error.line) from None
    if not isinstance(value, dict):
        raise refuse(400, "expected a JSON object")
    return value
