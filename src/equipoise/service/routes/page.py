"""The page for people: `/`, `/sign-in`, `/sign-out` and one style sheet. Plain forms; nothing runs in the browser."""

from __future__ import annotations

import asyncio
import datetime as dt
import hmac
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from equipoise.errors import EquipoiseError
from equipoise.evidence.parse import JURISDICTIONS
from equipoise.report.wording import NOT_A_DEVICE, STANDING_LINE
from equipoise.service.access.keys import Key, Role
from equipoise.service.access.session import COOKIE, HOURS
from equipoise.service.call import body_of, call_of, media_of, signed_in, state_of
from equipoise.service.engine import FIRST_DAY, Audited
from equipoise.service.page.context import AskPage, Choice, TrailLine
from equipoise.service.page.render import (
    POLICY,
    in_text_area,
    record_row,
    render_ask,
    render_sign_in,
    render_verdict,
    style_sheet,
)
from equipoise.service.problems import RefusedError, problem_of, refuse
from equipoise.service.routes.common import work_on
from equipoise.service.state import State
from equipoise.service.trail.entries import Receipt

router = APIRouter(include_in_schema=False)

FORMS: tuple[Choice, ...] = (
    Choice("auto", "by content"),
    Choice("text", "note"),
    Choice("case", "case (JSON)"),
    Choice("fhir", "FHIR R4"),
    Choice("dnpm", "DNPM"),
)
_FIELDS = 16
_FORM_MEDIA = ("application/x-www-form-urlencoded",)
_SEE_OTHER = 303


@router.get("/")
async def ask(request: Request) -> Response:
    """The empty form."""
    key = signed_in(request)
    if key is None:
        return RedirectResponse("/sign-in", status_code=_SEE_OTHER)
    call_of(request).caller = key.id
    return _html(render_ask(_page(request, key, {})))


@router.post("/")
async def answer(request: Request) -> Response:
    """Audit what was pasted, and show it with the form."""
    state, call = state_of(request), call_of(request)
    key = signed_in(request)
    if key is None:
        return RedirectResponse("/sign-in", status_code=_SEE_OTHER)
    call.caller = key.id
    given = await _form(request, 3 * state.settings.limits.document_bytes)
    _from_our_form(request, given)
    text = given.get("case", "").replace("\r\n", "\n")
    given["case"] = text
    try:
        if not key.allows(Role.AUDIT):
            raise refuse(403, "the key does not allow an audit")
        data = text.encode(errors="surrogatepass")
        if len(data) > state.settings.limits.document_bytes:
            raise refuse(413, f"expected at most {state.settings.limits.document_bytes} bytes")
        form = given.get("format", "auto")
        if form == "auto" and not text.lstrip().startswith(("{", "[")):
            form = "text"
        asked = state.engine.asked(
            today=state.now().date(),
            policy=given.get("policy", ""),
            as_of=given.get("as_of", ""),
            jurisdiction=given.get("jurisdiction", ""),
            form=form,
        )
        audited = await work_on(request, data, asked)
        receipts = await state.record(call, audited, asked, {"page": True})
    except (EquipoiseError, RefusedError, RecursionError) as error:
        problem = problem_of(error)
        place = f"{problem.field}: " if problem.field else f"line {problem.line}: " if problem.line else ""
        page = _page(request, key, given, problem=f"{place}{problem.message}")
        return _html(render_ask(page), status=problem.status)
    html = await asyncio.to_thread(_rendered, _page(request, key, given), audited, receipts)
    return _html(html)


@router.get("/sign-in")
async def sign_in(request: Request) -> Response:
    """Where a browser shows its key."""
    if signed_in(request) is not None:
        return RedirectResponse("/", status_code=_SEE_OTHER)
    return _html(render_sign_in(refused=False))


@router.post("/sign-in")
async def enter(request: Request) -> Response:
    """Take a key, and give a cookie for it."""
    state, call = state_of(request), call_of(request)
    given = await _form(request, 4096)
    _same_site(request)
    key = state.keys.find(given.get("key", "").strip())
    if key is None or not key.allows(Role.AUDIT):
        call.refused = "key"
        return _html(render_sign_in(refused=True), status=401)
    call.caller = key.id
    answer = RedirectResponse("/", status_code=_SEE_OTHER)
    answer.set_cookie(
        COOKIE,
        state.sessions.make(key, state.now().timestamp()),
        max_age=HOURS * 3600,
        httponly=True,
        samesite="strict",
        secure=state.settings.secure_cookies,
        path="/",
    )
    return answer


