"""From the analysis of a labelling study, in its JSON form, to its page and its one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.ids import content_hash
from equipoise.report.contexts import Fact
from equipoise.report.measured import p_text, rate_text, reason
from equipoise.report.numbers import FEW, FEWEST_FOR_A_RATE, count, listed, of, score
from equipoise.report.plots import Figure
from equipoise.report.plots._svg import Cell, row_head
from equipoise.report.plots.estimates import MOST_ROWS, Dot, estimates
from equipoise.report.result_contexts import ShownRate
from equipoise.report.study_contexts import (
    AgainstRow,
    AgreementRow,
    ConfusionTable,
    PlaceRow,
    PrevalenceRow,
    RaterRow,
    ShownScore,
    StudyPage,
)
from equipoise.statistics.estimate import Estimate

KINDS: Mapping[str, str] = {
    "line": "between two labels",
    "reference": "reference label",
    "error type": "error put in",
    "stratum": "stratum",
    "missing field": "named as missing",
    "decision": "why, as decided",
}
"""Kinds of places in words."""
MOST_CONFUSIONS = 10
"""Pairs of raters whose tables are shown."""


def study_page(analysis: Mapping[str, Any]) -> StudyPage:
    """The page of a study.

    Args:
        analysis: `StudyAnalysis.to_dict()`.
    """
    from equipoise._version import __version__

    overall = _agreement(analysis["overall"], analysis["primary"])
    shown = analysis["confusions"][:MOST_CONFUSIONS]
    notes = list(analysis["notes"])
    if len(shown) < len(analysis["confusions"]):
        notes.append(f"tables of the first {len(shown)} of {len(analysis['confusions'])} pairs of raters are shown")
    return StudyPage(
        title=analysis["title"],
        question=analysis["question"],
        sentence=sentence(analysis),
        head=(
            Fact("study", analysis["name"]),
            Fact("protocol", analysis["protocol_hash"]),
            Fact("versions of the protocol", _versions(analysis["versions"])),
            Fact("items", f"{analysis['items']}, {analysis['shared']} of them with labels of two raters or more"),
            Fact("raters", str(len(analysis["progress"]))),
        ),
        report_id=content_hash(analysis),
        notes=tuple(notes),
        primary=analysis["primary"],
        labels=tuple(analysis["labels"]),
        positive=listed(tuple(analysis["positive"])),
        overall=(overall,),
        by_label=tuple(_agreement(row, row["name"]) for row in analysis["by_label"]),
        by_question=tuple(_agreement(row, row["name"]) for row in analysis["by_question"]),
        drawing=_drawing(analysis),
        confusions=tuple(_confusion(row, analysis["labels"]) for row in shown),
        where=tuple(_place(row) for row in analysis["where"]),
        against=tuple(
            AgainstRow(
                system=row["system"],
                basis=row["basis"],
                percent=_rate("equal", row["percent"]),
                kappa=_score("kappa", row["kappa"]),
            )
            for row in analysis["against"]
        ),
        prevalence=tuple(_prevalence(row) for row in analysis["prevalence"]),
        raters=_raters(analysis),
        plan=_plan(analysis["plan"]),
        methods=(
            Fact("coverage of the intervals", f"{100 * analysis['level']:g} %"),
            Fact("resamples and seed", f"{analysis['resamples']}, {analysis['seed']}"),
            Fact("kappa", analysis["overall"]["kappa"]["method"]),
            Fact("left out", "training, attention and repeated items; items without a label are counted, never scored"),
            Fact("items, hash", analysis["dataset_hash"]),
            Fact("equipoise", __version__),
        ),
    )


def sentence(analysis: Mapping[str, Any]) -> str:
    """The finding, computed: how far raters agree, and where they do not.

    Args:
        analysis: `StudyAnalysis.to_dict()`.
    """
    shared, apart = analysis["shared"], analysis["disagreed"]
    if not shared:
        return "No item has labels of two raters, so there is no agreement to report."
    name = _coefficient(analysis)
    told = f"Raters differ on {of(apart, shared)} items; {name} {_text(_estimate(analysis['overall'][name]))}."
    lines = [row for row in analysis["where"] if row["kind"] == "line"]
    if lines and apart:
        first = [row["name"] for row in lines if row["disagreed"] == lines[0]["disagreed"]]
        words = " and ".join(f"between {name.replace(' / ', ' and ')}" for name in first[:2])
        more = f" and {len(first) - 2} further pairs" if len(first) > 2 else ""
        told += f" Most often they differ {words}{more} ({count(lines[0]['disagreed'], 'item')})."
    open_items = apart - analysis["decided"]
    if open_items > 0:
        told += f" Not decided yet: {open_items}."
    return told


def _coefficient(analysis: Mapping[str, Any]) -> str:
    """What stands for the agreement: kappa, or alpha where no item was labelled by all raters and kappa is not defined."""
    overall = analysis["overall"]
    return "alpha" if overall["kappa"]["estimate"] is None and overall["alpha"]["estimate"] is not None else "kappa"


def _estimate(value: Mapping[str, Any]) -> Estimate:
    return Estimate(**{**value, "warnings": tuple(value["warnings"])})


def _text(value: Estimate) -> str:
    if value.estimate is None:
        return reason(value)
    return score(value.estimate, value.low, value.high, value.n_used, places=2, left_out=value.n_left_out)


def _score(key: str, value: Mapping[str, Any]) -> ShownScore:
    return ShownScore(key, _text(_estimate(value)))


def _rate(key: str, value: Mapping[str, Any]) -> ShownRate:
    """A share; the mean over more than two raters is no count of items, so it is printed as a score."""
    found = _estimate(value)
    counted = found.estimate is None or found.method.startswith("Wilson")
    text = rate_text(found) if counted else _text(found)
    return ShownRate(key if counted else "", text, found.n_used, found.n_left_out)


def _agreement(row: Mapping[str, Any], name: str) -> AgreementRow:
    return AgreementRow(
        name=name,
        percent=_rate("agreement", row["percent"]),
        kappa=_score("kappa", row["kappa"]),
        ac1=_score("ac1", row["ac1"]),
        alpha=_score("alpha", row["alpha"]),
    )


def _confusion(row: Mapping[str, Any], labels: Sequence[str]) -> ConfusionTable:
    rows = tuple((name, (*counts, sum(counts))) for name, counts in zip(labels, row["rows"], strict=True))
    return ConfusionTable(first=row["first"], second=row["second"], rows=rows, kappa=_score("kappa", row["kappa"]))


def _place(row: Mapping[str, Any]) -> PlaceRow:
    return PlaceRow(kind=KINDS[row["kind"]], name=row["name"], rate=_rate("disagreement", row["rate"]))


def _prevalence(row: Mapping[str, Any]) -> PrevalenceRow:
    if row["corrected"] is not None:
        corrected = _score("corrected", row["corrected"])
    elif row["refused"]:
        corrected = ShownScore("corrected", f"not defined: {row['refused']}")
    else:
        corrected = ShownScore("corrected", "not defined: these labels are the measure")
    return PrevalenceRow(system=row["system"], seen=_rate("share", row["seen"]), corrected=corrected)


def _raters(analysis: Mapping[str, Any]) -> tuple[RaterRow, ...]:
    checks = {row["rater"]: row for row in analysis["attention"]}
    times = {row["rater"]: row for row in analysis["courses"]}
    made = []
    for row in analysis["progress"]:
        course, check = times[row["rater"]], checks.get(row["rater"])
        again = _estimate(course["repeated"])
        seconds = row["median_seconds"]
        made.append(
            RaterRow(
                rater=row["rater"],
                given=row["given"],
                labelled=row["labelled"],
                left_out=row["left_out"],
                seconds="not known" if seconds is None else f"{seconds:.0f}",
                repeated=of(round((again.estimate or 0) * again.n_used), again.n_used)
                if again.n_used
                else "none shown twice",
                attention=_attention(check),
                course=_course(course),
            )
        )
    return tuple(made)


def _attention(check: Mapping[str, Any] | None) -> str:
    if check is None or not check["given"]:
        return "no attention items"
    told = of(check["right"], check["answered"])
    return f"{told}, below what the protocol asks" if check["told_apart"] else told


def _course(course: Mapping[str, Any]) -> str:
    if course["why_not"]:
        return f"not assessed: {course['why_not']}"
    parts = [_estimate(part) for part in course["thirds"]]
    told = ", ".join(of(round((part.estimate or 0) * part.n_used), part.n_used) for part in parts)
    return f"all agree on {told} items by third; first against last p {p_text(course['first_and_last']['p_value'])}"


def _plan(rows: Sequence[Mapping[str, Any]]) -> tuple[Fact, ...]:
    made = []
    for row in rows:
        if row["measure"] == "percent":
            continue
        items = "not known: there is no interval to start from" if row["items"] is None else count(row["items"], "item")
        made.append(Fact(f"{row['measure']} to within {row['half_width']:.2f}", items))
    return tuple(made)


def _versions(versions: Sequence[Mapping[str, Any]]) -> str:
    if len(versions) < 2:
        return "one"
    told = "; ".join(f"{row['hash']} on {row['at'][:10]} ({row['reason']})" for row in versions[1:])
    return f"{len(versions)}: {told}"


def _drawing(analysis: Mapping[str, Any]) -> Figure | None:
    rows, dots = [], []
    measure = _coefficient(analysis)
    for name, row in (("all labels", analysis["overall"]), *((row["name"], row) for row in analysis["by_label"])):
        found = _estimate(row[measure])
        shown = found.estimate is not None and found.n_used >= FEWEST_FOR_A_RATE
        middle, low, high = (
            f"{value:.2f}" if shown and value is not None else "" for value in (found.estimate, found.low, found.high)
        )
        percent = "" if row["share"] is None else f"{100 * row['share']:.0f}"
        rows.append(
            [row_head(name), *map(Cell, (percent, middle or "-", low, high, str(found.n_used), str(found.n_left_out)))]
        )
        interval = f"{middle} ({low} to {high})" if low and high else middle or f"n {found.n_used}"
        dots.append(
            Dot(
                name=name,
                estimate=found.estimate if shown else None,
                low=found.low if shown else None,
                high=found.high if shown else None,
                few=found.n_used < FEW,
                words=(interval, f"{percent} % of the labels") if percent else (interval,),
            )
        )
    if all(dot.estimate is None for dot in dots):
        return None
    lowest = min([0.0, *(value for dot in dots for value in dot.values())])
    return estimates(
        "agreement",
        f"{measure.capitalize()} overall and for each label against all others",
        dots[:MOST_ROWS],
        ("label", "% of labels", measure, "low", "high", "n used", "left out"),
        rows,
        what=(
            f"{measure.capitalize()} as dots with their intervals; on the line raters agree as often as by chance, at the "
            "right end always."
        ),
        zero=True,
        whole=(lowest, 1.0),
        note=f"A rare label has a low {measure} even when raters seldom differ: read AC1 beside it.",
    )
