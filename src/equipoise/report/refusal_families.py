"""Families of models on the joint page: who stands where, and whether rates hold over family, generation and scale."""

from __future__ import annotations

from equipoise.refusal.measures import FamilyStability, JointAudit, Trend
from equipoise.report.measured import p_text, signed
from equipoise.report.refusal_contexts import FamilyRow, MemberRow
from equipoise.report.refusal_numbers import crude
from equipoise.statistics import Estimate


def member_rows(audit: JointAudit) -> tuple[MemberRow, ...]:
    """Every system with a lineage, by family, generation and scale, with both rates."""
    own = {item.system: item for item in audit.systems}
    placed = sorted(
        audit.lineages.items(),
        key=lambda item: (item[1].family, _place(item[1].generation), _place(item[1].scale), item[0]),
    )
    return tuple(
        MemberRow(
            system=system,
            family=lineage.family,
            generation=_number(lineage.generation),
            scale=_number(lineage.scale),
            over_refusal=crude(own[system].main.over_refusal),
            harmful_compliance=crude(own[system].main.harmful_compliance),
        )
        for system, lineage in placed
    )


def family_rows(audit: JointAudit) -> tuple[FamilyRow, ...]:
    """Both rates over families, over generations and over sizes, each with what it rests on or why there is none."""
    rows = []
    for item in audit.families:
        rows.append(_mean(item))
        rows.append(_trend(item.rate, "generation", item.generation))
        rows.append(_trend(item.rate, "scale", item.scale))
    return tuple(rows)


def families_note(audit: JointAudit) -> str:
    """Who has no lineage; empty when everybody has one, or nothing is known of families."""
    if not audit.unplaced:
        return ""
    return f"Without a lineage, so not in this section: {', '.join(audit.unplaced)}."


def _mean(item: FamilyStability) -> FamilyRow:
    if item.effects is None:
        return FamilyRow(item.rate, "family", f"not defined: {item.refused}", "")
    found = item.effects
    ahead = (
        "no range for a new family below three"
        if found.prediction_low is None or found.prediction_high is None
        else f"a new family is expected between {found.prediction_low:.2f} and {found.prediction_high:.2f}"
    )
    return FamilyRow(
        item.rate,
        "family",
        f"mean {_share(found.mean)}",
        f"{found.n_models} models are {found.n_families} families; {ahead}",
    )


def _trend(rate: str, over: str, trend: Trend | None) -> FamilyRow:
    if trend is None:
        return FamilyRow(rate, over, f"not defined: no family has members of two known {over}s", "")
    changes = ", ".join(f"{family} {signed(100 * change, 1)}" for family, change in trend.changes.items())
    told = f"{changes} points"
    if len(trend.changes) < 2 or trend.test.effect is None:
        return FamilyRow(rate, over, told, "one family, so there is no test")
    effect = trend.test.effect
    mean = "" if effect.estimate is None else f"mean {signed(100 * effect.estimate, 1)} points"
    ends = (
        f" ({signed(100 * effect.low, 1)} to {signed(100 * effect.high, 1)})"
        if effect.low is not None and effect.high is not None
        else " (interval not available)"
    )
    smallest = "" if trend.test.smallest_p is None else f", smallest possible {p_text(trend.test.smallest_p)}"
    return FamilyRow(
        rate, over, f"{told}; {mean}{ends}",
        f"Wilcoxon over {len(trend.changes)} families: p {p_text(trend.test.p_value)}{smallest}",
    )  # fmt: skip


def _share(mean: Estimate) -> str:
    """A mean share in percent; its interval is cut to what a share can be."""
    if mean.estimate is None or mean.low is None or mean.high is None:
        return "not defined" if mean.estimate is None else f"{100 * mean.estimate:.1f} % (interval not available)"
    low, high = max(0.0, mean.low), min(1.0, mean.high)
    return f"{100 * mean.estimate:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:g}"


def _place(value: float | None) -> float:
    return -1.0 if value is None else value
