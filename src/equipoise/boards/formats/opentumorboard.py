"""OpenTumorBoard as released: cases (task 1), questions (task 2), the index of slides, a whole folder.

Source: github.com/AnqiLi24/OpenTumorBoard, `src/build_benchmark.py` and `training/build_sft_data.py` at commit 94ef520 (version 1.0.1,
Apache-2.0); paper arXiv:2609.32810. The data are gated and are not part of this package.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from equipoise.boards.formats.splits import enforce_splits, read_splits, shared_texts
from equipoise.boards.model import BoardCase, CaseQuestion, Conclusion, Question, QuestionType, Slide, Split, Turn
from equipoise.boards.reading import Fields, Loaded, Problem, inside, pick, read_rows, short
from equipoise.boards.vocabulary import Role, role_of
from equipoise.errors import UsageError

SCHEMA = 1
IMAGE = "<image>"
SPLITS = "split.json"
_HEADING = re.compile(r"^\s*\[([^\[\]\n]{1,60})\]\s*$", re.MULTILINE)


def sections_of(text: str) -> Mapping[str, str]:
    """The parts of a case text under their headings in brackets, in order; empty when it has none. Two of one name are joined."""
    heads = list(_HEADING.finditer(text))
    found: dict[str, str] = {}
    for place, head in enumerate(heads):
        stop = heads[place + 1].start() if place + 1 < len(heads) else len(text)
        body = text[head.end() : stop].strip()
        name = head[1].strip()
        found[name] = f"{found[name]}\n{body}" if name in found else body
    return found


def slides_of(text: str) -> tuple[Slide, ...]:
    """The slides of a text in which every slide is an image marker followed by its caption."""
    parts = text.split(IMAGE)
    captions = parts[1:] if len(parts) > 1 else [line for line in text.splitlines() if line.strip()]
    return tuple(Slide(id=str(place), caption=" ".join(part.split())) for place, part in enumerate(captions, start=1))


def read_task1(path: str | Path, *, split: Split | None = None) -> Loaded[BoardCase]:
    """The cases of a `task1_*.jsonl` file, plain or packed.

    Args:
        path: the file.
        split: the split the file belongs to; None when it is not one of a release.

    Raises:
        UsageError: the file cannot be opened.
    """
    return read_rows(path, lambda row: _case(row, split), key=("simulation_id", lambda case: case.id))


def read_task2(path: str | Path, *, split: Split | None = None) -> Loaded[CaseQuestion]:
    """The questions of a `task2_*.jsonl` file, plain or packed.

    Args:
        path: the file.
        split: the split the file belongs to; None when it is not one of a release.

    Raises:
        UsageError: the file cannot be opened.
    """
    return read_rows(path, lambda row: _question(row, split), key=("qa_id", lambda item: item.question.id))


def _check_schema(row: Fields) -> None:
    version = row.values.get("schema_version")
    if version != SCHEMA:
        message = f"expected schema version {SCHEMA}, found {short(str(version))}"
        raise row.fail(message, "schema_version")


def _case(row: Fields, split: Split | None) -> BoardCase:
    _check_schema(row)
    name = row.text("simulation_id")
    recording = row.text("video_uid")
    text = row.text("case_summary")
    start, end = row.span("case_start_sec", "case_end_sec")
    conclusion = row.text("reference_conclusion", required=False).strip()
    return BoardCase(
        id=name,
        recording=recording,
        text=text,
        sections=sections_of(text),
        slides=slides_of(row.text("slides", required=False)),
        turns=tuple(turn_of(part) for part in row.parts("reference_discussion")),
        conclusion=Conclusion(text=conclusion) if conclusion else None,
        split=split,
        start=start,
        end=end,
        origin=f"opentumorboard {row.text('benchmark_version', required=False)}".strip(),
    )


def turn_of(part: Fields) -> Turn:
    """A turn as the pipeline writes it (`aligned_utterances`)."""
    start, end = part.span("start_sec", "end_sec")
    return Turn(
        id=part.text("utterance_id"),
        speaker=part.text("speaker_id"),
        role=role_in(part, "inferred_role"),
        text=part.text("text"),
        start=start,
        end=end,
        slides=tuple(str(slide) for slide in part.list_of("slide_ids")),
    )


def role_in(part: Fields, name: str) -> Role:
    """The role a field names.

    Raises:
        InputError: it names none.
    """
    text = part.text(name)
    role = role_of(text)
    return role if role is not None else pick(text, Role, part.fail, name, leave_out=(Role.UNKNOWN,))


def _question(row: Fields, split: Split | None) -> CaseQuestion:
    _check_schema(row)
    role = role_in(row, "target_specialist_role")
    if role in (Role.MODERATOR, Role.UNKNOWN):
        message = f"a question is put to a specialist, found {role.value}"
        raise row.fail(message, "target_specialist_role")
    return CaseQuestion(
        case_id=row.text("case_id"),
        recording=row.text("video_uid"),
        text=row.text("case_summary"),
        slides=slides_of(row.text("slides", required=False)),
        split=split,
        question=Question(
            id=row.text("qa_id"),
            type=row.choice("qa_type", QuestionType),
            role=role,
            text=row.text("question").strip(),
            answer=row.text("reference_answer", required=False),
            turn=row.text("utterance_id", required=False),
            candidates=tuple(
                pick(str(value), QuestionType, row.fail, f"qa_type_candidates[{place}]")
                for place, value in enumerate(row.list_of("qa_type_candidates"))
            ),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideImages:
    """The pictures of one case or question.

    Attributes:
        id: id of the case or question.
        split: the split it is in.
        images: paths relative to the data folder, in the order shown.
    """

    id: str
    split: Split
    images: tuple[str, ...]


def read_slide_index(path: str | Path) -> Loaded[SlideImages]:
    """Which pictures belong to which case (`slides_index.jsonl`).

    Raises:
        UsageError: the file cannot be opened.
    """
    return read_rows(path, _slide_images)


def _slide_images(row: Fields) -> SlideImages:
    task = row.text("task")
    if task not in ("task1", "task2"):
        message = f"expected task1 or task2, found {short(task)}"
        raise row.fail(message, "task")
    return SlideImages(id=row.text("id"), split=row.choice("split", Split), images=image_paths(row))


def image_paths(row: Fields) -> tuple[str, ...]:
    """The field `images`: relative paths that stay inside the data folder.

    Raises:
        InputError: a path is not a text or leads outside.
    """
    found = []
    for value in row.list_of("images"):
        if not isinstance(value, str) or not inside(value):
            message = "a path leads outside the data folder, or is no path"
            raise row.fail(message, "images")
        found.append(value)
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A folder of the released files.

    Attributes:
        cases: of all splits that are there.
        questions: of all splits that are there.
        splits: split by recording.
        missing: files of a whole release that are not there.
        shared: case texts that stand in two splits.
    """

    cases: Loaded[BoardCase]
    questions: Loaded[CaseQuestion]
    splits: Mapping[str, Split]
    missing: tuple[str, ...]
    shared: tuple[str, ...]


