"""The curation exam agrees with itself: what it calls verbatim is, each span stands in its line, every class is there."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

EXAM = Path(__file__).parent / "curation_exam"
LEAKS = {"recommendation", "ordered_test", "inferred_negative", "restatement", "agreed_stage"}
KEEPS = {"prior_therapy", "referral_question", "pending_test", "finding", "history", "known_stage"}
STAGES = ("screen", "segmentation", "roles", "summary", "questions", "rephrase", "conclusion", "captions", "deleak")
IDENTIFIERS = {
    "name",
    "date",
    "place",
    "telephone",
    "fax",
    "email",
    "record_number",
    "ssn",
    "plan_number",
    "account",
    "vehicle",
    "device",
    "url",
    "ip",
    "age_over_89",
}


def loaded(name):
    return yaml.safe_load((EXAM / name).read_text(encoding="utf-8"))


def cues():
    """The cues of the meeting by number: (speaker, text, start, end in seconds)."""
    found = {}
    for block in (EXAM / "meeting.vtt").read_text(encoding="utf-8").split("\n\n")[1:]:
        if not block.strip():
            continue
        number, times, words = block.strip().split("\n")
        start, end = (
            sum(float(part) * 60**place for place, part in enumerate(reversed(time.split(":"))))
            for time in times.split(" --> ")
        )
        speaker, text = re.fullmatch(r"<v (\S+)>(.*)", words).groups()
        found[int(number)] = (speaker, text, start, end)
    return found


def flat(text):
    return " ".join(text.split())


def test_the_meeting_has_its_cues_in_time_and_five_speakers():
    expected, found = loaded("expected.yaml"), cues()
    assert len(found) == expected["cues"] >= 60
    assert sorted({speaker for speaker, *_ in found.values()}) == expected["speakers"]
    times = [time for _, _, start, end in found.values() for time in (start, end)]
    assert times == sorted(times)


def test_every_cue_belongs_to_a_case_or_to_none():
    expected = loaded("expected.yaml")
    inside = [number for case in expected["cases"] for number in range(case["first"], case["last"] + 1)]
    outside = expected["small_talk"] + expected["either"]
    assert sorted({*inside, *outside}) == list(range(1, expected["cues"] + 1))
    assert not set(inside) & set(expected["small_talk"])


def test_quotes_called_verbatim_are_and_the_others_are_not():
    found = cues()
    for quote in loaded("expected.yaml")["quotes"]:
        numbers = quote["cues"] or list(found)
        one_voice = len({found[number][0] for number in quote["cues"]}) <= 1
        said = flat(" ".join(found[number][1] for number in numbers))
        words = flat(quote["text"])
        stands = bool(words) and one_voice and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", said) is not None
        assert stands == (quote["state"] == "verbatim"), quote


def test_identifiers_and_look_alikes_stand_in_the_meeting():
    expected = loaded("expected.yaml")
    everything = " ".join(text for _, text, _, _ in cues().values()) + (EXAM / "slides.json").read_text(
        encoding="utf-8"
    )
    for entry in expected["identifiers"]:
        assert not [span for span in entry["spans"] if span not in everything]
    assert not [span for span in expected["not_identifiers"] if span not in everything]
    assert not [word for word in expected["never_in_output"] if word not in everything.lower()]


def test_one_speaker_is_mislabelled_and_put_right():
    expected = loaded("expected.yaml")
    given = {
        row["speaker"]: row["role"]
        for row in csv.DictReader((EXAM / "roles_given.csv").read_text(encoding="utf-8").splitlines())
    }
    right = {
        row["speaker"]: row["role"]
        for row in csv.DictReader((EXAM / "roles_corrected.csv").read_text(encoding="utf-8").splitlines())
    }
    wrong = {speaker for speaker, role in given.items() if role != expected["roles"][speaker]}
    assert wrong == {expected["mislabelled"]["speaker"]} == set(right)
    assert {**given, **right} == expected["roles"]


def test_slides_and_conclusions_match_the_meeting():
    expected, found = loaded("expected.yaml"), cues()
    slides = json.loads((EXAM / "slides.json").read_text(encoding="utf-8"))
    assert {slide["slide_id"] for slide in slides} == set(expected["slides"])
    for case in expected["conclusions"]:
        limits = expected["cases"][case["case"] - 1]
        said = " ".join(found[number][1] for number in range(limits["first"], limits["last"] + 1))
        assert not [quote for quote in case["quotes"] if quote not in said]
        assert not [word for word in case["not_of_this_case"] if word in said]


def test_thirty_summaries_with_every_kind_of_leak_and_of_look_alike():
    cases = loaded("leaks.yaml")
    assert len({case["id"] for case in cases}) == len(cases) == 30
    kinds = Counter((sentence["label"], sentence["kind"]) for case in cases for sentence in case["sentences"])
    assert {kind for label, kind in kinds if label == "leak"} == LEAKS
    assert {kind for label, kind in kinds if label == "keep"} == KEEPS
    assert min(kinds.values()) >= 3
    summaries = loaded("expected.yaml")["summaries"]
    planted = {sentence["kind"] for case in summaries for sentence in case["sentences"] if sentence["label"] == "leak"}
    assert planted == LEAKS


def test_sixty_lines_to_scrub_with_their_spans():
    lines = loaded("scrub.yaml")["lines"]
    assert len(lines) == 60
    for line in lines:
        spans = [span for found in line["lost"].values() for span in found]
        assert not [span for span in [*spans, *line["stays"]] if span not in line["text"]], line["text"]
        assert spans or line["stays"]
    assert {kind for line in lines for kind in line["lost"]} == IDENTIFIERS
    assert sum(not line["lost"] for line in lines) >= 20, "look-alikes without an identifier"


def test_every_broken_file_is_expected_and_there():
    expected = loaded("broken/expected.yaml")
    assert {entry["file"] for entry in expected} == {path.name for path in (EXAM / "broken").iterdir()} - {
        "expected.yaml"
    }
    for entry in expected:
        assert entry["faults"]
        assert entry["fatal"] == (not entry.get("kept") and not entry.get("kept_roles"))
        assert not [
            text
            for text in entry.get("kept", ())
            if text.encode() not in (EXAM / "broken" / entry["file"]).read_bytes()
        ]


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_has_sound_and_malformed_replies(stage):
    exam = loaded("stages.yaml")
    replies = exam[stage]["replies"]
    outcomes = {reply["outcome"] for reply in replies}
    assert {"accepted", "rejected"} <= outcomes <= {"accepted", "repaired", "partial", "rejected"}
    assert len({reply["name"] for reply in replies}) == len(replies)
    for reply in replies:
        assert (reply.get("reason") in exam["reasons"]) == (reply["outcome"] in ("rejected", "partial")), reply["name"]
    assert exam[stage]["fallback"]


def test_the_pieces_that_a_sound_deletion_names_stand_in_the_summary():
    exam = loaded("stages.yaml")["deleak"]
    for reply in exam["replies"]:
        if reply["outcome"] == "accepted":
            left = exam["summary"]
            for piece in json.loads(reply["reply"])["delete"]:
                assert piece in left
                left = flat(left.replace(piece, ""))
            assert left == reply["left"]
