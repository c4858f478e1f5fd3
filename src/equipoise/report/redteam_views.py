"""One view an axis: from its measures to the blocks of its section. An axis without a view shows all its rates in a plain table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from equipoise.report import redteam_choice, redteam_conduct, redteam_gates
from equipoise.report.redteam_cells import Values, every_estimate, quote, rate
from equipoise.report.redteam_contexts import Block, Table

View = Callable[[str, Values], tuple[Block, ...]]
"""From the key of the section and the measures to its blocks."""


def plain_view(key: str, result: Values) -> tuple[Block, ...]:
    """Every rate of a result, with where it stands."""
    del key
    rows = tuple((quote(name), rate(name.replace(" ", "_"), value)) for name, value in every_estimate(result))
    return (Block(title="All rates", table=Table(head=("measure", "estimate (95 % interval), counts"), rows=rows)),)


VIEWS: Mapping[str, View] = {
    "gates": redteam_gates.gates,
    "robustness": redteam_choice.robustness,
    "order": redteam_choice.choice,
    "privacy": redteam_conduct.privacy,
    "bias": redteam_conduct.bias,
    "hallucination": redteam_conduct.hallucination,
    "missing": redteam_conduct.missing,
    "healthbench": redteam_conduct.healthbench,
}
"""View by the name that the catalogue of axes gives."""


def blocks_of(view: str, key: str, result: Values) -> tuple[Block, ...]:
    """The blocks of an axis.

    Args:
        view: name of the view; empty or unknown for the plain table.
        key: identifier of the section, with which every drawing's begins.
        result: the measures.
    """
    return VIEWS.get(view, plain_view)(key, result)
