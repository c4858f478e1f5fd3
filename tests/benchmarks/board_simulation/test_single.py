"""A single model that plays a board with tools: what it may call, what it is told, what is kept, and what it costs."""

from __future__ import annotations

import pytest
from inspect_ai import eval
from inspect_ai.model import ChatMessageAssistant, GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall

from equipoise.benchmarks.board_scoring import STOPPED, TOOLED
from equipoise.benchmarks.board_simulation.single import CALLS, MOST_CALLS, single_solver
from equipoise.benchmarks.board_simulation.task import board_simulation
from equipoise.benchmarks.board_summary import lines, summaries
from equipoise.boards.demo import demo_cases
from equipoise.boards.discussion_record import DiscussionRecord, Stop
from equipoise.errors import UsageError
from equipoise.evals.logs import convert
from equipoise.outcomes.schema import judgements_table, outcomes_table, problems

LUNG = next(case for case in demo_cases() if case.id == "demo-01")
TOKENS = 10


def said(text, **more):
    output = ModelOutput.from_content("mock", text, **more)
    output.usage = ModelUsage(input_tokens=TOKENS - 1, output_tokens=1, total_tokens=TOKENS)
    return output


def calls(*named):
    """A reply that calls tools: pairs of name and arguments."""
    made = [ToolCall(id=f"c{number}", function=name, arguments=given) for number, (name, given) in enumerate(named)]
    output = ModelOutput.from_message(ChatMessageAssistant(content="", tool_calls=made), stop_reason="tool_calls")
    output.usage = ModelUsage(input_tokens=TOKENS - 1, output_tokens=1, total_tokens=TOKENS)
    return output


def board(turn, conclusion):
    return f"<discussion>\n<turn 1> Medical Oncologist: {turn}\n</discussion>\n<conclusion>{conclusion}</conclusion>"


WRONG = board("I recommend alectinib.", "Alectinib is started. A scan follows in eight weeks.")
RIGHT = board("I recommend osimertinib.", "Osimertinib is started. A scan follows in eight weeks.")


class Scripted:
    """Says these in turn, the last one for ever; keeps what it was sent."""

    def __init__(self, *replies):
        self.left = list(replies)
        self.seen = []
        self.offered = []
        self.choices = []
        self.model = get_model("mockllm/model", custom_outputs=self.answer, config=GenerateConfig(max_retries=0))

    def answer(self, messages, tools, choice, config):
        self.seen.append(list(messages))
        self.offered.append([tool.name for tool in tools])
        self.choices.append(choice)
        found = self.left.pop(0) if len(self.left) > 1 else self.left[0]
        if isinstance(found, Exception):
            raise found
        return said(found) if isinstance(found, str) else found


def play(folder, *replies, tools="auditor", limits=None, **more):
    model = Scripted(*replies)
    task = board_simulation(tools=tools, as_of="2026-06-01", split="train", limit=1, **more)
    (log,) = eval(task, model=model.model, log_dir=str(folder), display="none", fail_on_error=False, **(limits or {}))
    (sample,) = log.samples
    assert sample.id == LUNG.id
    return model, sample, log


def record_of(sample):
    return DiscussionRecord.from_dict(sample.metadata["discussion"])


def test_a_planted_wrong_drug_is_caught_told_and_stands_in_the_record(tmp_path):
    """Alectinib for EGFR L858R, written by a single model."""
    model, sample, log = play(tmp_path, WRONG, RIGHT)
    told = model.seen[1][-1]
    assert told.role == "user"
    assert 'Recommendation heard: "alectinib". Verdict: Unsupported.' in told.text
    assert "ALK fusion is documented as not present" in told.text
    record = record_of(sample)
    assert record.stop is Stop.SINGLE
    assert [(call.regimen, call.verdict, call.told) for call in record.tool_calls] == [
        ("alectinib", "Unsupported", True), ("osimertinib", "Supported", False),
    ]  # fmt: skip
    assert [row["reply"] for row in record.review["replies"]] == [WRONG, RIGHT]
    assert [row["became"] for row in record.review["became"]] == ["followed"]
    assert record.revised
    assert record.kept_unsupported == ()
    assert sample.output.completion == RIGHT
    assert any("Verdict: Unsupported." in message.text for message in sample.messages), "the transcript shows it"
    found = convert([log])
    assert problems("outcomes", outcomes_table(found.outcomes)) == ()
    assert problems("judgements", judgements_table(found.judgements)) == ()
    (row,), (line,) = found.outcomes, found.references
    assert (row["reply"], row["operator"], row["system"]) == (RIGHT, "single+auditor", "mockllm/model (single+auditor)")
    assert line["setting"] == "single+auditor"
    assert line["discussion"]["review"]["second"] == "revised"
    assert line["expected_roles"], "those of the recorded board"
    kept = {item["criterion"]: item for item in found.judgements if item["rubric"] == TOOLED}
    assert {name: kept[name]["points"] for name in ("calls", "audits", "audits-told", "kept-unsupported")} == {
        "calls": 0, "audits": 2, "audits-told": 1, "kept-unsupported": 0,
    }  # fmt: skip
    assert kept["second-look"]["value"] == "revised"
    assert not [item for item in found.judgements if item["rubric"] == STOPPED]


