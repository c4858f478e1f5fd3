"""The board page in a real browser: nothing runs over the edge at four widths, and it prints with the answer first."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import escape

import pytest

from board_pages import whole_audit
from equipoise.report.board import board_page
from equipoise.report.render import render_page

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
    edge, width: page.documentElement.scrollWidth, over, scripts: page.scripts.length }});
}});
</script>"""


def chromium(*arguments, folder):
    program = next(path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name)))
    command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    return render_page(board_page(whole_audit(tmp_path_factory.mktemp("board"))))


@pytest.mark.parametrize("width", [320, 400, 768, 1280])
def test_nothing_runs_over_the_edge(html, width, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(MEASURE.format(width=width, page=escape(html, quote=True)), encoding="utf-8")
    dom = chromium(
        "--window-size=1400,1000", "--virtual-time-budget=3000", "--dump-dom", file.as_uri(), folder=tmp_path
    )
    seen = json.loads(re.search(r'<pre id="out">(.*?)</pre>', dom, re.DOTALL)[1])
    assert seen["over"] == []
    assert seen["width"] <= seen["edge"] + 1
    assert seen["scripts"] == 0


def test_it_prints_with_the_answer_on_the_first_page(html, tmp_path):
    if not shutil.which("pdftotext"):
        pytest.fail("pdftotext is needed to read the printed page")
    file, pdf = tmp_path / "page.html", tmp_path / "page.pdf"
    file.write_text(html, encoding="utf-8")
    chromium("--no-pdf-header-footer", f"--print-to-pdf={pdf}", file.as_uri(), folder=tmp_path)
    told = subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True, check=True).stdout
    first = " ".join(told.split("\f")[0].split())
    for words in ("The answer", "alone can have the first place", "not a medical device"):
        assert words in first
    assert "Methods, versions, hashes" in " ".join(told.split())
