"""The page of a labelling study: documented, linted, inert, and the sentence says what the figures say."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import re

import pytest
from jinja2 import meta

from equipoise.report import study_contexts
from equipoise.report.lint import lint
from equipoise.report.render import TEMPLATES, environment, render_page
from equipoise.report.study import MOST_CONFUSIONS, sentence, study_page
from equipoise.report.study_contexts import StudyPage

CONTEXTS = [
    item
    for _, item in inspect.getmembers(study_contexts, dataclasses.is_dataclass)
    if item.__module__ == study_contexts.__name__
]


def estimate(value, low=None, high=None, n=50, left=0, method="percentile bootstrap over items, 95%"):
    return {
        "estimate": value, "low": low, "high": high, "method": method, "n_used": n, "n_left_out": left, "why_left_out": "",
        "warnings": [],
    }  # fmt: skip


def agreement(name, kappa, share=None):
    score = estimate(kappa, kappa - 0.2, min(1.0, kappa + 0.2))
    return {
        "name": name, "share": share, "percent": estimate(0.68, 0.54, 0.79, method="Wilson, 95%"), "kappa": score,
        "ac1": score, "alpha": score, "raters": 2,
    }  # fmt: skip


@pytest.fixture
def analysis():
    """The JSON form of an analysis of invented labels."""
    wilson = {"method": "Wilson, 95%"}
    place = {"disagreed": 7, "items": 16, "rate": estimate(7 / 16, 0.23, 0.67, 16, **wilson)}
    course = {"thirds": [], "shares": [], "first_and_last": None, "why_not": "the order is not known"}
    third = estimate(0.8, 0.5, 0.9, 10, **wilson)
    test = {"p_value": 0.2}
    return {
        "name": "four-label",
        "title": "An invented study",
        "question": "Is it supported?",
        "primary": "Is the recommendation supported?",
        "labels": ["Supported", "Unsupported"],
        "positive": ["Unsupported"],
        "protocol_hash": "aaaa",
        "dataset_hash": "bbbb",
        "versions": [
            {"hash": "0000", "reason": "", "at": "2026-11-01T00:00:00"},
            {"hash": "aaaa", "reason": "a third rater", "at": "2026-11-02T00:00:00"},
        ],
        "items": 60,
        "shared": 50,
        "disagreed": 16,
        "decided": 1,
        "progress": [
            {"rater": "a", "given": 60, "labelled": 50, "left_out": 10, "median_seconds": 41.6},
            {"rater": "b", "given": 60, "labelled": 60, "left_out": 0, "median_seconds": None},
        ],
        "overall": agreement("label", 0.55),
        "by_label": [agreement("Supported", 0.35, 0.24), agreement("Unsupported", 0.7, 0.41)],
        "by_question": [agreement("harm", 0.2)],
        "confusions": [{"first": "a", "second": "b", "rows": [[20, 6], [10, 14]], "kappa": estimate(0.55, 0.39, 0.7)}],
        "where": [
            {"kind": "line", "name": "Supported / Unsupported", **place},
            {"kind": "stratum", "name": "x", **place},
        ],
        "courses": [
            {"rater": "a", "repeated": estimate(0.75, 0.3, 0.95, 4, **wilson), **course},
            {"rater": "b", "repeated": estimate(None, n=0, method="undefined: no item"), **course}
            | {"thirds": [third] * 3, "first_and_last": test, "why_not": ""},
        ],
        "attention": [{"rater": "a", "right": 1, "answered": 3, "given": 3, "told_apart": True}],
        "against": [
            {"system": "a", "kind": "rater", "basis": "reference", "percent": estimate(0.96, 0.87, 0.99, **wilson)}
            | {"kappa": estimate(0.95, 0.86, 1.0)}
        ],
        "prevalence": [
            {"system": "a", "seen": estimate(0.4, 0.28, 0.54, left=10, **wilson), "corrected": None, "refused": ""},
            {
                "system": "agent",
                "seen": estimate(0.4, 0.28, 0.54, **wilson),
                "corrected": None,
                "refused": "too few labels",
            },
            {"system": "model", "seen": estimate(0.4, 0.28, 0.54, **wilson), "corrected": estimate(0.35, 0.2, 0.5)}
            | {"refused": ""},
        ],
        "plan": [{"measure": "kappa", "half_width": 0.1, "items": 124, "now": 0.157}],
        "level": 0.95,
        "seed": 42,
        "resamples": 2000,
        "notes": ["a note"],
    }


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.__name__)
def test_every_field_of_a_context_is_documented_and_read(context):
    documented = re.findall(r"^ {8}(\w+): ", context.__doc__ or "", re.MULTILINE)
    names = [field.name for field in dataclasses.fields(context)]
    assert documented == names
    text = (TEMPLATES / "study.html.j2").read_text(encoding="utf-8")
    assert [name for name in names if not re.search(rf"\b{name}\b", text) and name != "report_id"] == []


def test_the_template_reads_nothing_else():
    text = (TEMPLATES / "study.html.j2").read_text(encoding="utf-8")
    read = meta.find_undeclared_variables(environment().parse(text)) - {"facts", "share", "coefficient", "agreements"}
    assert read <= {field.name for field in dataclasses.fields(StudyPage)}


def test_the_page_passes_the_linter_and_is_the_same_bytes_twice(analysis):
    html = render_page(study_page(analysis))
    assert lint(html) == []
    assert html == render_page(study_page(copy.deepcopy(analysis)))


def test_the_sentence_says_how_often_where_and_what_is_open(analysis):
    assert sentence(analysis) == (
        "Raters differ on 16 of 50 items; kappa 0.55 (0.35 to 0.75), n 50. Most often they differ between Supported and "
        "Unsupported (7 items). Not decided yet: 15."
    )
    analysis["decided"] = 16
    assert "Not decided" not in sentence(analysis)
    analysis["shared"] = 0
    assert sentence(analysis) == "No item has labels of two raters, so there is no agreement to report."


def test_lines_that_tie_are_all_told(analysis):
    first = analysis["where"][0]
    analysis["where"][1:1] = [first | {"name": f"Supported / {name}"} for name in ("X", "Y")]
    told = sentence(analysis)
    assert "between Supported and Unsupported and between Supported and X and 1 further pairs (7 items)" in told


def test_the_page_says_who_was_told_apart_and_what_was_not_assessed(analysis):
    html = render_page(study_page(analysis))
    for text in (
        "1 of 3, below what the protocol asks",
        "no attention items",
        "not assessed: the order is not known",
        "all agree on 8 of 10, 8 of 10, 8 of 10 items by third; first against last p 0.200",
        "3 of 4",
        "none shown twice",
        "not defined: too few labels",
        "2: aaaa on 2026-11-02 (a third rater)",
        "124 items",
    ):
        assert text in html, text


def test_an_undefined_kappa_is_told_and_drawn_nowhere(analysis):
    none = estimate(None, n=0, left=50, method="undefined: one rater")
    for row in (analysis["overall"], *analysis["by_label"], *analysis["by_question"]):
        row |= {"kappa": none, "ac1": none, "alpha": none, "percent": none}
    page = study_page(analysis)
    assert page.drawing is None
    assert page.overall[0].kappa.text == "not defined: none was read"
    assert lint(render_page(page)) == []


def test_alpha_stands_where_no_item_has_all_raters(analysis):
    none = estimate(None, n=0, left=50, method="undefined: no item has two labels")
    for row in (analysis["overall"], *analysis["by_label"]):
        row["kappa"] = none
    analysis["overall"]["alpha"] = estimate(0.41, 0.2, 0.6)
    page = study_page(analysis)
    assert page.sentence.startswith("Raters differ on 16 of 50 items; alpha 0.41 (0.20 to 0.60), n 50.")
    assert page.drawing.title == "Alpha overall and for each label against all others"
    assert lint(render_page(page)) == []


def test_agreement_of_more_raters_is_no_count_of_items(analysis):
    analysis["overall"]["percent"] = estimate(0.713, 0.6, 0.8)
    page = study_page(analysis)
    assert page.overall[0].percent.text == "0.71 (0.60 to 0.80), n 50"
    assert lint(render_page(page)) == []


def test_only_the_first_pairs_are_shown_and_that_is_said(analysis):
    analysis["confusions"] = analysis["confusions"] * (MOST_CONFUSIONS + 5)
    page = study_page(analysis)
    assert len(page.confusions) == MOST_CONFUSIONS
    assert "tables of the first 10 of 15 pairs of raters are shown" in page.notes


def test_hostile_names_come_out_inert(analysis):
    hostile = "<script>alert(1)</script>\x1b[31m\u202e"
    for name in ("title", "question", "primary", "name"):
        analysis[name] = hostile
    analysis["labels"] = analysis["positive"] = [hostile, "b"]
    analysis["by_label"][0]["name"] = analysis["where"][0]["name"] = analysis["progress"][0]["rater"] = hostile
    analysis["courses"][0]["rater"] = analysis["against"][0]["system"] = hostile
    html = render_page(study_page(analysis))
    assert "<script>alert" not in html
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert lint(html) == []
