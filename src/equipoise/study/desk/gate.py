"""The one way from a request to a handler: origin, form, session, role, form token, then the handler in a bounded pool."""

from __future__ import annotations

import asyncio
import datetime as dt
import hmac
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from equipoise.errors import EquipoiseError, UpstreamError
from equipoise.study.desk.access import Body, Rule
from equipoise.study.desk.answers import RefusedError
from equipoise.study.desk.attempts import Attempts
from equipoise.study.desk.forms import Form, read_form
from equipoise.study.desk.render import Pages
from equipoise.study.desk.sessions import Session, Sessions
from equipoise.study.desk.settings import DeskSettings
from equipoise.study.store import Draw, Store

Clock = Callable[[], dt.datetime]
"""Gives the time, with its zone."""

SEE_OTHER = 303
_LOOK = dt.timedelta(seconds=3)
_INSIDE = re.compile(r"/(?:desk|decide|coordinator)(?:/[A-Za-z0-9_-]+)*")
_ENDED = "Your session has ended. Sign in again; what was not saved yet is kept in this browser and sent afterwards."
_OUTDATED = "This page is from an earlier sign-in. Load it again; what was not saved yet is kept in this browser."
_FOREIGN = "This form was not sent from the desk's own page."
_NOT_YOURS = "This page is not for your role."
_BUSY = "Too many people sign in at this moment. Try again in a few seconds."


class Desk:
    """A running desk: the study, and what requests share.

    Args:
        store: the study.
        settings: how the desk was started.
        clock: the time.
        draw: source of random texts.
    """

    def __init__(self, store: Store, settings: DeskSettings, *, clock: Clock, draw: Draw) -> None:
        limits = settings.limits
        self.store = store
        self.settings = settings
        self.clock = clock
        self.draw = draw
        self.sessions = Sessions(store, limits, draw)
        self.pages = Pages(store)
        self.attempts = Attempts(
            {"code": limits.failures_code, "address": limits.failures_address}, 60.0 * limits.window_minutes
        )
        self._workers = ThreadPoolExecutor(limits.workers, thread_name_prefix="desk")
        self._hashers = ThreadPoolExecutor(limits.hashing, thread_name_prefix="desk-hash")
        self._hashing = 0
        self._looked = clock()

    def refresh(self, now: dt.datetime) -> None:
        """Looks, every few seconds, whether the protocol was amended by a command beside the running desk."""
        if not dt.timedelta(0) <= now - self._looked < _LOOK:
            self._looked = now
            self.store.refresh()

    def close(self) -> None:
        """Finish what runs and give the threads back; the store stays open."""
        self._workers.shutdown()
        self._hashers.shutdown()

    async def run(self, work: Callable[[], Response], *, hashing: bool) -> Response:
        """Do something that waits for the disk or the processor, beside the loop that answers.

        Raises:
            RefusedError: too many passwords wait already.
        """
        loop = asyncio.get_running_loop()
        if not hashing:
            return await loop.run_in_executor(self._workers, work)
        if self._hashing >= self.settings.limits.hashing + self.settings.limits.waiting:
            raise RefusedError(503, _BUSY, retry=5)
        self._hashing += 1
        try:
            return await loop.run_in_executor(self._hashers, work)
        finally:
            self._hashing -= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request, as a handler sees it.

    Attributes:
        desk: the running desk.
        rule: the entry of the access table.
        path: address asked for.
        names: parts of the address by name.
        query: part of the address after the question mark.
        form: what was sent.
        session: who asks; None for nobody who is signed in.
        token: token of the session; empty without one.
        fragment: whether a script of ours asks for a part of a page.
        address: where the request comes from, for counting failures.
        now: when it came.
    """

    desk: Desk
    rule: Rule
    path: str
    names: Mapping[str, str]
    query: Mapping[str, str]
    form: Form
    session: Session | None
    token: str
    fragment: bool
    address: str
    now: dt.datetime

    @property
    def store(self) -> Store:
        """The study."""
        return self.desk.store

    @property
    def who(self) -> Session:
        """Who asks, where the rule lets only those in who are signed in."""
        if self.session is None:
            raise RefusedError(401, _ENDED)
        return self.session

    @property
    def at(self) -> str:
        """When the request came, as the study's data write it."""
        return self.now.isoformat(timespec="seconds")

    def page(self, template: str, *, status: int = 200, **context: Any) -> Response:
        """A page, or a part of one."""
        html = self.desk.pages.render(template, session=self.session, **context)
        return Response(html, status_code=status, media_type="text/html")

    def to(self, path: str) -> Response:
        """Another address is to be asked for next."""
        return RedirectResponse(path, status_code=SEE_OTHER)


Handler = Callable[[Ask], Response]
"""Answers one address. It runs in a thread of its own, so it may wait for the database."""


