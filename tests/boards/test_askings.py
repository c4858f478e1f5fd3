"""What a run asks: of one split and one arm, without leaks, and with everything left out counted."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path

import pytest

from boards_help import PNG
from equipoise.boards.askings import WITHOUT, board_askings, turn_askings
from equipoise.boards.demo import demo_cases
from equipoise.boards.formats.own import write_cases
from equipoise.boards.vocabulary import Arm, Split
from equipoise.errors import InputError, UsageError

FILES = Path(__file__).parent / "files"
CASES = demo_cases()


def written(path, cases):
    path.write_text(write_cases(cases), encoding="utf-8")
    return str(path)


def pictured(case, *names):
    slides = tuple(dataclasses.replace(slide, image=name) for slide, name in zip(case.slides, names, strict=True))
    return dataclasses.replace(case, slides=slides)


@pytest.fixture
def source(tmp_path):
    """Two cases with pictures, one with captions alone, one without slides; and the folder of pictures."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name in ("a.png", "b.png", "c.png"):
        (folder / name).write_bytes(PNG + name.encode())
    two = next(case for case in CASES if len(case.slides) == 2 and case.split is Split.TEST)
    others = [case for case in CASES if len(case.slides) == 1 and case.split is Split.TEST]
    bare = dataclasses.replace(
        others[2], slides=(), turns=tuple(dataclasses.replace(turn, slides=()) for turn in others[2].turns)
    )
    cases = (pictured(two, "b.png", "a.png"), pictured(others[0], "c.png"), others[1], bare)
    return written(tmp_path / "cases.jsonl", cases), str(folder), cases


def test_only_the_split_asked_for_is_asked():
    asked = board_askings(None)
    assert {item.split for item in asked.items} == {Split.TEST}
    assert asked.notes == ("5 left out: not of the split test",)
    assert {item.split for item in board_askings(None, split="train").items} == {Split.TRAIN}
    assert len(board_askings(None, split="all").items) == len(CASES)
    with pytest.raises(UsageError, match="expected one of train, validation, test, all; found 'dev'"):
        board_askings(None, split="dev")


def test_a_release_is_asked_of_its_test_files_alone(tmp_path):
    for name in ("task1_test.jsonl", "task2_test.jsonl", "task1_train.jsonl.gz", "split.json"):
        (tmp_path / name).write_bytes((FILES / name).read_bytes())
    asked = board_askings(str(tmp_path))
    assert [item.id for item in asked.items] == ["sim_000001", "sim_000002"]
    assert "without a reference" in " ".join(asked.notes)
    assert all(item.split is Split.TEST for item in turn_askings(str(tmp_path)).items)
    trained = board_askings(str(tmp_path), split="train")
    assert {item.recording for item in trained.items} == {"video_0009"}
    with pytest.raises(UsageError, match="a folder is read as a release"):
        board_askings(str(tmp_path), "task1")


def test_a_source_without_splits_is_asked_whole_and_says_so():
    asked = board_askings(str(FILES / "hospital.csv"), "hospital")
    assert asked.items
    assert "the source has no splits; all of it is asked" in asked.notes


def test_a_recording_in_two_splits_is_refused(tmp_path):
    cases = (CASES[0], dataclasses.replace(CASES[1], recording=CASES[0].recording, split=Split.TEST))
    with pytest.raises(InputError, match="a recording must be in one split only: 'demo-meeting-a'"):
        board_askings(written(tmp_path / "cases.jsonl", cases))


@pytest.mark.parametrize("place", ["text", "caption"])
def test_a_case_whose_text_holds_its_conclusion_is_refused_by_name(tmp_path, place):
    case = CASES[3]
    words = case.conclusion.text.upper().replace(" ", "\n ")
    leaking = (
        dataclasses.replace(case, text=f"{case.text}\n\n{words}")
        if place == "text"
        else dataclasses.replace(case, slides=(dataclasses.replace(case.slides[0], caption=words), *case.slides[1:]))
    )
    path = written(tmp_path / "cases.jsonl", (leaking, CASES[4]))
    with pytest.raises(
        InputError, match=f"the reference stands word for word in what the system is shown: '{case.id}'"
    ):
        board_askings(path)
    asked = board_askings(path, leaks="leave-out")
    assert [item.id for item in asked.items] == [CASES[4].id]
    assert "1 left out: the reference stands in what the system is shown" in asked.notes
    with pytest.raises(InputError, match=f"'{case.questions[0].id}'"):
        turn_askings(path)


def test_another_acceptable_conclusion_leaks_as_well(tmp_path):
    case = next(case for case in CASES if case.references and case.split is Split.TEST)
    leaking = dataclasses.replace(case, text=f"{case.text} {case.references[0]}")
    with pytest.raises(InputError, match=case.id):
        board_askings(written(tmp_path / "cases.jsonl", (leaking,)))


def test_questions_can_be_chosen_by_type_and_role():
    asked = turn_askings(None, split="all", types=["uncertainty"], roles=["radiation oncologist"])
    assert asked.items
    assert {(one.question.type.value, one.question.role.value) for one in asked.items} == {
        ("uncertainty", "radiation oncologist")
    }
    assert len(asked.items) + int(asked.notes[-1].split()[0]) == sum(len(case.questions) for case in CASES)


