"""Scores run folders: outcomes back to cases and answers, with the references that stand beside the tables.

A run made from replies keeps `references.jsonl`, what each item is held against and nothing else of the case, so that
metrics and report need neither the log nor the cases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from equipoise.benchmarks.openmtb.dataset import BenchmarkCase, Inputs, dataset_hash, parse_case
from equipoise.benchmarks.openmtb.questions import load_source, reference_record
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.readers import Prediction, read_json_lines
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState

REFERENCES = "references.jsonl"
"""Name of the file in a run folder."""


class UnknownReferencesError(InputError):
    """Nothing says what the items of a run are held against."""


def write_references(folder: str | Path, references: Iterable[Mapping[str, Any]]) -> None:
    """Write what each item is held against into a run folder."""
    lines = [json.dumps(dict(item), ensure_ascii=False, sort_keys=True) + "\n" for item in references]
    (Path(folder) / REFERENCES).write_text("".join(lines), encoding="utf-8")


def union_references(
    runs: Sequence[tuple[str | Path, Run]], cases: str | Path | None = None
) -> tuple[BenchmarkCase, ...]:
    """The items of several runs with what they are held against, in the order in which they are first met.

    A run whose folder does not say it (one made elsewhere) is covered by the others where they know all its items.

    Args:
        runs: folder and run of each.
        cases: file of cases; it then speaks for all runs.

    Raises:
        InputError: two runs hold an item against something else, nothing says what an item is held against, or the
            file holds other cases.
        UsageError: the file does not exist.
    """
    if cases is not None:
        for folder, run in runs:
            found = read_references(folder, run, cases)
        return found if runs else ()
    known: dict[str, tuple[BenchmarkCase, Run]] = {}
    unknown: list[tuple[Run, UnknownReferencesError]] = []
    for folder, run in runs:
        try:
            items = read_references(folder, run)
        except UnknownReferencesError as error:
            unknown.append((run, error))
            continue
        for item in items:
            first, where = known.setdefault(item.case_id, (item, run))
            if _held_against(first) != _held_against(item):
                message = (
                    f"item {item.case_id!r} is held against {_told(first)} in run {where.info.run_id} and against "
                    f"{_told(item)} in run {run.info.run_id}; runs stand side by side on the same references only"
                )
                raise InputError(message, file=str(folder))
    for run, unknown_error in unknown:
        if not set(run.outcomes.column("item").to_pylist()) <= set(known):
            raise unknown_error
    return tuple(item for item, _ in known.values())


def _held_against(item: BenchmarkCase) -> tuple[Any, ...]:
    reference = item.reference
    return reference.label, reference.abstain, reference.missing_fields, reference.error_type


def _told(item: BenchmarkCase) -> str:
    reference = item.reference
    words = [reference.label, "abstention" if reference.abstain else "no abstention"]
    words += [f"missing {', '.join(reference.missing_fields)}"] if reference.missing_fields else []
    return f"{', '.join(words)} ({reference.error_type})"


def read_references(folder: str | Path, run: Run, cases: str | Path | None = None) -> tuple[BenchmarkCase, ...]:
    """The items of a run with what they are held against; their inputs are the identifier alone.

    Taken from the given file of cases, from the folder, or from the 500 generated cases or notes when the run names their hash.

    Args:
        folder: the run folder.
        run: the run.
        cases: file of cases.

    Raises:
        UnknownReferencesError: nothing says what the items are held against.
        InputError: the file holds other cases.
        UsageError: the file does not exist.
    """
    if cases is not None:
        found = load_source(cases).cases
        if run.info.dataset_hash and not any(run.info.dataset_hash == value for value in _hashes(cases)):
            message = "the file does not hold the cases of this run (another content hash)"
            raise InputError(message, file=str(cases))
        return found
    stored = Path(folder) / REFERENCES
    if stored.is_file():
        return tuple(
            parse_case({"case_id": record.get("case_id"), "reference": record}) for _, record in read_json_lines(stored)
        )
    for inputs in ("full", "text"):
        generated = load_source(inputs=inputs)
        if run.info.dataset_hash == dataset_hash(generated.cases):
            return tuple(
                parse_case({"case_id": item.case_id, "reference": reference_record(item.case_id, item.reference)})
                for item in generated.cases
            )
    message = f"nothing says what the items are held against: name the file of cases ({REFERENCES} is not there)"
    raise UnknownReferencesError(message, file=str(folder))


def _hashes(cases: str | Path) -> Iterator[str]:
    """Content hashes of a file of cases, by what a system was shown of them."""
    for inputs in get_args(Inputs):
        try:
            yield dataset_hash(load_source(cases, inputs=inputs).cases)
        except UsageError:
            continue  # cases without a text


def predictions_of(rows: Sequence[Mapping[str, Any]], *, trial: int = 1) -> tuple[Prediction, ...]:
    """The answers of one system in one trial, in the order of the rows; of several attempts the last.

    Args:
        rows: rows of the outcomes of one system.
        trial: which repeat.
    """
    last: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if (row["trial"] or 1) != trial:
            continue
        before = last.get(row["item"])
        if before is None or (row["attempt"] or 1) >= (before["attempt"] or 1):
            last[row["item"]] = row
    return tuple(
        Prediction(
            case_id=item,
            label=row["label"],
            abstain=row["abstained"],
            missing_fields=None if row["missing_fields"] is None else tuple(row["missing_fields"]),
            state=ReplyState(row["state"]),
        )
        for item, row in last.items()
    )
