"""Who may ask for what: one table. A route that is not in it does not start, and what it does not allow is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from equipoise.errors import InternalError


class Who(StrEnum):
    """Roles of those who are signed in, as the study's data name them."""

    RATER = "rater"
    ADJUDICATOR = "adjudicator"
    COORDINATOR = "coordinator"


class Body(StrEnum):
    """What a request may carry."""

    NONE = "none"
    FORM = "form"
    UPLOAD = "upload"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One address.

    Attributes:
        method: GET or POST.
        path: pattern of the address.
        who: roles that may ask; None for anybody, signed in or not.
        body: what it takes.
        hashing: whether a password is checked, which waits in a line of its own.
        enters: whether it signs in, so that its form belongs to no session yet.
    """

    method: str
    path: str
    who: frozenset[Who] | None
    body: Body = Body.NONE
    hashing: bool = False
    enters: bool = False


def _get(path: str, *who: Who) -> Rule:
    return Rule(method="GET", path=path, who=frozenset(who))


def _post(path: str, *who: Who, body: Body = Body.FORM) -> Rule:
    return Rule(method="POST", path=path, who=frozenset(who), body=body)


_RATER, _COORDINATOR = Who.RATER, Who.COORDINATOR
_ALL = (Who.RATER, Who.ADJUDICATOR, Who.COORDINATOR)

ACCESS: tuple[Rule, ...] = (
    Rule(method="GET", path="/healthz", who=None),
    Rule(method="GET", path="/static/{name}", who=None),
    Rule(method="GET", path="/", who=None),
    Rule(method="GET", path="/enter", who=None),
    Rule(method="POST", path="/enter", who=None, body=Body.FORM, hashing=True, enters=True),
    Rule(method="GET", path="/enter/{token}", who=None),
    Rule(method="POST", path="/enter/{token}", who=None, body=Body.FORM, enters=True),
    Rule(method="POST", path="/leave", who=None, body=Body.FORM),
    _get("/desk", _RATER),
    _get("/desk/guide", _RATER),
    _get("/desk/history", _RATER),
    _get("/desk/settings", *_ALL),
    _post("/desk/settings", *_ALL),
    _get("/desk/items/{public}", _RATER),
    _post("/desk/items/{public}/answer", _RATER),
    _post("/desk/items/{public}/skip", _RATER),
    _post("/desk/items/{public}/undo", _RATER),
    _post("/desk/items/{public}/reopen", _RATER),
    _post("/desk/lock", _RATER),
    _get("/coordinator", _COORDINATOR),
    _get("/coordinator/items", _COORDINATOR),
    _get("/coordinator/report", _COORDINATOR),
    _post("/coordinator/unblind", _COORDINATOR),
    _get("/coordinator/raters", _COORDINATOR),
    _post("/coordinator/raters", _COORDINATOR),
    _post("/coordinator/queues", _COORDINATOR),
    _post("/coordinator/raters/{code}/link", _COORDINATOR),
    _get("/coordinator/raters/{code}/personal", _COORDINATOR),
    _get("/coordinator/raters/{code}/forget", _COORDINATOR),
    _post("/coordinator/raters/{code}/forget", _COORDINATOR),
    _get("/coordinator/export/{name}", _COORDINATOR),
    _get("/coordinator/import", _COORDINATOR),
    _post("/coordinator/import", _COORDINATOR, body=Body.UPLOAD),
    _get("/coordinator/protocol", _COORDINATOR),
    _post("/coordinator/protocol", _COORDINATOR),
    _get("/decide", Who.ADJUDICATOR, _COORDINATOR),
    _post("/decide", _COORDINATOR),
    _get("/decide/{public}", Who.ADJUDICATOR, _COORDINATOR),
    _post("/decide/{public}", Who.ADJUDICATOR, _COORDINATOR),
)  # fmt: skip
"""Every address of the desk, in the order in which they are looked up."""


def table(rules: Iterable[Rule] = ACCESS) -> dict[tuple[str, str], Rule]:
    """The rules by method and path.

    Raises:
        InternalError: an address stands in the table twice.
    """
    found: dict[tuple[str, str], Rule] = {}
    for rule in rules:
        key = (rule.method, rule.path)
        if key in found:
            message = f"{rule.method} {rule.path} stands in the access table twice"
            raise InternalError(message)
        found[key] = rule
    return found


def matched(routes: Iterable[tuple[str, str]], rules: Iterable[Rule] = ACCESS) -> None:
    """Refuses to start with a route that no rule allows, or a rule that no route answers.

    Raises:
        InternalError: there is one.
    """
    known, given = set(table(rules)), list(routes)
    for what, lacking in (
        ("has no entry in the access table", sorted(set(given) - known)),
        ("is in the access table, but nothing answers it", sorted(known - set(given))),
        ("is answered twice", sorted({key for key in given if given.count(key) > 1})),
    ):
        if lacking:
            message = f"{lacking[0][0]} {lacking[0][1]} {what}"
            raise InternalError(message)
