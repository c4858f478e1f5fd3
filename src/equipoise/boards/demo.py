"""Invented board cases that come with the package, so that everything runs without a download.

Twenty-eight cases over 22 tumor sites, in sixteen invented meetings, twelve of them in the split test. They were written by this project
from public sources, which every decision names; no clinician has reviewed them, and they are no advice. PMIDs and dois were found beside
the work in other public texts, except the PMIDs of SWOG S1801, of ARROW and of the surgery of small intestinal tumors; labels and guideline
pages were not opened again. The notes of a case say more.
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
