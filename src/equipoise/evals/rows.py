"""What rows of every kind share: tokens, cost and time of a sample, a judgement made by rule, the message of a failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from equipoise.evals.budget import Prices
from equipoise.evals.failures import one_line
from equipoise.ids import content_hash
from equipoise.outcomes.schema import ReplyState

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

TWICE = "guarded/"
"""Start of the name of models whose usage is the sum of that of other models, which stands beside it."""


def error_text(sample: EvalSample) -> str:
    """The message of a sample that failed, in one line."""
    if sample.error is not None:
        return one_line(sample.error.message)
    return one_line(sample.output.error or "the sample holds no output")


def spent(sample: EvalSample, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens over all calls of the sample, a guard's too, their cost, and the seconds of the last call."""
    usages = [usage for name, usage in sample.model_usage.items() if not name.startswith(TWICE)]
    tokens_in = sum(
        item.input_tokens + (item.input_tokens_cache_read or 0) + (item.input_tokens_cache_write or 0)
        for item in usages
    )
    tokens_out = sum(item.output_tokens for item in usages)
    costs = [item.total_cost for item in usages if item.total_cost is not None]
    cost = sum(costs) if costs else None
    if cost is None and usages and facts.get("price_in") is not None and facts.get("price_out") is not None:
        cost = Prices(input=float(facts["price_in"]), output=float(facts["price_out"])).cost(tokens_in, tokens_out)
    return {
        "tokens_in": tokens_in if usages else None,
        "tokens_out": tokens_out if usages else None,
        "cost": cost,
        "latency": sample.output.time,
    }


def judgement(
    row: Mapping[str, Any],
    *,
    judge: str,
    rubric: str,
    criterion: str,
    scale: str,
    value: str | None,
    points: float | None = None,
    version: str = "",
    state: ReplyState = ReplyState.OK,
) -> dict[str, Any]:
    """A row of the judgements; an `ok` one without value and points is out of scope for this reply.

    Args:
        row: row of the outcomes that is judged.
        judge: who judged.
        rubric: identifier of the rubric.
        criterion: criterion of the rubric.
        scale: scale of the value.
        value: the value; None without one.
        points: points of the value; None without.
        version: version of the rubric or instrument, for its hash.
        state: state of the judgement.
    """
    ok = state is ReplyState.OK
    return {
        "reply_id": row["reply_id"],
        "run": row["run"],
        "judge": judge,
        "rubric": rubric,
        "rubric_hash": content_hash([rubric, criterion, version] if version else [rubric, criterion]),
        "scale": scale,
        "scale_hash": content_hash([scale]),
        "criterion": criterion,
        "repeat": 1,
        "value": value if ok else None,
        "points": points if ok else None,
        "in_scope": (value is not None or points is not None) if ok else None,
        "state": state.value,
    }
