"""What the page of a cohort is made of. As in `contexts`: documented frozen dataclasses, and a template reads nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.report.contexts import Fact
from equipoise.report.plots import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRow:
    """Options of one group on one day, over the patients.

    Attributes:
        day: the day.
        group: the group, in words.
        patients: patients with an option in it.
        decided: options decided, with counts and share.
        waiting: options that wait for something undocumented.
        silent: options that the sources do not cover.
        middle: the share of a patient's options that is decided: median, least and most.
    """

    day: str
    group: str
    patients: int
    decided: str
    waiting: str
    silent: str
    middle: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """A set of undocumented fields.

    Attributes:
        day: the day.
        group: the group of options, in words.
        fields: the fields, in words.
        sometimes: patients for whom some value of it gives a supported option.
        always: patients for whom it decides an option whatever the value is.
        missing: patients with an option that lacks it and for which no value was found that supports it.
    """

    day: str
    group: str
    fields: str
    sometimes: int
    always: int
    missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RegimenLine:
    """A regimen over the patients.

    Attributes:
        regimen: its components.
        asks: genes of which a source asks for a marker; empty for none.
        counts: by day, patients in words; "no source yet" where it is no option.
    """

    regimen: str
    asks: str
    counts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortPage:
    """A cohort.

    Attributes:
        title: heading.
        sentences: the finding, one sentence a day, computed from the counts.
        head: what was read, and with what.
        report_id: content hash of what is shown.
        census: that the counts describe all patients of the files and estimate nothing.
        cautions: what a reader must know before.
        patients: where the best option of each patient stands.
        samples: the same by sample; None where the records know no samples.
        samples_note: how patients and samples differ; empty without samples.
        shares: how many options are decided.
        bars: by day, what would decide about options on a gene that the record names; none where nothing would.
        field_rows: every set of fields shown.
        days: the days, as heads of the table of regimens.
        regimens: regimens over the patients.
        reading: what was read, and what was not, with coded reasons.
        words: what the classes and groups mean.
        methods: versions, hashes and rules.
        note: where the data come from and under which licence, in the words of whoever made the page; empty for none.
        device: that this is not a medical device.
    """

    title: str
    sentences: tuple[str, ...]
    head: tuple[Fact, ...]
    report_id: str
    census: str
    cautions: tuple[str, ...]
    patients: Figure
    samples: Figure | None
    samples_note: str
    shares: tuple[ShareRow, ...]
    bars: tuple[Figure, ...]
    field_rows: tuple[FieldRow, ...]
    days: tuple[str, ...]
    regimens: tuple[RegimenLine, ...]
    reading: tuple[Fact, ...]
    words: tuple[Fact, ...]
    methods: tuple[Fact, ...]
    note: str
    device: str
