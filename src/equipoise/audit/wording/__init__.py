"""The fixed sentences of a verdict: headline, reason, abstention, standing line, and the words that none of them uses.

Words describe evidence, not patients or orders. A fact that is missing gives a shorter sentence that is still correct;
a headline that would grow past `HEADLINE_LENGTH` leaves its second half to the reason under it and is never cut.
Plain string formatting only: these run once a verdict.
"""

from __future__ import annotations

from equipoise.audit.wording.fixed import AVOID, NOT_A_DEVICE, STANDING_LINE
from equipoise.audit.wording.fragments import Facts
from equipoise.audit.wording.headlines import HEADLINE_LENGTH, headline
from equipoise.audit.wording.reasons import ABSTAINING, REASON_CODES, abstention, caveat_line, fragment, reason_sentence
from equipoise.audit.wording.terms import FIELD_NAMES, class_words, field_words, marker_words, readable

__all__ = [
    "ABSTAINING",
    "AVOID",
    "FIELD_NAMES",
    "HEADLINE_LENGTH",
    "NOT_A_DEVICE",
    "REASON_CODES",
    "STANDING_LINE",
    "Facts",
    "abstention",
    "caveat_line",
    "class_words",
    "field_words",
    "fragment",
    "headline",
    "marker_words",
    "readable",
    "reason_sentence",
]
