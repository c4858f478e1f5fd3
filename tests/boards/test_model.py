"""The model of a board case, its own file form, and splits made by recording."""

from __future__ import annotations

import json

import pytest

from equipoise.boards.formats.opentumorboard import sections_of, slides_of
from equipoise.boards.formats.own import FORMAT, read_cases, write_cases
from equipoise.boards.formats.splits import enforce_splits, split_recordings
from equipoise.boards.model import Slide, Split, slides_at
from equipoise.boards.vocabulary import TARGET_ROLES, Role, category_of, role_of
from equipoise.errors import InputError

ROW = {
    "format": FORMAT,
    "id": "c1",
    "recording": "r1",
    "text": "[Diagnosis]\nInvented.",
    "slides": [{"id": "s1", "caption": "CT", "start": 0.0}, {"id": "s2", "caption": "Histology", "start": 10.0}],
    "turns": [
        {"id": "t1", "speaker": "A", "role": "radiologist", "text": "One lesion.", "start": 1.0, "end": 12.0},
        {"id": "t2", "speaker": "B", "role": "surgeon", "text": "I would resect.", "start": 12.0, "end": 15.0},
    ],
    "questions": [
        {
            "id": "q1",
            "type": "treatment_recommendation",
            "role": "surgeon",
            "text": "Resect?",
            "answer": "Yes",
            "turn": "t2",
        }
    ],
    "conclusion": {
        "text": "Resect.",
        "quotes": [{"text": "I would resect.", "turn": "t2"}],
        "disposition": "decided",
        "decisions": [
            {"kind": "therapy", "scope": "absent"},
            {"kind": "surgery", "scope": "positive", "text": "Resect."},
            {"kind": "next_action", "scope": "absent"},
            {"kind": "clinical_trial", "scope": "negative", "text": "None open."},
        ],
        "dissent": [{"turn": "t1", "role": "radiologist", "text": "Wait.", "recorded": False}],
    },
}

DISSENT = ROW["conclusion"]["dissent"][0]


def load(tmp_path, *rows):
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return read_cases(path)


def test_a_case_is_written_and_read_back_equal(tmp_path):
    (case,) = load(tmp_path, ROW).items
    assert [turn.slides for turn in case.turns] == [("s1", "s2"), ("s2",)]
    path = tmp_path / "again.jsonl"
    path.write_text(write_cases([case]), encoding="utf-8")
    (again,) = read_cases(path).items
    assert again == case
    assert again.hash == case.hash


def test_the_hash_sees_every_word_but_not_the_split(tmp_path):
    (case,) = load(tmp_path, ROW).items
    (other,) = load(tmp_path, ROW | {"split": "test"}).items
    (changed,) = load(tmp_path, ROW | {"text": "[Diagnosis]\nInvented!"}).items
    assert other.hash == case.hash
    assert changed.hash != case.hash


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"format": "x"}, "format"),
        ({"turns": [ROW["turns"][0], ROW["turns"][0]]}, "turns"),
        ({"turns": [ROW["turns"][0] | {"slides": ["s9"]}, ROW["turns"][1]]}, "turns[0].slides"),
        ({"questions": [ROW["questions"][0] | {"turn": "t9"}]}, "questions[0].turn"),
        ({"questions": [ROW["questions"][0] | {"role": "moderator"}]}, "questions[0].role"),
        ({"conclusion": ROW["conclusion"] | {"decisions": ROW["conclusion"]["decisions"][:3]}}, "conclusion.decisions"),
        ({"conclusion": ROW["conclusion"] | {"disposition": "lost"}}, "conclusion.disposition"),
        ({"conclusion": ROW["conclusion"] | {"dissent": [DISSENT | {"recorded": "no"}]}}, "conclusion.dissent[0].recorded"),
        ({"slides": [{"id": "s1", "image": "../x.png"}, {"id": "s2"}]}, "slides[0].image"),
        ({"turns": [ROW["turns"][0] | {"end": 0.5}, ROW["turns"][1]]}, "turns[0].end"),
    ],
)  # fmt: skip
def test_a_fault_is_named_and_the_next_case_is_read(tmp_path, change, field):
    loaded = load(tmp_path, ROW | change, ROW | {"id": "c2"})
    assert [case.id for case in loaded.items] == ["c2"]
    assert [problem.field for problem in loaded.problems] == [field]


def test_slides_are_aligned_by_time():
    slides = (
        Slide(id="a", caption="", start=0),
        Slide(id="b", caption="", start=10, end=20),
        Slide(id="c", caption=""),
    )
    assert slides_at(slides, 5, 9) == ("a",)
    assert slides_at(slides, 9, 11) == ("a", "b")
    assert slides_at(slides, 20, 30) == ()
    assert slides_at(slides, None, None) == ()


def test_sections_and_slides_of_a_text():
    assert dict(sections_of("[A]\none\n[B]\ntwo [not a heading]\n[A]\nthree")) == {
        "A": "one\nthree",
        "B": "two [not a heading]",
    }
    assert [slide.caption for slide in slides_of("<image> one\nmore\n<image>two")] == ["one more", "two"]
    assert [slide.caption for slide in slides_of("plain\n\nlines")] == ["plain", "lines"]
    assert slides_of("") == ()


def test_roles_and_categories_by_their_spellings():
    assert role_of("Medical_Oncologist") is Role.MEDICAL_ONCOLOGIST
    assert role_of("genetic counsellor") is Role.GENETIC_COUNSELOR
    assert role_of("magician") is None
    assert len(TARGET_ROLES) == 10
    assert category_of("Systemic Therapy") is not None
    assert category_of("therapy") is None


def test_splits_are_made_by_recording_and_do_not_depend_on_order():
    names = [f"r{number}" for number in range(20)]
    first = split_recordings(names, seed=1)
    assert first == split_recordings(reversed(names), seed=1)
    assert first != split_recordings(names, seed=2)
    counts = [list(first.values()).count(split) for split in Split]
    assert counts == [12, 2, 6]


def test_few_recordings_still_reach_every_split():
    assert sorted(split_recordings(["a", "b", "c"]).values()) == sorted(Split)


def test_a_case_without_a_recording_cannot_be_split():
    with pytest.raises(InputError, match="give it one"):
        split_recordings(["a", ""])


def test_shares_must_sum_to_one():
    with pytest.raises(InputError, match="sum to 1"):
        split_recordings(["a"], shares=(0.5, 0.1, 0.1))


def test_every_recording_in_two_splits_is_named():
    with pytest.raises(InputError, match="'a' in test and train; 'b' in test and validation"):
        enforce_splits([("a", Split.TRAIN), ("a", Split.TEST), ("b", Split.TEST), ("b", Split.VALIDATION), ("c", None)])
