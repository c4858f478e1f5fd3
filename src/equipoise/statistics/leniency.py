"""Do judges favour replies of their own provider? A logistic model of single votes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import perm

import numpy as np
from numpy.typing import NDArray

from equipoise.statistics.bootstrap import bootstrap
from equipoise.statistics.estimate import Estimate, HypothesisTest, Result

Array = NDArray[np.float64]

_DIVERGED = 15.0
"""Log-odds beyond which a fit is taken as not existing (separation)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leniency(Result):
    """How votes depend on whether judge and subject share a provider.

    Attributes:
        log_odds: the same-provider term, with its interval over prompts.
        permutation: exact test over all one-to-one maps of subjects to judges.
        by_map: the term under every map, largest size first; the real map is the first listed of equal size.
        judge_rates: share of favourable votes by judge.
        own_minus_peers: by subject, own judge's rate less the mean rate of the other judges.
        difference_in_differences: the same less that judge's general leniency (its rate less its peers' mean rate on
            all other subjects).
        n_votes: votes that entered.
        n_left_out: votes that could not be read.
    """

    log_odds: Estimate
    permutation: HypothesisTest
    by_map: tuple[float, ...]
    judge_rates: Mapping[str, float]
    own_minus_peers: Mapping[str, float]
    difference_in_differences: Mapping[str, float]
    n_votes: int
    n_left_out: int


