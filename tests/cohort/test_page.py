"""The page and the command: counts that agree with the cohort, no row of a patient, hostile text inert."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import re
from html import escape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cohort.examples import ROWS, write_study
from equipoise.audit.pipeline import Auditor
from equipoise.audit.wording import NOT_A_DEVICE
from equipoise.cli.main import app
from equipoise.cohort.model import Cohort
from equipoise.cohort.reading import read_cohort
from equipoise.cohort.tally import standings
from equipoise.cohort.view import cohort_of
from equipoise.report.cohort import STANDING_WORDS, cohort_page, field_name, of
from equipoise.report.cohort_contexts import CohortPage, FieldRow, RegimenLine, ShareRow
from equipoise.report.lint import lint, parse
from equipoise.report.plots import shares
from equipoise.report.render import TEMPLATES, render_page
from report.test_browser import MEASURE, chromium

THEN, NOW = dt.date(2017, 12, 31), dt.date(2026, 11, 30)
HOSTILE = '=HYPERLINK("x")<script>alert(1)</script>\u202e'


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Cohort:
    rows = (*ROWS, (HOSTILE, f"{HOSTILE}-T1", "", "LUAD", "0", "IV", HOSTILE, "YES", "4"))
    study = write_study(tmp_path_factory.mktemp("study"), rows)
    return cohort_of(HOSTILE, *read_cohort(study), [Auditor(as_of=day) for day in (THEN, NOW)])


@pytest.fixture(scope="module")
def html(found: Cohort) -> str:
    return render_page(cohort_page(found, note=HOSTILE))


def test_the_page_passes_the_linter(html: str) -> None:
    assert lint(html) == []


def test_the_page_says_once_that_it_is_no_medical_device_and_that_it_is_a_census(html: str) -> None:
    assert html.count(escape(NOT_A_DEVICE)) == 1
    assert "(a census)" in html


def test_the_page_holds_no_row_of_a_patient(html: str) -> None:
    text = parse(html).text()
    assert not re.search(r"\bX-\d", text)
    assert "-T1" not in text


def test_hostile_names_are_inert(html: str) -> None:
    assert "<script" not in html
    assert "\u202e" not in html


def test_the_plot_and_the_table_beside_it_hold_the_counts(found: Cohort) -> None:
    figure = cohort_page(found).patients
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in figure.rows}
    for day in found.as_of:
        last = standings(found.patients[day], found.options[day], day)[-1]
        told = dict(zip(figure.head[1:], rows[f"{day} all systemic"], strict=True))
        assert told["patients"] == str(last.n) == "8"
        for standing, count in last.counts.items():
            assert told.get(STANDING_WORDS[standing], "0") == str(count)
            if count:
                assert f"{count} {STANDING_WORDS[standing]}" in figure.description


def test_the_same_cohort_gives_the_same_page_and_other_days_another(found: Cohort, html: str) -> None:
    assert render_page(cohort_page(found, note=HOSTILE)) == html
    assert cohort_page(found).report_id in html


def test_a_share_of_a_census_stands_with_its_counts() -> None:
    assert of(3, 7) == "3 of 7"
    assert of(3, 12) == "3 of 12 (25 %)"
    assert of(1, 860) == "1 of 860 (0.1 %)"


def test_a_census_without_counts_or_without_its_name_is_found(html: str) -> None:
    bare = re.sub(r"<td data-census>[^<]*</td>", "<td data-census>40 %</td>", html, count=1)
    assert any("share of a census without its counts" in text for text in lint(bare))
    unnamed = html.replace("census", "count").replace("data-count", "data-census")
    assert any("shares of a census on a page that does not say so" in text for text in lint(unnamed))


def test_fields_are_said_in_words() -> None:
    assert field_name("biomarkers.EGFR") == "the alteration of EGFR"
    assert field_name("prior_therapies") == "drugs, setting and outcome of earlier lines"
    assert field_name("stage") == "stage"


def test_a_plot_of_shares_refuses_a_class_that_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="others, got b"):
        shares("k", "t", ("a",), [("row", {"b": 1})], noun="patients")


def test_the_classes_of_a_plot_differ_by_pattern_or_lightness() -> None:
    names = tuple("abcdefgh")
    drawn = shares("k", "t", names, [("row", dict.fromkeys(names, 5))], noun="patients").svg
    key = re.findall(r'<rect x="0" y="[\d.]+" width="14" height="12" class="([\w-]+)"( fill="[^"]+")?/>', drawn)
    assert len(key) == len(set(key)) == 8


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["cohort", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_the_command_writes_the_page_and_says_what_it_found(tmp_path: Path) -> None:
    study, page = write_study(tmp_path / "study"), tmp_path / "page.html"
    code, out, err = run(str(study), "--as-of", "2026-11-30", "--as-of", "2017-12-31", "-o", str(page))
    assert code == 0
    assert "7 patients, 8 samples; patients with several: 1" in out
    assert out.index("Evidence of 2017-12-31") < out.index("Evidence of 2026-11-30")
    assert "driver-not-specific" in out
    assert err.count("Not a medical device") == 1
    assert lint(page.read_text(encoding="utf-8")) == []


def test_json_is_one_object_a_patient_and_sample_and_day(tmp_path: Path) -> None:
    code, out, _ = run(str(write_study(tmp_path / "study")), "--as-of", "2026-11-30", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [row["kind"] for row in rows].count("patient") == 7
    assert [row["kind"] for row in rows].count("sample") == 8
    for row in rows:
        assert row["as_of"] == "2026-11-30"
        assert row["policy_hash"]
        assert row["evidence_hash"]
        assert row["case_hash"]
        assert row["not_assessed"] == ("out-of-scope" if row["patient"] == "X-6" else None)
        for group in row["groups"].values():
            assert group["decided"] + group["not_covered"] <= group["options"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["nowhere"], "no such file"),
        (["STUDY", "--as-of", "yesterday"], "expected a date as YYYY-MM-DD"),
        (["STUDY", "--policy", "none-such"], "none-such"),
        (["STUDY", "--jurisdiction", "Mars"], "unknown jurisdiction"),
    ],
)
def test_a_mistake_is_one_clear_line(arguments: list[str], text: str, tmp_path: Path) -> None:
    study = str(write_study(tmp_path / "study"))
    done = CliRunner().invoke(app, ["cohort", *(study if one == "STUDY" else one for one in arguments)])
    assert done.exit_code != 0
    assert text in str(done.exception)


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 400, 768, 1280])
def test_nothing_runs_over_the_edge(html: str, width: int, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(MEASURE.format(width=width, page=escape(html, quote=True)), encoding="utf-8")
    dom = chromium(
        "--window-size=1400,1000", "--virtual-time-budget=3000", "--dump-dom", file.as_uri(), folder=tmp_path
    )
    seen = re.search(r'<pre id="out">(.*?)</pre>', dom, re.DOTALL)
    assert seen
    measured = json.loads(seen[1])
    assert measured["over"] == []
    assert measured["width"] <= measured["edge"] + 1
    assert measured["scripts"] == 0
    assert measured["loaded"] == 0


@pytest.mark.parametrize("context", [CohortPage, FieldRow, RegimenLine, ShareRow])
def test_every_field_of_the_page_is_documented_and_read(context: type) -> None:
    documented = re.findall(r"^ {8}(\w+): ", context.__doc__ or "", re.MULTILINE)
    names = [item.name for item in dataclasses.fields(context)]
    assert documented == names
    template = (TEMPLATES / "cohort.html.j2").read_text(encoding="utf-8")
    base = (TEMPLATES / "base.html.j2").read_text(encoding="utf-8")
    assert {name for name in names if not re.search(rf"\b{name}\b", template + base)} == set()
