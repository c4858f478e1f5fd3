"""Models come in families: between-family spread, and what it leaves of "n models"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise._optional import require
from equipoise.statistics.estimate import Estimate, Result, check_level


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyEffects(Result):
    """A random-effects summary over families.

    Attributes:
        mean: mean over families with its interval (Hartung-Knapp).
        prediction_low: where the rate of a new family is expected, lower end; None below three families.
        prediction_high: upper end.
        tau_squared: variance between families (DerSimonian-Laird).
        i_squared: share of the spread between families that is not sampling, 0 to 1.
        q: Cochran's Q of heterogeneity.
        q_p_value: its p value.
        by_family: mean of each family's members.
        n_models: models.
        n_families: families; this, not the number of models, is the effective number of units.
        within_share: share of the models' variance that lies within families; None when no family has two members or
            no model differs.
    """

    mean: Estimate
    prediction_low: float | None
    prediction_high: float | None
    tau_squared: float
    i_squared: float
    q: float
    q_p_value: float
    by_family: Mapping[str, float]
    n_models: int
    n_families: int
    within_share: float | None


def family_effects(
    estimates: ArrayLike, variances: ArrayLike, families: Sequence[str], *, level: float = 0.95
) -> FamilyEffects:
    """Random effects over families, members of a family pooled first.

    Within a family, members are averaged by inverse variance. Between families: tau^2 by DerSimonian and Laird, mean by
    weights 1 / (v + tau^2), variance by Hartung and Knapp with the t quantile of k - 1 degrees of freedom (never below
    the usual one), prediction interval with k - 2. Needs the extra `stats`.

    Args:
        estimates: one number a model (a rate, a log-odds).
        variances: its sampling variance, above 0.
        families: its family.
        level: coverage aimed at.

    Returns:
        The summary.

    Raises:
        ValueError: unequal lengths, a variance that is not above 0, or a single family.
        DependencyError: scipy is not installed.

    References:
        DerSimonian R, Laird N. Control Clin Trials 1986;7:177-188. doi:10.1016/0197-2456(86)90046-2
        IntHout J, Ioannidis JPA, Borm GF. BMC Med Res Methodol 2014;14:25. doi:10.1186/1471-2288-14-25
        Higgins JPT, Thompson SG, Spiegelhalter DJ. J R Stat Soc A 2009;172:137-159.
        doi:10.1111/j.1467-985X.2008.00552.x
    """
    check_level(level)
    values, spreads = np.asarray(estimates, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    if not len(values) == len(spreads) == len(families):
        message = "expected an estimate, a variance and a family for every model"
        raise ValueError(message)
    if not (np.isfinite(values).all() and np.isfinite(spreads).all() and (spreads > 0).all()):
        message = "expected finite estimates and variances above 0"
        raise ValueError(message)
    names = sorted(set(families))
    if len(names) < 2:
        message = "a single family says nothing about other families"
        raise ValueError(message)
    labels = np.asarray(list(families), dtype=str)
    weights = 1 / spreads
    sums = np.array([weights[labels == name].sum() for name in names])
    means = np.array([(weights * values)[labels == name].sum() for name in names]) / sums
    k, v = len(names), 1 / sums
    fixed = float((sums * means).sum() / sums.sum())
    q = float((sums * (means - fixed) ** 2).sum())
    tau = max(0.0, (q - (k - 1)) / float(sums.sum() - (sums**2).sum() / sums.sum()))
    w = 1 / (v + tau)
    mean = float((w * means).sum() / w.sum())
    usual = 1 / float(w.sum())
    variance = max(usual, float((w * (means - mean) ** 2).sum()) / (k - 1) * usual)
    stats = require("scipy.stats", extra="stats")
    half = float(stats.t.ppf(0.5 + level / 2, k - 1)) * sqrt(variance)
    ahead = float(stats.t.ppf(0.5 + level / 2, k - 2)) * sqrt(tau + variance) if k > 2 else None
    return FamilyEffects(
        mean=Estimate(
            estimate=mean,
            low=mean - half,
            high=mean + half,
            method=f"random effects over {k} families, DerSimonian-Laird, Hartung-Knapp, {level:.0%}",
            n_used=len(values),
            warnings=((f"only {k} families: the spread between them is hardly known",) if k < 5 else ()),
        ),
        prediction_low=None if ahead is None else mean - ahead,
        prediction_high=None if ahead is None else mean + ahead,
        tau_squared=tau,
        i_squared=max(0.0, (q - (k - 1)) / q) if q > 0 else 0.0,
        q=q,
        q_p_value=float(stats.chi2.sf(q, k - 1)),
        by_family=dict(zip(names, (float(item) for item in means), strict=True)),
        n_models=len(values),
        n_families=k,
        within_share=_within_share(values, labels, names),
    )


def _within_share(values: NDArray[np.float64], labels: NDArray[np.str_], names: list[str]) -> float | None:
    """Sum of squares within families / total sum of squares."""
    total = float(((values - values.mean()) ** 2).sum())
    if len(names) == len(values) or total == 0:
        return None
    return sum(float(((values[labels == name] - values[labels == name].mean()) ** 2).sum()) for name in names) / total
