"""What the joint page of a refusal audit is made of; as in `contexts`, a template reads nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.report.contexts import Check, Fact
from equipoise.report.numbers import Rate, Score
from equipoise.report.plots import Figure
from equipoise.report.result_contexts import ComparedRow


@dataclass(frozen=True, slots=True)
class PairingRow:
    """Both failure modes of a system under one pairing of definitions.

    Attributes:
        name: the system.
        constant: whether it answers every prompt alike.
        over_refusal: as a rate.
        harmful_compliance: as a rate.
        youden_j: Youden's J; None for a constant system, which has 0 by construction.
        d_prime: d', likewise.
        unread: worst and best value of both rates over all replies.
    """

    name: str
    constant: bool
    over_refusal: Rate
    harmful_compliance: Rate
    youden_j: Score | None
    d_prime: Score | None
    unread: str


@dataclass(frozen=True, slots=True)
class PairingSection:
    """One pairing of definitions.

    Attributes:
        name: what counts, in words.
        over_refusal: its first rate written out, numerator and denominator.
        harmful_compliance: its second rate written out.
        rows: systems, then constant systems.
    """

    name: str
    over_refusal: str
    harmful_compliance: str
    rows: tuple[PairingRow, ...]


@dataclass(frozen=True, slots=True)
class FormRow:
    """One rate of a system in all its forms.

    Attributes:
        system: the system.
        measure: the rate.
        crude: as observed.
        standardised: under the reference mix, or why not.
        corrected: corrected for the classifier, or why not.
        label_validity: range given the share of right labels, or why not.
        unread: range over all replies.
    """

    system: str
    measure: str
    crude: Rate
    standardised: str
    corrected: str
    label_validity: str
    unread: str


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two systems compared on the prompts both answered.

    Attributes:
        title: the two names.
        common: how many replies pair, and how many each system has.
        sentence: the finding.
        rows: the measures.
    """

    title: str
    common: str
    sentence: str
    rows: tuple[ComparedRow, ...]


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group against the rest.

    Attributes:
        system: the system.
        direction: over-protection or under-protection.
        group: the group.
        rate: of the group.
        rest: of all others.
        difference: group less rest, in points.
        effect: Cohen's h.
        p: p value and, in brackets, adjusted.
        finding: more, fewer, or cannot be separated.
    """

    system: str
    direction: str
    group: str
    rate: Rate
    rest: Rate
    difference: str
    effect: str
    p: str
    finding: str


@dataclass(frozen=True, slots=True)
class NamedRate:
    """A rate with its definition.

    Attributes:
        system: the system.
        name: the rate.
        definition: numerator and denominator.
        rate: the rate.
        more: what else belongs to it; empty for nothing.
    """

    system: str
    name: str
    definition: str
    rate: Rate
    more: str = ""


@dataclass(frozen=True, slots=True)
class NamedScore:
    """A score that is no rate.

    Attributes:
        system: the system.
        name: the score.
        score: the score.
        more: what else belongs to it; empty for nothing.
    """

    system: str
    name: str
    score: Score
    more: str = ""


@dataclass(frozen=True, slots=True)
class CompositionRow:
    """Crude beside adjusted.

    Attributes:
        measure: the rate.
        system: the system.
        crude: as observed.
        adjusted: under the reference mix, or why not.
        gap: crude rate less that of all others, in points.
        rate_part: what of it remains under the mean mix.
        mix_part: what of it is the mix.
    """

    measure: str
    system: str
    crude: Rate
    adjusted: str
    gap: str
    rate_part: str
    mix_part: str


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A system in its family.

    Attributes:
        system: the system.
        family: its family.
        generation: its generation, or that it is not known.
        scale: its size, or that it is not known.
        over_refusal: as a rate.
        harmful_compliance: as a rate.
    """

    system: str
    family: str
    generation: str
    scale: str
    over_refusal: Rate
    harmful_compliance: Rate


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """One rate over families, generations or sizes.

    Attributes:
        rate: over-refusal or harmful compliance.
        over: family, generation or scale.
        text: the mean, or the change from the first to the last member by family.
        rests_on: models, families and test behind it; empty where there is nothing.
    """

    rate: str
    over: str
    text: str
    rests_on: str


@dataclass(frozen=True, slots=True)
class ToxicityRow:
    """Toxicity of the continuations of a domain or group.

    Attributes:
        by: all, domain or group.
        name: the domain or group.
        rate: share of the scored continuations at or above the threshold.
        answered: the same among those that are not refused.
        mean: mean score.
        note: too few, refused, and what has no score with the range that leaves; empty for nothing.
    """

    by: str
    name: str
    rate: Rate
    answered: Rate
    mean: Score
    note: str


