"""From records to a cohort: the systemic options of each day, held against every patient and every sample."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from equipoise.audit.case_parser import read_facts
from equipoise.audit.missing_information import MAX_FIELDS
from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import Label, Verdict
from equipoise.cases.formats.history import read as read_history
from equipoise.cases.formats.record.model import Reason
from equipoise.cases.load import ReadItem
from equipoise.cases.model import Case, Documented, FindingStatus, Status, unknown
from equipoise.cases.vocabulary.biomarkers import read_biomarkers
from equipoise.cases.vocabulary.drugs import classes_of, is_group, read_regimen
from equipoise.cohort.keys import Reads, key_of, reads_of
from equipoise.cohort.model import GROUPS, Cohort, Option, Outcome, Standing, Unit
from equipoise.evidence.criteria import positive_markers
from equipoise.evidence.model import Direction

_GENE = re.compile(r"[A-Z][A-Z0-9]+")
_HISTORY = ("prior_therapies",)
_PROGRESSED = {"setting": "metastatic", "outcome": "progressed"}
HISTORIES: tuple[tuple[str, ...], ...] = (
    ("carboplatin + pemetrexed",),
    ("pembrolizumab",),
    ("carboplatin + pemetrexed + pembrolizumab",),
    ("erlotinib",),
    ("osimertinib",),
    ("crizotinib",),
    ("alectinib",),
    ("carboplatin + pemetrexed", "pembrolizumab"),
    ("erlotinib", "carboplatin + pemetrexed"),
    ("crizotinib", "carboplatin + pemetrexed"),
)
"""Histories that lines without drugs are held against, a course a line, each for metastatic disease and ended by progression.
They say what could have been, nothing of how often it is."""
_ALTERED = (FindingStatus.PRESENT, FindingStatus.UNCERTAIN)
_HELD = (Label.SUPPORTED, Label.PARTIALLY_SUPPORTED)
_STANDING: Mapping[Label, Standing] = {
    Label.SUPPORTED: Standing.SUPPORTED,
    Label.PARTIALLY_SUPPORTED: Standing.WEIGHED,
    Label.UNSUPPORTED: Standing.AGAINST,
}


def systemic_options(auditor: Auditor, day: dt.date) -> tuple[Option, ...]:
    """The systemic regimens that some source on file supports on a day, by name.

    A regimen with a local part (surgery, radiotherapy, fields) is none. Regimens that name a group ("platinum") stand beside those
    that name its members, as the sources do. One is marker-guided when a source asks for a marker to be present in at least one of its
    uses (afatinib has one without, too); regimens of groups alone ("platinum + chemotherapy") are not.

    Args:
        auditor: policy, evidence, jurisdiction.
        day: day for which the evidence is read.
    """
    guided: dict[str, bool] = {}
    markers: dict[str, set[str]] = {}
    for item in auditor.evidence.active(auditor.jurisdiction, day):
        if item.direction is Direction.SUPPORTS and all(classes_of(name) for name in item.regimen):
            name = item.regimen_text
            specific = not all(is_group(part) for part in item.regimen)
            guided[name] = guided.get(name, False) or (specific and auditor.plan(item).targeted)
            asked = markers.setdefault(name, set())
            for node in item.requires:
                asked |= positive_markers(node)
    return tuple(
        Option(regimen=name, guided=guided[name], markers=frozenset(markers[name]) if guided[name] else frozenset())
        for name in sorted(guided)
    )


def named_genes(item: ReadItem) -> frozenset[str]:
    """Genes that a record names as altered: those of its findings, and those of drivers without an alteration, which give no finding.

    Args:
        item: the record.
    """
    found: set[str] = set()
    if item.case is not None:
        for finding in item.case.findings:
            if finding.status in _ALTERED:
                found.update(name.partition(":")[0] for name in (finding.name, *finding.names))
    if item.record is not None:
        drivers = (entry.detail for entry in item.record.ignored if entry.reason is Reason.DRIVER)
        found.update(detail for detail in drivers if _GENE.fullmatch(detail))
    return frozenset(found)


class Desk:
    """Audits options for one day, each distinct key once.

    Attributes:
        options: the options of the day.
        audits: how many audits were made.
    """

    def __init__(self, auditor: Auditor) -> None:
        """Prepare.

        Args:
            auditor: policy, evidence, jurisdiction and day.
        """
        self._auditor = auditor
        self.options = systemic_options(auditor, auditor.as_of)
        self.audits = 0
        self._reads: list[Reads] = [
            reads_of(auditor, read_regimen(option.regimen).components, auditor.as_of) for option in self.options
        ]
        self._known: list[dict[Hashable, Outcome]] = [{} for _ in self.options]
        self._known_named: dict[tuple[int, Hashable, frozenset[str]], Outcome] = {}

    def unit(self, item: ReadItem, *, patient: str) -> Unit:
        """What one patient or sample comes to.

        Args:
            item: the record that was read; one with a case.
            patient: id of the patient.
        """
        case = item.case
        day = self._auditor.as_of
        if case is None:
            return Unit(id=item.case_id, patient=patient, as_of=day, not_assessed="unreadable")
        reason = self._not_assessed(case)
        facts = read_facts(case, None, as_of=day, reading=self._auditor.policy.reading)
        conflicts = tuple(sorted(facts.conflicts))
        if reason:
            return Unit(
                id=item.case_id,
                patient=patient,
                as_of=day,
                not_assessed=reason,
                conflicts=conflicts,
                case_hash=case.content_hash,
            )
        genes = named_genes(item)
        outcomes: list[Outcome] = []
        keys: list[Hashable] = []
        for option, reads, known in zip(self.options, self._reads, self._known, strict=True):
            key = key_of(case, facts, reads)
            found = known.get(key)
            if found is None:
                found = known[key] = self._outcome(case, option)
            outcomes.append(found)
            keys.append(key)
        return Unit(
            id=item.case_id,
            patient=patient,
            as_of=day,
            outcomes=tuple(outcomes),
            named=self._named(case, genes, outcomes, keys),
            conflicts=conflicts,
            case_hash=case.content_hash,
            genes=genes,
        )

    def _outcome(self, case: Case, option: Option) -> Outcome:
        """The audit of one option; one that lacks only the drugs of earlier lines is held against histories that could have been."""
        self.audits += 1
        found = outcome_of(option, self._auditor.audit_regimen(case, option.regimen))
        if (
            found.standing is Standing.OPEN
            and found.missing == _HISTORY
            and self._could_have_been(case, option.regimen)
        ):
            return dataclasses.replace(found, standing=Standing.COULD, partly=(_HISTORY,))
        return found

    def _could_have_been(self, case: Case, regimen: str) -> bool:
        """Whether some history with as many lines as are documented without drugs supports a regimen.

        The histories are common ones (`HISTORIES`) and those that the what-if of an unknown history names; lines that they leave over stay
        without drugs.
        """
        lines = case.prior_therapies.value or ()
        if not lines or any(line.drugs for line in lines):
            return False
        self.audits += 1
        open_case = dataclasses.replace(case, prior_therapies=unknown())
        rows = self._auditor.audit_regimen(open_case, regimen).what_if
        tried = [row.patch.get("prior_therapies", []) for row in rows if row.fields == _HISTORY]
        tried += [[{"drugs": drugs, **_PROGRESSED} for drugs in history] for history in HISTORIES]
        for courses in tried:
            if not courses or len(courses) > len(lines):
                continue
            named = read_history(courses).value or ()
            whole = Documented(Status.VALUE, (*named, *lines[len(courses) :]), sources=case.prior_therapies.sources)
            self.audits += 1
            verdict = self._auditor.audit_regimen(dataclasses.replace(case, prior_therapies=whole), regimen)
            if verdict.label in _HELD:
                return True
        return False

    def _named(
        self, case: Case, genes: frozenset[str], outcomes: list[Outcome], keys: list[Hashable]
    ) -> tuple[Outcome, ...]:
        """Outcomes of the marker-guided options on the genes that the record names."""
        found = []
        for place, (base, key) in enumerate(zip(outcomes, keys, strict=True)):
            named = base.option.genes & genes
            if not named:
                continue
            if base.standing not in (Standing.COULD, Standing.OPEN):
                found.append(base)
                continue
            known = self._known_named.get((place, key, named))
            if known is None:
                known = self._known_named[place, key, named] = self._with_alteration(case, base, named)
            found.append(known)
        return tuple(found)

    def _with_alteration(self, case: Case, base: Outcome, genes: frozenset[str]) -> Outcome:
        """An open option, with each alteration of the named genes that its sources ask for filled in, one at a time."""
        sets: dict[tuple[str, ...], None] = {}
        via = []
        for name in sorted(base.option.markers):
            gene = name.partition(":")[0]
            added = tuple(read_biomarkers(name))
            if gene not in genes or not any(name in item.names for item in added):
                continue
            if any(item.status is FindingStatus.ABSENT and name == item.name for item in case.findings):
                continue
            self.audits += 1
            altered = dataclasses.replace(case, findings=(*case.findings, *added))
            verdict = self._auditor.audit_regimen(altered, base.option.regimen)
            ways: list[tuple[str, ...]] = [row.fields for row in verdict.what_if if row.label in _HELD]
            if verdict.label in _HELD:
                ways = [()]
            elif verdict.missing_fields == _HISTORY and self._could_have_been(altered, base.option.regimen):
                ways = [_HISTORY]
            kept = [
                fields
                for fields in ways
                if len(fields) < MAX_FIELDS and not any(one.startswith("biomarkers") for one in fields)
            ]
            if kept:
                via.append(name)
                sets.update(dict.fromkeys(tuple(sorted((f"biomarkers.{gene}", *fields))) for fields in kept))
        decide = tuple(fields for fields in base.decide if _only(fields, genes))
        return dataclasses.replace(
            base,
            standing=Standing.COULD if via else Standing.OPEN,
            decide=decide,
            partly=tuple(fields for fields in sets if fields not in {tuple(sorted(one)) for one in decide}),
            via=tuple(via),
        )

    def _not_assessed(self, case: Case) -> str:
        """Coded reason why no option can be judged; empty when they can."""
        if case.unsupported_language:
            return "unsupported-language"
        if case.tumor.status is Status.CONFLICTING:
            return "input-conflicting"
        if case.tumor.value is None or case.tumor.value == "lung cancer":
            return "input-missing"
        return "" if case.tumor.value in self._auditor.evidence.tumors else "out-of-scope"


def outcome_of(option: Option, verdict: Verdict) -> Outcome:
    """Where an option stands, by its verdict.

    Args:
        option: the option.
        verdict: the audit of it.
    """
    cells: dict[tuple[str, ...], list[Label]] = {}
    for row in verdict.what_if:
        cells.setdefault(row.fields, []).append(row.label)
    standing = _STANDING.get(verdict.label)
    if standing is None:
        could = any(label in _HELD for labels in cells.values() for label in labels)
        standing = Standing.COULD if could else Standing.OPEN if verdict.missing_fields else Standing.SILENT
    whole = tuple(fields for fields, labels in cells.items() if Label.INSUFFICIENT_INFORMATION not in labels)
    return Outcome(
        option=option,
        label=verdict.label,
        reason=verdict.reasons[0].code,
        standing=standing,
        decide=whole,
        partly=tuple(fields for fields in cells if fields not in whole),
        missing=verdict.missing_fields,
    )


def _only(fields: tuple[str, ...], genes: frozenset[str]) -> bool:
    """Whether a set of fields asks for no other gene."""
    return all(name.partition(".")[2] in genes for name in fields if name.startswith("biomarkers"))


def cohort_of(
    name: str,
    patients: Sequence[ReadItem],
    samples: Sequence[tuple[ReadItem, str]],
    auditors: Sequence[Auditor],
) -> Cohort:
    """Hold the options of every day against every patient and sample.

    Args:
        name: what was read, for titles.
        patients: one item a patient, all samples of a patient read together.
        samples: one item a sample with the id of its patient; empty where the records know no samples.
        auditors: one a day, with one policy, evidence and jurisdiction.
    """
    options: dict[dt.date, tuple[Option, ...]] = {}
    whole: dict[dt.date, tuple[Unit, ...]] = {}
    parts: dict[dt.date, tuple[Unit, ...]] = {}
    differ: dict[dt.date, int] = {}
    of_patient = Counter(patient for _, patient in samples)
    for auditor in auditors:
        desk, day = Desk(auditor), auditor.as_of
        options[day] = desk.options
        whole[day] = tuple(desk.unit(item, patient=item.case_id) for item in patients)
        parts[day] = tuple(desk.unit(item, patient=patient) for item, patient in samples)
        differ[day] = _differ(parts[day])
    first = auditors[0]
    records = [item.record for item in patients if item.record is not None]
    return Cohort(
        name=name,
        policy=first.policy.id,
        policy_hash=first.policy.hash,
        evidence_hash=first.evidence.hash,
        jurisdiction=first.jurisdiction,
        as_of=tuple(auditor.as_of for auditor in auditors),
        options=options,
        patients=whole,
        samples=parts,
        several=sum(count > 1 for count in of_patient.values()),
        differ=differ,
        unreadable=tuple((item.case_id, str(item.error)) for item in patients if item.case is None),
        nothing=Counter(record.nothing.value for record in records if record.nothing is not None),
        ignored=Counter(entry.reason.value for record in records for entry in record.ignored),
    )


def _differ(samples: Sequence[Unit]) -> int:
    """Patients whose samples do not all have the same best standing in every group of options."""
    found: dict[str, set[Hashable]] = {}
    for unit in samples:
        found.setdefault(unit.patient, set()).add(tuple(unit.standing(group) for group in GROUPS))
    return sum(len(standings) > 1 for standings in found.values())
