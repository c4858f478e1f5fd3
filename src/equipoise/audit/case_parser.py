"""Module 1: from a case and one of its recommendations to the facts that criteria read."""

from __future__ import annotations

import datetime as dt

from equipoise.cases.facts import Facts, Reading, facts_of
from equipoise.cases.model import Case, Recommendation


def read_facts(case: Case, recommendation: Recommendation | None, *, as_of: dt.date, reading: Reading) -> Facts:
    """Facts of a case for one recommendation.

    A setting or line that the recommendation itself names belongs to what is documented: it narrows what the case leaves open, and
    conflicts with what the case excludes.

    Args:
        case: the case.
        recommendation: the recommendation; None for the case alone.
        as_of: day for which time spans are measured.
        reading: how findings are read.
    """
    facts = facts_of(case, as_of=as_of, reading=reading)
    if recommendation is None:
        return facts
    named = recommendation.setting
    if named is not None and "setting" not in facts.conflicts:
        if facts.setting is None:
            facts.setting = named
        elif both := facts.setting & named:
            facts.setting = both
        else:
            facts.setting = None
            facts.conflicts.add("setting")
    facts.stated_line = recommendation.line
    facts.stated_setting = named
    return facts


def blank_facts(*, as_of: dt.date, reading: Reading) -> Facts:
    """Facts of a case of which nothing was read (this module off)."""
    return facts_of(Case(case_id=""), as_of=as_of, reading=reading)
