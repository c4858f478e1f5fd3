"""Disagreements: an adjudicator's own queue, or the page of a consensus meeting. Sides are A and B, never people."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import Response

from equipoise.errors import UsageError
from equipoise.study.adjudication import REASON_CODES, Side
from equipoise.study.desk.access import Who
from equipoise.study.desk.answers import nothing_here
from equipoise.study.desk.gate import Ask, Route
from equipoise.study.desk.text import Block, block
from equipoise.study.history import LONGEST_TEXT
from equipoise.study.meeting import MeetingPlace, decide_together, meeting_list, meeting_view, present
from equipoise.study.progress import progress
from equipoise.study.protocol import Protocol
from equipoise.study.thirds import (
    DecisionView,
    ThirdPlace,
    decide_third,
    hand_out,
    require_code,
    third_queue,
    third_view,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRows:
    """One side as the page shows it.

    Attributes:
        letter: "A", "B" and so on.
        label: answer to the primary question.
        rows: the other questions with what was answered, in the protocol's order, and the comment.
    """

    letter: str
    label: str
    rows: tuple[tuple[str, Block], ...]


def listed(ask: Ask) -> Response:
    """The adjudicator's queue, the list of the meeting, or what the coordinator hands out."""
    protocol = ask.store.protocol
    rows: tuple[ThirdPlace | MeetingPlace, ...] = ()
    problem = ""
    meeting = protocol.adjudication.rule != "none" and protocol.adjudication.by == "consensus"
    if ask.who.role is Who.ADJUDICATOR:
        rows = () if meeting else third_queue(ask.store, ask.who.rater)
    elif meeting:
        try:
            rows = meeting_list(ask.store)
        except UsageError as error:
            problem = error.message
    return _list(ask, rows=rows, problem=problem)


def hand(ask: Ask) -> Response:
    """Hands the disagreements to the adjudicators."""
    try:
        done = hand_out(ask.store, draw=ask.desk.draw, at=ask.at)
    except UsageError as error:
        return _list(ask, status=422, problem=error.message)
    return _list(ask, done=done)


def item(ask: Ask) -> Response:
    """One disagreement."""
    return _item(ask)


def decide(ask: Ask) -> Response:
    """Writes a decision down; in a meeting it is asked once more who agrees, when the decision stands."""
    public, form = ask.names["public"], ask.form
    value, code, reason = form.one("value"), form.one("code"), form.one("reason").strip()
    view = _view(ask)
    try:
        if ask.who.role is Who.ADJUDICATOR:
            decide_third(
                ask.store, ask.who.rater, public, value, code=code, reason=reason, at=ask.at, after=_after(ask)
            )
            following = next((row.public for row in third_queue(ask.store, ask.who.rater) if row.state == "open"), None)
            return ask.to("/decide" if following is None else f"/decide/{following}")
        if form.one("step") != "agreed":
            _complete(ask.store.protocol, value, code, reason)
            return ask.page(
                "decide_agreed.html.j2", view=view, value=value, code=code, reason=reason, after=_after(ask),
                codes=present(ask.store, public), meaning=_meaning(code), problem="",
            )  # fmt: skip
        decide_together(
            ask.store, public, value, code=code, reason=reason, agreed=form.all("agreed"), at=ask.at, after=_after(ask)
        )
    except UsageError as error:
        status = 409 if error.field == "after" else 422
        return _item(ask, status=status, problem=error.message, value=value, code=code, reason=reason)
    return ask.to("/decide")


def _complete(protocol: Protocol, value: str, code: str, reason: str) -> None:
    if value not in protocol.primary.values:
        message = "expected one of the labels"
        raise UsageError(message, field="value")
    require_code(code)
    if not reason or len(reason) > LONGEST_TEXT:
        message = f"expected the reason of the decision, in at most {LONGEST_TEXT} characters"
        raise UsageError(message, field="reason")


def _view(ask: Ask) -> DecisionView:
    """The item of the asker; whatever cannot be shown looks like an address without anything."""
    try:
        if ask.who.role is Who.ADJUDICATOR:
            return third_view(ask.store, ask.who.rater, ask.names["public"])
        return meeting_view(ask.store, ask.names["public"])
    except UsageError:
        raise nothing_here() from None


def _item(
    ask: Ask, *, status: int = 200, problem: str = "", value: str = "", code: str = "", reason: str = ""
) -> Response:
    view = _view(ask)
    protocol = ask.store.protocol
    markdown = protocol.items.kind == "reply"
    return ask.page(
        "decide_item.html.j2",
        status=status,
        problem=problem,
        view=view,
        fields=tuple((name, block(content, markdown=markdown)) for name, content in view.shown.items()),
        sides=tuple(_side(protocol, side) for side in view.sides),
        options=protocol.primary.options,
        question=protocol.primary.text,
        codes=REASON_CODES,
        meaning=_meaning,
        meeting=ask.who.role is Who.COORDINATOR,
        given={"value": value, "code": code, "reason": reason},
    )


def _side(protocol: Protocol, side: Side) -> SideRows:
    rows: list[tuple[str, Block]] = []
    for question in protocol.questions:
        if question.id == protocol.primary.id or question.id not in side.answers:
            continue
        answer = side.answers[question.id]
        told = ", ".join(answer) if isinstance(answer, list | tuple) else str(answer)
        if question.kind != "text":
            told = told.replace("_", " ")
        rows.append((question.text, block(told or "none", markdown=False)))
    if side.comment:
        rows.append(("Comment", block(side.comment, markdown=False)))
    return SideRows(letter=side.letter, label=side.label, rows=tuple(rows))


def _list(ask: Ask, *, status: int = 200, rows: object = (), problem: str = "", done: object = None) -> Response:
    people = [row for row in progress(ask.store) if row.role == "adjudicator" and not row.forgotten]
    deciding = ask.who.role is Who.COORDINATOR and ask.store.protocol.adjudication.by == "third-rater"
    return ask.page(
        "decide.html.j2",
        status=status,
        rows=rows,
        problem=problem,
        done=done,
        rule=ask.store.protocol.adjudication,
        coordinator=ask.who.role is Who.COORDINATOR,
        people=[
            (row.code, row.thirds, sum(place.state == "decided" for place in third_queue(ask.store, row.code)))
            for row in people
        ]
        if deciding
        else [],
    )


def _meaning(code: str) -> str:
    return next((known.text for known in REASON_CODES if known.id == code), "")


def _after(ask: Ask) -> int:
    given = ask.form.one("after", "0")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0


ROUTES: tuple[Route, ...] = (
    Route("GET", "/decide", listed),
    Route("POST", "/decide", hand),
    Route("GET", "/decide/{public}", item),
    Route("POST", "/decide/{public}", decide),
)
