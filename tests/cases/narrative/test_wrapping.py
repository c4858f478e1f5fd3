"""Words cut by a line end: read as one word, and their place is the whole of what stands in the note."""

from __future__ import annotations

import pytest

from equipoise.cases.model import Source
from equipoise.cases.narrative.reader import read_note
from equipoise.cases.narrative.wrapping import rejoined, within

NOTE = """This man has stage IVB adeno-
carcinoma of the lung with a KRAS G12C muta-
tion. First-line treatment was carbo-
platin, pemetrexed and pembro-
  lizumab, on which he pro-
gressed in August. ECOG per-
formance status 1. We suggest adagra-
sib.
"""


def test_a_letter_with_cut_words_is_read():
    case = read_note(NOTE)
    assert case.histology.value == {"adenocarcinoma"}
    assert case.ecog.value == {1}
    (prior,) = case.prior_therapies.value
    assert sorted(prior.drugs) == ["carboplatin", "pembrolizumab", "pemetrexed"]
    assert str(prior.outcome) == "progressed"
    assert prior.source.text == "carbo-\nplatin, pemetrexed and pembro-\n  lizumab"
    (proposed,) = case.recommendations
    assert proposed.text == "adagra-\nsib"
    for source in (prior.source, proposed.source, *(finding.source for finding in case.findings)):
        assert NOTE[source.start : source.end] == source.text


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("osimer-\ntinib", "osimertinib"),
        ("second-\nline", "second-line"),
        ("wild-\ntype", "wild-type"),
        ("EGFR-\npositive", "EGFR-positive"),
        ("carboplatin-\npemetrexed", "carboplatin-pemetrexed"),
        ("muta-\n   tion", "mutation"),
    ],
)
def test_a_word_keeps_its_hyphen_when_it_has_one(cut, whole):
    text, spans = rejoined(f"a {cut}.")
    assert text.split() == ["a", f"{whole}."]
    assert len(text) == len(f"a {cut}.")
    assert spans == ((2, 2 + len(cut)),)


@pytest.mark.parametrize("text", ["PD-\nL1 60%", "- no\n- yes", "non-small-\ncell", "TPS 1-\n49"])
def test_other_line_ends_stay(text):
    assert rejoined(text) == (text, ())


def test_a_place_outside_and_inside_a_cut_word():
    spans = ((2, 10), (20, 30))
    for (start, end), expected in {
        (0, 2): (0, 2), (4, 10): (2, 10), (0, 5): (0, 10), (10, 20): (10, 20), (12, 25): (12, 30), (9, 21): (2, 30), (30, 31): (30, 31),
    }.items():  # fmt: skip
        got = within(Source("note", "", start, end), spans)
        assert (got.start, got.end) == expected
