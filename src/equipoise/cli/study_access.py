"""How people get into a study from the command line: personal links, printed once, and passwords, never on the command line."""

from __future__ import annotations

import getpass
import secrets
import sys
from typing import TYPE_CHECKING

import typer

from equipoise.cli.common import say, visible
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.study.store import Store


def print_links(store: Store, codes: list[str], *, days: int, base_url: str, at: str) -> None:
    """A new personal link for each code on standard output, one a line; what to know about them on standard error."""
    from equipoise.study.raters import make_link, raters

    known = {rater.code for rater in raters(store) if not rater.forgotten}
    unknown = [code for code in codes if code not in known]
    if unknown:  # before the first link is made, since making one ends another
        message = f"there is no rater {unknown[0]!r}, or the data were deleted"
        raise UsageError(message, field="--link")
    for code in codes:
        token = make_link(store, code, draw=secrets.token_urlsafe, at=at, days=days)
        typer.echo(visible(f"{base_url.rstrip('/')}/enter/{token}"))
        say(f"Link of {code}: shown once, good for {days} days; earlier links of {code} have ended.")
    if not base_url:
        say("Put the address of the desk before it, or give it with --base-url.")


def give_password(store: Store, code: str, *, at: str) -> None:
    """Sets a password that is typed twice on the terminal, or is the first line of standard input.

    Raises:
        UsageError: the two differ, none was given, it is too short or too long, or there is no such person.
    """
    from equipoise.study.raters import set_password

    set_password(store, code, _asked(code), salt=secrets.token_bytes(16), at=at)
    say(f"Password of {code} is set; earlier sessions have ended.")


def _asked(code: str) -> str:
    if not sys.stdin.isatty():
        given = sys.stdin.readline().rstrip("\r\n")
        if not given:
            message = "expected the password on the first line of standard input"
            raise UsageError(message, field="--password")
        return given
    first = getpass.getpass(visible(f"New password of {code}: "))
    if getpass.getpass("Once more: ") != first:
        message = "the two passwords differ; nothing was changed"
        raise UsageError(message, field="--password")
    return first
