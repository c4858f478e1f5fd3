"""The model as the second reader of the scrub, with stored replies, and the file of a person who read the texts."""

from __future__ import annotations

import json

import pytest

from boards.curation.meeting import folder_with, rows
from equipoise.boards.curation import second_reader
from equipoise.boards.curation.asker import read_replays
from equipoise.boards.curation.marks import is_unread
from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.runner import curate
from equipoise.boards.formats.own import read_cases

NAMED = [
    {"text": "zentrimar", "kind": "patient"},
    {"text": "Wexlington", "kind": "patient"},
    {"text": "osimertinib", "kind": "other"},
    {"text": "Gleason", "kind": "patient"},
    {"text": "NCT03521154", "kind": "number"},
    {"text": "station", "kind": "starship"},
]


def run(place, reply):
    folder = folder_with(place / "meeting")
    slides = json.loads((folder / "slides.json").read_text(encoding="utf-8"))
    marked = json.dumps(slides).replace('"caption": "', '"caption": "copy zentrimar. ')
    (folder / "slides.json").write_text(marked, encoding="utf-8")
    stored = [
        *rows(),
        *({"stage": "scrub", "unit": f"meeting/{n}", "attempt": t, "reply": reply} for n in (1, 2, 3) for t in (1, 2)),
    ]
    path = place / "replies.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in stored), encoding="utf-8")
    replays = read_replays([path]) if reply is not None else read_replays([_without(path)])
    return folder, replays, curate(folder, replays=replays)


def _without(path):
    kept = [line for line in path.read_text(encoding="utf-8").splitlines() if '"stage": "scrub"' not in line]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    return path


def read_back(folder, stage, name):
    text = (folder / "stages" / stage / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if name.endswith("jsonl") else json.loads(text)


def cases(folder):
    return read_cases(folder / "stages" / "12-build" / "board.jsonl").items


def everything(folder):
    return (folder / "stages" / "12-build" / "board.jsonl").read_text(encoding="utf-8").casefold()


def test_what_the_model_names_goes_and_what_is_no_identifier_stays(tmp_path):
    folder, replays, _ = run(tmp_path, json.dumps({"identifiers": NAMED}))
    text = everything(folder)
    assert "zentrimar" not in text
    assert "osimertinib" in text
    assert "gleason" in text
    reasons = {row["value"]: row["reason"] for row in read_back(folder, "11-scrub", "rejects.jsonl") if "value" in row}
    assert reasons["Wexlington"] == Reason.IDENTIFIER_NOT_THERE
    assert reasons["osimertinib"] in (Reason.PROTECTED_TERM, Reason.IDENTIFIER_NOT_THERE)
    assert reasons["Gleason"] in (Reason.PROTECTED_TERM, Reason.IDENTIFIER_NOT_THERE)
    assert reasons["station"] == Reason.UNKNOWN_TYPE
    assert read_back(folder, "11-scrub", "report-01.json")["looked_at_by"] == "rules and model"
    assert all("identifiers replaced by rule and model; not read by a person" in case.notes for case in cases(folder))
    before = everything(folder)
    curate(folder, replays=replays, start="scrub")
    assert everything(folder) == before


def test_a_malformed_reply_stands_in_the_rejects_and_the_rules_still_apply(tmp_path):
    folder, _, reports = run(tmp_path, "I found some names: zentrimar")
    assert reports[10].rejected[Reason.REPLY_UNREADABLE.value] >= 2
    assert "zentrimar" in everything(folder)
    assert "brannigan" not in everything(folder)
    assert read_back(folder, "11-scrub", "report-01.json")["looked_at_by"] == "rules"


def test_without_a_reply_the_rules_stand_alone_and_the_case_says_so(tmp_path):
    folder, _, reports = run(tmp_path, None)
    assert reports[10].open == 0
    assert cases(folder)
    assert all(is_unread(case) for case in cases(folder))
    assert all("identifiers replaced by rule; not read by a person" in case.notes for case in cases(folder))


def test_a_person_confirms_with_the_hash_of_the_scrubbed_texts(tmp_path):
    folder, replays, _ = run(tmp_path, None)
    told = read_back(folder, "11-scrub", "report-01.json")["texts_hash"]
    (folder / "meeting.read.yaml").write_text(f"who: R. Reader\nhash: {told}\n", encoding="utf-8")
    curate(folder, replays=replays)
    assert not any(is_unread(case) for case in cases(folder))
    assert all("identifiers replaced by rule; read by a person (R. Reader)" in case.notes for case in cases(folder))
    (folder / "meeting.read.yaml").write_text("who: R. Reader\nhash: of other texts\n", encoding="utf-8")
    reports = curate(folder, replays=replays)
    assert all(is_unread(case) for case in cases(folder))
    assert reports[10].rejected[Reason.FILE_UNREADABLE.value] == 1


@pytest.mark.parametrize(
    ("words", "kind", "refused"),
    [
        ("osimertinib", "other", Reason.PROTECTED_TERM),
        ("Gleason", "patient", Reason.PROTECTED_TERM),
        ("PMID 38828946", "number", Reason.PROTECTED_TERM),
        ("margin", "town", Reason.PROTECTED_TERM),
        ("May", "date", Reason.PROTECTED_TERM),
        ("last week", "date", Reason.PROTECTED_TERM),
        ("sixty-two", "age", Reason.PROTECTED_TERM),
        ("ninety-two", "age", None),
        ("Chest", "town", Reason.PROTECTED_TERM),
        ("Ohio", "town", Reason.PROTECTED_TERM),
        ("Nobody", "patient", Reason.IDENTIFIER_NOT_THERE),
        ("Tibby", "pet", Reason.UNKNOWN_TYPE),
        ("Tibby", "patient", None),
        ("room 12", "other", None),
    ],
)
def test_every_span_is_checked(words, kind, refused):
    text = "Tibby in room 12 has Gleason 7 at the margin; osimertinib, PMID 38828946. "
    text += "May she travel? She may. Seen last week, sixty-two, mother ninety-two, from Ohio. Chest CT of the chest."
    found = second_reader.read("unit", json.dumps({"identifiers": [{"text": words, "kind": kind}]}), text)
    assert [reject.reason for reject in found.rejects] == ([] if refused is None else [refused])
    assert len(found.rows) == (refused is None)


def test_a_long_recording_is_shown_in_parts_and_nothing_twice():
    parts = second_reader.parts(["a" * 4000, "b" * 4000, "a" * 4000])
    assert parts == ["a" * 4000, "b" * 4000]
