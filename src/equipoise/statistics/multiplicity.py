"""Many p values at once."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjustment: keeps the chance of any false finding; for confirmatory questions.

    The i-th smallest of m becomes max over j <= i of (m - j + 1) p_(j), at most 1.

    Args:
        p_values: p values, each 0 to 1.

    Returns:
        Adjusted values in the order given; empty for none.

    Raises:
        ValueError: a value out of range or NaN.

    References:
        Holm S. Scand J Stat 1979;6:65-70. jstor.org/stable/4615733
    """
    order = _order(p_values)
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[index]))
        adjusted[index] = largest
    return tuple(adjusted)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Benjamini and Hochberg's step-up adjustment: keeps the expected share of false findings; for screening.

    The i-th smallest of m becomes min over j >= i of m p_(j) / j, at most 1.

    Args:
        p_values: p values, each 0 to 1.

    Returns:
        Adjusted values in the order given; empty for none.

    Raises:
        ValueError: a value out of range or NaN.

    References:
        Benjamini Y, Hochberg Y. J R Stat Soc B 1995;57:289-300. doi:10.1111/j.2517-6161.1995.tb02031.x
    """
    order = _order(p_values)
    adjusted, smallest = [0.0] * len(p_values), 1.0
    for rank in range(len(order) - 1, -1, -1):
        smallest = min(smallest, len(order) * p_values[order[rank]] / (rank + 1))
        adjusted[order[rank]] = smallest
    return tuple(adjusted)


def _order(p_values: Sequence[float]) -> list[int]:
    if not all(0 <= value <= 1 for value in p_values):
        message = "expected p values between 0 and 1"
        raise ValueError(message)
    return sorted(range(len(p_values)), key=lambda index: p_values[index])
