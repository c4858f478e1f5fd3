"""Scores run folders: outcomes back to cases and answers, with the references that stand beside the tables.

A run made from replies keeps `references.jsonl`, what each item is held against and nothing else of the case, so that
metrics and report need neither the log nor the cases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.benchmarks.openmtb.dataset import BenchmarkCase, dataset_hash, parse_case
from equipoise.benchmarks.openmtb.questions import load_source, reference_record
from equipoise.errors import InputError
from equipoise.outcomes.readers import Prediction, read_json_lines
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState

REFERENCES = "references.jsonl"
"""Name of the file in a run folder."""


def write_references(folder: str | Path, references: Iterable[Mapping[str, Any]]) -> None:
    """Write what each item is held against into a run folder."""
    lines = [json.dumps(dict(item), ensure_ascii=False, sort_keys=True) + "\n" for item in references]
    (Path(folder) / REFERENCES).write_text("".join(lines), encoding="utf-8")


def read_references(folder: str | Path, run: Run, cases: str | Path | None = None) -> tuple[BenchmarkCase, ...]:
    """The items of a run with what they are held against; their inputs are the identifier alone.

    Taken from the given file of cases, from the folder, or from the 500 generated cases when the run names their hash.

    Args:
        folder: the run folder.
        run: the run.
        cases: file of cases.

    Raises:
        InputError: nothing says what the items are held against, or the file holds other cases.
        UsageError: the file does not exist.
    """
    if cases is not None:
        source = load_source(cases)
        if run.info.dataset_hash not in ("", dataset_hash(source.cases)):
            message = "the file does not hold the cases of this run (another content hash)"
            raise InputError(message, file=str(cases))
        return source.cases
    stored = Path(folder) / REFERENCES
    if stored.is_file():
        return tuple(
            parse_case({"case_id": record.get("case_id"), "reference": record}) for _, record in read_json_lines(stored)
        )
    generated = load_source()
    if run.info.dataset_hash == dataset_hash(generated.cases):
        return tuple(
            parse_case({"case_id": item.case_id, "reference": reference_record(item.case_id, item.reference)})
            for item in generated.cases
        )
    message = f"nothing says what the items are held against: name the file of cases ({REFERENCES} is not there)"
    raise InputError(message, file=str(folder))


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
