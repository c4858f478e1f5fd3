"""What a run asks: questions or cases of a file, of one split and one arm, with what each is held against.

Left out, and counted in the notes: rows that cannot be read, items of another split, items without a reference, and in the image arm items
whose slides have no picture. A case without any slide stays in both arms, where it is given the same text: it is the placebo of the
image arm, and its line says that it has no picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from equipoise.boards.formats.hospital import read_hospital
from equipoise.boards.formats.opentumorboard import Release, read_release, read_slide_index, read_task1, read_task2
from equipoise.boards.formats.own import read_cases
from equipoise.boards.formats.splits import enforce_splits
from equipoise.boards.model import BoardCase, CaseQuestion, Question, Slide
from equipoise.boards.pictures import Picture, find_pictures
from equipoise.boards.reading import Loaded, Problem, short
from equipoise.boards.vocabulary import Arm, Split
from equipoise.errors import InputError, UsageError
from equipoise.ids import content_hash, stable_form

DEMO = "demo"
INDEX = "slides_index.jsonl"
"""File of a folder of pictures, or of a release, that says which pictures belong to which case."""

ALL = "all"
LEAST_WORDS = 6
"""A reference of fewer words is not looked for in the case text: it stands there by chance."""

MOST_NAMED = 10
WITHOUT: Mapping[str, str] = {
    "manifest": "it holds no references; name the task1 or task2 file it was made from",
    "gi-wide": "the published file holds no case texts; it serves category concordance alone",
    "queries": "it holds no case texts, which come from that project's own patient folders",
    "slides-index": "it lists pictures; put it into the folder of pictures",
    "tbfact-facts": "it holds facts of references, no cases",
    "tbfact-summary": "it holds scores, no cases",
}
"""Formats of `equipoise board check` that no run can ask, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One question or case as it is asked.

    Attributes:
        id: of the question or case.
        recording: the meeting; empty when the source has none.
        text: the case text.
        slides: in the order shown.
        references: acceptable texts, the recorded one first.
        case: the case; None where a file of questions has none.
        question: None for a whole board.
        split: None when the source does not say.
        pictures: one a slide, in their order; empty in the caption arm and without slides.
        case_hash: content hash of the case, or of text and captions where there is only a question.
    """

    id: str
    recording: str
    text: str
    slides: tuple[Slide, ...]
    references: tuple[str, ...]
    case: BoardCase | None = None
    question: Question | None = None
    split: Split | None = None
    pictures: tuple[Picture, ...] = ()
    case_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a run asks, and what was left out.

    Attributes:
        items: in the order of the source.
        name: name of the source, without a folder.
        notes: what was left out, and how often.
        hash: content hash of everything the items are given and held against.
    """

    items: tuple[Asking, ...]
    name: str
    notes: tuple[str, ...]
    hash: str


@dataclass(slots=True)
class _Counts:
    notes: list[str] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)

    def done(self) -> tuple[str, ...]:
        return (*self.notes, *(f"{number} left out: {why}" for why, number in self.left.items()))


def board_askings(
    data: str | None,
    form: str = "",
    *,
    split: str = Split.TEST,
    arm: Arm = Arm.CAPTIONS,
    images: str | None = None,
    leaks: str = "refuse",
    limit: int | None = None,
) -> Asked:
    """The cases of a source, for a board to discuss.

    Args:
        data: a file, or the folder of a release; the packaged cases by default.
        form: board, task1 or hospital; a folder is read as a release.
        split: train, validation, test or all. A source without splits is asked whole.
        arm: captions, or images.
        images: folder of the pictures; the image arm needs it.
        leaks: refuse a source whose case text holds its reference word for word, or leave such cases out (leave-out).
        limit: items at most, the first ones; None for all.

    Raises:
        UsageError: an argument names something that does not exist, or nothing is left to ask.
        InputError: a file cannot be read, pictures cannot be used, or a reference stands in its case text.
    """
    counts = _Counts()
    loaded, name = _load_cases(data, form, counts)
    items = [_of_case(case, counts) for case in loaded.items]
    return _chosen(
        _present(items), name, counts, split=split, arm=arm, images=images, data=data, leaks=leaks, limit=limit
    )


