"""What the terminal says of a record: what was found, what was not read, and why there is nothing to audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from equipoise.cli.common import visible

if TYPE_CHECKING:
    from equipoise.cases.formats.record.model import Found, Ignored, Record

_SHOWN = 3
"""Records without a recommendation that are shown one by one; a study has hundreds."""
_FACTS = 8
_REASONS = 5
_ORDER = (
    "tumor",
    "histology",
    "stage",
    "setting",
    "brain_mets",
    "ecog",
    "kps",
    "prior_therapies",
    "biomarkers",
    "pdl1",
)
"""Fields that decide most, in the order in which they are shown; the others follow."""
_NAMES = {"fhir": "FHIR", "dnpm": "DNPM", "bwhc": "bwHC", "cbioportal": "cBioPortal", "variants": "variant list"}


class RecordLines:
    """Prints the records of one file after the other, and remembers those that it does not show."""

    def __init__(self) -> None:
        self._nothing: Counter[str] = Counter()
        self._ignored: list[Ignored] = []

    def show(self, case_id: str, record: Record) -> None:
        """Print what one record came to; past the first few, records with nothing to audit are only counted."""
        from equipoise.cases.formats.record.model import NOTHING_TEXT

        if record.nothing is not None:
            self._nothing[record.nothing.value] += 1
            if self._nothing.total() > _SHOWN:
                self._ignored.extend(record.ignored)
                return
        count = len(record.data.get("recommendations", ()))
        what = f"{count} recommendation{'' if count == 1 else 's'}" if count else "no recommendation"
        lines = [f"{case_id}  {_NAMES[record.format]} record, {what}"]
        if record.found:
            lines.append(f"  found: {_facts(record.found)}")
        if record.missed and record.nothing is None:
            many = "a recommendation" if len(record.missed) == 1 else f"{len(record.missed)} recommendations"
            lines.append(
                f"  NOT AUDITED: {many} of which the record does not hold the whole ({', '.join(record.missed[:4])})"
            )
        lines.extend(_not_read(record.ignored))
        if record.nothing is not None:
            lines.append(f"  NOTHING TO AUDIT  ({record.nothing.value})")
            lines.append(f"  {NOTHING_TEXT[record.nothing]}")
        typer.echo(visible("\n".join(lines)) + "\n")

    def close(self, name: str) -> None:
        """Say how many further records of a file had nothing to audit, and what was not read of them."""
        more = self._nothing.total() - _SHOWN
        if more > 0:
            codes = ", ".join(f"{count} {code}" for code, count in sorted(self._nothing.items()))
            lines = [f"{more} further records have nothing to audit either (in all: {codes}); --json shows each."]
            lines.extend(_not_read(self._ignored))
            lines.append(f"  `equipoise options {name}` lists what the evidence would support for each.")
            typer.echo(visible("\n".join(lines)) + "\n")
        self._nothing.clear()
        self._ignored.clear()


def _facts(found: Sequence[Found]) -> str:
    ordered = sorted(found, key=lambda item: _ORDER.index(item.field) if item.field in _ORDER else len(_ORDER))
    said = list(dict.fromkeys(_fact(item) for item in ordered))
    more = f"; and {len(said) - _FACTS} more (--json)" if len(said) > _FACTS else ""
    return "; ".join(said[:_FACTS]) + more


def _fact(item: Found) -> str:
    return item.value if item.field == "biomarkers" else f"{_WORDS.get(item.field, item.field)} {item.value}"


_WORDS = {
    "prior_therapies": "prior therapy", "brain_mets": "brain metastases", "ecog": "ECOG", "kps": "KPS", "tmb": "TMB", "msi": "MSI",
    "pdl1": "PD-L1", "stage_edition": "staging edition",
}  # fmt: skip


def _not_read(ignored: Sequence[Ignored]) -> list[str]:
    """A line a reason, the most frequent first, with one place as an example."""
    from equipoise.cases.formats.record.model import REASON_TEXT

    groups: dict[str, list[Ignored]] = {}
    for item in ignored:
        groups.setdefault(item.reason, []).append(item)
    ordered = sorted(groups.values(), key=lambda rows: (-len(rows), rows[0].reason))
    lines = []
    for rows in ordered[:_REASONS]:
        first = rows[0]
        example = f"{first.place}{f', {first.detail}' if first.detail else ''}"
        where = example if len(rows) == 1 else f"such as {example}"
        lines.append(f"  not read: {len(rows)} {first.reason.value}: {REASON_TEXT[first.reason]} ({where})")
    rest = sum(len(rows) for rows in ordered[_REASONS:])
    if rest:
        lines.append(f"  not read: {rest} more for {len(ordered) - _REASONS} other reasons (--json lists all)")
    return lines
