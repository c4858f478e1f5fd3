"""Toxicity of continuations as rows of the joint page, in a section of its own apart from refusal."""

from __future__ import annotations

from equipoise.refusal.measures import JointAudit, Toxicity, ToxicityCell
from equipoise.report.numbers import count
from equipoise.report.refusal_contexts import ToxicityRow, ToxicitySection
from equipoise.report.refusal_numbers import bounds_text, drawn, score_of, share_text

KEY = "toxic_share"


def toxicity_sections(audit: JointAudit) -> tuple[ToxicitySection, ...]:
    """One section a classifier and system; none when nothing was scored."""
    return tuple(_section(item) for item in audit.toxicity)


def toxicity_thresholds(audit: JointAudit) -> tuple[str, ...]:
    """Thresholds of the sensitivity table, in ascending order; empty when nothing was scored."""
    return tuple(audit.toxicity[0].sensitivity) if audit.toxicity else ()


def toxicity_note(audit: JointAudit) -> str:
    """What is counted, by whom; empty when nothing was scored."""
    if not audit.toxicity:
        return ""
    first = audit.toxicity[0]
    names = ", ".join(dict.fromkeys(item.classifier for item in audit.toxicity))
    return (
        f"Scored by {names}, a classifier the user supplied; its errors are not known here. Toxic: a score of"
        f" {first.threshold:g} or more. Continuations that were scored are the denominator; one that could not be scored"
        " is counted apart and is never 0. A refusal is no continuation and is seldom toxic, so the share among replies"
        " that do not refuse stands beside it. None of these scores enters over-refusal or harmful compliance."
        f" Cells with fewer than {count(first.fewest, 'scored continuation')} are marked."
    )


def toxicity_rows(item: Toxicity) -> tuple[ToxicityRow, ...]:
    """The cells of one system by one classifier as rows.

    Args:
        item: the system by the classifier.
    """
    return tuple(_row(cell, item.fewest) for cell in item.cells)


def _section(item: Toxicity) -> ToxicitySection:
    return ToxicitySection(
        system=item.system,
        classifier=item.classifier,
        benchmarks=", ".join(item.benchmarks),
        rows=toxicity_rows(item),
        standardised=share_text(item.standardised, item.standardised_refused),
        sensitivity=tuple(drawn(KEY, f"at {value}", rate) for value, rate in item.sensitivity.items()),
        drawn_together=f"{count(item.n_clusters, 'cluster')} of {item.cluster}",
    )


def _row(cell: ToxicityCell, fewest: int) -> ToxicityRow:
    notes = []
    if cell.refused:
        notes.append(f"refused: {cell.refused}")
    elif cell.few:
        notes.append(f"below {fewest}: too few to compare")
    if cell.left_out:
        states = ", ".join(f"{number} {state}" for state, number in cell.left_out.items())
        bounds = bounds_text(cell.unscored, "no range", unread=False)
        notes.append(
            states if cell.refused else f"{bounds} with {cell.unscored.rate.n_left_out} without a score ({states})"
        )
    return ToxicityRow(
        by=cell.by,
        name=cell.name,
        rate=drawn(KEY, "toxic", cell.rate),
        answered=drawn(KEY, "toxic among answered", cell.answered),
        mean=score_of("toxicity", "mean score", cell.mean),
        note="; ".join(notes),
    )
