"""How much data is needed, before any is bought."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import Literal

from equipoise.statistics.correction import SMALLEST_CLASS
from equipoise.statistics.estimate import Result, check_level

Route = Literal["rogan-gladen", "ppi", "human only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlan(Result):
    """Human labels for one cell (model and arm).

    Attributes:
        route: how the rate will be estimated.
        labels: human labels needed; None when no number of labels is enough.
        replies: judged replies assumed.
        replies_needed: judged replies from which the half-width can be reached at all; None when it always can.
        half_width: wanted half-width.
        reason: what decides the number.
    """

    route: Route
    labels: int | None
    replies: int
    replies_needed: int | None
    half_width: float
    reason: str


def plan_labels(
    *,
    rate: float,
    sensitivity: float,
    specificity: float,
    replies: int,
    half_width: float,
    route: Route = "rogan-gladen",
    level: float = 0.95,
    smallest_class: int = SMALLEST_CLASS,
) -> LabelPlan:
    """Human labels, drawn at random from the cell's replies, for a wanted half-width of the corrected rate.

    With p the true rate, q = p Se + (1 - p)(1 - Sp) the judged one and J = Se + Sp - 1:
    Rogan-Gladen: half^2 = z^2 (q (1 - q) / N + (p Se (1 - Se) + (1 - p) Sp (1 - Sp)) / m) / J^2;
    PPI: half^2 = z^2 (q (1 - q) / N + var(human - judge) / m);
    human labels only: half^2 = z^2 p (1 - p) / m. For Rogan-Gladen each class also needs `smallest_class` labels.

    Args:
        rate: expected true rate, above 0 and below 1.
        sensitivity: expected sensitivity of the judge.
        specificity: expected specificity.
        replies: judged replies N of the cell.
        half_width: wanted half-width, above 0.
        route: how the rate will be estimated.
        level: coverage aimed at.
        smallest_class: labels of each class without which a correction is refused.

    Returns:
        The plan; labels are None when the judged replies alone leave too much uncertainty, or Se + Sp <= 1.

    Raises:
        ValueError: an argument out of range.
    """
    check_level(level)
    if not (0 < rate < 1 and 0 <= sensitivity <= 1 and 0 <= specificity <= 1 and replies > 0 and half_width > 0):
        message = "expected a rate between 0 and 1, Se and Sp from 0 to 1, replies and half-width above 0"
        raise ValueError(message)
    if route not in ("rogan-gladen", "ppi", "human only"):
        message = f"route must be rogan-gladen, ppi or human only, found {route!r}"
        raise ValueError(message)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    target = (half_width / z) ** 2
    if route == "human only":
        return _plan(route, ceil(rate * (1 - rate) / target), replies, None, half_width, "sampling of the labels")
    judged = rate * sensitivity + (1 - rate) * (1 - specificity)
    if route == "ppi":
        wrong = rate * (1 - sensitivity) + (1 - rate) * (1 - specificity)
        spread, scale = wrong - (rate - judged) ** 2, 1.0
    else:
        scale = sensitivity + specificity - 1
        spread = rate * sensitivity * (1 - sensitivity) + (1 - rate) * specificity * (1 - specificity)
        if scale <= 0:
            return _plan(route, None, replies, None, half_width, "the judge is no better than chance")
    target *= scale**2
    floor = judged * (1 - judged)
    if target <= floor / replies:
        needed = int(floor / target) + 1
        return _plan(route, None, replies, needed, half_width, "too few judged replies, whatever the labels")
    labels, reason = max(1, ceil(spread / (target - floor / replies))), "errors of the judge"
    if route == "rogan-gladen" and labels < (least := ceil(smallest_class / min(rate, 1 - rate))):
        labels, reason = least, f"{smallest_class} labels of the rarer class"
    if route == "ppi" and labels < 2 * smallest_class:
        labels, reason = 2 * smallest_class, "fewest labels that are used"
    return _plan(route, labels, replies, None, half_width, reason)


def _plan(
    route: Route, labels: int | None, replies: int, needed: int | None, half_width: float, reason: str
) -> LabelPlan:
    return LabelPlan(
        route=route, labels=labels, replies=replies, replies_needed=needed, half_width=half_width, reason=reason
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPlan(Result):
    """Items for a paired comparison of two systems.

    Attributes:
        items: items needed, each answered by both.
        clusters: clusters these make.
        trials: repeats of each item by each system.
        replies: replies of one system: items x trials.
        difference: difference that is to be found.
        power: chance of finding it.
        design_effect: factor by which clustering raises the items.
    """

    items: int
    clusters: int
    trials: int
    replies: int
    difference: float
    power: float
    design_effect: float


def plan_comparison(
    *,
    difference: float,
    item_variance: float,
    trial_variance: float = 0.0,
    trials: int = 1,
    cluster_size: float = 1.0,
    intraclass_correlation: float = 0.0,
    power: float = 0.8,
    alpha: float = 0.05,
) -> ComparisonPlan:
    """Items for finding a mean paired difference, two-sided.

    n = (z_(1 - alpha/2) + z_power)^2 (omega^2 + 2 sigma^2 / K) / difference^2, times 1 + (m - 1) ICC for clusters of m
    items; omega^2 the variance over items of the true difference, sigma^2 that of one system's repeated replies to one
    item, K trials. For 0/1 outcomes answered once, omega^2 + 2 sigma^2 is the share of discordant items less
    difference^2.

    Args:
        difference: smallest difference that matters, above 0.
        item_variance: omega^2.
        trial_variance: sigma^2.
        trials: K, at least 1.
        cluster_size: mean items a cluster m, at least 1.
        intraclass_correlation: of the differences within a cluster, 0 to 1.
        power: wanted chance of finding it.
        alpha: two-sided size of the test.

    Returns:
        The plan.

    Raises:
        ValueError: an argument out of range.

    References:
        Miller E. 2024. doi:10.48550/arXiv.2411.00640 (section 5)
        Donner A, Birkett N, Buck C. Am J Epidemiol 1981;114:906-914. doi:10.1093/oxfordjournals.aje.a113261
    """
    checks = (
        difference > 0, item_variance >= 0, trial_variance >= 0, item_variance + trial_variance > 0, trials >= 1,
        cluster_size >= 1, 0 <= intraclass_correlation <= 1, 0 < power < 1, 0 < alpha < 1,
    )  # fmt: skip
    if not all(checks):
        message = "an argument is out of its range; see the description of each"
        raise ValueError(message)
    normal = NormalDist()
    quantiles = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
    effect = 1 + (cluster_size - 1) * intraclass_correlation
    raw = quantiles**2 * (item_variance + 2 * trial_variance / trials) / difference**2 * effect
    items = ceil(raw - 1e-9)
    return ComparisonPlan(
        items=items,
        clusters=ceil(items / cluster_size),
        trials=trials,
        replies=items * trials,
        difference=difference,
        power=power,
        design_effect=effect,
    )


def detectable_difference(
    *,
    items: int,
    item_variance: float,
    trial_variance: float = 0.0,
    trials: int = 1,
    power: float = 0.8,
    alpha: float = 0.05,
    design_effect: float = 1.0,
) -> float:
    """The smallest difference that so many items find with the wanted power: `plan_comparison` turned round.

    Returns:
        The difference, above 0.

    Raises:
        ValueError: an argument out of range.
    """
    if items < 1 or trials < 1 or design_effect < 1 or item_variance < 0 or trial_variance < 0:
        message = "expected items and trials of at least 1, variances of at least 0 and a design effect of at least 1"
        raise ValueError(message)
    normal = NormalDist()
    quantiles = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
    return quantiles * sqrt((item_variance + 2 * trial_variance / trials) * design_effect / items)
