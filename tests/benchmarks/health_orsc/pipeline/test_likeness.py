"""Near-duplicates: exact, and the same whatever the order of what is left to choose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.benchmarks.health_orsc.pipeline.likeness import (
    folded,
    near_duplicates,
    shingles,
    similarity,
)

WORDS = ("vitamin", "coach", "skip", "walk", "soup", "note", "diary", "hide")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), max_size=12)


def slowly(texts, threshold):
    """Every pair compared: what the quick search has to find."""
    kept, found = [], {}
    for place, text in enumerate(texts):
        alike = [(similarity(text, texts[other]), -other) for other in kept]
        alike = [pair for pair in alike if pair[0] >= threshold]
        if alike:
            found[place] = -max(alike)[1]
        else:
            kept.append(place)
    return found


@given(TEXTS, st.sampled_from((0.2, 0.5, 0.8, 1.0)))
def test_the_quick_search_finds_what_comparing_every_pair_finds(texts, threshold):
    found = near_duplicates(texts, threshold)
    assert {place: one.representative for place, one in found.items()} == slowly(texts, threshold)
    for place, one in found.items():
        assert one.similarity == similarity(texts[place], texts[one.representative]) >= threshold


def test_similarity_is_the_share_of_common_shingles():
    assert shingles("abcdef") == {"abcde", "bcdef"}
    assert similarity("abcdef", "bcdefg") == pytest.approx(1 / 3)
    assert similarity("", "") == 0.0
    assert shingles("Ab!") == {"ab"}


@pytest.mark.parametrize(("first", "second"), [("How, NOW?", "how now"), ("\ufb01sh", "fish"), ("a  b\n", "A b")])
def test_folding_drops_what_does_not_tell_texts_apart(first, second):
    assert folded(first) == folded(second)


def test_texts_of_signs_alone_resemble_nothing():
    assert near_duplicates(["?!", "?!", "..."], 0.5) == {}


@pytest.mark.parametrize("threshold", [0, -0.1, 1.1])
def test_a_threshold_out_of_range_is_refused(threshold):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        near_duplicates([], threshold)
