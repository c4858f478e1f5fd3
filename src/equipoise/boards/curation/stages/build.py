"""Stage 12: board cases in the project's own form, and splits by recording.

A case without a part that it needs is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.boards.curation.marks import curated_note, read_note, scrubbed_note
from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.stages.base import Done, Reject, Stage, Work
from equipoise.boards.curation.stages.rows import Row
from equipoise.boards.curation.store import value_text
from equipoise.boards.formats.own import read_cases, write_cases
from equipoise.boards.formats.splits import extend_splits, read_splits
from equipoise.boards.model import (
    BoardCase,
    Conclusion,
    Decision,
    DecisionKind,
    Disposition,
    Question,
    QuestionType,
    Quote,
    Scope,
    Slide,
    Split,
    Turn,
)
from equipoise.boards.vocabulary import Role
from equipoise.errors import InputError
from equipoise.ids import text_hash

CASES = "board.jsonl"
"""The built cases."""

SPLITS = "splits.json"
"""Recordings by split."""

FEWEST_FOR_SPLITS = 3
"""Recordings from which each of three splits can have one."""


async def run(work: Work) -> Done:
    """Builds every case that has all it needs."""
    rejects: list[Reject] = []
    notes: list[str] = []
    whole: list[Row] = []
    seen: dict[str, str] = {}
    entered = work.rows("scrub/cases")
    for row in entered:
        missing = _missing(row)
        if missing is not None:
            rejects.append(Reject(unit=row["case"], reason=missing))
            continue
        key = text_hash(" ".join(row["text"]["text"].split()).casefold())
        if key in seen:
            detail = f"the case text is that of {seen[key]}; the first is kept"
            rejects.append(Reject(unit=row["case"], reason=Reason.SAME_CASE, detail=detail))
            continue
        seen[key] = row["case"]
        whole.append(row)
    splits = _splits(work, whole, [row["recording"] for row in entered], rejects, notes)
    cases = [build(row, splits.get(row["recording"])) for row in whole]
    text = write_cases(cases)
    cases, text = _read_back(work.folder, cases, text, rejects)
    table = [
        {
            "case": case.id,
            "recording": case.recording,
            "split": case.split,
            "hash": case.hash,
            "turns": len(case.turns),
            "questions": len(case.questions),
            "slides": len(case.slides),
        }
        for case in cases
    ]
    # a file of splits that cannot be read gives none, and must not make the former ones forgotten
    remembered = splits or _before(work, [row["recording"] for row in entered], [])
    by_split = {split.value: [name for name, own in remembered.items() if own is split] for split in Split}
    return Done(
        tables={"cases": table},
        texts={CASES: text, SPLITS: value_text(by_split)},
        rejects=rejects,
        notes=notes,
        unit="cases",
        entered=len(entered),
        kept=len(cases),
    )


def _missing(row: Row) -> Reason | None:
    if not row["text"] or not row["text"]["text"].strip():
        return Reason.CASE_WITHOUT_TEXT
    if not row["text"]["audited"]:
        return Reason.CASE_NOT_AUDITED
    if not row["questions"]:
        return Reason.CASE_WITHOUT_QUESTION
    return None if row["conclusion"] else Reason.CASE_WITHOUT_CONCLUSION


def build(row: Row, split: Split | None) -> BoardCase:
    """A case in the project's own classes.

    Args:
        row: a row of the stage before.
        split: of its recording; None when there is none.
    """
    end = row["conclusion"]
    turns = row["turns"]
    notes = [
        curated_note(f"limits by {row['limits_by']}"),
        scrubbed_note(row["scrub"]["version"], row["scrub"]["hash"]),
        read_note(row["scrub"]["by"], row["scrub"]["read_by"]),
    ]
    if row["text"]["suspected"]:
        notes.append(f"{row['text']['suspected']} sentences of the case text may tell what the board decided")
    unreviewed = sum(item["review"] == "not reviewed" for item in row["questions"])
    if unreviewed:
        notes.append(f"{unreviewed} questions were not reviewed")
    return BoardCase(
        id=row["case"],
        recording=row["recording"],
        text=row["text"]["text"],
        slides=tuple(
            Slide(
                id=item["id"],
                caption=item["caption"],
                start=item["start"],
                end=item["end"],
                image=item.get("image"),
            )
            for item in row["slides"]
        ),
        turns=tuple(_turn(item) for item in turns),
        questions=tuple(
            Question(
                id=f"{row['case']}-{item['id']}",
                type=QuestionType(item["type"]),
                role=Role(item["role"]),
                text=item["question"],
                answer=item["answer"],
                turn=item["utterance"],
            )
            for item in row["questions"]
        ),
        conclusion=Conclusion(
            text=end["text"],
            quotes=_quotes(end["quotes"]),
            disposition=Disposition(end["disposition"]),
            decisions=tuple(
                Decision(
                    kind=DecisionKind(item["kind"]),
                    scope=None if item["scope"] is None else Scope(item["scope"]),
                    text=item["text"],
                    quotes=_quotes(item["quotes"]),
                )
                for item in end["decisions"]
            ),
        ),
        split=split,
        start=row["start"],
        end=row["end"],
        notes=tuple(notes),
        origin="curation",
    )


def _turn(item: Row) -> Turn:
    return Turn(
        id=item["id"],
        speaker=item["speaker"],
        role=Role(item["role"]),
        text=item["text"],
        start=item["start"],
        end=item["end"],
        slides=tuple(item["slides"]),
    )


def _quotes(rows: list[Mapping[str, Any]]) -> tuple[Quote, ...]:
    return tuple(Quote(text=item["text"], turn=item["turn"]) for item in rows)


def _splits(
    work: Work, whole: Sequence[Row], recordings: Collection[str], rejects: list[Reject], notes: list[str]
) -> Mapping[str, Split]:
    """Splits by recording: of the user's file where there is one, else drawn once and kept.

    Args:
        work: what the stage was given.
        whole: the cases that are built.
        recordings: all that came in; one that gives no case at present keeps its split.
        rejects: takes what cannot be read.
        notes: takes what a person should look at.
    """
    named = {row["recording"]: row["file"] for row in whole}
    if work.project.splits is not None:
        try:
            given = read_splits(work.project.splits)
        except InputError as error:
            detail = "expected recordings by split, each in one; the splits were not given to any case"
            rejects.append(Reject(unit=work.project.splits.name, reason=Reason.FILE_UNREADABLE, detail=detail))
            notes.append(f"{work.project.splits.name} was not taken, no case has a split: {error.message}")
            return {}
        found = {name: given[one] for name, file in named.items() for one in (file, name) if one in given}
        if len(found) < len(named):
            notes.append(f"{len(named) - len(found)} recordings are in no split of your file; their cases have none")
        strange = set(given) - set(named) - set(named.values()) - {item.name for item in work.project.recordings}
        if strange:
            notes.append(f"{len(strange)} recordings of {work.project.splits.name} are not in this folder")
        return found
    if 0 < len(named) < FEWEST_FOR_SPLITS:
        notes.append(
            f"{len(named)} recordings are too few for three splits, which go by recording; some split is empty"
        )
    return extend_splits(_before(work, recordings, notes), named, seed=work.seed)


def _before(work: Work, recordings: Collection[str], notes: list[str]) -> Mapping[str, Split]:
    """Splits of the build before, as far as its recordings are still there; none when another seed is asked for."""
    path = work.folder / SPLITS
    try:
        found = {name: split for name, split in read_splits(path).items() if name in set(recordings)}
    except InputError:
        return {}
    if found and work.seed_before not in (None, work.seed):
        notes.append("the seed is another than before: recordings were put into splits anew; do not train across both")
        return {}
    return found


def _read_back(folder: Path, cases: list[BoardCase], text: str, rejects: list[Reject]) -> tuple[list[BoardCase], str]:
    """Only what the reader of the form reads again is handed on."""
    from equipoise.boards.curation.store import write_private

    scratch = folder / ".check.jsonl"
    write_private(scratch, text)
    try:
        loaded = read_cases(scratch)
    finally:
        scratch.unlink(missing_ok=True)
    good = {case.id for case in loaded.items}
    for problem in loaded.problems:
        number = (problem.line or 1) - 1
        detail = f"{problem.field}: {problem.message}" if problem.field else problem.message
        rejects.append(Reject(unit=cases[number].id, reason=Reason.CASE_UNREADABLE, detail=detail))
    kept = [case for case in cases if case.id in good]
    return kept, text if len(kept) == len(cases) else write_cases(kept)


STAGE = Stage(
    number=12,
    id="build",
    version="2",
    inputs=("scrub/cases",),
    run=run,
    seeded=True,
    files=lambda project: [project.splits] if project.splits else [],
)
