"""What the pages of results are made of: a reproduced study, two runs compared, a run held against a protocol.

As in `contexts`: documented frozen dataclasses, and a template reads nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.report.contexts import Fact
from equipoise.report.plots import Figure


@dataclass(frozen=True, slots=True)
class Remark:
    """How a figure was made, and what a careful analysis adds to it.

    Attributes:
        name: what the figure says.
        method: how our figure and interval were made.
        adds: what a careful analysis adds; empty for nothing.
        warnings: what a reader must know.
    """

    name: str
    method: str
    adds: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """Figures of one kind.

    Attributes:
        name: what they are.
        figure: the drawing with the table of all of them; the table alone where a drawing says nothing.
        remarks: one a figure that has something to say.
    """

    name: str
    figure: Figure
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was read.

    Attributes:
        path: path under the data directory.
        sha256: hash of its bytes.
        state: whether it is the file the figures were checked on, in words.
    """

    path: str
    sha256: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproductionPage:
    """A published study, reproduced.

    Attributes:
        title: heading.
        sentence: the finding, computed from the rows.
        head: the source of the rows.
        report_id: content hash of what is shown.
        counts: figures by whether they follow.
        floors: what any system gets, to be read beside the figures.
        warnings: what holds for all figures.
        groups: the figures.
        files: the files that were read.
        methods: versions and seed.
    """

    title: str
    sentence: str
    head: tuple[Fact, ...]
    report_id: str
    counts: tuple[Fact, ...]
    floors: tuple[Fact, ...]
    warnings: tuple[str, ...]
    groups: tuple[FigureGroup, ...]
    files: tuple[SourceFile, ...]
    methods: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class ShownRate:
    """A rate as it stands in a cell, with what the linter reads.

    Attributes:
        key: machine name.
        text: estimate, interval and counts.
        n: replies used.
        left_out: replies that could not be used.
    """

    key: str
    text: str
    n: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """One measure in both runs.

    Attributes:
        name: the measure, with its stratum.
        first: rate in the first run.
        second: rate in the second run.
        difference: first less second, in points.
        first_only: replies with the event in the first run only.
        second_only: replies with the event in the second run only.
        pairs: pairs used.
        pairs_left_out: pairs of which one or both could not be read.
        p: p value of the paired test.
        p_adjusted: the same adjusted for the number of tests.
        test: which test.
        finding: fewer or more, cannot be separated, or equivalent within the margin.
        first_bounds: worst and best rate of the first run.
        second_bounds: worst and best rate of the second run.
        interval: how the interval of the difference was made.
    """

    name: str
    first: ShownRate
    second: ShownRate
    difference: str
    first_only: int
    second_only: int
    pairs: int
    pairs_left_out: int
    p: str
    p_adjusted: str
    test: str
    finding: str
    first_bounds: str
    second_bounds: str
    interval: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPage:
    """Two runs compared.

    Attributes:
        title: heading.
        sentence: the finding, computed from the numbers.
        head: both runs.
        report_id: content hash of what is shown.
        cautions: differences between the runs that had to be allowed, or that may be what is compared.
        differences: the paired differences around zero; None when there is no measure.
        rates: both rates of every measure; None when there is no measure.
        rows: the measures.
        strata_figure: the differences by stratum; None without strata.
        strata: accuracy by stratum.
        notes: warnings of the statistics.
        methods: how it was done.
    """

    title: str
    sentence: str
    head: tuple[Fact, ...]
    report_id: str
    cautions: tuple[str, ...]
    differences: Figure | None
    rates: Figure | None
    rows: tuple[ComparedRow, ...]
    strata_figure: Figure | None
    strata: tuple[ComparedRow, ...]
    notes: tuple[str, ...]
    methods: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementRow:
    """One requirement of a protocol, decided.

    Attributes:
        name: name of the requirement.
        decision: pass, fail or undecided.
        style: style of the decision.
        condition: what is asked.
        margin: whether it is a difference from the baseline.
        rate: the figure with its interval.
        reason: why it is decided so.
        clusters: clusters among the readable replies.
        against: the figure with every unreadable reply counted against; empty when there is none.
        favourable: the same with every one counted for.
        method: how the interval was made.
    """

    name: str
    decision: str
    style: str
    condition: str
    margin: bool
    rate: ShownRate
    reason: str
    clusters: int
    against: str
    favourable: str
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePage:
    """A run held against a protocol.

    Attributes:
        title: heading.
        sentence: the finding, computed from the decisions.
        head: run, system, protocol, baseline.
        report_id: content hash of what is shown.
        warnings: what a reader must know.
        requirements: the lines, in the order of the protocol.
        thresholds: drawing of the lines with a threshold; None without one.
        margins: drawing of the lines with a margin; None without one.
        methods: level, clusters, what is done with unreadable replies.
    """

    title: str
    sentence: str
    head: tuple[Fact, ...]
    report_id: str
    warnings: tuple[str, ...]
    requirements: tuple[RequirementRow, ...]
    thresholds: Figure | None
    margins: Figure | None
    methods: tuple[Fact, ...]
