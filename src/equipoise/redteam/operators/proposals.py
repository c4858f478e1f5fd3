"""An optional writer that proposes texts, such as a language model; the operator places and checks every one.

A proposal is outside text: it is never taken for more than words, and none becomes a mutant without the operator's checks.
"""

from __future__ import annotations

from typing import Protocol

from equipoise.errors import UsageError
from equipoise.redteam.operators.draw import Draw
from equipoise.redteam.operators.items import Item
from equipoise.redteam.operators.mutant import Outcome, Reason, Refused
from equipoise.redteam.operators.operator import Operator

MAX_PROPOSAL = 2000
"""Longest proposal that is looked at, in characters."""


class Writer(Protocol):
    """Something that proposes a text for an item.

    What is wanted hangs on the operator: a sentence, the final question in negated form, or distractors, one a line.

    Attributes:
        id: identifier with version, kept in every mutant.
    """

    @property
    def id(self) -> str:
        """Identifier with version."""
        ...

    def propose(self, item: Item) -> str:
        """A text for an item; empty when there is none."""
        ...


def attempt_with(operator: Operator, item: Item, writer: Writer, draw: Draw) -> Outcome:
    """A mutant from a proposed text, checked as one from a template is; there is no second try and no repair.

    Args:
        operator: one that accepts proposals.
        item: the item.
        writer: who proposes.
        draw: seeded draws.

    Raises:
        UsageError: the operator takes no proposals, or the writer has no identifier.
    """
    if operator.accept is None:
        message = f"{operator.id} is written by templates only"
        raise UsageError(message, field="operator")
    if not writer.id.strip():
        message = "expected a writer with an identifier, so that its texts can be told from templates"
        raise UsageError(message, field="writer")
    if item.form not in operator.applies_to:
        return operator.judge(item, Refused(Reason.WRONG_FORM, item.form.value), draw, writer=writer.id)
    text = writer.propose(item)
    if not isinstance(text, str) or not text.strip():
        return operator.judge(item, Refused(Reason.NO_PROPOSALS, "the writer proposed nothing"), draw, writer=writer.id)
    if len(text) > MAX_PROPOSAL:
        refused = Refused(Reason.NO_PROPOSALS, f"the proposal is longer than {MAX_PROPOSAL} characters")
        return operator.judge(item, refused, draw, writer=writer.id)
    return operator.judge(item, operator.accept(item, text, draw), draw, writer=writer.id)
