"""The pages of studies, comparisons and gates in a real browser: nothing runs over the edge, A4, the finding first."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path

import pytest
import yaml

from equipoise.outcomes import compare, gate, parse_protocol, read_run
from equipoise.report.comparison import comparison_page
from equipoise.report.gatepage import gate_page
from equipoise.report.render import render_page
from equipoise.report.reproduction import reproduction_page
from equipoise.studies.base import run_study
from report.test_browser import MEASURE, chromium, printed
from study_examples import MARGIN_LINE, PROTOCOL, STUDY, kinds, replies, save_run, save_study

pytestmark = pytest.mark.browser


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, str]:
    first = read_run(save_run(tmp_path / "a", "a", replies(kinds(70, 10))))
    second = read_run(save_run(tmp_path / "b", "b", replies(kinds(50, 25, 5))))
    protocol = parse_protocol(yaml.safe_load(PROTOCOL + MARGIN_LINE))
    return {
        "reproduction": render_page(reproduction_page(run_study(STUDY, save_study(tmp_path), seed=42))),
        "comparison": render_page(comparison_page(compare(first, second), margin=0.05)),
        "gate": render_page(gate_page(gate(first, protocol, baseline=second), protocol)),
    }


@pytest.mark.parametrize("name", ["reproduction", "comparison", "gate"])
@pytest.mark.parametrize("width", [320, 768, 1280])
def test_nothing_runs_over_the_edge(pages: dict[str, str], name: str, width: int, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(MEASURE.format(width=width, page=escape(pages[name], quote=True)), encoding="utf-8")
    dom = chromium(
        "--window-size=1400,1000", "--virtual-time-budget=3000", "--dump-dom", file.as_uri(), folder=tmp_path
    )
    found = re.search(r'<pre id="out">(.*?)</pre>', dom, re.DOTALL)
    assert found
    seen = json.loads(found[1])
    assert seen["over"] == []
    assert seen["width"] <= seen["edge"] + 1
    assert seen["scripts"] == 0
    assert seen["loaded"] == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("reproduction", "1 of 4 published figures follows from the released rows"),
        ("comparison", "A has higher accuracy than B"),
        ("gate", "PASS: 3 of 3 requirements pass."),
    ],
)
def test_the_finding_is_on_the_first_printed_page(pages: dict[str, str], name: str, words: str, tmp_path: Path) -> None:
    assert words in " ".join(printed(pages[name], tmp_path)[0].split())
