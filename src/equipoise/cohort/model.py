"""What a cohort comes to: one standing a patient or sample and day, and the options behind it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from equipoise.audit.verdict import Label


class Standing(StrEnum):
    """Where an option stands for a patient, or the best of a patient's options; from the best to the last.

    `COULD`, `OPEN` and `SILENT` are Insufficient Information. `COULD`: at least one value of what is not documented gives Supported or
    Partially Supported. `OPEN`: something is missing, and no set of up to three fields was found that does. `SILENT`: nothing is
    missing, and no listed use holds, but the sources on file do not claim to be complete for it; that is no evidence against it.
    """

    SUPPORTED = "supported"
    WEIGHED = "points-to-weigh"
    COULD = "could-be-supported"
    OPEN = "open"
    SILENT = "not-covered"
    AGAINST = "not-supported"


STANDINGS: tuple[Standing, ...] = tuple(Standing)


class Group(StrEnum):
    """Which options are counted.

    `NAMED`: marker-guided options on a gene that the record names, with or without its alteration. `GUIDED`: options for which a
    source asks for a marker to be present in at least one use. `OTHER`: the others. `ALL`: all of them.
    """

    NAMED = "gene-named"
    GUIDED = "marker-guided"
    OTHER = "other"
    ALL = "all"


GROUPS: tuple[Group, ...] = tuple(Group)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A systemic regimen that some source on file supports on a day.

    Attributes:
        regimen: its components.
        guided: whether a supporting assertion of that day asks for a marker to be present (regimens of groups alone apart).
        markers: those markers.
    """

    regimen: str
    guided: bool
    markers: frozenset[str] = frozenset()

    @property
    def genes(self) -> frozenset[str]:
        """Genes of the markers."""
        return frozenset(name.partition(":")[0] for name in self.markers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the audit of one option comes to for one patient.

    Attributes:
        option: the option.
        label: label of the verdict.
        reason: its first reason code.
        standing: where it stands.
        decide: smallest sets of undocumented fields that decide it whatever their value is.
        partly: the set shown where none decides in every cell, but one in some cells.
        missing: fields that the verdict names as missing, whether or not a what-if could fill them in.
        via: markers of a gene that the record names with which it would be supported; only in the group `NAMED`.
    """

    option: Option
    label: Label
    reason: str
    standing: Standing
    decide: tuple[tuple[str, ...], ...] = ()
    partly: tuple[tuple[str, ...], ...] = ()
    missing: tuple[str, ...] = ()
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A patient or a sample on one day.

    Attributes:
        id: id in the record: of the patient, or of the sample.
        patient: id of the patient.
        as_of: day for which the evidence was read.
        not_assessed: coded reason why no option was audited; empty when they were.
        outcomes: one an option, in the order of the options; empty when nothing was audited.
        conflicts: fields that the record states twice and differently.
        case_hash: content hash of the case as read; empty for one that could not be read.
        genes: genes that the record names as altered, with or without the alteration.
        named: outcomes of the marker-guided options on those genes, where only the alteration of those genes is left open.
    """

    id: str
    patient: str
    as_of: dt.date
    genes: frozenset[str] = frozenset()
    not_assessed: str = ""
    outcomes: tuple[Outcome, ...] = ()
    named: tuple[Outcome, ...] = ()
    conflicts: tuple[str, ...] = ()
    case_hash: str = ""

    def of(self, group: Group) -> tuple[Outcome, ...]:
        """Outcomes of a group of options."""
        if group is Group.ALL:
            return self.outcomes
        if group is Group.NAMED:
            return self.named
        return tuple(item for item in self.outcomes if item.option.guided == (group is Group.GUIDED))

    def standing(self, group: Group = Group.ALL) -> Standing | None:
        """The best standing of a group; None when nothing was audited, or the group has no option on that day."""
        found = {item.standing for item in self.of(group)}
        return next((standing for standing in STANDINGS if standing in found), None)

    def decided(self, group: Group = Group.ALL) -> tuple[int, int, int]:
        """Options of a group: decided (any label but Insufficient Information), not covered by the sources, and all."""
        rows = self.of(group)
        return (
            sum(item.label is not Label.INSUFFICIENT_INFORMATION for item in rows),
            sum(item.standing is Standing.SILENT for item in rows),
            len(rows),
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON: counts by group, the supported options, what would decide the others."""
        return {
            "id": self.id,
            "patient": self.patient,
            "as_of": self.as_of.isoformat(),
            "case_hash": self.case_hash,
            "not_assessed": self.not_assessed or None,
            "conflicts": list(self.conflicts),
            "genes": sorted(self.genes),
            "groups": {group.value: self._group(group) for group in GROUPS} if self.outcomes else {},
            "supported": [item.option.regimen for item in self.outcomes if item.standing is Standing.SUPPORTED],
            "points_to_weigh": [item.option.regimen for item in self.outcomes if item.standing is Standing.WEIGHED],
            "could_be_supported": [
                {"regimen": item.option.regimen, "with_one_of": list(item.via)} for item in self.named if item.via
            ],
            "decides_whatever_the_value": {group.value: _sets(deciding_sets(self.of(group))) for group in GROUPS},
            "decides_for_some_value": {
                group.value: _sets(deciding_sets(self.of(group), always=False)) for group in GROUPS
            },
        }

    def _group(self, group: Group) -> dict[str, Any]:
        decided, silent, of = self.decided(group)
        standing = self.standing(group)
        return {
            "standing": standing.value if standing else None,
            "options": of,
            "decided": decided,
            "not_covered": silent,
        }


def _sets(rows: tuple[tuple[tuple[str, ...], int], ...]) -> list[dict[str, Any]]:
    return [{"fields": list(fields), "options": count} for fields, count in rows]


def deciding_sets(outcomes: tuple[Outcome, ...], *, always: bool = True) -> tuple[tuple[tuple[str, ...], int], ...]:
    """The smallest sets of fields that decide at least one open option.

    Args:
        outcomes: of one patient or sample.
        always: whatever their value is; otherwise those that do so for some value, too.

    Returns:
        Sets of the smallest size found, each with the number of options that it decides: most first, then by name.
    """
    counts: dict[tuple[str, ...], int] = {}
    for item in outcomes:
        for fields in {tuple(sorted(found)) for found in (item.decide if always else (*item.decide, *item.partly))}:
            counts[fields] = counts.get(fields, 0) + 1
    if not counts:
        return ()
    least = min(map(len, counts))
    rows = [(fields, count) for fields, count in counts.items() if len(fields) == least]
    return tuple(sorted(rows, key=lambda row: (-row[1], row[0])))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """A cohort under one policy, on one or several days.

    Attributes:
        name: what was read, without its folders.
        policy: id of the policy.
        policy_hash: its content hash.
        evidence_hash: content hash of the evidence.
        jurisdiction: of which the sources speak.
        as_of: the days, in the order asked for.
        options: by day, the systemic options on file.
        patients: by day, one unit a patient.
        samples: by day, one unit a sample; empty where the records know no samples.
        several: patients with more than one sample.
        differ: by day, those of them whose samples do not all have the same best standing.
        unreadable: entries that could not be read as a case, each with what was wrong.
        nothing: coded reasons why the records hold nothing to audit, with counts.
        ignored: coded reasons why entries were not read, with counts.
    """

    name: str
    policy: str
    policy_hash: str
    evidence_hash: str
    jurisdiction: str
    as_of: tuple[dt.date, ...]
    options: Mapping[dt.date, tuple[Option, ...]]
    patients: Mapping[dt.date, tuple[Unit, ...]]
    samples: Mapping[dt.date, tuple[Unit, ...]]
    several: int
    differ: Mapping[dt.date, int]
    unreadable: tuple[tuple[str, str], ...]
    nothing: Mapping[str, int]
    ignored: Mapping[str, int]
