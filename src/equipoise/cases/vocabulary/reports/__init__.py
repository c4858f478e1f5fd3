"""The grammar of report strings: which gene, which alteration, which status.

A string is cut into tokens by one pass of bounded patterns, tokens into segments (at semicolons, line ends, full
stops, "but"), segments into parts: a gene with the alterations and status words that belong to it. A status word in
front ("no", "negative for", "pending:") reaches forward over a list; one behind ("not detected", "wild type") reaches
back over a list of bare genes or of alike alterations. Work is proportional to the length of the string.
"""

from __future__ import annotations

from equipoise.cases.vocabulary.reports.lexer import Token
from equipoise.cases.vocabulary.reports.parts import Change, Part
from equipoise.cases.vocabulary.reports.reading import read
from equipoise.cases.vocabulary.reports.stains import FISH_CLEAR, FISH_CUTOFF, HER2_STRONG, MET_STRONG
from equipoise.cases.vocabulary.reports.states import ABSENT, NOT_TESTED, PENDING, PRESENT, UNCERTAIN, UNKNOWN

__all__ = [
    "ABSENT",
    "FISH_CLEAR",
    "FISH_CUTOFF",
    "HER2_STRONG",
    "MET_STRONG",
    "NOT_TESTED",
    "PENDING",
    "PRESENT",
    "UNCERTAIN",
    "UNKNOWN",
    "Change",
    "Part",
    "Token",
    "read",
]
