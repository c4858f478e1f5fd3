"""Raters, adjudicators and coordinators: who there is, links, queues, personal data and their deletion."""

from __future__ import annotations

import json

from starlette.responses import Response

from equipoise.errors import UsageError
from equipoise.study.desk.answers import nothing_here
from equipoise.study.desk.gate import Ask, Route
from equipoise.study.planning import assign_all
from equipoise.study.progress import progress
from equipoise.study.raters import LINK_DAYS, ROLES, add_rater, forget, make_link, personal_data, raters


def show(ask: Ask) -> Response:
    """Everybody of the study."""
    return _show(ask)


def add(ask: Ask) -> Response:
    """Adds a person under a code."""
    code, role = ask.form.one("code").strip(), ask.form.one("role", "rater")
    name, contact = ask.form.one("name").strip(), ask.form.one("contact").strip()
    try:
        if len(name) > 200 or len(contact) > 200:
            message = "expected at most 200 characters for name and contact"
            raise UsageError(message)
        add_rater(ask.store, code, at=ask.at, role=role, name=name, contact=contact)
    except UsageError as error:
        return _show(ask, status=422, problem=str(error))
    with ask.store.transaction() as connection:
        ask.store.log(connection, at=ask.at, actor=ask.who.rater, what="person", detail={"rater": code, "role": role})
    return ask.to("/coordinator/raters")


def draw_queues(ask: Ask) -> Response:
    """Draws every rater's queue as the protocol says; once."""
    try:
        assign_all(ask.store, draw=ask.desk.draw, at=ask.at)
    except UsageError as error:
        return _show(ask, status=422, problem=str(error))
    return ask.to("/coordinator/raters")


def link(ask: Ask) -> Response:
    """Makes a personal link and shows it once."""
    code = _known(ask)
    token = make_link(ask.store, code, draw=ask.desk.draw, at=ask.at, actor=ask.who.rater)
    base = ask.desk.settings.base_url
    return ask.page(
        "coordinator_link.html.j2", code=code, address=f"{base}/enter/{token}", whole=bool(base), days=LINK_DAYS
    )


def personal(ask: Ask) -> Response:
    """Everything kept about a person, as a file."""
    code = _known(ask)
    with ask.store.transaction() as connection:
        ask.store.log(connection, at=ask.at, actor=ask.who.rater, what="personal", detail={"rater": code})
    text = json.dumps(personal_data(ask.store, code), ensure_ascii=False, indent=1, allow_nan=False)
    headers = {"Content-Disposition": 'attachment; filename="personal-data.json"'}
    return Response(text + "\n", media_type="application/json", headers=headers)


def ask_to_forget(ask: Ask) -> Response:
    """Says what deletion means, and asks for the code."""
    return ask.page("coordinator_forget.html.j2", code=_known(ask), problem="", own=_own(ask))


def delete(ask: Ask) -> Response:
    """Deletes a person's data, if the code was typed as it is."""
    code = _known(ask)
    if _own(ask):
        problem = "Your own data can be deleted by another coordinator, or with equipoise study raters --forget."
        return ask.page("coordinator_forget.html.j2", status=422, code=code, problem=problem, own=True)
    if ask.form.one("confirm") != code:
        problem = "The code was not typed as it is. Nothing was deleted."
        return ask.page("coordinator_forget.html.j2", status=422, code=code, problem=problem, own=False)
    forget(ask.store, code, at=ask.at, actor=ask.who.rater)
    return ask.to("/coordinator/raters")


def _own(ask: Ask) -> bool:
    return ask.names["code"] == ask.who.rater


def _known(ask: Ask) -> str:
    code = ask.names["code"]
    if code not in {rater.code for rater in raters(ask.store)}:
        raise nothing_here()
    return code


def _show(ask: Ask, *, status: int = 200, problem: str = "") -> Response:
    rows = progress(ask.store)
    return ask.page(
        "coordinator_raters.html.j2",
        status=status,
        problem=problem,
        rows=rows,
        roles=ROLES,
        protocol=ask.store.protocol,
        drawn=any(row.given for row in rows),
        form={name: ask.form.one(name) for name in ("code", "role", "name", "contact")} if problem else {},
    )


ROUTES: tuple[Route, ...] = (
    Route("GET", "/coordinator/raters", show),
    Route("POST", "/coordinator/raters", add),
    Route("POST", "/coordinator/queues", draw_queues),
    Route("POST", "/coordinator/raters/{code}/link", link),
    Route("GET", "/coordinator/raters/{code}/personal", personal),
    Route("GET", "/coordinator/raters/{code}/forget", ask_to_forget),
    Route("POST", "/coordinator/raters/{code}/forget", delete),
)
