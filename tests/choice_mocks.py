"""Invented systems that answer questions with options: as rows of a run, or as a model that Inspect asks in this process."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

from equipoise.benchmarks.choice_stress.plan import Prepared, Question
from equipoise.benchmarks.choice_stress.prompt import prompt_of
from equipoise.outcomes.run import Run, RunInfo
from equipoise.outcomes.schema import judgements_table, outcomes_table
from equipoise.redteam.operators.items import Item, choice_item

Behaviour = Callable[[Question, int], str]
"""From a question and how often it was asked to "right", "wrong", "abstains", or a state in which a reply was not read."""


def invented(number: int, *, measured: int | None = None) -> list[Item]:
    """Questions of one form; the first `measured` of them (all by default) state a heart rate."""
    found = []
    for place in range(number):
        vital = f" Her heart rate is {70 + place % 20} per minute." if measured is None or place < measured else ""
        question = (
            f"A woman of {20 + place} years takes drug number {place}.{vital} "
            "Which of the following is the enzyme that breaks this drug down?"
        )
        texts = [f"Enzyme {word} {place}" for word in ("alpha", "beta", "gamma", "delta")]
        found.append(choice_item(f"q{place:03}", question, texts, "ABCD"[place % 4], tags=("enzymes",)))
    return found


def always(what: str) -> Behaviour:
    return lambda question, asked: what


def fooled_by(operator: str, *, clean_wrong: frozenset[str] = frozenset()) -> Behaviour:
    """Wrong under one operator, and on some items whatever is asked; right otherwise."""

    def behave(question: Question, asked: int) -> str:
        named = str(question.columns.get("operator", "")).split("@")[0]
        return "wrong" if named == operator or question.columns["item_family"] in clean_wrong else "right"

    return behave


def noisy(seed: int, share: float = 0.2) -> Behaviour:
    """Wrong at random, untouched or attacked alike."""
    return lambda question, asked: (
        "wrong" if random.Random(f"{seed} {question.id} {asked}").random() < share else "right"
    )


def label_of(question: Question, what: str) -> str | None:
    """The letters of a reply."""
    expected = question.columns.get("expected")
    if what == "right":
        return expected
    if what == "wrong":
        return next(option.letter for option in question.item.options if option.letter != expected)
    return None


def text_of(question: Question, what: str) -> str:
    """A reply as a model writes it."""
    letters = label_of(question, what)
    if letters is None:
        return "Answer: cannot be answered" if what in ("right", "abstains") else "A thing without an answer."
    return f"Some words on the question.\n\nAnswer: {letters.replace('+', ', ')}"


def run_of(prepared: Prepared, behave: Behaviour, *, name: str = "mock/model", **facts: Any) -> Run:
    """The run of a system, as its log would become one."""
    rows = []
    for question in prepared.questions:
        what = behave(question, 1)
        state = "ok" if what in ("right", "wrong", "abstains") else what
        if what == "missing":
            continue
        label = label_of(question, what) if state == "ok" else None
        rows.append(
            {
                "reply_id": question.id, "run": "run", "system": name, "benchmark": prepared.plan.benchmark, "state": state,
                "label": label, "abstained": label is None if state == "ok" else None, **question.columns,
            }
        )  # fmt: skip
    info = RunInfo(
        run_id="run", created_at="2026-11-30T12:00:00+00:00", benchmark=prepared.plan.benchmark, systems=(name,),
        arguments={"logs": [{"model": name, "plan": prepared.plan.to_dict(), "trials": 1, **facts}]},
    )  # fmt: skip
    return Run(info=info, outcomes=outcomes_table(rows), judgements=judgements_table([]))


def model_of(questions: list[Question], behave: Behaviour) -> Model:
    """The same system as a model; it knows a question by its prompt. A behaviour may raise."""
    known = {prompt_of(question.item): question for question in questions}
    asked: Counter[str] = Counter()

    def reply(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        prompt = messages[-1].text
        asked[prompt] += 1
        question = known[prompt]
        output = ModelOutput.from_content("mockllm/model", text_of(question, behave(question, asked[prompt])))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)
