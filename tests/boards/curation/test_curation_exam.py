"""The scrub and the finder of leaks on the exam of the curation pipeline, and on held-out lines.

First contact with the exam: 44 of 44 identifiers gone, 72 of 74 look-alikes kept; 9 of 51 leaks suspected, 55 of 56 other
sentences left alone.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from boards.curation.exam import EXAM, grade_leaks, grade_scrub, read
from equipoise.boards.curation.deleak import LeakRule, find_leaks, sentences, verify_deletions
from equipoise.boards.curation.scrub import scrub
from equipoise.boards.curation.transcripts import merge_turns, read_transcript
from equipoise.boards.demo import demo_cases
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role

HELD_OUT = yaml.safe_load((Path(__file__).parent / "held_out.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("together", [True, False], ids=["one recording", "line by line"])
def test_the_scrub_passes_the_exam(together):
    counts, wrong = grade_scrub(read("scrub.yaml"), together=together)
    assert wrong == []
    assert counts == {"identifiers": 44, "gone": 44, "look-alikes": 74, "kept": 74}


def test_the_tuned_half_of_the_second_exam_stays_where_it_is():
    lines = [line for line in read("scrub_second.yaml")["lines"] if line["half"] == "tuned"]
    counts, wrong = grade_scrub({"names": [], "lines": lines}, together=False)
    assert wrong == []
    assert counts == {"identifiers": 71, "gone": 71, "look-alikes": 120, "kept": 120}


def test_the_invented_cases_hold_no_identifier_and_stay_as_they_are():
    cases = demo_cases()
    texts = {f"{case.id}/{turn.id}": turn.text for case in cases for turn in case.turns} | {
        case.id: case.text for case in cases
    }
    assert dict(scrub(texts, seed=5).texts) == texts


def test_leaks_are_suspected_and_nothing_else():
    counts, wrong = grade_leaks(read("leaks.yaml"))
    assert wrong == []
    assert (counts["leak"], counts["keep"]) == (51, 56)


def test_the_tuned_half_of_the_second_exam():
    """First contact: 29 of 55 leaks, 105 of 111 others left alone. The held-out half is not looked at here."""
    counts, _ = grade_leaks([case for case in read("leaks_second.yaml") if case["half"] == "tuned"])
    assert (counts["leak"], counts["keep"]) == (55, 111)
    assert counts["leak right"] >= 54
    assert counts["keep right"] >= 111


def test_the_invented_board_cases_are_rarely_suspected():
    """No leak is known in their texts, so every suspicion counts as a wrong flag: fewer than 8 in a hundred sentences."""
    flags = [
        len(find_leaks(case.text, case.turns, case.conclusion.text if case.conclusion else "")) for case in demo_cases()
    ]
    sentences_of = sum(not part.heading for case in demo_cases() for part in sentences(case.text))
    assert sentences_of == 169
    assert sum(flags) <= 13


def test_the_verifier_does_not_read_the_signs_of_other_words():
    """A sign alone lets a reader look; it lets nothing be deleted."""
    turns = (
        Turn(id="1", speaker="m", role=Role.MODERATOR, text="A man of fifty with a mass in the left kidney."),
        Turn(id="2", speaker="s", role=Role.SURGEON, text="Partial nephrectomy, I would say."),
    )
    text = "A mass lies in the left kidney. He has an appointment at the stone clinic."
    found = find_leaks(text, turns, "")
    assert [(item.rules, item.strong) for item in found] == [((LeakRule.ARRANGED,), False)]
    assert verify_deletions(text, "A mass lies in the left kidney.", turns)


@pytest.mark.parametrize(
    "sentence",
    [
        "His urologist had scheduled a nephrectomy.",
        "A board in the spring chose observation.",
        "He wants the kidney to stay.",
        "Guidelines usually name partial nephrectomy for small masses.",
        "Surgery or ablation is still to be settled.",
    ],
)
def test_what_comes_from_elsewhere_is_left_alone(sentence):
    turns = (
        Turn(id="1", speaker="m", role=Role.MODERATOR, text="A mass in the kidney. A board saw him in the spring."),
        Turn(id="2", speaker="s", role=Role.SURGEON, text="I recommend partial nephrectomy and no ablation."),
    )
    assert find_leaks(sentence, turns, "") == ()


def test_no_fact_known_before_may_be_deleted_and_most_leaks_may():
    counts, _ = grade_leaks(read("leaks.yaml"))
    assert counts["keep deletable"] == 0
    assert counts["leak deletable"] >= 39


def test_the_meeting_holds_no_identifier_afterwards():
    expected = read("expected.yaml")
    turns = merge_turns(read_transcript(EXAM / "meeting.vtt").items, roles={}, join=False)
    texts = {turn.id: turn.text for turn in turns} | {
        "slides": json.dumps(json.loads((EXAM / "slides.json").read_text(encoding="utf-8")))
    }
    before = "\n".join(texts.values())
    after = "\n".join(scrub(texts, seed=5).texts.values())
    assert [word for word in expected["never_in_output"] if word in after.casefold()] == []
    assert [word for word in expected["not_identifiers"] if word in before and word not in after] == []


def test_held_out_lines_are_at_least_as_good_as_when_first_met():
    counts, _ = grade_scrub(HELD_OUT["scrub"], together=False)
    assert counts["identifiers"] == 24
    assert counts["gone"] >= 14
    assert counts["kept"] >= 22
    leaks, _ = grade_leaks(HELD_OUT["leaks"])
    assert leaks["leak right"] >= 5
    assert leaks["keep right"] >= 9
