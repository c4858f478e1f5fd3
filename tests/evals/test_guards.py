"""A model behind a guard: what is blocked, by whom, and that a guard that fails lets nothing pass."""

from __future__ import annotations

from collections import Counter

import pytest
from inspect_ai import eval as inspect_eval

from equipoise.evals.logs import convert, read_logs
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import judgements_table, outcomes_table, problems
from equipoise.refusal.measures import guard_blocks, joint_audit, replies_of
from guard_mocks import ASKED, FAILING, xstest_file
from stand_in_detector import install


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    install(monkeypatch)
    ASKED.clear()
    FAILING[:] = [True]


def ran(tmp_path, guard=None, model="model", **more):
    log = inspect_eval(
        "equipoise/xstest", model=f"guarded/guardmock/{model}" if guard else f"guardmock/{model}",
        model_args={"guard": f"guardmock/{guard}", **more} if guard else {},
        task_args={"data": str(xstest_file(tmp_path)), "allow_changed": True}, log_dir=str(tmp_path / "logs"),
        max_retries=0, display="none",
    )[0]  # fmt: skip
    found = convert(read_logs([log.location]))
    tables = outcomes_table(found.outcomes), judgements_table(found.judgements)
    assert problems("outcomes", tables[0]) == problems("judgements", tables[1]) == ()
    return Run(info=found.info, outcomes=tables[0], judgements=tables[1])


def states(run):
    return {
        arm: Counter(row["state"] for row in run.outcomes.to_pylist() if row["arm"] == arm)
        for arm in ("benign", "harmful")
    }


def rulings(run):
    return Counter(
        (row["criterion"], row["value"], row["state"], row["judge"])
        for row in run.judgements.to_pylist()
        if row["rubric"] == "guard"
    )


def replies(run):
    return replies_of(run.outcomes, run.judgements)


def rates(run):
    (system,) = joint_audit(replies(run), permutations=100, resamples=50).systems
    return system.main.over_refusal.crude.estimate, system.main.harmful_compliance.crude.estimate


def test_a_guard_that_blocks_all_leaves_the_model_unasked_and_is_named(tmp_path):
    run = ran(tmp_path, "all")
    assert {name for name, _ in ASKED} == {"all"}
    assert states(run) == {"benign": {"blocked": 12}, "harmful": {"blocked": 12}}
    assert rulings(run) == {("guard:input", "block", "ok", "guardmock/all"): 24}
    assert run.info.systems == ("guardmock/model behind guardmock/all (input and output)",)
    rows = run.outcomes.to_pylist()
    assert {(row["provider"], row["model"], row["label"]) for row in rows} == {("guardmock", "model", None)}
    assert rows[0]["reply"] == "Blocked on the input by guardmock/all."
    assert {reply.blocked_by for reply in replies(run)} == {"guardmock/all on the input"}
    assert rates(run) == (1.0, 0.0)
    facts = run.info.arguments["logs"][0]
    assert (facts["guard"], facts["guard_on"], len(facts["guard_hash"]) > 7) == ("guardmock/all", "both", True)


def test_a_guard_that_blocks_nothing_changes_nothing(tmp_path):
    run = ran(tmp_path, "none")
    assert states(run) == {"benign": {"ok": 12}, "harmful": {"ok": 12}}
    assert rulings(run) == {
        ("guard:input", "pass", "ok", "guardmock/none"): 24,
        ("guard:output", "pass", "ok", "guardmock/none"): 24,
    }
    assert rates(run) == rates(ran(tmp_path)) == (0.0, 1.0)
    blocks = guard_blocks(replies(run))
    assert (blocks.benign.blocked.estimate, blocks.harmful.blocked.estimate, blocks.n_failed) == (0.0, 0.0, 0)


@pytest.mark.parametrize(("on", "place"), [("input", "input"), ("output", "output"), ("both", "input")])
def test_a_guard_of_harmful_only_is_right_on_both_arms_wherever_it_stands(tmp_path, on, place):
    run = ran(tmp_path, "harmful-only", guard_on=on)
    assert states(run) == {"benign": {"ok": 12}, "harmful": {"blocked": 12}}
    assert rates(run) == (0.0, 0.0)
    blocks = guard_blocks(replies(run))
    assert (blocks.benign.blocked.estimate, blocks.harmful.blocked.estimate) == (0.0, 1.0)
    assert blocks.harmful.by_place == {place: 12}
    asked = Counter(name for name, _ in ASKED)
    assert asked["model"] == (24 if on == "output" else 12)


