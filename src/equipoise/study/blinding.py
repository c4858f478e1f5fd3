"""What a rater may not see: names of fields that tell the source or the answer, and texts in which a source names itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

IDENTIFYING: frozenset[str] = frozenset(
    {
        "abstain", "answer_key", "arm", "benchmark", "benchmark_label", "case_type", "cost", "created_at", "error_type",
        "expected", "file", "ground_truth", "ground_truth_therapy", "judge", "label", "latency", "model", "model_family",
        "operator", "provider", "rater", "reference", "run", "should_abstain", "source", "stratum", "support_label",
        "system", "tokens_in", "tokens_out", "url",
    }
)  # fmt: skip
"""Fields of the package's own tables and of known data sets that name the source of an item or its answer."""

MASK = "[name removed]"
"""Stands where a source named itself."""

_SHORTEST = 3


def identifying(field: str) -> bool:
    """Whether a field of this name is hidden from raters whatever the protocol says."""
    return field.strip().lower() in IDENTIFYING


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A text without the names of its source.

    Attributes:
        text: what is shown.
        count: places that were masked; the log of the import states it.
    """

    text: str
    count: int


def mask(text: str, names: Iterable[str]) -> Masked:
    """The text with every name of its source replaced, whole words, in any case.

    A name is also found without its vendor's prefix and from its first digit on ("vendor/Alpha-3-large" as "Alpha").
    Names under three letters are not looked for, because they are words too often. A nickname is found only if it is
    given.

    Args:
        text: what the source wrote.
        names: names of the model, its family, its provider.
    """
    words = sorted({part for name in names for part in _forms(name)}, key=lambda word: (-len(word), word))
    if not words:
        return Masked(text=text, count=0)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?:[-\s]?\d[\w.]*)?(?!\w)", re.IGNORECASE)
    shown, count = pattern.subn(MASK, text)
    return Masked(text=shown, count=count)


def _forms(name: str) -> set[str]:
    parts = {name.strip(), *name.strip().split("/")}
    parts |= {re.split(r"[-_:\s]?\d", part)[0] for part in parts}
    return {part for part in parts if len(part) >= _SHORTEST and not part.isdigit()}
