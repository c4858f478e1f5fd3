"""Two or more systems, or two framings, on the same items: tests that use the pairs."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb, erfc, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise._optional import require
from equipoise.statistics.bootstrap import RESAMPLES, bootstrap
from equipoise.statistics.estimate import Estimate, HypothesisTest, undefined
from equipoise.statistics.proportions import wilson

EXACT_FLIPS = 14
"""Units up to which a sign-flip test lists every arrangement (2^14)."""

McNemarMethod = Literal["exact", "mid-p", "chi-square", "chi-square corrected"]


def mcnemar(first_only: int, second_only: int, *, method: McNemarMethod = "exact") -> HypothesisTest:
    """McNemar test of two rates on the same items.

    Only discordant items speak: b where the first alone succeeds, c where the second alone does, n = b + c.
    Exact: twice the binomial tail P(X <= min(b, c)), X ~ Binomial(n, 1/2), at most 1. Mid-p: the same less
    P(X = min(b, c)). Chi-square: (b - c)^2 / n, corrected (|b - c| - 1)^2 / n, one degree of freedom.

    Args:
        first_only: items on which only the first succeeds.
        second_only: items on which only the second succeeds.
        method: which of the four.

    Returns:
        Two-sided p value. Without discordant items p is 1 by every method: nothing speaks for a difference. The
        smallest p of the exact test is 2^(1 - n).

    Raises:
        ValueError: a negative count or an unknown method.

    References:
        McNemar Q. Psychometrika 1947;12:153-157. doi:10.1007/BF02295996
        Fagerland MW, Lydersen S, Laake P. BMC Med Res Methodol 2013;13:91. doi:10.1186/1471-2288-13-91
    """
    if first_only < 0 or second_only < 0:
        message = f"expected no negative count, found {first_only} and {second_only}"
        raise ValueError(message)
    n, few = first_only + second_only, min(first_only, second_only)
    gap = abs(first_only - second_only)
    statistic: float | None = None
    if method == "exact":
        p_value = min(1.0, 2 * _tail(n, few))
    elif method == "mid-p":
        p_value = 1.0 if first_only == second_only else 2 * _tail(n, few) - comb(n, few) / 2**n
    elif method in ("chi-square", "chi-square corrected"):
        shift = 0 if method == "chi-square" else min(1, gap)
        statistic = (gap - shift) ** 2 / n if n else 0.0
        p_value = erfc(sqrt(statistic / 2))
    else:
        message = f"method must be exact, mid-p, chi-square or chi-square corrected, found {method!r}"
        raise ValueError(message)
    warnings = () if n else ("no item on which the two differ: nothing speaks for a difference, p is 1",)
    floors = {"exact": min(1.0, 2.0 ** (1 - n)), "mid-p": min(1.0, 2.0**-n)}
    return HypothesisTest(
        p_value=p_value,
        statistic=statistic,
        method=f"McNemar, {method}, two-sided",
        n_used=n,
        smallest_p=floors.get(method),
        details={"first_only": first_only, "second_only": second_only},
        warnings=warnings,
    )


def paired_rate_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    rng: np.random.Generator,
    clusters: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    n_left_out: int = 0,
    why_left_out: str = "",
) -> Estimate:
    """Mean of first - second over items both answered, with a paired bootstrap interval.

    When no item differs, or all by the same number, resampling gives no width: the ends are then the mean minus and
    plus the upper Wilson end of the share of items (or clusters) that could be otherwise, within the range of the
    numbers.

    Args:
        first: a number an item.
        second: a number for the same items.
        rng: random generator.
        clusters: a label an item; items of one label are drawn together.
        resamples: number of resamples.
        level: coverage aimed at.
        n_left_out: items that only one of the two answered.
        why_left_out: why they could not enter.

    Returns:
        Estimate in the unit of the numbers; undefined without items.

    Raises:
        ValueError: unequal lengths, a value that is not finite, or a single cluster.

    References:
        Miller E. 2024. doi:10.48550/arXiv.2411.00640 (paired differences between models)
    """
    one, two = _pair_of(first, second)
    differences = one - two
    if len(differences) == 0:
        return undefined("no item", n_left_out=n_left_out, why_left_out=why_left_out)
    if (differences == differences[0]).all():
        units = len(differences) if clusters is None else len(set(np.asarray(clusters).tolist()))
        scale = float(max(np.abs(one).max(), np.abs(two).max(), 1.0))
        reach = (wilson(0, units, level=level).high or 1.0) * scale
        middle = float(differences[0])
        what = "no item differs" if middle == 0 else "every item differs by the same"
        return Estimate(
            estimate=middle,
            low=max(-scale, middle - reach),
            high=min(scale, middle + reach),
            method=f"{what}: Wilson bound of the share that could{'' if middle == 0 else ' be otherwise'}, {level:.0%}",
            n_used=len(differences),
            n_left_out=n_left_out,
            why_left_out=why_left_out,
            warnings=("no item differs between the two" if middle == 0 else f"{what} number",),
        )
    return bootstrap(
        np.column_stack([differences, np.ones(len(differences))]),
        lambda totals: totals[:, 0] / totals[:, 1],
        rng=rng,
        resamples=resamples,
        level=level,
        clusters=clusters,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
    )


def cochran_q(successes: ArrayLike) -> HypothesisTest:
    """Cochran's Q: do k systems succeed equally often on the same items?

    Q = (k - 1) (k sum C_j^2 - N^2) / (k N - sum R_i^2) with column sums C, row sums R and N successes; chi-square with
    k - 1 degrees of freedom. Needs the extra `stats`.

    Args:
        successes: shape (items, systems) of 0 and 1, complete.

    Returns:
        p value; 1 with a warning when on every item all systems agree (Q would be 0 / 0).

    Raises:
        ValueError: other values, or fewer than two systems.
        DependencyError: scipy is not installed.

    References:
        Cochran WG. Biometrika 1950;37:256-266. doi:10.1093/biomet/37.3-4.256
    """
    table = np.asarray(successes, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2 or not np.isin(table, (0.0, 1.0)).all():
        message = f"expected 0 or 1 of shape (items, at least two systems), found shape {table.shape}"
        raise ValueError(message)
    systems = table.shape[1]
    columns, rows, total = table.sum(axis=0), table.sum(axis=1), float(table.sum())
    below = systems * total - float((rows**2).sum())
    method = f"Cochran Q, chi-square with {systems - 1} degrees of freedom"
    if below == 0:
        return HypothesisTest(
            p_value=1.0,
            statistic=0.0,
            method=method,
            n_used=len(table),
            warnings=("on every item all systems agree: nothing speaks for a difference, p is 1",),
        )
    statistic = (systems - 1) * (systems * float((columns**2).sum()) - total**2) / below
    p_value = float(require("scipy.stats", extra="stats").chi2.sf(statistic, systems - 1))
    return HypothesisTest(p_value=p_value, statistic=statistic, method=method, n_used=len(table))


def wilcoxon_pairs(
    differences: ArrayLike,
    *,
    rng: np.random.Generator,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> HypothesisTest:
    """Wilcoxon signed-rank test on one difference a pair (the mean over repeats of that pair), exact with ties.

    Differences of 0 are left out; ranks of equal sizes are averaged. The null distribution of the positive rank sum
    lists all 2^n signs, by adding up over twice the ranks.

    Args:
        differences: one number a pair.
        rng: random generator of the effect's interval.
        alternative: direction; greater means that differences tend to be positive.
        resamples: resamples for the interval of the mean difference.
        level: coverage of that interval.

    Returns:
        p value with the positive rank sum as statistic, the mean difference (zeros included) with its bootstrap
        interval as effect, and the smallest p of the design. p is 1 without non-zero differences.

    Raises:
        ValueError: a value is not finite, more than 1,000 pairs, or an unknown alternative.

    References:
        Wilcoxon F. Biometrics Bull 1945;1:80-83. doi:10.2307/3001968
        Streitberg B, Roehmel J. Stat Software Newsl 1986;12:10-17 (exact with ties).
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all() or len(values) > 1000:
        message = "expected at most 1000 finite numbers, one a pair"
        raise ValueError(message)
    if alternative not in ("two-sided", "greater", "less"):
        message = f"alternative must be two-sided, greater or less, found {alternative!r}"
        raise ValueError(message)
    kept = values[values != 0]
    effect = None
    if len(values) >= 2:
        effect = bootstrap(
            np.column_stack([values, np.ones(len(values))]),
            lambda totals: totals[:, 0] / totals[:, 1],
            rng=rng,
            resamples=resamples,
            level=level,
        )
    doubled = _doubled_ranks(np.abs(kept))
    positive = int(doubled[kept > 0].sum())
    chances = _sign_sums(doubled)
    upper, lower = float(chances[positive:].sum()), float(chances[: positive + 1].sum())
    p_value = {"greater": upper, "less": lower, "two-sided": min(1.0, 2 * min(upper, lower))}[alternative]
    sides = 2 if alternative == "two-sided" else 1
    return HypothesisTest(
        p_value=min(1.0, p_value),
        statistic=positive / 2,
        method=f"Wilcoxon signed rank, exact, {alternative}",
        n_used=len(kept),
        n_left_out=len(values) - len(kept),
        why_left_out="difference 0" if len(kept) < len(values) else "",
        effect=effect,
        smallest_p=min(1.0, sides * 2.0 ** -len(kept)),
        warnings=() if len(kept) else ("no pair differs: nothing speaks for a difference, p is 1",),
    )


