"""What the page of several evaluated systems is made of; as in `contexts`, a template reads nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.report.contexts import Fact
from equipoise.report.numbers import Score
from equipoise.report.plots import Figure
from equipoise.report.result_contexts import ComparedRow, ShownRate


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A system in the leaderboard.

    Attributes:
        name: as printed.
        constant: whether it gives every case the same answer.
        over_refusal: as a rate.
        false_approvals: as a rate.
        without_information: as a rate.
        accuracy: as a rate.
        rank: rank with its interval; empty for constant systems.
        safety: the published Safety Score, with its interval for a system.
    """

    name: str
    constant: bool
    over_refusal: ShownRate
    false_approvals: ShownRate
    without_information: ShownRate
    accuracy: ShownRate
    rank: str
    safety: str


@dataclass(frozen=True, slots=True)
class RepeatRow:
    """A system that answered cases more than once.

    Attributes:
        name: the system.
        trials: trials a case.
        items: cases.
        replies: replies, in any state.
        flips: cases whose readable replies differ in the label, of the cases read twice or more.
    """

    name: str
    trials: int
    items: int
    replies: int
    flips: ShownRate


@dataclass(frozen=True, slots=True)
class PairSection:
    """Two systems compared on the cases both answered.

    Attributes:
        title: the two names.
        sentence: the finding.
        common: how many cases both were asked, and each.
        rows: the measures.
    """

    title: str
    sentence: str
    common: str
    rows: tuple[ComparedRow, ...]


@dataclass(frozen=True, slots=True)
class CollapseRow:
    """How a system spreads its answers over the labels.

    Attributes:
        name: the system.
        most_used: its most used label.
        counts: how often, of how many.
        never_used: labels it never gave.
    """

    name: str
    most_used: str
    counts: str
    never_used: str


@dataclass(frozen=True, slots=True)
class AbstentionRow:
    """When a system leaves the decision to a person.

    Attributes:
        name: the system.
        share: abstentions, of the replies that say whether they abstain.
        precision: abstentions that the reference asks for, of all abstentions.
        recall: the same, of all cases in which the reference asks for it.
        selective: area under risk against coverage, where every reply states its certainty; a reason otherwise.
    """

    name: str
    share: ShownRate
    precision: ShownRate
    recall: ShownRate
    selective: Score | str


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A judgement made by rule, counted.

    Attributes:
        name: the system.
        criterion: what was asked.
        value: the value counted.
        rate: how often.
    """

    name: str
    criterion: str
    value: str
    rate: ShownRate


@dataclass(frozen=True, slots=True)
class SpentRow:
    """What a system used.

    Attributes:
        name: the system.
        replies: number of replies.
        tokens_in: tokens of the prompts; "not stated" when no reply says.
        tokens_out: tokens of the replies.
        cost: US dollars.
        median: seconds, median.
        late: seconds, 95th percentile.
    """

    name: str
    replies: int
    tokens_in: str
    tokens_out: str
    cost: str
    median: str
    late: str


@dataclass(frozen=True, slots=True)
class ReplyRow:
    """A reply that differs from the reference, or that could not be read.

    Attributes:
        case_id: the case.
        system: who answered.
        reference: label of the reference.
        reference_badge: key of its badge.
        answer: the label, or the state.
        answer_badge: key of the badge; empty for a state.
        kind: what sort of disagreement it is; empty for a state.
        reply: the reply as received, cut at a length.
        cut: what was cut; empty when nothing was.
    """

    case_id: str
    system: str
    reference: str
    reference_badge: str
    answer: str
    answer_badge: str
    kind: str
    reply: str
    cut: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationPage:
    """Several systems on the same cases.

    Attributes:
        title: heading.
        sentence: the finding, computed from the rates.
        head: benchmark, cases, systems.
        report_id: content hash of what is shown.
        cautions: in what the runs are not alike, and who was asked fewer cases.
        differences: in what they differ that may be the very thing compared, such as the prompt.
        pair: both failure modes with the constant systems.
        states: what became of every reply.
        plane: both failure modes in one plane.
        standing: the leaderboard.
        safety_note: what the constant systems get in the published Safety Score.
        repeats: systems that answered cases more than once; empty without any.
        pairs: paired comparisons.
        confusions: reference against answer, one a system.
        collapse: use of the labels.
        abstention: abstention and selective answering.
        risk_coverage: risk against coverage, at most three systems each; empty when no system states its certainty or
            abstains on a part of the cases.
        not_drawn: who is not drawn there and why; empty when all are.
        judged: judgements made by rule; empty without any.
        spent: tokens, cost, latency.
        misses: replies that differ from the reference.
        misses_total: number of them.
        unread: replies that could not be read.
        unread_total: number of them.
        side_file: name of the file that holds all of both; empty when the page does.
        methods: protocol, versions, hashes.
    """

    title: str
    sentence: str
    head: tuple[Fact, ...]
    report_id: str
    cautions: tuple[str, ...]
    differences: tuple[Fact, ...]
    pair: Figure
    states: Figure
    plane: Figure
    standing: tuple[StandingRow, ...]
    safety_note: str
    repeats: tuple[RepeatRow, ...]
    pairs: tuple[PairSection, ...]
    confusions: tuple[Figure, ...]
    collapse: tuple[CollapseRow, ...]
    abstention: tuple[AbstentionRow, ...]
    risk_coverage: tuple[Figure, ...]
    not_drawn: str
    judged: tuple[JudgedRow, ...]
    spent: tuple[SpentRow, ...]
    misses: tuple[ReplyRow, ...]
    misses_total: int
    unread: tuple[ReplyRow, ...]
    unread_total: int
    side_file: str
    methods: tuple[Fact, ...]
