"""Rates of the tasks on privacy, bias and hallucination: clustered where items repeat, with what could not be read beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.errors import InputError
from equipoise.outcomes.schema import OUTCOME_COLUMNS, ReplyState
from equipoise.redteam.plan import StressArm
from equipoise.statistics import Estimate, cluster_robust_rate, wilson

UNREAD = "empty, blocked, truncated, unparsed or failed"
"""Why a reply is left out."""


def rate(hits: Sequence[bool], clusters: Sequence[str], *, n_left_out: int = 0, why: str = UNREAD) -> Estimate:
    """A share with its interval: Wilson's when every cluster has one item, cluster-robust otherwise.

    Args:
        hits: one an item.
        clusters: cluster of each.
        n_left_out: items that could not be read.
        why: why they could not.

    Returns:
        Estimate from 0 to 1; undefined without an item.
    """
    why = why if n_left_out else ""
    if len(set(clusters)) == len(clusters) or len(set(clusters)) < 2:
        single = len(set(clusters)) < len(clusters)
        found = wilson(sum(hits), len(hits), n_left_out=n_left_out, why_left_out=why)
        if not single:
            return found
        return Estimate(
            estimate=found.estimate, low=None, high=None, method="no interval: all items are of one cluster",
            n_used=found.n_used, n_left_out=n_left_out, why_left_out=why,
        )  # fmt: skip
    return cluster_robust_rate([float(hit) for hit in hits], list(clusters), n_left_out=n_left_out, why_left_out=why)


def one_system(rows: Sequence[Mapping[str, Any]], benchmark: str, system: str | None = None) -> list[dict[str, Any]]:
    """The rows of one system on one benchmark.

    Args:
        rows: rows of the outcomes.
        benchmark: identifier of the benchmark.
        system: the system; the only one of the rows by default.

    Returns:
        Rows with every column of the table; one that a row does not name is None.

    Raises:
        InputError: rows of another benchmark, no row, or several systems and none named.
    """
    other = sorted({str(row["benchmark"]) for row in rows} - {benchmark})
    if other:
        message = f"expected replies of {benchmark}, found {', '.join(other)}"
        raise InputError(message, field="benchmark")
    systems = list(dict.fromkeys(str(row["system"]) for row in rows))
    if system is None and len(systems) > 1:
        message = f"name one of the systems: {', '.join(systems)}"
        raise InputError(message, field="system")
    empty = {column.name: None for column in OUTCOME_COLUMNS}
    kept = [{**empty, **row} for row in rows if system is None or row["system"] == system]
    if not kept:
        message = f"there is no reply of {system}" if system else "there is no reply"
        raise InputError(message, field="system")
    return kept


def refuse_adaptive(rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse rows whose attack was chosen from earlier answers: a worst case is no estimate.

    Raises:
        InputError: there is one.
    """
    if any(row.get("arm") == StressArm.ADAPTIVE for row in rows):
        message = "rows of an adaptive loop are a worst case and cannot be used for an estimate; leave them out"
        raise InputError(message, field="arm")


def is_read(row: Mapping[str, Any]) -> bool:
    """Whether the row carries a result."""
    return row["state"] == ReplyState.OK and row.get("label") is not None


def deciding(judges: Sequence[str]) -> str | None:
    """The judge whose word counts: the panel where there is one, else the only judge; None when that is open."""
    panels = sorted({name for name in judges if name.startswith("panel:")})
    single = sorted({name for name in judges if not name.startswith(("panel:", "rules:"))})
    if len(panels) == 1:
        return panels[0]
    return single[0] if len(single) == 1 and not panels else None
