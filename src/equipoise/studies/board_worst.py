"""The worst answers of an audit with their words: critical errors, recommendations kept against the auditor, the lowest scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from equipoise.boards.judging.criteria import BOARD, EQUIVALENCE, Kind
from equipoise.ids import text_hash
from equipoise.statistics.estimate import Result
from equipoise.studies.board_conduct import KEPT, Conduct
from equipoise.studies.board_runs import BoardPart
from equipoise.studies.board_scores import Table, Value

CRITICAL, AGAINST_AUDITOR, LOWEST = "critical error", "kept against the auditor", "lowest score"
KINDS: tuple[str, ...] = (CRITICAL, AGAINST_AUDITOR, LOWEST)
"""Kinds in the order of the page; the order is for reading and is no scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstReply(Result):
    """A reply that a reader should see.

    Attributes:
        kind: why it is here, one of `KINDS`.
        detail: score, judge, or what the auditor said.
        benchmark: specialist_turn or board_simulation.
        stage: arm and setting.
        system: what answered.
        item: question or case.
        asked: what it was given.
        reference: what the recorded board said.
        reply: the reply as received.
    """

    kind: str
    detail: str
    benchmark: str
    stage: str
    system: str
    item: str
    asked: str
    reference: str
    reply: str


def worst_replies(
    found: Iterable[Table], lead: Iterable[Table], parts: Iterable[BoardPart], conducts: Iterable[Conduct]
) -> tuple[WorstReply, ...]:
    """The worst replies, worst kind first, then by system and item; constants are left out.

    Args:
        found: all tables.
        lead: tables of the measures that comparisons are made on.
        parts: the runs, for the words.
        conducts: how the boards went.
    """
    rows = {_key(part, row): (part, row) for part in parts for row in part.rows}
    listed: list[WorstReply] = []
    for table in found:
        if table.place.constant or not table.measure.judge:
            continue
        if (table.measure.rubric, table.measure.criterion) == (EQUIVALENCE, "critical-error"):
            flagged = [item for item in table.values if item.points == item.lowest]
            listed += _listed(CRITICAL, table, flagged, rows)
    for conduct in conducts:
        listed += _against(conduct, rows)
    for table in lead:
        if table.place.constant or not table.measure.judge or table.measure.kind is Kind.FLAG:
            continue
        listed += _listed(LOWEST, table, [item for item in table.values if item.points == item.lowest], rows)
    order = {kind: place for place, kind in enumerate(KINDS)}
    return tuple(
        sorted(listed, key=lambda item: (order[item.kind], item.benchmark, item.stage, item.system, item.item))
    )


def without_words(item: WorstReply) -> WorstReply:
    """The same with a hash in place of each text, for an audit that is to hold no words of cases."""
    hashed = {name: f"not kept, hash {text_hash(getattr(item, name))}" for name in ("asked", "reference", "reply")}
    return replace(item, **hashed)


_Key = tuple[str, str, str, int]


def _key(part: BoardPart, row: Any) -> _Key:
    return str(row["benchmark"]), part.system, str(row["reply_id"]), int(row.get("trial") or 1)


def _listed(
    kind: str, table: Table, values: Sequence[Value], rows: dict[_Key, tuple[BoardPart, Any]]
) -> list[WorstReply]:
    place, found = table.place, []
    for item in values:
        part_row = rows.get((place.benchmark, place.system, item.reply_id, item.trial))
        if part_row is not None:
            what = "flagged" if kind == CRITICAL else f"{item.points:g} on {table.measure.scale}"
            found.append(
                _reply(kind, f"{what}, judge {table.measure.judge}", f"{place.arm}, {place.setting}", *part_row)
            )
    return found


def _against(conduct: Conduct, rows: dict[_Key, tuple[BoardPart, Any]]) -> list[WorstReply]:
    found, seen = [], set()
    for told in conduct.told:
        if told.became != KEPT or not told.against or (told.item, told.regimen) in seen:
            continue
        seen.add((told.item, told.regimen))
        for part, row in rows.values():
            own = part.reference(row).get("setting") or row.get("operator") or ""
            if (row["benchmark"], part.system, row["item"]) == (BOARD, conduct.system, told.item) and (
                own == conduct.setting and (row.get("trial") or 1) == 1 and (row.get("arm") or "") == conduct.arm
            ):
                words = "the board was told" if told.told else "only who asked was told"
                detail = f"{told.regimen}: {told.verdict}, {', '.join(told.reasons) or 'no reason code'}; {words}"
                found.append(_reply(AGAINST_AUDITOR, detail, f"{conduct.arm}, {conduct.setting}", part, row))
    return found


def _reply(kind: str, detail: str, stage: str, part: BoardPart, row: Any) -> WorstReply:
    reference = part.reference(row)
    return WorstReply(
        kind=kind,
        detail=detail,
        benchmark=str(row["benchmark"]),
        stage=stage,
        system=part.system,
        item=str(row["item"]),
        asked=str(reference.get("prompt") or ""),
        reference=str(reference.get("reference") or ""),
        reply=str(row.get("reply") or ""),
    )
