"""Counts of a whole cut into classes: one bar of 100 % a row, classes told apart by pattern and lightness, not by hue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equipoise.report.plots._svg import Cell, Figure, frame, line, rect, row_head, text, wrapped

_LEFT, _ROW, _KEY = 200.0, 34.0, 18.0
_FILLS: tuple[tuple[str, str, str], ...] = (
    ("heat-5", "", "white"),
    ("heat-3", "", "on-state"),
    ("state-outline", "hatch", "ink halo"),
    ("state-outline", "cross", "ink halo"),
    ("state-outline", "upright", "ink halo"),
    ("state-ok", "", "on-state"),
    ("state-empty", "", "ink"),
    ("state-no-prediction", "", "ink"),
)
"""Class of the fill, pattern, class of a number in it; in the order of the classes: dark, middle, three patterns, grey, two outlines."""


def shares(
    key: str,
    title: str,
    classes: Sequence[str],
    rows: Sequence[tuple[str, Mapping[str, int]]],
    *,
    noun: str,
    note: str = "",
) -> Figure:
    """Draw one bar of 100 % a row, cut by class in a fixed order.

    Args:
        key: identifier on the page.
        title: what is counted.
        classes: names of the classes in order, at most eight; those that count nothing anywhere are left out of the key.
        rows: (name, count by class); absent classes count 0, and a row that counts nothing has no bar.
        noun: what is counted, in the plural ("patients").
        note: a sentence under the table.

    Raises:
        ValueError: more classes than fills, or a row with a class that is none of them.
    """
    unknown = sorted({name for _, counts in rows for name in counts} - set(classes))
    if unknown or len(classes) > len(_FILLS):
        message = f"expected at most {len(_FILLS)} classes and no others, got {', '.join(unknown) or len(classes)}"
        raise ValueError(message)
    shown = [name for name in classes if any(counts.get(name) for _, counts in rows)]
    fills = dict(zip(classes, _FILLS, strict=False))
    body: list[str] = []
    for place, name in enumerate(shown):
        y = 4 + place * _KEY
        body += [_paint(key, fills[name], 0, y, 14, 12), text(20, y + 10, name, "tick ink")]
    top = 12 + len(shown) * _KEY
    wide = 680 - _LEFT
    for down, (name, counts) in enumerate(rows):
        y = top + down * _ROW
        total = sum(counts.values())
        words = wrapped(name, 31)
        for index, part in enumerate(words):
            body.append(text(0, y + 17 - 6 * (len(words) - 1) + 12 * index, part, "label"))
        x = _LEFT
        for one in shown:
            count = counts.get(one, 0)
            if not count:
                continue
            width = wide * count / total
            body.append(_paint(key, fills[one], x, y + 2, width, 22))
            if width > 9 * len(str(count)) + 6:
                body.append(text(x + 5, y + 17, str(count), f"label {fills[one][2]}"))
            x += width
        body.append(line(_LEFT, y, _LEFT, y + 26, "axis"))
    description = f"{title}. " + " ".join(
        f"{name}: {sum(counts.values())} {noun}, "
        + ", ".join(f"{counts[one]} {one}" for one in shown if counts.get(one))
        + "."
        for name, counts in rows
    )
    return Figure(
        key=key,
        kind="shares",
        title=title,
        description=description,
        svg=frame(key, top + _ROW * len(rows) + 4, title, description, body, defs=_patterns(key)),
        head=("", noun, *shown),
        rows=tuple(
            (row_head(name), Cell(str(sum(counts.values()))), *(Cell(str(counts.get(one, 0))) for one in shown))
            for name, counts in rows
        ),
        note=note,
    )


def _paint(key: str, fill: tuple[str, str, str], x: float, y: float, width: float, height: float) -> str:
    css, pattern, _ = fill
    return rect(x, y, width, height, css, fill=f"{key}-{pattern}" if pattern else "")


def _patterns(key: str) -> str:
    strokes = {
        "hatch": '<path d="M-1,7 L7,-1" class="hatch"/>',
        "cross": '<path d="M-1,7 L7,-1 M-1,-1 L7,7" class="hatch"/>',
        "upright": '<path d="M3,0 V6" class="hatch"/>',
    }
    return "".join(
        f'<pattern id="{key}-{name}" width="6" height="6" patternUnits="userSpaceOnUse">{stroke}</pattern>'
        for name, stroke in strokes.items()
    )
