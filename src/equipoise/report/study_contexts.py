"""What the page of a labelling study is made of: documented frozen dataclasses, and the template reads nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.report.contexts import Fact
from equipoise.report.plots import Figure
from equipoise.report.result_contexts import ShownRate


@dataclass(frozen=True, slots=True)
class ShownScore:
    """A coefficient as it stands in a cell.

    Attributes:
        key: machine name.
        text: estimate, interval and number of items, or why it is not defined.
    """

    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """Agreement on one question or one label.

    Attributes:
        name: which.
        percent: share of pairs of labels that agree.
        kappa: Cohen's or Fleiss' kappa.
        ac1: Gwet's AC1.
        alpha: Krippendorff's alpha.
    """

    name: str
    percent: ShownRate
    kappa: ShownScore
    ac1: ShownScore
    alpha: ShownScore


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionTable:
    """Two raters against each other.

    Attributes:
        first: the rater of the rows.
        second: the rater of the columns.
        rows: label and counts, in the order of the labels, with the sum at the end.
        kappa: Cohen's kappa of the two.
    """

    first: str
    second: str
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    kappa: ShownScore


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRow:
    """A group of items, and how often raters differ there.

    Attributes:
        kind: what kind of group, in words.
        name: which.
        rate: items on which raters differ.
    """

    kind: str
    name: str
    rate: ShownRate


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstRow:
    """Labels of one source against another.

    Attributes:
        system: whose.
        basis: against what.
        percent: share that is equal.
        kappa: Cohen's kappa.
    """

    system: str
    basis: str
    percent: ShownRate
    kappa: ShownScore


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow:
    """One rater.

    Attributes:
        rater: code.
        given: items given.
        labelled: items labelled.
        left_out: items without a label.
        seconds: median seconds an item; "not known" without.
        repeated: same label twice on items shown twice.
        attention: right answers on attention items, in words.
        course: agreement by third of the queue, or why it was not assessed.
    """

    rater: str
    given: int
    labelled: int
    left_out: int
    seconds: str
    repeated: str
    attention: str
    course: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrevalenceRow:
    """The share of labels that count.

    Attributes:
        system: whose labels.
        seen: the share as given.
        corrected: the share corrected against the consensus, or why not.
    """

    system: str
    seen: ShownRate
    corrected: ShownScore


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPage:
    """The page of a labelling study.

    Attributes:
        title: heading.
        question: what the study is to find out.
        sentence: the finding, computed.
        head: protocol, items, raters.
        report_id: content hash of what is shown.
        notes: what a reader must know.
        primary: the question that is the result.
        labels: its answers.
        positive: the answers whose share is shown, in words.
        overall: agreement on it; one row.
        by_label: each label against all others.
        by_question: the other questions.
        drawing: kappa overall and by label, as dots; None when none is defined.
        confusions: every pair of raters.
        where: where raters differ.
        against: sources of labels against each other.
        prevalence: shares of the labels that count.
        raters: one row a rater.
        plan: items needed for narrower intervals.
        methods: how it was made.
    """

    title: str
    question: str
    sentence: str
    head: tuple[Fact, ...]
    report_id: str
    notes: tuple[str, ...]
    primary: str
    labels: tuple[str, ...]
    positive: str
    overall: tuple[AgreementRow, ...]
    by_label: tuple[AgreementRow, ...]
    by_question: tuple[AgreementRow, ...]
    drawing: Figure | None
    confusions: tuple[ConfusionTable, ...]
    where: tuple[PlaceRow, ...]
    against: tuple[AgainstRow, ...]
    prevalence: tuple[PrevalenceRow, ...]
    raters: tuple[RaterRow, ...]
    plan: tuple[Fact, ...]
    methods: tuple[Fact, ...]
