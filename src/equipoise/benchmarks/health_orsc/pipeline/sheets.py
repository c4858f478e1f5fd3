"""Rating sheets: the seeds of stage 2 for people to categorise, blinded, each rater in an order of their own.

A rater sees a code, the text and an empty cell. Proposed category, source and the order of others are not in the sheet;
the key stays in the pipeline's folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.files import json_text, read_rows, write_whole
from equipoise.benchmarks.health_orsc.pipeline.prompts import category_lines
from equipoise.benchmarks.health_orsc.pipeline.runner import HUMAN_FOLDER
from equipoise.benchmarks.health_orsc.pipeline.spreadsheet import csv_text
from equipoise.benchmarks.health_orsc.pipeline.stages.catalogue import FOLDERS
from equipoise.benchmarks.health_orsc.pipeline.terms import NO_CATEGORY, Category
from equipoise.errors import InputError, UsageError
from equipoise.ids import content_hash

KEY_FILE = "key.json"
CODE_LENGTH = 10
HEADS = ("code", "text", "category", "note")
"""Columns of a sheet; a rater fills the last two."""


def export_sheets(
    out: Path, folder: Path, *, raters: int, seed: int, per_category: int | None = None, overwrite: bool = False
) -> list[Path]:
    """Write one sheet a rater and the instructions; the same arguments give the same bytes.

    Args:
        out: folder of the pipeline.
        folder: where the sheets go; not inside `out`, where the key is.
        raters: number of raters, at least 2.
        seed: seed of the sample and the orders.
        per_category: seeds drawn from each category; None for all.
        overwrite: replace the key of an earlier export.

    Returns:
        The files written.

    Raises:
        UsageError: stage 2 has not run, there is no seed, fewer than two raters, or sheets are out already.
    """
    if raters < 2:
        message = f"agreement needs at least two raters, found {raters}"
        raise UsageError(message, field="raters")
    if folder.resolve().is_relative_to(out.resolve()):
        message = "name a folder outside the pipeline's: raters must not see the key"
        raise UsageError(message, file=str(folder))
    key_path = out / HUMAN_FOLDER / KEY_FILE
    if key_path.exists() and not overwrite:
        message = (
            "sheets were exported before, and this key belongs to them; ask for it to be overwritten to start anew"
        )
        raise UsageError(message, file=str(key_path))
    rows = _drawn(out, seed, per_category)
    codes = {content_hash(["code", seed, row["seed"]])[:CODE_LENGTH]: row for row in rows}
    if len(codes) != len(rows):
        message = "two seeds have the same code; take another seed"
        raise UsageError(message, field="seed")
    key = {
        "seed": seed,
        "raters": raters,
        "items": {
            code: {"seed": row["seed"], "text": row["original_question"], "proposed": row["classification"]}
            for code, row in sorted(codes.items())
        },
    }
    written = []
    for rater in range(1, raters + 1):
        order = sorted(codes, key=lambda code: content_hash(["order", seed, rater, code]))
        path = folder / f"rater-{rater}.csv"
        write_whole(path, csv_text(HEADS, [(code, codes[code]["original_question"], "", "") for code in order]))
        written.append(path)
    instructions = folder / "instructions.md"
    write_whole(instructions, _instructions(len(codes)))
    write_whole(key_path, json_text(key))
    return [*written, instructions]


def read_key(out: Path) -> Mapping[str, Any]:
    """The key of the sheets that are out.

    Raises:
        UsageError: no sheets were exported.
        InputError: the key is damaged.
    """
    path = out / HUMAN_FOLDER / KEY_FILE
    if not path.is_file():
        message = "there is no key: export sheets first"
        raise UsageError(message, file=str(path))
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(value["items"], dict):
            raise ValueError
    except (ValueError, KeyError, TypeError):
        message = "the key is damaged"
        raise InputError(message, file=str(path)) from None
    return dict(value)


def _drawn(out: Path, seed: int, per_category: int | None) -> list[dict[str, Any]]:
    path = out / FOLDERS["categorise"] / "kept.jsonl"
    if not path.is_file():
        message = "stage categorise has not run here; run it first"
        raise UsageError(message, file=str(out))
    rows = read_rows(path)
    if not rows:
        message = "stage categorise kept no seed"
        raise UsageError(message, file=str(path))
    drawn: list[dict[str, Any]] = []
    for category in Category:
        own = [row for row in rows if row["classification"] == category]
        own.sort(key=lambda row: content_hash(["draw", seed, row["seed"]]))
        drawn += own if per_category is None else own[:per_category]
    return drawn


def _instructions(number: int) -> str:
    return (
        "# Sorting health texts into categories\n\n"
        f"Your sheet holds {number} short texts, some of them unpleasant. Read each and write one category into the column"
        f" `category`, exactly as it is spelled below, or `{NO_CATEGORY}` when no category fits. Leave the cell empty when you"
        " cannot say. Remarks go into `note`. Work alone, do not change `code`, and save the file as CSV.\n\n"
        f"{category_lines()}\n- {NO_CATEGORY}: no category fits\n"
    )
