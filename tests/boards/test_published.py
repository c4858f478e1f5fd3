"""The published table of OpenTumorBoard, and which of its places can be told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.boards.published import BOARD, TURN, Published, ranks_over_band, scored_only
from equipoise.boards.vocabulary import Arm
from equipoise.errors import UsageError
from equipoise.statistics.rank_intervals import possible_spread


def test_the_table_is_whole():
    assert len(BOARD.arms) == 20
    assert len(TURN.arms) == 15
    assert [sum(arm.arm is kind for arm in BOARD.arms) for kind in Arm] == [10, 10]
    assert (BOARD.n, TURN.n, BOARD.recordings) == (184, 4844, 66)
    for table in (BOARD, TURN):
        assert len({arm.name for arm in table.arms}) == len(table.arms)
        assert all(1 <= arm.mean <= 5 and 1 <= arm.other_judge <= 5 for arm in table.arms)


def test_scored_only_means_are_those_the_digest_computed():
    found = {arm.name: round(scored_only(arm, n=184), 3) for arm in BOARD.arms if arm.failures}
    assert found == {"GPT-5.6 Sol, reasoning": 2.558, "Meditron3 70B": 1.950, "MedReason-8B, reasoning": 1.457}


def test_the_arms_are_ranked_apart():
    band = ranks_over_band(BOARD, arm=Arm.IMAGES)
    assert len(band.rows) == 10
    assert {row.name for row in band.rows} == {arm.name for arm in BOARD.arms if arm.arm is Arm.IMAGES}


def test_a_band_holds_every_assumption_written_down():
    band = ranks_over_band(
        BOARD, arm=Arm.IMAGES, spreads=(0.8, 1.0), correlations=(0.0, 0.5), cluster_correlations=(0.0, 0.1)
    )
    assert band.points == 8
    assert band.errors[0] < band.errors[1]
    first = band.rows[0]
    assert first.name.startswith("Gemini")
    assert first.narrow[0] == 1
    for row in band.rows:
        assert row.wide[0] <= row.narrow[0] <= row.rank <= row.narrow[1] <= row.wide[1]


def test_places_two_to_seven_of_the_image_arm_are_never_separable():
    band = ranks_over_band(BOARD, arm=Arm.IMAGES)
    middle = [row.name for row in band.rows[1:7]]
    never = {frozenset(pair) for pair in band.never}
    assert all(frozenset((first, second)) in never for first in middle for second in middle if first != second)


def test_pairs_are_sorted_into_three_kinds_that_cover_all():
    band = ranks_over_band(BOARD, arm=Arm.CAPTIONS)
    kinds = [set(map(frozenset, kind)) for kind in (band.always, band.depends, band.never)]
    assert sum(map(len, kinds)) == 45
    assert not kinds[0] & kinds[1]
    assert not kinds[0] & kinds[2]
    assert frozenset(("DeepSeek-V4-Flash, reasoning", "MedReason-8B, reasoning")) in kinds[0]


def test_a_spread_that_cannot_be_is_refused():
    worst = min(possible_spread(arm.mean, low=1, high=5)[1] for arm in BOARD.arms if arm.arm is Arm.CAPTIONS)
    with pytest.raises(UsageError, match="MedReason"):
        ranks_over_band(BOARD, arm=Arm.CAPTIONS, spreads=(worst + 0.01,))
    with pytest.raises(UsageError, match="spread"):
        ranks_over_band(BOARD, arm=Arm.IMAGES, spreads=(0.2,))


def test_the_other_judge_and_the_other_failure_policy_are_other_rankings():
    base = ranks_over_band(BOARD, arm=Arm.IMAGES)
    other = ranks_over_band(BOARD, arm=Arm.IMAGES, judge="other")
    assert [row.name for row in base.rows] != [row.name for row in other.rows]
    scored = ranks_over_band(BOARD, arm=Arm.IMAGES, failures="scored-only")
    mean = {row.name: row.mean for row in scored.rows}
    assert mean["GPT-5.6 Sol, reasoning"] == pytest.approx(2.558, abs=5e-4)


def test_scored_only_needs_published_failures():
    with pytest.raises(UsageError, match="failures"):
        ranks_over_band(TURN, arm=Arm.CAPTIONS, failures="scored-only")


def test_an_unknown_choice_is_refused():
    with pytest.raises(UsageError, match="judge"):
        ranks_over_band(BOARD, arm=Arm.IMAGES, judge="third")
    assert isinstance(BOARD, Published)


def test_the_page_shows_what_the_function_finds():
    page = (Path(__file__).parents[2] / "docs" / "board.md").read_text(encoding="utf-8")
    for arm in Arm:
        for row in ranks_over_band(BOARD, arm=arm).rows:
            spans = [str(low) if low == high else f"{low} to {high}" for low, high in (row.narrow, row.wide)]
            assert f"| {row.name} | {row.mean:.3f} | {row.rank} | {spans[0]} | {spans[1]} |" in page
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith(("| board |", "| turn |"))]
    assert len(lines) == 10
    for setting, arm, judge, failures, *counts in lines:
        table = BOARD if setting == "board" else TURN
        band = ranks_over_band(table, arm=Arm(arm), judge=judge, failures=failures)
        found = [len(band.always), len(band.depends), len(band.never)]
        assert [int(count) for count in counts] == [sum(found), *found]
