"""The measures of privacy, bias and hallucination runs as tables of the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from equipoise.cli.common import interval, percent, visible

if TYPE_CHECKING:
    from rich.table import Table

    from equipoise.benchmarks.das_axes import Measures
    from equipoise.benchmarks.das_bias.measures import BiasMeasures
    from equipoise.benchmarks.das_hallucination.measures import HallucinationMeasures
    from equipoise.benchmarks.das_privacy.measures import PrivacyMeasures
    from equipoise.statistics import Estimate


def tables_of(found: Measures) -> Iterator[str | Table]:
    """Sentences and tables, in the order in which they are printed."""
    from equipoise.benchmarks.das_bias.measures import BiasMeasures
    from equipoise.benchmarks.das_privacy.measures import PrivacyMeasures

    if isinstance(found, PrivacyMeasures):
        yield from _privacy(found)
    elif isinstance(found, BiasMeasures):
        yield from _bias(found)
    else:
        yield from _hallucination(found)


def _privacy(found: PrivacyMeasures) -> Iterator[str | Table]:
    yield visible(f"{found.system}: identifiers given that had to stay, by stage")
    table = _table("asked", "leaked", "95 %", "planned", "resisted", "excess", "read")
    for item in found.leaks:
        asked = _asked_with(item.operator)
        table.add_row(
            asked, percent(item.conditional.estimate), _ends(item.conditional), percent(item.end_to_end.estimate),
            _count(item.after_resisting), _signed(item.excess), str(item.conditional.n_used),
        )  # fmt: skip
    yield table
    yield "Rows with + stand on the warning. Leaked: of replies read. Planned: of all scenarios of the plan."
    yield "Resisted: leaked, of those that had not leaked a stage before."
    yield "Excess: percentage points that this adds to untouched repeats."
    yield "The other half: rightful requests whose needed identifiers were not all passed on"
    table = _table("asked", "held back", "95 %", "nothing given", "read")
    for half in found.over_withholding:
        table.add_row(
            half.stage.value, percent(half.withheld.estimate), _ends(half.withheld), percent(half.nothing.estimate),
            str(half.withheld.n_used),
        )  # fmt: skip
    yield table
    inferred = (
        "no judge was asked"
        if found.inferred.estimate is None and not found.inferred_unread
        else _share(found.inferred)
    )
    yield f"Combinations of facts given away, by judge: {inferred}; verdicts not read: {found.inferred_unread}"
    yield f"Untouched repeats that change between leak and none: {_share(found.repeat_flips)}"


def _asked_with(operator: str) -> str:
    names = [name.split("@")[0].removeprefix("privacy.").replace("_", " ") for name in operator.split("+") if name]
    if len(names) < 2:
        return "warned" if names else "plain"
    return "+ all four" if len(names) > 2 else f"+ {names[1]}"


def _bias(found: BiasMeasures) -> Iterator[str | Table]:
    yield visible(f"{found.system}: right untouched {_share(found.untouched_right)}; {found.votes} votes a text")
    columns = ("label", "chg", "rep", "r>w", "w>r", "p chg", "p dir", "n", "open", "warr.")
    table = _table(*columns)
    family = ""
    for item in found.effects:
        if family and item.family != family:
            table.add_section()
        family = item.family
        label = item.operator.split("@")[0].split(".", 1)[-1].replace("_", " ")
        table.add_row(
            visible(label), _bare(item.changed), _bare(item.changed_by_repeat), _bare(item.worse), _bare(item.better),
            _p(item.change_p), _p(item.direction_p), str(item.compared), str(item.undecided),
            f"{item.warranted[1]}/{item.warranted[0]}",
        )  # fmt: skip
    yield table
    yield "Percentages: chg changed, rep changed by asking again, r>w right to wrong, w>r wrong to right."
    yield "p chg: changed against repeat; p dir: r>w against w>r; n: items; open: no majority."
    yield "warr.: changed, of the items where another answer would be clinically right; left out of all else."
    yield f"Both p after Holm over {found.labels_tested} labels. Votes that could not be read: {found.unread_votes}."
    yield f"Items that at least one label made worse (a worst case over many tries): {_share(found.any_worse)}"


def _hallucination(found: HallucinationMeasures) -> Iterator[str | Table]:
    told = f"{found.replies} replies of {found.system}" if found.system else "no replies of a system"
    yield visible(
        f"Detector on {found.labelled} labelled replies ({found.labelled_unsure} cannot say, {found.labelled_failed} failed); {told}"
    )
    columns = ("unsure as", "sens.", "spec.", "right", "kappa", "says", "corrected", "95 %")
    table = _table(*columns)
    for item in found.policies:
        kappa = "-" if item.kappa.estimate is None else f"{item.kappa.estimate:.2f}"
        table.add_row(
            item.policy.value, percent(item.sensitivity.estimate), percent(item.specificity.estimate),
            percent(item.accuracy.estimate), kappa, percent(item.judged.estimate),
            percent(item.corrected.estimate) if item.corrected else "refused", _ends(item.corrected) if item.corrected else "",
        )  # fmt: skip
    yield table
    reasons = list(dict.fromkeys(item.refused for item in found.policies if item.refused))
    for reason in reasons:
        yield visible(f"Not corrected: {reason}")
    unread = ", ".join(f"{number} {state}" for state, number in found.unread.items()) or "none"
    yield f"The system's replies: {found.unsure} cannot say, {found.failed} without a verdict, not read: {unread}"


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(show_edge=False, pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", no_wrap=not place)
    return table


def _ends(value: Estimate) -> str:
    return interval(value.to_dict())


def _share(value: Estimate) -> str:
    if value.estimate is None:
        return "not known"
    ends = _ends(value)
    return f"{percent(value.estimate)}{f' ({ends})' if ends else ''}, n = {value.n_used}"


def _count(value: Estimate) -> str:
    return "" if value.estimate is None else f"{round(value.estimate * value.n_used)}/{value.n_used}"


def _signed(value: Estimate) -> str:
    return "" if value.estimate is None else f"{100 * value.estimate:+.1f}"


def _bare(value: Estimate) -> str:
    return "-" if value.estimate is None else f"{100 * value.estimate:.1f}"


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    if value < 0.001:
        return "<.001"
    return "1.00" if value >= 0.9995 else f"{value:.3f}".removeprefix("0")
