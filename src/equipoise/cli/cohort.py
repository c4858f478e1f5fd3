"""`equipoise cohort`: a study or any set of records, and what the evidence on file decides for each patient."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.audit import make_auditor
from equipoise.cli.common import NOT_A_DEVICE, parse_date, print_json, say, today, visible, write_text

if TYPE_CHECKING:
    import datetime as dt

    from equipoise.cohort.model import Cohort, Group
    from equipoise.cohort.tally import Row

_SETS = 6


def cohort(
    source: Annotated[
        str,
        typer.Argument(help="A cBioPortal study folder or one of its tables, or a file or folder of cases or records."),
    ],
    as_of: Annotated[
        list[str] | None,
        typer.Option(
            "--as-of", help="Day for which the evidence is read, YYYY-MM-DD; may be repeated; today by default."
        ),
    ] = None,
    policy: Annotated[str, typer.Option(help="A shipped policy or a YAML file.")] = "label",
    jurisdiction: Annotated[str, typer.Option(help="US or EU.")] = "US",
    overlay: Annotated[list[Path] | None, typer.Option(help="A hospital's own assertions, a YAML file.")] = None,
    form: Annotated[
        str, typer.Option("--format", help="auto (by content), case, fhir, dnpm, cbioportal or variants.")
    ] = "auto",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write a page with plots; it holds counts, no row of a patient."),
    ] = None,
    note: Annotated[
        str, typer.Option(help="Where the data come from and under which licence; stands on the page.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one object a patient and day, one a sample and day, and nothing else.")
    ] = False,
) -> None:
    """Say for each patient of a cohort which systemic options the evidence decides, and which field would decide the others."""
    from equipoise.cohort.reading import read_cohort
    from equipoise.cohort.view import cohort_of

    days = sorted({parse_date(text) or today() for text in as_of} if as_of else {today()})
    auditors = [make_auditor(policy, day.isoformat(), jurisdiction, overlay) for day in days]
    patients, samples = read_cohort(source, form)
    found = cohort_of(Path(source).resolve().name, patients, samples, auditors)
    if output is not None:
        _write(output, found, note)
    if as_json:
        for day in found.as_of:
            for kind, units in (("patient", found.patients[day]), ("sample", found.samples[day])):
                for unit in units:
                    print_json({"kind": kind, **unit.to_dict(), **_made_with(found)})
        return
    typer.echo(visible("\n".join(_lines(found))))
    for case_id, error in found.unreadable:
        say(f"equipoise: {case_id}: {error}")
    if output is not None:
        say(f"Page: {output}")
    say(NOT_A_DEVICE)


def _made_with(found: Cohort) -> dict[str, Any]:
    from equipoise._version import __version__

    return {
        "policy": found.policy,
        "policy_hash": found.policy_hash,
        "evidence_hash": found.evidence_hash,
        "jurisdiction": found.jurisdiction,
        "engine_version": __version__,
    }


def _write(output: Path, found: Cohort, note: str) -> None:
    from equipoise.report.cohort import cohort_page
    from equipoise.report.render import render_page

    write_text(output, render_page(cohort_page(found, note=note)))


_GROUPS = {
    "gene-named": "named gene",
    "marker-guided": "marker-guided",
    "other": "other systemic",
    "all": "all systemic",
}
_COLUMNS = {
    "supported": "supported",
    "points-to-weigh": "with points",
    "could-be-supported": "could be",
    "open": "open",
    "not-covered": "not covered",
    "not-supported": "not supported",
}
_LEGEND = (
    "Columns: best option of each. supported: as documented; with points: with points to weigh; could be: by what is not documented;",
    "open: no small set of fields decides; not covered: no listed use holds, and the sources do not claim to be complete; not supported;",
    "no gene: no gene with such an option is named. Named gene: options that ask for an alteration of a gene the record names.",
)


def _n(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _lines(found: Cohort) -> list[str]:
    from equipoise.cohort.tally import conflicts, standings

    day = found.as_of[-1]
    size = _n(len(found.patients[day]), "patient")
    if found.samples[day]:
        size += f", {_n(len(found.samples[day]), 'sample')}; patients with several: {found.several}"
    size = _n(len(found.patients[day]), "patient")
    if found.samples[day]:
        size += f", {_n(len(found.samples[day]), 'sample')}; patients with several: {found.several}"
    lines = [
        f"{found.name}: {size}",
        "All patients of the files are counted (a census): shares describe them and estimate nothing, so they carry no interval.",
    ]
    if found.nothing:
        codes = ", ".join(f"{count} {code}" for code, count in sorted(found.nothing.items()))
        lines.append(f"Recommendations in the records: none to audit for {codes}; options are audited instead.")
    if found.ignored:
        lines.append("Not read: " + ", ".join(f"{n} {code}" for code, n in _most(found.ignored)) + " (docs/records.md)")
    twice = ", ".join(f"{name} ({_n(count, 'patient')})" for name, count in conflicts(found.patients[day]))
    if twice:
        lines.append(f"Stated twice and differently, read as unknown: {twice}")
    for day in found.as_of:
        lines += [
            "",
            f"Evidence of {day} ({found.jurisdiction}, policy {found.policy}): {len(found.options[day])} systemic options",
        ]
        lines.extend(_table(standings(found.patients[day], found.options[day], day), "patient"))
        if found.samples[day]:
            lines.extend(_table(standings(found.samples[day], found.options[day], day), "sample"))
            if found.several:
                lines.append(
                    f"  {found.differ[day]} of the {found.several} patients with several samples do not stand alike in all of them"
                )
        lines.extend(_deciding(found, day))
    lines += ["", *_LEGEND]
    return lines


def _most(counts: Any) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))


def _table(rows: tuple[Row, ...], noun: str) -> list[str]:
    heads = [*_COLUMNS.values(), "no gene", "not assessed"]
    lines = [f"  {_n(rows[0].n, noun):<30}" + "".join(f"{head:>15}" for head in heads)]
    for row in rows:
        counts = [*row.counts.values(), row.without, row.not_assessed]
        name = f"{_GROUPS[row.group.value]} ({row.options})"
        lines.append(f"    {name:<28}" + "".join(f"{count:>15}" for count in counts))
    return lines


def _deciding(found: Cohort, day: dt.date) -> list[str]:
    from equipoise.cohort.model import Group
    from equipoise.cohort.tally import decided

    shares = {row.group: row for row in decided(found.patients[day], day)}
    lines = []
    groups: tuple[tuple[Group, str], ...] = (
        (Group.NAMED, "on a named gene"),
        (Group.OTHER, "other systemic"),
    )
    for group, words in groups:
        row = shares[group]
        of = row.decided + row.waiting + row.silent
        if not of:
            continue
        lines.append(
            f"  options {words}: {row.decided} of {of} decided, {row.waiting} wait for a field, {row.silent} not covered"
            f" (over {_n(row.units, 'patient')})"
        )
        lines.extend(_sets(found, day, group))
    return lines


def _sets(found: Cohort, day: dt.date, group: Group) -> list[str]:
    from equipoise.cohort.tally import field_sets

    lines = []
    for item in field_sets(found.patients[day], group)[:_SETS]:
        said = [_n(item.sometimes, "patient")] if item.sometimes else []
        if item.always:
            said.append(f"whatever its value for {item.always}")
        if not item.sometimes:
            said.append(f"no value found that supports an option ({_n(item.named, 'patient')})")
        lines.append(f"    would decide: {' + '.join(item.fields)}: {'; '.join(said)}")
    return lines
