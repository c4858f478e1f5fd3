"""What a batch comes to: labels by biomarker, drug and year, reasons, missing fields, and how often cases repeat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from equipoise.audit.verdict import LABELS
from equipoise.audit.wording import NOT_A_DEVICE, STANDING_LINE
from equipoise.batch.rows import ERROR, NOTHING, OK, Judged, Row

_GROUPS = ("biomarker", "drug", "year")
_SHOWN = 12
"""Rows of each table that the text shows; the JSON holds all."""

NONE = "(none)"
"""Group of the rows that name no biomarker or drug."""


class Tally:
    """Counts of rows, made part by part and added up."""

    def __init__(self, data: Mapping[str, Any] | None = None) -> None:
        """Start at nothing, or at what `to_dict` gave.

        Args:
            data: counts by name and key.
        """
        self.counts: dict[str, Counter[str]] = {
            name: Counter(dict(found)) for name, found in (data or {}).items() if isinstance(found, Mapping)
        }

    def add(self, rows: Sequence[Row], times: Iterable[int], *, cases: int, keyed: int) -> None:
        """Count the rows of a part.

        Args:
            rows: distinct rows.
            times: how often each stands in the part.
            cases: cases of the part.
            keyed: what was looked up by its decision key: recommendations, or cases whose options are listed.
        """
        self._at("cases")["all"] += cases
        self._at("keyed")["all"] += keyed
        alike: Counter[Row] = Counter()
        for row, count in zip(rows, times, strict=True):
            alike[_counted(row)] += count
        for row, count in alike.items():
            self._add(row, count)

    def _add(self, row: Row, count: int) -> None:
        judged = row.judged
        self._at("states")[row.state] += count
        if row.state == ERROR:
            self._at("errors")[_kind(row)] += count
            return
        if row.state == NOTHING:
            for code in judged.reasons:
                self._at("nothing")[code] += count
            return
        label = judged.label
        self._at("labels")[label] += count
        if judged.abstain:
            self._at("abstained")[label] += count
        for code in set(judged.reasons):
            self._at("reasons")[code] += count
        for name in judged.missing_fields:
            self._at("missing_fields")[name] += count
        for name in row.markers or (NONE,):
            self._at(f"biomarker/{label}")[name] += count
        for name in row.regimen or (NONE,):
            self._at(f"drug/{label}")[name] += count
        self._at(f"year/{label}")[row.as_of[:4]] += count

    def _at(self, name: str) -> Counter[str]:
        found = self.counts.get(name)
        if found is None:
            found = self.counts[name] = Counter()
        return found

    def merge(self, other: Tally) -> None:
        """Add the counts of another part."""
        for name, found in other.counts.items():
            self._at(name).update(found)

    def to_dict(self) -> dict[str, dict[str, int]]:
        """The counts, keys sorted."""
        return {name: dict(sorted(found.items())) for name, found in sorted(self.counts.items())}

    def total(self, name: str, key: str | None = None) -> int:
        """How many rows were counted under a name, or under one of its keys."""
        found = self.counts.get(name, Counter())
        return found.total() if key is None else found[key]


def summary(tally: Tally, *, distinct_keys: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The summary as JSON.

    Args:
        tally: all parts.
        distinct_keys: distinct decision keys among the judged rows.
        settings: identity of the batch.

    Returns:
        `judged` counts verdicts (or options); `distinct_share` is distinct decision keys by keyed rows, null without any.
    """
    judged = tally.total("states", OK)
    keyed = tally.total("keyed")
    return {
        "settings": dict(settings),
        "cases": tally.total("cases"),
        "rows": {state: tally.total("states", state) for state in (OK, NOTHING, ERROR)},
        "judged": judged,
        "distinct_decision_keys": distinct_keys,
        "distinct_share": round(distinct_keys / keyed, 6) if keyed else None,
        "labels": {label: tally.total("labels", label) for label in LABELS},
        "abstained": tally.total("abstained"),
        "reasons": _ranked(tally.counts.get("reasons", Counter())),
        "missing_fields": _ranked(tally.counts.get("missing_fields", Counter())),
        "nothing": _ranked(tally.counts.get("nothing", Counter())),
        "errors": _ranked(tally.counts.get("errors", Counter())),
        **{f"labels_by_{group}": _grouped(tally, group) for group in _GROUPS},
    }


