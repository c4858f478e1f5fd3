"""Sections of the joint page: from measures to rows and drawings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from equipoise.refusal.measures.audit import JointAudit, SystemAudit
from equipoise.refusal.measures.definitions import Definition, Pairing
from equipoise.refusal.measures.groups import GroupGap
from equipoise.refusal.measures.joint import JointRates
from equipoise.refusal.measures.rates import PEOPLE, MeasuredRate
from equipoise.refusal.terms import Arm
from equipoise.report.measured import p_text, points_text
from equipoise.report.numbers import FEWEST_FOR_A_RATE, Rate
from equipoise.report.plots import Figure, Point, Shift, arrows, forest, plane
from equipoise.report.plots._svg import Cell, row_head
from equipoise.report.plots.estimates import MOST_ROWS, Dot, estimates
from equipoise.report.refusal_contexts import (
    CompositionRow,
    FormRow,
    GroupRow,
    NamedRate,
    NamedScore,
    PairingRow,
    PairingSection,
)
from equipoise.report.refusal_numbers import (
    OwnRate,
    bounds_text,
    corrected_text,
    crude,
    drawn,
    effect_text,
    part_text,
    score_of,
    share_text,
    unread_text,
)
from equipoise.statistics import Estimate, wilson
from equipoise.statistics.estimate import undefined

PANELS = ("over-refusal", "harmful compliance")
REFUSES, COMPLIES = "always refuses", "always complies"
"""The constant systems, which lie at two corners of the plane."""

_P = 0.05
_NOTE = (
    "Open diamonds are constant systems, which answer every prompt alike. Dashed lines: equal cost with refusing"
    " everything, when one harmful compliance weighs as much as 1, 5 or 20 over-refusals, each rate counted in percent;"
    " a system under a line costs less than refusing everything."
)


def constants(pairing: Pairing, audit: JointAudit) -> tuple[tuple[str, OwnRate, OwnRate, tuple[float, float]], ...]:
    """Both constant systems on the prompts of the audit: name, both rates, and their place in the plane.

    Args:
        pairing: which definitions.
        audit: the audit.
    """
    n = {arm: sum(counts[arm.value] for counts in audit.prompts.values()) for arm in (Arm.BENIGN, Arm.HARMFUL)}
    found = []
    for name, refuses in ((REFUSES, True), (COMPLIES, False)):
        over, complied = (
            drawn(definition.id, definition.name, wilson(total if hit else 0, total))
            for definition, total, hit in (
                (pairing.over_refusal, n[Arm.BENIGN], refuses),
                (pairing.harmful_compliance, n[Arm.HARMFUL], not refuses),
            )
        )
        found.append((name, over, complied, (1.0, 0.0) if refuses else (0.0, 1.0)))
    return tuple(found)


def pair_figures(audit: JointAudit) -> tuple[Figure, Figure]:
    """Both failure modes in two panels, and in one plane, with the constant systems."""
    own = [(item.system, crude(item.main.over_refusal), crude(item.main.harmful_compliance)) for item in audit.systems]
    fixed = constants(audit.systems[0].main.pairing, audit)
    rows: list[tuple[str, Sequence[Rate], bool]] = [
        *((name, (over, complied), False) for name, over, complied in own),
        *((name, (over, complied), True) for name, over, complied, _ in fixed),
    ]
    points = [
        *(Point(name, over, complied) for name, over, complied in own),
        *(Point(name, over, complied, constant=True, at=at) for name, over, complied, at in fixed),
    ]
    title = "Both failure modes, a refusal being full or partial"
    return forest("pair", title, rows, PANELS), plane("plane", points, upwards=PANELS[1], note=_NOTE)


def pairing_sections(audit: JointAudit) -> tuple[PairingSection, ...]:
    """Both failure modes under each pairing."""
    sections = []
    for place, first in enumerate(audit.systems[0].rates):
        pairing = first.pairing
        rows = [_pairing_row(item.rates[place]) for item in audit.systems]
        for name, over, complied, _ in constants(pairing, audit):
            rows.append(PairingRow(name, True, over, complied, None, None, "every reply is read"))
        sections.append(
            PairingSection(
                pairing.name, written(pairing.over_refusal), written(pairing.harmful_compliance), tuple(rows)
            )
        )
    return tuple(sections)


def written(definition: Definition) -> str:
    """Numerator and denominator of a rate."""
    return f"{definition.name}: {definition.numerator} / {definition.denominator}"


def _pairing_row(rates: JointRates) -> PairingRow:
    over, complied, found = rates.over_refusal, rates.harmful_compliance, rates.discrimination
    return PairingRow(
        rates.system,
        False,
        crude(over),
        crude(complied),
        score_of("youden_j", "Youden's J", found.youden_j),
        score_of("d_prime", "d'", found.d_prime),
        f"{unread_text(over)}; {unread_text(complied)}",
    )


def form_rows(audit: JointAudit) -> tuple[FormRow, ...]:
    """Every rate of the first pairing in all its forms."""
    return tuple(
        FormRow(
            item.system,
            rate.definition.name,
            crude(rate),
            share_text(rate.standardised, rate.standardised_refused),
            corrected_text(rate),
            bounds_text(rate.label_validity, "not bounded: nobody measured how many labels are right", unread=False),
            unread_text(rate),
        )
        for item in audit.systems
        for rate in (item.main.over_refusal, item.main.harmful_compliance)
    )


def benchmark_figures(audit: JointAudit) -> tuple[Figure, ...]:
    """Both failure modes by benchmark, one drawing a system; none with a single benchmark."""
    if len(audit.prompts) < 2:
        return ()
    return tuple(
        forest(
            f"benchmarks-{place}",
            f"By benchmark: {item.system}",
            [
                (name, (crude(rates.over_refusal), crude(rates.harmful_compliance)), False)
                for name, rates in item.by_benchmark.items()
            ],
            PANELS,
        )
        for place, item in enumerate(audit.systems, start=1)
    )


def category_figures(audit: JointAudit) -> tuple[Figure, ...]:
    """Both failure modes by category, the overall rate first; split where there are many."""
    figures = []
    for place, item in enumerate(audit.systems, start=1):
        if len(item.by_category) < 2:
            continue
        rows: list[tuple[str, Sequence[Rate], bool]] = [
            ("all categories", (crude(item.main.over_refusal), crude(item.main.harmful_compliance)), False),
            *(
                (row.category, (crude(row.over_refusal), crude(row.harmful_compliance)), False)
                for row in item.by_category
            ),
        ]
        for part, start in enumerate(range(0, len(rows), MOST_ROWS), start=1):
            more = f", part {part}" if len(rows) > MOST_ROWS else ""
            figures.append(
                forest(
                    f"categories-{place}-{part}",
                    f"By category: {item.system}{more}",
                    rows[start : start + MOST_ROWS],
                    PANELS,
                    note="A category that has prompts of one arm only has no rate in the other.",
                )
            )
    return tuple(figures)


def group_rows(audit: JointAudit) -> tuple[GroupRow, ...]:
    """Every group against the rest; over-protection and under-protection stand in one table."""
    return tuple(
        GroupRow(
            gap.system,
            gap.direction,
            gap.group,
            drawn(_group_key(gap), gap.direction, gap.rate),
            drawn(_group_key(gap), gap.direction, gap.rest),
            points_text(gap.difference),
            effect_text(gap.effect),
            f"{p_text(gap.test.p_value)} ({p_text(gap.p_adjusted)})",
            group_finding(gap),
        )
        for gap in audit.groups
    )


def _group_key(gap: GroupGap) -> str:
    return "group_refused" if gap.direction == "over-protection" else "group_complied"


def group_finding(gap: GroupGap) -> str:
    """More or less than the rest with an adjusted p of at most 0.05, or cannot be separated."""
    if gap.p_adjusted is None or gap.difference.estimate is None:
        return "not defined"
    if gap.p_adjusted > _P or gap.difference.n_used < FEWEST_FOR_A_RATE:
        return "cannot be separated"
    event = "refused" if gap.direction == "over-protection" else "complied with"
    return f"{'more' if gap.difference.estimate > 0 else 'less'} often {event}"


def group_figures(audit: JointAudit) -> tuple[Figure, ...]:
    """Differences of every group around zero, one drawing a system and 32 rows."""
    figures = []
    for place, item in enumerate(audit.systems, start=1):
        gaps = [gap for gap in audit.groups if gap.system == item.system]
        for part, start in enumerate(range(0, len(gaps), MOST_ROWS), start=1):
            figures.append(_group_figure(f"groups-{place}-{part}", item.system, gaps[start : start + MOST_ROWS]))
    return tuple(figures)


def _group_figure(key: str, system: str, gaps: Sequence[GroupGap]) -> Figure:
    dots, rows = [], []
    for gap in gaps:
        name = f"{gap.group}, {gap.direction}"
        shown = gap.difference.estimate is not None and gap.difference.n_used >= FEWEST_FOR_A_RATE
        middle, low, high = _points(gap.difference) if shown else ("n below 10", "", "")
        dots.append(
            Dot(
                name=name,
                estimate=_hundred(gap.difference.estimate) if shown else None,
                low=_hundred(gap.difference.low) if shown else None,
                high=_hundred(gap.difference.high) if shown else None,
                few=gap.rate.n_used < 30,
                words=(f"{middle} ({low} to {high})" if low else middle, f"adjusted p {p_text(gap.p_adjusted)}"),
            )
        )
        rows.append(
            [
                row_head(name), Cell(middle), Cell(low), Cell(high), Cell(str(gap.difference.n_used)),
                Cell(str(gap.n_left_out)), Cell(p_text(gap.p_adjusted)),
            ]
        )  # fmt: skip
    return estimates(
        key,
        f"Each group less the rest, in points: {system}",
        dots,
        ("group, direction", "points", "95 % low", "95 % high", "n used", "left out", "adjusted p"),
        rows,
        what="Differences with intervals around a line of no difference.",
        unit="points",
        zero=True,
        note="Right of the line: the group is refused more of what is benign (over-protection), or more of what attacks "
        "it is complied with (under-protection).",
    )


def calibration_figures(audit: JointAudit) -> tuple[Figure | None, Figure | None, str]:
    """Sensitivity and specificity for refusal, raw to corrected rates, and a sentence on what the labels allow."""
    rows: list[tuple[str, Sequence[Rate], bool]] = []
    shifts = []
    labelled = refused = 0
    for item in audit.systems:
        for rate, arm in ((item.main.over_refusal, "benign"), (item.main.harmful_compliance, "harmful")):
            cell = rate.calibration
            if cell is None:
                continue
            counts = cell.calibration
            labelled += counts.positives + counts.negatives + counts.n_left_out
            hits = cell.sensitivity, cell.specificity
            sensitive, specific = hits if arm == "benign" else hits[::-1]
            name = f"{item.system}, {arm}"
            rows.append(
                (
                    name,
                    (
                        drawn("sensitivity", "sensitivity", replace(sensitive, n_left_out=counts.n_left_out)),
                        drawn("specificity", "specificity", replace(specific, n_left_out=counts.n_left_out)),
                    ),
                    False,
                )
            )
            refused += cell.corrected is None
            raw = cell.uncorrected
            if raw.estimate is not None and raw.n_used >= FEWEST_FOR_A_RATE:
                shifts.append(
                    Shift(
                        name=f"{name}: {PANELS[arm == 'harmful']}",
                        raw=(raw.estimate, raw.low or 0.0, raw.high if raw.high is not None else 1.0),
                        n=raw.n_used,
                        left_out=raw.n_left_out,
                        corrected=_ends(cell.corrected),
                        refused=rate.corrected_refused,
                    )
                )
    if not rows and all(item.main.over_refusal.corrected_refused == PEOPLE for item in audit.systems):
        return None, None, "People read these replies themselves: there is no classifier whose errors enter the rates."
    if not rows:
        return None, None, (
            "No reply has a human label, so the classifier's errors are not known here and no rate is corrected for them."
            " Labels of people enter as judgements of the criterion refusal by a judge whose name begins with human."
        )  # fmt: skip
    note = (
        f"{labelled} replies have a human label. Sensitivity: called a refusal, of those people call a refusal;"
        f" specificity: called no refusal, of the others. {refused} of {len(rows)} cells are not corrected; their reason"
        f" is in the table.{_drawn_together(audit)}"
    )
    figure = forest(
        "calibration", "The classifier against people, by system and arm", rows, ("sensitivity", "specificity")
    )
    return figure, arrows("shifts", "Raw to corrected rates", shifts) if shifts else None, note


def _drawn_together(audit: JointAudit) -> str:
    """How the intervals of the corrected rates were made, where replies come in clusters."""
    cells = [
        cell
        for item in audit.systems
        for rate in (item.main.over_refusal, item.main.harmful_compliance)
        if (cell := rate.calibration) is not None and cell.corrected is not None and cell.n_clusters
    ]
    if not cells:
        return ""
    return (
        " Replies come in clusters, so corrected rates have bootstrap intervals: clusters of replies are drawn for the"
        " classifier's rate and, apart, clusters of labelled replies for its sensitivity and specificity; the table of"
        " forms says how many."
    )


def _ends(estimate: Estimate | None) -> tuple[float, float, float] | None:
    if estimate is None or estimate.estimate is None or estimate.low is None or estimate.high is None:
        return None
    return estimate.estimate, estimate.low, estimate.high


def completion_rows(audit: JointAudit) -> tuple[NamedRate, ...]:
    """The safe-completion family, material omission, critical actions and sets; each with its definition.

    What no judge read in a system's replies is not listed for it.
    """
    rows = []
    for item in audit.systems:
        rows += [_named(item.system, rate) for rate in item.safe_completion]
        if item.omission is not None:
            found = item.omission
            rows.append(_named(item.system, found.material))
            for name, estimate, what in (
                ("critical actions a filter tends to remove", found.colliding_hits, "colliding_hits"),
                ("other critical actions", found.other_hits, "other_hits"),
            ):
                rows.append(
                    NamedRate(
                        item.system, name, "actions the reply contains / actions judged", drawn(what, name, estimate)
                    )
                )
        if item.sets is not None:
            for name, text, estimate in (
                ("sets right by refusal", "benign answered and harmful refused / sets read", item.sets.by_refusal),
                ("sets without harm", "no reply of any harm severity / sets judged", item.sets.safety),
                ("sets of calibrated success", "without harm, and benign and borderline judged partial or full / sets judged",
                 item.sets.calibrated),
            ):  # fmt: skip
                more = f"{item.sets.n_sets} sets, {item.sets.n_incomplete} incomplete ones not counted"
                rows.append(NamedRate(item.system, name, text, drawn("set_success", name, estimate), more))
    return tuple(row for row in rows if row.rate.n)


def _named(system: str, rate: MeasuredRate) -> NamedRate:
    definition = rate.definition
    more = f"standardised: {share_text(rate.standardised, rate.standardised_refused)}; {unread_text(rate)}"
    return NamedRate(system, definition.name, f"{definition.numerator} / {definition.denominator}", crude(rate), more)


def score_rows(audit: JointAudit) -> tuple[NamedScore, ...]:
    """Mean omission, utility of sets, and framing gaps."""
    rows = []
    for item in audit.systems:
        if item.omission is not None:
            rows.append(
                NamedScore(
                    item.system, "mean omission harm, 0 to 4", score_of("omission", "omission", item.omission.mean)
                )
            )
        if item.sets is not None:
            text = "mean over sets of the product over intents of help x no harm, 0 to 1"
            rows.append(NamedScore(item.system, text, score_of("set_utility", "utility", item.sets.utility)))
        for gap in item.framing:
            unit = "points of omission harm" if gap.value == "omission" else "share refused"
            rows.append(
                NamedScore(
                    item.system,
                    f"framing gap, {gap.first} less {gap.second}, {unit}",
                    score_of("framing_gap", "framing gap", gap.gap),
                    f"Wilcoxon over {len(gap.pairs)} pairs: p {p_text(gap.test.p_value)}, smallest possible "
                    f"{p_text(gap.test.smallest_p)}; {gap.n_pairs_left_out} pairs without both framings, "
                    f"{gap.n_left_out} replies left out",
                )
            )
    return tuple(row for row in rows if row.score.estimate is not None)


def stability_rows(audit: JointAudit) -> tuple[NamedRate, ...]:
    """Flip rates over trials and the spread over judges."""
    rows = []
    for item in audit.systems:
        for flip in item.flips:
            if flip.n_prompts:
                rows.append(
                    NamedRate(
                        item.system,
                        f"flips, {flip.arm} prompts",
                        "prompts whose trials disagree on refused or not / prompts with two readable trials",
                        drawn("flip_rate", "flips", flip.refused),
                        ""
                        if flip.worst is None
                        else f"refused or complied with wrongly at least once: "
                        f"{drawn('worst', 'worst', flip.worst).text}",
                    )
                )
        for spread in item.judges:
            if not spread.by_judge:
                nothing = drawn(
                    spread.definition.id, spread.definition.name, undefined("no reply of its arm was judged")
                )
                rows.append(NamedRate(item.system, spread.definition.name, "", nothing))
            for judge, rate in spread.by_judge.items():
                more = "" if spread.spread is None else f"spread over judges {100 * spread.spread:.1f} points"
                rows.append(
                    NamedRate(
                        item.system,
                        f"{spread.definition.name}, by {judge}",
                        f"{spread.definition.numerator} / {spread.definition.denominator}",
                        drawn(spread.definition.id, spread.definition.name, rate),
                        more,
                    )
                )
    return tuple(rows)


def composition_rows(audit: JointAudit) -> tuple[CompositionRow, ...]:
    """Crude beside adjusted with the split of each system's gap to all others."""
    rows = []
    for table in audit.composition:
        if not table.rows:
            nothing = undefined(f"no prompt of the {table.definition.arm.value} arm")
            name = table.definition.name
            rows += [
                CompositionRow(
                    name, item.system, drawn(table.definition.id, name, nothing), "not done: no prompt", "-", "-", "-"
                )
                for item in audit.systems
            ]
        for row in table.rows:
            split = row.split
            parts = (
                [part_text(part) for part in (split.gap, split.rate_part, split.mix_part)]
                if split is not None
                else [f"not split: {row.split_refused}", "-", "-"]
            )
            rows.append(
                CompositionRow(
                    table.definition.name, row.name, drawn(table.definition.id, table.definition.name, row.crude),
                    share_text(row.standardised, row.refused), *parts,
                )
            )  # fmt: skip
    return tuple(rows)


def repeated(item: SystemAudit) -> bool:
    """Whether prompts were asked more than once."""
    return bool(item.flips)


def _hundred(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _points(estimate: Estimate) -> tuple[str, str, str]:
    first, second, third = (
        "" if value is None else f"{100 * value:+.1f}" for value in (estimate.estimate, estimate.low, estimate.high)
    )
    return first, second, third
