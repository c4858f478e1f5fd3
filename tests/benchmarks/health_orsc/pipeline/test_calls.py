"""Calls: each once, states of failed instruments, budget, failures in one line."""

from __future__ import annotations

import asyncio

import pytest
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage

from equipoise.benchmarks.health_orsc.pipeline.calls import Ask, Asker, call_seed, state_of
from equipoise.benchmarks.health_orsc.pipeline.config import Calls, ModelSpec
from equipoise.benchmarks.health_orsc.pipeline.journal import Journal
from equipoise.errors import ConfigurationError, UpstreamError, UsageError
from equipoise.evals.budget import BudgetSpentError
from equipoise.outcomes.schema import ReplyState


def output(text="yes", stop="stop", **changes):
    message = ChatMessageAssistant(content=text, source="generate")
    return ModelOutput(
        model="m",
        choices=[ChatCompletionChoice(message=message, stop_reason=stop)],
        usage=ModelUsage(input_tokens=1000, output_tokens=1000, total_tokens=2000),
        **changes,
    )


class Scripted:
    """A model that does what a function says, and remembers what it was asked."""

    def __init__(self, reply):
        self.reply = reply
        self.seen = []
        self.configs = []

    async def generate(self, messages, config):
        self.seen.append([message.text for message in messages])
        self.configs.append(config)
        await asyncio.sleep(0)
        return self.reply(len(self.seen))

    async def __aexit__(self, *details):
        pass


def asker(journal, reply=lambda number: output(), *, max_cost=None, price=None, **settings):
    spec = ModelSpec(model="a/b", price_in=price, price_out=price)
    result = Asker(models={"m": spec}, journal=journal, seed=5, settings=Calls(**settings), max_cost=max_cost)
    model = Scripted(reply)
    result._open["m"] = model
    return result, model


def asks(number):
    return [Ask(stage="rewrite", model="m", prompt_hash="h", system="s", user=f"q{place}") for place in range(number)]


def test_answers_come_in_order_and_an_answered_call_is_not_made_again(tmp_path):
    with Journal(tmp_path) as journal:
        first, model = asker(journal, lambda number: output(f"reply {number}"), concurrency=1)
        answers = asyncio.run(first.ask([*asks(3), *asks(2)], 5))
        assert [answer.text for answer in answers] == ["reply 1", "reply 2", "reply 3", "reply 1", "reply 2"]
        assert model.seen == [["s", "q0"], ["s", "q1"], ["s", "q2"]]
        again, other = asker(journal)
        assert list(asyncio.run(again.ask(asks(3), 3))) == answers[:3]
        assert (other.seen, again.asked) == ([], 0)


def test_every_call_has_a_seed_of_its_own_from_the_seed_of_the_run(tmp_path):
    with Journal(tmp_path) as journal:
        one, model = asker(journal, concurrency=1)
        asyncio.run(one.ask(asks(3), 3))
        seeds = [config.seed for config in model.configs]
        assert seeds == [call_seed(5, one.key(ask)) for ask in asks(3)]
        assert len(set(seeds)) == 3
        assert all(0 <= seed < 2**31 for seed in seeds)


@pytest.mark.parametrize("change", ["stage", "prompt_hash", "system", "user", "repeat"])
def test_a_call_is_known_by_everything_that_can_change_its_answer(tmp_path, change):
    with Journal(tmp_path) as journal:
        one, _ = asker(journal)
        base = {"stage": "a", "model": "m", "prompt_hash": "h", "system": "s", "user": "u", "repeat": 1}
        assert one.key(Ask(**base)) != one.key(Ask(**{**base, change: 2 if change == "repeat" else "other"}))
        other = Asker(models=one.models, journal=journal, seed=6, settings=Calls())
        assert one.key(Ask(**base)) != other.key(Ask(**base))
        warm = {"m": one.models["m"].model_copy(update={"temperature": 1.0})}
        assert one.key(Ask(**base)) != Asker(models=warm, journal=journal, seed=5, settings=Calls()).key(Ask(**base))


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (output("yes"), ReplyState.OK),
        (output("  \n"), ReplyState.EMPTY),
        (output("sorry", "content_filter"), ReplyState.BLOCKED),
        (output("so fa", "max_tokens"), ReplyState.TRUNCATED),
        (output("so fa", "model_length"), ReplyState.TRUNCATED),
        (output("x", error="500 Internal Server Error"), ReplyState.ERROR),
        (ModelOutput(model="m", choices=[]), ReplyState.EMPTY),
    ],
)
def test_a_failed_instrument_has_a_state_of_its_own(given, state):
    assert state_of(given)[0] is state


