"""Pages as one self-contained HTML file: no script, nothing loaded, no clock; the same input gives the same bytes."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from equipoise.report.board_contexts import BoardPage
from equipoise.report.cohort_contexts import CohortPage
from equipoise.report.contexts import BenchmarkPage, VerdictPage
from equipoise.report.evaluation_contexts import EvaluationPage
from equipoise.report.inert import inert
from equipoise.report.pack_contexts import PackPage
from equipoise.report.redteam_contexts import RedteamPage
from equipoise.report.refusal_contexts import RefusalPage
from equipoise.report.result_contexts import ComparisonPage, GatePage, ReproductionPage
from equipoise.report.study_contexts import StudyPage
from equipoise.report.verdicts import MOST_BLOCKS, verdict_page

TEMPLATES = Path(__file__).parent / "templates"
"""Folder of the templates and of the one style sheet."""

MOST_BYTES = 3_000_000
"""A page stays under this size; verdicts are shown in full only as far as that holds."""


def render_verdicts(
    verdicts: Sequence[Mapping[str, Any]],
    *,
    notes: Mapping[str, str] | None = None,
    title: str = "",
    paper: str = "A4",
) -> str:
    """The report of an audit.

    Args:
        verdicts: `Verdict.to_dict()` each, in the order they are shown; an object with `error` stands for an input
            that could not be read.
        notes: text of the note by case id. With notes the report says on every page that it contains patient data;
            without them it is the twin that can be passed on.
        title: heading; empty gives one from the content.
        paper: page size for print, "A4" or "letter".

    Raises:
        UsageError: another paper.
    """
    most = MOST_BLOCKS
    while True:
        html = render_page(verdict_page(verdicts, notes=notes, title=title, most=most, paper=paper))
        if len(html.encode()) < MOST_BYTES or not most:
            return html
        most //= 2


def render_benchmark(page: BenchmarkPage) -> str:
    """The report of a benchmark run.

    Args:
        page: made by `equipoise.report.benchmark.benchmark_page`.
    """
    return render_page(page)


Page = (
    VerdictPage
    | BenchmarkPage
    | ReproductionPage
    | ComparisonPage
    | GatePage
    | EvaluationPage
    | PackPage
    | RefusalPage
    | RedteamPage
    | CohortPage
    | StudyPage
    | BoardPage
)
"""Everything that has a template."""

TEMPLATE_OF: Mapping[type, str] = {
    VerdictPage: "verdicts.html.j2",
    BenchmarkPage: "benchmark.html.j2",
    ReproductionPage: "reproduction.html.j2",
    ComparisonPage: "comparison.html.j2",
    GatePage: "gate.html.j2",
    EvaluationPage: "evaluation.html.j2",
    PackPage: "pack.html.j2",
    RefusalPage: "refusal.html.j2",
    RedteamPage: "redteam.html.j2",
    CohortPage: "cohort.html.j2",
    StudyPage: "study.html.j2",
    BoardPage: "board.html.j2",
}
"""Template of every page."""


def render_page(page: Page) -> str:
    """A page through its template, which sees the fields of the page and the style sheet, and nothing else."""
    name = TEMPLATE_OF[type(page)]
    context = {item.name: getattr(page, item.name) for item in fields(page)}
    return environment().get_template(name).render(css=_css(), **context)


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
    )
    engine.filters["safe_html"] = Markup
    return engine


def _finalize(value: Any) -> Any:
    return inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@functools.cache
def _css() -> Markup:
    return Markup((TEMPLATES / "report.css").read_text(encoding="utf-8"))