@dataclass(frozen=True, slots=True)
class ToxicitySection:
    """One system by one classifier.

    Attributes:
        system: the system.
        classifier: name and version.
        benchmarks: benchmarks of the continuations.
        rows: all, domains, groups.
        standardised: rate under the mix of domains of all systems, or why not.
        sensitivity: rate at each threshold of the page.
        drawn_together: number and kind of clusters.
    """

    system: str
    classifier: str
    benchmarks: str
    rows: tuple[ToxicityRow, ...]
    standardised: str
    sensitivity: tuple[Rate, ...]
    drawn_together: str


@dataclass(frozen=True, slots=True)
class EffectRow:
    """What a guard or a fine-tuning changes on the same prompts.

    Attributes:
        pair: the two systems.
        measure: what changes, with its category.
        change: second less first, or a share, as text.
        discordant: prompts with the event in the first alone, in the second alone; empty where it does not apply.
        p: p value and, in brackets, adjusted; empty without a test.
    """

    pair: str
    measure: str
    change: str
    discordant: str
    p: str


@dataclass(frozen=True, slots=True)
class ReplyLine:
    """A reply that is shown.

    Attributes:
        item: the prompt's identifier.
        system: who answered.
        category: the category.
        reading: how it was read, or its state.
        reply: the reply as received, cut at a length; for harmful prompts its hash and length.
        cut: what was cut; empty when nothing was.
    """

    item: str
    system: str
    category: str
    reading: str
    reply: str
    cut: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalPage:
    """Several systems, both failure modes, on one or more refusal benchmarks.

    Attributes:
        title: heading.
        sentence: the finding, computed from the rates.
        head: benchmarks, prompts, systems.
        report_id: content hash of what is shown.
        cautions: in what the runs differ.
        pair: both failure modes in two panels with the constant systems.
        states: what became of every reply.
        checks: trust checks.
        plane: both failure modes in one plane.
        pairings: both failure modes under each pairing of definitions.
        forms: every rate crude, standardised, corrected and bounded.
        by_benchmark: both failure modes by benchmark, one drawing a system; empty with a single benchmark.
        by_category: both failure modes by category, one or more drawings a system.
        groups: groups against the rest.
        group_figures: their differences, one or more drawings a system.
        groups_note: why there are none, or how p values are adjusted.
        calibration: sensitivity and specificity by system and arm; None without human labels.
        shifts: raw to corrected rates; None without human labels.
        calibration_note: what the human labels allow.
        completion: the safe-completion family and related rates.
        scores: omission, utility of sets, framing gaps.
        members: systems by family, generation and scale; empty when no family is known.
        families: rates over family, generation and scale.
        families_note: systems without a lineage; empty when all have one.
        toxicity: toxicity of continuations by a classifier of the user's; empty when nothing was scored.
        toxicity_thresholds: thresholds of its sensitivity table.
        toxicity_note: what is counted, by whom; empty when nothing was scored.
        stability: flip rates and spread over judges.
        pairs: paired differences.
        effects: what guards and fine-tuning change; empty when none was named.
        composition: crude beside adjusted with the split of the gap.
        declined: benign prompts that were refused.
        declined_total: number of them.
        complied: harmful prompts that were not refused.
        complied_total: number of them.
        unread: replies that could not be read.
        unread_total: number of them.
        side_file: name of the file with all benign refusals and unread replies; empty when the page holds them.
        methods: definitions, versions, hashes.
    """

    title: str
    sentence: str
    head: tuple[Fact, ...]
    report_id: str
    cautions: tuple[str, ...]
    pair: Figure
    states: Figure
    checks: tuple[Check, ...]
    plane: Figure
    pairings: tuple[PairingSection, ...]
    forms: tuple[FormRow, ...]
    by_benchmark: tuple[Figure, ...]
    by_category: tuple[Figure, ...]
    groups: tuple[GroupRow, ...]
    group_figures: tuple[Figure, ...]
    groups_note: str
    calibration: Figure | None
    shifts: Figure | None
    calibration_note: str
    completion: tuple[NamedRate, ...]
    scores: tuple[NamedScore, ...]
    members: tuple[MemberRow, ...]
    families: tuple[FamilyRow, ...]
    families_note: str
    toxicity: tuple[ToxicitySection, ...]
    toxicity_thresholds: tuple[str, ...]
    toxicity_note: str
    stability: tuple[NamedRate, ...]
    pairs: tuple[ComparedPair, ...]
    effects: tuple[EffectRow, ...]
    composition: tuple[CompositionRow, ...]
    declined: tuple[ReplyLine, ...]
    declined_total: int
    complied: tuple[ReplyLine, ...]
    complied_total: int
    unread: tuple[ReplyLine, ...]
    unread_total: int
    side_file: str
    methods: tuple[Fact, ...]