def same_provider_leniency(
    subjects: Sequence[str],
    judges: Sequence[str],
    votes: Sequence[bool | None],
    own_judge: Mapping[str, str],
    prompts: Sequence[str],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> Leniency:
    """Fits logit P(favourable) = intercept + subject + judge + same provider.

    Fitted by Newton steps on the votes counted by subject and judge. The interval draws prompts with all their votes.
    The permutation refits under every one-to-one map of subjects to "own" judges; p is the share of maps whose term is
    at least as large in size. With k subjects and k judges p cannot be below 1 / k! (with two of each it is always 1,
    because the other map only turns the sign).

    Args:
        subjects: who wrote the reply, one a vote.
        judges: who judged it, one a vote.
        votes: favourable or not; None where the judge failed.
        own_judge: the judge of each subject's provider; no judge twice.
        prompts: which prompt, one a vote.
        rng: random generator.
        resamples: resamples of prompts.
        level: coverage aimed at.

    Returns:
        The term in log-odds (0: no favour), the test, and raw gaps.

    Raises:
        ValueError: unequal lengths, a subject without own judge, a judge twice, an empty subject-by-judge cell, a
            single prompt, more than eight subjects, or votes that do not determine the model.

    References:
        Afrasyab K. 2026. doi:10.48550/arXiv.2607.18828 (the design)
        Phipson B, Smyth GK. Stat Appl Genet Mol Biol 2010;9:39. doi:10.2202/1544-6115.1585 (smallest p)
    """
    if not len(subjects) == len(judges) == len(votes) == len(prompts):
        message = "expected subject, judge, vote and prompt for every vote"
        raise ValueError(message)
    kept = [index for index, vote in enumerate(votes) if vote is not None]
    subject_names, judge_names = sorted(set(subjects)), sorted(set(judges))
    own = _own(subject_names, judge_names, own_judge)
    rows = np.zeros((len(kept), 2 * len(subject_names) * len(judge_names)))
    cells = len(subject_names) * len(judge_names)
    for row, index in zip(rows, kept, strict=True):
        cell = subject_names.index(subjects[index]) * len(judge_names) + judge_names.index(judges[index])
        row[cell], row[cells + cell] = float(bool(votes[index])), 1.0
    totals = rows.sum(axis=0, keepdims=True)
    if (totals[0, cells:] == 0).any():
        message = "a subject was never judged by one of the judges"
        raise ValueError(message)
    design = _design(len(subject_names), len(judge_names))

    def term(own_of: Sequence[int], sums: Array) -> Array:
        return _fit(np.column_stack([design, _same(own_of, len(judge_names))]), sums[:, :cells], sums[:, cells:])

    log_odds = bootstrap(
        rows,
        lambda sums: term(own, sums),
        rng=rng,
        resamples=resamples,
        level=level,
        clusters=[prompts[index] for index in kept],
        n_left_out=len(votes) - len(kept),
        why_left_out="the judge gave no vote" if len(kept) < len(votes) else "",
    )
    if log_odds.estimate is None:
        message = "the votes do not determine the model (a subject or judge is always or never favourable)"
        raise ValueError(message)
    test, by_map = _permutation(term, totals, own, len(judge_names), log_odds)
    rates = (totals[0, :cells] / totals[0, cells:]).reshape(len(subject_names), len(judge_names))
    hits = totals[0, :cells].reshape(rates.shape).sum(axis=0) / totals[0, cells:].reshape(rates.shape).sum(axis=0)
    raw = {name: _gap(rates, index, own[index]) for index, name in enumerate(subject_names)}
    general = {
        name: float(np.mean([_gap(rates, other, own[index]) for other in range(len(subject_names)) if other != index]))
        for index, name in enumerate(subject_names)
    }
    return Leniency(
        log_odds=log_odds,
        permutation=test,
        by_map=by_map,
        judge_rates=dict(zip(judge_names, (float(rate) for rate in hits), strict=True)),
        own_minus_peers=raw,
        difference_in_differences={name: raw[name] - general[name] for name in subject_names},
        n_votes=len(kept),
        n_left_out=len(votes) - len(kept),
    )


def _own(subjects: list[str], judges: list[str], own_judge: Mapping[str, str]) -> tuple[int, ...]:
    if len(subjects) > 8:
        message = f"more than eight subjects ({len(subjects)}): too many maps to list"
        raise ValueError(message)
    missing = [name for name in subjects if own_judge.get(name) not in judges]
    own = tuple(judges.index(own_judge[name]) for name in subjects if name not in missing)
    if missing or len(set(own)) < len(own):
        message = f"expected one judge of its own for each subject; without one: {', '.join(missing) or 'none'}"
        raise ValueError(message)
    return own


def _design(subjects: int, judges: int) -> Array:
    """Intercept, subjects and judges (first as reference), one row a cell."""
    rows = np.zeros((subjects * judges, subjects + judges - 1))
    rows[:, 0] = 1
    for subject in range(subjects):
        for judge in range(judges):
            row = rows[subject * judges + judge]
            if subject:
                row[subject] = 1
            if judge:
                row[subjects - 1 + judge] = 1
    return rows


def _same(own: Sequence[int], judges: int) -> Array:
    same = np.zeros((len(own), judges))
    same[np.arange(len(own)), list(own)] = 1
    return same.ravel()


def _fit(design: Array, hits: Array, counts: Array) -> Array:
    """Last coefficient of the logistic fits, one for each row of counts; NaN where a fit does not exist."""
    width = design.shape[1]
    guess = np.zeros((len(hits), width))
    gradient = np.zeros_like(guess)
    for _ in range(40):
        shares = 1 / (1 + np.exp(-np.clip(guess @ design.T, -30, 30)))
        gradient = (hits - counts * shares) @ design
        weights = counts * shares * (1 - shares)
        hessian = np.einsum("bc,ci,cj->bij", weights, design, design) + 1e-10 * np.eye(width)
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        guess += np.clip(step, -4, 4)
        if np.abs(step).max() < 1e-10:
            break
    failed = (np.abs(guess) > _DIVERGED).any(axis=1) | (np.abs(gradient).max(axis=1) > 1e-5)
    return np.where(failed, np.nan, guess[:, -1])


def _permutation(
    term: Callable[[Sequence[int], Array], Array], totals: Array, own: tuple[int, ...], judges: int, log_odds: Estimate
) -> tuple[HypothesisTest, tuple[float, ...]]:
    observed = log_odds.estimate or 0.0
    values = np.array([float(term(chosen, totals)[0]) for chosen in permutations(range(judges), len(own))])
    defined = values[np.isfinite(values)]
    floor = 1.0 if judges == len(own) == 2 else 1 / perm(judges, len(own))
    p_value = float((np.abs(defined) >= abs(observed) - 1e-9).mean())
    test = HypothesisTest(
        p_value=p_value,
        statistic=observed,
        method=f"exact permutation over all {len(values)} one-to-one maps of subjects to judges, two-sided",
        n_used=log_odds.n_used,
        n_left_out=log_odds.n_left_out,
        why_left_out=log_odds.why_left_out,
        effect=log_odds,
        smallest_p=floor,
        warnings=(
            f"{floor:.4f} ({len(values)} maps) is the smallest p this design can give, so p alone cannot tell a small "
            "favour from a large one",
        ),
    )
    return test, tuple(float(value) for value in sorted(defined, key=lambda value: -abs(value)))


def _gap(rates: Array, subject: int, judge: int) -> float:
    row = rates[subject]
    return float(row[judge] - np.delete(row, judge).mean())
