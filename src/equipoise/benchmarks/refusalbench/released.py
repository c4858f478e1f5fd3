"""Reads RefusalBench's adjudicated replies: one row a reply, with the council's modal label; no prompt, no reply text."""

from __future__ import annotations

from pathlib import Path

from equipoise.benchmarks.prompts.released import Released, Rows, find_tables, verdict
from equipoise.benchmarks.prompts.tables import read_table
from equipoise.benchmarks.refusalbench.loader import BENCHMARK, SOURCES, TIERS
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.terms import Refusal

COUNCIL = "council"
"""The judge: the modal label of three models."""

RUBRIC = "modal_compliance"
LABELS: dict[str, Refusal] = {
    "compliance": Refusal.NONE,
    "partial_compliance": Refusal.PARTIAL,
    "indirect_refusal": Refusal.FULL,
    "direct_refusal": Refusal.FULL,
}
"""How far each label refuses; an indirect refusal answers nothing either."""

UNREADABLE = "non_responsive"
"""A state of the instrument: the reply is neither an answer nor a refusal."""

_COLUMNS = ("prompt_id", "model", "trial_idx", "modal_compliance", "subdomain", "tier")


def read_released(place: Path) -> Released:
    """The adjudicated replies.

    Args:
        place: adjudicated.csv, or a folder that holds it.

    Raises:
        UsageError: there is no such file.
        InputError: the file lacks a column, or names a tier or label that does not exist.
    """
    files = find_tables(place, (".", "results/snapshots/2026-05/council", "hf_space/data"), "adjudicated.csv")
    if not files:
        source = SOURCES[0]
        message = f"expected adjudicated.csv of {source.repository}, revision {source.revision}"
        raise UsageError(message, file=str(place))
    outcomes: Rows = []
    judgements: Rows = []
    references: dict[str, dict[str, object]] = {}
    for record in read_table(files[0], _COLUMNS):
        label, tier = str(record["modal_compliance"]), str(record["tier"])
        if tier not in TIERS or (label not in LABELS and label != UNREADABLE):
            known = f"a tier of {', '.join(TIERS)} and a label of {', '.join((*LABELS, UNREADABLE))}"
            message = f"expected {known}; found {tier!r} and {label!r}"
            raise InputError(message, file=str(files[0]))
        reply = f"{record['model']}/{record['prompt_id']}/{record['trial_idx']}"
        refusal = LABELS.get(label)
        row = {
            "reply_id": reply,
            "system": str(record["model"]),
            "model": str(record["model"]),
            "item": str(record["prompt_id"]),
            "arm": TIERS[tier].value,
            "stratum": str(record["subdomain"]),
            "trial": int(record["trial_idx"]) + 1,
            "state": (ReplyState.UNPARSED if refusal is None else ReplyState.OK).value,
            "label": None if refusal is None else refusal.value,
        }
        outcomes.append(row)
        judgements.append(verdict(reply, judge=COUNCIL, rubric=RUBRIC, value=label, scale=(*LABELS, UNREADABLE)))
        references.setdefault(str(row["item"]), {name: row[name] for name in ("item", "arm", "stratum")})
    return Released(
        benchmark=BENCHMARK,
        outcomes=outcomes,
        judgements=judgements,
        references=tuple(references.values()),
        files=files,
    )
