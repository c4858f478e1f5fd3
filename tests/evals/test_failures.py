"""A failed call is one line with what to do; money is counted and never guessed."""

from __future__ import annotations

import pytest

from equipoise.errors import UsageError
from equipoise.evals.budget import Budget, BudgetSpentError, Prices, estimate, prices
from equipoise.evals.failures import LONGEST, advice, one_line


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("AuthenticationError: Error code: 401 - invalid api key", "key was refused"),
        ("NotFoundError: Error code: 404 - The model `x` does not exist", "no such model"),
        ("RateLimitError: Error code: 429", "too many calls"),
        ("RetryError(<Future at 0x1 state=finished raised APIConnectionError>)", "cannot be reached"),
        ("AttemptTimeoutError: 30 s", "no reply in time"),
        ("InternalServerError: Error code: 500", "service failed"),
        ("JSONDecodeError('Expecting value: line 1 column 1 (char 0)')", "no whole JSON"),
        ("the budget of 1 US dollars is spent", "same command"),
        ("BadRequestError: Error code: 400 - context length", "refused the request"),
        ("something else", "inspect view"),
    ],
)
def test_what_to_do_is_said(text, words):
    assert words in advice(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("first\nsecond", "first"),
        ("\n\n  \n", "no message"),
        ("RetryError(<Future at 0x1 state=finished raised RateLimitError>)", "RateLimitError (after all tries)"),
        ("[bold]ERROR[/bold]: no key", "ERROR: no key"),
    ],
)
def test_a_message_is_one_line(text, expected):
    assert one_line(text) == expected
    assert len(one_line("x" * 5000)) == LONGEST


def test_prices_come_together_or_not_at_all():
    assert prices(None, None) is None
    assert prices(1, 2) == Prices(input=1.0, output=2.0)
    for pair in ((1, None), (None, 1), (-1, 1)):
        with pytest.raises(UsageError, match="prices"):
            prices(*pair)


def test_an_estimate_counts_characters_and_the_limit_of_replies():
    needed = estimate(4_000_000, 10, 100, Prices(input=1.0, output=10.0))
    assert (needed.calls, needed.tokens_in, needed.tokens_out) == (10, 1_000_000, 1000)
    assert needed.cost == pytest.approx(1.01)
    assert estimate(4, 1, 1, None).cost is None


def test_a_budget_is_spent_once_it_is_reached():
    budget = Budget(most=1.0, prices=Prices(input=1.0, output=1.0))
    budget.require()
    budget.pay(999_999, 0)
    budget.require()
    budget.pay(0, 1)
    with pytest.raises(BudgetSpentError, match="1 US dollars"):
        budget.require()
    Budget(most=None, prices=None).require()
    with pytest.raises(UsageError, match="max_cost"):
        Budget(most=1.0, prices=None)
    with pytest.raises(UsageError, match="max_cost"):
        Budget(most=-1.0, prices=Prices(input=1.0, output=1.0))
