"""Counts over a cohort: standings, shares decided, fields that would decide, regimens."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.cohort.model import GROUPS, Cohort, Group, Option, Standing, Unit, deciding_sets


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Patients or samples of one day by their best standing in one group of options.

    Attributes:
        as_of: the day.
        group: the group.
        options: options on file in the group; for `NAMED` those of all genes.
        counts: units by standing.
        without: units for which the group holds no option (no gene named that an option asks for).
        not_assessed: units of which no option was audited.
    """

    as_of: dt.date
    group: Group
    options: int
    counts: dict[Standing, int]
    without: int
    not_assessed: int

    @property
    def n(self) -> int:
        """All units."""
        return sum(self.counts.values()) + self.without + self.not_assessed


def standings(units: Sequence[Unit], options: Sequence[Option], day: dt.date) -> tuple[Row, ...]:
    """One row a group.

    Args:
        units: patients or samples of one day.
        options: options of that day.
        day: the day.
    """
    rows = []
    for group in GROUPS:
        counts = Counter(unit.standing(group) for unit in units if not unit.not_assessed)
        rows.append(
            Row(
                as_of=day,
                group=group,
                options=sum(
                    group is Group.ALL or option.guided == (group in (Group.GUIDED, Group.NAMED)) for option in options
                ),
                counts={standing: counts[standing] for standing in Standing},
                without=counts[None],
                not_assessed=sum(bool(unit.not_assessed) for unit in units),
            )
        )
    return tuple(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """How many options are decided a patient, over the patients.

    Attributes:
        as_of: the day.
        group: the group of options.
        units: patients with at least one option in the group.
        decided: options decided, summed over the patients.
        waiting: options that wait for something undocumented.
        silent: options that the sources do not cover.
        lowest, middle, highest: options decided of a patient, as a share of the patient's options: least, median, most; None without
            patients.
    """

    as_of: dt.date
    group: Group
    units: int
    decided: int
    waiting: int
    silent: int
    lowest: float | None
    middle: float | None
    highest: float | None


def decided(units: Sequence[Unit], day: dt.date) -> tuple[Decided, ...]:
    """Shares of options that are decided, one row a group.

    Args:
        units: patients or samples of one day.
        day: the day.
    """
    rows = []
    for group in GROUPS:
        found = [counts for unit in units if (counts := unit.decided(group))[2]]
        shares = sorted(one / of for one, _, of in found)
        rows.append(
            Decided(
                as_of=day,
                group=group,
                units=len(found),
                decided=sum(one for one, _, _ in found),
                waiting=sum(of - one - silent for one, silent, of in found),
                silent=sum(silent for _, silent, _ in found),
                lowest=shares[0] if shares else None,
                middle=_median(shares),
                highest=shares[-1] if shares else None,
            )
        )
    return tuple(rows)


def _median(ordered: Sequence[float]) -> float | None:
    if not ordered:
        return None
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSet:
    """A set of undocumented fields, and for how many patients it would decide something.

    Attributes:
        fields: the fields.
        always: patients for whom it decides at least one option whatever the values are, and is one of their smallest such sets.
        sometimes: patients for whom some values of it decide at least one option.
        named: patients for whom a verdict names it as missing, and no value was found that supports an option.
    """

    fields: tuple[str, ...]
    always: int
    sometimes: int
    named: int


def field_sets(units: Sequence[Unit], group: Group) -> tuple[FieldSet, ...]:
    """What would decide, over the patients; most patients first.

    Args:
        units: patients or samples of one day.
        group: the group of options.
    """
    always: Counter[tuple[str, ...]] = Counter()
    sometimes: Counter[tuple[str, ...]] = Counter()
    named: Counter[tuple[str, ...]] = Counter()
    for unit in units:
        rows = unit.of(group)
        always.update({fields for fields, _ in deciding_sets(rows)})
        sometimes.update({tuple(sorted(fields)) for item in rows for fields in (*item.decide, *item.partly)})
        named.update({tuple(sorted(item.missing)) for item in rows if item.standing is Standing.OPEN})
    found = {*always, *sometimes, *named}
    sets = [
        FieldSet(fields=fields, always=always[fields], sometimes=sometimes[fields], named=named[fields])
        for fields in found
    ]
    return tuple(sorted(sets, key=lambda row: (-row.sometimes, -row.always, -row.named, len(row.fields), row.fields)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RegimenRow:
    """One regimen over the patients, by day.

    Attributes:
        regimen: its components.
        guided: whether it is marker-guided on the last day that has it.
        counts: by day, patients by standing; a day on which it is no option is missing.
    """

    regimen: str
    guided: bool
    counts: dict[dt.date, dict[Standing, int]]


def regimens(cohort: Cohort) -> tuple[RegimenRow, ...]:
    """Every option of any day over the patients, those that most patients could get first.

    Args:
        cohort: the cohort. A marker-guided option counts only for patients whose record names a gene that it asks for.
    """
    counts: dict[str, dict[dt.date, Counter[Standing]]] = {}
    guided: dict[str, bool] = {}
    for day in cohort.as_of:
        for unit in cohort.patients[day]:
            for item in (*unit.named, *unit.of(Group.OTHER)):
                regimen = item.option.regimen
                guided[regimen] = item.option.guided
                counts.setdefault(regimen, {}).setdefault(day, Counter())[item.standing] += 1
    rows = [
        RegimenRow(
            regimen=name,
            guided=guided[name],
            counts={day: {standing: found[standing] for standing in Standing} for day, found in counts[name].items()},
        )
        for name in counts
    ]
    last = cohort.as_of[-1]
    return tuple(sorted(rows, key=lambda row: (*_rank(row.counts.get(last)), row.regimen)))


def _rank(counts: dict[Standing, int] | None) -> tuple[int, int]:
    if counts is None:
        return (1, 0)
    return (-counts[Standing.SUPPORTED] - counts[Standing.WEIGHED], -counts[Standing.COULD])


def conflicts(units: Sequence[Unit]) -> tuple[tuple[str, int], ...]:
    """Fields that records state twice and differently, with the number of patients: most first.

    Args:
        units: patients of one day.
    """
    found = Counter(name for unit in units for name in unit.conflicts)
    return tuple(sorted(found.items(), key=lambda row: (-row[1], row[0])))
