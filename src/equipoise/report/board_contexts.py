"""What the page of a board audit is made of."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.report.contexts import Fact
from equipoise.report.plots import Figure
from equipoise.report.redteam_contexts import Block, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSection:
    """A section of the page.

    Attributes:
        id: identifier on the page.
        title: heading.
        question: what it answers.
        blocks: drawings and tables; empty when there is nothing.
        absent: why there is nothing; empty otherwise.
    """

    id: str
    title: str
    question: str
    blocks: tuple[Block, ...]
    absent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A reply with its words.

    Attributes:
        kind: why it is shown.
        detail: score, judge, or what the auditor said.
        place: benchmark, item, system and setting.
        asked: what it was given, cut at a length.
        reference: what the recorded board said, cut at a length.
        reply: the reply as received, cut at a length.
        cut: what was cut; empty when nothing was.
    """

    kind: str
    detail: str
    place: str
    asked: str
    reference: str
    reply: str
    cut: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPage:
    """A board audit.

    Attributes:
        title: heading.
        headline: the answer in one sentence, computed.
        answers: further sentences, one a benchmark, arm and setting.
        head: who was asked what, by whom judged, and the hash of the protocol.
        report_id: content hash of what is shown.
        standing: that this is no medical device.
        notes: what a reader must know before the figures.
        asked: what was planned and what came, by test and system.
        states: what became of every reply; None without replies.
        sections: means, comparisons, decisions, groups, judges, conduct, in this order.
        excerpts: the worst replies, worst kind first.
        excerpts_note: how many of how many are shown, and in which order.
        deviations: what came otherwise than planned; None when nothing did.
        methods: versions, hashes, definitions.
    """

    title: str
    headline: str
    answers: tuple[Fact, ...]
    head: tuple[Fact, ...]
    report_id: str
    standing: str
    notes: tuple[str, ...]
    asked: Table
    states: Figure | None
    sections: tuple[BoardSection, ...]
    excerpts: tuple[Excerpt, ...]
    excerpts_note: str
    deviations: Table | None
    methods: tuple[Fact, ...]