def fails(number):
    if number % 2:
        message = "Request timed out."
        raise TimeoutError(message)
    return output()


def test_failed_calls_stop_the_run_in_one_line_and_the_next_start_asks_them(tmp_path):
    with Journal(tmp_path) as journal:
        one, _ = asker(journal, fails, concurrency=1)
        with pytest.raises(UpstreamError) as found:
            asyncio.run(one.ask(asks(4), 4))
        text = str(found.value)
        assert "stage rewrite: 2 of 4 calls came to nothing: TimeoutError: Request timed out." in text
        assert "the same command asks the rest" in text
        assert "\n" not in text
        assert len(journal) == 2
    with Journal(tmp_path) as journal:
        again, model = asker(journal, concurrency=1)
        assert [answer.state for answer in asyncio.run(again.ask(asks(4), 4))] == [ReplyState.OK] * 4
        assert model.seen == [["s", "q0"], ["s", "q2"]]


def test_after_enough_failures_nothing_more_is_asked(tmp_path):
    def never(number):
        raise ConnectionError

    with Journal(tmp_path) as journal:
        one, model = asker(journal, never, concurrency=1, most_failures=3)
        with pytest.raises(UpstreamError, match=r"3 of 3 calls .* cannot be reached"):
            asyncio.run(one.ask(asks(50), 50))
        assert len(model.seen) == 3


def test_failed_calls_can_be_gone_on_without(tmp_path):
    with Journal(tmp_path) as journal:
        one, _ = asker(journal, fails, concurrency=1, on_error="reject", most_failures=1)
        states = [answer.state for answer in asyncio.run(one.ask(asks(4), 4))]
        assert states == [ReplyState.ERROR, ReplyState.OK, ReplyState.ERROR, ReplyState.OK]


def test_the_budget_ends_a_start_and_what_was_answered_is_kept(tmp_path):
    with Journal(tmp_path) as journal:
        one, model = asker(journal, price=1.0, max_cost=0.005, concurrency=1)
        with pytest.raises(BudgetSpentError, match=r"0\.005 US dollars is spent and up to 7 calls are left"):
            asyncio.run(one.ask(asks(10), 10))
        assert len(model.seen) == 3
        assert one.spent == pytest.approx(0.006)
        more, other = asker(journal, price=1.0, max_cost=1, concurrency=1)
        assert len(asyncio.run(more.ask(asks(10), 10))) == 10
        assert len(other.seen) == 7


def test_a_limit_needs_prices_and_cannot_be_negative(tmp_path):
    with Journal(tmp_path) as journal:
        with pytest.raises(UsageError, match="m has none"):
            asker(journal, max_cost=1)
        with pytest.raises(UsageError, match="0 or more"):
            asker(journal, max_cost=-1, price=1.0)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nobody/model", "name the model as PROVIDER/MODEL"),
        ("equipoise-rehearsal/none", "expected one of writer, sorter, moderator, answerer"),
        ("openai/some-model", "set that variable to the key of the service"),
    ],
)
def test_a_model_that_cannot_be_opened_is_one_line(tmp_path, monkeypatch, name, words):
    for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZUREAI_OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with Journal(tmp_path) as journal:
        one = Asker(models={"m": ModelSpec(model=name)}, journal=journal, seed=1, settings=Calls())
        with pytest.raises(ConfigurationError) as found:
            asyncio.run(one.ask(asks(1), 1))
        assert words in str(found.value)
        assert str(found.value).startswith(f"model m ({name}) cannot be used: ")
        assert "\n" not in str(found.value)


def test_many_calls_are_gone_through_in_batches(tmp_path, monkeypatch):
    from equipoise.benchmarks.health_orsc.pipeline import calls

    monkeypatch.setattr(calls, "BATCH", 3)
    with Journal(tmp_path) as journal:
        one, model = asker(journal, lambda number: output(f"reply {number}"), concurrency=1)
        told = []
        one.tell = told.append
        answers = asyncio.run(one.ask(iter([*asks(7), *asks(1)]), 8))
        assert [answer.text for answer in answers] == [f"reply {number}" for number in (1, 2, 3, 4, 5, 6, 7, 1)]
        assert len(model.seen) == 7
        assert told[0] == "rewrite: 3 calls to make, then up to 5 more"
    with Journal(tmp_path / "money") as journal:
        two, model = asker(journal, price=1.0, max_cost=0.003, concurrency=1)
        with pytest.raises(BudgetSpentError, match="up to 6 calls are left"):
            asyncio.run(two.ask(asks(8), 8))
        assert len(model.seen) == 2
