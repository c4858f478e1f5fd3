"""The page of a pack in a real browser: nothing runs over the edge, A4, the cover on one page with its lines to sign."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path

import pytest

from equipoise.pack.build import make_pack
from equipoise.pack.page import SIGNS, pack_page
from equipoise.report.render import render_page
from report.test_browser import MEASURE, chromium, printed

pytestmark = pytest.mark.browser


@pytest.fixture
def page(make_run) -> str:
    return render_page(pack_page(make_pack([make_run("a"), make_run("b", wrong=2, system="openai/other")])))


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_nothing_runs_over_the_edge(page: str, width: int, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(MEASURE.format(width=width, page=escape(page, quote=True)), encoding="utf-8")
    dom = chromium(
        "--window-size=1400,1000", "--virtual-time-budget=3000", "--dump-dom", file.as_uri(), folder=tmp_path
    )
    found = re.search(r'<pre id="out">(.*?)</pre>', dom, re.DOTALL)
    assert found
    seen = json.loads(found[1])
    assert seen["over"] == []
    assert seen["width"] <= seen["edge"] + 1
    assert (seen["scripts"], seen["loaded"]) == (0, 0)


def test_the_cover_is_one_page_with_counts_and_lines_to_sign(page: str, tmp_path: Path) -> None:
    pages = [" ".join(text.split()) for text in printed(page, tmp_path)]
    for words in (*SIGNS, "Intended use", "TRIPOD-LLM", "Datasheets, Model Cards", "MANIFEST.sha256"):
        assert words in pages[0], words
    assert pages[1].startswith("Tests against requirements fixed beforehand")
    assert len(pages) < 60
