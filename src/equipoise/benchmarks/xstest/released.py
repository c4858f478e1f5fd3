"""Reads XSTest's labelled replies: five models, two human labels each, the final one, and the labels of two judges.

Takes the repository's own files (model_completions/*.csv, one a model, with the reply) or their label columns one below
the other (with a column `model` and no reply).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.benchmarks.prompts.released import Released, Rows, find_tables, verdict
from equipoise.benchmarks.prompts.tables import Record, read_table, require_columns
from equipoise.benchmarks.xstest.loader import BENCHMARK, SOURCES, arm_of_type, base_type, item_id
from equipoise.errors import InputError, UsageError
from equipoise.evals.kept import with_prompt
from equipoise.evals.refusal_reading import JUDGE, RUBRIC, Detector, read_refusal
from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.terms import Refusal

LABELS: dict[str, Refusal] = {
    "1_full_compliance": Refusal.NONE,
    "2_full_refusal": Refusal.FULL,
    "3_partial_refusal": Refusal.PARTIAL,
}
"""The study's labels; anything else a judge wrote cannot be read."""

HUMAN = "human-final"
RATERS: dict[str, tuple[str, ...]] = {
    "annotator-1": ("annotation_1",),
    "annotator-2": ("annotation_2",),
    HUMAN: ("final_label",),
    "gpt4": ("gpt4_label", "gpt_label"),
    "string-match": ("string_match_label", "strmatch_label"),
}
"""Judge, and the columns in which its label may stand; the first three are needed."""

REPLY: tuple[str, ...] = ("completion", "response")
"""Columns in which the reply may stand."""

_NEEDED = ("id", "type", "annotation_1", "annotation_2", "final_label")
_MODEL = re.compile(r"(?:xstest_)?(?:v\d_)?(?:completions_)?(.+?)(?:_(?:gpteval|streval|strmatch|gpt4eval))?$")


def read_released(place: Path, detector: Detector | None = None) -> Released:
    """The labelled replies; the label of an outcome is the final human one.

    Args:
        place: the repository, its folder of replies, or one file.
        detector: reads every reply that has a text and adds its judgement; none by default.

    Raises:
        UsageError: there is no such file.
        InputError: a file lacks a column, or a model has a reply twice.
    """
    files = find_tables(place, ("model_completions", "."), "*.csv")
    if not files:
        source = SOURCES[0]
        message = (
            f"expected model_completions/*.csv of {source.repository}, revision {source.revision}, or one such file"
        )
        raise UsageError(message, file=str(place))
    merged: dict[tuple[str, str], dict[str, Any]] = {}
    for path in files:
        records = read_table(path)
        for model, own in _by_model(path, records).items():
            _merge(merged, model, own, path)
    outcomes: Rows = []
    judgements: Rows = []
    references: dict[str, Mapping[str, Any]] = {}
    for (model, item), record in merged.items():
        row, judged = _rows(model, item, record, detector)
        outcomes.append(row)
        judgements += judged
        references.setdefault(item, _reference(item, record))
    return Released(
        benchmark=BENCHMARK,
        outcomes=outcomes,
        judgements=judgements,
        references=tuple(references.values()),
        files=files,
    )


def _by_model(path: Path, records: list[Record]) -> dict[str, list[Record]]:
    if "model" in records[0]:
        found: dict[str, list[Record]] = {}
        for record in records:
            found.setdefault(str(record["model"]), []).append(record)
        return found
    name = _MODEL.match(path.stem)
    return {name[1] if name else path.stem: records}


def _merge(merged: dict[tuple[str, str], dict[str, Any]], model: str, records: list[Record], path: Path) -> None:
    """Add the columns of a file; a second file of the same model only adds what the first has not."""
    seen: set[str] = set()
    require_columns(records, _NEEDED, file=str(path))
    for record in records:
        item = item_id(str(record["id"]))
        if item in seen or not item:
            message = f"{model} has the reply to {item!r} twice" if item else "a reply has no identifier"
            raise InputError(message, file=str(path), field="id")
        seen.add(item)
        known = merged.setdefault((model, item), {})
        for name, value in record.items():
            known.setdefault(str(name), value)


def _rows(model: str, item: str, record: Mapping[str, Any], detector: Detector | None) -> tuple[dict[str, Any], Rows]:
    reply_id = f"{model}/{item}"
    kind = str(record["type"]).strip()
    text = _first(record, REPLY)
    empty = text is not None and not text.strip()
    final = LABELS.get(str(record["final_label"]).strip())
    state = ReplyState.EMPTY if empty else (ReplyState.OK if final is not None else ReplyState.UNPARSED)
    row = {
        "reply_id": reply_id,
        "system": model,
        "model": model,
        "item": item,
        "arm": arm_of_type(kind).value,
        "stratum": kind,
        "state": state.value,
        "reply": text or None,
        "label": final.value if final is not None and state is ReplyState.OK else None,
    }
    judged = []
    for judge, columns in RATERS.items():
        label = _first(record, columns)
        if label is not None:
            read = LABELS.get(label.strip())
            judged.append(
                verdict(reply_id, judge=judge, rubric=RUBRIC, value=None if read is None else read.value, scale=_SCALE)
            )
    if detector is not None and text and not empty:
        reading = read_refusal(text, str(record.get("prompt") or ""), detector=detector)
        value = None if reading.refusal is None else reading.refusal.value
        judged.append(verdict(reply_id, judge=JUDGE, rubric=RUBRIC, value=value, scale=_SCALE))
    return row, judged


_SCALE = tuple(item.value for item in Refusal)


def _first(record: Mapping[str, Any], columns: tuple[str, ...]) -> str | None:
    return next((str(record[name]) for name in columns if record.get(name) is not None), None)


def _reference(item: str, record: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(record["type"]).strip()
    prompt = str(record.get("prompt") or "")
    kept = {
        "item": item,
        "arm": arm_of_type(kind).value,
        "stratum": kind,
        "facts": {"base_type": base_type(kind)},
    }
    return with_prompt(kept, prompt, keep=False) if prompt else kept
