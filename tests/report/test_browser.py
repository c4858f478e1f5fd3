"""Pages in a real browser: nothing runs over the edge at three widths, A4 in print, the answer on the first page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import escape
from pathlib import Path
from typing import Any

import pytest

from equipoise.report.benchmark import benchmark_page
from equipoise.report.render import render_benchmark, render_verdicts
from equipoise.report.wording import STANDING_LINE

pytestmark = pytest.mark.browser

MEASURE = """<!DOCTYPE html><meta charset="utf-8"><pre id="out"></pre>
<iframe id="f" width="{width}" height="900" srcdoc="{page}"></iframe>
<script>
document.getElementById("f").addEventListener("load", event => {{
  const page = event.target.contentDocument, edge = page.documentElement.clientWidth, over = [];
  for (const element of page.querySelectorAll("body *")) {{
    if (element.closest("table, svg, .skip")) continue;
    if (element.getBoundingClientRect().right > edge + 1) over.push(element.tagName + "." + element.className);
  }}
  document.getElementById("out").textContent = JSON.stringify({{
    edge, width: page.documentElement.scrollWidth, over, scripts: page.scripts.length,
    loaded: page.defaultView.performance.getEntriesByType("resource").length }});
}});
</script>"""


def chromium(*arguments: str, folder: Path) -> str:
    program = next(path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name)))
    command = [
        program,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}",
        *arguments,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.fixture
def pages(
    all_verdicts: list[dict[str, Any]], note: str, metrics: dict[str, Any], facts: dict[str, Any]
) -> dict[str, str]:
    return {
        "verdicts": render_verdicts(all_verdicts, notes={"demo-1": note}),
        "benchmark": render_benchmark(benchmark_page(metrics, facts)),
    }


@pytest.mark.parametrize("name", ["verdicts", "benchmark"])
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


def printed(html: str, folder: Path) -> list[str]:
    """The text of every printed page."""
    file, pdf = folder / "page.html", folder / "page.pdf"
    file.write_text(html, encoding="utf-8")
    chromium("--no-pdf-header-footer", f"--print-to-pdf={pdf}", file.as_uri(), folder=folder)
    size = re.findall(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", pdf.read_bytes())
    assert {(round(float(wide)), round(float(high))) for wide, high in size} == {(595, 842)}
    text = subprocess.run(
        ["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    return text.split("\f")[:-1]


def test_the_answer_is_on_the_first_page(four: list[dict[str, Any]], tmp_path: Path) -> None:
    pages = printed(render_verdicts(four[3:]), tmp_path)
    first = " ".join(pages[0].split())
    for words in (
        "Insufficient Information",
        "No verdict:",
        "Equipoise does not decide this:",
        "What would change this",
        "page 1 of 2",
    ):
        assert words in first
    assert STANDING_LINE in first
    assert "Behind this verdict" in pages[1]


def test_every_verdict_begins_a_page_and_ends_its_answer_on_it(four: list[dict[str, Any]], tmp_path: Path) -> None:
    pages = [" ".join(page.split()) for page in printed(render_verdicts(four), tmp_path)]
    answers = [page for page in pages if "Documented recommendation:" in page]
    assert len(answers) == 4
    assert all(page.count(STANDING_LINE) == 1 for page in answers)


def test_a_page_with_a_note_says_so_on_every_page(four: list[dict[str, Any]], note: str, tmp_path: Path) -> None:
    pages = printed(render_verdicts(four[:1], notes={"demo-1": note}), tmp_path)
    assert all("contains patient data" in page for page in pages)


def test_the_benchmark_report_prints_its_answer_first(pages: dict[str, str], tmp_path: Path) -> None:
    first = " ".join(printed(pages["benchmark"], tmp_path)[0].split())
    assert "over-refusal 1.5 % (0.6 to 3.9), 4 of 260; false approval 2 % (1 to 6), 4 of 178" in first
    assert "What became of every case" in first
