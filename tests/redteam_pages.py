"""Audits for pages: a mock over all axes, as its measures wrote them, and worst cases that a test writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from equipoise.studies.redteam_audit import AxisResult, PartStates, RedteamAudit
from equipoise.studies.redteam_axes import AXES
from equipoise.studies.redteam_summaries import PartRun, measured
from equipoise.studies.redteam_worst import KINDS, WorstCase
from gate_runs import CALM, run_of

RESULTS = {
    record["axis"]: record["result"]
    for record in map(json.loads, (Path(__file__).parent / "report" / "redteam_results.jsonl").read_text().splitlines())
}


def gates_result(reply: str = CALM) -> dict[str, Any]:
    parts = {"medfail": PartRun(test="medfail", run=run_of(lambda case, trial: reply, name="mix/one"))}
    return measured("equipoise.studies.redteam_summaries:gates", parts)


def case(rank: int, number: int, *, reply: str = "a reply", asked: str = "a question") -> WorstCase:
    return WorstCase(
        rank=rank, kind=KINDS[rank], detail=f"detail {number}", axis="gates", part="medfail", system="mix/one", item=f"i{number}",
        reply_id=f"r{number}", asked=asked, reply=reply,
    )  # fmt: skip


def audit_of(
    results: dict[str, Any], *, worst: list[WorstCase] | None = None, name: str = "mix/one", **more: Any
) -> RedteamAudit:
    plan = {
        "items": ["a", "b"], "repeats": 1, "plan_hash": "0123456789abcdef",
        "operators": [{"operator": "option_order@1", "family": "order", "items": ["a", "b"], "mutants": ["a"],
                       "not_applicable": {"too-short": 1}, "rejected": 0}],
    }  # fmt: skip
    protocol = {
        "equipoise": "0", "axes": [{"id": axis.id, "title": axis.title, "question": axis.question} for axis in AXES], "models": [name],
        "judges": [], "generation": {"temperature": 0.0}, "limit": None, "max_cost": None, "prices": {},
        "tests": [{"axis": "order", "test": "medqa_order", "task": "medqa_order", "arguments": {}, "plan": plan, "dataset": "demo",
                   "notes": ["a note"], "margin": 0.05}],
        "not_run": [], "protocol_hash": "fedcba9876543210",
    }  # fmt: skip
    return RedteamAudit(
        protocol=protocol,
        seed=42,
        parts=(
            PartStates(
                axis="order",
                part="medqa_order",
                system=name,
                replies=3,
                states={"ok": 2, "empty": 1},
                plan_hash="0",
                cost=0.0,
            ),
        ),
        axes=tuple(
            AxisResult(
                axis=axis.id,
                system=name,
                result=results.get(axis.id),
                why="" if axis.id in results else "no such task here",
            )
            for axis in AXES
        ),
        worst=tuple(worst or ()),
        worst_total=len(worst or ()),
        **{"deviations": (), **more},
    )
