"""What a reproduced study is: where its data come from, and rows of published figure, own figure, difference."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.errors import InputError, UsageError
from equipoise.ids import bytes_hash
from equipoise.outcomes.readers import parse_json, read_json_lines, read_text
from equipoise.statistics.estimate import Estimate, HypothesisTest, Result


class Follows(StrEnum):
    """Whether a published figure comes out of the released rows."""

    YES = "follows"
    NO = "does not follow"
    PARTLY = "released rows are only part of the published ones"
    NOT_PUBLISHED = "not published"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile(Result):
    """One file a study reads.

    Attributes:
        path: path under the data directory.
        sha256: hash of the bytes the figures were checked on.
        origin: the file of the source repository, or how this one was put together from its files.
    """

    path: str
    sha256: str
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Result):
    """Where a study was published.

    Attributes:
        title: title of the paper or repository.
        address: address of the released rows.
        commit: commit of the released rows.
        licence: licence of the data.
        reference: DOI or other identifier of the paper.
    """

    title: str
    address: str
    commit: str
    licence: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Result):
    """One figure.

    Attributes:
        id: identifier, unique in the study.
        what: what the figure says, as a phrase.
        published: the published figure; None when none was published.
        ours: the figure from the released rows; None when it cannot be made.
        difference: ours - published; None when one of them is missing.
        follows: whether it comes out within `tolerance`.
        tolerance: largest difference that rounding or resampling explains.
        low: lower end of our interval; None without one.
        high: upper end.
        method: how our figure and interval were made.
        n_used: rows that entered; None when it does not apply.
        n_left_out: rows that could not enter.
        why_left_out: why they could not.
        adds: what a careful analysis adds, as a sentence; empty when nothing.
        details: further numbers by name.
        warnings: what a reader must know.
    """

    id: str
    what: str
    published: float | None
    ours: float | None
    difference: float | None
    follows: Follows
    tolerance: float
    low: float | None = None
    high: float | None = None
    method: str = ""
    n_used: int | None = None
    n_left_out: int = 0
    why_left_out: str = ""
    adds: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction(Result):
    """A study, reproduced.

    Attributes:
        study: identifier.
        title: what it is about.
        source: where it was published.
        rows: the figures, in the order of the report.
        warnings: what holds for all of them.
        files: path, hash and whether it is the hash the figures were checked on.
        seed: seed of the random generator.
    """

    study: str
    title: str
    source: Source
    rows: tuple[Row, ...]
    warnings: tuple[str, ...]
    files: tuple[Mapping[str, Any], ...]
    seed: int

    def row(self, row_id: str) -> Row:
        """The row of an identifier.

        Raises:
            KeyError: there is none.
        """
        for row in self.rows:
            if row.id == row_id:
                return row
        raise KeyError(row_id)


Analyse = Callable[[Path, np.random.Generator], tuple[list[Row], list[str]]]
"""From the study's folder and a random generator to rows and warnings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A published study that can be reproduced from released rows.

    Attributes:
        id: identifier.
        title: what it is about.
        folder: folder under the data directory.
        source: where it was published.
        files: the files read.
        analyse: makes the rows.
    """

    id: str
    title: str
    folder: str
    source: Source
    files: tuple[DataFile, ...]
    analyse: Analyse

    def where_to_get(self) -> dict[str, Any]:
        """Address, commit, licence and the files with their hashes, for a user who does not have the data."""
        return {
            "study": self.id,
            "title": self.title,
            "source": self.source.to_dict(),
            "files": [item.to_dict() for item in self.files],
        }


def figure(
    row_id: str,
    what: str,
    ours: float | Estimate | HypothesisTest | None,
    *,
    published: float | None = None,
    tolerance: float = 0.0005,
    relative: bool = False,
    partly: bool = False,
    adds: str = "",
    details: Mapping[str, Any] | None = None,
    warnings: tuple[str, ...] = (),
    method: str = "",
) -> Row:
    """A row from our number or result.

    Args:
        row_id: identifier.
        what: what the figure says.
        ours: the number, or a result that brings its interval, counts and warnings.
        published: the published figure.
        tolerance: largest difference that still follows.
        relative: whether the tolerance is a share of the published figure.
        partly: whether the released rows are only part of those behind the published figure.
        adds: what a careful analysis adds.
        details: further numbers.
        warnings: in addition to those of the result.
        method: used when the result does not say.
    """
    value: float | None
    low = high = n_used = None
    left, why = 0, ""
    told: tuple[str, ...] = ()
    if isinstance(ours, Estimate):
        # a mean of differences that cancel is 0, not the last bit of their sum
        value = None if ours.estimate is None else round(ours.estimate, 12) + 0.0
        low, high, n_used = ours.low, ours.high, ours.n_used
    elif isinstance(ours, HypothesisTest):
        value, n_used = ours.p_value, ours.n_used
    else:
        value = None if ours is None else float(ours)
    if isinstance(ours, Estimate | HypothesisTest):
        left, why, told, method = ours.n_left_out, ours.why_left_out, ours.warnings, method or ours.method
    difference = None if value is None or published is None else value - published
    limit = tolerance * abs(published) if relative and published is not None else tolerance
    if published is None:
        follows = Follows.NOT_PUBLISHED
    elif partly:
        follows = Follows.PARTLY
    else:
        follows = Follows.YES if difference is not None and abs(difference) <= limit + 1e-12 else Follows.NO
    return Row(
        id=row_id,
        what=what,
        published=published,
        ours=value,
        difference=difference,
        follows=follows,
        tolerance=limit,
        low=low,
        high=high,
        method=method,
        n_used=n_used,
        n_left_out=left,
        why_left_out=why,
        adds=adds,
        details=details or {},
        warnings=(*told, *warnings),
    )


def read_rows(path: Path, columns: tuple[str, ...]) -> list[dict[str, str]]:
    """Rows of a CSV file with a header.

    Raises:
        UsageError: there is no such file.
        InputError: a column is missing or a row has another number of cells.
    """
    lines = read_text(path).splitlines()
    reader = csv.DictReader(lines)
    missing = [column for column in columns if column not in (reader.fieldnames or ())]
    if missing:
        message = f"columns are missing: {', '.join(missing)}"
        raise InputError(message, file=str(path), line=1)
    rows = []
    for row in reader:
        if None in row or None in row.values():
            message = f"expected {len(reader.fieldnames or ())} cells"
            raise InputError(message, file=str(path), line=reader.line_num)
        rows.append(row)
    return rows


def read_object(path: Path) -> Any:
    """The value of a JSON file.

    Raises:
        UsageError: there is no such file.
        InputError: not JSON.
    """
    return parse_json(read_text(path), file=str(path))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file.

    Raises:
        UsageError: there is no such file.
        InputError: a line is not a JSON object.
    """
    return (value for _, value in read_json_lines(path))


