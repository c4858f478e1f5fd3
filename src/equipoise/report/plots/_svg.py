"""What every figure shares: escaping, the frame with title and description, the table of the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from equipoise.report.inert import inert
from equipoise.report.numbers import Rate

WIDTH = 680
"""Width of the drawing area in CSS pixels: an A4 page with 15 mm margins."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a figure's table.

    Attributes:
        text: what is printed.
        head: whether it is the head of its row.
        attributes: further attributes as they stand in the tag, already escaped; empty for none.
    """

    text: str
    head: bool = False
    attributes: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn figure with the table of the same numbers.

    Attributes:
        key: identifier on the page; every id of the figure begins with it.
        kind: heatmap, plane, forest, states, risk-coverage or bars.
        title: what is shown, in one line.
        description: the finding with its numbers, for readers who do not see the drawing.
        svg: the drawing.
        head: heads of the table's columns.
        rows: rows of the table.
        note: a sentence under the table; empty for none.
    """

    key: str
    kind: str
    title: str
    description: str
    svg: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def html(self) -> str:
        """The figure as HTML: caption, drawing, table, note. Everything in it is escaped."""
        head = "".join(f'<th scope="col">{safe_text(name)}</th>' for name in self.head)
        rows = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in self.rows)
        note = f'<p class="note">{safe_text(self.note)}</p>' if self.note else ""
        return (
            f'<figure class="plot" data-figure="{self.kind}" id="{self.key}">'
            f"<figcaption>{safe_text(self.title)}</figcaption>{self.svg}"
            f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}</figure>'
        )


def _cell(cell: Cell) -> str:
    tag, scope = ("th", ' scope="row"') if cell.head else ("td", "")
    extra = f" {cell.attributes}" if cell.attributes else ""
    return f"<{tag}{scope}{extra}>{safe_text(cell.text)}</{tag}>"


def safe_text(text: str) -> str:
    """Text made inert and escaped for HTML and SVG, attribute values included."""
    return escape(inert(text), quote=True)


def frame(key: str, height: float, title: str, description: str, body: Sequence[str], *, defs: str = "") -> str:
    """The `<svg>` element around a drawing; what is drawn is hidden from screen readers, which get title and
    description.

    Args:
        key: identifier of the figure.
        height: height of the drawing in CSS pixels.
        title: one line.
        description: the finding with its numbers.
        body: elements, already escaped.
        defs: patterns, already escaped.
    """
    drawn = "".join(body)
    return (
        f'<svg role="img" aria-labelledby="{key}-title {key}-desc" viewBox="0 0 {WIDTH} {number(height)}"'
        f' width="100%" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{key}-title">{safe_text(title)}</title><desc id="{key}-desc">{safe_text(description)}</desc>'
        f'{f"<defs>{defs}</defs>" if defs else ""}<g aria-hidden="true">{drawn}</g></svg>'
    )


def number(value: float) -> str:
    """A coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text(x: float, y: float, words: str, css: str = "label", *, anchor: str = "start") -> str:
    """A line of text.

    Args:
        x: anchor in pixels.
        y: base line in pixels.
        words: what is written; escaped here.
        css: classes: label, tick, strong, muted, ink, white.
        anchor: start, middle or end.
    """
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{number(x)}" y="{number(y)}" class="{css}"{where}>{safe_text(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    """A straight line with the classes of `css`: grid, axis, interval, cap, reference."""
    return f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" class="{css}"/>'


def rect(x: float, y: float, width: float, height: float, css: str = "", *, fill: str = "") -> str:
    """A rectangle filled by class, or by a pattern's id."""
    paint = f' fill="url(#{fill})"' if fill else ""
    style = f' class="{css}"' if css else ""
    size = f'width="{number(width)}" height="{number(height)}"'
    return f'<rect x="{number(x)}" y="{number(y)}" {size}{style}{paint}/>'


def marker(x: float, y: float, shape: str, css: str, *, filled: bool) -> str:
    """A marker of 9 pixels; open when it stands for few cases or for a constant system.

    Args:
        x: middle in pixels.
        y: middle in pixels.
        shape: circle, square, triangle or diamond.
        css: class of the series.
        filled: whether it is filled.
    """
    classes = f"marker {css}{'' if filled else ' open'}"
    if shape == "circle":
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="4.5" class="{classes}"/>'
    if shape == "square":
        return rect(x - 4.5, y - 4.5, 9, 9, classes)
    corners = {
        "triangle": ((0, -5), (5, 4), (-5, 4)),
        "diamond": ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)),
    }[shape]
    points = " ".join(f"{number(x + dx)},{number(y + dy)}" for dx, dy in corners)
    return f'<polygon points="{points}" class="{classes}"/>'


SHAPES: tuple[str, ...] = ("circle", "square", "triangle")
"""Markers of systems in order; the diamond is kept for constant systems."""


def wrapped(words: str, length: int, lines: int = 2) -> list[str]:
    """Text in at most `lines` lines of about `length` characters, broken at spaces, "/" or "-".

    A longer text keeps its beginning and its end, with "…" before the end: names of systems differ there.

    Args:
        words: text of one line.
        length: characters a line holds.
        lines: most lines.
    """
    parts: list[str] = []
    rest = words
    while rest and len(parts) < lines:
        if len(rest) <= length:
            parts.append(rest)
            return parts
        cut = max(rest.rfind(mark, 0, length) for mark in " /-") + 1
        cut = cut if cut >= max(2, length // 4) else length
        parts.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    if rest:
        end = words[-(length - 1) :]
        marks = [end.find(mark, 0, length // 2) for mark in " /-"]
        parts[-1] = "…" + end[max(marks) + 1 :].lstrip()
    return parts


RATE_COLUMNS: tuple[str, ...] = ("events", "n used", "%", "95 % low", "95 % high", "left out", "interval")
"""Heads of the columns that `rate_cells` fills."""


def rate_cells(value: Rate) -> list[Cell]:
    """A rate as cells of a table; the linter finds it by its attributes."""
    estimate, low, high = value.bounds
    tag = f'data-rate="{value.key}" data-left-out="{value.left_out}" data-n="{value.n}"'
    cells = [Cell(str(value.events)), Cell(str(value.n)), Cell(estimate or "n below 10", attributes=tag)]
    method = Cell(value.method if estimate else "counts only", attributes="data-method")
    return [*cells, Cell(low), Cell(high), Cell(str(value.left_out)), method]


def row_head(name: str, *, constant: bool = False) -> Cell:
    """The head of a row that carries a name from outside: quoted, so that it is no string of ours."""
    return Cell(name, head=True, attributes='data-quote class="constant"' if constant else "data-quote")
