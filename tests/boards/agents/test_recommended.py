"""Sentences written before the rules, and what each recommends."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from equipoise.boards.demo import demo_cases
from equipoise.boards.recommended import Kind, Why, hear, hear_turn, recommended_in

FOLDER = Path(__file__).parent
SENTENCES = [
    row
    for name in ("recommendations", "recommendations_more", "heard", "unseen", "layout")
    for row in yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("row", SENTENCES, ids=lambda row: row["say"][:60])
def test_a_sentence_recommends_as_written(row):
    found = recommended_in(row["say"], Kind(row.get("as", "turn")))
    assert sorted(list(item.components) for item in found) == sorted(
        sorted(names) for names in row.get("reads", row["audit"])
    )


def test_there_are_enough_sentences_of_every_kind_and_both_outcomes():
    assert len(SENTENCES) >= 140
    assert sum("reads" in row for row in SENTENCES) <= 1
    for kind in Kind:
        own = [row for row in SENTENCES if row.get("as", "turn") == kind]
        assert {bool(row["audit"]) for row in own} == {True, False}, kind


def test_the_line_of_a_proposal_and_the_words_name_a_regimen_once():
    found = hear_turn("I recommend osimertinib. I would give durvalumab later.", "osimertinib 80 mg daily").recommended
    assert [item.text for item in found] == ["osimertinib", "durvalumab"]


def test_a_word_of_setting_before_the_regimen_goes_with_it():
    (found,) = recommended_in("Adjuvant alectinib is given for two years.", Kind.CONCLUSION)
    assert (found.text, found.components) == ("adjuvant alectinib", ("alectinib",))


def test_a_brand_name_is_its_drug():
    (found,) = recommended_in("I recommend Tagrisso.", Kind.TURN)
    assert found.components == ("osimertinib",)


def test_text_of_any_length_is_read_in_time_that_grows_with_it():
    assert recommended_in("I recommend " * 2_000 + "alectinib", Kind.TURN)
    assert [item.text for item in recommended_in("osimertinib, " * 2_000, Kind.TURN)] == ["osimertinib"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("She progressed on erlotinib.", Why.HISTORY),
        ("I would not give alectinib.", Why.REJECTED),
        ("Has anybody considered lorlatinib?", Why.QUESTION),
        ("FLAURA compared osimertinib with gefitinib.", Why.NOT_RECOGNISED),
    ],
)
def test_what_is_named_and_not_recommended_says_why(text, why):
    found = hear(text, Kind.TURN)
    assert found.recommended == ()
    assert {item.why for item in found.named} == {why}


def test_a_drug_recommended_elsewhere_in_the_text_is_not_named_besides():
    found = hear("Would anyone give afatinib? I recommend afatinib. Not erlotinib.", Kind.TURN)
    assert [item.text for item in found.recommended] == ["afatinib"]
    assert [(item.components, item.why) for item in found.named] == [(("erlotinib",), Why.REJECTED)]


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("Does the board favour alectinib?", ["alectinib"]),
        ("In FLAURA, osimertinib was better than gefitinib.", ["osimertinib"]),
        ("Afatinib was discussed.", ["afatinib"]),
        ("Consider durvalumab after the radiation.", ["durvalumab"]),
        ("Although osimertinib can cause pneumonitis, it is started.", ["osimertinib"]),
        ("The question of lorlatinib is left to the next meeting.", ["lorlatinib"]),
        ("She progressed on erlotinib; alectinib was rejected.", []),
    ],
)
def test_in_a_conclusion_only_history_and_rejection_keep_a_drug_from_the_audit(text, drugs):
    assert [item.text for item in recommended_in(text, Kind.CONCLUSION)] == drugs


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("With an IPI of three I would start today.", []),
        ("The IPI is 4 and the IPI score before was 2.", []),
        ("IPI 3, stage three.", []),
        ("I recommend ipi 3 mg/kg with nivo 1 mg/kg.", ["ipilimumab", "nivolumab"]),
        ("I recommend nivo 1 with ipi 3.", ["nivolumab", "ipilimumab"]),
        ("I recommend IPI/NIVO.", ["ipilimumab + nivolumab"]),
        ("We give ipi for four doses.", ["ipilimumab"]),
        ("I recommend pasireotide.", ["pasireotide"]),
        ("I recommend R-CHP.", ["cyclophosphamide + doxorubicin + prednisone + rituximab"]),
    ],
)
def test_a_prognostic_index_is_no_drug_and_an_abbreviated_drug_stays_one(text, heard):
    found = [item.text for item in recommended_in(text, Kind.TURN)]
    assert sorted(" + ".join(found).split(" + ")) == sorted(" + ".join(heard).split(" + "))


PROPOSED = {
    "demo-15": ["selpercatinib", "pralsetinib"],
    "demo-16": ["durvalumab"],
    "demo-17": ["cisplatin + durvalumab + gemcitabine", "durvalumab", "chemotherapy + radiotherapy"],
    "demo-18": [],
    "demo-19": ["olaparib", "niraparib"],
    "demo-20": ["chemotherapy + cisplatin + radiotherapy", "pembrolizumab", "carboplatin + paclitaxel"],
    "demo-21": ["chemotherapy + cisplatin + radiotherapy", "cisplatin + docetaxel + fluorouracil"],
    "demo-22": ["docetaxel + fluorouracil + leucovorin + oxaliplatin"],
    "demo-23": [],
    "demo-24": ["lanreotide", "octreotide"],
    "demo-25": [],
    "demo-26": [
        "cyclophosphamide + doxorubicin + polatuzumab vedotin + prednisone + rituximab",
        "rituximab",
        "cyclophosphamide + doxorubicin + prednisone + rituximab + vincristine",
    ],
    "demo-27": ["bortezomib + daratumumab + lenalidomide"],
    "demo-28": [],
}
"""Systemic regimens that somebody proposes in the later packaged cases, as a reader takes them; steroids beside them are not named."""


def test_the_regimens_of_the_later_packaged_cases_are_heard_and_what_is_heard_besides_is_known():
    besides = []
    for case in demo_cases()[14:]:
        heard = [(turn.id, item.text) for turn in case.turns for item in recommended_in(turn.text, Kind.TURN)]
        assert {text for _, text in heard} >= set(PROPOSED[case.id]), case.id
        besides += [(case.id, turn, text) for turn, text in heard if text not in PROPOSED[case.id]]
    assert besides == [
        ("demo-20", "t12", "cisplatin"),
        ("demo-21", "t07", "cisplatin"),
        ("demo-21", "t08", "cisplatin"),
        ("demo-22", "t05", "chemotherapy + radiotherapy"),
        ("demo-22", "t05", "carboplatin + paclitaxel"),
        ("demo-22", "t07", "carboplatin + paclitaxel"),
        ("demo-22", "t12", "fluorouracil"),
        ("demo-25", "t01", "chemotherapy"),
    ]
