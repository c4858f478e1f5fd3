"""The confusion matrix as a heat map: rows are references, columns are answers, what could not be read stands apart."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.report.plots._svg import Cell, Figure, frame, line, rect, text, wrapped

_LEFT, _CELL, _HIGH, _TOP, _GAP, _COUNT = 118, 84, 44, 58, 12, 38
_MOST_STATES = 3


def heatmap(
    key: str,
    labels: Sequence[str],
    columns: Sequence[str],
    rows: Sequence[Sequence[int]],
    *,
    abstained: Sequence[Sequence[int]] = (),
) -> Figure:
    """Draw a confusion matrix. One scale for all cells: the share of its row.

    Args:
        key: identifier on the page.
        labels: reference labels, which are also the first columns.
        columns: every column: the labels, then the states of what could not be read.
        rows: counts by reference and column; integers.
        abstained: how many of each cell left the decision to a human; empty when not known.

    Raises:
        ValueError: the columns do not begin with the labels, or a row has another length.
    """
    if list(columns[: len(labels)]) != list(labels) or any(len(row) != len(columns) for row in rows):
        message = "columns begin with the labels, and every row has one count a column"
        raise ValueError(message)
    total = sum(sum(row) for row in rows)
    right = sum(rows[index][index] for index in range(len(labels)))
    unread = sum(sum(row[len(labels) :]) for row in rows)
    extra = [index for index in range(len(labels), len(columns)) if any(row[index] for row in rows)]
    states = [(columns[index], [row[index] for row in rows]) for index in extra]
    if not states or len(states) > _MOST_STATES:
        states = [("not read", [sum(row[len(labels) :]) for row in rows])]
    wide = min(72.0, (680 - _LEFT - _CELL * len(labels) - _GAP - _COUNT) / len(states))

    body: list[str] = [text(_LEFT, 14, "answer", "tick muted"), text(0, _TOP - 8, "reference", "tick muted")]
    for place, name in enumerate(labels):
        body += _column_head(_LEFT + _CELL * (place + 0.5), name, 12)
    offset = _LEFT + _CELL * len(labels) + _GAP
    for place, (name, _) in enumerate(states):
        body += _column_head(offset + wide * (place + 0.5), name, int(wide / 5.6), "tick")
    last = offset + wide * len(states)
    body.append(text(last + _COUNT - 4, _TOP - 8, "n", "tick muted", anchor="end"))
    for down, (name, row) in enumerate(zip(labels, rows, strict=True)):
        y = _TOP + down * _HIGH
        n = sum(row)
        words = wrapped(name, 18)
        for index, part in enumerate(words):
            body.append(text(0, y + 27 - 7 * (len(words) - 1) + 14 * index, part, "label"))
        for across in range(len(labels)):
            asked = abstained[down][across] if abstained else None
            body += _square(_LEFT + across * _CELL, y, _CELL, row[across], n, asked, diagonal=across == down)
        for place, (_, counts) in enumerate(states):
            body += _square(offset + place * wide, y, wide, counts[down], n, None, diagonal=False)
        body.append(text(last + _COUNT - 4, y + 27, str(n), "label", anchor="end"))
    height = _TOP + _HIGH * len(labels) + 6
    body.append(line(offset - _GAP / 2, _TOP - 4, offset - _GAP / 2, height - 4, "axis"))

    description = (
        f"Answers by reference label for {total} cases. {right} lie on the diagonal, {unread} could not be read."
    )
    worst = _largest_error(labels, rows)
    description += f" The largest disagreement: {worst}." if worst else " No case lies off the diagonal."
    title = "Reference label against answer"
    head = ("reference", *columns, "n")
    return Figure(
        key=key,
        kind="heatmap",
        title=title,
        description=description,
        svg=frame(key, height, title, description, body),
        head=head,
        rows=(
            *(
                (Cell(name, head=True), *(Cell(str(count)) for count in row), Cell(str(sum(row))))
                for name, row in zip(labels, rows, strict=True)
            ),
            (
                Cell("all", head=True),
                *(Cell(str(sum(row[index] for row in rows))) for index in range(len(columns))),
                Cell(str(total)),
            ),
        ),
        note=f"{right} of {total} on the diagonal (outlined); {unread} could not be read. Small figures in the drawing:"
        " share of the row in percent.",
    )


def _column_head(x: float, name: str, length: int, css: str = "label") -> list[str]:
    words = wrapped(name, max(length, 6))
    return [
        text(x, _TOP - 8 - 13 * (len(words) - 1 - index), part, css, anchor="middle")
        for index, part in enumerate(words)
    ]


def _square(
    x: float, y: float, width: float, count: int, n: int, abstained: int | None, *, diagonal: bool
) -> list[str]:
    share = count / n if n else 0.0
    step = 0 if count == 0 else min(5, 1 + int(share * 5))
    ink = "ink" if step < 4 else "white"
    drawn = [rect(x + 1, y + 1, width - 2, _HIGH - 2, f"heat-{step}{' diagonal' if diagonal else ''}")]
    middle = x + width / 2
    lift = 6 if abstained else 0
    drawn.append(text(middle, y + 22 - lift, str(count), f"strong {ink}", anchor="middle"))
    if n and count:
        drawn.append(
            text(
                middle, y + 35 - lift - (1 if abstained else 0), f"{100 * share:.0f} %", f"tick {ink}", anchor="middle"
            )
        )
    if abstained:
        drawn.append(text(middle, y + 39, f"{abstained} abstain", f"tick {ink}", anchor="middle"))
    return drawn


def _largest_error(labels: Sequence[str], rows: Sequence[Sequence[int]]) -> str:
    pairs = [
        (rows[down][across], labels[down], labels[across])
        for down in range(len(labels))
        for across in range(len(labels))
        if down != across and rows[down][across]
    ]
    if not pairs:
        return ""
    count, reference, answer = max(pairs, key=lambda pair: pair[0])
    return f"{count} with the reference {reference} answered {answer}"