def turn_askings(
    data: str | None,
    form: str = "",
    *,
    split: str = Split.TEST,
    arm: Arm = Arm.CAPTIONS,
    images: str | None = None,
    types: Sequence[str] = (),
    roles: Sequence[str] = (),
    slides: str = "case",
    leaks: str = "refuse",
    limit: int | None = None,
) -> Asked:
    """The questions of a source, each for one specialist.

    Args:
        data: a file, or the folder of a release; the packaged cases by default.
        form: board or task2; a folder is read as a release.
        split: as in `board_askings`.
        arm: captions, or images.
        images: folder of the pictures.
        types: types of questions; all by default.
        roles: roles asked; all by default.
        slides: case, all slides of the case as published; or turn, only those that were up while the answer was given, by their times.
        leaks: as in `board_askings`, of the reference answer.
        limit: as in `board_askings`.

    Raises:
        UsageError: as in `board_askings`.
        InputError: as in `board_askings`.
    """
    if slides not in ("case", "turn"):
        message = f"expected case or turn; found {short(slides)}"
        raise UsageError(message, field="slides")
    counts = _Counts()
    loaded, name = _load_questions(data, form, counts)
    items = []
    for one in loaded if slides == "case" else map(_at_turn, loaded):
        question = one.question
        if question is None or (types and question.type not in types) or (roles and question.role not in roles):
            counts.left["of another type or role"] += 1
        elif not question.answer.strip():
            counts.left["without a reference"] += 1
        else:
            items.append(one)
    return _chosen(items, name, counts, split=split, arm=arm, images=images, data=data, leaks=leaks, limit=limit)


def _load_cases(data: str | None, form: str, counts: _Counts) -> tuple[Loaded[BoardCase], str]:
    if data is None:
        return _demo(form), DEMO
    path = Path(data)
    if path.is_dir():
        return _told(_release(path, form, counts).cases, counts), path.name
    readers: Mapping[str, Callable[[Path], Loaded[BoardCase]]] = {
        "board": read_cases, "task1": read_task1, "hospital": read_hospital,
    }  # fmt: skip
    return _told(_reader(readers, form or "board", "cases")(path), counts), path.name


def _load_questions(data: str | None, form: str, counts: _Counts) -> tuple[list[Asking], str]:
    if data is None:
        return [item for case in _demo(form).items for item in _of_questions(case)], DEMO
    path = Path(data)
    if path.is_dir():
        return [_of_row(row) for row in _told(_release(path, form, counts).questions, counts).items], path.name
    if form == "task2":
        return [_of_row(row) for row in _told(read_task2(path), counts).items], path.name
    reader = _reader({"board": read_cases, "task2": read_cases}, form or "board", "questions")
    return [item for case in _told(reader(path), counts).items for item in _of_questions(case)], path.name


_Read = TypeVar("_Read")


def _reader(readers: Mapping[str, _Read], form: str, what: str) -> _Read:
    if form in readers:
        return readers[form]
    why = WITHOUT.get(form)
    others = {"task1", "task2", "hospital"} - set(readers)
    if why is None and form in others:
        why = f"it holds no {what}"
    message = (
        f"{form} cannot be asked: {why}; expected {', '.join(readers)}"
        if why
        else f"expected one of {', '.join(readers)}; found {short(form)}"
    )
    raise UsageError(message, field="form")


def _demo(form: str) -> Loaded[BoardCase]:
    from equipoise.boards.demo import demo_cases

    if form not in ("", "board"):
        message = f"the packaged cases are of the form board; name a file of the form {short(form)} as data"
        raise UsageError(message, field="form")
    return Loaded(items=demo_cases())


def _release(path: Path, form: str, counts: _Counts) -> Release:
    if form not in ("", "release"):
        message = f"a folder is read as a release; name a file of the form {short(form)} in it"
        raise UsageError(message, field="form")
    found = read_release(path)
    counts.notes += found.shared
    return found