def test_slides_of_the_turn_are_those_that_were_up():
    whole = {one.id: one for one in turn_askings(None, split="all").items}
    fewer = 0
    for one in turn_askings(None, split="all", slides="turn").items:
        turn = one.case.turn(one.question.turn)
        assert tuple(slide.id for slide in one.slides) == tuple(id_ for id_ in turn.slides)
        fewer += len(one.slides) < len(whole[one.id].slides)
    assert fewer
    with pytest.raises(UsageError, match="no turns with times"):
        turn_askings(str(FILES / "task2_test.jsonl"), "task2", slides="turn")


@pytest.mark.parametrize("form", [*WITHOUT, "task2", "nonsense"])
def test_a_form_that_no_board_can_be_asked_from_says_why(form):
    with pytest.raises(UsageError, match="form"):
        board_askings(str(FILES / "task1_test.jsonl"), form)


def test_a_bad_row_is_left_out_and_told_without_a_folder(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text(write_cases(CASES[:5]) + "{broken\n", encoding="utf-8")
    asked = board_askings(str(path), split="all")
    assert len(asked.items) == 5
    (note,) = asked.notes
    assert note.startswith("1 rows could not be read and are left out, such as cases.jsonl, line 6")
    assert str(tmp_path) not in note


def test_nothing_left_is_an_error_that_says_why(tmp_path):
    bare = [dataclasses.replace(case, conclusion=None) for case in CASES[:2]]
    with pytest.raises(UsageError, match="nothing is left to ask .*2 left out: without a reference"):
        board_askings(written(tmp_path / "cases.jsonl", bare))


def test_an_id_that_comes_twice_is_refused(tmp_path):
    first, second = CASES[3], CASES[4]
    same = dataclasses.replace(second.questions[0], id=first.questions[0].id)
    second = dataclasses.replace(second, questions=(same,))
    with pytest.raises(InputError, match="an id must come once"):
        turn_askings(written(tmp_path / "cases.jsonl", (first, second)))


def test_a_source_of_decisions_alone_is_held_against_them():
    asked = board_askings(str(FILES / "hospital.csv"), "hospital")
    assert all(item.references[0].strip() for item in asked.items)


def test_the_image_arm_takes_pictures_in_the_order_of_the_slides(source):
    path, folder, cases = source
    asked = board_askings(path, arm=Arm.IMAGES, images=folder)
    assert [[picture.name for picture in item.pictures] for item in asked.items] == [["b.png", "a.png"], ["c.png"], []]
    assert "1 left out: slides without a picture" in asked.notes
    assert "1 have no slide and are asked as in the arm captions, as placebo" in asked.notes
    assert {item.id for item in asked.items} == {cases[0].id, cases[1].id, cases[3].id}
    assert all(not item.pictures for item in board_askings(path).items)


def test_the_arms_never_have_the_same_hash_nor_do_other_pictures(source):
    path, folder, _ = source
    captions = board_askings(path).hash
    images = board_askings(path, arm=Arm.IMAGES, images=folder).hash
    assert captions == board_askings(path).hash
    assert images == board_askings(path, arm=Arm.IMAGES, images=folder).hash
    (Path(folder) / "a.png").write_bytes(PNG + b"another")
    assert len({captions, images, board_askings(path, arm=Arm.IMAGES, images=folder).hash}) == 3


def test_an_index_of_slides_names_the_pictures(source):
    path, folder, cases = source
    index = [{"task": "task1", "split": "test", "id": cases[2].id, "images": ["a.png"]}]
    (Path(folder) / "slides_index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in index), encoding="utf-8")
    asked = board_askings(path, arm=Arm.IMAGES, images=folder)
    assert next(item for item in asked.items if item.id == cases[2].id).pictures[0].name == "a.png"
    plain = Path(folder) / "slides_index.jsonl"
    (Path(folder) / "slides_index.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes() + b"{}\n"))
    plain.unlink()
    packed = board_askings(path, arm=Arm.IMAGES, images=folder)
    assert packed.hash == asked.hash
    assert any("1 rows could not be read" in note and "slides_index.jsonl.gz" in note for note in packed.notes)
    index[0]["images"] = ["a.png", "b.png"]
    (Path(folder) / "slides_index.jsonl").write_text(json.dumps(index[0]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="has 1 slides and 2 pictures"):
        board_askings(path, arm=Arm.IMAGES, images=folder)


def test_missing_pictures_and_arms_that_do_not_fit_are_said(source):
    path, folder, _ = source
    (Path(folder) / "a.png").unlink()
    with pytest.raises(InputError, match=r"1 of the pictures cannot be used: 'a\.png' is not there"):
        board_askings(path, arm=Arm.IMAGES, images=folder)
    with pytest.raises(UsageError, match="the arm images needs a folder of pictures"):
        board_askings(path, arm=Arm.IMAGES)
    with pytest.raises(UsageError, match="pictures are shown in the arm images alone"):
        board_askings(path, images=folder)
    with pytest.raises(UsageError, match="no case has a picture"):
        board_askings(None, arm=Arm.IMAGES, images=folder)
