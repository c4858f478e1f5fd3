"""From a reproduced study to the page that shows published figures beside ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from equipoise.ids import content_hash
from equipoise.report.contexts import Fact
from equipoise.report.measured import difference_text, figure_text
from equipoise.report.numbers import FEW, count, listed
from equipoise.report.plots import Figure
from equipoise.report.plots._svg import Cell, row_head
from equipoise.report.plots.estimates import MOST_ROWS, Dot, estimates
from equipoise.report.result_contexts import FigureGroup, Remark, ReproductionPage, SourceFile
from equipoise.studies import missing_info
from equipoise.studies.base import Follows, Reproduction, Row

HEAD: tuple[str, ...] = (
    "figure", "published", "ours", "low", "high", "difference", "does it follow", "n used", "left out",
)  # fmt: skip

FOLLOWS: dict[Follows, str] = {
    Follows.YES: "follows",
    Follows.NO: "does not follow",
    Follows.PARTLY: "only part of the rows is public",
    Follows.NOT_PUBLISHED: "not published",
}
"""Whether a figure follows, in the words of a narrow column."""

_FLOOR = "floor."
_LARGEST_SMALL = 10.0
"""Figures up to this size share an axis; counts, statistics and scores of another size do not."""

_NOTHING = 1e-12
_MARGINS = {"medqa": missing_info.MARGIN}
"""Margins of the kinds of figures that test equivalence, for rows that do not carry theirs."""

_NAMES = {"macro_f1": "macro F1", "medqa": "MedQA", "mcnemar": "McNemar", "ac1": "AC1", "youden": "Youden's J"}


def sentence(result: Reproduction) -> str:
    """The finding of a reproduction in one or two sentences, computed from its rows.

    Args:
        result: the study.
    """
    by = Counter(row.follows for row in result.rows)
    checkable, partly, own = by[Follows.YES] + by[Follows.NO], by[Follows.PARTLY], by[Follows.NOT_PUBLISHED]
    if not checkable and not partly:
        return f"None of the {count(own, 'figure')} has a published one to be checked against."
    parts = []
    if checkable:
        verb = "follows" if by[Follows.YES] == 1 else "follow"
        told = f"{by[Follows.YES]} of {count(checkable, 'published figure')} {verb} from the released rows"
        if by[Follows.NO]:
            told += f"; {by[Follows.NO]} {'do' if by[Follows.NO] > 1 else 'does'} not"
        parts.append(f"{told}.")
    if partly:
        published = count(partly, "more published figure" if checkable else "published figure")
        rest = "rest" if partly > 1 else "rests"
        parts.append(f"{published} {rest} on rows of which only a part is public, and cannot be checked in full.")
    if own:
        parts.append(f"{count(own, 'further figure')} of ours {'were' if own > 1 else 'was'} not published.")
    return " ".join(parts)


def group_name(row: Row) -> str:
    """What the figures of a row's kind are called."""
    kind = row.id.partition(".")[0]
    return _NAMES.get(kind, kind.replace("_", " "))


