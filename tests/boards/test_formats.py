"""Readers of board files: what is read, what is refused with which sentence, and that a bad row loses nothing else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from equipoise.boards.formats.gi_wide import read_gi_wide
from equipoise.boards.formats.hospital import read_hospital
from equipoise.boards.formats.manifests import read_manifest
from equipoise.boards.formats.opentumorboard import read_release, read_slide_index, read_task1, read_task2
from equipoise.boards.formats.orchestrator import read_facts, read_queries, read_references, read_tbfact_summary
from equipoise.boards.formats.splits import read_splits
from equipoise.boards.model import Arm, DecisionKind, QuestionType, Role, Scope, Split, TreatmentCategory
from equipoise.errors import InputError, UsageError

FILES = Path(__file__).parent / "files"


def told(loaded) -> list[tuple[int | None, str | None]]:
    return [(problem.line, problem.field) for problem in loaded.problems]


def test_task1_gives_cases_with_sections_slides_and_conclusion():
    loaded = read_task1(FILES / "task1_test.jsonl", split=Split.TEST)
    assert loaded.problems == ()
    first, second, third = loaded.items
    assert (first.id, first.recording, first.split) == ("sim_000001", "video_0001", Split.TEST)
    assert (first.start, first.end) == (12.5, 640.0)
    assert first.sections["Imaging"] == "MRI: one lesion of 3 cm."
    assert [slide.caption for slide in first.slides] == ["MRI of the breast, one lesion.", "Core biopsy, low power."]
    assert first.conclusion is not None
    assert first.conclusion.text.startswith("The board advises surgery first.")
    assert second.slides == ()
    assert third.conclusion is None, "an empty conclusion is no conclusion"
    assert third.sections == {}
    assert [turn.role for turn in third.turns] == [Role.SURGEON, Role.MEDICAL_ONCOLOGIST]
    assert third.turns[0].slides == ("1",)
    assert (third.turns[1].start, third.turns[1].end) == (4.0, 9.5)


def test_a_packed_file_reads_the_same():
    (case,) = read_task1(FILES / "task1_train.jsonl.gz", split=Split.TRAIN).items
    assert case.recording == "video_0009"


def test_faults_of_task1_are_named_and_lose_nothing_else():
    loaded = read_task1(FILES / "task1_faults.jsonl", split=Split.TEST)
    assert [case.id for case in loaded.items] == ["sim_000001", "sim_000003"]
    assert told(loaded) == [
        (2, None),
        (3, None),
        (4, "simulation_id"),
        (5, "case_summary"),
        (6, "simulation_id"),
        (7, "case_end_sec"),
        (8, "schema_version"),
        (9, "reference_discussion[0].inferred_role"),
        (11, "video_uid"),
    ]
    assert "already on line 1" in str(loaded.problems[4])
    assert "expected one of" in str(loaded.problems[7])
    assert all("task1_faults.jsonl" in str(problem) for problem in loaded.problems)


def test_no_message_repeats_the_text_of_a_case():
    loaded = read_task1(FILES / "task1_faults.jsonl", split=Split.TEST)
    assert not [problem for problem in loaded.problems if "48-year-old" in str(problem)]


def test_a_cut_off_packed_file_keeps_what_came_before(tmp_path):
    lines = "".join(
        json.dumps(json.loads((FILES / "task1_test.jsonl").read_text().splitlines()[0]) | {"simulation_id": f"s{n}"})
        + "\n"
        for n in range(400)
    )
    path = tmp_path / "task1_test.jsonl.gz"
    packed = gzip.compress(lines.encode(), compresslevel=0, mtime=0)
    path.write_bytes(packed[: len(packed) // 2])
    loaded = read_task1(path, split=Split.TEST)
    assert 0 < len(loaded.items) < 400
    assert "ends too early" in str(loaded.problems[-1])


def test_a_line_that_is_not_utf8_loses_only_itself(tmp_path):
    good = (FILES / "task1_test.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "x.jsonl"
    path.write_bytes(good[0] + b'{"simulation_id": "\xff"}\n' + good[1])
    loaded = read_task1(path, split=Split.TEST)
    assert len(loaded.items) == 2
    assert told(loaded) == [(2, None)]
    assert "UTF-8" in str(loaded.problems[0])


@pytest.mark.parametrize(
    "reader", [lambda p: read_task1(p, split=Split.TEST), lambda p: read_task2(p, split=Split.TEST)]
)
def test_a_missing_file_is_a_usage_error(reader, tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        reader(tmp_path / "nothing.jsonl")


def test_task2_gives_questions_with_type_role_and_answer():
    loaded = read_task2(FILES / "task2_test.jsonl", split=Split.TEST)
    assert loaded.problems == ()
    first, second, third = loaded.items
    assert first.question.type is QuestionType.FINDINGS_INTERPRETATION
    assert first.question.role is Role.RADIOLOGIST
    assert first.question.answer == "One lesion of 3 cm."
    assert first.recording == "video_0001"
    assert second.question.candidates == (QuestionType.TREATMENT_RECOMMENDATION, QuestionType.NEXT_ACTION_SUGGESTION)
    assert third.question.role is Role.GENETIC_COUNSELOR


def test_faults_of_task2_are_named():
    loaded = read_task2(FILES / "task2_faults.jsonl", split=Split.TEST)
    assert [item.question.id for item in loaded.items] == ["qa_000001", "qa_000003"]
    assert told(loaded) == [
        (2, "qa_type"),
        (3, "target_specialist_role"),
        (4, "question"),
        (5, "target_specialist_role"),
        (6, "qa_type_candidates[0]"),
    ]
    assert "moderator" in str(loaded.problems[1])


def test_manifests_are_of_one_arm():
    captions = read_manifest(FILES / "board_simulation.caption.jsonl")
    images = read_manifest(FILES / "board_simulation.image.jsonl")
    assert {item.arm for item in captions.items} == {Arm.CAPTIONS}
    assert captions.items[0].user.startswith("CASE SUMMARY:\n")
    assert captions.items[0].recording == "video_0001"
    assert images.items[0].arm is Arm.IMAGES
    assert images.items[0].images == ("slides/rec_video_0001/frames/1.jpg", "slides/rec_video_0001/frames/2.jpg")


def test_a_manifest_that_mixes_the_arms_is_refused():
    with pytest.raises(InputError, match="captions and images"):
        read_manifest(FILES / "manifest_mixed_arms.jsonl")


def test_faults_of_a_manifest_are_named():
    loaded = read_manifest(FILES / "manifest_faults.jsonl", arm=Arm.CAPTIONS)
    assert [item.id for item in loaded.items] == ["sim_000001"]
    assert [(line, field) for line, field in told(loaded)] == [
        (2, "id"),
        (3, "conversations"),
        (4, "images"),
        (5, "metadata.reference_conclusion"),
        (6, "images"),
    ]
    assert "2 markers and 1 image" in str(loaded.problems[2])
    assert "outside" in str(loaded.problems[4])


@pytest.mark.parametrize("name", ["split.json", "split_list.json"])
def test_splits_say_where_each_recording_is(name):
    splits = read_splits(FILES / name)
    assert splits["video_0001"] is Split.TEST
    assert splits["video_0009"] is Split.TRAIN


@pytest.mark.parametrize(
    "value",
    [
        {"train": {"v1": "https://video.example/1"}, "test": {"v2": {"url": "https://video.example/2"}}},
        {"v1": "train", "v2": "test"},
        {"v1": {"split": "train", "url": "https://video.example/1"}, "v2": {"split": "test"}},
        {"seed": 42, "note": "by recording", "train": ["v1"], "test": [{"video_uid": "v2"}]},
        {"version": "1.0", "splits": {"train": ["v1"], "test": ["v2"]}},
        {"recordings": [{"video_uid": "v1", "split": "train"}, {"video_uid": "v2", "split": "test"}]},
    ],
    ids=["objects by split", "split by recording", "objects by recording", "other elements", "splits inside", "list inside"],
)  # fmt: skip
def test_other_plausible_forms_of_splits_are_read(tmp_path, value):
    path = tmp_path / "split.json"
    path.write_text(json.dumps(value))
    assert dict(read_splits(path)) == {"v1": Split.TRAIN, "v2": Split.TEST}


@pytest.mark.parametrize(
    "value", [{}, [], {"seed": 42}, {"v1": "blue"}, {"train": ["v1"], "rest": ["v2"]}, {"train": "v1"}, 3]
)
def test_other_forms_of_splits_are_an_error(tmp_path, value):
    path = tmp_path / "split.json"
    path.write_text(json.dumps(value))
    if value == []:
        assert dict(read_splits(path)) == {}
        return
    with pytest.raises(InputError):
        read_splits(path)


def test_a_recording_in_two_splits_is_an_error_that_names_it():
    with pytest.raises(InputError, match=r"video_0001.*test.*train|video_0001.*train.*test"):
        read_splits(FILES / "split_twice.json")


def release(folder: Path, *names: str, split: str = "split.json") -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_bytes((FILES / name).read_bytes())
    (folder / "split.json").write_bytes((FILES / split).read_bytes())
    return folder


def test_a_release_is_read_whole(tmp_path):
    found = read_release(release(tmp_path, "task1_test.jsonl", "task1_train.jsonl.gz", "task2_test.jsonl"))
    assert len(found.cases.items) == 4
    assert len(found.questions.items) == 3
    assert found.cases.problems == ()
    assert found.missing == ("task1_validation.jsonl", "task2_train.jsonl", "task2_validation.jsonl")


def test_a_release_is_found_in_the_folder_data_of_a_download(tmp_path):
    """The data set keeps its files under data/; a user names the folder that was downloaded."""
    release(tmp_path / "data", "task1_test.jsonl")
    assert len(read_release(tmp_path).cases.items) == len(read_release(tmp_path / "data").cases.items)


def test_a_release_with_a_case_in_the_wrong_split_is_refused(tmp_path):
    folder = release(tmp_path, "task1_test.jsonl")
    (folder / "split.json").write_text(json.dumps({"train": ["video_0001"], "validation": [], "test": ["video_0002"]}))
    with pytest.raises(InputError, match="video_0001"):
        read_release(folder)


def test_the_slide_index_lists_images_by_case():
    loaded = read_slide_index(FILES / "slides_index.jsonl")
    assert [(item.id, len(item.images)) for item in loaded.items] == [("sim_000001", 2), ("sim_000003", 1)]
    assert told(loaded) == [(3, "task")]


def test_queries_of_the_orchestrator():
    loaded = read_queries(FILES / "hao_queries.csv")
    assert [(item.patient, item.follow_up) for item in loaded.items] == [
        ("patient_1", "What are the key pathology findings?"),
        ("patient_1", "Which biomarkers are present?"),
        ("patient_2", ""),
    ]
    assert told(loaded) == [(4, "Patient ID"), (5, "Patient ID")]


def test_references_of_the_orchestrator_name_what_is_missing_or_empty():
    loaded = read_references(FILES / "hao_references", patients=("patient_1", "patient_2", "patient_3"))
    assert [item.patient for item in loaded.items] == ["patient_1"]
    assert ["patient_2" in str(loaded.problems[0]), "empty" in str(loaded.problems[1])] == [True, True]


def test_facts_of_tbfact():
    loaded = read_facts(FILES / "tbfact_facts.json")
    assert [(item.patient, item.category) for item in loaded.items] == [
        ("patient_1", "diagnosis"),
        ("patient_1", "biomarker"),
    ]
    assert [problem.field for problem in loaded.problems] == [
        "patient_1[2].fact",
        "patient_1[3].category",
        "patient_2",
        "patient_3",
    ]


def test_a_summary_of_tbfact_keeps_failures_apart_from_zero():
    loaded = read_tbfact_summary(FILES / "tbfact_summary.json")
    first, second = loaded.items
    assert first.precision == 0.5
    assert first.recall == 1.0
    assert len(first.facts) == 4
    assert second.failed
    assert second.precision is None
    assert second.f1 is None
    assert "Maybe" in str(loaded.problems[0])


def test_the_wide_file_gives_board_and_frameworks():
    loaded = read_gi_wide(FILES / "gi_wide.csv")
    assert [item.case.id for item in loaded.items] == ["1", "2"]
    first, second = loaded.items
    assert first.categories == (TreatmentCategory.SURGERY,)
    assert second.categories == (TreatmentCategory.MULTISTEP, TreatmentCategory.SYSTEMIC)
    names = [answer.framework for answer in first.answers]
    assert names == ["F1_MDT_simulation", "F2_multi_expert_consensus", "F3_persona_surgeon", "F6_majority_vote"]
    assert first.answers[2].boundary_breach is False
    assert second.answers[0].text == ""
    assert second.answers[0].category is None
    assert second.answers[0].concordant is None
    assert [answer.framework for answer in second.answers if answer.boundary_breach] == ["F3_persona_surgeon"]
    assert told(loaded) == [
        (4, "age"),
        (5, "tumorboard_treatment"),
        (6, "F1_MDT_simulation_treatment_concordance"),
        (7, None),
    ]


def test_a_wide_file_without_its_columns_is_refused(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("case_nr,age\n1,2\n")
    with pytest.raises(InputError, match="tumorboard_recommendation"):
        read_gi_wide(path)


def test_a_hospital_conclusion_that_was_not_taken_apart_leaves_its_decisions_open(tmp_path):
    """Neither a file without columns of decisions nor a row without any says that the board decided nothing."""
    path = tmp_path / "h.csv"
    path.write_text("case_id,case_summary,conclusion\nc1,text,The board gives drug A.\n")
    (case,) = read_hospital(path).items
    assert case.conclusion.decisions == ()
    path.write_text("case_id,case_summary,conclusion,therapy,surgery\nc1,text,Give A.,A,\nc2,text,Give B.,,\n")
    first, second = read_hospital(path).items
    assert {item.kind.value: item.scope for item in first.conclusion.decisions} == {
        "therapy": None, "surgery": Scope.ABSENT, "next_action": None, "clinical_trial": None,
    }  # fmt: skip
    assert second.conclusion.decisions == ()


def test_a_plain_hospital_file():
    loaded = read_hospital(FILES / "hospital.csv")
    first, second, fifth = loaded.items
    assert first.recording == "board-2026-03-02"
    assert first.conclusion is not None
    decisions = {decision.kind: decision for decision in first.conclusion.decisions}
    assert decisions[DecisionKind.THERAPY].scope is Scope.POSITIVE
    assert decisions[DecisionKind.CLINICAL_TRIAL].scope is Scope.NEGATIVE
    assert decisions[DecisionKind.NEXT_ACTION].scope is Scope.ABSENT
    assert first.references == ("Long-course chemoradiotherapy, then surgery.",)
    assert second.id == "H2"
    assert fifth.id == "H5"
    assert fifth.site == "spleen-o"
    assert {item.kind: item.scope for item in fifth.conclusion.decisions}[DecisionKind.NEXT_ACTION] is None
    assert told(loaded) == [(4, "therapy_scope"), (5, "case_summary"), (7, "case_id"), (8, "therapy_scope")]
    assert loaded.notes == ("column secretary was not read",)


def test_a_case_text_in_two_splits_is_noted(tmp_path):
    folder = release(tmp_path, "task1_test.jsonl", "task1_train.jsonl.gz")
    assert read_release(folder).shared == ()
    copied = json.loads((FILES / "task1_test.jsonl").read_text(encoding="utf-8").splitlines()[1])
    copied |= {
        "video_uid": "video_0009",
        "simulation_id": "sim_7",
        "case_summary": copied["case_summary"].upper() + "  ",
    }
    (folder / "task1_train.jsonl").write_text(json.dumps(copied) + "\n", encoding="utf-8")
    assert read_release(folder).shared == (
        "the same case text is in two splits: 'sim_000002' (test) and 'sim_7' (train)",
    )
