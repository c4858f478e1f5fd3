"""From a run held against a protocol to the page of its decisions, and to its one sentence."""

from __future__ import annotations

from collections import Counter

from equipoise.ids import content_hash
from equipoise.outcomes.gate import Decision, GateResult, LineResult
from equipoise.outcomes.protocol import LineModel, Protocol
from equipoise.report.contexts import Fact
from equipoise.report.measured import points_text, rate_text, signed
from equipoise.report.numbers import FEW, FEWEST_FOR_A_RATE, count, listed
from equipoise.report.plots import Figure
from equipoise.report.plots._svg import Cell, row_head
from equipoise.report.plots.estimates import MOST_ROWS, Dot, estimates
from equipoise.report.result_contexts import GatePage, RequirementRow, ShownRate
from equipoise.statistics.estimate import Estimate

STYLES: dict[Decision, str] = {
    Decision.PASS: "clear",
    Decision.FAIL: "fired",
    Decision.UNDECIDED: "not-assessed",
}
"""Border of a decision; the word says it too."""

UNPARSED: dict[str, str] = {
    "bounds": "decided only if the same with all of them counted for and against",
    "unfavourable": "count against",
    "leave-out": "do not count",
}
"""What is done with replies that could not be read."""

_PLACES = 1


def sentence(result: GateResult) -> str:
    """The finding of a gate, computed from its decisions.

    Args:
        result: the decisions.
    """
    by = Counter(line.decision for line in result.lines)
    told = f"{by[Decision.PASS]} of {count(len(result.lines), 'requirement')} pass"
    if by[Decision.PASS] == 1:
        told += "es"
    for decision, words in ((Decision.FAIL, "fail"), (Decision.UNDECIDED, "undecided")):
        names = [line.id for line in result.lines if line.decision is decision]
        if names:
            told += f"; {words}: {listed(names)}"
    return f"{result.decision.value.upper()}: {told}."


def figure_of(line: LineResult, estimate: Estimate | None, *, margin: bool) -> str:
    """The figure of a line with its interval; empty without one.

    Args:
        line: the line.
        estimate: one of its estimates.
        margin: whether it is a difference from a baseline.
    """
    if estimate is None:
        return ""
    if not margin:
        text = rate_text(estimate, places=_PLACES)
        return text if estimate.estimate is not None else f"{text}, n {estimate.n_used}"
    left = f"; {line.n_failed} left out" if line.n_failed and estimate is line.estimate else ""
    return f"{points_text(estimate, places=_PLACES)}, n {estimate.n_used}{left}"


def gate_page(result: GateResult, protocol: Protocol) -> GatePage:
    """The page of a gate.

    Args:
        result: the decisions.
        protocol: the protocol they come from.
    """
    from equipoise._version import __version__

    asked = {line.id: line for line in protocol.lines}
    return GatePage(
        title=f"{result.system} held against {result.protocol}",
        sentence=sentence(result),
        head=(
            Fact("system", result.system),
            Fact("run", result.run),
            Fact("protocol", f"{result.protocol}, {result.protocol_hash}"),
            Fact("written beforehand", "the run names it" if result.named_by_run else "the run does not name it"),
            *((Fact("baseline", result.baseline),) if result.baseline else ()),
        ),
        report_id=content_hash(result.to_dict()),
        warnings=result.warnings,
        requirements=tuple(_row(line, asked[line.id]) for line in result.lines),
        thresholds=_thresholds(result, asked),
        margins=_margins(result, asked),
        methods=(
            Fact("coverage of the intervals", f"{100 * protocol.level:g} %"),
            Fact("drawn together", protocol.cluster or "replies to one item"),
            Fact("unread replies, unless a line says otherwise", UNPARSED[protocol.unparsed]),
            Fact(
                "rule", "a line passes or fails only with its whole interval on one side; too little data never passes"
            ),
            Fact("equipoise", __version__),
        ),
    )


def _row(line: LineResult, asked: LineModel) -> RequirementRow:
    margin = asked.margin is not None
    text = figure_of(line, line.estimate, margin=margin)
    rate = ShownRate(f"line-{'-'.join(line.id.split())}", text, line.n_read, line.n_failed)
    return RequirementRow(
        name=line.id,
        decision=line.decision.value,
        style=STYLES[line.decision],
        condition=condition(asked),
        margin=margin,
        rate=rate,
        reason=line.reason,
        clusters=line.n_clusters,
        against=figure_of(line, line.against, margin=margin),
        favourable=figure_of(line, line.favourable, margin=margin),
        method=line.estimate.method,
    )


