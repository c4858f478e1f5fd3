"""The list of anticancer drugs by every name."""

from __future__ import annotations

import pytest

from equipoise.boards.heard_names import heard_names
from equipoise.boards.recommended import Kind, hear
from equipoise.cases.vocabulary.drugs import lexicon
from equipoise.cases.vocabulary.tokens import words


@pytest.mark.parametrize(
    ("said", "drugs"),
    [
        ("Kanjinti", {"trastuzumab"}),
        ("Mvasi", {"bevacizumab"}),
        ("brexu-cel", {"brexucabtagene autoleucel"}),
        ("gemtuzumab", {"gemtuzumab ozogamicin"}),
        ("Opdualag", {"nivolumab", "relatlimab"}),
        ("VP-16", {"etoposide"}),
        ("mitotane", {"mitotane"}),
        ("car bo platin", {"carboplatin"}),
        ("a bemaciclib", {"abemaciclib"}),
        ("escalated BEACOPP",
         {"bleomycin", "cyclophosphamide", "doxorubicin", "etoposide", "prednisone", "procarbazine", "vincristine"}),
        ("osi mertinib 80 mg", {"osimertinib"}),
        ("dara-VRd", {"bortezomib", "daratumumab", "dexamethasone", "lenalidomide"}),
        ("PCV", {"lomustine", "procarbazine", "vincristine"}),
        ("trastuzumab-dkst", {"trastuzumab"}),
    ],
)  # fmt: skip
def test_a_name_is_heard_as_its_drugs(said, drugs):
    found = hear(f"I recommend {said}.", Kind.TURN).recommended
    assert {name for one in found for name in one.components} == drugs


@pytest.mark.parametrize(
    "text",
    [
        "The progesterone receptor is positive.", "His testosterone is castrate.", "All lesions take up DOTATATE.", "She is on tacrolimus.",
        "The IPI is 3.", "Give filgrastim and rasburicase.", "It crosses the midline, we come across it again.", "The S1 joint is free.",
    ],
)  # fmt: skip
def test_hormones_tracers_and_supportive_drugs_are_no_treatments(text):
    found = hear(text, Kind.TURN)
    assert (found.recommended, found.named) == ((), ())


def test_every_drug_of_the_list_has_the_spelling_of_the_vocabulary_where_that_knows_it():
    listed = heard_names()
    known = [name for name, drug in lexicon().drugs.items() if drug.kind == "drug" and listed.match(words(name), 0)]
    assert len(known) > 150
    for name in known:
        found = listed.match(words(name), 0)
        if found[1] == len(words(name)):
            assert set(found[0]) <= set(lexicon().drugs), name
