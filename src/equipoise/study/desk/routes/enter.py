"""Signing in by code and password or by a personal link, and signing out."""

from __future__ import annotations

from starlette.responses import Response

from equipoise.study.desk.access import Who
from equipoise.study.desk.answers import RefusedError
from equipoise.study.desk.gate import Ask, Route, inside
from equipoise.study.raters import check_password, rater_of_link

HOME: dict[Who, str] = {Who.RATER: "/desk", Who.ADJUDICATOR: "/decide", Who.COORDINATOR: "/coordinator"}
"""Where each role begins."""

_WRONG = "Code and password do not belong together."
_DEAD = "This link is not valid, or not any more. Ask the coordinator of the study for a new one."
_LONGEST_CODE = 80


def home(ask: Ask) -> Response:
    """To the page of the role, or to the sign-in."""
    return ask.to("/enter" if ask.session is None else HOME[ask.session.role])


def form(ask: Ask) -> Response:
    """The sign-in."""
    return _form(ask, to=ask.query.get("to", ""))


def enter(ask: Ask) -> Response:
    """Check code and password; the same work and the same answer for a code that does not exist."""
    code, password = ask.form.one("code").strip(), ask.form.one("password")
    now = ask.now.timestamp()
    keys = {"code": code[:_LONGEST_CODE], "address": ask.address}
    _may_try(ask, keys, now)
    salt = ask.desk.draw(16).encode()[:16].ljust(16, b"=")
    if not check_password(ask.store, code[:_LONGEST_CODE], password, salt=salt) or len(code) > _LONGEST_CODE:
        ask.desk.attempts.failed(keys, now)
        return _form(ask, to=ask.form.one("to"), problem=_WRONG, status=401)
    ask.desk.attempts.right("code", keys["code"])
    return _signed_in(ask, code, ask.form.one("to"))


def link(ask: Ask) -> Response:
    """The page of a personal link: one button. Mail programs look at links, so that looking does nothing."""
    return ask.page("link.html.j2", token=ask.names["token"])


def enter_by_link(ask: Ask) -> Response:
    """Sign in by a personal link."""
    now = ask.now.timestamp()
    _may_try(ask, {"address": ask.address}, now)
    code = rater_of_link(ask.store, ask.names["token"], at=ask.now.isoformat())
    if code is None:
        ask.desk.attempts.failed({"address": ask.address}, now)
        raise RefusedError(404, _DEAD)
    return _signed_in(ask, code, "")


def leave(ask: Ask) -> Response:
    """Sign out: the session ends on the server, not only in the browser."""
    if ask.token:
        ask.desk.sessions.close(ask.token)
    answer = ask.to("/enter")
    answer.delete_cookie(
        ask.desk.settings.cookie, path="/", secure=ask.desk.settings.secure, httponly=True, samesite="strict"
    )
    return answer


def _may_try(ask: Ask, keys: dict[str, str], now: float) -> None:
    wait = ask.desk.attempts.wait(keys, now)
    if wait:
        minutes = -(-wait // 60)
        message = f"Too many failed sign-ins. Try again in {minutes} minute{'' if minutes == 1 else 's'}."
        raise RefusedError(429, message, retry=wait)


def _form(ask: Ask, *, to: str, problem: str = "", status: int = 200) -> Response:
    return ask.page("enter.html.j2", status=status, to=to if inside(to) else "", problem=problem)


def _signed_in(ask: Ask, code: str, to: str) -> Response:
    """A new session, whatever session the browser had; the old one ends."""
    if ask.token:
        ask.desk.sessions.close(ask.token)
    token = ask.desk.sessions.open(code, ask.now)
    answer = ask.to(to if inside(to) else "/")
    answer.set_cookie(
        ask.desk.settings.cookie,
        token,
        max_age=ask.desk.settings.limits.session_hours * 3600,
        path="/",
        secure=ask.desk.settings.secure,
        httponly=True,
        samesite="strict",
    )
    return answer


ROUTES: tuple[Route, ...] = (
    Route("GET", "/", home),
    Route("GET", "/enter", form),
    Route("POST", "/enter", enter),
    Route("GET", "/enter/{token}", link),
    Route("POST", "/enter/{token}", enter_by_link),
    Route("POST", "/leave", leave),
)
