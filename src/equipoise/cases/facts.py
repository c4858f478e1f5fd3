"""A case reduced to what a criterion can read, with three-valued answers.

`Facts` is also the decision key: two cases with equal facts get equal verdicts, whatever their spelling. Answers are integers,
TRUE = 1, UNKNOWN = 0, FALSE = -1, so that Kleene's and / or / not are min / max / minus.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from equipoise.cases.model import UNKNOWN as NOTHING
from equipoise.cases.model import Case, Documented, FindingStatus, Interval, Outcome, PriorTherapy, Status
from equipoise.cases.vocabulary.biomarkers import marker
from equipoise.cases.vocabulary.drugs import classes_of, covers, is_group
from equipoise.cases.vocabulary.setting import CURATIVE

TRUE, UNKNOWN, FALSE = 1, 0, -1

_LATE = frozenset({"advanced", "metastatic"})
_DAYS_PER_MONTH = 30.4375


@dataclass(frozen=True, slots=True)
class Reading:
    """How findings are read; a policy chooses.

    Attributes:
        unreported: "unknown" or "absent": what a marker is that the record does not mention.
        ambiguous: "undetermined" or "matches": what a finding counts for that is one of several ("mutation or amplification").
    """

    unreported: str = "unknown"
    ambiguous: str = "undetermined"


class Facts:
    """What is known of a case, for criteria.

    Attributes:
        present: marker names established by the findings.
        uncertain: names of findings of uncertain significance.
        absent: names reported absent.
        absent_genes: genes reported negative or wild type as a whole.
        open: names reported as pending, not tested or contradicted.
        conflicting: names reported present and absent.
        sequenced: genes for which a specific variant is reported.
        may: names that an ambiguous finding may be.
        setting, stage, histology, ecog, brain: possible values; None when unknown. An empty `brain` is "no brain metastases".
        tps, tc, ic, tmb, age, qtc: intervals; None when unknown.
        msi: "high", "stable" or None.
        priors: courses in order; () when none was given; None when unknown.
        conditions: TRUE, FALSE or UNKNOWN by name.
        conflicts: fields that the record states twice and differently.
        stated_line: line of therapy that the recommendation itself names; None when it names none.
        stated_setting: settings that the recommendation itself names; None when it names none.
        as_of: day for which time spans are measured.
        answers: answers of criteria already computed, by the criterion's number.
        markers: answers of `marker` already computed, by name.
        words: what the case documents for a criterion, already put into words, by the criterion's number.
    """

    __slots__ = (
        "absent", "absent_genes", "age", "answers", "as_of", "brain", "complete", "conditions", "conflicting", "conflicts",
        "ecog", "histology", "ic", "markers", "may", "msi", "open", "present", "priors", "qtc", "reading", "sequenced",
        "setting", "stage", "stated_line", "stated_setting", "tc", "tmb", "tps", "uncertain", "words",
    )  # fmt: skip

    present: set[str]
    uncertain: set[str]
    absent: set[str]
    absent_genes: set[str]
    open: set[str]
    conflicting: set[str]
    sequenced: set[str]
    may: set[str]
    setting: frozenset[str] | None
    stage: frozenset[str] | None
    histology: frozenset[str] | None
    ecog: frozenset[int] | None
    brain: frozenset[str] | None
    tps: Interval | None
    tc: Interval | None
    ic: Interval | None
    tmb: Interval | None
    age: Interval | None
    qtc: Interval | None
    msi: str | None
    priors: tuple[PriorTherapy, ...] | None
    conditions: dict[str, int]
    conflicts: set[str]
    complete: bool
    stated_line: int | None
    stated_setting: frozenset[str] | None
    as_of: dt.date
    reading: Reading
    answers: dict[int, int]
    markers: dict[str, int]
    words: dict[int, str]

    def copy(self) -> Facts:
        """A copy whose fields can be replaced without changing this one; it remembers no answer."""
        twin = Facts.__new__(Facts)
        twin.absent = self.absent
        twin.absent_genes = self.absent_genes
        twin.age = self.age
        twin.as_of = self.as_of
        twin.brain = self.brain
        twin.complete = self.complete
        twin.conditions = self.conditions
        twin.conflicting = self.conflicting
        twin.conflicts = self.conflicts
        twin.ecog = self.ecog
        twin.histology = self.histology
        twin.ic = self.ic
        twin.may = self.may
        twin.msi = self.msi
        twin.open = self.open
        twin.present = self.present
        twin.priors = self.priors
        twin.qtc = self.qtc
        twin.reading = self.reading
        twin.sequenced = self.sequenced
        twin.setting = self.setting
        twin.stage = self.stage
        twin.stated_line = self.stated_line
        twin.stated_setting = self.stated_setting
        twin.tc = self.tc
        twin.tmb = self.tmb
        twin.tps = self.tps
        twin.uncertain = self.uncertain
        twin.markers = {}
        twin.answers = {}
        twin.words = {}
        return twin

    def remembered_markers(self, changed: frozenset[str]) -> dict[str, int]:
        """Marker answers that stay true when some fields change (`biomarkers` is every gene)."""
        genes = {name.partition(".")[2] for name in changed if name.startswith("biomarkers")}
        if not genes:
            return self.markers
        if "" in genes:
            return {}
        return {name: state for name, state in self.markers.items() if name.partition(":")[0] not in genes}

    def marker(self, name: str) -> int:
        """Whether a marker is present (docs/semantics.md section 3)."""
        state = self.markers.get(name)
        if state is None:
            state = self.markers[name] = self.look_up(name)
        return state

    def look_up(self, name: str) -> int:
        """The answer of `marker`, computed and not remembered."""
        if name in self.conflicting:
            return UNKNOWN
        if name in self.present:
            return TRUE
        if name in self.may:
            return TRUE if self.reading.ambiguous == "matches" else UNKNOWN
        if name in self.absent:
            return FALSE
        info = marker(name)
        if info is None:
            return UNKNOWN
        gene = info.gene
        if gene in self.absent_genes and info.kind != "expression":
            return FALSE
        if self.absent and not self.absent.isdisjoint(info.classes):
            return FALSE
        if self.open and (name in self.open or not self.open.isdisjoint(info.classes)):
            return UNKNOWN
        if gene in self.sequenced and info.kind == "variant" and not info.acquired:
            return FALSE
        if self.complete or self.reading.unreported == "absent":
            return FALSE
        return UNKNOWN

    def reported(self) -> set[str]:
        """Names that count as present, those an ambiguous finding may be included where the reading says so."""
        return self.present | self.may if self.reading.ambiguous == "matches" and self.may else self.present

    def first_line(self) -> int:
        """Whether no systemic therapy was given for advanced or metastatic disease."""
        stated = self.stated_line
        if self.priors is None:
            return UNKNOWN if stated is None else (TRUE if stated == 1 else FALSE)
        state = TRUE
        for prior in self.priors:
            counts = _counts_as_line(prior)
            if counts == TRUE:
                state = FALSE
                break
            if counts == UNKNOWN:
                state = UNKNOWN
        if stated is None or (state == TRUE) == (stated == 1):
            return state
        if state == UNKNOWN:
            return TRUE if stated == 1 else FALSE
        self.conflicts.add("prior_therapies")
        return UNKNOWN

    def received(self, matches: Callable[[str], int], setting: frozenset[str] | None, months: float | None) -> int:
        """Whether a drug was given before."""
        return self._history(matches, setting, months, _whatever_the_outcome)

    def progressed_on(self, matches: Callable[[str], int], setting: frozenset[str] | None, months: float | None) -> int:
        """Whether the disease progressed on or after a drug."""
        return self._history(matches, setting, months, _progressed)

    def _history(
        self,
        matches: Callable[[str], int],
        setting: frozenset[str] | None,
        months: float | None,
        ended: Callable[[PriorTherapy], int],
    ) -> int:
        if self.priors is None:
            return UNKNOWN
        best = FALSE
        for prior in self.priors:
            state = UNKNOWN if prior.unread else FALSE
            for name in prior.drugs:
                match = matches(name)
                if match > state:
                    state = match
            if state == FALSE:
                continue
            state = min(state, ended(prior))
            if setting is not None:
                state = min(state, _given_in(prior, setting))
            if months is not None:
                state = min(state, self._within(prior, months))
            if state > best:
                best = state
        return best

    def _within(self, prior: PriorTherapy, months: float) -> int:
        if prior.outcome is Outcome.ONGOING:
            return TRUE
        if prior.ended is None:
            return UNKNOWN
        return TRUE if (self.as_of - prior.ended).days <= months * _DAYS_PER_MONTH else FALSE


def _counts_as_line(prior: PriorTherapy) -> int:
    if prior.drugs and not any(classes_of(name) for name in prior.drugs) and not prior.unread:
        return FALSE
    if prior.line is not None:
        return TRUE
    if prior.setting is not None:
        if prior.setting <= _LATE:
            return TRUE
        return FALSE if prior.setting <= CURATIVE else UNKNOWN
    return TRUE if prior.outcome is Outcome.PROGRESSED else UNKNOWN


def _given_in(prior: PriorTherapy, setting: frozenset[str]) -> int:
    given = prior.setting
    if given is None:
        if prior.line is None and prior.outcome is not Outcome.PROGRESSED:
            return UNKNOWN
        given = _LATE
    if given <= setting:
        return TRUE
    return FALSE if given.isdisjoint(setting) else UNKNOWN


def _whatever_the_outcome(prior: PriorTherapy) -> int:
    return TRUE


def _progressed(prior: PriorTherapy) -> int:
    if prior.outcome is Outcome.PROGRESSED:
        return TRUE
    return FALSE if prior.outcome is Outcome.ONGOING else UNKNOWN


def drug_matcher(drugs: Iterable[str], classes: Iterable[str]) -> Callable[[str], int]:
    """A test of one component: is it one of these drugs or classes?

    A group ("EGFR TKI") is a member of its own classes for certain, and may be one of the drugs or of a narrower class.
    """
    wanted = frozenset(drugs)
    wanted_classes = frozenset(classes)
    memo: dict[str, int] = {}

    def matches(name: str) -> int:
        state = memo.get(name)
        if state is None:
            state = memo[name] = test(name)
        return state

    def test(name: str) -> int:
        if name in wanted or not wanted_classes.isdisjoint(classes_of(name)):
            return TRUE
        if is_group(name):
            members = covers(name)
            if not wanted.isdisjoint(members) or any(
                not wanted_classes.isdisjoint(classes_of(member)) for member in members
            ):
                return UNKNOWN
        return FALSE

    return matches


def facts_of(case: Case, *, as_of: dt.date, reading: Reading) -> Facts:
    """Reduce a case to its facts.

    Args:
        case: the case.
        as_of: day for which time spans are measured.
        reading: how findings are read.
    """
    facts = Facts.__new__(Facts)
    facts.as_of = as_of
    facts.reading = reading
    facts.markers = {}
    facts.answers = {}
    facts.words = {}
    facts.complete = case.biomarkers_complete
    facts.stated_line = None
    facts.stated_setting = None
    conflicts: set[str] = set()
    facts.conflicts = conflicts
    _findings(case, facts)
    facts.setting = _value(case.setting, "setting", conflicts)
    facts.stage = _value(case.stage, "stage", conflicts)
    facts.histology = _value(case.histology, "histology", conflicts)
    facts.ecog = _value(case.ecog, "ecog", conflicts)
    facts.brain = (
        frozenset() if case.brain_mets.status is Status.ABSENT else _value(case.brain_mets, "brain_mets", conflicts)
    )
    facts.tps = _value(case.pdl1.tps, "pdl1", conflicts)
    facts.tc = _value(case.pdl1.tc, "pdl1", conflicts)
    facts.ic = _value(case.pdl1.ic, "pdl1", conflicts)
    facts.tmb = _value(case.tmb, "tmb", conflicts)
    facts.age = _value(case.age, "age", conflicts)
    facts.qtc = _value(case.qtc_ms, "qtc_ms", conflicts)
    facts.msi = _value(case.msi, "msi", conflicts)
    prior = case.prior_therapies
    facts.priors = () if prior.status is Status.ABSENT else _value(prior, "prior_therapies", conflicts)
    facts.conditions = conditions = {}
    for name, state in case.conditions.items():
        if state.status is _VALUE:
            conditions[name] = TRUE
        elif state.status is _ABSENT:
            conditions[name] = FALSE
        elif state.status is _CONFLICTING:
            conflicts.add(f"comorbidities.{name}")
    return facts


_VALUE, _ABSENT, _CONFLICTING = Status.VALUE, Status.ABSENT, Status.CONFLICTING


def _value(field: Documented[Any], name: str, conflicts: set[str]) -> Any:
    if field is NOTHING:
        return None
    if field.status is _VALUE:
        return field.value
    if field.status is _CONFLICTING:
        conflicts.add(name)
    return None


_PRESENT, _NEGATIVE, _UNCERTAIN = FindingStatus.PRESENT, FindingStatus.ABSENT, FindingStatus.UNCERTAIN


def _findings(case: Case, facts: Facts) -> None:
    present: set[str] = set()
    absent: set[str] = set()
    uncertain: set[str] = set()
    open_: set[str] = set()
    may: set[str] = set()
    sequenced: set[str] = set()
    facts.present, facts.absent, facts.uncertain, facts.open, facts.may = present, absent, uncertain, open_, may
    facts.sequenced = sequenced
    facts.conflicting = set()
    facts.absent_genes = set()
    if not case.findings:
        return
    for finding in case.findings:
        status = finding.status
        if status is _PRESENT:
            present.update(finding.names)
            may.update(finding.possible)
            if finding.specific and finding.kind == "variant":
                sequenced.add(finding.gene)
        elif status is _NEGATIVE:
            absent.add(finding.name)
            if not finding.specific:
                facts.absent_genes.add(finding.gene)
        elif status is _UNCERTAIN:
            uncertain.add(finding.name)
            if finding.specific and finding.kind == "variant":
                sequenced.add(finding.gene)
        else:
            open_.add(finding.name)
    may -= present
    if not absent.isdisjoint(present):
        _contradictions(case, facts)


def _contradictions(case: Case, facts: Facts) -> None:
    """A marker reported present and absent conflicts.

    Variants that come and go under treatment (T790M, ALK G1202R, ...) are no conflict when both results are dated: the later one holds.
    """
    for negative in case.findings:
        if negative.status is not FindingStatus.ABSENT:
            continue
        for positive in case.findings:
            if positive.status is not FindingStatus.PRESENT or negative.name not in positive.names:
                continue
            info = marker(negative.name)
            dated = positive.date is not None and negative.date is not None and positive.date != negative.date
            if dated and info is not None and info.acquired:
                assert positive.date is not None
                assert negative.date is not None
                if positive.date > negative.date:
                    facts.absent.discard(negative.name)
                else:
                    facts.present.difference_update(positive.names)
                continue
            facts.conflicting.update(positive.names)
            facts.conflicts.add(f"biomarkers.{positive.gene}")