def test_a_board_that_keeps_a_wrong_drug_says_so_in_its_record(tmp_path):
    _, sample, _ = play(tmp_path, WRONG, "KEEP")
    record = record_of(sample)
    assert (record.kept_unsupported, record.review["second"], record.revised) == (("alectinib",), "kept", False)
    assert sample.output.completion == WRONG


@pytest.mark.parametrize(
    ("second", "state"),
    [
        ("I see.", "unparsed"),
        ("", "empty"),
        (said(RIGHT[:80], stop_reason="max_tokens"), "truncated"),
        (said("", stop_reason="content_filter"), "blocked"),
        (ConnectionError("Connection refused"), "error"),
    ],
    ids=["no form", "nothing", "cut", "withheld", "call failed"],
)
def test_a_second_reply_that_cannot_be_read_leaves_the_first_standing_and_is_noted(tmp_path, second, state):
    _, sample, log = play(tmp_path, WRONG, second)
    record = record_of(sample)
    assert record.review["second"] == state
    assert sample.output.completion == WRONG
    assert record.conclusion_state == "ok"
    assert record.kept_unsupported == ("alectinib",)
    assert {row["state"] for row in convert([log]).outcomes} == {"ok"}
    if state == "error":
        assert record.why == "Connection refused"
        assert not any(call.told for call in record.tool_calls)


def test_a_first_reply_that_cannot_be_read_is_not_asked_for_again(tmp_path):
    model, sample, log = play(tmp_path, "I recommend alectinib.", RIGHT)
    assert len(model.seen) == 1
    assert record_of(sample).review["second"] == "not-asked"
    assert {row["state"] for row in convert([log]).outcomes} == {"unparsed"}


def test_the_model_looks_up_and_asks_and_it_is_counted(tmp_path):
    model, sample, log = play(
        tmp_path,
        calls(("search_evidence", {"query": "osimertinib EGFR"})),
        calls(("audit_regimen", {"regimen": "alectinib"})),
        RIGHT,
        "KEEP",
    )
    assert model.offered[0] == ["search_evidence", "audit_regimen"]
    own = [call for call in record_of(sample).tool_calls if call.role == "model"]
    assert [(call.turn, call.tool, call.verdict, call.told) for call in own] == [
        (0, "evidence", "", False), (0, "audit", "Unsupported", False),
    ]  # fmt: skip
    seen = [message.text for message in model.seen[2] if message.role == "tool"]
    assert "<evidence>" in seen[0]
    assert "label: Unsupported" in seen[1]
    assert sample.output.completion == RIGHT
    assert record_of(sample).tokens == 4 * TOKENS
    found = convert([log])
    (one,) = summaries(found.outcomes, found.judgements)
    assert (one.tool_calls, one.calling, one.audits, one.audits_told) == (2, 1, 1, 1)
    assert "tools: 2 calls in 1 of 1 replies; 1 recommendations audited, 1 of these told" in "\n".join(
        lines({"systems": [one.to_dict()]})
    )


def test_with_look_ups_alone_there_is_no_auditor_and_no_second_message(tmp_path):
    model, sample, log = play(tmp_path, WRONG, RIGHT, tools="evidence")
    assert model.offered == [["search_evidence"]]
    assert sample.output.completion == WRONG
    record = record_of(sample)
    assert (record.tool_calls, record.kept_unsupported) == ((), ())
    assert convert([log]).info.systems == ("mockllm/model (single+evidence)",)


def test_a_model_that_only_ever_calls_tools_is_stopped_and_has_no_reply(tmp_path):
    more = calls(("search_evidence", {"query": "osimertinib"}))
    model, sample, log = play(tmp_path, more, tools="evidence")
    assert len(model.seen) == CALLS["evidence"]
    assert model.choices[-1] == "none"
    assert len(record_of(sample).tool_calls) == MOST_CALLS
    assert {row["state"] for row in convert([log]).outcomes} == {"truncated"}


