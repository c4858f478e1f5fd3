"""`/health`, `/ready`, `/metrics`: whether the service lives, whether it can answer, and its counters."""

from __future__ import annotations

import resource
import sys

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from equipoise._version import __version__
from equipoise.service.access.keys import Role
from equipoise.service.answers import json_answer
from equipoise.service.call import caller, state_of
from equipoise.service.openapi import HEALTH, METRICS, READY
from equipoise.service.problems import refuse
from equipoise.service.routes.common import parameters

router = APIRouter()


@router.get("/health", **HEALTH)
async def health(request: Request) -> Response:
    """The process lives."""
    parameters(request, ())
    return json_answer({"status": "alive", "version": __version__})


@router.get("/ready", **READY)
async def ready(request: Request) -> Response:
    """Verdicts can be given: the trail takes entries and the service is not stopping."""
    parameters(request, ())
    state = state_of(request)
    if state.stopping or not state.writer.healthy:
        raise refuse(503, "the service is stopping" if state.stopping else "the trail cannot be written")
    return json_answer({"status": "ready", "version": __version__, "evidence_hash": state.engine.base.hash})


@router.get("/metrics", **METRICS)
async def metrics(request: Request) -> Response:
    """Counters in Prometheus' text form."""
    parameters(request, ())
    state = state_of(request)
    if not state.settings.open_metrics:
        caller(request, Role.AUDIT)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = state.metrics.text(
        trail_waiting=state.writer.waiting,
        heavy_waiting=state.heavy.waiting,
        trail_healthy=int(state.writer.healthy),
        peak_memory_bytes=peak * (1 if sys.platform == "darwin" else 1024),
    )
    return Response(text.encode(), media_type="text/plain; version=0.0.4; charset=utf-8")