def condition(asked: LineModel) -> str:
    """What a line asks, in words.

    Args:
        asked: the line of the protocol.
    """
    n = f"n at least {asked.minimum_n}"
    if asked.at_least is not None:
        return f"at least {100 * asked.at_least:g} %, {n}"
    if asked.at_most is not None:
        return f"at most {100 * asked.at_most:g} %, {n}"
    side = "below" if asked.higher_is_better else "above"
    return f"not {side} the baseline by {100 * (asked.margin or 0):g} points or more, {n}"


def _thresholds(result: GateResult, asked: dict[str, LineModel]) -> Figure | None:
    rows, dots = [], []
    for line in result.lines:
        wanted, item = asked[line.id], line.estimate
        limit = wanted.at_least if wanted.at_least is not None else wanted.at_most
        if limit is None:
            continue
        ends = [None if value is None else 100 * value for value in (item.estimate, item.low, item.high)]
        shown = None not in ends and item.n_used >= FEWEST_FOR_A_RATE
        middle, low, high = (f"{value:.{_PLACES}f}" if shown and value is not None else "" for value in ends)
        outer = None
        if line.against is not None and line.favourable is not None:
            extremes = (line.against.estimate, line.favourable.estimate)
            if extremes[0] is not None and extremes[1] is not None:
                outer = (100 * min(extremes[0], extremes[1]), 100 * max(extremes[0], extremes[1]))
        side = "at least" if wanted.at_least is not None else "at most"
        told = f"{side} {100 * limit:g}"
        worst, best = (f"{value:.{_PLACES}f}" for value in outer) if outer else ("-", "-")
        cells = (line.decision.value, told, middle or "-", low, high, str(line.n_read), str(line.n_failed), worst, best)
        rows.append([row_head(line.id), *map(Cell, cells)])
        dots.append(
            Dot(
                name=line.id,
                estimate=ends[0] if shown else None,
                low=ends[1] if shown else None,
                high=ends[2] if shown else None,
                outer=outer,
                limit=100 * limit,
                few=line.n_read < FEW,
                words=(
                    f"{line.decision.value}, {told}",
                    f"{middle} ({low} to {high})" if shown else f"n {line.n_read}",
                ),
            )
        )
    if not rows:
        return None
    return estimates(
        "thresholds",
        "Rates against their thresholds",
        dots[:MOST_ROWS],
        ("requirement", "decision", "asked, %", "%", "low", "high", "n used", "left out", "lowest %", "highest %"),
        rows,
        what="Rates as dots with their intervals and, dashed, the threshold of each, in percent.",
        unit="%",
        whole=(0.0, 100.0),
        note=(
            "Dashed: the threshold. Thin grey line: the rate with every unread reply counted for and against."
            + (f" Rows after the first {MOST_ROWS} are in the table only." if len(dots) > MOST_ROWS else "")
        ),
    )


def _margins(result: GateResult, asked: dict[str, LineModel]) -> Figure | None:
    rows, dots = [], []
    for line in result.lines:
        margin, item = asked[line.id].margin, line.estimate
        if margin is None:
            continue
        ends = [None if value is None else 100 * value for value in (item.estimate, item.low, item.high)]
        shown = None not in ends and item.n_used >= FEWEST_FOR_A_RATE
        middle, low, high = (signed(value, _PLACES) if shown and value is not None else "" for value in ends)
        better = "more is better" if asked[line.id].higher_is_better else "less is better"
        told = f"{100 * margin:g} points"
        cells = (line.decision.value, told, better, middle or "-", low, high, str(line.n_read), str(line.n_failed))
        rows.append([row_head(line.id), *map(Cell, cells)])
        dots.append(
            Dot(
                name=line.id,
                estimate=ends[0] if shown else None,
                low=ends[1] if shown else None,
                high=ends[2] if shown else None,
                band=(-100 * margin, 100 * margin),
                few=line.n_read < FEW,
                words=(
                    f"{line.decision.value}, {better}",
                    f"{middle} ({low} to {high})" if shown else f"n {line.n_read}",
                ),
            )
        )
    if not rows:
        return None
    return estimates(
        "margins",
        "Differences from the baseline, in points",
        dots[:MOST_ROWS],
        ("requirement", "decision", "margin", "direction", "points", "low", "high", "pairs used", "left out"),
        rows,
        what="Differences of the run less the baseline with their intervals and, grey, the margin of each, in points.",
        unit="points",
        zero=True,
        note="Grey band: the margin. One line of no difference.",
    )