def test_a_guard_that_fails_is_an_error_and_never_passes(tmp_path):
    run = ran(tmp_path, "fails", guard_on="input")
    assert states(run) == {"benign": {"error": 12}, "harmful": {"error": 12}}
    assert {name for name, _ in ASKED} == {"fails"}
    assert rulings(run) == {("guard:input", None, "error", "guardmock/fails"): 24}
    assert rates(run) == (None, None)
    blocks = guard_blocks(replies(run))
    assert (blocks.n_failed, blocks.harmful.blocked.estimate) == (24, None)
    assert (blocks.harmful.unruled.low, blocks.harmful.unruled.high) == (0.0, 1.0)


def test_a_guard_that_fails_on_the_reply_gives_no_reply_out(tmp_path):
    run = ran(tmp_path, "fails", guard_on="output")
    assert states(run)["harmful"] == {"error": 12}
    assert rulings(run) == {("guard:output", None, "error", "guardmock/fails"): 24}
    assert not [row for row in run.outcomes.to_pylist() if row["reply"]]


@pytest.mark.parametrize("guard", ["rambles", "cut"])
def test_an_answer_that_is_no_ruling_is_stated_and_nothing_passes(tmp_path, guard):
    run = ran(tmp_path, guard, guard_on="input")
    assert states(run) == {"benign": {"error": 12}, "harmful": {"error": 12}}
    assert rulings(run) == {("guard:input", None, "unparsed", f"guardmock/{guard}"): 24}
    assert guard_blocks(replies(run)).n_failed == 24
    errors = convert(read_logs([next((tmp_path / "logs").glob("*.eval"))])).errors
    (message,) = errors
    assert message.startswith(f"guard guardmock/{guard} gave no ruling on the input:")


def test_a_classifier_gets_the_conversation_as_it_stands_and_its_codes_are_read(tmp_path):
    run = ran(tmp_path, "codes", guard_form="classifier")
    assert states(run) == {"benign": {"ok": 12}, "harmful": {"blocked": 12}}
    assert ("codes", "Stand-in benign 0?") in ASKED
    assert ("codes", "Stand-in benign 0?\nHere is all about it: Stand-in benign 0?") in ASKED
    assert run.info.systems == ("guardmock/model behind guardmock/codes (input and output, classifier)",)


def test_what_a_provider_withholds_is_no_block_of_the_guard(tmp_path):
    path = xstest_file(tmp_path, 3)
    path.write_text(path.read_text().replace("Stand-in harmful 0", "Stand-in withheld 0"))
    log = inspect_eval(
        "equipoise/xstest", model="guarded/guardmock/model", model_args={"guard": "guardmock/harmful-only"},
        task_args={"data": str(path), "allow_changed": True}, log_dir=str(tmp_path / "logs"), display="none",
    )[0]  # fmt: skip
    found = convert(read_logs([log.location]))
    run = Run(info=found.info, outcomes=outcomes_table(found.outcomes), judgements=judgements_table(found.judgements))
    assert states(run)["harmful"] == {"blocked": 3}
    held = [reply for reply in replies(run) if reply.state == "blocked"]
    assert sorted(bool(reply.blocked_by) for reply in held) == [False, True, True]
    (system,) = joint_audit(replies(run), permutations=100, resamples=50).systems
    assert (system.main.harmful_compliance.n_used, system.main.harmful_compliance.left_out) == (2, {"blocked": 1})
    blocks = guard_blocks(replies(run))
    assert (blocks.harmful.blocked.n_used, blocks.harmful.blocked.estimate) == (3, pytest.approx(2 / 3))


def test_tokens_of_model_and_guard_are_counted_once(tmp_path):
    run = ran(tmp_path, "none", guard_on="input")
    assert {(row["tokens_in"], row["tokens_out"]) for row in run.outcomes.to_pylist()} == {(107, 11)}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({}, "expected a guard as PROVIDER/MODEL"), ({"guard": "guardmock/all", "guard_on": "x"}, "input, output, both")],
)
def test_a_wrong_argument_is_a_line_of_inspect(tmp_path, arguments, words):
    from inspect_ai._util.error import PrerequisiteError

    with pytest.raises(PrerequisiteError, match=words):
        inspect_eval(
            "equipoise/xstest", model="guarded/guardmock/model", model_args=arguments,
            task_args={"data": str(xstest_file(tmp_path)), "allow_changed": True}, display="none",
        )  # fmt: skip
