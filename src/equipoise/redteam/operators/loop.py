"""The static loop: every operator on every item, with denominators fixed before any model is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.errors import InputError
from equipoise.ids import content_hash
from equipoise.redteam.operators.catalogue import OPERATORS
from equipoise.redteam.operators.draw import draw_for
from equipoise.redteam.operators.items import Item
from equipoise.redteam.operators.mutant import Mutant, NotApplicable, Reason, Rejected
from equipoise.redteam.operators.operator import Operator


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How far one operator reaches; the counts are fixed here and are the denominators of every later rate.

    Attributes:
        operator: identifier with version.
        items: items of a form the operator works on: denominator of coverage and of end-to-end rates.
        mutants: items for which there is a checked mutant: denominator of conditional rates.
        not_applicable: items by coded reason, those of another form left out.
        rejected: mutants that a check refused.
    """

    operator: str
    items: int
    mutants: int
    not_applicable: tuple[tuple[str, int], ...]
    rejected: int

    @property
    def share(self) -> float | None:
        """Mutants per item, 0 to 1; None without an item of a fitting form."""
        return self.mutants / self.items if self.items else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticSet:
    """Every operator on every item.

    Attributes:
        seed: seed of the draws.
        items: number of items.
        items_hash: hash over the items' contents, whatever their order.
        mutants: in the order of operators, then items.
        not_applicable: the same, items of another form included.
        rejected: the same.
        coverage: one entry an operator.
    """

    seed: int
    items: int
    items_hash: str
    mutants: tuple[Mutant, ...]
    not_applicable: tuple[NotApplicable, ...]
    rejected: tuple[Rejected, ...]
    coverage: tuple[Coverage, ...]

    @property
    def content_hash(self) -> str:
        """Hash of what was asked of whom: items, seed, operators and mutants, whatever the order of items."""
        made = sorted([item.parent_hash, *item.chain, item.content_hash] for item in self.mutants)
        return content_hash([self.seed, self.items_hash, [item.operator for item in self.coverage], made])

    def to_dict(self) -> dict[str, Any]:
        """The frozen denominators, as plain JSON values."""
        return {
            "seed": self.seed,
            "items": self.items,
            "items_hash": self.items_hash,
            "content_hash": self.content_hash,
            "coverage": [
                {
                    "operator": item.operator,
                    "items": item.items,
                    "mutants": item.mutants,
                    "not_applicable": dict(item.not_applicable),
                    "rejected": item.rejected,
                }
                for item in self.coverage
            ],
        }


def static_set(items: Sequence[Item], *, seed: int, operators: Sequence[Operator] = OPERATORS) -> StaticSet:
    """Apply every operator to every item.

    Args:
        items: items with distinct identifiers; their order changes nothing but the order of the result.
        seed: seed of the draws.
        operators: which ones, in order.

    Raises:
        InputError: two items have the same identifier.
    """
    names = Counter(item.id for item in items)
    double = next((name for name, count in names.items() if count > 1), "")
    if double:
        message = f"the identifier {double!r} occurs twice; every item needs one of its own"
        raise InputError(message, field="items")
    mutants: list[Mutant] = []
    refused: list[NotApplicable] = []
    rejected: list[Rejected] = []
    coverage: list[Coverage] = []
    for operator in operators:
        own: list[NotApplicable] = []
        made = bad = 0
        for item in items:
            outcome = operator.attempt(item, draw_for(seed, item, operator.id))
            match outcome:
                case Mutant():
                    mutants.append(outcome)
                    made += 1
                case NotApplicable():
                    own.append(outcome)
                case Rejected():
                    rejected.append(outcome)
                    bad += 1
        refused += own
        coverage.append(_coverage(operator, items, own, made, bad))
    return StaticSet(
        seed=seed,
        items=len(items),
        items_hash=content_hash(sorted(item.content_hash for item in items)),
        mutants=tuple(mutants),
        not_applicable=tuple(refused),
        rejected=tuple(rejected),
        coverage=tuple(coverage),
    )


def _coverage(operator: Operator, items: Sequence[Item], own: Sequence[NotApplicable], made: int, bad: int) -> Coverage:
    forms = {item.id: item.form for item in items}
    reasons = Counter(
        item.reason.value
        for item in own
        if not (item.reason is Reason.WRONG_FORM and forms[item.item_id] not in operator.applies_to)
    )
    return Coverage(
        operator=operator.name,
        items=sum(item.form in operator.applies_to for item in items),
        mutants=made,
        not_applicable=tuple(sorted(reasons.items())),
        rejected=bad,
    )
