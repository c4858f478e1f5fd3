"""What the page of a red-team audit is made of: one section an axis and model, tables of cells, drawings, worst cases."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.report.contexts import Fact
from equipoise.report.plots import Figure


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table.

    Attributes:
        text: what is printed.
        kind: text, quote (words from outside), rate, method (how a number was made, or bounds), or score.
        key: machine name of a rate or score; empty otherwise.
        n: replies or items that a rate rests on.
        left_out: those that could not enter.
    """

    text: str
    kind: str = "text"
    key: str = ""
    n: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; the first cell of a row is its head.

    Attributes:
        head: heads of the columns.
        rows: the rows.
        constants: names of rows of systems that read nothing.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    constants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of a section.

    Attributes:
        title: heading.
        note: what the numbers are; numerator and denominator.
        figures: drawings, each with its own table.
        table: further numbers; None without.
    """

    title: str
    note: str = ""
    figures: tuple[Figure, ...] = ()
    table: Table | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisSection:
    """An axis of a model.

    Attributes:
        id: identifier on the page.
        title: name of the axis.
        question: what it asks.
        system: the model.
        blocks: what was measured; empty when nothing was.
        absent: why nothing was; empty otherwise.
    """

    id: str
    title: str
    question: str
    system: str
    blocks: tuple[Block, ...]
    absent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstRow:
    """One of the worst cases.

    Attributes:
        kind: what went wrong.
        detail: gate and severity, operator, label.
        place: axis, item and model.
        asked: the question as asked, cut at a length.
        reply: the reply as received, cut at a length.
        cut: what was cut; empty when nothing was.
    """

    kind: str
    detail: str
    place: str
    asked: str
    reply: str
    cut: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RedteamPage:
    """A red-team audit.

    Attributes:
        title: heading.
        answers: one sentence an axis and model, computed from the rates.
        head: who was asked what, and the hash of the protocol.
        report_id: content hash of what is shown.
        standing: that this is no medical device.
        asked: what was planned and what came, by test and model.
        states: what became of every reply.
        axes: the sections.
        worst: the worst cases, worst kind first.
        worst_note: how many of how many are shown, and in which order.
        deviations: what came otherwise than planned; None when nothing did.
        operators: every operator with its version and reach.
        methods: versions, seeds, definitions.
    """

    title: str
    answers: tuple[Fact, ...]
    head: tuple[Fact, ...]
    report_id: str
    standing: str
    asked: Table
    states: Figure
    axes: tuple[AxisSection, ...]
    worst: tuple[WorstRow, ...]
    worst_note: str
    deviations: Table | None
    operators: Table | None
    methods: tuple[Fact, ...]
