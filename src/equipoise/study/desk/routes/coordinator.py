"""What the coordinator sees first: how far everybody is, what to do next, when agreement may be seen, the items."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from equipoise.errors import UsageError
from equipoise.report.render import render_page
from equipoise.report.study import study_page
from equipoise.study.adjudication import decisions
from equipoise.study.analysis import analyse
from equipoise.study.desk.answers import RefusedError
from equipoise.study.desk.gate import Ask, Route
from equipoise.study.desk.guard import REPORT_POLICY
from equipoise.study.exporting import study_run
from equipoise.study.itemlist import count_items, item_rows
from equipoise.study.progress import (
    DAYS,
    DayOfWork,
    RaterProgress,
    attention_checks,
    day_table,
    locked_by_all,
    pace,
    progress,
)
from equipoise.study.reveal import Reveal, note_look, reveal, unblind
from equipoise.study.store import Store

PER_PAGE = 50
"""Items of one page."""
_WIDTH, _HEIGHT = 640, 120
"""Units of the drawing of the days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayBar:
    """One day of the drawing and of the table under it.

    Attributes:
        day: ISO date.
        items: items worked on by all raters.
        minutes: minutes on them.
        x: left end of the bar, in units of the drawing.
        y: its upper end.
        height: its height.
        width: its width.
    """

    day: str
    items: int
    minutes: float
    x: float
    y: float
    height: float
    width: float


def overview(ask: Ask) -> Response:
    """How far the study is."""
    return _overview(ask)


def open_early(ask: Ask) -> Response:
    """Unblinds the study, for a reason that is logged."""
    try:
        unblind(ask.store, reason=ask.form.one("reason").strip(), at=ask.at, actor=ask.who.rater)
    except UsageError as error:
        return _overview(ask, status=422, problem=str(error))
    return ask.to("/coordinator")


def items(ask: Ask) -> Response:
    """The items with their standing."""
    given = ask.query.get("page", "1")
    number = int(given) if given.isascii() and given.isdigit() and 1 <= int(given) <= 100_000 else 1
    contains = ask.query.get("q", "")[:200]
    apart = ask.query.get("show", "") == "differ"
    rows, total = item_rows(ask.store, offset=(number - 1) * PER_PAGE, most=PER_PAGE, contains=contains, apart=apart)
    return ask.page(
        "coordinator_items.html.j2", rows=rows, total=total, number=number, contains=contains, apart=apart,
        more=number * PER_PAGE < total, first=(number - 1) * PER_PAGE,
    )  # fmt: skip


def report(ask: Ask) -> Response:
    """The agreement report, once the protocol allows it; an early look is logged each time."""
    state = reveal(ask.store)
    if not state.shown:
        raise RefusedError(409, f"Agreement is hidden: {state.why}.")
    note_look(ask.store, at=ask.at, actor=ask.who.rater)
    return Response(
        _report(ask.store, ask.at), media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY}
    )


_REPORTS: weakref.WeakKeyDictionary[Store, tuple[tuple[Any, ...], str]] = weakref.WeakKeyDictionary()


def _report(store: Store, at: str) -> str:
    """The report; made again only when a label, a decision or the protocol has changed."""
    run = study_run(store, at=at)
    key = (run.info.run_id, run.info.dataset_hash, store.protocol.hash, len(run.info.arguments["protocol_versions"]))
    kept = _REPORTS.get(store)
    if kept is None or kept[0] != key:
        kept = (key, render_page(study_page(analyse(run, store.protocol).to_dict())))
        _REPORTS[store] = kept
    return kept[1]


def _overview(ask: Ask, *, status: int = 200, problem: str = "") -> Response:
    rows = progress(ask.store)
    state = reveal(ask.store)
    today = ask.at[:10]
    worked = pace(ask.store, as_of=today)
    total = count_items(ask.store)
    return ask.page(
        "coordinator.html.j2",
        status=status,
        problem=problem,
        rows=[row for row in rows if row.role == "rater"],
        deciders=[row for row in rows if row.role == "adjudicator"],
        days=DAYS,
        recent=_recent(worked),
        bars=_bars(worked, today),
        checks=attention_checks(ask.store),
        protocol=ask.store.protocol,
        versions=ask.store.versions(),
        state=state,
        total=total,
        steps=_steps(ask, rows, state, total),
        drawing=(_WIDTH, _HEIGHT),
    )


def _recent(worked: Sequence[DayOfWork]) -> dict[str, tuple[int, float, int]]:
    """Items, minutes and days with work by rater."""
    found: dict[str, tuple[int, float, int]] = {}
    for day in worked:
        count, minutes, days = found.get(day.rater, (0, 0.0, 0))
        found[day.rater] = (count + day.items, minutes + day.minutes, days + 1)
    return found


def _bars(worked: Sequence[DayOfWork], today: str) -> tuple[DayBar, ...]:
    days = day_table(worked, as_of=today)
    most = max((count for _, count, _ in days), default=0) or 1
    step = _WIDTH / len(days)
    room = _HEIGHT - 20
    return tuple(
        DayBar(
            day=day, items=count, minutes=minutes, x=round(number * step + 4, 1), width=round(step - 8, 1),
            height=round(room * count / most, 1), y=round(20 + room - room * count / most, 1),
        )
        for number, (day, count, minutes) in enumerate(days)
    )  # fmt: skip


def _steps(ask: Ask, rows: Sequence[RaterProgress], state: Reveal, total: int) -> list[tuple[str, str, str]]:
    """What to do next: a sentence, the address where it is done, and what the link says."""
    protocol = ask.store.protocol
    people = [row for row in rows if row.role == "rater" and not row.forgotten]
    working = [row for row in people if row.given or row.imported]
    if not total:
        return [("There are no items yet.", "/coordinator/import", "Bring in items")]
    if len(people) < protocol.raters.planned:
        told = f"The protocol plans {protocol.raters.planned} raters; there are {len(people)}."
        return [(told, "/coordinator/raters", "Add raters")]
    if not working:
        return [("No queue was drawn yet.", "/coordinator/raters", "Draw the queues")]
    waiting = [row.code for row in people if not row.shut]
    if waiting and not state.unblinded:
        told = f"Labelling goes on: {', '.join(waiting)} {'has' if len(waiting) == 1 else 'have'} not finished."
        return [(told, "/coordinator/raters", "Raters and their links")]
    steps = []
    if protocol.adjudication.rule != "none" and (locked_by_all(rows) or state.unblinded):
        steps.append(
            (f"Disagreements can be decided; decided so far: {len(decisions(ask.store))}.", "/decide", "Decisions")
        )
    if state.shown:
        steps.append(("The agreement can be seen.", "/coordinator/report", "Report"))
    return steps or [("All raters have finished.", "/coordinator/export/labels.csv", "Labels as CSV")]


ROUTES: tuple[Route, ...] = (
    Route("GET", "/coordinator", overview),
    Route("GET", "/coordinator/items", items),
    Route("GET", "/coordinator/report", report),
    Route("POST", "/coordinator/unblind", open_early),
)
