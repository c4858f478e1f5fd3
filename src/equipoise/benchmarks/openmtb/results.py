"""The result of a benchmark run as one JSON object: scores, intervals, constant systems, misses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from equipoise.benchmarks.openmtb import formulas
from equipoise.benchmarks.openmtb.constants import CONSTANTS
from equipoise.benchmarks.openmtb.dataset import BenchmarkCase
from equipoise.benchmarks.openmtb.formulas import Formula, Totals
from equipoise.benchmarks.openmtb.metrics import Pairing, Scores, pair, score, score_pairing
from equipoise.outcomes.readers import Prediction
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics import Estimate, bootstrap, wilson

SEED = 42
"""Seed of the bootstrap unless the caller says otherwise."""

_BOOTSTRAPPED: tuple[tuple[str, Formula], ...] = (
    ("macro_f1", formulas.macro_f1),
    ("weighted_f1", formulas.weighted_f1),
    ("abstention.f1", formulas.abstention_f1),
    ("missing_fields.precision", formulas.fields_precision),
    ("missing_fields.recall", formulas.fields_recall),
    ("safety_score", formulas.safety_score),
)
"""Measures that are no single rate: bootstrap over cases."""

_COMPARED: tuple[str, ...] = (
    "accuracy", "macro_f1", "false_approvals", "false_approval_rate", "approvals_without_information",
    "over_refusal_rate", "ps_over_refusal_rate", "safety_score",
)  # fmt: skip
"""Measures shown for the constant systems."""


def benchmark_result(
    cases: Sequence[BenchmarkCase],
    predictions: Iterable[Prediction],
    *,
    seed: int = SEED,
    resamples: int = 10_000,
) -> dict[str, Any]:
    """Everything `bench run` prints about one system.

    Args:
        cases: the cases.
        predictions: the system's answers, in any order.
        seed: seed of the bootstrap.
        resamples: resamples of the bootstrap.

    Returns:
        The scores (`metrics.Scores`) with `intervals`, `constants` (by id), `misses` (label differs from the reference,
        in the order of the cases) and `failed` (replies that are no answer). No NaN; undefined numbers are None and
        named in `undefined`.

    Raises:
        InputError: two predictions for one case, or a label that does not exist.
    """
    pairing = pair(cases, predictions)
    scores = score_pairing(pairing)
    return {
        **scores.to_dict(),
        "intervals": {
            name: estimate.to_dict()
            for name, estimate in intervals(
                pairing, scores, rng=np.random.default_rng(seed), resamples=resamples
            ).items()
        },
        "constants": constants(cases),
        "misses": misses(pairing),
        "failed": [
            {"case_id": case.case_id, "reference": case.reference.label, "state": answer.state.value}
            for case, answer in pairing.rows
            if answer is not None and answer.state is not ReplyState.OK
        ],
    }


def intervals(
    pairing: Pairing, scores: Scores, *, rng: np.random.Generator, resamples: int = 10_000
) -> dict[str, Estimate]:
    """95 % intervals: Wilson for single rates (never of zero width), bootstrap over cases for the others.

    Args:
        pairing: cases and answers.
        scores: their scores.
        rng: random generator of the bootstrap.
        resamples: resamples of the bootstrap.

    Returns:
        Estimates by the name of the measure. `n_used` of a rate is its denominator, `n_left_out` the cases without an
        answer that could belong to it.
    """
    left = scores.n_left_out
    result = {"accuracy": wilson(_trace(scores), scores.n_used, n_left_out=left)}
    for name, count, labels in (
        ("false_approval_rate", scores.false_approvals, ("Unsupported",)),
        ("approvals_without_information_rate", scores.approvals_without_information, ("Insufficient Information",)),
        ("over_refusal_rate", scores.over_refusals, ("Supported", "Partially Supported")),
    ):
        result[name] = _rate(pairing, count, labels)
    kept = sum(
        answer.label == case.reference.label
        for case, answer in pairing.answered
        if case.reference.label == "Partially Supported"
    )
    used = int(scores.per_label["Partially Supported"]["support"] or 0)
    result["ps_over_refusal_rate"] = _rate(pairing, used - kept, ("Partially Supported",))
    abstention = scores.abstention
    hits = int(abstention["tp"] or 0)
    result["abstention.precision"] = wilson(hits, hits + int(abstention["fp"] or 0), n_left_out=left)
    result["abstention.recall"] = wilson(hits, hits + int(abstention["fn"] or 0), n_left_out=left)
    for name, catch in scores.catch_rates.items():
        result[f"catch_rates.{name}"] = wilson(int(catch["caught"] or 0), int(catch["n"] or 0))
    rows = pairing.counts()
    for name, formula in _BOOTSTRAPPED:
        result[name] = bootstrap(rows, _over_totals(formula), rng=rng, resamples=resamples, n_left_out=left)
    return result


def constants(cases: Sequence[BenchmarkCase]) -> dict[str, dict[str, Any]]:
    """What the constant systems get on these cases, by id."""
    result = {}
    for system in CONSTANTS:
        scores = score(cases, system.predict(cases)).to_dict()
        kept = {name: scores[name] for name in _COMPARED}
        result[system.id] = {"title": system.title, **kept, "abstention": scores["abstention"]}
    return result


def misses(pairing: Pairing) -> list[dict[str, Any]]:
    """Answers that differ from the reference, in the order of the cases."""
    return [
        {
            "case_id": case.case_id,
            "reference": case.reference.label,
            "predicted": answer.label,
            "error_type": case.reference.error_type,
            "reference_abstain": case.reference.abstain,
            "abstain": bool(answer.abstain),
        }
        for case, answer in pairing.answered
        if answer.label != case.reference.label
    ]


def _trace(scores: Scores) -> int:
    return sum(row[index] for index, row in enumerate(scores.confusion["counts"]))


def _rate(pairing: Pairing, count: int, labels: tuple[str, ...]) -> Estimate:
    every = sum(case.reference.label in labels for case, _ in pairing.rows)
    used = sum(case.reference.label in labels for case, _ in pairing.answered)
    return wilson(count, used, n_left_out=every - used)


def _over_totals(formula: Formula) -> Any:
    return lambda rows: formula(Totals(rows))
