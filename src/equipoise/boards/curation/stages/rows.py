"""Rows of the stages' tables as the model's own classes, and as a model is shown them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from equipoise.boards.curation.prompts import fenced
from equipoise.boards.curation.transcripts import UNKNOWN
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role

Row = Mapping[str, Any]


def by(rows: Iterable[Row], name: str) -> dict[str, list[Row]]:
    """Rows by the value of a column, in their order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(str(row[name]), []).append(row)
    return found


def between(cues: Sequence[Row], first: str, last: str) -> Sequence[Row]:
    """The utterances from one id to another, both included."""
    ids = [row["id"] for row in cues]
    return cues[ids.index(first) : ids.index(last) + 1]


def joined(cues: Sequence[Row], roles: Mapping[str, Role]) -> tuple[Turn, ...]:
    """Turns of a case: runs of one speaker joined, with the id of their first utterance. Unknown speakers are never joined."""
    turns = []
    runs = groupby(
        enumerate(cues), key=lambda item: (item[1]["speaker"], item[0] if item[1]["speaker"] == UNKNOWN else -1)
    )
    for (speaker, _), run in runs:
        group = [row for _, row in run]
        turns.append(
            Turn(
                id=group[0]["id"],
                speaker=speaker,
                role=roles.get(speaker, Role.UNKNOWN),
                text=" ".join(row["text"] for row in group),
                start=group[0]["start"],
                end=max(row["end"] for row in group),
            )
        )
    return tuple(turns)


def turn_row(case: str, turn: Turn) -> dict[str, Any]:
    """A turn as a row."""
    return {
        "case": case,
        "id": turn.id,
        "speaker": turn.speaker,
        "role": turn.role.value,
        "start": turn.start,
        "end": turn.end,
        "text": turn.text,
    }


def turns_of(rows: Iterable[Row], case: str) -> tuple[Turn, ...]:
    """The turns of a case."""
    return tuple(
        Turn(
            id=row["id"],
            speaker=row["speaker"],
            role=Role(row["role"]),
            text=row["text"],
            start=row["start"],
            end=row["end"],
        )
        for row in rows
        if row["case"] == case
    )


def shown(turns: Iterable[Turn]) -> str:
    """Turns as a model is shown them, one a line, fenced."""
    return fenced("discussion", "\n".join(f"{turn.id} | {turn.role.value} | {turn.text}" for turn in turns))


def told(turns: Iterable[Turn]) -> str:
    """Everything that was said in some turns."""
    return "\n".join(turn.text for turn in turns)