def read_release(folder: str | Path) -> Release:
    """A folder with `split.json` and any of the `task1_*` and `task2_*` files, plain or packed; or one that has such a folder `data`.

    Raises:
        UsageError: no `split.json`, or none of the files.
        InputError: a recording is in two splits, or a case stands in the file of another split than its recording.
    """
    folder = Path(folder)
    if not (folder / SPLITS).is_file() and (folder / "data" / SPLITS).is_file():
        folder = folder / "data"
    splits = read_splits(folder / SPLITS)
    cases: list[Loaded[BoardCase]] = []
    questions: list[Loaded[CaseQuestion]] = []
    missing: list[str] = []
    for task in ("task1", "task2"):
        for split in Split:
            name = f"{task}_{split.value}.jsonl"
            path = next((item for item in (folder / name, folder / f"{name}.gz") if item.is_file()), None)
            if path is None:
                missing.append(name)
            elif task == "task1":
                cases.append(read_task1(path, split=split))
            else:
                questions.append(read_task2(path, split=split))
    if not cases and not questions:
        message = "none of the files task1_*.jsonl and task2_*.jsonl is there"
        raise UsageError(message, file=str(folder))
    found_cases, found_questions = _joined(cases), _joined(questions)
    members = [(case.recording, case.split) for case in found_cases.items]
    members += [(item.recording, item.split) for item in found_questions.items]
    enforce_splits([*members, *splits.items()], file=str(folder))
    return Release(
        cases=found_cases,
        questions=found_questions,
        splits=splits,
        missing=tuple(missing),
        shared=shared_texts((case.id, case.split, case.text) for case in found_cases.items),
    )


_Item = TypeVar("_Item")


def _joined(parts: list[Loaded[_Item]]) -> Loaded[_Item]:
    items = tuple(item for part in parts for item in part.items)
    problems: tuple[Problem, ...] = tuple(item for part in parts for item in part.problems)
    return Loaded(items=items, problems=problems, notes=tuple(f"sha256 {part.sha256}" for part in parts))
