"""`GET /evidence`, `GET /evidence/{id}` and `GET /policies`: what a verdict can rest on."""

from __future__ import annotations

import datetime as dt
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from equipoise.audit.policy import Policy
from equipoise.cases.vocabulary.drugs import read_regimen
from equipoise.errors import UsageError
from equipoise.evidence.model import Assertion, Direction
from equipoise.service.access.keys import Role
from equipoise.service.answers import json_answer
from equipoise.service.call import caller, state_of
from equipoise.service.openapi import EVIDENCE, EVIDENCE_LIST, POLICIES
from equipoise.service.problems import refuse
from equipoise.service.routes.common import number_of, parameters

router = APIRouter()

LIST_PARAMETERS: tuple[str, ...] = ("q", "drug", "direction", "jurisdiction", "as_of", "verified", "offset", "limit")
_LONGEST = 200


@router.get("/evidence", **EVIDENCE_LIST)
async def listing(request: Request) -> Response:
    """Assertions of the evidence base, by words, drug, direction, jurisdiction, day."""
    state = state_of(request)
    caller(request, Role.AUDIT)
    given = parameters(request, LIST_PARAMETERS)
    offset = number_of(given, "offset", 0, 0, 1_000_000)
    limit = number_of(given, "limit", 50, 1, 500)
    base = state.engine.base
    rows = _wanted(list(base.assertions if "q" not in given else base.search(given["q"][:_LONGEST])), given)
    return json_answer(
        {
            "evidence_hash": base.hash,
            "overlays": list(base.overlays),
            "total": len(rows),
            "offset": offset,
            "assertions": [assertion_row(item) for item in rows[offset : offset + limit]],
        }
    )


@router.get("/evidence/{identifier}", **EVIDENCE)
async def one(request: Request, identifier: str) -> Response:
    """One assertion with its criteria, sources and what was read of them."""
    state = state_of(request)
    caller(request, Role.AUDIT)
    parameters(request, ())
    try:
        item = state.engine.base.get(identifier)
    except UsageError:
        raise refuse(404, "no assertion has this id; GET /evidence?q=... finds ids") from None
    return json_answer({"evidence_hash": state.engine.base.hash, "assertion": assertion_row(item)})


@router.get("/policies", **POLICIES)
async def policies(request: Request) -> Response:
    """The policies that a request may name, the default first, with every rule."""
    state = state_of(request)
    caller(request, Role.AUDIT)
    parameters(request, ())
    return json_answer({"policies": [policy_row(item) for item in state.engine.policies.values()]})


def _wanted(rows: list[Assertion], given: dict[str, str]) -> list[Assertion]:
    if "drug" in given:
        components = read_regimen(given["drug"][:_LONGEST]).components
        if not components:
            raise refuse(400, "was not recognised as a drug", field="drug")
        rows = [item for item in rows if components <= set(item.regimen)]
    if "direction" in given:
        if given["direction"] not in tuple(Direction):
            raise refuse(400, f"expected one of {', '.join(Direction)}", field="direction")
        rows = [item for item in rows if item.direction == given["direction"]]
    if "jurisdiction" in given:
        rows = [item for item in rows if item.jurisdiction.upper() == given["jurisdiction"].upper()]
    if "as_of" in given:
        day = _day(given["as_of"])
        rows = [item for item in rows if item.valid_on(day)]
    if "verified" in given:
        if given["verified"] not in ("true", "false"):
            raise refuse(400, "expected true or false", field="verified")
        rows = [item for item in rows if item.verification.verified == (given["verified"] == "true")]
    return rows


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text[:40])
    except ValueError:
        raise refuse(400, "expected a date as YYYY-MM-DD", field="as_of") from None


def assertion_row(item: Assertion) -> dict[str, Any]:
    """An assertion as plain values."""
    return {
        "id": item.id,
        "regimen": item.regimen_text,
        "direction": item.direction.value,
        "level": item.level,
        "jurisdiction": item.jurisdiction,
        "approval": item.approval,
        "valid_from": item.valid_from.isoformat(),
        "valid_to": item.valid_to.isoformat() if item.valid_to else None,
        "statement": item.statement,
        "requires": [node.required for node in item.requires],
        "unless": [node.required for node in item.unless],
        "sources": [str(source) for source in item.sources],
        "verified": item.verification.verified,
        "verification": item.verification.text,
        "note": item.note,
        "origin": item.origin,
    }


def policy_row(policy: Policy) -> dict[str, Any]:
    """A policy as plain values."""
    rules = policy.model_dump(mode="json")
    about = {name: rules.pop(name) for name in ("id", "version", "title", "description", "sources")}
    rules["criteria"]["ignore"] = sorted(rules["criteria"]["ignore"])
    rules["abstain"] = {name: sorted(value) for name, value in rules["abstain"].items()}
    return {**about, "hash": policy.hash, "rules": rules}