def _counted(row: Row) -> Row:
    """What is counted of a row, so that rows that count alike are counted together."""
    judged = row.judged
    kept = Judged(judged.label, judged.abstain, judged.reasons, missing_fields=judged.missing_fields)
    return Row(row.state, "", "", row.regimen, kept, (), row.error, row.error_field, row.as_of, "", row.markers)


def _kind(row: Row) -> str:
    """What is wrong, without what stands in the case and without numbers."""
    said = re.sub(r" at column \d+$", "", row.error.partition(", got ")[0])
    return f"{re.sub(r'[0-9]+', 'N', row.error_field)}: {said}" if row.error_field else said


def _ranked(found: Counter[str]) -> dict[str, int]:
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _grouped(tally: Tally, group: str) -> dict[str, dict[str, int]]:
    totals: Counter[str] = Counter()
    for label in LABELS:
        totals.update(tally.counts.get(f"{group}/{label}", Counter()))
    names = sorted(totals) if group == "year" else list(_ranked(totals))
    return {name: {label: tally.total(f"{group}/{label}", name) for label in LABELS} for name in names}


def summary_text(data: Mapping[str, Any]) -> str:
    """The summary for a person, plain text of at most some sixty lines.

    Args:
        data: of `summary`.
    """
    settings = data["settings"]
    rows = data["rows"]
    what = "options" if settings["options"] else "recommendations"
    lines = [
        f"{data['cases']:,} cases, {data['judged']:,} {what} judged (policy {settings['policy']}, {settings['jurisdiction']},"
        f" evidence as of {settings['as_of']} unless a case names its day)",
        f"{data['distinct_decision_keys']:,} distinct decision keys" + _share(data["distinct_share"]),
    ]
    if rows[NOTHING]:
        lines.append(f"{rows[NOTHING]:,} with nothing to judge: {_listed(data['nothing'])}")
    lines.append(f"{rows[ERROR]:,} could not be read" + (f": {_listed(data['errors'], 3)}" if rows[ERROR] else ""))
    lines.append("")
    width = max(map(len, LABELS))
    for label, count in data["labels"].items():
        lines.append(f"  {label:<{width}}  {count:>11,}{_percent(count, data['judged'])}")
    lines.append(
        f"  {'a human decides':<{width}}  {data['abstained']:>11,}{_percent(data['abstained'], data['judged'])}"
    )
    for title, key in (("Reasons", "reasons"), ("Fields that decide and are not documented", "missing_fields")):
        found = data[key]
        if found:
            lines.extend(("", f"{title} (rows; a row can have several)"))
            lines.extend(f"  {name:<32}  {count:>11,}" for name, count in list(found.items())[:_SHOWN])
            lines.extend(_more(found))
    for group, title in (
        ("biomarker", "By biomarker reported present"),
        ("drug", "By drug"),
        ("year", "By year of the evidence"),
    ):
        found = data[f"labels_by_{group}"]
        if not found or (group == "year" and len(found) < 2):
            continue
        lines.extend(("", f"{title:<34}{'Supported':>12}{'Partially':>12}{'Unsupported':>13}{'Insufficient':>14}"))
        for name, counts in list(found.items())[:_SHOWN]:
            supported, partial, unsupported, insufficient = counts.values()
            lines.append(f"  {_cut(name):<32}{supported:>12,}{partial:>12,}{unsupported:>13,}{insufficient:>14,}")
        lines.extend(_more(found))
    lines.extend(("", f"{STANDING_LINE} {NOT_A_DEVICE}"))
    return "\n".join(lines) + "\n"


def _cut(name: str) -> str:
    return name if len(name) <= 31 else f"{name[:28]}..."


def _share(share: float | None) -> str:
    return "" if share is None else f" (distinct share {100 * share:.1f} %); equal ones share one audit"


def _percent(count: int, whole: int) -> str:
    return f"  {100 * count / whole:5.1f} %" if whole else ""


def _listed(found: Mapping[str, int], shown: int = 6) -> str:
    items = list(found.items())
    words = "; ".join(f"{count:,} {name}" for name, count in items[:shown])
    return words + (f"; {len(items) - shown:,} other kinds (summary.json)" if len(items) > shown else "")


def _more(found: Mapping[str, Any]) -> list[str]:
    return [f"  and {len(found) - _SHOWN:,} more (summary.json)"] if len(found) > _SHOWN else []
