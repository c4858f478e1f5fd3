"""Counts as horizontal bars from zero: reasons, undocumented fields."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.report.plots._svg import Cell, Figure, frame, line, rect, row_head, text, wrapped

_LEFT, _ROW, _TOP, _MOST = 200.0, 26.0, 8.0, 12


def bars(key: str, title: str, counts: Sequence[tuple[str, int]], *, noun: str, total: int, note: str = "") -> Figure:
    """Draw counts from zero, largest first; beyond twelve rows the rest is summed as "other".

    Args:
        key: identifier on the page.
        title: what is counted.
        counts: (name, count).
        noun: what a row is ("reason code").
        total: number of verdicts or cases the counts come from; a case may count in several rows.
        note: a sentence under the table.
    """
    ordered = sorted(counts, key=lambda item: (-item[1], item[0]))
    shown = ordered[:_MOST]
    if len(ordered) > _MOST:
        shown.append((f"other ({len(ordered) - _MOST})", sum(count for _, count in ordered[_MOST:])))
    most = max((count for _, count in shown), default=1) or 1
    wide = 680 - _LEFT - 60
    height = _TOP + _ROW * len(shown) + 6
    body: list[str] = []
    for down, (name, count) in enumerate(shown):
        y = _TOP + down * _ROW
        words = wrapped(name, 29)
        for index, part in enumerate(words):
            body.append(text(0, y + 17 - 6 * (len(words) - 1) + 12 * index, part, "label"))
        width = wide * count / most
        body.append(rect(_LEFT, y + 4, width, _ROW - 8, "bar"))
        body.append(text(_LEFT + width + 6, y + 17, str(count), "label"))
    body.append(line(_LEFT, _TOP, _LEFT, height - 6, "axis"))
    description = f"{title}, from {total} in all."
    description += f" Most often: {shown[0][0]}, {shown[0][1]}." if shown else " Nothing to count."
    description += f" {len(ordered)} rows in all." if len(ordered) <= _MOST else " Rare rows are summed as other."
    return Figure(
        key=key,
        kind="bars",
        title=title,
        description=description,
        svg=frame(key, height, title, description, body),
        head=(noun, "count"),
        rows=tuple((row_head(name), Cell(str(count))) for name, count in shown),
        note=f"From {total} in all, {len(ordered)} rows; one may count in several rows." + (f" {note}" if note else ""),
    )
