"""Reads filled rating sheets: agreement with intervals, disagreements, weak categories, and the labels raters decide on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.benchmarks.health_orsc.pipeline.files import file_hash, json_lines, write_whole
from equipoise.benchmarks.health_orsc.pipeline.runner import HUMAN_FOLDER
from equipoise.benchmarks.health_orsc.pipeline.sheets import read_key
from equipoise.benchmarks.health_orsc.pipeline.spreadsheet import MARK, csv_text, read_csv
from equipoise.benchmarks.health_orsc.pipeline.terms import NO_CATEGORY, Category
from equipoise.errors import InputError, UsageError
from equipoise.statistics.agreement import fleiss_kappa, percent_agreement
from equipoise.statistics.estimate import Estimate
from equipoise.statistics.proportions import wilson

LEAST_KAPPA = 0.6
"""Agreement below which a category is called weak, unless another is given; a convention, not a law."""

FEW = 30
"""Texts below which full agreement establishes nothing."""

LABELS = (*(category.value for category in Category), NO_CATEGORY)


class Standing(StrEnum):
    """Whether raters agree on a category."""

    REACHED = "reached"
    NOT_ESTABLISHED = "not established"
    BELOW = "below"
    NOT_DEFINED = "not defined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What the raters agree on.

    Attributes:
        raters: names of the raters.
        items: texts in the sheets.
        blanks: empty cells by rater.
        kappa: Fleiss' kappa over all categories; items with a blank are left out.
        share: share of rater pairs that agree.
        by_category: kappa of "this category or not", by category.
        standing: whether each category reaches the least agreement.
        least: that agreement.
        proposed: share of texts on which the majority is the category proposed in stage 2.
        labels: label by seed; None where no category has a majority.
        disagreements: texts on which not all labels are equal.
    """

    raters: tuple[str, ...]
    items: int
    blanks: Mapping[str, int]
    kappa: Estimate
    share: Estimate
    by_category: Mapping[str, Estimate]
    standing: Mapping[str, Standing]
    least: float
    proposed: Estimate
    labels: Mapping[str, str | None]
    disagreements: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "raters": list(self.raters),
            "items": self.items,
            "blanks": dict(self.blanks),
            "fleiss_kappa": self.kappa.to_dict(),
            "percent_agreement": self.share.to_dict(),
            "by_category": {name: one.to_dict() for name, one in self.by_category.items()},
            "standing": {name: one.value for name, one in self.standing.items()},
            "least_kappa": self.least,
            "majority_is_proposed": self.proposed.to_dict(),
            "labelled": sum(label is not None for label in self.labels.values()),
            "without_majority": sum(label is None for label in self.labels.values()),
            "disagreements": self.disagreements,
        }


def import_sheets(out: Path, files: Sequence[Path], *, least: float = LEAST_KAPPA, seed: int = 42) -> Agreement:
    """Read the sheets of all raters, write agreement, labels and disagreements into the pipeline's folder.

    A label is the category that more than half of at least two labels name; without one the seed has no majority. A text
    with fewer than two labels keeps its proposed category.

    Args:
        out: folder of the pipeline.
        files: one sheet a rater; the name of the file is the name of the rater.
        least: kappa below which a category is called weak.
        seed: seed of the intervals.

    Raises:
        UsageError: fewer than two sheets, one given twice, or no sheets were exported.
        InputError: a sheet has a code that does not exist or stands twice, or a category that does not exist; names file
            and line.
    """
    key = read_key(out)
    items: Mapping[str, Mapping[str, str]] = key["items"]
    names = [path.stem for path in files]
    if len(files) < 2 or len(set(names)) != len(names):
        message = "expected the sheets of at least two raters, each once, under different names"
        raise UsageError(message, field="sheets")
    sheets = {path.stem: read_sheet(path, items) for path in files}
    codes = sorted(items)
    table = np.array([[sheets[name].get(code) for name in names] for code in codes], dtype=object)
    result = _agreement(codes, items, names, table, least, seed)
    _write(out, files, codes, items, names, table, result)
    return result


