"""An operator: when it applies, what it writes, and which checks its mutant must pass.

The writer and the checks share no code: `writers/` and `checks/` do not import each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol

from equipoise.errors import InputError
from equipoise.ids import canonical_json
from equipoise.redteam.operators.checks.keys import check_key
from equipoise.redteam.operators.draw import Draw
from equipoise.redteam.operators.items import Form, Item, check_item
from equipoise.redteam.operators.mutant import (
    KeyRelation,
    Mutant,
    NotApplicable,
    Outcome,
    Reason,
    Refused,
    Rejected,
    Written,
)

TEMPLATE = "template"
"""Writer of everything that is not proposed by a model."""

KEY_CHECK = "key_relation"
"""Name of the check of the key that every mutant passes."""


class Family(StrEnum):
    """What an operator does, for conflicts and for reports."""

    OPTIONS = "options"
    STEM = "stem"
    BAIT = "bait"
    IDENTITY = "identity"
    LANGUAGE = "language"
    EMOTION = "emotion"
    COGNITIVE_BIAS = "cognitive_bias"
    PRIVACY = "privacy"
    FACT = "fact"
    TRUNCATION = "truncation"


class OperatorRefusedError(InputError):
    """An operator made no mutant; `outcome` says why.

    Args:
        outcome: the reason, or the rejected mutant's problems.
    """

    def __init__(self, outcome: NotApplicable | Rejected) -> None:
        self.outcome = outcome
        what = (
            f"does not apply ({outcome.reason.value}{f': {outcome.detail}' if outcome.detail else ''})"
            if isinstance(outcome, NotApplicable)
            else f"was rejected: {outcome.problems[0]}"
        )
        super().__init__(f"{outcome.operator} on item {outcome.item_id!r} {what}", field="operator")


Write = Callable[[Item, Draw], "Written | Refused"]
Check = Callable[[Item, Item, Mapping[str, Any]], tuple[str, ...]]
Settle = Callable[[Item, Item], "Refused | tuple[str, ...]"]


class Accept(Protocol):
    """Puts a proposed text in its place."""

    def __call__(self, item: Item, text: str, draw: Draw) -> Written | Refused:
        """The item with the text in it, or why it cannot be."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One operator.

    Attributes:
        id: identifier, unique in the catalogue.
        version: changed whenever the same seed gives another mutant.
        family: what it does.
        summary: one line.
        applies_to: forms of items it can work on.
        relation: how the key of its mutants relates to the parent's.
        write: makes the change, or says why it cannot.
        check: post-conditions: problems of a mutant, given parent, mutant and parameters.
        check_name: name of that check, as kept in mutants.
        settle: after the checks, whether the mutant is of the wanted kind: refuses, or adds cautions. None for none.
        settle_name: name of it, as kept in mutants.
        accept: puts a text that a model proposed in its place; None when only templates write.
    """

    id: str
    version: str = "1"
    family: Family
    summary: str
    applies_to: frozenset[Form]
    relation: KeyRelation
    write: Write
    check: Check
    check_name: str
    settle: Settle | None = None
    settle_name: str = ""
    accept: Accept | None = None

    @property
    def name(self) -> str:
        """Identifier with version."""
        return f"{self.id}@{self.version}"

    def attempt(self, item: Item, draw: Draw) -> Outcome:
        """A checked mutant, or why there is none.

        Args:
            item: the item; it is never changed.
            draw: seeded draws.
        """
        if item.form not in self.applies_to:
            return NotApplicable(operator=self.id, item_id=item.id, reason=Reason.WRONG_FORM, detail=item.form.value)
        return self.judge(item, self.write(item, draw), draw)

    def apply(self, item: Item, draw: Draw) -> Mutant:
        """A checked mutant.

        Raises:
            OperatorRefusedError: there is none; its `outcome` says why.
        """
        outcome = self.attempt(item, draw)
        if not isinstance(outcome, Mutant):
            raise OperatorRefusedError(outcome)
        return outcome

    def judge(self, item: Item, made: Written | Refused, draw: Draw, *, writer: str = TEMPLATE) -> Outcome:
        """Hold what a writer made against the checks; nothing else makes a mutant.

        Args:
            item: the parent.
            made: what was written.
            draw: the draws it was written with.
            writer: who wrote it.
        """
        if isinstance(made, Refused):
            return NotApplicable(operator=self.id, item_id=item.id, reason=made.reason, detail=made.detail)
        problems = (*check_item(made.item), *check_key(item, made.item, self.relation))
        if not problems:
            problems = self.check(item, made.item, made.parameters)
        if problems:
            return Rejected(operator=self.id, item_id=item.id, writer=writer, problems=tuple(problems))
        verified: tuple[str, ...] = (KEY_CHECK, self.check_name)
        cautions = made.cautions
        if self.settle is not None:
            settled = self.settle(item, made.item)
            if isinstance(settled, Refused):
                return NotApplicable(operator=self.id, item_id=item.id, reason=settled.reason, detail=settled.detail)
            cautions += settled
            if not settled:
                verified += (self.settle_name,)
        parameters = dict(made.parameters)
        if writer != TEMPLATE:
            parameters["writer"] = writer
        return mutant_of(
            item, made.item, chain=(self.name,), parameters=canonical_json(parameters), relation=self.relation,
            verified_by=verified, cautions=cautions, seed=draw.seed,
        )  # fmt: skip


def mutant_of(
    parent: Item,
    changed: Item,
    *,
    chain: tuple[str, ...],
    parameters: str,
    relation: KeyRelation,
    verified_by: tuple[str, ...],
    cautions: tuple[str, ...],
    seed: int,
) -> Mutant:
    """A mutant under an identifier made of its parent's, its operators and its content."""
    operators = "+".join(name.split("@")[0] for name in chain)
    hashed = changed.content_hash
    return Mutant(
        parent_id=parent.id,
        parent_hash=parent.content_hash,
        chain=chain,
        parameters=parameters,
        item=replace(changed, id=f"{parent.id}~{operators}~{hashed[:8]}"),
        relation=relation,
        verified_by=verified_by,
        cautions=cautions,
        seed=seed,
        content_hash=hashed,
    )
