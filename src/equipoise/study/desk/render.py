"""Pages of the desk: compiled templates, everything escaped, nothing from outside, the same shell for everybody."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from equipoise._inert import inert
from equipoise.study.desk.preferences import COMMANDS, Preferences, keys_of, read_preferences
from equipoise.study.desk.sessions import Session
from equipoise.study.store import Store

TEMPLATES = Path(__file__).parent / "pages" / "templates"
STATIC = Path(__file__).parent / "pages" / "static"

MEDIA: dict[str, str] = {
    "desk.css": "text/css",
    "coordinator.css": "text/css",
    "desk.svg": "image/svg+xml",
    "desk.js": "text/javascript",
    "queue.js": "text/javascript",
    "htmx.min.js": "text/javascript",
    "htmx.LICENSE.txt": "text/plain",
}
"""Files that pages load, and their kinds; nothing else is given out."""

HTMX_VERSION = "2.0.11"
HTMX_SHA256 = "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"
"""The vendored htmx (https://www.npmjs.com/package/htmx.org, Zero-Clause BSD), as the package of that version holds it."""


@functools.cache
def static(name: str) -> bytes | None:
    """A file that pages load; None when there is none of this name."""
    return (STATIC / name).read_bytes() if name in MEDIA else None


@functools.cache
def mark(name: str) -> str:
    """Short hash of a file, so that a browser that knows an older one asks again."""
    return hashlib.sha256(static(name) or b"").hexdigest()[:12]


def _finalize(value: Any) -> Any:
    return inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asis(text: Any) -> Markup:
    """Text that is sent back by a form: escaped, and otherwise as it is, since it must come back unchanged."""
    return escape(str(text))


@functools.cache
def environment() -> Environment:
    """The template engine: escapes everything, makes text inert before, refuses an unknown name."""
    engine = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    engine.filters["asis"] = _asis
    engine.globals["mark"] = mark
    return engine


class Pages:
    """Renders the pages of one study.

    Args:
        store: the study, for its title.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        for name in environment().list_templates():
            environment().get_template(name)

    def render(self, template: str, *, session: Session | None, **context: Any) -> str:
        """A page as HTML.

        Args:
            template: name of the template.
            session: who is signed in; decides the bar at the top, the colours and the size of the text.
            context: what the template needs.
        """
        protocol = self._store.protocol
        wishes = Preferences() if session is None else read_preferences(session.preferences, protocol)
        keys = keys_of(wishes, protocol)
        shell = {
            "session": session,
            "wishes": wishes,
            "study": protocol.title,
            "guide": protocol.instructions,
            "commands": {name: keys.get(name, "") for name, _, _ in COMMANDS},
            "command_rows": [(name, keys.get(name, ""), meaning) for name, _, meaning in COMMANDS],
        }
        return environment().get_template(template).render(**shell, **context)
