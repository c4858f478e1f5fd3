"""The adaptive loop through Inspect: every reply a row, an end at the first wrong one, and the worst case beside its own control."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from equipoise.benchmarks.choice_stress.demo import demo_items
from equipoise.benchmarks.choice_stress.plan import chosen_operators
from equipoise.benchmarks.choice_stress.prompt import prompt_of
from equipoise.benchmarks.das_robustness.task import OPERATORS, das_robustness
from equipoise.errors import UsageError
from equipoise.evals.logs import convert
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import judgements_table, outcomes_table, problems
from equipoise.redteam.measures import benchmarking_gap, robustness
from equipoise.redteam.strategist import POLICY, Attempt, Outcome, next_attack

USABLE = chosen_operators(None, OPERATORS)
ITEMS = {item.id: item for item in demo_items()[:5]}
UNTOUCHED = {prompt_of(item): item for item in ITEMS.values()}


def output(text, stop="stop"):
    made = ModelOutput.from_content("mockllm/model", text, stop_reason=stop)
    made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return made


def path(item, seed=42):
    """Mutants in the order in which the policy tries them while none fools."""
    history = []
    while len(history) < 12:
        mutant = next_attack(item, history, USABLE, seed)
        yield mutant
        history.append(Attempt(chain=tuple(mutant.operator.split("+")), outcome=Outcome.RIGHT))


KNOWN = {
    prompt_of(mutant.item): (mutant, place)
    for item in ITEMS.values()
    for place, mutant in enumerate(path(item), start=1)
}


def model(behave):
    """A model that knows every question; `behave(item_id, round, asked)` says what it does: right, wrong, or a text."""
    asked = Counter()

    def reply(messages, tools, choice, config):
        prompt = messages[-1].text
        asked[prompt] += 1
        if prompt in UNTOUCHED:
            item, key, number = UNTOUCHED[prompt], UNTOUCHED[prompt].key, 0
        else:
            mutant, number = KNOWN[prompt]
            item, key = ITEMS[mutant.parent_id], mutant.item.key
        what = behave(item.id, number, asked[prompt])
        letters = sorted(key) if what == "right" else ["B" if key == {"A"} else "A"]
        return output(f"Answer: {', '.join(letters)}" if what in ("right", "wrong") else what)

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


def run_from(log):
    found = convert([log])
    outcomes, judgements = outcomes_table(found.outcomes), judgements_table(found.judgements)
    assert problems("outcomes", outcomes) == ()
    assert problems("judgements", judgements) == ()
    return Run(info=found.info, outcomes=outcomes, judgements=judgements), found.outcomes


def adaptive(run_task, behave, **more):
    return run_from(run_task("das_robustness", model(behave), limit=5, loop="adaptive", rounds=3, **more))


def of(rows, item, arm):
    return [row for row in rows if row["item_family"] == item and row["arm"] == arm]


def test_rounds_go_on_to_the_first_wrong_reply_and_every_reply_is_a_row(run_task):
    fooled_in = {"demo-01": 1, "demo-02": 3}

    def behave(item, number, asked):
        if item == "demo-05":
            return "wrong"
        return "wrong" if fooled_in.get(item) == number else "right"

    run, rows = adaptive(run_task, behave)
    for item, rounds in (("demo-01", 1), ("demo-02", 3), ("demo-03", 3), ("demo-04", 3), ("demo-05", 0)):
        assert [row["round"] for row in of(rows, item, "adaptive")] == list(range(1, rounds + 1)), item
        assert len(of(rows, item, "clean")) == 1
        assert [row["trial"] for row in of(rows, item, "repeat")] == [2, 3, 4]
    found = robustness(run)
    assert found.operators == ()
    worst = found.adaptive
    # four of five right untouched; two of them fooled: 2/4 of those, 2/5 of all; one in round 1, one in round 3
    assert (worst.rounds, worst.clean_right, worst.clean_wrong) == (3, 4, 1)
    assert (worst.fooled.events, worst.fooled.out_of, worst.fooled_of_all.out_of) == (2, 4, 5)
    assert worst.by_round == (1, 0, 1)
    assert worst.asked == 10
    assert (worst.control.events, worst.control.out_of, worst.excess.estimate) == (0, 4, 0.5)
    assert worst.invalid_choices == 0
    first = next(iter(path(ITEMS["demo-03"])))
    row = of(rows, "demo-03", "adaptive")[0]
    parameters = json.loads(row["operator_parameters"])
    assert (row["operator"], parameters["chosen_by"], parameters["relation"]) == (
        "+".join(first.chain),
        POLICY,
        first.relation.value,
    )


def test_the_control_is_the_chance_that_one_of_as_many_repeats_goes_wrong(run_task):
    def behave(item, number, asked):
        return "wrong" if number == 0 and asked == 3 and item in ("demo-01", "demo-02") else "right"

    worst = robustness(adaptive(run_task, behave)[0]).adaptive
    assert (worst.fooled.events, worst.control.events, worst.control.out_of) == (0, 2, 5)
    assert worst.excess.estimate == pytest.approx(-0.4)
    assert worst.test.details == {"first_only": 0, "second_only": 2}


def test_a_reply_that_cannot_be_read_is_no_wrong_one_and_bounds_the_rate(run_task):
    run, rows = adaptive(
        run_task, lambda item, number, asked: "Well." if number == 2 and item == "demo-04" else "right"
    )
    assert [row["state"] for row in of(rows, "demo-04", "adaptive")] == ["ok", "unparsed", "ok"]
    worst = robustness(run).adaptive
    assert (worst.fooled.events, worst.fooled.out_of, worst.fooled.failed) == (0, 4, 1)
    assert (worst.fooled.lowest, worst.fooled.highest) == (0.0, 0.2)
    assert dict(worst.failed) == {"unparsed": 1}


def test_a_call_that_fails_leaves_one_error_and_no_half_of_a_loop(run_task):
    def behave(item, number, asked):
        if item == "demo-02" and number == 2:
            raise ConnectionError("the service is gone")
        return "right"

    run, rows = adaptive(run_task, behave)
    (row,) = [row for row in rows if row["item_family"] == "demo-02"]
    assert (row["state"], row["arm"]) == ("error", "clean")
    worst = robustness(run).adaptive
    assert (worst.clean_not_read, worst.fooled_of_all.failed, worst.items) == (1, 1, 5)


def test_clean_static_and_worst_accuracy_stand_side_by_side_with_what_they_are(run_task):
    worst, _ = adaptive(run_task, lambda item, number, asked: "wrong" if item == "demo-01" and number == 2 else "right")
    static, _ = run_from(run_task("das_robustness", constant("Answer: A"), limit=5))
    gap = benchmarking_gap(static, worst)
    assert (gap.adaptive.events, gap.adaptive.out_of, gap.rounds) == (4, 5, 3)
    assert (gap.adaptive_control.events, gap.adaptive_control.out_of) == (5, 5)
    assert gap.clean.out_of == 5
    with pytest.raises(Exception, match="different systems or items"):
        benchmarking_gap(run_from(run_task("das_robustness", constant("A"), limit=4, repeats=0))[0], worst)


def constant(text):
    return get_model("mockllm/model", custom_outputs=lambda *parts: output(text), memoize=False)


def adviser(monkeypatch, text):
    """Calls of the strategist or writer are answered with one text; a text that is an error is raised."""
    import equipoise.benchmarks.choice_stress.advisers as module

    prompts = []

    class Adviser:
        async def generate(self, messages):
            prompts.append(messages[-1].text)
            if isinstance(text, Exception):
                raise text
            return output(text)

    monkeypatch.setattr(module, "get_model", lambda name: Adviser())
    return prompts


def test_a_model_as_strategist_is_followed_where_its_choice_is_valid(run_task, monkeypatch):
    prompts = adviser(monkeypatch, '{"operators": ["bait.recency"]}')
    run, rows = run_from(
        run_task("das_robustness", constant("Answer: A"), limit=1, loop="adaptive", rounds=2, strategist="other/model")
    )
    first, second = of(rows, "demo-01", "adaptive")
    assert first["operator"] == "bait.recency@1"
    assert json.loads(first["operator_parameters"])["chosen_by"] == "model:other/model"
    # the same choice again is not valid: counted, and the default policy chooses
    kept = json.loads(second["operator_parameters"])
    assert (kept["chosen_by"], kept["invalid_choices"], kept["invalid_reason"]) == (POLICY, 1, "repeated")
    assert robustness(run).adaptive.invalid_choices == 1
    assert "bait.recency: right" in prompts[1]
    assert prompts[0].count("</question>") == 2


@pytest.mark.parametrize(("said", "why"), [("Anything goes.", "no_form"), (RuntimeError("down"), "call_failed")])
def test_a_strategist_that_says_nothing_usable_is_counted_and_replaced(run_task, monkeypatch, said, why):
    adviser(monkeypatch, said)
    _, rows = run_from(
        run_task("das_robustness", constant("Answer: A"), limit=1, loop="adaptive", rounds=1, strategist="other/model")
    )
    (row,) = of(rows, "demo-01", "adaptive")
    assert json.loads(row["operator_parameters"])["invalid_reason"] == why


def test_a_writers_text_is_used_only_after_the_checks(run_task, monkeypatch):
    good = 'At the desk next door someone reads out the word "Audiometry".'
    for text, writer, refused in ((good, "model:other/model", 0), ("The right answer is testing for HLA.", None, 1)):
        adviser(monkeypatch, text)
        _, rows = run_from(
            run_task("das_robustness", constant("Answer: A"), limit=1, loop="adaptive", rounds=1, writer="other/model",
                     operators="narrative_distraction")
        )  # fmt: skip
        kept = json.loads(of(rows, "demo-01", "adaptive")[0]["operator_parameters"])
        assert json.loads(kept["parameters"]).get("writer") == writer
        assert kept["writer_refused"] == refused


@pytest.mark.parametrize(
    "arguments",
    [
        {"loop": "wild"}, {"loop": "adaptive", "rounds": 0}, {"loop": "adaptive", "trials": 2}, {"loop": "adaptive", "repeats": 1},
        {"rounds": 3}, {"strategist": "other/model"},
        {"loop": "adaptive", "strategist": "model"}, {"loop": "adaptive", "writer": "other/"},
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_together_are_one_line(arguments):
    with pytest.raises(UsageError):
        das_robustness(limit=1, **arguments)
