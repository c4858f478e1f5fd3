"""What the page of an evidence pack is made of.

As in `contexts`: documented frozen dataclasses, and a template reads nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.report.contexts import Fact
from equipoise.report.evaluation_contexts import PairSection, StandingRow
from equipoise.report.plots import Figure
from equipoise.report.result_contexts import RequirementRow, ShownRate


@dataclass(frozen=True, slots=True)
class CountRow:
    """How far a standard is filled.

    Attributes:
        anchor: id of its table on the page.
        title: its name.
        version: year or version.
        filled: items filled from stored values.
        person: items left to a person.
        not_applicable: items that do not apply.
        verified: against what its identifiers were checked.
    """

    anchor: str
    title: str
    version: str
    filled: int
    person: int
    not_applicable: int
    verified: str


@dataclass(frozen=True, slots=True)
class HeldSection:
    """A system held against the protocol.

    Attributes:
        title: system and protocol.
        sentence: the finding, computed from the decisions.
        notes: what a reader needs to know: whether the run names the protocol, what margins compare with.
        requirements: the lines of the protocol.
    """

    title: str
    sentence: str
    notes: tuple[str, ...]
    requirements: tuple[RequirementRow, ...]


@dataclass(frozen=True, slots=True)
class OpenRow:
    """A line of the form for people.

    Attributes:
        number: its number.
        text: what is asked.
        where: the items it answers, grouped by standard.
    """

    number: int
    text: str
    where: str


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """A rate of a system on a benchmark whose page is another one.

    Attributes:
        system: the system.
        benchmark: the benchmark.
        name: the measure.
        rate: the rate.
    """

    system: str
    benchmark: str
    name: str
    rate: ShownRate


@dataclass(frozen=True, slots=True)
class AnomalyRow:
    """A reply that differs from the reference.

    Attributes:
        item: the case.
        system: who answered.
        reference: label of the reference.
        reference_badge: key of its badge; empty for another label.
        answer: the answer.
        answer_badge: key of its badge.
        kind: what sort of disagreement it is.
        excerpt: begin of the reply; a hash where it is not quoted.
    """

    item: str
    system: str
    reference: str
    reference_badge: str
    answer: str
    answer_badge: str
    kind: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class StandardRow:
    """An item of a standard.

    Attributes:
        id: its identifier.
        topic: what it is about, in our words.
        status: filled, person or n/a.
        style: style of the status.
        values: stored values with their names.
        reason: why a person is needed or why it does not apply; empty for a filled item.
        questions: numbers of the lines of the form.
        files: numbers of the files behind the values.
        verified: against what this identifier was checked, when not as the others; empty otherwise.
    """

    id: str
    topic: str
    status: str
    style: str
    values: tuple[Fact, ...]
    reason: str
    questions: tuple[int, ...]
    files: tuple[int, ...]
    verified: str


@dataclass(frozen=True, slots=True)
class StandardSection:
    """A standard with its items.

    Attributes:
        anchor: id on the page.
        title: its name.
        version: year or version.
        address: where it can be read or bought.
        checked: how its identifiers were checked, in a sentence.
        not_applicable: why none of its items applies; empty when some do.
        rows: its items.
    """

    anchor: str
    title: str
    version: str
    address: str
    checked: str
    not_applicable: str
    rows: tuple[StandardRow, ...]


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A fact that differs from the last pack.

    Attributes:
        name: what it is.
        then: its value then.
        now: its value now.
    """

    name: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of the pack.

    Attributes:
        number: its number.
        name: its name.
        sha256: its hash.
    """

    number: int
    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackPage:
    """An evidence pack.

    Attributes:
        title: heading.
        head: product, version, kind of evaluation, runs, date, hash.
        report_id: hash over the evidence.
        counts: how far each standard is filled.
        signs: roles that sign.
        held: tests against a protocol; empty without one.
        held_absent: what stands instead.
        sentence: the finding of the evaluation; empty without one.
        pair: both failure modes; None without an OpenMTB run.
        states: what became of every reply.
        standing: rates of all systems with the constant ones; empty without an OpenMTB run.
        measures: rates on other benchmarks.
        pairs: paired comparisons of the OpenMTB runs.
        judgements: lines of the form that ask for a judgement.
        unstored: lines of the form that ask for a fact no run stored.
        data: data sheet.
        configuration: what the runs stored of model, prompt, code, environment and cost.
        anomalies: replies that differ from the reference.
        anomalies_text: how many there are, and how many are shown.
        soup: software and models, name and version.
        soup_text: whose list it is.
        changes: facts that differ from the last pack.
        change_pairs: the same cases then and now.
        change_text: what was compared, or that no pack was named.
        standards: one section a standard.
        files: files with hashes.
        commands: commands to run again.
    """

    title: str
    head: tuple[Fact, ...]
    report_id: str
    counts: tuple[CountRow, ...]
    signs: tuple[str, ...]
    held: tuple[HeldSection, ...]
    held_absent: str
    sentence: str
    pair: Figure | None
    states: Figure
    standing: tuple[StandingRow, ...]
    measures: tuple[MeasureRow, ...]
    pairs: tuple[PairSection, ...]
    judgements: tuple[OpenRow, ...]
    unstored: tuple[OpenRow, ...]
    data: tuple[Fact, ...]
    configuration: tuple[Fact, ...]
    anomalies: tuple[AnomalyRow, ...]
    anomalies_text: str
    soup: tuple[Fact, ...]
    soup_text: str
    changes: tuple[ChangeRow, ...]
    change_pairs: tuple[PairSection, ...]
    change_text: str
    standards: tuple[StandardSection, ...]
    files: tuple[FileRow, ...]
    commands: tuple[str, ...]
