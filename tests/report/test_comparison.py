"""The pages of two runs compared and of a run held against a protocol."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from equipoise.outcomes import Comparison, GateResult, Protocol, compare, gate, parse_protocol, read_run
from equipoise.report.comparison import comparison_page, finding, sentence
from equipoise.report.gatepage import condition, gate_page
from equipoise.report.gatepage import sentence as gate_sentence
from equipoise.report.lint import lint, parse
from equipoise.report.render import render_page
from study_examples import HOSTILE, MARGIN_LINE, PROTOCOL, kinds, replies, save_run


def compared(folder: Path, first: list[Any], second: list[Any], **more: Any) -> Comparison:
    runs = [read_run(save_run(folder / name, name, replies(kinds_))) for name, kinds_ in (("a", first), ("b", second))]
    return compare(*runs, **more)


@pytest.fixture
def two(tmp_path: Path) -> Comparison:
    return compared(tmp_path, kinds(70, 10), kinds(50, 25, 5))


def held(
    folder: Path, answers: list[Any], *, text: str = PROTOCOL, base: list[Any] | None = None
) -> tuple[GateResult, Protocol]:
    import yaml

    protocol = parse_protocol(yaml.safe_load(text))
    baseline = None if base is None else read_run(save_run(folder / "base", "base", replies(base)))
    return gate(read_run(save_run(folder / "run", "run", replies(answers))), protocol, baseline=baseline), protocol


def test_the_page_keeps_the_conventions_and_begins_with_the_sentence(two: Comparison) -> None:
    html = render_page(comparison_page(two))
    assert lint(html) == []
    assert html == render_page(comparison_page(two))
    answer = next(node for node in parse(html).walk() if node.attributes.get("id") == "answer")
    first = next(node for node in answer.walk() if node.tag == "p")
    assert first.text() == sentence(two)
    assert first.text().startswith("A has higher accuracy than B (difference +17 points")
    assert "5 left out" in html
    assert "75 to 79 %, 5 of 120 not read" in html


def test_the_three_forms_of_a_finding(two: Comparison) -> None:
    rate = two.rates[0]
    same = dataclasses.replace(rate, p_adjusted=0.2)
    assert finding(rate) == "more in A"
    assert finding(same) == "cannot be separated"
    turned = dataclasses.replace(
        rate, difference=dataclasses.replace(rate.difference, estimate=-0.2, low=-0.3, high=-0.1)
    )
    assert finding(turned) == "fewer in A"
    near = dataclasses.replace(
        rate, p_adjusted=0.5, difference=dataclasses.replace(rate.difference, estimate=0.0, low=-0.02, high=0.03)
    )
    assert finding(near) == "cannot be separated"
    assert finding(near, margin=0.05) == "equivalent within the margin"
    assert finding(near, margin=0.03) == "cannot be separated"
    assert finding(dataclasses.replace(rate, p_adjusted=None)) == "not defined"
    few = dataclasses.replace(rate, difference=dataclasses.replace(rate.difference, n_used=9))
    assert finding(few) == "cannot be separated"


def test_differences_stand_around_zero_with_the_margin_as_a_band(two: Comparison) -> None:
    without = render_page(comparison_page(two))
    with_margin = render_page(comparison_page(two, margin=0.05))
    assert 'class="margin-band"' not in without
    assert 'class="margin-band"' in with_margin
    assert "the margin of 5 points fixed beforehand" in with_margin
    assert lint(with_margin) == []
    figure = next(node for node in parse(without).all("figure") if node.attributes["id"] == "differences")
    assert sum("reference" in node.classes() for node in figure.all("line")) == 1
    heads = [cell.text() for cell in figure.all("thead")[0].all("th")]
    assert {"A only", "B only", "pairs used", "left out", "adjusted p"} <= set(heads)


def test_unread_replies_are_drawn_as_a_thin_line(two: Comparison) -> None:
    root = parse(render_page(comparison_page(two)))
    figure = next(node for node in root.all("figure") if node.attributes["id"] == "both")
    assert any("leader" in node.classes() for node in figure.all("line"))


def test_hostile_names_come_out_inert(tmp_path: Path) -> None:
    rows = replies(kinds(30, 10), system=HOSTILE, stratum=HOSTILE)
    rows[0]["stratum"] = "other"
    runs = [read_run(save_run(tmp_path / name, f"{name}{HOSTILE}", rows, systems=(HOSTILE,))) for name in ("a", "b")]
    html = render_page(comparison_page(compare(*runs)))
    assert "<script" not in html
    assert lint(html) == []


def test_one_cluster_has_no_difference_and_says_why(tmp_path: Path) -> None:
    runs = [read_run(save_run(tmp_path / name, name, replies(kinds(30, 10), item_family="f"))) for name in ("a", "b")]
    result = compare(*runs, cluster="item_family")
    html = render_page(comparison_page(result))
    assert "no difference is defined for accuracy" in sentence(result)
    assert "one cluster" in html
    assert lint(html) == []


def test_runs_without_a_common_measure_say_so(two: Comparison) -> None:
    empty = dataclasses.replace(two, rates=(), by_stratum=())
    html = render_page(comparison_page(empty))
    assert "No measure can be compared" in html
    assert lint(html) == []


def test_allowed_differences_are_shown(two: Comparison) -> None:
    html = render_page(
        comparison_page(dataclasses.replace(two, unlike=("the dataset differs",), differs=("the policy differs",)))
    )
    assert "allowed although unlike: the dataset differs" in html
    assert "what may be compared here: the policy differs" in html


def test_a_gate_page_decides_in_words_first(tmp_path: Path) -> None:
    result, protocol = held(tmp_path, kinds(10, 70))
    html = render_page(gate_page(result, protocol))
    assert lint(html) == []
    root = parse(html)
    answer = next(node for node in root.walk() if node.attributes.get("id") == "answer")
    assert next(node for node in answer.walk() if node.tag == "p").text() == gate_sentence(result)
    assert gate_sentence(result) == "FAIL: 1 of 2 requirements passes; fail: accuracy."
    words = [node.text() for node in root.walk() if "check" in node.classes()]
    assert words == ["fail", "pass"]
    assert "nothing shows that it was written beforehand" in html


def test_a_margin_line_is_drawn_around_zero(tmp_path: Path) -> None:
    result, protocol = held(tmp_path, kinds(75, 5), text=PROTOCOL + MARGIN_LINE, base=kinds(74, 6))
    page = gate_page(result, protocol)
    assert page.margins is not None
    assert page.thresholds is not None
    html = render_page(page)
    assert lint(html) == []
    assert html.count('class="margin-band"') == 1
    assert "+0.8 points" in html


def test_unread_replies_show_both_extremes(tmp_path: Path) -> None:
    result, protocol = held(tmp_path, kinds(75, 5, 60))
    page = gate_page(result, protocol)
    row = page.requirements[0]
    assert (row.decision, row.style) == ("undecided", "not-assessed")
    assert "depends on what the 60 unreadable replies would have been" in row.reason
    assert row.against.endswith("115 of 180")
    assert row.favourable.endswith("175 of 180")
    assert row.rate.text.endswith("115 of 120; 60 left out")
    assert lint(render_page(page)) == []


def test_a_line_without_replies_is_undecided_and_not_defined(tmp_path: Path) -> None:
    result, protocol = held(tmp_path, kinds(75, 5, no=0))
    row = gate_page(result, protocol).requirements[1]
    assert row.decision == "undecided"
    assert row.rate.text.startswith("not defined: ")
    assert lint(render_page(gate_page(result, protocol))) == []


def test_what_a_line_asks() -> None:
    import yaml

    lines = parse_protocol(yaml.safe_load(PROTOCOL + MARGIN_LINE)).lines
    assert [condition(line) for line in lines] == [
        "at least 60 %, n at least 50",
        "at most 20 %, n at least 10",
        "not below the baseline by 10 points or more, n at least 50",
    ]
