"""The demo questions: invented, with a source for each key, so that a stress test can be tried without any download."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from equipoise.redteam.operators.items import Item, choice_item

FILE = "demo.jsonl"
"""Packaged file of the questions."""


@lru_cache(maxsize=1)
def demo_records() -> tuple[dict[str, Any], ...]:
    """The records: id, question, options, answer_idx, topic, and the source of the key."""
    text = files(__package__ or "equipoise.benchmarks.choice_stress").joinpath(FILE).read_text(encoding="utf-8")
    return tuple(json.loads(line) for line in text.splitlines())


def demo_items() -> tuple[Item, ...]:
    """The questions as items, tagged with their topic."""
    return tuple(
        choice_item(item["id"], item["question"], item["options"], item["answer_idx"], tags=(item["topic"],))
        for item in demo_records()
    )
