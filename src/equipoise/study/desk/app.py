"""The desk as an application: its routes, the layer around them, and what is done at start and stop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from equipoise.study.desk.access import ACCESS, Rule, matched, table
from equipoise.study.desk.answers import RefusedError, nothing_here
from equipoise.study.desk.gate import Clock, Desk, Handler, Route, answer
from equipoise.study.desk.guard import Guard
from equipoise.study.desk.routes import adjudication, coordinator, data, enter, files, people, rater, wishes
from equipoise.study.desk.settings import DeskSettings
from equipoise.study.store import Draw, Store

ROUTES: tuple[Route, ...] = (
    *files.ROUTES, *enter.ROUTES, *rater.ROUTES, *wishes.ROUTES, *coordinator.ROUTES, *people.ROUTES, *data.ROUTES,
    *adjudication.ROUTES,
)  # fmt: skip
"""Everything that is answered; each needs an entry in the access table."""

NO_TELEMETRY: dict[str, Any] = {
    "telemetry": {"tracing": False, "metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}
}
"""Newer FastAPI hands requests and the texts of exceptions to OpenTelemetry when that is set up in the process; here never."""


def desk_app(store: Store, settings: DeskSettings, *, clock: Clock, draw: Draw) -> FastAPI:
    """The desk of a study as an ASGI application.

    Args:
        store: the study; stays open when the desk stops.
        settings: how the desk is run.
        clock: the time, with its zone; one that is UTC keeps times in the study's data comparable as texts.
        draw: source of tokens and ids, such as `secrets.token_urlsafe`.

    Raises:
        InternalError: a route has no entry in the access table, or an entry no route.
    """
    matched((route.method, route.path) for route in ROUTES)
    desk = Desk(store, settings, clock=clock, draw=draw)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            desk.close()

    app = FastAPI(
        title="Equipoise desk", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False,
        lifespan=lifespan, **NO_TELEMETRY,
    )  # fmt: skip
    app.state.desk = desk
    handlers = {(route.method, route.path): route.handler for route in ROUTES}
    rules = table()
    for rule in ACCESS:
        endpoint = _endpoint(desk, rules[rule.method, rule.path], handlers[rule.method, rule.path])
        app.add_api_route(rule.path, endpoint, methods=[rule.method], include_in_schema=False, response_model=None)
    app.add_exception_handler(HTTPException, partial(_nothing, desk))
    failed = desk.pages.render(
        "refused.html.j2", session=None, status=500, back="/", message="The desk failed. What was saved is safe."
    )
    misnamed = desk.pages.render(
        "refused.html.j2", session=None, status=421, back="/", message="The desk is not called by that name."
    )
    app.add_middleware(Guard, settings=settings, failed=failed.encode(), misnamed=misnamed.encode())
    return app


def _endpoint(desk: Desk, rule: Rule, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return await answer(desk, rule, handler, request)

    return endpoint


_NOBODY = Rule(method="GET", path="", who=None)


async def _nothing(desk: Desk, request: Request, error: Exception) -> Response:
    """An address or method that is not in the table; the same page as for an item of somebody else."""
    refused = nothing_here()
    if isinstance(error, HTTPException) and error.status_code == 405:
        refused = RefusedError(405, "This address does not take this method.")

    def refuse(_: Any) -> Response:
        raise refused

    return await answer(desk, _NOBODY, refuse, request)
