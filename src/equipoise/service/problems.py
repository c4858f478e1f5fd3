"""The one shape of every error, and the status it is answered with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from equipoise.errors import EquipoiseError, InputError
from equipoise.report.inert import inert

CODES: dict[int, str] = {
    400: "bad-request",
    401: "no-key",
    403: "not-allowed",
    404: "not-found",
    405: "method-not-allowed",
    408: "too-slow",
    409: "conflict",
    411: "length-required",
    412: "precondition-failed",
    413: "too-large",
    415: "media-type",
    421: "wrong-host",
    422: "unreadable",
    429: "too-many",
    500: "internal",
    503: "unavailable",
    504: "took-too-long",
}
"""Code of each status that an error is answered with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with a request.

    Attributes:
        status: HTTP status.
        message: one sentence: what was expected, what to do.
        field: element concerned, empty when none.
        line: 1-based line of the body, None when it has none.
    """

    status: int
    message: str
    field: str = ""
    line: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, without empty elements."""
        found: dict[str, Any] = {"code": CODES.get(self.status, "error"), "message": inert(self.message)}
        if self.field:
            found["field"] = inert(self.field)
        if self.line is not None:
            found["line"] = self.line
        return found

    def body(self, request_id: str) -> bytes:
        """The answer's bytes."""
        return json.dumps({"error": {**self.to_dict(), "request_id": request_id}}).encode()


class RefusedError(Exception):
    """A request is refused; carries the answer."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


def refuse(status: int, message: str, *, field: str = "", line: int | None = None) -> RefusedError:
    """An error to raise.

    Args:
        status: HTTP status.
        message: one sentence.
        field: element concerned.
        line: line of the body.
    """
    return RefusedError(Problem(status=status, message=message, field=field, line=line))


def problem_of(error: BaseException) -> Problem:
    """The problem that an error of this package comes to; nothing of any other error is told."""
    if isinstance(error, RefusedError):
        return error.problem
    if isinstance(error, InputError):
        return Problem(status=422, message=error.message, field=error.field or "", line=error.line)
    if isinstance(error, EquipoiseError):
        return Problem(status=422, message=str(error))
    if isinstance(error, RecursionError):
        return Problem(status=422, message="the document is nested too deeply")
    return Problem(status=500, message="the service failed on this request; its log names the place")