def grouped(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """The rows by kind, in the order of the first of each.

    Args:
        rows: rows of a study.
    """
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(group_name(row), []).append(row)
    return list(groups.items())


def reproduction_page(result: Reproduction) -> ReproductionPage:
    """The page of a reproduced study.

    Args:
        result: the study.
    """
    from equipoise._version import __version__

    groups: list[FigureGroup] = []
    for name, rows in grouped(result.rows):
        chunks = max(1, -(-len(rows) // MOST_ROWS))
        size = -(-len(rows) // chunks)
        for part in range(chunks):
            title = name if chunks == 1 else f"{name}, {part + 1} of {chunks}"
            groups.append(_group(f"figure-{len(groups) + 1}", title, rows[part * size : (part + 1) * size]))
    by = Counter(row.follows for row in result.rows)
    source = result.source
    return ReproductionPage(
        title=result.title,
        sentence=sentence(result),
        head=(
            Fact("source", source.title),
            Fact("reference", source.reference),
            Fact("rows", source.address),
            Fact("commit", source.commit),
            Fact("licence", source.licence),
        ),
        report_id=content_hash(result.to_dict()),
        counts=tuple(Fact(item.value, str(by[item])) for item in Follows),
        floors=tuple(
            Fact(row.what, f"{figure_text(row.ours)}: {row.adds}" if row.adds else figure_text(row.ours))
            for row in result.rows
            if row.id.startswith(_FLOOR)
        ),
        warnings=(*result.warnings, *_alone(result.rows)),
        groups=tuple(groups),
        files=tuple(
            SourceFile(
                str(item["path"]),
                str(item["sha256"]),
                "the file the figures were checked on" if item["checked"] else "another file than the checked one",
            )
            for item in result.files
        ),
        methods=(Fact("study", result.study), Fact("equipoise", __version__), Fact("seed", str(result.seed))),
    )


def _alone(rows: Sequence[Row]) -> tuple[str, ...]:
    kinds = {row.id.partition(".")[0] for row in rows}
    if "over_refusal" not in kinds or "false_approval" in kinds:
        return ()
    return ("over-refusal stands here without the false approval of the same system; alone, neither half is a result",)


def _group(key: str, name: str, rows: Sequence[Row]) -> FigureGroup:
    labels = dict(zip([row.id for row in rows], shortened([row.what for row in rows]), strict=True))
    alike: dict[tuple[str, str, tuple[str, ...]], list[Row]] = {}
    for row in rows:
        alike.setdefault((row.method or "as released", _adds(row), row.warnings), []).append(row)

    def told(own: Sequence[Row]) -> str:
        if len(own) == 1:
            return own[0].what
        return f"all {len(own)} figures" if len(own) == len(rows) else "; ".join(labels[row.id] for row in own)

    remarks = tuple(Remark(told(own), method, adds, warnings) for (method, adds, warnings), own in alike.items())
    return FigureGroup(name, _figure(key, name, rows, labels), remarks)


def shortened(names: Sequence[str]) -> list[str]:
    """Names without the words that all of them begin and end with; unchanged where nothing would be left of one.

    Args:
        names: phrases.
    """
    words = [name.split() for name in names]
    shortest = min((len(item) for item in words), default=0)
    first = next((at for at in range(shortest) if len({item[at] for item in words}) > 1), shortest)
    last = next((at for at in range(shortest - first) if len({item[-1 - at] for item in words}) > 1), shortest - first)
    kept = [" ".join(item[first : len(item) - last]).strip(" ,:") for item in words]
    return kept if len(names) > 1 and all(kept) and len(set(kept)) == len(set(names)) else list(names)


def _adds(row: Row) -> str:
    left = f"{row.n_left_out} left out: {row.why_left_out}" if row.n_left_out and row.why_left_out else ""
    return "; ".join(part for part in (row.adds, left) if part)


def _figure(key: str, name: str, rows: Sequence[Row], labels: Mapping[str, str]) -> Figure:
    title = f"{name[:1].upper()}{name[1:]}: published and from the released rows"
    if all(row.published is None for row in rows):
        title = f"{name[:1].upper()}{name[1:]}: from the released rows"
    cells = [_cells(row) for row in rows]
    drawn = [row for row in rows if drawable(row)]
    units = Counter(_unit(row) for row in drawn)
    main = max(units, key=lambda unit: units[unit], default="")
    drawn = [row for row in drawn if _unit(row) == main]
    worth = any(row.low is not None or row.published is not None for row in drawn)
    if not worth or 2 * len(drawn) < len(rows):
        return Figure(key, "table", title, "", "", HEAD, tuple(tuple(row) for row in cells))
    differences = any(value < -_NOTHING for row in drawn for value in _values(row))
    values = [value for row in drawn for value in _values(row)]
    share = main == "small" and not differences and max(values) <= 1
    published = any(row.published is not None for row in drawn)
    notes = ["Open diamonds: published. Dots: ours, with interval."] if published else []
    if any(row.n_used is not None and row.n_used < FEW for row in drawn):
        notes.append(f"Open dots: fewer than {FEW} used.")
    if any(_margin(row) for row in drawn):
        notes.append("Grey band: the margin.")
    if left := len(rows) - len(drawn):
        verb = "are" if left > 1 else "is"
        notes.append(f"{count(left, 'figure')} of another unit or without a value {verb} in the table only.")
    return estimates(
        key,
        title,
        [_dot(row, labels[row.id]) for row in drawn],
        HEAD,
        cells,
        what=(
            "Open diamonds are the published figures, dots are ours with their intervals."
            if published
            else "Dots are our figures with their intervals; none was published."
        ),
        zero=differences,
        whole=(0.0, 1.0) if share else None,
        note=" ".join(notes),
    )


def drawable(row: Row) -> bool:
    """Whether a figure can stand on an axis beside others: it has a value, and is neither a count nor a p value.

    Args:
        row: a row of a study.
    """
    return row.ours is not None and row.method != "count" and not _is_p(row)


def _values(row: Row) -> list[float]:
    return [value for value in (row.ours, row.published, row.low, row.high) if value is not None]


def _unit(row: Row) -> str:
    return "small" if all(abs(value) <= _LARGEST_SMALL for value in (row.ours, row.published) if value) else "large"


def row_text(row: Row, value: float | None) -> str:
    """A figure as printed; what arithmetic on binary fractions leaves behind is 0 unless it is a p value.

    Args:
        row: the row.
        value: one of its figures.
    """
    if value is not None and abs(value) < _NOTHING and not _is_p(row):
        return "0"
    return figure_text(value)


def _is_p(row: Row) -> bool:
    return "p" in row.id.split(".")


def _margin(row: Row) -> float | None:
    margin = row.details.get("margin", _MARGINS.get(row.id.partition(".")[0]))
    return float(margin) if isinstance(margin, int | float) else None


def _dot(row: Row, label: str) -> Dot:
    ours = row_text(row, row.ours)
    if row.low is not None and row.high is not None:
        ours += f" ({row_text(row, row.low)} to {row_text(row, row.high)})"
    second = "not published" if row.published is None else f"published {row_text(row, row.published)}"
    margin = _margin(row)
    return Dot(
        name=row.what,
        label=label,
        estimate=row.ours,
        low=row.low,
        high=row.high,
        other=row.published,
        band=None if margin is None else (-margin, margin),
        few=row.n_used is not None and row.n_used < FEW,
        words=(ours, second),
    )


def _cells(row: Row) -> list[Cell]:
    none = "-"
    return [
        row_head(row.what),
        Cell(none if row.published is None else row_text(row, row.published)),
        Cell(row_text(row, row.ours)),
        Cell(none if row.low is None else row_text(row, row.low)),
        Cell(none if row.high is None else row_text(row, row.high)),
        Cell(difference_text(row.difference)),
        Cell(FOLLOWS[row.follows]),
        Cell(none if row.n_used is None else str(row.n_used)),
        Cell(str(row.n_left_out)),
    ]


def missing_text(where: dict[str, object], missing: Sequence[str]) -> str:
    """What a user reads who does not have the data: which files, from where, under which licence.

    Args:
        where: `Study.where_to_get()`.
        missing: paths of the files that are not there.
    """
    source = where["source"]
    files = where["files"]
    assert isinstance(source, dict)
    assert isinstance(files, list)
    lines = [
        f"the data of {where['study']} are not here ({count(len(missing), 'file')} missing: {listed(list(missing))}).",
        f"  get them from  {source['address']}",
        f"  commit         {source['commit']}",
        f"  licence        {source['licence']}",
        f"  reference      {source['reference']}",
        "  put them, under these names, into a folder and name it with --data or in EQUIPOISE_DATA:",
    ]
    for item in files:
        lines += [f"  {item['path']}", f"    from    {item['origin']}", f"    sha256  {item['sha256']}"]
    return "\n".join(lines)