def test_many_calls_in_one_message_end_at_the_same_bound(tmp_path):
    many = calls(*[("search_evidence", {"query": f"drug {number}"}) for number in range(MOST_CALLS + 3)])
    model, sample, _ = play(tmp_path, many, RIGHT, tools="evidence")
    assert len(record_of(sample).tool_calls) == MOST_CALLS
    refused = [message for message in model.seen[1] if message.role == "tool" and message.error is not None]
    assert len(refused) == 3
    assert all("No calls are left" in message.error.message for message in refused)
    assert sample.output.completion == RIGHT


@pytest.mark.parametrize(
    "told",
    [
        "registry.example/library/gemma:2b does not support tools",
        "No endpoints found that support tool use. Try disabling a tool.",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "Function calling is not enabled for this model",
        "extra fields not permitted: unexpected keyword 'tools'",
        "tools is not supported in this model",
    ],
)
def test_a_provider_that_cannot_pass_tools_on_is_said_plainly_and_is_no_reply(tmp_path, told):
    _, sample, log = play(tmp_path, ValueError(told))
    assert "mockllm/model cannot call tools, its provider says: " in sample.error.message
    assert "ask it with tools=none" in sample.error.message
    assert {row["state"] for row in convert([log]).outcomes} == {"error"}


@pytest.mark.parametrize("told", ["Connection refused", "429 too many requests", "The service is not available"])
def test_another_failure_is_not_taken_for_a_lack_of_tools(tmp_path, told):
    _, sample, _ = play(tmp_path, ValueError(told))
    assert "cannot call tools" not in sample.error.message
    assert told in sample.error.message


def test_a_model_that_calls_no_tool_is_told_of_in_the_summary(tmp_path):
    _, _, log = play(tmp_path, RIGHT, tools="evidence")
    found = convert([log])
    (one,) = summaries(found.outcomes, found.judgements)
    assert (one.tool_calls, one.calling) == (0, 0)
    assert "no reply called a tool" in "\n".join(lines({"systems": [one.to_dict()]}))


def test_a_limit_of_inspect_in_the_second_look_leaves_the_first_reply(tmp_path):
    _, sample, _ = play(tmp_path, WRONG, RIGHT, limits={"token_limit": TOKENS + 5})
    assert sample.limit is not None
    record = record_of(sample)
    assert record.review["second"] == "error"
    assert "token limit of the run" in record.why
    assert sample.output.completion == WRONG


def test_money_that_is_spent_before_the_second_look_is_an_error(tmp_path):
    _, sample, _ = play(tmp_path, WRONG, RIGHT, max_cost=0.000001, price_in=1.0, price_out=1.0)
    assert "is spent" in sample.error.message


def test_a_case_the_auditor_cannot_assess_is_told_as_such(tmp_path):
    model = Scripted(board("I recommend olaparib.", "Olaparib is given. She comes back in May."), "KEEP")
    task = board_simulation(tools="auditor", as_of="2026-06-01", limit=1)
    (log,) = eval(task, model=model.model, log_dir=str(tmp_path), display="none")
    told = model.seen[1][-1].text
    assert "Not assessed, neither for nor against: " in told
    assert "Unsupported" not in told
    record = record_of(log.samples[0])
    assert (record.kept_unsupported, record.kept_open) == ((), ("olaparib",))


def test_the_plain_setting_is_asked_as_before():
    plain, tooled = board_simulation(limit=1), board_simulation(limit=1, tools="auditor", as_of="2026-06-01")
    facts, more = plain.metadata["equipoise"], tooled.metadata["equipoise"]
    assert "board" not in facts
    assert more["board"] == {"tools": "auditor", "as_of": "2026-06-01", "jurisdiction": "US", "policy": "label"}
    assert facts["prompt_hash"] != more["prompt_hash"]
    assert facts["dataset_hash"] == more["dataset_hash"]
    assert (plain.dataset[0].metadata["calls"], tooled.dataset[0].metadata["calls"]) == (1, CALLS["auditor"])
    assert tooled.dataset[0].input[0].text.startswith(plain.dataset[0].input[0].text)
    assert plain.dataset[0].input[1].text == tooled.dataset[0].input[1].text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"tools": "none"}, "expected evidence or auditor"),
        ({"tools": "auditor"}, "give as_of"),
        ({"tools": "all"}, "expected one of none, evidence, auditor"),
        ({"as_of": "2026-06-01", "max_cost": 1.0}, "prices"),
    ],
)
def test_a_wrong_argument_is_one_clear_line(arguments, words):
    with pytest.raises(UsageError, match=words):
        single_solver(**arguments)
