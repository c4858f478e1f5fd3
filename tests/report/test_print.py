"""The report of an audit on paper: A4 and Letter, everything inside the margins, addresses printed, nothing to press."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from equipoise.errors import UsageError
from equipoise.report.render import render_verdicts

MARGIN = 15 / 25.4 * 72
"""Margin of the page in points: 15 mm."""
SLACK = 2.0
"""Points by which a browser rounds the edge of a line."""


class Word(NamedTuple):
    left: float
    right: float
    bottom: float
    text: str


class Paper(NamedTuple):
    width: float
    height: float
    words: list[Word]

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


def printed(html: str, folder: Path) -> list[Paper]:
    """Every page of the print, with the place of each word in points."""
    program = next(path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name)))
    file, pdf = folder / "page.html", folder / "page.pdf"
    file.write_text(html, encoding="utf-8")
    command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}",
               "--no-pdf-header-footer", f"--print-to-pdf={pdf}", file.as_uri()]  # fmt: skip
    subprocess.run(command, capture_output=True, timeout=120, check=True)
    boxes = subprocess.run(
        ["pdftotext", "-bbox", str(pdf), "-"], capture_output=True, text=True, timeout=60, check=True
    )
    pages = []
    for page in re.finditer(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', boxes.stdout, re.DOTALL):
        words = [
            Word(float(left), float(right), float(bottom), text)
            for left, right, bottom, text in re.findall(
                r'<word xMin="([\d.-]+)" yMin="[\d.-]+" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>', page[3]
            )
        ]
        pages.append(Paper(float(page[1]), float(page[2]), words))
    return pages


@pytest.mark.browser
@pytest.mark.parametrize(("paper", "size"), [("A4", (595, 842)), ("letter", (612, 792))])
def test_every_word_lies_inside_the_margins(
    all_verdicts: list[dict[str, Any]], note: str, paper: str, size: tuple[int, int], tmp_path: Path
) -> None:
    pages = printed(render_verdicts(all_verdicts, notes={"demo-1": note}, paper=paper), tmp_path)
    assert {(round(page.width), round(page.height)) for page in pages} == {size}
    over = [
        (number, word.text)
        for number, page in enumerate(pages, start=1)
        for word in page.words
        if word.left < MARGIN - SLACK or word.right > page.width - MARGIN + SLACK or word.bottom > page.height
    ]
    assert over == []


@pytest.mark.browser
@pytest.mark.parametrize("paper", ["A4", "letter"])
def test_the_answer_ends_on_the_page_where_it_begins(four: list[dict[str, Any]], paper: str, tmp_path: Path) -> None:
    pages = printed(render_verdicts(four, paper=paper), tmp_path)
    answers = [page.text for page in pages if "Documented recommendation:" in page.text]
    assert len(answers) == 4
    assert all("Read the sources." in text for text in answers)


@pytest.mark.browser
def test_addresses_of_sources_are_printed_once_a_verdict(four: list[dict[str, Any]], tmp_path: Path) -> None:
    text = (
        " ".join(page.text for page in printed(render_verdicts(four[:1]), tmp_path))
        .replace("&lt;", "<")
        .replace("&gt;", ">")
    )
    assert "<https://pubmed.ncbi.nlm.nih.gov/29151359/>" in text
    assert text.count("https://pubmed.ncbi.nlm.nih.gov/29151359/") == 1


def test_there_is_nothing_to_press_or_to_unfold(four: list[dict[str, Any]]) -> None:
    html = render_verdicts(four)
    assert not re.search(r"<(?:button|input|select|form|details|script|video|iframe)\b", html)
    assert "position: fixed" not in html
    assert "position: sticky" not in html


def test_the_paper_is_a_part_of_the_page_and_another_one_is_refused(four: list[dict[str, Any]]) -> None:
    assert "size: A4" in render_verdicts(four)
    assert "size: letter" in render_verdicts(four, paper="letter")
    with pytest.raises(UsageError, match="expected A4 or letter"):
        render_verdicts(four, paper="A5")


def test_every_label_is_told_without_color(four: list[dict[str, Any]]) -> None:
    """In grey, a label is its words and the form of its badge: border or icon differ for each."""
    html = render_verdicts(four)
    names = set(re.findall(r'class="badge (b-[a-z]+)"', html))
    assert len(names) == 4
    forms = {
        name: tuple(sorted(set(re.findall(rf"\.{name}(?: \.icon(?:::before)?)? {{([^}}]*)}}", html)) - {""}))
        for name in names
    }
    shapes = {tuple(re.sub(r"var\([^)]*\)|--\w+: ?;?", "", part) for part in form) for form in forms.values()}
    assert len(shapes) == 4
