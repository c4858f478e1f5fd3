"""The published score, on examples worked out by hand; a judge that failed is not "not met"."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equipoise.benchmarks.healthbench.loader import load
from equipoise.benchmarks.healthbench.scoring import mean_score, score_item, tag_scores
from equipoise.errors import InputError
from equipoise.redteam.operators import RubricItem

DATA = Path(__file__).parent / "data"


def rubric(*points: float) -> list[RubricItem]:
    return [RubricItem(criterion=f"criterion {place}", points=value) for place, value in enumerate(points)]


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.mark.parametrize(
    ("points", "met", "score"),
    [
        ((8, 2, -10), (True, True, False), 1.0),  # (8 + 2) / 10
        ((8, 2, -10), (True, False, False), 0.8),  # 8 / 10
        ((8, 2, -10), (True, False, True), -0.2),  # (8 - 10) / 10
        ((8, 2, -10), (False, False, True), -1.0),  # -10 / 10
        ((5, 5), (False, False), 0.0),
        ((7, 3, 4, -6), (True, False, True, True), 5 / 14),  # (7 + 4 - 6) / 14
        ((1, -10), (True, True), -9.0),  # (1 - 10) / 1: single scores have no lower end
        ((10, -1), (True, True), 0.9),
    ],
)
def test_points_met_over_positive_points(points, met, score):
    found = score_item(rubric(*points), met)
    assert found.score == pytest.approx(score)
    assert found.low == found.high == found.score
    assert found.unscored == 0


@pytest.mark.parametrize(
    ("points", "met", "low", "high"),
    [
        ((8, 2, -10), (True, True, None), 0.0, 1.0),  # (10 - 10) / 10 to 10 / 10
        ((8, 2, -10), (None, True, False), 0.2, 1.0),  # 2 / 10 to (8 + 2) / 10
        ((8, 2, -10), (None, None, None), -1.0, 1.0),
        ((5, 5), (None, True), 0.5, 1.0),
    ],
)
def test_a_judge_that_failed_leaves_the_item_unscored_with_bounds(points, met, low, high):
    found = score_item(rubric(*points), met)
    assert found.score is None
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)
    assert found.unscored == met.count(None)


def test_a_failed_judge_of_a_harm_does_not_hand_out_its_points():
    """The known fault: with "not met" for the failed verdict this reply would have got 1.0."""
    found = mean_score([score_item(rubric(10, -10), (True, None))], rng=rng())
    assert found.mean is None
    assert (found.low, found.high) == (0.0, 1.0)
    assert (found.n, found.n_unscored, found.n_undefined) == (0, 1, 0)


def test_no_positive_points_is_undefined():
    found = score_item(rubric(-5), (False,))
    assert (found.score, found.low, found.high) == (None, None, None)
    assert mean_score([found], rng=rng()).n_undefined == 1


@pytest.mark.parametrize(
    ("scores", "mean"),
    [
        (((8, 2, -10), (True, False, True)), 0.0),  # one item of -0.2, clipped
    ],
)
def test_the_mean_of_one_bad_item_is_clipped(scores, mean):
    points, met = scores
    assert mean_score([score_item(rubric(*points), met)], rng=rng()).mean == mean


def test_single_scores_are_not_clipped_before_the_mean():
    """(1.0 - 0.2 + 0.5) / 3 = 0.4333; clipping each first would give 0.5."""
    items = [
        score_item(rubric(8, 2, -10), (True, True, False)),
        score_item(rubric(8, 2, -10), (True, False, True)),
        score_item(rubric(5, 5), (True, False)),
    ]
    found = mean_score(items, rng=rng())
    assert found.mean == pytest.approx(1.3 / 3)
    assert found.n == 3
    assert found.low == found.high == found.mean


def test_an_unscored_item_is_left_out_of_the_mean_and_in_the_bounds():
    """Scored: 1.0. Bounds: (1.0 + 0.0) / 2 and (1.0 + 1.0) / 2."""
    items = [score_item(rubric(10), (True,)), score_item(rubric(10), (None,))]
    found = mean_score(items, rng=rng())
    assert (found.mean, found.low, found.high) == (1.0, 0.5, 1.0)
    assert (found.n, found.n_unscored) == (1, 1)


def test_the_spread_is_that_of_resampled_means():
    """Of items 0 and 1 in equal numbers, the mean of n has the standard deviation 0.5 / sqrt(n)."""
    items = [score_item(rubric(10), (place % 2 == 0,)) for place in range(100)]
    found = mean_score(items, rng=rng(), resamples=4000)
    assert found.spread == pytest.approx(0.05, rel=0.05)
    assert found == mean_score(items, rng=rng(), resamples=4000)
    assert mean_score([], rng=rng()).spread is None


def test_scores_by_tag():
    """Conversation 1: 0.8 in all. Its axis accuracy: 8 of 8 (-10 not met) = 1.0; completeness: 0 of 2 = 0.
    Conversation 2: 5 of 10. Conversation 3 has no positive points."""  # fmt: skip
    items = load(DATA / "conversations.jsonl")
    found = tag_scores(items, [(True, False, False), (True, False), (False,)], rng=rng())
    assert found["theme:hedging"].mean == pytest.approx(0.8)
    assert found["axis:accuracy"].mean == 1.0
    assert found["axis:completeness"].mean == 0.0
    assert found["axis:context_awareness"].mean == 0.5
    assert found["level:cluster:context"].mean == 1.0
    assert list(found) == sorted(found)


def test_a_tag_is_scored_when_the_missing_verdict_is_of_another_tag():
    item = load(DATA / "conversations.jsonl")[0]
    found = tag_scores([item], [(True, None, False)], rng=rng())
    assert found["axis:accuracy"].mean == 1.0
    assert found["axis:completeness"].mean is None
    assert found["theme:hedging"].n_unscored == 1


@pytest.mark.parametrize("bad", ["yes", 1, 0, "true", {}])
def test_a_verdict_that_is_no_verdict_is_refused(bad):
    with pytest.raises(InputError, match="expected true, false or None"):
        score_item(rubric(5), (bad,))


def test_as_many_verdicts_as_criteria():
    with pytest.raises(InputError, match="expected 2 verdicts, one a criterion, found 1"):
        score_item(rubric(5, 5), (True,))
    with pytest.raises(InputError, match="expected 1 lists of verdicts"):
        tag_scores(load(DATA / "conversations.jsonl")[:1], [], rng=rng())
