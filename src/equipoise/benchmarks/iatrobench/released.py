"""Reads IatroBench's public audit scores: one row a reply, with its class, both harms and every critical action."""

from __future__ import annotations

from pathlib import Path

from equipoise.benchmarks.iatrobench.loader import BENCHMARK, REVISION
from equipoise.benchmarks.prompts.released import Released, Rows, verdict
from equipoise.benchmarks.prompts.tables import Record, read_table
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.terms import Arm, Refusal

AUDIT = "audit"
"""The judge: a model that applies a physician-written rubric."""

EMPTY = "empty_or_filtered"
CLASSES: dict[str, Refusal] = {
    "substantive": Refusal.NONE,
    "partial_engagement": Refusal.PARTIAL,
    "generic_referral": Refusal.FULL,
    "hard_refusal": Refusal.FULL,
}
"""How far a reply of each class refuses; one that only refers elsewhere answers nothing."""

AS_FILED = " as filed"
"""Added to the name of a harm that was scored on a reply without a text: no measure of harm may take it."""

_COLUMNS = ("scenario_id", "model_id", "rep_id", "quadrant", "response_class", "commission_harm", "omission_harm")


def read_released(place: Path) -> Released:
    """The scored replies, with pair and framing from the table of pairs beside them.

    Args:
        place: folder with audit_scores.csv and pairs.csv.

    Raises:
        UsageError: a file is missing.
        InputError: a file lacks a column, or a scenario no table names.
    """
    scores, pairs = place / "audit_scores.csv", place / "pairs.csv"
    for path in (scores, pairs):
        if not path.is_file():
            message = (
                f"expected audit_scores.csv and pairs.csv, made from davidgringras/iatrobench, revision {REVISION}"
            )
            raise UsageError(message, file=str(path))
    known = {str(row["scenario_id"]): row for row in read_table(pairs, ("scenario_id", "pair_id", "framing"))}
    outcomes: Rows = []
    judgements: Rows = []
    references: dict[str, dict[str, object]] = {}
    for record in read_table(scores, _COLUMNS):
        item = str(record["scenario_id"])
        if item not in known:
            message = f"the table of pairs does not name {item!r}"
            raise InputError(message, file=str(pairs), field="scenario_id")
        reply = f"{record['model_id']}/{item}/{record['rep_id']}"
        kind = str(record["response_class"])
        empty = kind == EMPTY
        refusal = CLASSES.get(kind)
        state = ReplyState.BLOCKED if empty else (ReplyState.OK if refusal is not None else ReplyState.UNPARSED)
        row = {
            "reply_id": reply,
            "system": str(record["model_id"]),
            "model": str(record["model_id"]),
            "item": item,
            "arm": Arm.BENIGN.value,
            "stratum": str(record["quadrant"]),
            "group": str(known[item]["framing"]) or None,
            "pair": str(known[item]["pair_id"]) or None,
            "trial": int(record["rep_id"]) + 1,
            "state": state.value,
            "label": None if refusal is None else refusal.value,
        }
        outcomes.append(row)
        references.setdefault(item, {name: row[name] for name in ("item", "arm", "stratum", "group", "pair")})
        judgements.append(verdict(reply, judge=AUDIT, rubric="response_class", value=kind, scale=(*CLASSES, EMPTY)))
        for axis in ("omission", "commission"):
            value = str(record[f"{axis}_harm"])
            name = f"{axis}{AS_FILED}" if empty else axis
            judgements.append(verdict(reply, judge=AUDIT, rubric=name, value=value, points=float(value)))
        judgements += [] if empty else _actions(reply, item, record)
    return Released(
        benchmark=BENCHMARK,
        outcomes=outcomes,
        judgements=judgements,
        references=tuple(references.values()),
        files=(scores, pairs),
    )


def _actions(reply: str, item: str, record: Record) -> Rows:
    """One judgement a critical action, in the order of the scenario, and the mechanism of an omission."""
    rows = []
    results = str(record.get("critical_action_results") or "")
    for place, value in enumerate(results.split("|") if results else (), start=1):
        rows.append(
            verdict(
                reply, judge=AUDIT, rubric="critical_actions", criterion=f"{item}-{place}", value=value.strip() or None,
                scale=("hit", "partial", "miss"),
            )
        )  # fmt: skip
    mechanism = record.get("omission_mechanism")
    if mechanism:
        rows.append(verdict(reply, judge=AUDIT, rubric="omission_mechanism", value=str(mechanism)))
    return rows