@router.post("/sign-out")
async def leave(request: Request) -> Response:
    """Forget the cookie."""
    given = await _form(request, 4096)
    _from_our_form(request, given)
    answer = RedirectResponse("/sign-in", status_code=_SEE_OTHER)
    answer.delete_cookie(COOKIE, path="/")
    return answer


@router.get("/assets/page.css")
async def css(request: Request) -> Response:
    """The style sheet; holds nothing of anybody."""
    return Response(style_sheet(), media_type="text/css; charset=utf-8", headers={"Cache-Control": "max-age=3600"})


def _rendered(page: AskPage, audited: tuple[Audited, ...], receipts: Mapping[int, Receipt]) -> str:
    from dataclasses import replace

    rows: list[dict[str, Any]] = []
    notes: dict[str, str] = {}
    records = []
    for one in audited:
        if one.record:
            records.append(record_row(one.case_id, json.loads(one.record)))
        if one.problem is not None:
            error = {"message": one.problem.message, "field": one.problem.field, "case_id": one.case_id}
            rows.append({"case_id": one.case_id, "error": error})
            continue
        rows.extend(json.loads(one.verdicts))
        case = json.loads(one.case) if one.case else {}
        if isinstance(case, dict) and isinstance(case.get("text"), str):
            notes[one.case_id] = case["text"]
    trail = tuple(TrailLine(receipt.seq, receipt.hash) for receipt in receipts.values())
    whole = replace(page, records=tuple(records), trail=trail)
    return render_verdict(whole, rows, notes) if rows else render_ask(whole)


def _page(request: Request, key: Key, given: Mapping[str, str], *, problem: str = "") -> AskPage:
    state = state_of(request)
    policies = tuple(Choice(item.id, item.title) for item in state.engine.policies.values())
    today = state.now().date()
    return AskPage(
        who=key.name,
        open=state.settings.open,
        token=_token(request, state),
        text_html=in_text_area(given.get("case", "")),
        policies=policies,
        policy=_one_of(given.get("policy", ""), [item.id for item in policies]),
        as_of=_day(given.get("as_of", "")),
        first_day=FIRST_DAY.isoformat(),
        last_day=(today + dt.timedelta(days=366)).isoformat(),
        jurisdictions=tuple(name for name in JURISDICTIONS if name != "any"),
        jurisdiction=_one_of(given.get("jurisdiction", "") or state.engine.jurisdiction, list(JURISDICTIONS)),
        forms=FORMS,
        form=_one_of(given.get("format", ""), [item.id for item in FORMS]),
        problem=problem,
        records=(),
        trail=(),
        device=NOT_A_DEVICE,
        standing=STANDING_LINE,
    )


def _one_of(value: str, known: list[str]) -> str:
    return value if value in known else known[0]


def _day(text: str) -> str:
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        return ""


async def _form(request: Request, most: int) -> dict[str, str]:
    media_of(request, _FORM_MEDIA)
    data = await body_of(request, most)
    try:
        pairs = parse_qsl(data.decode("ascii"), keep_blank_values=True, max_num_fields=_FIELDS, errors="strict")
    except ValueError:
        raise refuse(400, "the form cannot be read") from None
    return dict(pairs)


def _token(request: Request, state: State) -> str:
    return state.sessions.form_token("open" if state.settings.open else request.cookies.get(COOKIE, ""))


def _from_our_form(request: Request, given: Mapping[str, str]) -> None:
    """Refuse a form that another site sent."""
    _same_site(request)
    state = state_of(request)
    if not hmac.compare_digest(given.get("token", "").encode(), _token(request, state).encode()):
        call_of(request).refused = "form"
        raise refuse(403, "the form does not come from this page; load it again")


def _same_site(request: Request) -> None:
    """Refuse a form that a browser says comes from elsewhere. A page that sends no referrer has the origin "null", so that what the browser
    says of the site counts first; a form still needs its token.
    """
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        own = site in ("same-origin", "none")
    else:
        own = origin is None or urlsplit(origin).netloc.lower() == request.headers.get("host", "").lower()
    if not own:
        call_of(request).refused = "other site"
        raise refuse(403, "the form was sent by another site")


def _html(text: str, status: int = 200) -> Response:
    return Response(
        text.encode(errors="replace"),
        status_code=status,
        media_type="text/html; charset=utf-8",
        headers={"Content-Security-Policy": POLICY},
    )
