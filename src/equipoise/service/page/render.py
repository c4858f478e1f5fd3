"""The page as HTML: the form of this service around the verdicts of the report, with one style sheet and no script."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader
from markupsafe import Markup, escape

from equipoise.cases.formats.record.model import REASON_TEXT, Reason
from equipoise.report.render import TEMPLATES, environment
from equipoise.report.verdicts import verdict_page
from equipoise.report.wording import NOT_A_DEVICE, STANDING_LINE
from equipoise.service.access.session import HOURS
from equipoise.service.page.context import AskPage, RecordRow

OWN = Path(__file__).parent / "templates"

POLICY = (
    "default-src 'none'; script-src 'none'; img-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""Content-Security-Policy of the page."""

MOST_VERDICTS = 40
_MOST_REASONS = 8


@functools.cache
def _environment() -> Environment:
    engine: Environment = environment().overlay(
        loader=ChoiceLoader([FileSystemLoader(OWN), FileSystemLoader(TEMPLATES)])
    )
    return engine


def load_templates() -> None:
    """Compile every template, which takes longer than to fill one."""
    for name in ("ask.html.j2", "verdict.html.j2", "sign_in.html.j2"):
        _environment().get_template(name)


@functools.cache
def style_sheet() -> bytes:
    """The style sheet: that of the reports, and what forms need."""
    return (TEMPLATES / "report.css").read_bytes() + (OWN / "service.css").read_bytes()


def in_text_area(text: str) -> Markup:
    """Text for a text area: escaped, and otherwise as it was sent, since it is sent again."""
    return escape(text)


def render_ask(page: AskPage) -> str:
    """The page before a verdict, or with the reason why there is none."""
    title = "Audit a case or a note"
    return _environment().get_template("ask.html.j2").render(page=page, title=title, css="", report_id="")


def render_verdict(page: AskPage, verdicts: Sequence[Mapping[str, Any]], notes: Mapping[str, str]) -> str:
    """The page with verdicts.

    Args:
        page: the form.
        verdicts: in their JSON form; an object with `error` for a case that could not be read.
        notes: text of the note by case id.
    """
    found = verdict_page(verdicts, notes=notes, most=MOST_VERDICTS)
    context = {item.name: getattr(found, item.name) for item in fields(found)}
    return _environment().get_template("verdict.html.j2").render(page=page, css="", **context)


def render_sign_in(*, refused: bool) -> str:
    """The page where a browser shows its key."""
    context = {
        "title": "Sign in",
        "css": "",
        "report_id": "",
        "refused": refused,
        "hours": HOURS,
        "standing": STANDING_LINE,
        "device": NOT_A_DEVICE,
    }
    return _environment().get_template("sign_in.html.j2").render(**context)


def record_row(case_id: str, record: Mapping[str, Any]) -> RecordRow:
    """What the page says of a record.

    Args:
        case_id: its id.
        record: `Record.to_dict()`.
    """
    reasons = Counter(str(one["reason"]) for one in record["ignored"])
    places = {str(one["reason"]): str(one["place"]) for one in reversed(record["ignored"])}
    lines = [
        f"{count} {reason}: {REASON_TEXT[Reason(reason)]} ({'such as ' if count > 1 else ''}{places[reason]})"
        for reason, count in reasons.most_common(_MOST_REASONS)
    ]
    rest = sum(reasons.values()) - sum(count for _, count in reasons.most_common(_MOST_REASONS))
    if rest:
        lines.append(f"{rest} more for other reasons")
    return RecordRow(
        case_id=case_id,
        found=len(record["found"]),
        ignored=tuple(lines),
        missed=tuple(record["missed_recommendations"]),
        nothing=str(record["nothing"]["text"]) if record["nothing"] else "",
    )