def permutation_did(
    first: ArrayLike,
    second: ArrayLike,
    *,
    paired: bool,
    rng: np.random.Generator,
    permutations: int = 10_000,
) -> HypothesisTest:
    """Difference in differences by permutation: is the gap in one group larger than in the other?

    `first` and `second` hold one difference a unit (lay minus physician on one pair, say). Paired: both groups are seen
    on the same units, and the sign of each unit's first - second is flipped. Not paired: units are exchanged between
    the groups. The statistic is the mean of first minus the mean of second; two-sided.

    Args:
        first: one difference a unit of the first group.
        second: one difference a unit of the second group.
        paired: whether unit i is the same in both.
        rng: random generator; not used when all arrangements are listed.
        permutations: draws when there are too many arrangements to list (more than 2^14).

    Returns:
        p value with the statistic, and the smallest p the design can give. With draws, p is
        (1 + as extreme) / (1 + draws).

    Raises:
        ValueError: a value is not finite, a group is empty, lengths differ though paired, or no permutation.

    References:
        Phipson B, Smyth GK. Stat Appl Genet Mol Biol 2010;9:39. doi:10.2202/1544-6115.1585
    """
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if len(one) == 0 or len(two) == 0 or permutations < 1:
        message = "expected units in both groups and at least one permutation"
        raise ValueError(message)
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        message = "expected finite numbers"
        raise ValueError(message)
    observed = float(one.mean() - two.mean())
    if paired:
        one, two = _pair_of(one, two)
        values, floor, how = _flips(one - two, rng, permutations)
        n_used = len(one)
    else:
        values, floor, how = _exchanges(one, two, rng, permutations)
        n_used = len(one) + len(two)
    extreme = int((np.abs(values) >= abs(observed) - 1e-12).sum())
    listed = how.startswith("all")
    p_value = extreme / len(values) if listed else (1 + extreme) / (1 + len(values))
    return HypothesisTest(
        p_value=p_value,
        statistic=observed,
        method=f"permutation of {'signs' if paired else 'groups'}, {how}, two-sided",
        n_used=n_used,
        smallest_p=floor,
        warnings=((f"the smallest p this design can give is {floor:.3g}",) if floor > 0.05 else ()),
    )