_Item = TypeVar("_Item")


def _told(loaded: Loaded[_Item], counts: _Counts) -> Loaded[_Item]:
    """The same, with its faults among the notes; no folder of this machine, and no text of a case."""
    problems = loaded.problems
    if problems:
        first = "; ".join(_place(problem) for problem in problems[:3])
        counts.notes.append(f"{len(problems)} rows could not be read and are left out, such as {first}")
    return loaded


def _place(problem: Problem) -> str:
    return str(InputError(problem.message, file=Path(problem.file).name, line=problem.line, field=problem.field))


def _of_case(case: BoardCase, counts: _Counts) -> Asking | None:
    references = references_of(case)
    if not references:
        counts.left["without a reference"] += 1
        return None
    return Asking(
        id=case.id, recording=case.recording, text=case.text, slides=case.slides, references=references, case=case, split=case.split,
        case_hash=case.hash,
    )  # fmt: skip


def references_of(case: BoardCase) -> tuple[str, ...]:
    """Acceptable conclusions, the recorded one first; made of the decisions where a source has only those. Empty without any."""
    if case.conclusion is None:
        return ()
    own = case.conclusion.text.strip() or " ".join(
        decision.text.strip() for decision in case.conclusion.decisions if decision.text.strip()
    )
    return tuple(text for text in (own, *case.references) if text.strip()) if own else ()


def _of_questions(case: BoardCase) -> Iterable[Asking]:
    for question in case.questions:
        yield Asking(
            id=question.id, recording=case.recording, text=case.text, slides=case.slides, references=(question.answer,), case=case,
            question=question, split=case.split, case_hash=case.hash,
        )  # fmt: skip


def _at_turn(item: Asking) -> Asking:
    """The item with the slides of the answer's turn alone.

    Raises:
        UsageError: the source does not say when its slides were shown.
    """
    if item.case is None or not item.case.turns:
        message = "the source holds no turns with times, so that slides cannot be put beside them; say slides=case"
        raise UsageError(message, field="slides")
    turn = item.case.turn(item.question.turn) if item.question is not None else None
    up = () if turn is None else turn.slides
    return replace(item, slides=tuple(slide for slide in item.slides if slide.id in up))


def _of_row(row: CaseQuestion) -> Asking:
    return Asking(
        id=row.question.id, recording=row.recording, text=row.text, slides=row.slides, references=(row.question.answer,),
        question=row.question, split=row.split, case_hash=content_hash([row.text, [slide.caption for slide in row.slides]]),
    )  # fmt: skip


def _present(items: Iterable[Asking | None]) -> list[Asking]:
    return [item for item in items if item is not None]


def _chosen(
    items: list[Asking],
    name: str,
    counts: _Counts,
    *,
    split: str,
    arm: Arm,
    images: str | None,
    data: str | None,
    leaks: str,
    limit: int | None,
) -> Asked:
    enforce_splits((item.recording, item.split) for item in items)
    items = _of_split(items, split, counts)
    twice = sorted(key for key, number in Counter(item.id for item in items).items() if number > 1)
    if twice:
        message = f"an id must come once in what is asked; twice: {', '.join(short(key) for key in twice[:5])}"
        raise InputError(message, field="id")
    items = _without_leaks(items, leaks, counts)[:limit]
    if arm is Arm.IMAGES:
        items = _with_pictures(items, data, images, counts)
    elif images is not None:
        message = "pictures are shown in the arm images alone; say arm=images"
        raise UsageError(message, field="images")
    if not items:
        message = f"nothing is left to ask ({'; '.join(counts.done()) or 'the source is empty'})"
        raise UsageError(message, field="data")
    alone = sum(not item.recording for item in items)
    if alone:
        counts.notes.append(f"{alone} name no recording; each counts as one of its own in intervals and tests")
    form = [
        [
            one.id, one.recording, [slide.id for slide in one.slides], one.case_hash, list(one.references), stable_form(one.question),
            [picture.sha256 for picture in one.pictures],
        ]
        for one in items
    ]  # fmt: skip
    return Asked(items=tuple(items), name=name, notes=counts.done(), hash=content_hash([arm.value, form]))


