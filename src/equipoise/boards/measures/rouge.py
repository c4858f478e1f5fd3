"""ROUGE-L: the longest common subsequence of words, as F1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.statistics.estimate import Result

VERSION = "rouge-l-1"
_WORDS = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RougeL(Result):
    """ROUGE-L against the best of several references.

    Attributes:
        f1: 0 (no word in common) to 1 (the same words in the same order); None when a side has no words.
        precision: share of the candidate's words in the subsequence; None as above.
        recall: share of the reference's words; None as above.
        reference: place of the best reference, from 0; None as above.
        version: of this measure.
    """

    f1: float | None
    precision: float | None
    recall: float | None
    reference: int | None
    version: str = VERSION


def rouge_l(candidate: str, references: Sequence[str]) -> RougeL:
    """ROUGE-L of a text, without stemming, over lower-case words of letters and digits (ASCII).

    It compares words, not meaning: a reversed decision can score high. Of several references the one with the highest F1 counts, the
    first of equals. A reference without words is left out.

    Args:
        candidate: the text; one without words has no score, which is not 0.
        references: acceptable texts.

    References:
        Lin CY. ROUGE: a package for automatic evaluation of summaries. ACL 2004 workshop, W04-1013. Tokens and F1 (equal weights) as in
        OpenTumorBoard, `scripts/evaluation/metrics/text_metrics.py`, which scores a missing conclusion 0 where this has no score.
    """
    words = _WORDS.findall(candidate.lower())
    best: RougeL | None = None
    for place, reference in enumerate(references):
        other = _WORDS.findall(reference.lower())
        if not words or not other:
            continue
        common = _common(words, other)
        precision, recall = common / len(words), common / len(other)
        f1 = 2 * precision * recall / (precision + recall) if common else 0.0
        if best is None or best.f1 is None or f1 > best.f1:
            best = RougeL(f1=f1, precision=precision, recall=recall, reference=place)
    return best or RougeL(f1=None, precision=None, recall=None, reference=None)


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for word in first:
        above = 0
        for place, other in enumerate(second, start=1):
            kept, row[place] = row[place], above + 1 if word == other else max(row[place], row[place - 1])
            above = kept
    return row[-1]
