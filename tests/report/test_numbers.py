from __future__ import annotations

import datetime as dt

import pytest

from equipoise.report import numbers
from equipoise.report.numbers import Rate, Score
from equipoise.statistics.proportions import wilson


@pytest.mark.parametrize(
    ("events", "n", "text"),
    [
        (18, 441, "4.1 % (2.6 to 6.4), 18 of 441"),
        (2, 7, "2 of 7"),
        (0, 9, "0 of 9"),
        (0, 60, "0 of 60; up to 6.0 %"),
        (60, 60, "60 of 60; at least 94.0 %"),
        (3, 20, "15 % (5 to 36), 3 of 20 (few)"),
        (3, 60, "5 % (2 to 14), 3 of 60"),
        (1, 199, "1 % (0 to 3), 1 of 199"),
        (1, 200, "0.5 % (0.1 to 2.8), 1 of 200"),
        (0, 0, "not defined: no case"),
    ],
)
def test_rates_as_they_are_printed(events: int, n: int, text: str) -> None:
    estimate = wilson(events, n)
    assert numbers.rate(events, n, estimate.low or 0.0, estimate.high or 0.0) == text


def test_what_is_left_out_is_named() -> None:
    assert numbers.rate(18, 441, 0.026, 0.064, left_out=3) == "4.1 % (2.6 to 6.4), 18 of 441; 3 left out"
    assert numbers.rate(0, 0, 0, 1, left_out=3) == "not defined: none was read; 3 left out"


@pytest.mark.parametrize(("n", "bound"), [(60, 0.0596), (1, 0.975), (300, 0.0122)])
def test_bound_of_no_event(n: int, bound: float) -> None:
    assert numbers.exact_bound(n) == pytest.approx(bound, abs=5e-5)


def test_no_bound_without_a_case() -> None:
    with pytest.raises(ValueError, match="at least one"):
        numbers.exact_bound(0)


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Score("f", "F", 0.93, 0.905, 0.951, 500), "0.930 (0.905 to 0.951), n 500"),
        (Score("f", "F", 0.93, None, None, 500), "0.930 (interval not available), n 500"),
        (Score("f", "F", None, None, None, 500), "not defined"),
        (Score("f", "F", float("nan"), None, None, 500), "not defined"),
        (Score("f", "F", 96.4, 95.1, 97.5, 497, "", 3, 2), "96.40 (95.10 to 97.50), n 497; 3 left out"),
    ],
)
def test_scores_as_they_are_printed(score: Score, text: str) -> None:
    assert score.text == text


@pytest.mark.parametrize(
    ("rate", "bounds"),
    [
        (Rate("r", "r", 18, 441, 0.0259, 0.0639, "Wilson"), ("4.1", "2.6", "6.4")),
        (Rate("r", "r", 0, 60, 0.0, 0.06, "exact"), ("0", "0.0", "6.0")),
        (Rate("r", "r", 60, 60, 0.94, 1.0, "exact"), ("100", "94.0", "100.0")),
        (Rate("r", "r", 2, 7, 0.1, 0.6, "Wilson"), ("", "", "")),
        (Rate("r", "r", 0, 0, 0.0, 1.0, ""), ("", "", "")),
    ],
)
def test_bounds_as_a_table_prints_them(rate: Rate, bounds: tuple[str, str, str]) -> None:
    assert rate.bounds == bounds


@pytest.mark.parametrize(
    ("day", "text"),
    [
        (dt.date(2026, 11, 1), "2026-11-01"),
        (dt.datetime(2026, 11, 1, 23, 0, tzinfo=dt.UTC), "2026-11-01"),
        ("2026-11-01T10:00:00Z", "2026-11-01"),
        (None, "not stated"),
        ("", "not stated"),
    ],
)
def test_days_are_iso(day: dt.date | str | None, text: str) -> None:
    assert numbers.iso(day) == text


def test_a_day_that_is_none() -> None:
    with pytest.raises(ValueError, match="isoformat"):
        numbers.iso("1 November 2026")


@pytest.mark.parametrize(("n", "text"), [(0, "0 cases"), (1, "1 case"), (2, "2 cases")])
def test_counted_nouns(n: int, text: str) -> None:
    assert numbers.count(n, "case") == text


@pytest.mark.parametrize(
    ("words", "text"), [((), "none"), (("a",), "a"), (("a", "b"), "a and b"), (("a", "b", "c"), "a, b and c")]
)
def test_lists_of_words(words: tuple[str, ...], text: str) -> None:
    assert numbers.listed(words) == text
