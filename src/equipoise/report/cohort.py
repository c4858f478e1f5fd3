"""From a cohort to its page: counts only, no row and no id of a patient."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from equipoise._version import __version__
from equipoise.audit.wording import NOT_A_DEVICE
from equipoise.cohort.model import Cohort, Group, Option, Standing, Unit
from equipoise.cohort.tally import RegimenRow, conflicts, decided, field_sets, regimens, standings
from equipoise.ids import content_hash
from equipoise.report.cohort_contexts import CohortPage, FieldRow, RegimenLine, ShareRow
from equipoise.report.contexts import Fact
from equipoise.report.numbers import decimals
from equipoise.report.plots import Figure, bars, shares

GROUP_WORDS: Mapping[Group, str] = {
    Group.NAMED: "options on a gene that the record names",
    Group.GUIDED: "marker-guided options",
    Group.OTHER: "other systemic options",
    Group.ALL: "all systemic options",
}
"""Groups of options, in words."""

STANDING_WORDS: Mapping[Standing, str] = {
    Standing.SUPPORTED: "supported as documented",
    Standing.WEIGHED: "supported with points to weigh",
    Standing.COULD: "could be supported, by what is not documented",
    Standing.OPEN: "open: no small set of fields decides",
    Standing.SILENT: "no listed use holds, sources not complete",
    Standing.AGAINST: "not supported",
}
"""Classes of the plots, in words."""

NO_GENE = "no gene with such an option is named"
NOT_ASSESSED = "not assessed"
CENSUS = (
    "Every patient of the files is counted (a census). The shares describe these patients and estimate nothing beyond them, so they carry"
    " counts and no interval."
)
_SHORT: Mapping[Group, str] = {Group.NAMED: "named gene", Group.OTHER: "other systemic", Group.ALL: "all systemic"}
_DRAWN = (Group.NAMED, Group.OTHER, Group.ALL)
_TABLED = (Group.NAMED, Group.OTHER)
_SETS = 6
_GUIDED_SHOWN, _OTHERS_SHOWN = 40, 20


def cohort_page(found: Cohort, *, note: str = "") -> CohortPage:
    """The page of a cohort.

    Args:
        found: made by `equipoise.cohort.view.cohort_of`.
        note: where the data come from and under which licence.
    """
    last = found.as_of[-1]
    by_sample = bool(found.samples[last])
    patients = len(found.patients[last])
    page = CohortPage(
        title=f"What the evidence decides for the patients of {found.name}",
        sentences=tuple(_sentence(found, day) for day in found.as_of),
        head=(
            Fact("read", found.name),
            Fact("patients", str(patients)),
            *((Fact("samples", str(len(found.samples[last]))),) if by_sample else ()),
            Fact("evidence of", ", ".join(day.isoformat() for day in found.as_of)),
            Fact("jurisdiction", found.jurisdiction),
            Fact("policy", found.policy),
        ),
        report_id="",
        census=CENSUS,
        cautions=_cautions(found),
        patients=_standings("patients", found, found.patients),
        samples=_standings("samples", found, found.samples) if by_sample else None,
        samples_note=_samples_note(found) if by_sample else "",
        shares=tuple(row for day in found.as_of for row in _shares(found, day)),
        bars=tuple(figure for day in found.as_of if (figure := _bars(found, day)) is not None),
        field_rows=tuple(row for day in found.as_of for group in _TABLED for row in _fields(found, day, group)),
        days=tuple(day.isoformat() for day in found.as_of),
        regimens=_regimens(found),
        reading=_reading(found),
        words=_words(),
        methods=(
            Fact("equipoise", __version__),
            Fact("policy hash", found.policy_hash),
            Fact("evidence hash", found.evidence_hash),
            Fact(
                "an option",
                "a systemic regimen that a source on file supports on the day; each is audited like a recommendation",
            ),
            Fact(
                "what would decide",
                "markers of a named gene, sets of up to three fields, common drugs for lines without drugs are filled in and audited",
            ),
        ),
        note=note,
        device=NOT_A_DEVICE,
    )
    return _identified(page, found)


def _identified(page: CohortPage, found: Cohort) -> CohortPage:
    import dataclasses

    shown = {
        "sentences": list(page.sentences),
        "shares": [dataclasses.asdict(row) for row in page.shares],
        "fields": [dataclasses.asdict(row) for row in page.field_rows],
        "regimens": [[row.regimen, row.asks, list(row.counts)] for row in page.regimens],
        "patients": page.patients.description,
        "policy": found.policy_hash,
        "evidence": found.evidence_hash,
        "version": __version__,
    }
    return dataclasses.replace(page, report_id=content_hash(shown))


def _sentence(found: Cohort, day: dt.date) -> str:
    rows = {row.group: row for row in standings(found.patients[day], found.options[day], day)}
    named, every = rows[Group.NAMED], rows[Group.ALL]
    with_gene = named.n - named.without - named.not_assessed
    held = named.counts[Standing.SUPPORTED] + named.counts[Standing.WEIGHED]
    any_held = every.counts[Standing.SUPPORTED] + every.counts[Standing.WEIGHED]
    return (
        f"Evidence of {day}: of {every.n} patients, {any_held} have at least one systemic option that the evidence on file supports as"
        f" documented, {every.counts[Standing.SUPPORTED]} of them without points to weigh. {with_gene}"
        f" have a named gene with marker-guided options: {held} with one supported as documented,"
        f" {named.counts[Standing.COULD]} with one that could be, once what is missing is documented."
    )


def _cautions(found: Cohort) -> tuple[str, ...]:
    said = [
        "A gene without its alteration gives no variant: the record names the gene, the evidence asks for the alteration."
    ]
    if any(
        row.reason == "knowledge-silent" for day in found.as_of for unit in found.patients[day] for row in unit.outcomes
    ):
        said.append(
            "Where the sources on file do not claim to be complete for a drug on a day, nothing counts as not supported; before 2020"
            " that is so for most drugs."
        )
    return tuple(said)


def _standings(key: str, found: Cohort, units: Mapping[dt.date, Sequence[Unit]]) -> Figure:
    rows = []
    for group in _DRAWN:
        for day in found.as_of:
            row = next(row for row in standings(units[day], found.options[day], day) if row.group is group)
            counts = {STANDING_WORDS[standing]: count for standing, count in row.counts.items()}
            counts[NO_GENE], counts[NOT_ASSESSED] = row.without, row.not_assessed
            rows.append((f"{day} {_SHORT[group]}", counts))
    return shares(
        f"standings-{key}",
        f"Where the best option of each of the {key} stands",
        (*STANDING_WORDS.values(), NO_GENE, NOT_ASSESSED),
        rows,
        noun=key,
        note="One bar is all of them. A bar counts each once, by the best of its options in the order of the key."
        f" Named gene: {GROUP_WORDS[Group.NAMED]}.",
    )


def _samples_note(found: Cohort) -> str:
    told = [f"evidence of {day}: {found.differ[day]} of them" for day in found.as_of]
    twice = conflicts(found.patients[found.as_of[-1]])
    fields = ", ".join(f"{name} ({count} patients)" for name, count in twice)
    return (
        f"{found.several} patients have several samples. A patient is counted once, with all samples read together; what they state"
        f" differently is a conflict and read as unknown{f': {fields}' if fields else ''}. The samples of a patient do not all stand alike"
        f" for {'; '.join(told)}."
    )


def of(part: int, whole: int) -> str:
    """A share of a census: counts first, and the percentage from ten on.

    Args:
        part: how many.
        whole: of how many.
    """
    if whole < 10:
        return f"{part} of {whole}"
    return f"{part} of {whole} ({100 * part / whole:.{decimals(whole)}f} %)"


def _shares(found: Cohort, day: dt.date) -> list[ShareRow]:
    rows = []
    for row in decided(found.patients[day], day):
        whole = row.decided + row.waiting + row.silent
        if row.middle is None or row.lowest is None or row.highest is None:
            continue
        rows.append(
            ShareRow(
                day=day.isoformat(),
                group=GROUP_WORDS[row.group],
                patients=row.units,
                decided=of(row.decided, whole),
                waiting=of(row.waiting, whole),
                silent=of(row.silent, whole),
                middle=f"{100 * row.middle:.0f} % ({100 * row.lowest:.0f} to {100 * row.highest:.0f})",
            )
        )
    return rows


def field_name(field: str) -> str:
    """A field of the Case in words.

    Args:
        field: its path.
    """
    head, _, gene = field.partition(".")
    if head == "biomarkers":
        return f"the alteration of {gene}" if gene else "any marker"
    return _FIELD_WORDS.get(field, field.replace("_", " "))


_FIELD_WORDS = {
    "prior_therapies": "drugs, setting and outcome of earlier lines",
    "pdl1": "PD-L1",
    "msi": "MSI",
    "tmb": "TMB",
    "ecog": "ECOG",
    "brain_mets": "brain metastases",
    "setting": "setting (advanced or metastatic)",
}


def _bars(found: Cohort, day: dt.date) -> Figure | None:
    rows = [
        (" + ".join(map(field_name, row.fields)), row.sometimes)
        for row in field_sets(found.patients[day], Group.NAMED)
        if row.sometimes
    ]
    if not rows:
        return None
    return bars(
        f"fields-{day}",
        f"What would decide about options on a named gene, evidence of {day}: patients",
        rows,
        noun="fields",
        total=len(found.patients[day]),
    )


def _fields(found: Cohort, day: dt.date, group: Group) -> list[FieldRow]:
    return [
        FieldRow(
            day=day.isoformat(),
            group=GROUP_WORDS[group],
            fields=" + ".join(map(field_name, row.fields)),
            sometimes=row.sometimes,
            always=row.always,
            missing=row.named,
        )
        for row in field_sets(found.patients[day], group)[:_SETS]
    ]


def _regimens(found: Cohort) -> tuple[RegimenLine, ...]:
    options: dict[str, Option] = {option.regimen: option for day in found.as_of for option in found.options[day]}
    rows = regimens(found)
    shown = [row for row in rows if row.guided][:_GUIDED_SHOWN] + [row for row in rows if not row.guided][
        :_OTHERS_SHOWN
    ]
    return tuple(
        RegimenLine(
            regimen=row.regimen,
            asks=", ".join(sorted(options[row.regimen].genes)),
            counts=tuple(_counts(row, day, found) for day in found.as_of),
        )
        for row in shown
    )


def _counts(row: RegimenRow, day: dt.date, found: Cohort) -> str:
    counts = row.counts.get(day)
    if counts is None:
        known = any(option.regimen == row.regimen for option in found.options[day])
        return "no such gene named" if known else "no source on file yet"
    said = [
        f"{counts[standing]} {word}"
        for standing, word in (
            (Standing.SUPPORTED, "supported"),
            (Standing.WEIGHED, "with points to weigh"),
            (Standing.COULD, "could be"),
            (Standing.OPEN, "open"),
            (Standing.SILENT, "not covered"),
            (Standing.AGAINST, "not supported"),
        )
        if counts[standing]
    ]
    return f"{', '.join(said)}; of {sum(counts.values())}"


def _reading(found: Cohort) -> tuple[Fact, ...]:
    last = found.as_of[-1]
    coded = [
        ("nothing to audit", found.nothing),
        ("entries not read", found.ignored),
        ("not assessed", _not_assessed(found.patients[last])),
    ]
    said = [Fact("patients read", str(len(found.patients[last]) - len(found.unreadable)))]
    said.append(Fact("patients not readable", str(len(found.unreadable))))
    for name, counts in coded:
        rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
        said.append(Fact(name, "; ".join(f"{code}: {count}" for code, count in rows) or "none"))
    return tuple(said)


def _not_assessed(units: Sequence[Unit]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for unit in units:
        if unit.not_assessed:
            counts[unit.not_assessed] = counts.get(unit.not_assessed, 0) + 1
    return counts


def _words() -> tuple[Fact, ...]:
    return (
        *(Fact(STANDING_WORDS[standing], text) for standing, text in _STANDINGS_MEAN.items()),
        *(Fact(GROUP_WORDS[group], text) for group, text in _GROUPS_MEAN.items()),
    )


_STANDINGS_MEAN: Mapping[Standing, str] = {
    Standing.SUPPORTED: "the verdict of the option is Supported with what the record documents",
    Standing.WEIGHED: "Partially Supported: off label, a lower level, or a caution fires",
    Standing.COULD: (
        "Insufficient Information, and at least one value of what is missing would give Supported or Partially Supported"
    ),
    Standing.OPEN: (
        "Insufficient Information, and nothing that was filled in gives a supported option: more than three fields are missing, or"
        " no history fits"
    ),
    Standing.SILENT: (
        "Insufficient Information with nothing missing: no listed use holds, and the sources do not claim to list every one;"
        " no evidence against it"
    ),
    Standing.AGAINST: "Unsupported: a criterion fails under sources that claim to be complete, or a source speaks against it",
}
_GROUPS_MEAN: Mapping[Group, str] = {
    Group.NAMED: (
        "marker-guided options that ask for an alteration of a gene the record names, with or without its alteration; only"
        " those genes are filled in"
    ),
    Group.GUIDED: (
        "a source asks for a marker in at least one use; a gene that the record does not mention is unknown, not negative"
    ),
    Group.OTHER: "chemotherapy, antibodies, checkpoint inhibitors; they may ask for PD-L1, or that a marker is absent",
}
