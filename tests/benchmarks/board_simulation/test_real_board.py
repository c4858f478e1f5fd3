"""A board in which a real language model plays every role: it stops, and what it could not do is reported."""

from __future__ import annotations

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample

from equipoise.benchmarks.board_samples import CASE_KEY
from equipoise.benchmarks.board_simulation.agents import agents_solver
from equipoise.boards.demo import demo_cases
from equipoise.boards.discussion import DiscussionRecord, Stop
from equipoise.boards.discussion_record import AUDITOR_ROLE, DISCUSSION_KEY
from equipoise.evals.refusal_task import REFERENCE_KEY
from equipoise.outcomes.schema import ReplyState
from served_model import MODEL, served

pytestmark = pytest.mark.model

ROLES = ["radiologist", "medical oncologist", "surgeon"]
TURNS = 2


def test_a_board_of_a_small_model_stops_and_accounts_for_every_turn(tmp_path, monkeypatch):
    case = demo_cases()[0]
    with served(tmp_path) as address:
        monkeypatch.setenv("SMOLLM2_API_KEY", "none")
        monkeypatch.setenv("SMOLLM2_BASE_URL", address)
        sample = Sample(
            id=case.id,
            input=case.text,
            metadata={REFERENCE_KEY: {"item": case.id}, CASE_KEY: {"text": case.text, "audit_case": case.audit_case}},
        )
        solver = agents_solver(
            roles=ROLES, max_turns=TURNS, max_tokens_total=30_000, min_speakers=2, max_tokens=80, seed=1, tools="auditor",
            as_of="2026-06-01",
        )  # fmt: skip
        (log,) = eval(
            Task(dataset=MemoryDataset([sample]), solver=solver), model=MODEL, log_dir=str(tmp_path / "logs"),
            display="none", temperature=0.0, max_connections=1,
        )  # fmt: skip
    assert log.status == "success", log.error
    (found,) = log.samples
    record = DiscussionRecord.from_dict(found.metadata[DISCUSSION_KEY])
    lines = found.output.completion.splitlines()
    people = [line for line in lines if line.startswith("<turn") and f"> {AUDITOR_ROLE.title()}: " not in line]
    spoke = [line for line in people if "> Moderator: " not in line]
    assert record.stop in set(Stop)
    assert 1 <= record.turns <= TURNS
    assert len(spoke) + sum(row["role"] != "moderator" for row in record.empty) == record.turns
    assert set(record.silent_roles) == {
        role for role in ROLES if not any(f"> {role.title()}: " in line for line in spoke)
    }
    assert {row["state"] for row in record.empty} <= {state.value for state in ReplyState} - {"ok"}
    assert record.conclusion_state in {state.value for state in ReplyState} | {"not-asked"}
    assert ("<conclusion>" in found.output.completion) == (record.conclusion_state == "ok")
    assert 0 < record.tokens <= 30_000 + 8_192
