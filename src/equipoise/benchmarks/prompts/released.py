"""Replies and judgements that others have published, as a run: the same columns as a run of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise._version import __version__
from equipoise.ids import bytes_hash, content_hash
from equipoise.outcomes.run import RunInfo
from equipoise.outcomes.schema import ReplyState

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """What a reader of published rows gives.

    Attributes:
        benchmark: name of the benchmark.
        outcomes: rows of the outcomes, without run and benchmark.
        judgements: rows of the judgements, without run.
        references: what is known of each item.
        files: the files read.
        unmapped: what has no place in the tables, and how often.
        facts: what was published as numbers only; kept in the arguments of the run.
    """

    benchmark: str
    outcomes: Rows
    judgements: Rows
    references: tuple[Mapping[str, Any], ...] = ()
    files: tuple[Path, ...] = ()
    unmapped: Mapping[str, int] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


Reader = Callable[[Path], Released]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedRun:
    """A run of published rows.

    Attributes:
        info: the run.
        outcomes: rows of the outcomes.
        judgements: rows of the judgements.
        references: what is known of each item.
        unmapped: what has no place in the tables, and how often.
    """

    info: RunInfo
    outcomes: Rows
    judgements: Rows
    references: tuple[Mapping[str, Any], ...]
    unmapped: Mapping[str, int]


def released_run(released: Released, *, created_at: str, source: Mapping[str, Any] | None = None) -> ReleasedRun:
    """The run of published rows.

    Args:
        released: the rows.
        created_at: ISO date and time that the run states.
        source: repository, revision and licence.

    Returns:
        A run whose identifier follows from the files' bytes and from how many rows they gave.
    """
    hashes = {path.name: bytes_hash(path.read_bytes()) for path in released.files}
    counts = [len(released.outcomes), len(released.judgements)]
    run_id = f"{released.benchmark}-released-{content_hash([hashes, counts, __version__])}"
    return ReleasedRun(
        info=RunInfo(
            run_id=run_id,
            created_at=created_at,
            benchmark=released.benchmark,
            systems=tuple(dict.fromkeys(str(row["system"]) for row in released.outcomes)),
            versions={"equipoise": __version__},
            dataset_hash=content_hash(sorted({str(row["item"]) for row in released.outcomes})),
            arguments={"files": hashes, "source": dict(source or {}), "unmapped": dict(released.unmapped)}
            | ({"published": dict(released.facts)} if released.facts else {}),
        ),
        outcomes=[row | {"run": run_id, "benchmark": released.benchmark} for row in released.outcomes],
        judgements=[row | {"run": run_id} for row in released.judgements],
        references=released.references,
        unmapped=released.unmapped,
    )


def verdict(
    reply: str,
    *,
    judge: str,
    rubric: str,
    value: str | None,
    criterion: str = "",
    scale: Sequence[str] = (),
    points: float | None = None,
) -> dict[str, Any]:
    """A judgement as published; without a value it is one that could not be read.

    Args:
        reply: identifier of the reply.
        judge: who judged.
        rubric: name of the rubric.
        value: the value.
        criterion: criterion of the rubric; the rubric's name by default.
        scale: values the scale has.
        points: points of the value.
    """
    name = criterion or rubric
    return {
        "reply_id": reply,
        "judge": judge,
        "rubric": rubric,
        "rubric_hash": content_hash([rubric, name]),
        "scale": rubric,
        "scale_hash": content_hash([rubric, list(scale)]),
        "criterion": name,
        "repeat": 1,
        "value": value,
        "points": points if value is not None else None,
        "state": (ReplyState.OK if value is not None else ReplyState.UNPARSED).value,
    }


def find_tables(place: Path, folders: Iterable[str], pattern: str) -> tuple[Path, ...]:
    """The file itself, or the files of a pattern in the first of some folders below a place that holds any."""
    if place.is_file():
        return (place,)
    for folder in folders:
        found = sorted(path for path in (place / folder).glob(pattern) if path.is_file())
        if found:
            return tuple(found)
    return ()
