"""How the page looks and which keys do what, for whoever is signed in."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from equipoise.errors import UsageError
from equipoise.study.desk.access import Who
from equipoise.study.desk.gate import Ask, Route
from equipoise.study.desk.preferences import (
    COMMANDS,
    SCHEMES,
    SIZES,
    Preferences,
    action_of,
    actions,
    own_keys,
    read_preferences,
)


def show(ask: Ask) -> Response:
    """The settings."""
    return _page(ask, read_preferences(ask.who.preferences, ask.store.protocol))


def keep(ask: Ask) -> Response:
    """Keep changed settings, or say what is wrong with them and keep nothing."""
    protocol = ask.store.protocol
    known = actions(protocol)
    given = {name: ask.form.one(f"key.{name}", key) for name, key in known.items()}
    if ask.form.one("reset") == "keys":
        given = dict(known)
    wanted: dict[str, Any] = {
        "keys": ask.form.one("keys") == "on",
        "size": ask.form.one("size", "normal"),
        "scheme": ask.form.one("scheme", "auto"),
        "onwards": ask.form.one("onwards") == "on",
        "clock": ask.form.one("clock") == "on",
    }
    try:
        own = own_keys(given, protocol)
    except UsageError as error:
        shown = read_preferences(wanted, protocol)
        return _page(ask, shown, given=given, problem=error.message, at=error.field or "", status=422)
    ask.desk.sessions.keep(ask.who.rater, read_preferences({**wanted, "own": own}, protocol).stored())
    return ask.to("/desk/settings?saved=1")


def _page(
    ask: Ask,
    wishes: Preferences,
    *,
    given: dict[str, str] | None = None,
    problem: str = "",
    at: str = "",
    status: int = 200,
) -> Response:
    protocol = ask.store.protocol
    keys = given or {**actions(protocol), **wishes.own}
    answers = [
        (action_of(question.id, option.value), question.text, option.value, keys[action_of(question.id, option.value)])
        for question in protocol.questions
        for option in question.options
    ]
    return ask.page(
        "settings.html.j2",
        status=status,
        shown=wishes,
        desk_keys=[(name, meaning, keys[name]) for name, _, meaning in COMMANDS],
        answers=answers,
        schemes=SCHEMES,
        sizes=SIZES,
        problem=problem,
        at=at,
        saved=ask.query.get("saved") == "1",
        labels=ask.who.role is Who.RATER,
    )


ROUTES: tuple[Route, ...] = (Route("GET", "/desk/settings", show), Route("POST", "/desk/settings", keep))
