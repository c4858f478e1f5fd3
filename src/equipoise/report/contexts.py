"""What each page is made of: documented frozen dataclasses, one a page, and their parts.

A template reads nothing else. A test renders every page and fails on a field that is not documented or not used.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.report.numbers import Rate, Score
from equipoise.report.plots import Figure


@dataclass(frozen=True, slots=True)
class Fact:
    """A named fact of a run or verdict.

    Attributes:
        name: what it is.
        value: as text.
    """

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text, perhaps with an address.

    Attributes:
        text: what is printed.
        url: https address, built by us from an identifier; empty for none.
    """

    text: str
    url: str = ""


# The verdict page.


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRow:
    """An assertion that speaks for or against a recommendation.

    Attributes:
        id: its identifier.
        statement: what the source says.
        direction: supports, resistance, not-indicated, contraindicated or caution.
        level: A to D.
        result: met, not met or unknown, in words.
        source: the source in pieces, identifiers with addresses.
        verified: whether it was checked against a public text that states it: verified, not verified.
    """

    id: str
    statement: str
    direction: str
    level: str
    result: str
    source: tuple[Piece, ...]
    verified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionRow:
    """A criterion of an assertion held against the case.

    Attributes:
        assertion: id of the assertion.
        criterion: what is asked about, with "requires" or "unless".
        required: what the source asks for.
        found: what the case documents.
        result: met, not met or unknown.
        span: number of the value's row in the list of values, 0 when it has none.
        field: path of the field.
    """

    assertion: str
    criterion: str
    required: str
    found: str
    result: str
    span: int
    field: str


@dataclass(frozen=True, slots=True)
class CaveatRow:
    """A caveat.

    Attributes:
        name: short name.
        text: finding and what the source says.
        source: the source in pieces.
        field: what is not documented, for a caveat that could not be assessed; empty otherwise.
    """

    name: str
    text: str
    source: tuple[Piece, ...]
    field: str


@dataclass(frozen=True, slots=True)
class WhatIfRow:
    """A cell of the what-if table.

    Attributes:
        value: what is filled in, in words.
        label: the verdict there.
        badge: key of its badge.
        reasons: reason codes there.
        count: how many cells the row stands for; 1 in the full table.
    """

    value: str
    label: str
    badge: str
    reasons: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class WhatIfSet:
    """A smallest set of undocumented fields that decides.

    Attributes:
        fields: the fields in words.
        where: where such a value is usually documented.
        rows: the cells, or one row a label with an example when there are many.
        cells: all cells when `rows` is a summary; empty otherwise.
    """

    fields: str
    where: str
    rows: tuple[WhatIfRow, ...]
    cells: tuple[WhatIfRow, ...] = ()


