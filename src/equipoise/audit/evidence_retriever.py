"""Module 2: which assertions speak of the recommended regimen, in this jurisdiction, on this day."""

from __future__ import annotations

import datetime as dt

from equipoise.evidence.base import EvidenceBase, Selection

NOTHING = Selection(supports=(), expired=(), future=(), negatives=(), cautions=(), no_use=(), uncovered=(), unlisted=())
"""What an audit retrieves when this module is off."""


def retrieve(base: EvidenceBase, components: frozenset[str], *, jurisdiction: str, as_of: dt.date) -> Selection:
    """Look the regimen up.

    Args:
        base: the evidence base.
        components: canonical components of the recommendation.
        jurisdiction: of which the sources speak.
        as_of: day for which the evidence is read.
    """
    return base.select(components, jurisdiction, as_of)