@dataclass(frozen=True, slots=True)
class Route:
    """One address and what answers it; who may ask stands in the access table.

    Attributes:
        method: GET or POST.
        path: pattern of the address.
        handler: what answers.
    """

    method: str
    path: str
    handler: Handler


@dataclass(slots=True)
class _Seen:
    """What was found out about a request so far, for the page that refuses it."""

    session: Session | None = None
    fragment: bool = field(default=False)


async def answer(desk: Desk, rule: Rule, handler: Handler, request: Request) -> Response:
    """The answer to one request."""
    seen = _Seen(fragment=request.headers.get("hx-request") == "true" and "hx-boosted" not in request.headers)
    now = desk.clock()
    token = request.cookies.get(desk.settings.cookie, "")
    limits = desk.settings.limits

    def find() -> None:
        seen.session = desk.sessions.find(token, now) if token else None

    def allowed() -> None:
        if rule.who is not None:
            if seen.session is None:
                raise RefusedError(401, _ENDED)
            if seen.session.role not in rule.who:
                raise RefusedError(403, _NOT_YOURS)

    def work(form: Form) -> Response:
        try:
            desk.refresh(now)
            find()
            allowed()
            if rule.method == "POST" and seen.session is not None and not rule.enters:
                given = form.one("csrf").encode(errors="surrogatepass")
                if not hmac.compare_digest(given, seen.session.csrf.encode()):
                    raise RefusedError(403, _OUTDATED)
            ask = Ask(
                desk=desk,
                rule=rule,
                path=request.url.path,
                names=dict(request.path_params),
                query=dict(request.query_params),
                form=form,
                session=seen.session,
                token=token,
                fragment=seen.fragment,
                address=_address(desk, request),
                now=now,
            )
            return handler(ask)
        except EquipoiseError as error:
            return refusal(desk, seen, rule, request.url.path, error)

    def before() -> Response:
        find()
        try:
            allowed()
        except RefusedError as error:
            return refusal(desk, seen, rule, request.url.path, error)
        return Response()

    try:
        form = Form()
        if rule.method == "POST":
            _own_origin(desk, request)
            upload = rule.body is Body.UPLOAD
            if upload:  # nobody else's file is read
                early = await desk.run(before, hashing=False)
                if early.status_code != Response().status_code:
                    return early
            form = await read_form(
                request,
                most_bytes=limits.upload_bytes if upload else limits.form_bytes,
                most_fields=limits.fields,
                seconds=limits.body_seconds,
                upload=upload,
            )
        return await desk.run(lambda: work(form), hashing=rule.hashing)
    except RefusedError as error:
        return refusal(desk, seen, rule, request.url.path, error)


def refusal(desk: Desk, seen: Any, rule: Rule, path: str, error: EquipoiseError) -> Response:
    """The page for a request that is not answered as it was meant."""
    status = error.status if isinstance(error, RefusedError) else 503 if isinstance(error, UpstreamError) else 422
    message = str(error) if not isinstance(error, UpstreamError) else "The study's database does not answer. Try again."
    if status == 401 and rule.method == "GET" and not seen.fragment:
        return RedirectResponse(f"/enter?to={path}" if inside(path) else "/enter", status_code=SEE_OTHER)
    back = re.sub(r"/(?:answer|skip|undo|reopen)$", "", path) if rule.method == "POST" or status == 401 else "/"
    context = {"status": status, "message": message, "back": back if inside(back) else "/"}
    template = "refused.html.j2" if not seen.fragment else "refused_part.html.j2"
    answer = Response(
        desk.pages.render(template, session=seen.session, **context), status_code=status, media_type="text/html"
    )
    if isinstance(error, RefusedError) and error.retry:
        answer.headers["Retry-After"] = str(error.retry)
    return answer


def inside(path: str) -> bool:
    """Whether an address is a page of the desk that one may be sent back to."""
    return _INSIDE.fullmatch(path) is not None and len(path) <= 200


def _own_origin(desk: Desk, request: Request) -> None:
    """Browsers say where a form comes from; one from elsewhere is refused, whatever it carries.

    Raises:
        RefusedError: it comes from another page.
    """
    own = desk.settings.origin or f"{request.url.scheme}://{request.headers.get('host', '')}".lower()
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    referer = request.headers.get("referer")
    if origin is not None:
        fine = origin.lower() == own
    elif site is not None:
        fine = site == "same-origin"
    elif referer is not None:
        parts = urlsplit(referer)
        fine = f"{parts.scheme}://{parts.netloc}".lower() == own
    else:
        fine = True  # no browser; the form's token still counts
    if not fine:
        raise RefusedError(403, _FOREIGN)


def _address(desk: Desk, request: Request) -> str:
    peer = request.client.host if request.client else ""
    return desk.settings.client(peer, request.headers.get("x-forwarded-for", ""))