def _of_split(items: list[Asking], split: str, counts: _Counts) -> list[Asking]:
    known = [*(member.value for member in Split), ALL]
    if split not in known:
        message = f"expected one of {', '.join(known)}; found {short(split)}"
        raise UsageError(message, field="split")
    if split == ALL or all(item.split is None for item in items):
        if split != ALL and items:
            counts.notes.append("the source has no splits; all of it is asked")
        return items
    kept = [item for item in items if item.split == split]
    if len(kept) < len(items):
        counts.left[f"not of the split {split}"] += len(items) - len(kept)
    return kept


def _without_leaks(items: list[Asking], leaks: str, counts: _Counts) -> list[Asking]:
    if leaks not in ("refuse", "leave-out"):
        message = f"expected refuse or leave-out; found {short(leaks)}"
        raise UsageError(message, field="leaks")
    leaking = [item.id for item in items if leaks_reference(item)]
    if leaking and leaks == "refuse":
        told = ", ".join(short(name) for name in leaking[:MOST_NAMED])
        more = f" and {len(leaking) - MOST_NAMED} more" if len(leaking) > MOST_NAMED else ""
        message = (
            f"the reference stands word for word in what the system is shown: {told}{more}; "
            "take it out of the text, or leave such items out (leaks=leave-out, --leaks leave-out)"
        )
        raise InputError(message, field="reference")
    if leaking:
        counts.left["the reference stands in what the system is shown"] += len(leaking)
    return [item for item in items if item.id not in set(leaking)]


def leaks_reference(item: Asking) -> bool:
    """Whether a reference of some length, or the conclusion of a question's case, stands word for word in what the system is shown."""
    shown = " ".join(
        (item.text, *(slide.caption for slide in item.slides), "" if item.question is None else item.question.text)
    )
    plain = " ".join(shown.split()).casefold()
    conclusions = references_of(item.case) if item.case is not None else ()
    texts = (" ".join(text.split()).casefold() for text in (*item.references, *conclusions))
    return any(text in plain for text in texts if len(text.split()) >= LEAST_WORDS)


def _with_pictures(items: list[Asking], data: str | None, images: str | None, counts: _Counts) -> list[Asking]:
    if images is None:
        message = "the arm images needs a folder of pictures: images=FOLDER"
        raise UsageError(message, field="images")
    index = _index(Path(images), None if data is None else Path(data), counts)
    named: dict[str, tuple[str, ...]] = {}
    kept = []
    for item in items:
        names = index.get(item.id) or tuple(slide.image for slide in item.slides if slide.image)
        if len(names) != len(item.slides) and names:
            message = f"{short(item.id)} has {len(item.slides)} slides and {len(names)} pictures; each slide needs one"
            raise InputError(message, field="images")
        if item.slides and not names:
            counts.left["slides without a picture"] += 1
            continue
        named[item.id] = names
        kept.append(item)
    found = find_pictures(images, (name for names in named.values() for name in names))
    if not found:
        message = "no case has a picture: the cases name none, and there is no index of slides for them"
        raise UsageError(message, field="images")
    placebo = sum(not names for names in named.values())
    if placebo:
        counts.notes.append(f"{placebo} have no slide and are asked as in the arm captions, as placebo")
    return [replace(item, pictures=tuple(found[name] for name in named[item.id])) for item in kept]


def _index(images: Path, data: Path | None, counts: _Counts) -> dict[str, tuple[str, ...]]:
    folders = [images, *([data if data.is_dir() else data.parent, data / "data"] if data is not None else [])]
    names = (INDEX, f"{INDEX}.gz")
    path = next((folder / name for folder in folders for name in names if (folder / name).is_file()), None)
    if path is None:
        return {}
    return {item.id: item.images for item in _told(read_slide_index(path), counts).items if item.images}