def read_sheet(path: Path, items: Mapping[str, Any]) -> dict[str, str]:
    """Category by code; a blank cell has none.

    Args:
        path: a filled sheet.
        items: the codes there are.

    Raises:
        UsageError: there is no such file.
        InputError: a code or category that does not exist, or a code that stands twice.
    """
    found: dict[str, str] = {}
    seen: dict[str, int] = {}
    for line, cells in read_csv(path, "code", "category"):
        code = cells["code"].strip().removeprefix(MARK)
        if code not in items:
            message = f"there is no code {code[:40]!r} in the key; the sheet belongs to another export, or was changed"
            raise InputError(message, file=str(path), line=line, field="code")
        if code in seen:
            message = f"code {code!r} stands on line {seen[code]} already"
            raise InputError(message, file=str(path), line=line, field="code")
        seen[code] = line
        text = "_".join(
            cells["category"].strip().removeprefix(MARK).lower().replace("-", " ").replace("_", " ").split()
        )
        if not text:
            continue
        if text not in LABELS:
            message = f"expected one of {', '.join(LABELS)}, or an empty cell; found {cells['category'][:40]!r}"
            raise InputError(message, file=str(path), line=line, field="category")
        found[code] = text
    return found


def majority(labels: Sequence[str]) -> str | None:
    """The label that more than half name; None without one."""
    label, number = Counter(labels).most_common(1)[0]
    return label if 2 * number > len(labels) else None


def _agreement(
    codes: Sequence[str],
    items: Mapping[str, Mapping[str, str]],
    names: Sequence[str],
    table: Any,
    least: float,
    seed: int,
) -> Agreement:
    given = [[label for label in row if label is not None] for row in table]
    labels = {items[code]["seed"]: majority(row) for code, row in zip(codes, given, strict=True) if len(row) >= 2}
    decided = [
        (labels[items[code]["seed"]], items[code]["proposed"]) for code in codes if labels.get(items[code]["seed"])
    ]
    by_category = {category.value: _one(table, category.value, seed) for category in Category}
    return Agreement(
        raters=tuple(names),
        items=len(codes),
        blanks={name: sum(label is None for label in table[:, place]) for place, name in enumerate(names)},
        kappa=fleiss_kappa(table, rng=np.random.default_rng(seed)),
        share=percent_agreement(table, rng=np.random.default_rng(seed)),
        by_category=by_category,
        standing={name: standing(one, least) for name, one in by_category.items()},
        least=least,
        proposed=wilson(
            sum(label == proposed for label, proposed in decided),
            len(decided),
            n_left_out=len(codes) - len(decided),
            why_left_out="no majority" if len(codes) > len(decided) else "",
        ),
        labels=labels,
        disagreements=sum(len(set(row)) > 1 for row in given),
    )


def _one(table: Any, category: str, seed: int) -> Estimate:
    binary = np.empty(table.shape, dtype=object)
    for place, row in enumerate(table):
        binary[place, :] = [None if label is None else str(label == category) for label in row]
    return fleiss_kappa(binary, rng=np.random.default_rng(seed))


def standing(kappa: Estimate, least: float) -> Standing:
    """Whether an agreement reaches the least one.

    Below when the estimate is; not established when the interval reaches below, or when raters agree on every one of
    fewer than `FEW` texts, where there is no interval.

    Args:
        kappa: the agreement.
        least: the least one.
    """
    if kappa.estimate is None:
        return Standing.NOT_DEFINED
    if kappa.estimate < least:
        return Standing.BELOW
    if kappa.low is None:
        return Standing.REACHED if kappa.n_used >= FEW else Standing.NOT_ESTABLISHED
    return Standing.REACHED if kappa.low >= least else Standing.NOT_ESTABLISHED


def _write(
    out: Path,
    files: Sequence[Path],
    codes: Sequence[str],
    items: Mapping[str, Mapping[str, str]],
    names: Sequence[str],
    table: Any,
    result: Agreement,
) -> None:
    folder = out / HUMAN_FOLDER
    votes = {
        items[code]["seed"]: {name: label for name, label in zip(names, row, strict=True) if label is not None}
        for code, row in zip(codes, table, strict=True)
    }
    rows = [{"seed": seed, "label": label, "votes": votes[seed]} for seed, label in sorted(result.labels.items())]
    split = [
        (code, items[code]["text"], items[code]["proposed"], *(label or "" for label in row))
        for code, row in zip(codes, table, strict=True)
        if len({label for label in row if label is not None}) > 1
    ]
    write_whole(folder / "disagreements.csv", csv_text(("code", "text", "proposed", *names), split))
    sheets = {path.name: file_hash(path) for path in files}
    write_whole(folder / "agreement.jsonl", json_lines([result.to_dict() | {"sheets": sheets}]))
    write_whole(folder / "labels.jsonl", json_lines(rows))
