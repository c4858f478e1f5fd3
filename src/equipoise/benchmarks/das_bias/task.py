"""The bias set for any model that Inspect can reach: every item untouched and under every label, in blocks of votes.

inspect eval equipoise/das_bias --model openai/MODEL --temperature 0.7
inspect eval equipoise/das_bias --model openai/MODEL -T data=own.csv -T families=identity -T votes=5
"""

from __future__ import annotations

import math

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from equipoise.benchmarks.catalogue import find
from equipoise.benchmarks.das_bias.choices import READER_VERSION, read_choice
from equipoise.benchmarks.das_bias.loader import BENCHMARK, items_hash, load
from equipoise.benchmarks.das_bias.variants import REQUEST, plan_of
from equipoise.benchmarks.das_replies import facts_of, listed, state_of
from equipoise.evals.mock_counts import count_without_network
from equipoise.evals.refusal_task import ask_prompt
from equipoise.evals.scorer import REASONS
from equipoise.evals.stress_rows import REPLIES, StoredReply
from equipoise.ids import text_hash
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.operators import Option

_OPTIONS = "options"


@metric
def right_untouched() -> Metric:
    """Right answers / readable answers to untouched items, every vote alone; NaN without one."""
    return _right(touched=False)


@metric
def right_changed() -> Metric:
    """The same under all labels together."""
    return _right(touched=True)


def _right(*, touched: bool) -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        own = [item.score.as_float() for item in scores if (item.score.metadata or {}).get("touched") is touched]
        return sum(own) / len(own) if own else math.nan

    return compute


@scorer(metrics=[right_untouched(), right_changed()])
def choice_scorer() -> Scorer:
    """Read the option; 1 for the key, 0 for another one, unscored when it cannot be read."""

    async def score(state: TaskState, target: Target) -> Score:
        options = tuple(Option(letter=letter, text=text) for letter, text in state.metadata[_OPTIONS])
        text, found = state.output.completion, state_of(state.output)
        letter = read_choice(text, options).letter if found is ReplyState.OK else None
        if found is ReplyState.OK and letter is None:
            found = ReplyState.UNPARSED
        stored = StoredReply(state=found, reply=text, label=letter)
        touched = bool(state.metadata["reference"].get("operator"))
        facts = {"touched": touched, REPLIES: [stored.to_dict()]}
        if letter is None:
            return Score.unscored(reason=REASONS[found], explanation="no option was read", metadata=facts)
        return Score(value=float(letter == target.text), answer=letter, metadata=facts)

    return score


@task
def das_bias(
    data: str | None = None,
    families: str | list[str] | None = None,
    votes: int = 3,
    seed: int = 42,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Task:
    """The items of this package, or of a file in the documented form.

    Args:
        data: .jsonl or .csv file; the packaged items by default.
        families: some of identity, language, emotion, cognitive_bias (comma-separated); all by default.
        votes: replies to each text, an odd number; at temperature 0 they may all be the same.
        seed: seed of the wordings.
        max_cost: US dollars after which nothing more is asked.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.
    """
    items = load(data)
    asked, plan = plan_of(items, seed=seed, votes=votes, families=listed(families))
    samples = [
        Sample(
            id=vote.sample_id, input=vote.prompt, target=vote.reference()["expected"] or "",
            metadata={
                "reference": vote.reference(),
                _OPTIONS: [[option.letter, option.text] for option in vote.asked.options],
            },
        )
        for vote in asked
    ]  # fmt: skip
    count_without_network()
    return Task(
        dataset=MemoryDataset(samples, name=BENCHMARK),
        solver=ask_prompt(max_cost=max_cost, price_in=price_in, price_out=price_out),
        scorer=choice_scorer(),
        config=GenerateConfig(max_tokens=512),
        fail_on_error=True,
        continue_on_fail=True,
        version=find(BENCHMARK).card().version,
        metadata=facts_of(
            BENCHMARK, dataset_hash=items_hash(items), prompt_hash=text_hash(REQUEST), reader_version=READER_VERSION,
            plan=plan.to_dict(), setting="", votes=votes, price_in=price_in, price_out=price_out,
        ),
    )  # fmt: skip
