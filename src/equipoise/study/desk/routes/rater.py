"""What a rater does: the next item, one item, answers, skip, undo, reopening, the end, the own history, the guide."""

from __future__ import annotations

from starlette.responses import Response

from equipoise.errors import UsageError
from equipoise.study.desk.answers import nothing_here
from equipoise.study.desk.gate import Ask, Route
from equipoise.study.desk.itempage import ItemPage, given_answers, item_page, press_of, seconds_of
from equipoise.study.history import EventKind, Standing, State
from equipoise.study.queues import changed, last_changed, lock_all, press_number, progress
from equipoise.study.view import next_public, rater_view

PER_PAGE = 50
"""Items of one page of the history."""


def desk(ask: Ask) -> Response:
    """To the next open item, or the page that says there is none."""
    public = next_public(ask.store, ask.who.rater)
    if public is not None:
        return ask.to(f"/desk/items/{public}")
    return ask.page("done.html.j2", found=progress(ask.store, ask.who.rater), asking=False, press=ask.desk.draw(12))


def guide(ask: Ask) -> Response:
    """What the protocol tells raters, the labels with their definitions, and the keys."""
    return ask.page("guide.html.j2", protocol=ask.store.protocol)


def history(ask: Ask) -> Response:
    """The rater's own items."""
    number = ask.query.get("page", "1")
    page = int(number) if number.isdigit() and 1 <= int(number) <= 10_000 else 1
    found = changed(ask.store, ask.who.rater, offset=(page - 1) * PER_PAGE, most=PER_PAGE + 1)
    last = last_changed(ask.store, ask.who.rater, most=10)
    return ask.page("history.html.j2", rows=found[:PER_PAGE], more=len(found) > PER_PAGE, number=page, last=last)


def item(ask: Ask) -> Response:
    """One item."""
    return _item(ask)


def answer(ask: Ask) -> Response:
    """Keep the answers as they stand in the form."""
    public = ask.names["public"]
    _known(ask, public)
    answers = given_answers(ask.store.protocol, ask.form)
    comment = ask.form.one("comment")
    press = press_of(ask.form, ask.desk.draw)
    try:
        state = ask.store.record(
            ask.who.rater, public, EventKind.ANSWER, press=press, at=ask.at, answers=answers, comment=comment,
            seconds=seconds_of(ask.form), after=_after(ask),
        )  # fmt: skip
    except UsageError as error:
        return _refused(ask, error, answers=answers, comment=comment)
    if ask.fragment:
        return _kept(ask, state, press)
    stay = ask.form.one("go") == "stay" or state.standing(ask.store.protocol) is not Standing.COMPLETE
    if stay or rater_view(ask.store, ask.who.rater, public).practice:
        return ask.to(f"/desk/items/{public}")
    return ask.to("/desk")


def skip(ask: Ask) -> Response:
    """Leave an item out, with a reason."""
    return _event(ask, EventKind.SKIP, onwards=True)


def undo(ask: Ask) -> Response:
    """Take the last answer or skip of an item back."""
    return _event(ask, EventKind.UNDO)


def reopen(ask: Ask) -> Response:
    """Make a final item editable again, with a reason."""
    return _event(ask, EventKind.REOPEN)


def lock(ask: Ask) -> Response:
    """Finish: asks once, then makes every finished item final."""
    found = progress(ask.store, ask.who.rater)
    if not found.ended:
        message = "there are open items; finish them or skip them with a reason first"
        raise UsageError(message)
    press = press_of(ask.form, ask.desk.draw)
    if ask.form.one("sure") != "yes":
        return ask.page("done.html.j2", found=found, asking=True, press=press)
    lock_all(ask.store, ask.who.rater, press=press, at=ask.at)
    return ask.to("/desk")


def _event(ask: Ask, kind: EventKind, *, onwards: bool = False) -> Response:
    public = ask.names["public"]
    _known(ask, public)
    press = press_of(ask.form, ask.desk.draw)
    try:
        state = ask.store.record(
            ask.who.rater, public, kind, press=press, at=ask.at, reason=ask.form.one("reason").strip(),
            seconds=seconds_of(ask.form), after=_after(ask),
        )  # fmt: skip
    except UsageError as error:
        return _refused(ask, error)
    if ask.fragment:
        return _kept(ask, state, press)
    return ask.to("/desk" if onwards else f"/desk/items/{public}")


def _known(ask: Ask, public: str) -> None:
    """Refuses an item that is not in the queue of the rater exactly like one that does not exist."""
    try:
        rater_view(ask.store, ask.who.rater, public)
    except UsageError:
        raise nothing_here() from None


def _after(ask: Ask) -> int | None:
    """Number of the last event that the page knew; a page that says nothing is compared with an item nobody touched."""
    given = ask.form.one("after", "0")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0


def _kept(ask: Ask, state: State, press: str) -> Response:
    """The part of the page that says what was saved and what may be done next."""
    public = ask.names["public"]
    mine = press_number(ask.store, ask.who.rater, public, press)
    page = item_page(ask.store, ask.who, public)
    return ask.page("kept.html.j2", page=page, mine=state.number if mine is None else mine, time=ask.now)


def _refused(ask: Ask, error: UsageError, *, answers: dict[str, object] | None = None, comment: str = "") -> Response:
    """What holds now, with the unsaved answers still in the form."""
    status = 409 if error.field == "after" or "locked" in error.message else 422
    return _item(ask, status=status, problem=error.message, answers=answers, comment=comment)


def _item(
    ask: Ask,
    *,
    status: int = 200,
    problem: str = "",
    answers: dict[str, object] | None = None,
    comment: str = "",
) -> Response:
    try:
        page: ItemPage = item_page(
            ask.store, ask.who, ask.names["public"], problem=problem, answers=answers, comment=comment
        )
    except UsageError:
        raise nothing_here() from None
    template = "conflict.html.j2" if ask.fragment and status != 200 else "item.html.j2"
    made = ask.page(template, status=status, page=page, press=ask.desk.draw(12))
    if status != 200:  # the address bar keeps the item, not the form's address
        made.headers["HX-Push-Url"] = f"/desk/items/{page.public}"
    return made


ROUTES: tuple[Route, ...] = (
    Route("GET", "/desk", desk),
    Route("GET", "/desk/guide", guide),
    Route("GET", "/desk/history", history),
    Route("GET", "/desk/items/{public}", item),
    Route("POST", "/desk/items/{public}/answer", answer),
    Route("POST", "/desk/items/{public}/skip", skip),
    Route("POST", "/desk/items/{public}/undo", undo),
    Route("POST", "/desk/items/{public}/reopen", reopen),
    Route("POST", "/desk/lock", lock),
)
