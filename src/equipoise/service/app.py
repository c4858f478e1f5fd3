"""The application: routes, the layer around them, and what is done at start and stop."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response

from equipoise._version import __version__
from equipoise.audit.wording import NOT_A_DEVICE, STANDING_LINE
from equipoise.errors import EquipoiseError
from equipoise.service.answers import problem_answer
from equipoise.service.call import call_of
from equipoise.service.guard import Guard
from equipoise.service.logs import Log
from equipoise.service.openapi import SECURITY_SCHEMES, TAGS
from equipoise.service.problems import Problem, problem_of
from equipoise.service.routes import audit, cds, evidence, page, system, trail
from equipoise.service.settings import Settings
from equipoise.service.state import State, utc_now

NO_TELEMETRY: dict[str, Any] = {
    "telemetry": {"tracing": False, "metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}
}
"""Newer FastAPI hands requests, exceptions and their texts to OpenTelemetry when that is set up in the process; here it never does."""

_REFUSALS = {404: "there is nothing at this address", 405: "this address does not take this method"}


def create_app(settings: Settings, *, log: Log | None = None, now: Callable[[], dt.datetime] = utc_now) -> FastAPI:
    """The service as an ASGI application.

    Args:
        settings: how it is run.
        log: where events go; standard error by default.
        now: the clock: day of an audit that names none, and times on the trail.

    Raises:
        UsageError: a policy or file does not exist.
        ConfigurationError: a policy, overlay, key file or trail breaks its contract.
        UpstreamError: the database of the trail cannot be reached.
    """
    state = State(settings, log=log or Log(), now=now)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if settings.warm:
            state.warm()
        state.log.event(
            "started",
            version=__version__,
            evidence=state.engine.base.hash,
            policies=list(state.engine.policies),
            trail=state.trail.dialect,
            open=settings.open,
        )
        try:
            yield
        finally:
            state.close()
            state.log.event("stopped")

    app = FastAPI(
        title="Equipoise",
        version=__version__,
        description=f"{STANDING_LINE} {NOT_A_DEVICE}",
        docs_url=None,
        redoc_url=None,
        openapi_tags=TAGS,
        lifespan=lifespan,
        redirect_slashes=False,
        **NO_TELEMETRY,
    )
    app.state.service = state
    for router in (audit.router, evidence.router, cds.router, trail.router, system.router, page.router):
        app.include_router(router)
    app.add_exception_handler(EquipoiseError, _on_error)
    for kind in _own_errors():
        app.add_exception_handler(kind, _on_error)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_validation)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.origins),
            allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type", "x-api-key"],
        )
    app.add_middleware(Guard, state=state)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


def _own_errors() -> tuple[type[Exception], ...]:
    from equipoise.service.problems import RefusedError

    return (RefusedError, RecursionError)


async def _on_error(request: Request, error: Exception) -> Response:
    problem = problem_of(error)
    headers = {"WWW-Authenticate": "Bearer"} if problem.status == 401 else {}
    if problem.status == 503:
        headers["Retry-After"] = "1"
    return problem_answer(problem, call_of(request).id, headers)


async def _on_http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    problem = Problem(status=status, message=_REFUSALS.get(status, "the request was refused"))
    return problem_answer(problem, call_of(request).id, dict(headers or {}))


async def _on_validation(request: Request, _: Exception) -> Response:
    problem = Problem(status=422, message="a part of the address or body is not of the expected form")
    return problem_answer(problem, call_of(request).id)


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes, tags=TAGS
        )
        found.setdefault("components", {})["securitySchemes"] = SECURITY_SCHEMES
        for path in found["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None) if "422" in operation["responses"] and not _ours(
                    operation
                ) else None
                named = {(one["name"], one["in"]): one for one in operation.get("parameters", ())}
                if named:
                    operation["parameters"] = list(named.values())
        app.openapi_schema = found
    return app.openapi_schema


def _ours(operation: dict[str, Any]) -> bool:
    """Whether an answer 422 is one that we described, and not FastAPI's own."""
    content = operation["responses"]["422"].get("content", {}).get("application/json", {}).get("schema", {})
    return "$ref" not in content