@dataclass(frozen=True, slots=True)
class AlternativeRow:
    """What the evidence on file would support instead.

    Attributes:
        regimen: its components.
        id: id of the assertion.
        level: A to D.
        label: what the audit of it would say.
        badge: key of its badge.
    """

    regimen: str
    id: str
    level: str
    label: str
    badge: str


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A value that was used, and where it was read.

    Attributes:
        number: its number on the page of the case.
        anchor: id on the page.
        field: field of the Case.
        value: the value as understood.
        text: the words as written.
        where: element of the input, with characters when it is a note.
    """

    number: int
    anchor: str
    field: str
    value: str
    text: str
    where: str


@dataclass(frozen=True, slots=True)
class NotePart:
    """A stretch of the note.

    Attributes:
        text: its characters.
        numbers: numbers of the values read there; empty for text that was not used.
        style: used, negated, conflicting or instruction; empty for text that was not used.
    """

    text: str
    numbers: tuple[int, ...]
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictBlock:
    """One recommendation with its verdict.

    Attributes:
        anchor: id on the page.
        head: case, day, jurisdiction, policy, engine.
        recommendation: the recommendation as written.
        regimen: its components as read.
        label: the label.
        badge: key of the badge.
        headline: one sentence of at most 139 characters.
        because: the first reason in one sentence; empty when the abstention says the same.
        deciding: the assertion behind it; None when none decides.
        abstention: the second line when a human must decide; empty otherwise.
        reasons: further reasons that stand beside the answer, code and sentence.
        more_reasons: reasons that are only in the second part.
        missing: undocumented fields that decide, in words.
        speaks_for: assertions that speak for it.
        speaks_against: assertions that speak against it.
        nothing_found: what an empty side says.
        more_evidence: assertions that are only in the second part.
        applies: caveats that fire.
        does_not_apply: caveats that are clear.
        not_assessed: caveats that could not be assessed.
        what_if: up to three smallest sets of fields.
        criteria: criteria of the deciding assertion.
        criteria_first: whether these fit on the first page.
        more_criteria: criteria of the other assertions.
        alternatives: what would be supported instead.
        gaps: undocumented things that did not change the label.
        sources: distinct sources.
        hashes: hashes and versions.
        ignored: elements of the input that were not read.
        modules_off: modules that were switched off.
    """

    anchor: str
    head: tuple[Fact, ...]
    recommendation: str
    regimen: str
    label: str
    badge: str
    headline: str
    because: str
    deciding: EvidenceRow | None
    abstention: str
    reasons: tuple[Fact, ...]
    more_reasons: tuple[Fact, ...]
    missing: tuple[str, ...]
    speaks_for: tuple[EvidenceRow, ...]
    speaks_against: tuple[EvidenceRow, ...]
    nothing_found: str
    more_evidence: tuple[EvidenceRow, ...]
    applies: tuple[CaveatRow, ...]
    does_not_apply: tuple[CaveatRow, ...]
    not_assessed: tuple[CaveatRow, ...]
    what_if: tuple[WhatIfSet, ...]
    criteria: tuple[CriterionRow, ...]
    criteria_first: bool
    more_criteria: tuple[CriterionRow, ...]
    alternatives: tuple[AlternativeRow, ...]
    gaps: tuple[Fact, ...]
    sources: tuple[tuple[Piece, ...], ...]
    hashes: tuple[Fact, ...]
    ignored: tuple[str, ...]
    modules_off: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSection:
    """A case with the verdicts of its recommendations.

    Attributes:
        case_id: identifier of the case.
        blocks: one a recommendation, in order.
        spans: values that were used, numbered.
        note: the note in stretches; empty when there is none.
        broken_spans: values whose place does not match the note, as text.
    """

    case_id: str
    blocks: tuple[VerdictBlock, ...]
    spans: tuple[SpanRow, ...]
    note: tuple[NotePart, ...]
    broken_spans: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A line of the list of all verdicts.

    Attributes:
        anchor: id of its block; empty when the block is not on this page.
        case_id: the case.
        recommendation: as written.
        label: the label.
        badge: key of the badge.
        headline: the headline.
        abstains: whether a human must decide.
    """

    anchor: str
    case_id: str
    recommendation: str
    label: str
    badge: str
    headline: str
    abstains: bool


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An input that could not be read; it has no verdict.

    Attributes:
        where: file, line or case as far as known.
        text: what is wrong.
    """

    where: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictPage:
    """The report of an audit.

    Attributes:
        title: heading.
        report_id: content hash of what is shown.
        counts: verdicts by label, in the order of the labels.
        total: number of verdicts.
        abstaining: number of verdicts that leave the decision to a human.
        unreadable: inputs without a verdict.
        index: one line a verdict; empty for a single one.
        index_left_out: verdicts that are not in the list.
        figures: counts of reasons and of undocumented fields.
        cases: cases with their verdicts.
        blocks_left_out: verdicts that are in the list without their block.
        has_note: whether the text of a note is shown.
        standing: what every verdict page says in its footer.
        device: what is said once about medical devices.
        paper: page size for print, "A4" or "letter".
    """

    title: str
    report_id: str
    counts: tuple[Fact, ...]
    total: int
    abstaining: int
    unreadable: tuple[Unreadable, ...]
    index: tuple[IndexRow, ...]
    index_left_out: int
    figures: tuple[Figure, ...]
    cases: tuple[CaseSection, ...]
    blocks_left_out: int
    has_note: bool
    standing: str
    device: str
    paper: str = "A4"


# The benchmark page.


@dataclass(frozen=True, slots=True)
class Check:
    """A trust check, stated whatever its outcome.

    Attributes:
        name: what is checked.
        state: fired, clear or not assessed.
        text: the finding.
    """

    name: str
    state: str
    text: str


@dataclass(frozen=True, slots=True)
class LabelRow:
    """Precision, recall and F1 of one label.

    Attributes:
        label: the label.
        badge: key of its badge.
        precision: as a rate.
        recall: as a rate.
        f1: as text.
    """

    label: str
    badge: str
    precision: Rate
    recall: Rate
    f1: str


@dataclass(frozen=True, slots=True)
class ConstantRow:
    """What a system, constant or not, gets.

    Attributes:
        name: as printed.
        constant: whether it gives every case the same answer.
        accuracy: as a rate.
        over_refusal: as a rate.
        false_approvals: as a rate.
        without_information: as a rate.
        safety_score: the published composite, as text.
        macro_f1: as text.
    """

    name: str
    constant: bool
    accuracy: Rate
    over_refusal: Rate
    false_approvals: Rate
    without_information: Rate
    safety_score: str
    macro_f1: str


@dataclass(frozen=True, slots=True)
class Miss:
    """A case that was answered otherwise than its reference.

    Attributes:
        case_id: the case.
        reference: its label.
        reference_badge: key of the badge.
        predicted: the answer.
        predicted_badge: key of the badge.
        kind: what sort of disagreement it is.
        reason: reasons of the answer as far as known.
        recommendation: the recommendation as written; empty when not recorded.
        evidence: ids of the assertions behind the answer; empty when not recorded.
        under_label: the label under the policy `label`; empty when not recorded.
    """

    case_id: str
    reference: str
    reference_badge: str
    predicted: str
    predicted_badge: str
    kind: str
    reason: str
    recommendation: str = ""
    evidence: tuple[str, ...] = ()
    under_label: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report that this run does not have, with the reason.

    Attributes:
        name: heading.
        reason: why it does not apply.
    """

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class RepeatedRate:
    """A rate over all trials of a run.

    Attributes:
        key: machine name.
        name: as printed.
        text: the rate as it stands in text.
        n: replies or cases used.
        left_out: those that could not be used.
        method: how the interval was computed.
    """

    key: str
    name: str
    text: str
    n: int
    left_out: int
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkPage:
    """The report of a benchmark run.

    Attributes:
        title: heading.
        question: what the run answers.
        head: system, version, protocol, day.
        report_id: content hash of what is shown.
        system: name of the system.
        modules_off: modules of the auditor that were switched off.
        pair: over-refusal and false approval with the constant systems.
        states: what became of every case.
        sentence: the finding, computed from the numbers.
        checks: trust checks.
        plane: both error rates in one plane.
        confusion: reference against answer.
        groups: catch rates by error type; None when there are no groups.
        groups_absent: why there are no groups; empty when there are.
        main_rates: the rates of the run.
        scores: scores that are no proportions.
        repeats: rates over all trials, and how many cases change their label; empty with one trial.
        repeats_note: what they rest on, and what the other measures do; empty with one trial.
        abstention: rates of abstention.
        fields: precision and recall of missing fields.
        fields_figure: counts behind the misses by kind.
        labels: precision, recall and F1 by label.
        composite: the parts of the published composite, as rates or text.
        constants: the system beside the constant systems.
        not_applicable: parts that do not apply to this run.
        bounds: rates if everything that is left out were wrong or right.
        misses: disagreements, at most 500.
        misses_total: number of disagreements.
        side_file: name of the file that holds all of them; empty when the page does.
        methods: versions, hashes, methods.
        undefined: measures without a value, with the reason.
    """

    title: str
    question: str
    head: tuple[Fact, ...]
    report_id: str
    system: str
    modules_off: tuple[str, ...]
    pair: Figure
    states: Figure
    sentence: str
    checks: tuple[Check, ...]
    plane: Figure
    confusion: Figure
    groups: Figure | None
    groups_absent: str
    main_rates: tuple[Rate, ...]
    scores: tuple[Score, ...]
    repeats: tuple[RepeatedRate, ...]
    repeats_note: str
    abstention: tuple[Rate, ...]
    fields: tuple[Score, ...]
    fields_figure: Figure
    labels: tuple[LabelRow, ...]
    composite: tuple[Fact, ...]
    constants: tuple[ConstantRow, ...]
    not_applicable: tuple[Section, ...]
    bounds: tuple[Fact, ...]
    misses: tuple[Miss, ...]
    misses_total: int
    side_file: str
    methods: tuple[Fact, ...]
    undefined: tuple[Fact, ...]
