"""Prices of models as they are typed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.evals.budget import Prices


def read_prices(texts: Sequence[str] | None, models: Collection[str]) -> dict[str, Prices]:
    """Prices by model from MODEL=IN,OUT.

    Args:
        texts: as typed.
        models: the models that are asked.

    Raises:
        UsageError: another form, a negative price, a model that is not asked, or one priced twice.
    """
    from equipoise.evals.budget import prices

    found: dict[str, Prices] = {}
    for text in texts or ():
        model, _, rest = text.rpartition("=")
        try:
            first, second = (float(part) for part in rest.split(","))
        except ValueError:
            message = f"expected MODEL=IN,OUT in US dollars per million tokens, got {text!r}"
            raise UsageError(message, field="--price") from None
        if model not in models or model in found:
            why = "is priced twice" if model in found else f"is not asked; expected one of {', '.join(models)}"
            message = f"{model!r} {why}"
            raise UsageError(message, field="--price")
        known = prices(first, second)
        if known is not None:
            found[model] = known
    return found