def _tail(n: int, x: int) -> float:
    """P(X <= x) for X ~ Binomial(n, 1/2), without rounding before the last division."""
    below: int = sum(comb(n, k) for k in range(x + 1))
    return below / int(2**n)


def _pair_of(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != two.shape or one.ndim != 1:
        message = f"expected two lists of one length, found shapes {one.shape} and {two.shape}"
        raise ValueError(message)
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        message = "expected finite numbers"
        raise ValueError(message)
    return one, two


def _doubled_ranks(sizes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Twice the average ranks: whole numbers."""
    order = np.sort(sizes)
    return np.searchsorted(order, sizes, side="left") + np.searchsorted(order, sizes, side="right") + 1


def _sign_sums(weights: NDArray[np.int64]) -> NDArray[np.float64]:
    """Chance of each sum of the weights kept with probability 1/2."""
    chances = np.zeros(int(weights.sum()) + 1)
    chances[0] = 1.0
    for weight in weights.tolist():
        chances[weight:] = (chances[weight:] + chances[: len(chances) - weight]) / 2
        chances[:weight] /= 2
    return chances


def _flips(
    differences: NDArray[np.float64], rng: np.random.Generator, permutations: int
) -> tuple[NDArray[np.float64], float, str]:
    n = len(differences)
    if n <= EXACT_FLIPS:
        signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return signs @ differences / n, min(1.0, 2.0 ** (1 - n)), f"all {2**n} arrangements"
    values = np.concatenate(
        [
            rng.choice((-1.0, 1.0), size=(stop - start, n)) @ differences / n
            for start, stop in pairwise([*range(0, permutations, 1000), permutations])
        ]
    )
    return values, 1 / (1 + permutations), f"{permutations} draws"


def _exchanges(
    one: NDArray[np.float64], two: NDArray[np.float64], rng: np.random.Generator, permutations: int
) -> tuple[NDArray[np.float64], float, str]:
    pool, size = np.concatenate([one, two]), len(one)
    total, n = float(pool.sum()), len(pool)
    arrangements = comb(n, size)
    if arrangements <= 2**EXACT_FLIPS:
        sums = np.array([pool[list(chosen)].sum() for chosen in combinations(range(n), size)])
        how, floor = f"all {arrangements} arrangements", (2 if size * 2 == n else 1) / arrangements
    else:
        sums = np.array([rng.permutation(pool)[:size].sum() for _ in range(permutations)])
        how, floor = f"{permutations} draws", 1 / (1 + permutations)
    return sums / size - (total - sums) / (n - size), floor, how
