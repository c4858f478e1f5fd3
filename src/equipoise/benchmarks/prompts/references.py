"""What a run keeps of each item, so that measures and judges need neither log nor data set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.benchmarks.prompts.item import CriticalAction, PromptItem
from equipoise.errors import InputError
from equipoise.ids import bytes_hash, text_hash
from equipoise.outcomes.readers import read_json_lines
from equipoise.refusal.terms import Arm

FILE = "references.jsonl"
"""Name of the file in a run folder."""


def reference_record(item: PromptItem) -> dict[str, Any]:
    """An item without its text, as plain values."""
    return {
        "item": item.id,
        "arm": item.arm.value,
        "stratum": item.stratum,
        "group": item.group,
        "pair": item.pair,
        "item_set": item.item_set,
        "item_family": item.item_family,
        "validity": item.validity,
        "critical_actions": [
            {"id": action.id, "text": action.text, "collides": action.collides} for action in item.critical_actions
        ],
        "facts": dict(item.facts),
        "prompt_sha256": bytes_hash(item.prompt.encode()),
        "prompt_hash": text_hash(item.prompt),
    }


def read_items(folder: str | Path) -> tuple[PromptItem, ...]:
    """The items of a run folder, in the order of the file; a prompt that was not kept is empty.

    Raises:
        InputError: the folder keeps no items, or a line is of another form.
    """
    path = Path(folder) / FILE
    if not path.is_file():
        message = f"the folder keeps no items: {FILE} is missing"
        raise InputError(message, file=str(folder))
    return tuple(_item(record, str(path), line) for line, record in read_json_lines(path))


def _item(record: Mapping[str, Any], file: str, line: int) -> PromptItem:
    try:
        return PromptItem(
            id=str(record["item"]),
            prompt=str(record.get("prompt") or ""),
            arm=Arm(record["arm"]),
            stratum=str(record.get("stratum") or ""),
            group=str(record.get("group") or ""),
            pair=str(record.get("pair") or ""),
            item_set=str(record.get("item_set") or ""),
            item_family=str(record.get("item_family") or ""),
            validity=record.get("validity"),
            critical_actions=tuple(
                CriticalAction(id=str(action["id"]), text=str(action["text"]), collides=bool(action.get("collides")))
                for action in record.get("critical_actions") or ()
            ),
            facts=dict(record.get("facts") or {}),
        )
    except (KeyError, ValueError, TypeError) as error:
        message = f"not an item of a refusal benchmark ({error!r})"
        raise InputError(message, file=file, line=line) from error
