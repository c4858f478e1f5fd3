"""Invented board cases that come with the package, so that everything runs without a download.

Cases over many tumor sites, in invented meetings. They were written by this project from public sources, which every decision
names; no clinician has reviewed them, and they are no advice. The PMIDs were found beside the name of the work in other public texts,
except that of SWOG S1801; labels and guideline pages were not opened again.
"""

from __future__ import annotations

from pathlib import Path

from equipoise.boards.formats.own import read_cases
from equipoise.boards.model import BoardCase
from equipoise.errors import InternalError

DEMO_FILE = Path(__file__).parent / "data" / "demo.jsonl"


def demo_cases() -> tuple[BoardCase, ...]:
    """The cases, in their order.

    Raises:
        InternalError: the file of the package cannot be read.
    """
    loaded = read_cases(DEMO_FILE)
    if loaded.problems:
        message = f"the packaged cases cannot be read: {loaded.problems[0]}"
        raise InternalError(message)
    return loaded.items
