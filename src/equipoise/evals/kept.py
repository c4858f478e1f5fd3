"""What a run keeps of an item's prompt: always its hash, its text only when it is benign or was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.ids import bytes_hash, text_hash
from equipoise.refusal.terms import Arm


def with_prompt(reference: Mapping[str, Any], prompt: str, *, keep: bool) -> dict[str, Any]:
    """What is known of an item, with the hashes of its prompt and, where it may be kept, the text.

    `prompt_sha256` is the whole hash, `prompt_hash` its start as in every result (`ids.text_hash`).

    Args:
        reference: the item's columns and facts.
        prompt: its text.
        keep: whether the text is kept whatever the arm.
    """
    kept = {**reference, "prompt_sha256": bytes_hash(prompt.encode()), "prompt_hash": text_hash(prompt)}
    return kept | {"prompt": prompt} if keep or reference.get("arm") == Arm.BENIGN else kept
