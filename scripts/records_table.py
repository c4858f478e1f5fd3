"""Writes the table of docs/records.md: every public record file, what was found and ignored, and a verdict or a coded reason.

`python scripts/records_table.py DATA` reads every file under DATA/fhir, DATA/dnpm and DATA/cbioportal, and the folder of the MII
resources as a whole, as `equipoise audit FILE --as-of 2026-11-30` does, and writes the table between the two marks in the page.
Counts and codes only.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from equipoise.audit.pipeline import Auditor
from equipoise.cases.load import ReadItem
from equipoise.cases.record_files import read_path
from equipoise.errors import UsageError

PAGE = Path(__file__).parent.parent / "docs" / "records.md"
BEGIN, END = "<!-- table of public files: begin -->", "<!-- table of public files: end -->"
DAY = dt.date(2026, 11, 30)
FOLDERS = ("fhir", "dnpm", "cbioportal")
WHOLE = ("fhir/mii",)
"""Folders whose resources belong together; each is read as a whole, and then file by file."""


def sources(data: Path) -> list[Path]:
    """Every file, and the folders that are read as a whole, in the order of their paths."""
    found = [item for folder in FOLDERS for item in (data / folder).rglob("*") if item.is_file()]
    return sorted([*found, *(data / name for name in WHOLE)], key=lambda item: item.relative_to(data).as_posix())


def row(path: Path, data: Path, auditor: Auditor) -> str:
    """One row of the table."""
    name = path.relative_to(data).as_posix()
    try:
        items = list(read_path(path))
    except UsageError as error:
        return f"| `{name}` | - | - | not read: {error.message} |"
    records = [item.record for item in items if item.record is not None]
    found = Counter(fact.field for record in records for fact in record.found)
    ignored = Counter(entry.reason.value for record in records for entry in record.ignored)
    shown = f"`{name}`{' (folder)' if path.is_dir() else ''}"
    return f"| {shown} | {_counts(found)} | {_counts(ignored)} | {_results(items, auditor)} |"


def _counts(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{count} {name}" for name, count in ordered) or "nothing"


def _results(items: list[ReadItem], auditor: Auditor) -> str:
    nothing = Counter(
        item.record.nothing.value for item in items if item.record is not None and item.record.nothing is not None
    )
    said = [f"`{code}`" if count == len(items) == 1 else f"{count} x `{code}`" for code, count in nothing.items()]
    for item in items:
        if item.case is None or item.record is None or item.record.nothing is not None:
            continue
        said.extend(
            f"{verdict.recommendation}: {verdict.label} (`{verdict.reasons[0].code}`)"
            for verdict in auditor.audit(item.case)
        )
    return "; ".join(said)


def table(data: Path) -> str:
    """The table, with its head."""
    auditor = Auditor(as_of=DAY)
    rows = [row(path, data, auditor) for path in sources(data)]
    return "\n".join(["| file | found | not read | verdict, or why there is none |", "|---|---|---|---|", *rows])


def placed(page: str, text: str) -> str:
    """A page with the table between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def main() -> None:
    """Write the table into the page."""
    PAGE.write_text(placed(PAGE.read_text(encoding="utf-8"), table(Path(sys.argv[1]))), encoding="utf-8")


if __name__ == "__main__":
    main()
