"""The page of several systems in a real browser, with hostile names and replies: nothing runs over the edge or runs at all."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path

import pytest

from equipoise.report.evaluation import evaluation_page
from equipoise.report.render import render_page
from report.test_browser import MEASURE, chromium
from report.test_evaluation import CASES, STATES, row, save
from study_examples import HOSTILE

pytestmark = pytest.mark.browser


@pytest.fixture
def page(tmp_path: Path) -> str:
    labels = [case.reference.label for case in CASES]
    sure = [row(place, "provider/a-model-with-a-rather-long-name-2026", labels[place], confidence=0.5 + place % 40 / 100)
            for place in range(120)]  # fmt: skip
    for item in sure[::5]:
        item["label"] = "Unsupported" if item["label"] != "Unsupported" else "Supported"
    asks = [row(place, "asks", labels[place], trial=trial) for place in range(90) for trial in (1, 2)]
    yes = [row(place, "equipoise/always-supported", "Supported") for place in range(60)]
    bad = [row(place, f"{HOSTILE} model", "Unsupported", reply=HOSTILE) for place in range(60)]
    bad += [row(60 + place, f"{HOSTILE} model", None, state=state, reply=HOSTILE) for place, state in enumerate(STATES)]
    runs = [save(tmp_path, name, rows) for name, rows in (("a", sure), ("b", asks), ("c", yes), ("d", bad))]
    return render_page(evaluation_page(runs, CASES))


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
    assert seen["scripts"] == 0
    assert seen["loaded"] == 0
