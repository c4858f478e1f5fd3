"""What is counted in a run: events of replies, with replies that could not be read kept apart.

A measure knows labels and columns only as text; what a label means is said by whoever writes the measure.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow.compute as pc

from equipoise.errors import InputError
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import OUTCOME_COLUMNS, ReplyState

Event = Literal["correct", "label", "abstained", "failed", "judged"]

KEY: tuple[str, ...] = ("item", "conversation", "turn", "round", "trial")
"""Columns that say which reply of one system answers the same as which reply of another."""

COLUMNS: frozenset[str] = frozenset(column.name for column in OUTCOME_COLUMNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A rate over the replies of a run.

    Attributes:
        id: name of the measure.
        event: what is counted: `correct` (label equals the key; replies without key do not enter), `label` (label is one
            of `values`), `abstained`, `failed` (state is not ok), `judged` (value of a criterion is one of `values`).
        values: labels or judged values that count.
        where: column of the outcomes and the values a reply must have there to enter.
        criterion: criterion of `judged`.
        judge: judge of `judged`; None takes all of them.
    """

    id: str
    event: Event
    values: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    criterion: str | None = None
    judge: str | None = None

    def __post_init__(self) -> None:
        unknown = sorted(set(self.where) - COLUMNS)
        if unknown:
            message = f"measure {self.id!r}: there is no column {', '.join(unknown)}"
            raise InputError(message, field="where")
        if self.event in ("label", "judged") and not self.values:
            message = f"measure {self.id!r}: say which values count"
            raise InputError(message, field="values")
        if self.event == "judged" and not self.criterion:
            message = f"measure {self.id!r}: say which criterion"
            raise InputError(message, field="criterion")


@dataclass(frozen=True, slots=True)
class Count:
    """One reply (or judgement) under a measure.

    Attributes:
        key: what it answers; equal in two runs for replies that belong together.
        value: 1 or 0; None when it could not be read.
        row: the row of the outcomes.
    """

    key: tuple[Hashable, ...]
    value: int | None
    row: Mapping[str, Any]


def count(run: Run, measure: Measure, *, system: str | None = None) -> tuple[Count, ...]:
    """The replies that enter a measure, in the order of the run; of several attempts the last.

    Args:
        run: the run.
        measure: the measure.
        system: which system; None when the run has one.

    Raises:
        InputError: the run has several systems and none is named, the named one is not in it, or a system answers the
            same twice.
    """
    rows = _last_attempts(run, _system(run, system))
    kept = [row for row in rows if all(str(row[column]) in values for column, values in measure.where.items())]
    if measure.event == "judged":
        return _judged(run, measure, kept)
    if measure.event == "correct":
        kept = [row for row in kept if row["expected"] is not None]
    withheld = withheld_by_guard(run)
    return tuple(Count(_key(row), _value(measure, row, row["reply_id"] in withheld), row) for row in kept)


GUARD, BLOCK, WITHHELD = "guard:", "block", "full"
"""Start of the criterion of a guard's ruling, the value that blocks, and the label a reply counts as that a guard withheld;
items with a key are answered or not, so there a block stays a reply that could not be read."""


def withheld_by_guard(run: Run) -> frozenset[str]:
    """Replies in state blocked that the system's own guard withheld: its answer, and no failure of an instrument.

    Args:
        run: the run.
    """
    rulings = run.judgements.filter(pc.starts_with(run.judgements.column("criterion"), GUARD))
    held = {row["reply_id"] for row in rulings.to_pylist() if row["value"] == BLOCK and row["state"] == ReplyState.OK}
    if not held:
        return frozenset()
    states = run.outcomes.column("state").to_pylist()
    replies = run.outcomes.column("reply_id").to_pylist()
    return frozenset(
        reply for reply, state in zip(replies, states, strict=True) if state == ReplyState.BLOCKED and reply in held
    )


def by_key(counts: Sequence[Count], run: Run) -> dict[tuple[Hashable, ...], Count]:
    """The counts by what they answer, to be paired with another run's.

    Raises:
        InputError: two replies answer the same, as in a run with several arms.
    """
    found: dict[tuple[Hashable, ...], Count] = {}
    for item in counts:
        if item.key in found:
            message = (
                f"run {run.info.run_id} answers item {item.row['item']!r} in several arms; restrict the measure to one "
                "with where: arm"
            )
            raise InputError(message, field="arm")
        found[item.key] = item
    return found


def only_system(run: Run, system: str | None) -> str:
    """The system meant: the one named, or the only one there is."""
    return _system(run, system)


def _system(run: Run, system: str | None) -> str:
    names: list[str] = sorted(set(run.outcomes.column("system").to_pylist()))
    if system is None:
        if len(names) == 1:
            return names[0]
        message = f"run {run.info.run_id} has {len(names)} systems; name one of {', '.join(names) or 'none'}"
        raise InputError(message, field="system")
    if system not in names:
        message = f"run {run.info.run_id} has no system {system!r}; it has {', '.join(names)}"
        raise InputError(message, field="system")
    return system


def _last_attempts(run: Run, system: str) -> list[dict[str, Any]]:
    chosen: dict[tuple[Hashable, ...], dict[str, Any]] = {}
    for row in run.outcomes.to_pylist():
        if row["system"] != system:
            continue
        key = (*_key(row), row["arm"])
        previous = chosen.get(key)
        if previous is not None and (row["attempt"] or 1) == (previous["attempt"] or 1):
            both = f"replies {previous['reply_id']!r} and {row['reply_id']!r}"
            message = f"run {run.info.run_id}: {system!r} answers item {row['item']!r} twice ({both})"
            raise InputError(message, field="item")
        if previous is None or (row["attempt"] or 1) > (previous["attempt"] or 1):
            chosen[key] = row
    return list(chosen.values())


def _key(row: Mapping[str, Any]) -> tuple[Hashable, ...]:
    return tuple(row[column] for column in KEY)


def _value(measure: Measure, row: Mapping[str, Any], withheld: bool) -> int | None:
    if withheld and row["expected"] is None and measure.event in ("failed", "label"):
        return 0 if measure.event == "failed" else int(WITHHELD in measure.values)
    if measure.event == "failed":
        return int(row["state"] != ReplyState.OK)
    if row["state"] != ReplyState.OK:
        return None
    if measure.event == "abstained":
        return None if row["abstained"] is None else int(row["abstained"])
    if row["label"] is None:
        return None
    if measure.event == "correct":
        return int(row["label"] == row["expected"])
    return int(row["label"] in measure.values)


def _judged(run: Run, measure: Measure, rows: list[dict[str, Any]]) -> tuple[Count, ...]:
    by_reply = {row["reply_id"]: row for row in rows}
    counts = []
    for item in run.judgements.to_pylist():
        row = by_reply.get(item["reply_id"])
        if row is None or item["criterion"] != measure.criterion or item["in_scope"] is False:
            continue
        if measure.judge is not None and item["judge"] != measure.judge:
            continue
        read = item["state"] == ReplyState.OK and item["value"] is not None
        value = int(item["value"] in measure.values) if read else None
        counts.append(Count((*_key(row), item["judge"], item["rubric"], item["repeat"]), value, row))
    return tuple(counts)
