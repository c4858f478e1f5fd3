"""Notes by which a case says that it was curated from a recording, and that its identifiers were scrubbed."""

from __future__ import annotations

from equipoise.boards.model import BoardCase

CURATED = "curated from a recording"
REPLACED = "identifiers replaced by"
SCRUBBED = "identifiers scrubbed by rule"


def curated_note(detail: str = "") -> str:
    """The note of a curated case; the detail follows in brackets."""
    return f"{CURATED} ({detail})" if detail else CURATED


def scrubbed_note(version: str, texts_hash: str) -> str:
    """The note of a scrubbed case: version of the rules and hash of the scrubbed texts."""
    return f"{SCRUBBED} ({version}, texts {texts_hash})"


UNREAD = "not read by a person"


def read_note(by: str, who: str = "") -> str:
    """The note on who looked for identifiers.

    Args:
        by: "rules" or "rules and model".
        who: the person who read the scrubbed texts; empty when nobody did.
    """
    told = "rule and model" if "model" in by else "rule"
    return f"{REPLACED} {told}; " + (f"read by a person ({who})" if who else UNREAD)


def is_unread(case: BoardCase) -> bool:
    """Whether a case says that no person read its scrubbed texts."""
    return any(note.startswith(REPLACED) and note.endswith(UNREAD) for note in case.notes)


def is_curated(case: BoardCase) -> bool:
    """Whether a case says that it was curated from a recording."""
    return any(note.startswith(CURATED) for note in case.notes)


def is_scrubbed(case: BoardCase) -> bool:
    """Whether a case says that its identifiers were scrubbed. The note is taken at its word."""
    return any(note.startswith(SCRUBBED) for note in case.notes)