def run_study(study: Study, data: str | Path, *, seed: int) -> Reproduction:
    """Checks the files and makes the rows.

    Raises:
        UsageError: a file is missing; the text says where to get it.
        InputError: a file is of another form.
    """
    root = Path(data)
    files = []
    warnings: list[str] = []
    for item in study.files:
        path = root / item.path
        if not path.is_file():
            message = (
                f"the file is missing. It comes from {study.source.address}, commit {study.source.commit} "
                f"({item.origin}); sha256 {item.sha256}"
            )
            raise UsageError(message, file=str(path))
        found = bytes_hash(path.read_bytes())
        files.append({"path": item.path, "sha256": found, "checked": found == item.sha256})
        if found != item.sha256:
            warnings.append(f"{item.path} is not the file the figures were checked on; they may differ")
    try:
        rows, more = study.analyse(root / study.folder, np.random.default_rng(seed))
    except (KeyError, TypeError, ValueError, AttributeError, json.JSONDecodeError) as error:
        message = f"the files of {study.id} are not of the expected form ({error!r})"
        raise InputError(message, file=str(root / study.folder)) from error
    return Reproduction(
        study=study.id,
        title=study.title,
        source=study.source,
        rows=tuple(rows),
        warnings=(*warnings, *more),
        files=tuple(files),
        seed=seed,
    )
