"""Drugs of an answer beside those of its references."""

from __future__ import annotations

import pytest

from equipoise.boards.measures.named import named_drugs


@pytest.mark.parametrize(
    ("answer", "references", "recall", "missing", "others"),
    [
        ("Osimertinib is started.", ["Tagrisso first."], 1.0, (), ()),
        ("Alectinib is started.", ["Osimertinib first."], 0.0, ("osimertinib",), ("alectinib",)),
        ("Osimertinib.", ["Osimertinib with pemetrexed.", "Osimertinib."], 1.0, (), ()),
        ("Osimertinib.", ["Osimertinib with pemetrexed."], 0.5, ("pemetrexed",), ()),
        ("Surgery.", ["Resection."], None, (), ()),
        ("Osimertinib.", ["Resection."], None, (), ("osimertinib",)),
        ("No osimertinib.", ["Osimertinib."], 1.0, (), ()),
        ("", ["Osimertinib."], 0.0, ("osimertinib",), ()),
    ],
)
def test_names_are_compared_and_nothing_else(answer, references, recall, missing, others):
    found = named_drugs(answer, references)
    assert (found.recall, found.missing, found.others) == (recall, missing, others)
