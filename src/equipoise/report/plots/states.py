"""What became of every case: answers that could be read, and each way in which one could not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equipoise.report.plots._svg import Cell, Figure, frame, line, rect, row_head, text, wrapped

STATES: tuple[str, ...] = ("ok", "empty", "blocked", "truncated", "unparsed", "error", "no prediction")
"""States of a reply, in the order they are drawn; the last is a case that the predictions do not name."""

_LEFT, _ROW, _TOP = 160.0, 34.0, 30.0


def states(key: str, rows: Sequence[tuple[str, Mapping[str, int]]]) -> Figure:
    """Draw one bar of 100 % a system, cut by reply state; the states differ by pattern, not by hue.

    Args:
        key: identifier on the page.
        rows: (system, count by state); absent states count 0.

    Raises:
        ValueError: a state is none of `STATES`.
    """
    unknown = sorted({state for _, counts in rows for state in counts} - set(STATES))
    if unknown:
        message = f"unknown reply states: {', '.join(unknown)}"
        raise ValueError(message)
    title = "What became of every case"
    wide = 680 - _LEFT
    body: list[str] = []
    x = _LEFT
    for state in STATES:
        body += [_paint(key, state, x, 4, 14, 12), text(x + 19, 14, state, "tick ink")]
        x += 30 + 6 * len(state)
    for down, (name, counts) in enumerate(rows):
        y = _TOP + down * _ROW
        total = sum(counts.values())
        for index, part in enumerate(wrapped(name, 24)):
            body.append(text(0, y + 17 + 12 * index, part, "label"))
        x = _LEFT
        for state in STATES:
            count = counts.get(state, 0)
            if not count:
                continue
            width = wide * count / total
            body.append(_paint(key, state, x, y + 2, width, 22))
            if width > 34:
                ink = "paper-text" if state == "error" else "on-state" if state == "ok" else "ink halo"
                body.append(text(x + 6, y + 18, str(count), f"label {ink}"))
            x += width
        body.append(line(_LEFT, y, _LEFT, y + 26, "axis"))
    description = "Counts by reply state. " + " ".join(
        f"{name}: {sum(counts.values())} cases, "
        + ", ".join(f"{counts.get(state, 0)} {state}" for state in STATES)
        + "."
        for name, counts in rows
    )
    return Figure(
        key=key,
        kind="states",
        title=title,
        description=description,
        svg=frame(key, _TOP + _ROW * len(rows) + 4, title, description, body, defs=_patterns(key)),
        head=("system", "n", *STATES),
        rows=tuple(
            (
                row_head(name),
                Cell(str(sum(counts.values()))),
                *(Cell(str(counts.get(state, 0))) for state in STATES),
            )
            for name, counts in rows
        ),
        note="What could not be read or answered is counted here and nowhere else; it is never scored as a refusal.",
    )


def _paint(key: str, state: str, x: float, y: float, width: float, height: float) -> str:
    if state in ("ok", "empty", "error", "no prediction"):
        return rect(x, y, width, height, f"state-{state.replace(' ', '-')}")
    return rect(x, y, width, height, "state-outline", fill=f"{key}-{state}")


def _patterns(key: str) -> str:
    strokes = {
        "blocked": '<path d="M-1,7 L7,-1" class="hatch"/>',
        "truncated": '<path d="M3,0 V6" class="hatch"/>',
        "unparsed": '<path d="M-1,7 L7,-1 M-1,-1 L7,7" class="hatch"/>',
    }
    return "".join(
        f'<pattern id="{key}-{state}" width="6" height="6" patternUnits="userSpaceOnUse">{stroke}</pattern>'
        for state, stroke in strokes.items()
    )
