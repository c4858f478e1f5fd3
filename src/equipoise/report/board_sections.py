"""The sections of scores: means with their failures apart, differences and places, decisions, faults, other measures, groups."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.report.board_cells import (
    FEW_WORDS,
    constants_last,
    mean_cell,
    number,
    p_cell,
    place_words,
    places,
    range_cell,
    rests_on,
    stage_of,
)
from equipoise.report.board_contexts import BoardSection
from equipoise.report.measured import signed
from equipoise.report.numbers import FEW
from equipoise.report.plots import Figure
from equipoise.report.plots._svg import Cell, row_head
from equipoise.report.plots.estimates import MOST_ROWS, Dot, estimates
from equipoise.report.redteam_cells import quote, text
from equipoise.report.redteam_contexts import Block, Table
from equipoise.studies.board_audit import BoardAudit, Led
from equipoise.studies.board_compare import FAMILIES, Pair
from equipoise.studies.board_scores import CONSTANTS, BoardMean

FAMILY_TITLES = {
    "systems": "Systems with each other",
    "arms and settings": "Arms and settings of one system",
    "constants": "Each system with the constants",
}
_FLOORED = (
    "Floored: a reply without a readable answer has the lowest points. Scored only: without it. Calls and judgements that failed are "
    "in neither."
)


def leading_means(audit: BoardAudit, led: Led) -> list[BoardMean]:
    """The means of the measure that the comparisons of a benchmark are made on."""
    wanted = (led.benchmark, led.rubric, led.criterion, led.scale, led.judge, "")
    return [
        mean
        for mean in audit.means
        if (mean.benchmark, mean.rubric, mean.criterion, mean.scale, mean.judge, mean.by) == wanted
    ]


def stages(means: Sequence[BoardMean]) -> list[str]:
    """Arms and settings that a model was asked in, single first; those of constants alone only when nothing else was asked."""
    asked = [mean for mean in means if mean.system not in CONSTANTS] or list(means)
    found = {(mean.arm, mean.setting != "single", mean.setting) for mean in asked}
    return [f"{arm}, {setting}" for arm, _, setting in sorted(found)]


def in_stage(means: Sequence[BoardMean], stage: str) -> list[BoardMean]:
    """The systems of a stage, and the constants of its arm beside them."""
    arm = stage.split(", ")[0]
    return constants_last(
        [mean for mean in means if stage_of(mean) == stage or (mean.system in CONSTANTS and mean.arm == arm)]
    )


def means_section(audit: BoardAudit) -> BoardSection:
    """The leading measure of each benchmark, arm and setting apart."""
    blocks = []
    for number_, led in enumerate(audit.led):
        means = leading_means(audit, led)
        for place, stage in enumerate(stages(means)):
            own = in_stage(means, stage)
            by = f", judged by {led.judge}" if led.judge else ", words alone"
            blocks.append(
                Block(
                    title=place_words(led.benchmark, stage),
                    note=f"{led.criterion}, scale {led.scale}{by}. {_FLOORED}",
                    figures=_mean_figures(f"mean-{number_}-{place}", f"Mean {led.criterion}, {stage}", own),
                    table=_mean_table(own),
                )
            )
    return BoardSection(
        id="means",
        title="How close to the recorded board",
        question=f"Mean agreement with what a real board said, with failures apart. {FEW_WORDS}",
        blocks=tuple(blocks),
        absent="" if blocks else "no reply could be measured",
    )


def _mean_figures(key: str, title: str, means: Sequence[BoardMean]) -> tuple[Figure, ...]:
    figures = []
    for place in range(0, len(means), MOST_ROWS):
        part = means[place : place + MOST_ROWS]
        decimals = places(part[0].lowest, part[0].highest)
        figures.append(
            estimates(
                key if not place else f"{key}-{place}",
                title,
                [_dot(mean, decimals) for mean in part],
                ("system", "mean", "95 % low", "95 % high", "worst", "highest possible", "n", "left out", "interval"),
                [_row(mean, decimals) for mean in part],
                what="Floored means; the thick line is the 95 % interval, the thin one what replies without a score leave open.",
                whole=(min(part[0].lowest, part[0].highest), max(part[0].lowest, part[0].highest)),
            )
        )
    return tuple(figures)


def _dot(mean: BoardMean, decimals: int) -> Dot:
    own = mean.floored
    interval = "" if own.low is None else f"({number(own.low, decimals)} to {number(own.high, decimals)})"
    words = (f"{number(own.estimate, decimals)} {interval}".strip(), f"n {own.n_used}")
    outer = None
    if mean.worst is not None and mean.best is not None and mean.worst != mean.best:
        outer = (mean.worst, mean.best)
    return Dot(
        name=mean.system,
        estimate=own.estimate,
        low=own.low,
        high=own.high,
        outer=outer,
        few=own.n_used < FEW,
        words=words if own.estimate is not None else ("none was scored",),
    )


def _row(mean: BoardMean, decimals: int) -> list[Cell]:
    own = mean.floored
    return [
        row_head(mean.system, constant=mean.system in CONSTANTS),
        *(Cell(number(value, decimals)) for value in (own.estimate, own.low, own.high, mean.worst, mean.best)),
        Cell(str(own.n_used)),
        Cell(str(own.n_left_out)),
        Cell(own.method, attributes="data-method"),
    ]


def _mean_table(means: Sequence[BoardMean]) -> Table:
    return Table(
        head=(
            "system",
            "floored",
            "scored only",
            "worst to highest possible",
            "replies",
            "scored",
            "no reply",
            "no verdict",
            "rests on",
        ),
        rows=tuple(
            (
                quote(mean.system),
                mean_cell(mean, "floored"),
                mean_cell(mean, "scored_only"),
                range_cell(mean),
                *map(text, (mean.in_scope, mean.scored, mean.failed_replies, mean.failed_judgements)),
                rests_on(mean),
            )
            for mean in means
        ),
        constants=CONSTANTS,
    )


def compare_section(audit: BoardAudit) -> BoardSection:
    """Places that the tests leave open, and every tested pair."""
    blocks = [block for led in audit.led for block in _places(audit, led)]
    for number_, led in enumerate(audit.led):
        for family in FAMILIES:
            pairs = [pair for pair in audit.pairs if (pair.benchmark, pair.family) == (led.benchmark, family)]
            if pairs:
                blocks.append(_pair_block(f"pairs-{number_}-{FAMILIES.index(family)}", led, family, pairs))
    return BoardSection(
        id="compare",
        title="Who can be told apart",
        question="The same items, floored, in pairs; the test flips the sign of whole recordings, and Holm's adjustment keeps each table.",
        blocks=tuple(blocks),
        absent="" if blocks else "one system in one setting has nothing to be compared with",
    )


def _places(audit: BoardAudit, led: Led) -> list[Block]:
    own = [place for place in audit.places if place.benchmark == led.benchmark and place.of > 1]
    if not own:
        return []
    rows = tuple(
        (quote(item.system), text(item.stage), text(f"{item.low} to {item.high} of {item.of}"))
        for item in sorted(own, key=lambda item: (item.stage, item.low, item.high, item.system))
    )
    open_pairs = [
        f"{pair.first} and {pair.second} ({pair.stage})"
        for pair in audit.pairs
        if (pair.benchmark, pair.family) == (led.benchmark, "systems") and not pair.higher
    ]
    note = f"Not separable: {'; '.join(open_pairs)}." if open_pairs else "Every pair is separable."
    return [
        Block(
            title=f"{place_words(led.benchmark, '')}: places",
            note=f"A place lies between one more than the systems surely above and all but those surely below. {note}",
            table=Table(head=("system", "arm and setting", "place"), rows=rows),
        )
    ]


def _pair_block(key: str, led: Led, family: str, pairs: Sequence[Pair]) -> Block:
    drawn = [pair for pair in pairs if pair.difference.estimate is not None]
    tested = [pair for pair in pairs if pair.p_value is not None]
    why = next((pair.why for pair in pairs if pair.why), "")
    note = f"{led.criterion}, first less second, in points of {led.scale}. Holm over {len(tested)} tests of this table."
    return Block(
        title=f"{place_words(led.benchmark, '')}: {FAMILY_TITLES[family]}",
        note=note + (f" No test: {why}." if why else ""),
        figures=_pair_figures(key, f"{FAMILY_TITLES[family]}: paired differences", drawn),
        table=Table(
            head=(
                "first",
                "second",
                *(["arm and setting"] if family == "systems" else []),
                "higher",
                "p",
                "p by Holm",
                "recordings",
            ),
            rows=tuple(
                (
                    quote(pair.first),
                    quote(pair.second),
                    *([text(pair.stage)] if family == "systems" else []),
                    quote(pair.higher) if pair.higher else text("not tested" if pair.why else "cannot be separated"),
                    p_cell(pair.p_value),
                    p_cell(pair.adjusted_p),
                    text(pair.recordings),
                )
                for pair in pairs
            ),
        ),
    )


def _pair_figures(key: str, title: str, pairs: Sequence[Pair]) -> tuple[Figure, ...]:
    figures = []
    for place in range(0, len(pairs), MOST_ROWS):
        dots, rows = [], []
        for pair in pairs[place : place + MOST_ROWS]:
            own = pair.difference
            name = f"{pair.first} less {pair.second}"
            middle = signed(own.estimate or 0.0, 2)
            ends = ("-", "-") if own.low is None else (signed(own.low, 2), signed(own.high or 0.0, 2))
            words = middle if own.low is None else f"{middle} ({ends[0]} to {ends[1]})"
            dots.append(
                Dot(name=name, estimate=own.estimate, low=own.low, high=own.high, few=own.n_used < FEW, words=(words,))
            )
            cells = [middle, *ends, str(own.n_used), str(own.n_left_out)]
            rows.append([row_head(name), *map(Cell, cells), Cell(own.method, attributes="data-method")])
        figures.append(
            estimates(
                key if not place else f"{key}-{place}",
                title,
                dots,
                ("pair", "points", "95 % low", "95 % high", "items", "left out", "interval"),
                rows,
                what="Mean differences on the items both have, in points; the dashed line is no difference.",
                zero=True,
            )
        )
    return tuple(figures)
