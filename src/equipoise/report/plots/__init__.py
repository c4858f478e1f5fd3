"""Figures as inline SVG, one chart a file; each comes with the table of the same numbers."""

from equipoise.report.plots._svg import Cell, Figure
from equipoise.report.plots.arrows import Shift, arrows
from equipoise.report.plots.bars import bars
from equipoise.report.plots.forest import forest
from equipoise.report.plots.heatmap import heatmap
from equipoise.report.plots.plane import Point, plane
from equipoise.report.plots.risk_coverage import Selective, risk_coverage
from equipoise.report.plots.shares import shares
from equipoise.report.plots.states import STATES, states

__all__ = [
    "STATES",
    "Cell",
    "Figure",
    "Point",
    "Selective",
    "Shift",
    "arrows",
    "bars",
    "forest",
    "heatmap",
    "plane",
    "risk_coverage",
    "shares",
    "states",
]
