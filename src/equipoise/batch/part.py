"""One part of a batch: from the inputs to a table, with its counts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from equipoise.batch.desk import nothing
from equipoise.batch.memo import Memo, Name, Slot, line_name, object_name
from equipoise.batch.output import table_of
from equipoise.batch.pool import Answers
from equipoise.batch.rows import Row
from equipoise.batch.sources import Item, Nothing
from equipoise.batch.summary import Tally
from equipoise.ids import HASH_LENGTH

if TYPE_CHECKING:
    import pyarrow as pa

Entry = tuple[Slot, int, int | None, str | None, Any]
"""The slot of a case, its place and line, its id where the slot leaves it out, and the input where it is not that of the slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A part that is ready to be written.

    Attributes:
        table: its rows.
        tally: its counts.
        keys: its decision keys, distinct and sorted, a numpy array of unsigned 64-bit numbers.
        cases: cases in it.
    """

    table: pa.Table
    tally: Tally
    keys: Any
    cases: int


def asked(items: Iterable[Item], memo: Memo, answers: Answers) -> list[Entry]:
    """Look every case of a part up, and have those answered that were not seen before.

    Args:
        items: the cases.
        memo: what was seen before.
        answers: who answers.
    """
    entries: list[Entry] = []
    append, seen = entries.append, memo.slots
    name: Name | None
    for place, line, payload in items:
        if type(payload) is bytes:
            name, case_id, _, _ = line_name(payload)
        elif isinstance(payload, Mapping):
            name, case_id = object_name(payload)
        else:
            name = case_id = None
        slot = seen.get(name) if name is not None else None
        if slot is not None:
            append((slot, place, line, case_id, None if slot.case_id == case_id else payload))
            continue
        slot = Slot(payload, case_id)
        append((slot, place, line, case_id, None))
        if type(payload) is Nothing:
            slot.answer = nothing(payload.code, payload.case_id)
            continue
        if name is not None:
            memo.put(name, slot)
        answers.ask(slot)
    return entries


def built(entries: list[Entry], answers: Answers) -> Built:
    """The table of a part, once everything is answered.

    Args:
        entries: of `asked`.
        answers: who answers what turns out to depend on its id.
    """
    import numpy as np

    places: list[int] = []
    lines: list[int | None] = []
    ids: list[str] = []
    hashes: list[str] = []
    indices: list[int] = []
    rows: list[Row] = []
    known: dict[int, int] = {}
    keyed = 0
    sha256 = hashlib.sha256
    for slot, place, line, case_id, payload in entries:
        answer = slot.answer
        assert answer is not None
        if payload is None:
            name, digest = answer.case_id or f"case-{place}", answer.case_hash
        elif not slot.holds(payload, case_id):
            answer = answers.now(payload)
            name, digest = answer.case_id or f"case-{place}", answer.case_hash
        else:
            assert case_id is not None
            name = case_id
            digest = sha256(slot.before + case_id.encode() + slot.after).hexdigest()[:HASH_LENGTH]
        keyed += answer.keyed
        for row in answer.rows:
            index = known.get(id(row))
            if index is None:
                index = known[id(row)] = len(rows)
                rows.append(row)  # kept here, so that no other row takes its identity
            places.append(place)
            lines.append(line)
            ids.append(name)
            hashes.append(digest)
            indices.append(index)
    times = np.bincount(np.asarray(indices, dtype=np.int64), minlength=len(rows)).tolist() if rows else []
    tally = Tally()
    tally.add(rows, times, cases=len(entries), keyed=keyed)
    return Built(
        table=table_of(places, lines, ids, hashes, rows, indices, answers.identity),
        tally=tally,
        keys=np.unique(np.array([int(row.decision_key, 16) for row in rows if row.decision_key], dtype=np.uint64)),
        cases=len(entries),
    )
