"""Judging a run folder: nothing is judged twice, a cut run goes on, no order matters, failures stay failures."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from inspect_ai.model import get_model

import equipoise.judging.mock  # noqa: F401
from equipoise.errors import InputError, UsageError
from equipoise.evals.budget import Budget, Prices
from equipoise.judging.folder import carry_out, open_folder
from equipoise.judging.journal import JOURNAL_FILE, Journal
from equipoise.judging.panel import Panel
from equipoise.judging.rubric import load_rubric
from equipoise.judging.sources import read_items
from equipoise.judging.step import MOST_FAILURES, Settings, without_other_versions
from equipoise.outcomes.measures import Measure, count
from equipoise.outcomes.run import read_run, write_run
from equipoise.outcomes.schema import problems
from evals_help import output, written


def judge_run(folder, data, models, *, rubric="refusal", panel=None, repeats=1, limit=None, budget=None, settings=None,
              makers=None):  # fmt: skip
    """What the command does: plan, ask, write; gives what was asked and the rows."""
    work = open_folder(
        folder,
        load_rubric(rubric),
        read_items(data),
        list(models),
        panel=panel,
        repeats=repeats,
        limit=limit,
        makers=makers,
    )
    done = carry_out(work, models, budget=budget, settings=settings)
    return done.spent, work.plan, done.run


def mocks(*names):
    return {f"mockjudge/{name}": get_model(f"mockjudge/{name}") for name in names}


def table(run):
    return [tuple(row.values()) for row in run.judgements.to_pylist()]


def test_every_reply_that_can_be_judged_has_a_row_a_judge_and_repeat(demo):
    run, data = demo
    spent, plan, stored = judge_run(run, data, mocks("spread", "malformed"), repeats=2)
    assert problems("judgements", stored.judgements) == ()
    assert (plan.eligible, plan.not_judged) == (17, {"blocked": 1})
    assert spent.judged == 17 * 2 * 2
    assert stored.judgements.num_rows == 17 * 2 * 2
    states = Counter((row["judge"], row["state"]) for row in stored.judgements.to_pylist())
    assert states == {("mockjudge/spread", "ok"): 34, ("mockjudge/malformed", "unparsed"): 34}
    assert (spent.calls, spent.again) == (34 + 2 * 34, 34)
    assert stored.info.arguments["judging"]["refusal"]["hash"] == load_rubric("refusal").hash


def test_the_blocked_reply_is_not_judged_and_stays_in_the_bounds(demo):
    run, data = demo
    _, _, stored = judge_run(run, data, mocks("highest"))
    assert "gpt-4o/q1" not in stored.judgements.column("reply_id").to_pylist()
    assert stored.outcomes.column("state").to_pylist().count("blocked") == 1
    refused = Measure(id="m", event="judged", criterion="refusal", values=("full",), judge="mockjudge/highest")
    assert [item.value for item in count(stored, refused, system="gpt-4o")] == [1] * 5


def test_a_second_start_asks_nothing_and_changes_nothing(demo):
    run, data = demo
    _, _, first = judge_run(run, data, mocks("spread"))
    spent, plan, second = judge_run(run, data, mocks("spread"))
    assert (spent.calls, plan.pending, plan.done) == (0, (), 17)
    assert table(first) == table(second)


def test_the_table_alone_says_what_is_judged(demo):
    """The journal was moved away: the rows stand, and nothing is asked again."""
    run, data = demo
    _, _, first = judge_run(run, data, mocks("spread"))
    (run / JOURNAL_FILE).unlink()
    spent, _, second = judge_run(run, data, mocks("spread"))
    assert spent.calls == 0
    assert table(first) == table(second)


def test_a_further_repeat_and_a_further_judge_ask_only_themselves(demo):
    run, data = demo
    judge_run(run, data, mocks("spread"))
    assert judge_run(run, data, mocks("spread"), repeats=2)[0].calls == 17
    assert judge_run(run, data, mocks("spread", "lowest"))[0].calls == 17
    assert judge_run(run, data, mocks("spread"), rubric="helpfulness")[0].calls == 17


def test_a_limit_and_then_the_rest_is_the_same_as_all_at_once(tools, tmp_path):
    first, data = tools.demo(tmp_path / "a")
    second, _ = tools.demo(tmp_path / "b")
    models = mocks("spread", "second-try")
    panel = Panel(id="p", judges=tuple(models), rule="majority")
    assert judge_run(first, data, models, panel=panel, limit=4)[0].judged == 8
    partly = judge_run(first, data, models, panel=panel)[2]
    assert table(partly) == table(judge_run(second, data, models, panel=panel)[2])


def test_the_order_of_replies_and_judges_changes_no_verdict(tools, tmp_path):
    first, data = tools.demo(tmp_path / "a")
    straight = judge_run(first, data, mocks("spread", "lowest"), repeats=2)[2]
    rows = tools.rows()
    random.Random(3).shuffle(rows)
    second = write_run(tmp_path / "b", read_run(first).info, rows)
    mixed = judge_run(second, data, mocks("lowest", "spread"), repeats=2)[2]
    assert sorted(map(str, table(mixed))) == sorted(map(str, table(straight)))


def test_other_judgements_of_the_run_are_kept_as_they_stand(demo):
    run, data = demo
    read = read_run(run)
    human = {
        "reply_id": "gpt-4o/q0", "run": "r1", "judge": "clinician", "rubric": "other", "rubric_hash": "h", "scale": "s",
        "scale_hash": "h", "criterion": "c", "repeat": 1, "value": "yes", "state": "ok",
    }  # fmt: skip
    write_run(run, read.info, read.outcomes, [human])
    _, _, stored = judge_run(run, data, mocks("spread"))
    kept = [row for row in stored.judgements.to_pylist() if row["judge"] == "clinician"]
    assert [(row["value"], row["rubric"]) for row in kept] == [("yes", "other")]
    assert stored.judgements.num_rows == 18


def test_calls_that_come_to_nothing_are_errors_and_are_asked_again(demo):
    run, data = demo
    name = "mockjudge/raises"
    spent, _, stored = judge_run(run, data, {name: get_model(name)})
    assert spent.errors == {(name, "RuntimeError: the service of this judge is down"): 17}
    assert set(stored.judgements.column("state").to_pylist()) == {"error"}
    assert set(stored.judgements.column("value").to_pylist()) == {None}
    spent, plan, stored = judge_run(run, data, {name: get_model("mockjudge/lowest")})
    assert (spent.judged, plan.done) == (17, 0)
    assert set(stored.judgements.column("state").to_pylist()) == {"ok"}


@pytest.mark.parametrize("name", ["malformed", "blocked", "truncated", "empty"])
def test_other_failures_are_verdicts_on_record_and_not_asked_until_one_fits(demo, name):
    run, data = demo
    judge_run(run, data, mocks(name))
    assert judge_run(run, data, mocks(name))[0].calls == 0


@pytest.mark.parametrize("keep_journal", [True, False])
def test_a_state_can_be_asked_again_after_its_fault_was_mended(demo, keep_journal):
    run, data = demo
    name = "mockjudge/truncated"
    judge_run(run, data, mocks("truncated", "malformed"))
    if not keep_journal:
        (run / JOURNAL_FILE).unlink()
    models = {name: get_model("mockjudge/lowest"), "mockjudge/malformed": get_model("mockjudge/lowest")}
    work = open_folder(run, load_rubric("refusal"), read_items(data), list(models), again=["truncated"])
    assert {item.key[1] for item in work.plan.pending} == {name}
    done = carry_out(work, models, settings=Settings(again=("truncated",)))
    states = Counter((row["judge"], row["state"]) for row in done.run.judgements.to_pylist())
    assert states == {(name, "ok"): 17, ("mockjudge/malformed", "unparsed"): 17}
    with pytest.raises(UsageError, match="found 'ok'"):
        open_folder(run, load_rubric("refusal"), read_items(data), [name], again=["ok"])


def test_a_judge_that_only_fails_is_not_asked_to_the_end(tools, tmp_path):
    run, data = tools.demo(tmp_path, items=20)
    asked = []

    def down(text):
        asked.append(1)
        return RuntimeError("down")

    spent, plan, _ = judge_run(run, data, {"j": written(down)}, settings=Settings(connections=1))
    assert len(plan.pending) == 59
    assert (len(asked), spent.not_asked) == (MOST_FAILURES, 59 - MOST_FAILURES)


def test_the_money_ends_the_start_and_the_next_goes_on(demo):
    run, data = demo
    name = "mockjudge/spread"
    prices = Prices(input=1000.0, output=0.0)
    spent, _, stored = judge_run(
        run, data, mocks("spread"), budget=Budget(most=0.5, prices=prices), settings=Settings(connections=1)
    )
    assert spent.cost == pytest.approx(0.5)
    assert (spent.judged, spent.not_asked) == (5, 12)
    assert "budget of 0.5" in spent.stopped
    assert stored.judgements.num_rows == 5
    spent, plan, stored = judge_run(run, data, mocks("spread"))
    assert (plan.done, spent.judged, stored.judgements.num_rows) == (5, 12, 17)
    assert set(stored.judgements.column("judge").to_pylist()) == {name}


def test_an_interruption_keeps_what_was_judged(demo):
    run, data = demo
    asked = []

    def interrupted(text):
        asked.append(1)
        if len(asked) == 4:
            raise KeyboardInterrupt
        return output("no verdict")

    spent, _, stored = judge_run(run, data, {"j": written(interrupted)}, settings=Settings(connections=1, ask_again=0))
    assert spent.stopped == "stopped by the user"
    assert (stored.judgements.num_rows, spent.not_asked) == (3, 14)


def test_equal_questions_are_asked_once(demo):
    """The intent of a prompt is the same for all three models, and blocked replies have one too."""
    run, data = demo
    spent, plan, stored = judge_run(run, data, mocks("spread"), rubric="intent")
    assert (plan.eligible, spent.calls, spent.copied) == (18, 6, 12)
    assert stored.judgements.num_rows == 18
    values = {}
    for row in stored.judgements.to_pylist():
        values.setdefault(row["reply_id"].split("/")[1], set()).add(row["value"])
    assert {len(found) for found in values.values()} == {1}
    assert len(set().union(*values.values())) > 1


def test_an_equal_question_of_an_earlier_start_is_not_asked_again(demo):
    run, data = demo
    assert judge_run(run, data, mocks("spread"), rubric="intent", limit=1)[0].calls == 1
    spent, _, stored = judge_run(run, data, mocks("spread"), rubric="intent")
    assert (spent.calls, spent.copied, stored.judgements.num_rows) == (5, 12, 18)


def test_a_panel_leaves_out_the_maker_and_says_so(demo):
    run, data = demo
    models = {name: get_model("mockjudge/lowest") for name in ("openai/gpt-5", "anthropic/claude-x", "local/own")}
    panel = Panel(id="p", judges=tuple(models), rule="majority")
    spent, plan, stored = judge_run(run, data, models, panel=panel)
    judges = {
        model: {row["judge"] for row in stored.judgements.to_pylist() if row["reply_id"].startswith(model)}
        for model in ("gpt-4o", "claude-3-5-sonnet", "qwen2.5-7b")
    }
    assert judges["gpt-4o"] == {"anthropic/claude-x", "local/own", "panel:p"}
    assert judges["claude-3-5-sonnet"] == {"openai/gpt-5", "local/own", "panel:p"}
    assert judges["qwen2.5-7b"] == {*models, "panel:p"}
    assert spent.calls == 5 * 2 + 6 * 2 + 6 * 3
    told = "\n".join(plan.warnings)
    assert "gpt-4o (openai): openai/gpt-5 left out; 2 judges left" in told
    assert "maker of judge local/own not known" in told


def test_too_few_judges_are_said_before_and_are_no_verdict_after(demo):
    run, data = demo
    models = {name: get_model("mockjudge/lowest") for name in ("openai/gpt-5", "google/gemini-x")}
    panel = Panel(id="p", judges=tuple(models), rule="majority")
    _, plan, stored = judge_run(run, data, models, panel=panel)
    assert any("1 judge left, fewer than the 2 needed" in text for text in plan.warnings)
    rows = [row for row in stored.judgements.to_pylist() if row["judge"] == "panel:p"]
    found = Counter((row["reply_id"].split("/")[0], row["criterion"], row["value"], row["state"]) for row in rows)
    assert found["gpt-4o", "refusal", None, "unparsed"] == 5
    assert found["gpt-4o", "refusal:panel", "too few judges", "ok"] == 5
    assert found["qwen2.5-7b", "refusal", "none", "ok"] == 6


def test_without_a_panel_a_shared_maker_is_a_warning(demo):
    run, data = demo
    _, plan, stored = judge_run(run, data, {"openai/gpt-5": get_model("mockjudge/lowest")})
    assert stored.judgements.num_rows == 17
    assert [text for text in plan.warnings if "same maker (openai)" in text]


def test_a_maker_told_by_the_user_counts(demo):
    run, data = demo
    models = {name: get_model("mockjudge/lowest") for name in ("local/own", "local/other")}
    panel = Panel(id="p", judges=tuple(models), rule="majority", fewest=1)
    _, plan, _ = judge_run(run, data, models, panel=panel, makers={"local/own": "alibaba", "local/other": "meta"})
    assert set(plan.sitting["qwen2.5-7b/q0"]) == {"local/other"}
    assert not [text for text in plan.warnings if "not known" in text]


def test_critical_actions_are_judged_each(demo, tmp_path):
    run, _ = demo
    data = tmp_path / "actions.jsonl"
    actions = [{"id": "er", "text": "Go to the emergency department."}, "Stop the drug."]
    lines = [{"id": f"q{n}", "prompt": "p", "critical_actions": actions if n else []} for n in range(6)]
    data.write_text("".join(json.dumps(line) + "\n" for line in lines))
    _, _, stored = judge_run(run, data, mocks("highest"), rubric="omission-harm")
    found = Counter((row["criterion"], row["value"], row["points"]) for row in stored.judgements.to_pylist())
    assert found == {
        ("omission-harm", "4", 4.0): 17,
        ("critical-action:er", "hit", 1.0): 14,
        ("critical-action:2", "hit", 1.0): 14,
    }


def test_what_was_declared_out_of_scope_is_a_row_out_of_scope(demo, tmp_path):
    run, _ = demo
    data = tmp_path / "scope.jsonl"
    lines = [{"id": f"q{n}", "prompt": "p", "out_of_scope": ["refusal"] if n == 0 else []} for n in range(6)]
    data.write_text("".join(json.dumps(line) + "\n" for line in lines))
    spent, _, stored = judge_run(run, data, mocks("highest"))
    rows = [row for row in stored.judgements.to_pylist() if row["reply_id"].endswith("q0")]
    assert [(row["state"], row["in_scope"], row["value"]) for row in rows] == [("ok", False, None)] * 3
    assert spent.calls == 14


def test_items_without_text_are_counted_and_the_others_judged(demo, tmp_path):
    run, _ = demo
    data = tmp_path / "few.jsonl"
    data.write_text('{"id": "q0", "prompt": "p"}\n')
    spent, plan, _ = judge_run(run, data, mocks("lowest"))
    assert spent.judged == 3
    assert list(plan.without_material.values()) == [14]
    assert "few.jsonl has no item 'q1'" in next(iter(plan.without_material))
    data.write_text('{"id": "z", "prompt": "p"}\n')
    with pytest.raises(InputError, match="has no item 'q0'"):
        judge_run(run, data, mocks("highest"))


def test_another_version_of_a_rubric_does_not_mix(demo, tmp_path):
    run, data = demo
    judge_run(run, data, mocks("lowest"))
    changed = tmp_path / "refusal.yaml"
    text = Path(sys.modules["equipoise.judging"].__file__).with_name("rubrics").joinpath("refusal.yaml").read_text()
    changed.write_text(text.replace('version: "1"', 'version: "2"'))
    with pytest.raises(InputError, match="another version of rubric refusal .*--replace"):
        judge_run(run, data, mocks("lowest"), rubric=changed)
    assert judge_run(run, data, mocks("highest"), rubric=changed)[0].judged == 17
    dropped = without_other_versions(read_run(run), load_rubric(changed), ["mockjudge/lowest"])
    assert set(dropped.judgements.column("judge").to_pylist()) == {"mockjudge/highest"}
    everybody = without_other_versions(read_run(run), load_rubric("refusal"), ["mockjudge/lowest", "mockjudge/highest"])
    assert set(everybody.judgements.column("judge").to_pylist()) == {"mockjudge/lowest"}


def test_people_have_their_own_words_for_a_rubric_and_stay(demo):
    """A human label under the rubric's identifier is what a judge is calibrated on; it is in nobody's way."""
    run, data = demo
    read = read_run(run)
    human = {
        "reply_id": "gpt-4o/q0", "run": "r1", "judge": "human-final", "rubric": "refusal", "rubric_hash": "h", "scale": "s",
        "scale_hash": "h", "criterion": "refusal", "repeat": 1, "value": "full", "state": "ok",
    }  # fmt: skip
    write_run(run, read.info, read.outcomes, [human])
    _, _, stored = judge_run(run, data, mocks("spread"))
    kept = without_other_versions(stored, load_rubric("refusal"), ["mockjudge/spread"])
    assert [row["value"] for row in kept.judgements.to_pylist() if row["judge"] == "human-final"] == ["full"]
    assert kept.judgements.num_rows == 18


def untimed(journal):
    """The entries of a journal without how long each call took, which is all that may differ between two runs."""
    entries = [json.loads(line) for line in journal.splitlines()]
    for entry in entries:
        for attempt in entry["attempts"]:
            assert attempt.pop("seconds") >= 0
    return entries


def test_a_cut_last_line_is_passed_over_and_judged_again(demo):
    run, data = demo
    judge_run(run, data, mocks("spread"))
    before = read_run(run)
    journal = run / JOURNAL_FILE
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-25])
    write_run(run, before.info, before.outcomes, [])
    spent, _, after = judge_run(run, data, mocks("spread"))
    assert spent.judged == 1
    assert table(after) == table(before)
    assert untimed(journal.read_bytes()) == untimed(whole)


def test_a_broken_line_within_is_an_error_with_its_place(demo):
    run, data = demo
    judge_run(run, data, mocks("spread"))
    lines = (run / JOURNAL_FILE).read_text().splitlines()
    for broken in ("not json", '{"judge": "x"}', lines[1].replace('"state":"ok"', '"state":"fine"')):
        (run / JOURNAL_FILE).write_text("\n".join([lines[0], broken, *lines[2:]]) + "\n")
        with pytest.raises(InputError, match="line 2: not a line of the journal"):
            Journal(run)


def test_any_reply_of_a_judge_can_be_kept(demo):
    run, data = demo
    model = written(lambda text: "half \ud83d, \x1b[2J, \u2028 {")
    _, _, stored = judge_run(run, data, {"j": model}, limit=1)
    assert stored.judgements.column("state").to_pylist() == ["unparsed"]
    assert len((run / JOURNAL_FILE).read_bytes().split(b"\n")) == 2
    assert Journal(run).entries


SCRIPT = """
import sys, time
from pathlib import Path
import anyio
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelAPI, ModelOutput, ModelUsage, get_model, modelapi
from equipoise.judging.folder import carry_out, open_folder
from equipoise.judging.rubric import load_rubric
from equipoise.judging.sources import read_items
from equipoise.judging.step import Settings

