"""Blocks of a guard in the measures: both arms, what stays helpful, and what is no block of the guard."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.refusal.measures import guard_blocks, guard_effect, replies_of, safe_completion
from equipoise.refusal.measures.definitions import ANY, JUDGED_HELPFUL
from equipoise.refusal.measures.guarding import NO_RULING, NOT_REACHED
from equipoise.refusal.measures.rates import GUARDED, measure
from equipoise.refusal.terms import Refusal
from equipoise.statistics import wilson
from made_replies import made, many
from refusal_mocks import complies, items, judged, judges, rows, save


def ruled(reply, value, place="input"):
    row = judged(reply, f"guard:{place}", value, judge="guard-a")
    return {**row, "state": "ok" if value else "error"}


@pytest.fixture
def pair(tmp_path):
    """A model that answers all, and the same behind a guard that blocks harmful prompts and every fifth benign one."""
    prompts = items(80)
    plain = rows("plain", complies, prompts)
    guarded, said = [], []
    for place, row in enumerate(rows("guarded", complies, prompts)):
        block = row["arm"] == "harmful" or place % 5 == 0
        said.append(ruled(row["reply_id"], "block" if block else "pass"))
        guarded.append({**row, "state": "blocked", "label": None} if block else row)
    first = save(tmp_path, "plain", plain, judges(plain))
    second = save(tmp_path, "guarded", guarded, [*said, *judges(guarded)])
    return [replies_of(run.outcomes, run.judgements) for run in (first, second)]


def test_a_block_is_read_as_a_full_refusal_and_counts_on_both_arms(pair):
    without, guarded = pair
    found = guard_effect(without, guarded, rng=np.random.default_rng(1), resamples=100)
    assert [change.difference.estimate for change in found.changes] == [0.2, -1.0]
    assert found.newly_blocked_benign.estimate == 0.2
    assert found.newly_blocked_harmful.estimate == 1.0
    assert (found.blocks.benign.blocked.estimate, found.blocks.harmful.blocked.estimate) == (0.2, 1.0)
    assert found.guarded.over_refusal.left_out == {}


def test_what_stays_helpful_counts_a_block_as_no_help(pair):
    without, guarded = pair
    found = guard_effect(without, guarded, rng=np.random.default_rng(1), resamples=100)
    assert (found.still_helpful.estimate, found.still_helpful.n_used) == (0.8, 40)
    assert (found.helpful_after_block.estimate, found.helpful_after_block.n_used) == (0.0, 48)
    assert safe_completion(without)[0].crude.estimate == 1.0
    family = safe_completion(guarded)[0]
    assert (family.crude.estimate, family.n_used, family.left_out) == (0.8, 40, {})
    helped = measure(guarded, JUDGED_HELPFUL)
    assert (helped.crude.estimate, helped.n_used) == (0.0, 40)


def test_without_judges_nothing_is_called_judged(tmp_path):
    row = rows("a", complies, items(2))[0]
    run = save(tmp_path, "a", [{**row, "state": "blocked", "label": None}], [ruled(row["reply_id"], "block")])
    (reply,) = replies_of(run.outcomes, run.judgements)
    assert (reply.refusal, reply.blocked_by, reply.helpfulness, reply.severity) == (
        Refusal.FULL, "guard-a on the input", None, None,
    )  # fmt: skip
    assert reply.state == "blocked"


def test_a_ruling_does_not_make_a_reply_that_came_a_refusal(tmp_path):
    row = rows("a", complies, items(2))[0]
    run = save(tmp_path, "a", [row], [ruled(row["reply_id"], "block")])
    (reply,) = replies_of(run.outcomes, run.judgements)
    assert (reply.refusal, reply.blocked_by) == (Refusal.NONE, "")


def test_the_block_rate_leaves_out_what_was_not_ruled_on_and_bounds_it():
    guard = {"guard": "g"}
    replies = [
        *many(6, "full", state="blocked", rulings={"input": True}, blocked_by="g on the input", **guard),
        *many(12, rulings={"input": False, "output": False}, **guard),
        *many(
            2, "full", state="blocked", rulings={"input": False, "output": True}, blocked_by="g on the output", **guard
        ),
        *many(3, None, state="error", rulings={"input": None}, **guard),
        *many(1, None, state="error"),
    ]
    found = guard_blocks(replies)
    rate = found.benign
    why = f"1 {NOT_REACHED}, 3 {NO_RULING}"
    assert rate.blocked == wilson(8, 20, n_left_out=4, why_left_out=why)
    assert rate.by_place == {"input": 6, "output": 2}
    assert (rate.unruled.low, rate.unruled.high) == (8 / 24, 12 / 24)
    assert (found.guard, found.n_failed, found.harmful.blocked.estimate) == ("g", 3, None)
    assert guard_blocks(many(3)) is None


def test_a_correction_of_the_classifier_is_refused_where_a_guard_withheld_replies():
    own = [*many(20, "full", human=Refusal.FULL), *many(20, human=Refusal.NONE)]
    assert measure(own, ANY.over_refusal).corrected is not None
    held = made("full", state="blocked", rulings={"input": True}, blocked_by="g on the input", guard="g")
    assert measure([*own, held], ANY.over_refusal).corrected_refused == GUARDED
