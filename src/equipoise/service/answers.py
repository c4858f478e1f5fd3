"""Answers as bytes: what was audited is put together from JSON that is there already, and not made a second time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from equipoise.service.batch import BatchEntry
from equipoise.service.engine import Audited, to_bytes
from equipoise.service.problems import Problem
from equipoise.service.trail.entries import Receipt

JSON = "application/json"


def json_answer(value: Any, status: int = 200) -> Response:
    """An answer from plain values."""
    return Response(json.dumps(value, allow_nan=False).encode(), status_code=status, media_type=JSON)


def problem_answer(problem: Problem, request_id: str, headers: Mapping[str, str] | None = None) -> Response:
    """An answer that says what is wrong."""
    return Response(problem.body(request_id), status_code=problem.status, media_type=JSON, headers=dict(headers or {}))


def case_bytes(audited: Audited, receipt: Receipt | None) -> bytes:
    """One case as JSON: its id, its verdicts or why there are none, what was read of a record, and its place on the trail."""
    parts = [b'{"case_id":' + to_bytes(audited.case_id), b'"verdicts":' + audited.verdicts]
    if audited.problem is not None:
        parts.append(b'"error":' + to_bytes(audited.problem.to_dict()))
    if audited.record:
        parts.append(b'"record":' + audited.record)
    if receipt is not None:
        parts.append(b'"trail":' + to_bytes(receipt.to_dict()))
    return b",".join(parts) + b"}"


def cases_bytes(audited: Sequence[Audited], receipts: Mapping[int, Receipt]) -> bytes:
    """Cases as a JSON list."""
    return b"[" + b",".join(case_bytes(one, receipts.get(place)) for place, one in enumerate(audited)) + b"]"


def entry_bytes(entry: BatchEntry, receipts: Mapping[int, Receipt]) -> bytes:
    """One entry of a batch as JSON."""
    parts = [b'{"place":' + str(entry.place).encode()]
    if entry.line is not None:
        parts.append(b'"line":' + str(entry.line).encode())
    if entry.problem is not None:
        parts.append(b'"error":' + to_bytes(entry.problem.to_dict()))
    else:
        parts.append(b'"cases":' + cases_bytes(entry.audited, receipts))
    return b",".join(parts) + b"}"
