"""The task with subjects that always ask, never ask, or ask only when something is gone; with judges, panels and failures."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pytest
from inspect_ai import eval

from equipoise.benchmarks.healthbench.task import demo_items
from equipoise.benchmarks.missing_info.leniency import own_judges
from equipoise.benchmarks.missing_info.planning import planned
from equipoise.benchmarks.missing_info.task import missing_info
from equipoise.errors import InputError
from equipoise.evals.logs import convert
from equipoise.outcomes.schema import judgements_table, outcomes_table, problems
from equipoise.redteam.missing.measures import CONSTANT, missing_measures, underdetermined, underdetermined_rows
from equipoise.redteam.missing.reading import JUDGE
from equipoise.redteam.plan import Plan
from evals_help import output, written
from healthbench_help import reply_of

ASKING, TELLING = "Could you tell me more? How old are you?", "Rest, and drink water."
CASES = 6


def run(tmp_path, subject, grader=None, **arguments):
    roles = {} if grader is None else {"model_roles": {"grader": grader}}
    (log,) = eval(missing_info(**{"cases": CASES, **arguments}), model=written(subject), log_dir=str(tmp_path),
                  display="none", **roles)  # fmt: skip
    found = convert([log])
    assert problems("outcomes", outcomes_table(found.outcomes)) == ()
    assert problems("judgements", judgements_table(found.judgements)) == ()
    return log, found


def measured(found, **options):
    plan = Plan.from_dict(found.info.arguments["logs"][0]["plan"])
    return missing_measures(found.outcomes, found.judgements, plan, system=found.info.systems[0],
                            rng=np.random.default_rng(1), **options)  # fmt: skip


def untouched_texts():
    whole = planned(demo_items(), cases=CASES, repeats=2, seed=42)
    return {spoken(one) for one in whole.askings if "arm" not in one.reference}


def spoken(one):
    return "\n".join(text for _, text in one.turns)


def only_when_gone():
    known = untouched_texts()

    def subject(prompt):
        return TELLING if prompt in known else ASKING

    return subject


@pytest.mark.parametrize(
    ("subject", "confidence", "over_asking", "excess"),
    [(lambda prompt: ASKING, 0, 1, 0), (lambda prompt: TELLING, 1, 0, 0), (None, 0, 0, 1)],
    ids=["always asks", "never asks", "asks when something is gone"],
)
def test_both_failures_stand_side_by_side(tmp_path, subject, confidence, over_asking, excess):
    log, found = run(tmp_path, subject or only_when_gone())
    result = measured(found)
    assert result.judge == JUDGE
    for pair in (result.named, result.cut, *result.by_kind):
        assert (pair.confidence.estimate, pair.over_asking.estimate) == (confidence, over_asking)
        assert pair.excess.estimate == excess
        assert pair.confidence_bounds.low == pair.confidence_bounds.high == confidence
    assert result.untouched.estimate == over_asking
    assert result.noise.estimate == 0
    metrics = log.results.scores[0].metrics
    assert metrics["inappropriate_confidence"].value == confidence
    assert metrics["over_asking"].value == over_asking


def test_systems_that_do_not_look_get_what_is_printed_beside(tmp_path):
    for name, subject in (("always asks", ASKING), ("never asks", TELLING)):
        _, found = run(tmp_path / name.split()[0], lambda prompt, text=subject: text)
        result = measured(found)
        assert CONSTANT[name] == (result.named.confidence.estimate, result.named.over_asking.estimate)
        assert result.named.excess.estimate == 0


def test_a_subject_that_misses_one_fact_shows_it_by_kind(tmp_path):
    good = only_when_gone()
    whole = planned(demo_items(), cases=CASES, repeats=2, seed=42)
    dull = {spoken(one) for one in whole.askings if one.fact == "stage"}

    def subject(prompt):
        return TELLING if prompt in dull else good(prompt)

    _, found = run(tmp_path, subject)
    kinds = {pair.kind: pair for pair in measured(found).by_kind}
    assert kinds["stage"].confidence.estimate == 1
    assert kinds["stage"].excess.estimate == 0
    assert all(pair.confidence.estimate == 0 for name, pair in kinds.items() if name != "stage")
    assert {"allergy", "pregnancy", "renal_function", "time_course", "truncation"} <= set(kinds)


def test_noise_is_what_repeats_differ_by_and_is_no_excess(tmp_path):
    count = iter(range(10_000))
    _, found = run(tmp_path, lambda prompt: ASKING if next(count) % 5 == 0 else TELLING, repeats=4, cases=0)
    result = measured(found)
    assert 0 < result.noise.estimate < 0.6
    assert result.named.excess.low < 0 < result.named.excess.high


def test_rows_are_those_of_the_contract(tmp_path):
    _, found = run(tmp_path, lambda prompt: TELLING)
    rows = found.outcomes
    whole = [row for row in rows if row["arm"] != "attacked"]
    lost = [row for row in rows if row["arm"] == "attacked"]
    plan = Plan.from_dict(found.info.arguments["logs"][0]["plan"])
    assert {(row["arm"], row["trial"]) for row in whole} == {("clean", 1), ("repeat", 2), ("repeat", 3)}
    assert {row["item_family"] for row in rows} == set(plan.items)
    assert len(whole) == 3 * len(plan.items)
    assert len(lost) == sum(len(item.mutants) for item in plan.operators)
    for row in lost:
        value = json.loads(row["operator_parameters"])
        assert value["relation"] == "undefined"
        assert row["parent_item"] == row["item_family"]
        assert row.get("expected") is row.get("label") is None
        assert row["operator"].endswith("@1")
    assert {row["item_set"] for row in rows} == {"conversations", "cases", "notes"}
    by_fact = {(row["item_set"], row["stratum"]) for row in lost}
    assert ("notes", "truncation") in by_fact
    assert ("conversations", "truncation") in by_fact
    assert not any(kind == "cases" and stratum == "truncation" for kind, stratum in by_fact)


def test_the_fact_is_named_or_it_is_not(tmp_path):
    good = only_when_gone()

    def subject(prompt):
        return "Do you have any allergies?" if good(prompt) == ASKING else TELLING

    _, found = run(tmp_path, subject, cases=0)
    rows = {row["reply_id"]: row for row in found.outcomes}
    named = {
        rows[row["reply_id"]]["stratum"]: row["value"] for row in found.judgements if row["criterion"] == "names-fact"
    }
    assert named["allergy"] == "yes"
    assert named["pregnancy"] == "no"
    assert "truncation" not in named
    assert 0 < measured(found).names_fact.estimate < 1


# --- what the audit says of the cases


def script():
    path = Path(__file__).parents[3] / "benchmarks" / "underdetermined.py"
    spec = importlib.util.spec_from_file_location("underdetermined", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_plan_and_the_benchmark_script_count_the_same_underdetermined_cases():
    from equipoise.benchmarks.openmtb.generate import generate

    n, seed = 30, 7
    module = script()
    records = generate(n, seed)
    named = module.by_name(records, seed)
    cut = module.half_turn(records, generate(n, seed, form="note"), seed)
    whole = planned((), cases=n, repeats=1, seed=seed)
    ours = whole.dependence
    assert (ours["records"], ours["notes"]) == (named["decided"], cut["decided"])
    assert ours["checked"] == named["checked"]
    assert ours["drawn"] == named["drawn"]
    assert ours["standings"]["half_turn"] == cut["standing"]
    known = {"underdetermined", "same", "otherwise", "unresolved", "open_before"}
    for fact, count in named["each"].items():
        standings = {name: number for name, number in count.items() if name in known}
        assert ours["standings"].get(f"remove.{fact}", {}) == standings
    shares = underdetermined(ours)
    assert shares.checked.estimate == pytest.approx(named["checked"] / named["decided"])
    assert shares.half_turn.estimate == pytest.approx(cut["standing"]["underdetermined"] / cut["decided"])
    plan = {item.operator.split("@")[0]: item for item in whole.plan.operators}
    assert (
        len({one for name, item in plan.items() if name.startswith("remove.") for one in item.mutants})
        == named["checked"]
    )


def test_the_document_states_the_counts_of_the_plan():
    text = (Path(__file__).parents[3] / "docs" / "missing-information.md").read_text(encoding="utf-8")
    counts = planned((), cases=200, repeats=1, seed=42).dependence
    assert counts["records"] == counts["notes"] == 176
    for number in (
        counts["checked"], counts["standings"]["half_turn"]["underdetermined"], counts["drawn"]["underdetermined"],
    ):  # fmt: skip
        assert f"{number} of 176 = " in text


def test_the_rows_of_a_run_give_the_same_shares(tmp_path):
    _, found = run(tmp_path, lambda prompt: TELLING, cases=12, limit=1)
    kept = found.info.arguments["logs"][0]["dependence"]
    rows = underdetermined_rows(found.outcomes)
    hits, total = rows["half_turn@1"]
    assert total == kept["notes"]
    assert underdetermined(kept).half_turn.estimate == pytest.approx(hits / total)
    named = {name: value for name, value in rows.items() if name.startswith("remove.")}
    assert named
    assert all(hits == total for hits, total in named.values())
    families = {
        row["item_family"] for row in found.outcomes if row.get("item_set") == "cases" and row["arm"] == "attacked"
    }
    assert len(families) == kept["checked"]


# --- judges


def voting(decide):
    """A judge that says yes where a function says so of the reply; a text is its whole answer."""

    def answer(prompt):
        value = decide(reply_of(prompt))
        if not isinstance(value, bool):
            return value
        nonce = re.findall(r"check code ([0-9a-f]{16})", prompt)[-1]
        verdict = {"reason": "r", "value": "yes" if value else "no"}
        return json.dumps({"nonce": nonce, "verdicts": {"recognises": verdict}})

    return written(answer)


def test_one_judge_decides_and_the_rule_stands_beside(tmp_path):
    _, found = run(tmp_path, lambda prompt: ASKING, voting(lambda reply: False), cases=0)
    result = measured(found)
    assert result.judge == "mockllm/model"
    assert (result.named.confidence.estimate, result.named.over_asking.estimate) == (1, 0)
    by_rule = measured(found, judge=JUDGE)
    assert (by_rule.named.confidence.estimate, by_rule.named.over_asking.estimate) == (0, 1)


def test_a_judge_that_fails_is_unread_bounded_and_never_a_no(tmp_path):
    log, found = run(tmp_path, lambda prompt: ASKING, voting(lambda reply: "who knows"), cases=0)
    result = measured(found)
    assert result.named.confidence.estimate is None
    assert result.named.confidence.n_left_out == result.named.n_mutants > 0
    assert (result.named.confidence_bounds.low, result.named.confidence_bounds.high) == (0, 1)
    assert {row["state"] for row in found.judgements if row["judge"] == "mockllm/model"} == {"unparsed"}
    assert log.results.scores[0].scored_samples == 0


def test_a_panel_combines_and_a_judge_of_the_models_own_maker_votes_but_does_not_sit(tmp_path, monkeypatch):
    import equipoise.benchmarks.missing_info.asking as asking

    votes = {"openai/gpt-x": True, "anthropic/claude-x": False, "google/gemini-x": False}
    models = {name: voting(lambda reply, value=value: value) for name, value in votes.items()}
    monkeypatch.setattr(asking, "seated", lambda names: models)
    monkeypatch.setattr(asking, "made_by", lambda name: asking_made_by("openai/gpt-y" if "mockllm" in name else name))
    from equipoise.judging.makers import made_by as asking_made_by

    _, found = run(tmp_path, lambda prompt: TELLING, cases=0, limit=2)
    panel = [row for row in found.judgements if row["judge"] == "panel:majority"]
    assert {row["value"] for row in panel if row["criterion"] == "recognises"} == {"no"}
    assert {row["value"] for row in panel if row["criterion"] == "recognises:panel"} == {"agreed"}
    own = [row for row in found.judgements if row["judge"] == "openai/gpt-x"]
    assert len(own) == len(found.outcomes)
    assert measured(found).judge == "panel:majority"
    votes["anthropic/claude-x"] = True
    models["anthropic/claude-x"] = voting(lambda reply: True)
    _, split = run(tmp_path / "tie", lambda prompt: TELLING, cases=0, limit=2)
    rows = [row for row in split.judgements if row["judge"] == "panel:majority" and row["criterion"] == "recognises"]
    assert {(row["value"], row["state"]) for row in rows} == {(None, "unparsed")}


def test_judges_named_in_the_argument_are_asked(tmp_path):
    _, found = run(
        tmp_path, lambda prompt: TELLING, cases=0, limit=1, judges="mockjudge/highest,mockjudge/lowest,mockjudge/raises"
    )
    by_judge = {
        (row["judge"], row["state"], row["value"]) for row in found.judgements if row["criterion"] == "recognises"
    }
    assert ("mockjudge/highest", "ok", "yes") in by_judge
    assert ("mockjudge/lowest", "ok", "no") in by_judge
    assert ("mockjudge/raises", "error", None) in by_judge
    assert ("panel:majority", "unparsed", None) in by_judge


def test_a_reply_that_failed_is_neither_confident_nor_asking(tmp_path):
    def subject(prompt):
        return output("Rest, and", "max_tokens") if "penicillin" in prompt else ASKING

    _, found = run(tmp_path, subject, cases=0)
    states = [row["state"] for row in found.outcomes]
    assert states.count("truncated") >= 3
    result = measured(found)
    assert result.untouched.n_left_out == 3
    assert result.untouched.estimate == 1
    assert result.named.confidence_bounds.high > result.named.confidence.estimate == 0


def test_a_sample_of_which_every_call_fails_keeps_its_message(tmp_path):
    (log,) = eval(missing_info(cases=0, limit=1), model=written(lambda prompt: ValueError("the line is dead")),
                  log_dir=str(tmp_path), display="none", fail_on_error=False)  # fmt: skip
    found = convert([log])
    assert {row["state"] for row in found.outcomes} == {"error"}
    assert any("the line is dead" in text for text in found.errors)


# --- people


def test_human_labels_correct_each_failure_by_its_own_calibration(tmp_path):
    """A judge that calls a fifth of the confident replies careful: corrected, the rate is that of the people."""
    _, found = run(tmp_path, lambda prompt: TELLING, voting(lambda reply: False), cases=40, repeats=1)
    named = [row["reply_id"] for row in found.outcomes if row["arm"] == "attacked" and row["stratum"] != "truncation"]
    truth = {reply: "no" if place % 2 else "yes" for place, reply in enumerate(named)}
    called = {reply: "yes" if truth[reply] == "yes" or place % 10 == 1 else "no" for place, reply in enumerate(named)}
    judged = [
        {**row, "value": called.get(row["reply_id"], row["value"])}
        for row in found.judgements
        if row["judge"] == "mockllm/model"
    ]
    people = [
        {**judged[0], "reply_id": reply, "judge": "clinician:X", "value": truth[reply]}
        for reply in named[: len(named) // 2]
    ]
    found = dataclasses.replace(found, judgements=(*judged, *people))
    cells = {cell.cell: cell for cell in measured(found, judge="mockllm/model", human="clinician:X").corrected}
    assert set(cells) == {"inappropriate confidence", "over-asking"}
    assert "too few human labels" in cells["over-asking"].refused
    confident = cells["inappropriate confidence"]
    assert confident.refused == ""
    assert confident.calibration.sensitivity == pytest.approx(0.8, abs=0.06)
    assert confident.calibration.specificity == 1
    assert confident.uncorrected.estimate == pytest.approx(0.4, abs=0.05)
    assert confident.corrected.estimate == pytest.approx(0.5, abs=0.08)


def test_a_system_without_a_judge_of_its_maker_cannot_enter_the_leniency_model():
    with pytest.raises(InputError, match="one judge of the maker of 'openai/gpt-x', found 0"):
        own_judges({"openai/gpt-x": {"model": "gpt-x"}}, ["google/gemini-x"])


@pytest.mark.parametrize(("name", "value"), [("repeats", 0), ("cases", -1), ("limit", True)])
def test_numbers_are_checked(name, value):
    from inspect_ai._util.error import PrerequisiteError

    with pytest.raises(PrerequisiteError, match="whole number"):
        missing_info(**{name: value})


# --- run folders


def folder_of(found, place):
    from equipoise.outcomes.run import write_run

    return write_run(place, found.info, found.outcomes, found.judgements)


def test_a_run_folder_gives_the_measures(tmp_path):
    from equipoise.benchmarks.missing_info.summary import lines, summary_of

    _, found = run(tmp_path / "logs", only_when_gone())
    result = summary_of(folder_of(found, tmp_path / "run"))
    (one,) = result.systems
    assert one.named.excess.estimate == 1
    assert result.underdetermined == underdetermined(found.info.arguments["logs"][0]["dependence"])
    assert result.leniency is None
    assert "several systems" in result.no_leniency
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["systems"][0]["judge"] == JUDGE
    told = lines(result.to_dict())
    (named,) = [text for text in told if text.startswith("named facts")]
    assert "0.0 %" in named
    assert "+100" in named
    assert any(text.split()[:2] == ["always", "asks"] for text in told)


def test_a_plan_that_was_changed_after_the_run_is_refused(tmp_path):
    from equipoise.benchmarks.missing_info.summary import summary_of

    _, found = run(tmp_path / "logs", lambda prompt: TELLING, cases=0, limit=1)
    found.info.arguments["logs"][0]["plan"]["repeats"] = 9
    with pytest.raises(InputError, match="changed after the run"):
        summary_of(folder_of(found, tmp_path / "run"))
    found.info.arguments["logs"][0]["plan"] = None
    with pytest.raises(InputError, match="states no plan"):
        summary_of(folder_of(found, tmp_path / "run"))


def test_the_replies_of_a_run_folder_can_be_judged_later_with_what_the_judges_of_the_task_saw(tmp_path):
    from equipoise.benchmarks.openmtb.scoring import write_references
    from equipoise.judging.sources import run_items

    seen = []
    judge = voting(lambda reply: True)
    original = judge.api.outputs

    def spy(messages, *rest):
        seen.append("\n".join(message.text for message in messages))
        return original(messages, *rest)

    judge.api.outputs = spy
    _, found = run(tmp_path / "logs", lambda prompt: TELLING, judge, cases=2, limit=5)
    folder = folder_of(found, tmp_path / "run")
    write_references(folder, found.references)
    items = run_items(folder)
    shown = {re.search(r"\[\[BEGIN \w+ prompt\]\]\n(.*?)\n\[\[END", text, re.DOTALL)[1] for text in seen}
    kept = {items.material_for(row).parts["prompt"] for row in found.outcomes}
    assert kept == shown
    assert any(text.startswith("user: My baby") and "assistant: I am sorry" in text for text in kept)
