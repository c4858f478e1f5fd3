"""What a run may cost: prices by the token, an estimate before, a limit during, the cost of each reply after.

Prices change and are not shipped: they are arguments, in US dollars per million tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from equipoise.errors import EquipoiseError, UsageError

CHARACTERS_PER_TOKEN = 4.0
"""Rule of thumb for English text, used by the estimate alone."""


class BudgetSpentError(EquipoiseError):
    """The money set aside for a run is spent; what was answered is kept, and the rest can be asked later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of a model, in US dollars per million tokens.

    Attributes:
        input: of the prompt.
        output: of the reply.
    """

    input: float
    output: float

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """US dollars for a number of tokens."""
        return (tokens_in * self.input + tokens_out * self.output) / 1_000_000


def prices(price_in: float | None, price_out: float | None) -> Prices | None:
    """Both prices, or none.

    Raises:
        UsageError: one of the two is missing, or one is negative.
    """
    if price_in is None and price_out is None:
        return None
    if price_in is None or price_out is None or price_in < 0 or price_out < 0:
        message = "expected both prices, of prompt and reply, in US dollars per million tokens, each 0 or more"
        raise UsageError(message, field="prices")
    return Prices(input=float(price_in), output=float(price_out))


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run would need at most.

    Attributes:
        calls: calls of the model; more when it uses functions.
        tokens_in: tokens of all prompts, by `CHARACTERS_PER_TOKEN`.
        tokens_out: tokens of all replies, each at its limit.
        cost: US dollars; None without prices.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def estimate(prompt_characters: int, calls: int, max_tokens: int, known: Prices | None) -> Estimate:
    """The estimate for prompts of so many characters together."""
    tokens_in, tokens_out = round(prompt_characters / CHARACTERS_PER_TOKEN), calls * max_tokens
    return Estimate(
        calls=calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=None if known is None else known.cost(tokens_in, tokens_out),
    )


@dataclass(slots=True)
class Budget:
    """Money set aside for one start of a run; replies under way when it is spent are still paid, a retry starts at zero.

    Attributes:
        most: US dollars; None for no limit.
        prices: prices of the model; None when not known.
        spent: US dollars so far.
        by_model: prices of single models, where several share the money; `prices` holds for the others.
        pot: the budget whose money this one spends; None when it is its own.
    """

    most: float | None
    prices: Prices | None
    spent: float = field(default=0.0)
    by_model: Mapping[str, Prices] = field(default_factory=dict)
    pot: Budget | None = None

    def __post_init__(self) -> None:
        if self.most is not None and self.prices is None and not self.by_model:
            message = "a limit in money needs the prices of the model"
            raise UsageError(message, field="max_cost")
        if self.most is not None and self.most < 0:
            message = f"expected 0 or more US dollars, found {self.most}"
            raise UsageError(message, field="max_cost")

    def of(self, model: str) -> Budget:
        """The same money at the prices of one model.

        Args:
            model: name of the model.
        """
        return Budget(most=None, prices=self.by_model.get(model, self.prices), pot=self)

    def require(self) -> None:
        """Go on only while there is money.

        Raises:
            BudgetSpentError: it is spent.
        """
        if self.pot is not None:
            self.pot.require()
        if self.most is not None and self.spent >= self.most:
            message = f"the budget of {self.most:g} US dollars is spent; raise it and retry the log to ask what is left"
            raise BudgetSpentError(message)

    def pay(self, tokens_in: int, tokens_out: int) -> None:
        """Count the tokens of a reply."""
        if self.prices is not None:
            cost = self.prices.cost(tokens_in, tokens_out)
            self.spent += cost
            if self.pot is not None:
                self.pot.spent += cost
