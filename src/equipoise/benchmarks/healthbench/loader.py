"""Reads HealthBench conversations with their rubrics (arXiv:2505.08775): the full, hard and consensus files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from equipoise.benchmarks.item_sets import ItemLoader, refuse
from equipoise.benchmarks.prompts.sources import Host, SourceFile
from equipoise.benchmarks.prompts.tables import Record
from equipoise.errors import InputError
from equipoise.redteam.operators.items import Item, RubricItem, conversation_item

BENCHMARK = "healthbench"
ROLES = ("system", "user", "assistant")
"""Roles a turn can have."""

_UNVERIFIED = (
    "no copy was at hand: revision and hash are not pinned; the names of the files are those of the published scorer"
)
SOURCES: tuple[SourceFile, ...] = tuple(
    SourceFile(
        id=part, host=Host.HUB, repository="openai/healthbench", path=path, revision="", licence="MIT",
        columns=("prompt_id", "prompt", "rubrics"), unverified=_UNVERIFIED,
    )
    for part, path in (
        ("full", "2025-05-07-06-14-12_oss_eval.jsonl"),
        ("hard", "hard_2025-05-08-21-00-10.jsonl"),
        ("consensus", "consensus_2025-05-09-20-00-46.jsonl"),
    )
)  # fmt: skip


def build(record: Record, number: int, file: str) -> Item:
    """One conversation.

    Args:
        record: `prompt_id`, `prompt` as a list of {role, content}, `rubrics` as a list of {criterion, points, tags}, and
            `example_tags`. Other elements (ideal completions, the canary) are not read.
        number: 1-based number of the record.
        file: name of the file.

    Raises:
        InputError: an element is missing or of another form.
    """
    item_id = record["prompt_id"]
    if not isinstance(item_id, str) or not item_id.strip():
        message = "expected an identifier as text"
        raise refuse(message, file=file, number=number, field="prompt_id")
    turns = [
        _turn(turn, number=number, file=file) for turn in _list(record["prompt"], "prompt", number=number, file=file)
    ]
    rubric = tuple(
        _criterion(item, number=number, file=file)
        for item in _list(record["rubrics"], "rubrics", number=number, file=file)
    )
    tags = record.get("example_tags") or ()
    if not isinstance(tags, list | tuple) or not all(isinstance(tag, str) for tag in tags):
        message = "expected a list of texts"
        raise refuse(message, file=file, number=number, field="example_tags")
    try:
        return conversation_item(item_id.strip(), turns, rubric, tags=tuple(tags))
    except InputError as error:
        raise refuse(error.message, file=file, number=number, field="prompt") from None


def _list(value: Any, field: str, *, number: int, file: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        message = f"expected a list with at least one entry, found {type(value).__name__}"
        raise refuse(message, file=file, number=number, field=field)
    return value


def _turn(value: Any, *, number: int, file: str) -> tuple[str, str]:
    role = value.get("role") if isinstance(value, Mapping) else None
    text = value.get("content") if isinstance(value, Mapping) else None
    if role not in ROLES or not isinstance(text, str):
        message = f"expected turns with a role ({', '.join(ROLES)}) and a content as text"
        raise refuse(message, file=file, number=number, field="prompt")
    return str(role), text


def _criterion(value: Any, *, number: int, file: str) -> RubricItem:
    criterion = value.get("criterion") if isinstance(value, Mapping) else None
    points = value.get("points") if isinstance(value, Mapping) else None
    tags = (value.get("tags") if isinstance(value, Mapping) else None) or []
    if not isinstance(criterion, str) or not criterion.strip():
        message = "expected a criterion as text"
        raise refuse(message, file=file, number=number, field="rubrics.criterion")
    if isinstance(points, bool) or not isinstance(points, int | float) or not math.isfinite(points):
        message = f"expected points as a number, found {points!r}"
        raise refuse(message, file=file, number=number, field="rubrics.points")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        message = "expected tags as a list of texts"
        raise refuse(message, file=file, number=number, field="rubrics.tags")
    return RubricItem(criterion=criterion.strip(), points=float(points), tags=tuple(tags))


LOADER = ItemLoader(benchmark=BENCHMARK, sources=SOURCES, build=build)
read = LOADER.read
load = LOADER.load
