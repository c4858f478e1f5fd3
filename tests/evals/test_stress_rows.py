"""A log of a stress test becomes tables: several replies a sample, each with its own columns and judgements."""

from __future__ import annotations

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate, solver

from equipoise.errors import InputError
from equipoise.evals.logs import FACTS, convert
from equipoise.evals.stress_rows import KIND, REPLIES, Reading, StoredReply
from equipoise.outcomes.schema import ReplyState, judgements_table, outcomes_table, problems

FOUND = Reading(judge="rules:x", rubric="r", criterion="c", scale="yes-no", value="yes", points=1.0, version="1")
TWO = (
    StoredReply(state=ReplyState.OK, reply="A", label="A", columns={"arm": "clean"}, judgements=(FOUND,)),
    StoredReply(state=ReplyState.UNPARSED, reply="?", columns={"arm": "adaptive", "operator": "bait@1", "round": 1}),
)


@scorer(metrics=[accuracy()])
def stored(replies):
    async def score(state: TaskState, target: Target) -> Score:
        del state, target
        return Score(value=1.0, metadata={REPLIES: [item.to_dict() for item in replies]})

    return score


@solver
def failing():
    async def solve(state, generate):
        raise ValueError("the provider is gone")

    return solve


def converted(tmp_path, replies, facts=None, solver=None, setting=""):
    task = Task(
        dataset=MemoryDataset(
            [Sample(id="q1", input="Q?", metadata={"reference": {"item_family": "q1", "expected": "A"}})]
        ),
        solver=solver or generate(),
        scorer=stored(replies),
        continue_on_fail=True,
        metadata={
            FACTS: {
                "kind": KIND,
                "benchmark": "medqa_order",
                "dataset_hash": "d",
                "reader_version": "1",
                "plan": {},
                "setting": setting,
                **(facts or {}),
            }  # fmt: skip
        },
    )
    answer = ModelOutput.from_content("mockllm/model", "A")
    answer.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=[answer])
    logs = eval(task, model=model, log_dir=str(tmp_path), display="none", fail_on_error=False)
    return convert(logs)


def test_every_reply_of_a_sample_is_a_row_with_its_own_columns(tmp_path):
    found = converted(tmp_path, TWO)
    first, second = found.outcomes
    assert (first["arm"], first["label"], first["state"], first["item"], first["expected"]) == (
        "clean",
        "A",
        "ok",
        "q1",
        "A",
    )
    assert (second["arm"], second["label"], second["state"], second["round"]) == ("adaptive", None, "unparsed", 1)
    assert first["item_family"] == second["item_family"] == "q1"
    assert first["reply_id"] != second["reply_id"]
    assert [row["reply_id"] for row in found.judgements] == [first["reply_id"]]
    assert problems("outcomes", outcomes_table(found.outcomes)) == ()
    assert problems("judgements", judgements_table(found.judgements)) == ()
    assert found.info.versions["reader of medqa_order"] == "1"


def test_a_sample_that_failed_is_an_error_with_the_items_columns(tmp_path):
    found = converted(tmp_path, TWO, solver=failing())
    (row,) = found.outcomes
    assert (row["state"], row["reply"], row.get("label"), row["item_family"]) == ("error", None, None, "q1")
    assert found.judgements == ()
    (message,) = found.errors
    assert "the provider is gone" in message


def test_a_setting_is_a_system_of_its_own(tmp_path):
    assert converted(tmp_path, TWO, setting="with a warning").info.systems == ("mockllm/model (with a warning)",)


def test_a_result_of_a_reply_that_failed_is_not_taken(tmp_path):
    found = converted(tmp_path, (StoredReply(state=ReplyState.TRUNCATED, reply="A, bec", label="A"),))
    assert found.outcomes[0]["label"] is None


def test_a_column_that_is_not_the_items_is_refused(tmp_path):
    with pytest.raises(InputError, match="'system'"):
        converted(tmp_path, (StoredReply(state=ReplyState.OK, label="A", columns={"system": "other"}),))


def test_a_log_without_a_plan_is_not_read(tmp_path):
    task = Task(
        dataset=MemoryDataset([Sample(id="q1", input="Q?")]),
        scorer=stored(TWO),
        metadata={FACTS: {"kind": KIND, "benchmark": "medqa_order", "dataset_hash": "d", "reader_version": "1"}},
    )
    logs = eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    with pytest.raises(InputError, match="no task of this package"):
        convert(logs)
