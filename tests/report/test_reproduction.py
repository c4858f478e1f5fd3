"""The page of a reproduced study: the finding first, figures beside the published ones, everything escaped."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import re
from pathlib import Path

import pytest
from jinja2 import meta

from equipoise.report import result_contexts
from equipoise.report.lint import Node, lint, parse
from equipoise.report.measured import difference_text, figure_text, points_text, rate_text
from equipoise.report.plots._svg import Cell
from equipoise.report.plots.estimates import MOST_ROWS, Dot, axis, estimates
from equipoise.report.render import TEMPLATES, environment, render_page
from equipoise.report.reproduction import drawable, reproduction_page, sentence, shortened
from equipoise.report.result_contexts import ComparisonPage, GatePage, ReproductionPage
from equipoise.statistics import wilson
from equipoise.statistics.estimate import Estimate
from equipoise.studies import STUDIES, Reproduction, reproduce
from equipoise.studies.base import figure, run_study
from study_examples import HOSTILE, STUDY, save_study

CONTEXTS = [
    item
    for _, item in inspect.getmembers(result_contexts, dataclasses.is_dataclass)
    if item.__module__ == result_contexts.__name__
]


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.__name__)
def test_every_field_of_a_context_is_documented_and_read(context: type) -> None:
    names = [field.name for field in dataclasses.fields(context)]
    assert re.findall(r"^ {8}(\w+): ", context.__doc__ or "", re.MULTILINE) == names
    text = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.glob("*.j2"))
    assert {name for name in names if not re.search(rf"\b{name}\b", text)} == set()


@pytest.fixture
def tiny(tmp_path: Path) -> Reproduction:
    return run_study(STUDY, save_study(tmp_path), seed=42)


@pytest.mark.parametrize(
    ("template", "page"),
    [
        ("reproduction.html.j2", ReproductionPage),
        ("comparison.html.j2", ComparisonPage),
        ("gate.html.j2", GatePage),
    ],
)
def test_a_template_reads_its_context_and_uses_all_of_it(template: str, page: type) -> None:
    engine = environment()
    read: set[str] = set()
    macros: set[str] = {"css"}
    for name in (template, "base.html.j2", "macros.html.j2"):
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        macros |= set(re.findall(r"macro (\w+)\(", text))
        read |= meta.find_undeclared_variables(engine.parse(text))
    fields = {field.name for field in dataclasses.fields(page)}
    assert not macros & fields
    assert read - macros <= fields
    assert fields <= read


def test_the_page_keeps_the_conventions(tiny: Reproduction) -> None:
    html = render_page(reproduction_page(tiny))
    assert lint(html) == []
    assert html == render_page(reproduction_page(copy.deepcopy(tiny)))


def test_the_computed_sentence_comes_first(tiny: Reproduction) -> None:
    root = parse(render_page(reproduction_page(tiny)))
    answer = next(node for node in root.walk() if node.attributes.get("id") == "answer")
    first = next(node for node in answer.walk() if node.tag == "p")
    assert first.text() == sentence(tiny)
    assert "90.59: above 7 of 9 published ones" in answer.text()
    assert "one warning for all" in answer.text()


def test_hostile_words_come_out_inert(tiny: Reproduction) -> None:
    html = render_page(reproduction_page(tiny))
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;⟨U+202E⟩" in html
    assert HOSTILE not in html
    assert "{{ 7*7 }}" in html


def test_every_figure_stands_in_a_table_and_p_values_and_counts_are_not_drawn(tiny: Reproduction) -> None:
    root = parse(render_page(reproduction_page(tiny)))
    figures = root.all("figure")
    assert sum(len(body.all("tr")) for node in figures for body in node.all("tbody")) == len(tiny.rows)
    drawn = {node.attributes["id"] for node in figures if node.all("svg")}
    assert len(figures) == 4
    assert len(drawn) == 2  # shares, gaps; a p value alone and a score without a published one say nothing on an axis
    assert not drawable(tiny.row("test.p.exact"))
    assert not drawable(tiny.row("gap.none"))
    assert drawable(tiny.row("rate.first"))


def test_published_figures_are_diamonds_and_ours_dots(tiny: Reproduction) -> None:
    root = parse(render_page(reproduction_page(tiny)))
    shares = next(node for node in root.all("figure") if node.all("svg"))
    marks = [node for node in shares.walk() if "marker" in node.classes()]
    assert [node.tag for node in marks].count("polygon") == 3
    assert [node.tag for node in marks].count("circle") == 3
    assert all("open" in node.classes() for node in marks if node.tag == "polygon")
    assert "few" in " ".join(node.attributes.get("class", "") for node in shares.all("line"))
    head = [cell.text() for cell in shares.all("thead")[0].all("th")]
    assert {"published", "ours", "low", "high", "difference", "n used", "left out"} <= set(head)


def test_the_sentence_says_what_can_be_checked(tiny: Reproduction) -> None:
    def of(*rows: object) -> str:
        return sentence(dataclasses.replace(tiny, rows=tuple(rows)))  # type: ignore[arg-type]

    yes, no = figure("a", "a", 0.1, published=0.1), figure("b", "b", 0.1, published=0.2)
    partly, own = figure("c", "c", 0.1, published=0.2, partly=True), figure("d", "d", 0.1)
    assert of(yes, yes) == "2 of 2 published figures follow from the released rows."
    assert of(yes) == "1 of 1 published figure follows from the released rows."
    assert of(yes, no, own) == (
        "1 of 2 published figures follows from the released rows; 1 does not. 1 further figure of ours was not published."
    )
    assert of(partly) == (
        "1 published figure rests on rows of which only a part is public, and cannot be checked in full."
    )
    assert of(own, own) == "None of the 2 figures has a published one to be checked against."


def test_over_refusal_alone_is_said(tiny: Reproduction) -> None:
    row = figure("over_refusal.a", "over-refusal of a system", wilson(3, 60), published=0.05)
    alone = dataclasses.replace(tiny, rows=(row,))
    html = render_page(reproduction_page(alone))
    assert "alone, neither half is a result" in html
    assert lint(html) == []
    both = dataclasses.replace(tiny, rows=(row, figure("false_approval.a", "false approval", wilson(1, 60))))
    assert "alone, neither half is a result" not in render_page(reproduction_page(both))


def test_many_rows_are_split_over_drawings(tiny: Reproduction) -> None:
    rows = tuple(figure(f"rate.{n}", f"share of system {n} here", wilson(n, 100), published=0.5) for n in range(70))
    root = parse(render_page(reproduction_page(dataclasses.replace(tiny, rows=rows))))
    sizes = [len(node.all("tbody")[0].all("tr")) for node in root.all("figure")]
    assert sizes == [24, 24, 22]
    assert lint(render_page(reproduction_page(dataclasses.replace(tiny, rows=rows)))) == []


def test_a_remark_that_holds_for_all_figures_stands_once(tiny: Reproduction) -> None:
    rows = tuple(figure(f"rate.{n}", f"share of system {n} here", wilson(n, 100), adds="so it is") for n in range(3))
    page = reproduction_page(dataclasses.replace(tiny, rows=rows))
    assert [remark.name for remark in page.groups[0].remarks] == ["all 3 figures"]
    other = figure("rate.x", "share of system x here", wilson(4, 100), adds="not so")
    page = reproduction_page(dataclasses.replace(tiny, rows=(*rows, other)))
    assert [remark.name for remark in page.groups[0].remarks] == ["0; 1; 2", "share of system x here"]


def test_a_margin_is_a_grey_band(tiny: Reproduction) -> None:
    value = Estimate(estimate=0.01, low=-0.02, high=0.04, method="m", n_used=100)
    row = figure("shift.a", "one less the other", value, published=0.0, details={"margin": 0.05})
    html = render_page(reproduction_page(dataclasses.replace(tiny, rows=(row,))))
    assert 'class="margin-band"' in html
    assert "Grey band: the margin." in html
    assert lint(html) == []


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["share of A here", "share of B here"], ["A", "B"]),
        (["share of A", "share of A too"], ["share of A", "share of A too"]),
        (["one"], ["one"]),
        (["same", "same"], ["same", "same"]),
        (["rate, lay", "rate, expert"], ["lay", "expert"]),
        ([], []),
    ],
)
def test_what_all_names_share_is_not_repeated_beside_every_row(names: list[str], short: list[str]) -> None:
    assert shortened(names) == short


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "not defined"), (0.0, "0"), (90.5868, "90.59"), (149.0279, "149.03"), (0.912, "0.9120"), (2.8e-34, "2.8e-34"),
     (0.00033, "0.0003"), (-0.25, "-0.2500"), (10.0, "10"), (500.0, "500")],
)  # fmt: skip
def test_figures_as_text(value: float | None, text: str) -> None:
    assert figure_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0.0, "0"), (-2.8e-17, "0"), (-0.0833, "-0.0833"), (2.0, "+2.0000"), (-1.9e-5, "-1.9e-05")],
)
def test_differences_as_text(value: float | None, text: str) -> None:
    assert difference_text(value) == text


def test_rates_as_text() -> None:
    assert rate_text(wilson(18, 441)) == "4.1 % (2.6 to 6.4), 18 of 441"
    assert rate_text(wilson(2, 7)) == "2 of 7"
    assert rate_text(wilson(3, 12)) == "25 % (9 to 53), 3 of 12 (few)"
    assert rate_text(wilson(5, 10, n_left_out=2, why_left_out="empty")).endswith("5 of 10 (few); 2 left out")
    assert rate_text(wilson(0, 0)).startswith("not defined: ")
    # The bound at no event is the estimate's own: wider when replies come in clusters.
    clustered = Estimate(estimate=0.0, low=0.0, high=0.079, method="m", n_used=235)
    assert rate_text(clustered) == "0 of 235; up to 7.9 %"
    full = Estimate(estimate=1.0, low=0.921, high=1.0, method="m", n_used=235)
    assert rate_text(full) == "235 of 235; at least 92.1 %"


def test_points_as_text() -> None:
    value = Estimate(estimate=-0.031, low=-0.05, high=0.0, method="m", n_used=300)
    assert points_text(value) == "-3.1 points (-5.0 to 0.0)"
    few = Estimate(estimate=0.5, low=0.1, high=0.9, method="m", n_used=4)
    assert points_text(few) == "n below 10"
    none = Estimate(estimate=None, low=None, high=None, method="undefined: one cluster", n_used=4)
    assert points_text(none) == "not defined: one cluster"


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (73.8, 92.4, [70.0, 75.0, 80.0, 85.0, 90.0, 95.0]),
        (-0.3, 0.42, [-0.4, -0.2, 0.0, 0.2, 0.4, 0.6]),
        (0.0, 0.0, [0.0, 0.2]),
        (-26.9, 56.6, [-40.0, -20.0, 0.0, 20.0, 40.0, 60.0]),
    ],
)
def test_an_axis_has_round_marks_around_its_numbers(low: float, high: float, marks: list[float]) -> None:
    assert axis(low, high) == pytest.approx(marks)


def test_a_drawing_refuses_no_rows_and_too_many() -> None:
    for number in (0, MOST_ROWS + 1):
        with pytest.raises(ValueError, match="has 1 to 32 rows"):
            estimates("k", "t", [Dot(name="a", estimate=0.5)] * number, ("a",), [[Cell("a")]], what="Dots.")


def _svg(root: Node) -> Node:
    return root.all("svg")[0]


def test_a_constant_row_has_an_axis_too() -> None:
    figure_ = estimates(
        "k", "t", [Dot(name="a", estimate=0.0, words=("0",))], ("a", "v"), [[Cell("a"), Cell("0")]], what="D."
    )
    assert "nan" not in figure_.svg
    assert _svg(parse(figure_.html())).attributes["role"] == "img"


@pytest.mark.data
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.id)
def test_every_study_keeps_the_conventions(data_dir: Path, study: object) -> None:
    result = reproduce(study.id, data_dir)  # type: ignore[attr-defined]
    html = render_page(reproduction_page(result))
    assert lint(html) == []
    assert sum(len(node.all("tbody")[0].all("tr")) for node in parse(html).all("figure")) == len(result.rows)