asked = Path(sys.argv[3])

@modelapi(name="slow")
class Slow(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        code = input[-1].text.rsplit("check code ", 1)[1][:16]
        with asked.open("a") as file:
            file.write(code + "\\n")
        await anyio.sleep(0.05)
        text = '{"nonce": "%s", "verdicts": {"refusal": {"reason": "", "value": "none"}}}' % code
        usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        message = ChatMessageAssistant(content=text)
        return ModelOutput(model="m", choices=[ChatCompletionChoice(message=message, stop_reason="stop")], usage=usage)

work = open_folder(sys.argv[1], load_rubric("refusal"), read_items(sys.argv[2]), ["slow"])
carry_out(work, {"slow": get_model("slow/m")}, settings=Settings(connections=2))
"""


def test_killed_and_gone_on(tools, tmp_path):
    run, data = tools.demo(tmp_path, items=20)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    asked = tmp_path / "asked"

    def start():
        environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
        return subprocess.Popen(
            [sys.executable, script, run, data, asked], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )  # fmt: skip

    killed = start()
    limit = time.monotonic() + 60
    while time.monotonic() < limit and not (asked.exists() and len(asked.read_text().split()) >= 25):
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert read_run(run).judgements.num_rows == 0
    kept = len(Journal(run).entries)
    assert 20 <= kept < 59
    second = start()
    _, errors = second.communicate(timeout=120)
    assert second.returncode == 0, errors[-2000:]
    times = Counter(asked.read_text().split())
    assert len(times) == 59
    assert sum(times.values()) == 59 + sum(1 for number in times.values() if number > 1)
    assert sum(number > 1 for number in times.values()) <= 2
    assert read_run(run).judgements.column("state").to_pylist() == ["ok"] * 59
