"""Several replies to one item are no more items: the bound at no event or only events."""

from __future__ import annotations

import pytest

from equipoise.outcomes.compare import rate_of
from equipoise.outcomes.item_rates import item_rate
from equipoise.outcomes.measures import Measure, count
from equipoise.statistics import clopper_pearson

CORRECT = Measure(id="accuracy", event="correct")


def counts(tools, items, trials, label=lambda number, trial: "yes"):
    rows = [
        tools.reply(number, label(number, trial), trial=trial)
        for number in range(items)
        for trial in range(1, trials + 1)
    ]
    return count(tools.run(rows), CORRECT)


@pytest.mark.parametrize("trials", [1, 3, 10])
@pytest.mark.parametrize(("label", "rate"), [("yes", 1.0), ("no", 0.0)])
def test_the_bound_at_the_edge_does_not_shrink_with_repeats(tools, trials, label, rate):
    found = item_rate(counts(tools, 20, trials, lambda number, trial: label))
    exact = clopper_pearson(round(20 * rate), 20)
    assert (found.items, found.estimate.n_used, found.estimate.estimate) == (20, 20 * trials, rate)
    assert (found.estimate.low, found.estimate.high) == (pytest.approx(exact.low), pytest.approx(exact.high))
    assert found.repeated is (trials > 1)
    assert ("on 20 items" in found.estimate.method) is (trials > 1)


def test_between_the_edges_the_interval_is_the_usual_one(tools):
    several = counts(tools, 30, 3, lambda number, trial: "yes" if (number + trial) % 4 else "no")
    assert item_rate(several).estimate == rate_of(several, None)
    assert item_rate(several).events == sum(item.value for item in several)


def test_nothing_read_and_one_item_have_no_rate(tools):
    unread = count(tools.run([tools.reply(1, None, state="empty")]), CORRECT)
    assert (item_rate(unread).estimate.estimate, item_rate(unread).items) == (None, 0)
    one = item_rate(counts(tools, 1, 5))
    assert (one.estimate.estimate, one.estimate.n_used) == (None, 5)
