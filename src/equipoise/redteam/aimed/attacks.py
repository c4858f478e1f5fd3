"""The attacks there are, in order: to add one, a writer, a check that does not import it, one entry here, and its tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from equipoise.errors import UsageError
from equipoise.ids import canonical_json
from equipoise.redteam.aimed import checks, writers
from equipoise.redteam.aimed.targets import Aimed
from equipoise.redteam.operators.draw import Draw
from equipoise.redteam.operators.items import Form, Item, check_item
from equipoise.redteam.operators.mutant import KeyRelation, NotApplicable, Outcome, Reason, Refused, Rejected, Written
from equipoise.redteam.operators.operator import TEMPLATE, mutant_of
from equipoise.redteam.operators.proposals import MAX_PROPOSAL

Write = Callable[[Item, Aimed, Draw], "Written | Refused"]
Check = Callable[[Item, Item, Aimed, Mapping[str, Any]], tuple[str, ...]]


class AimedWriter(Protocol):
    """Something that proposes a sentence against a criterion, such as a language model."""

    @property
    def id(self) -> str:
        """Identifier with version, kept in every mutant."""
        ...

    def propose(self, item: Item, target: Aimed, kind: str) -> str:
        """A sentence; empty when there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One attack.

    Attributes:
        id: identifier.
        version: changed whenever the same seed gives another text.
        family: distraction, cognitive_bias or measurement.
        summary: one line.
        write: puts it into the last turn, or says why it cannot.
        check: problems of what was written.
        check_name: name of that check, as kept in mutants.
        proposals: whether a model may word it.
    """

    id: str
    version: str = "1"
    family: str
    summary: str
    write: Write
    check: Check
    check_name: str
    proposals: bool = True

    @property
    def name(self) -> str:
        """Identifier with version."""
        return f"{self.id}@{self.version}"

    def attempt(self, item: Item, target: Aimed, draw: Draw) -> Outcome:
        """A checked mutant by template, or why there is none.

        Args:
            item: the conversation.
            target: the criterion aimed at.
            draw: seeded draws.
        """
        if item.form is not Form.CONVERSATION:
            return NotApplicable(operator=self.id, item_id=item.id, reason=Reason.WRONG_FORM, detail=item.form.value)
        return self._judged(item, target, self.write(item, target, draw), draw, TEMPLATE)

    def attempt_with(self, item: Item, target: Aimed, text: str, draw: Draw, *, writer: str) -> Outcome:
        """A mutant from a proposed sentence, checked as one from a template is; there is no second try and no repair.

        Args:
            item: the conversation.
            target: the criterion aimed at.
            text: the proposed sentence; outside text, which is never taken for more than words.
            draw: seeded draws.
            writer: who proposed it.

        Raises:
            UsageError: this attack is written by templates only.
        """
        if not self.proposals:
            message = f"{self.id} is written by templates only"
            raise UsageError(message, field="writer")
        made = " ".join(text.split())
        if not made or len(made) > MAX_PROPOSAL:
            why = (
                "the writer proposed nothing" if not made else f"the proposal is longer than {MAX_PROPOSAL} characters"
            )
            return NotApplicable(operator=self.id, item_id=item.id, reason=Reason.NO_PROPOSALS, detail=why)
        return self._judged(item, target, writers.put(item, made, {}), draw, writer)

    def _judged(self, item: Item, target: Aimed, made: Written | Refused, draw: Draw, writer: str) -> Outcome:
        if isinstance(made, Refused):
            return NotApplicable(operator=self.id, item_id=item.id, reason=made.reason, detail=made.detail)
        problems = (*check_item(made.item), *self.check(item, made.item, target, made.parameters))
        if problems:
            return Rejected(operator=self.id, item_id=item.id, writer=writer, problems=problems)
        parameters = {**made.parameters, "target": target.to_dict()}
        if writer != TEMPLATE:
            parameters["writer"] = writer
        return mutant_of(
            item, made.item, chain=(self.name,), parameters=canonical_json(parameters), relation=KeyRelation.SAME,
            verified_by=("rubric_stands", self.check_name), cautions=(CAUTION,), seed=draw.seed,
        )  # fmt: skip


CAUTION = "That the criterion is still right for the attacked conversation was not checked by a clinician."

ATTACKS: tuple[Attack, ...] = (
    Attack(
        id="aimed.distraction", family="distraction", summary="a chore about a word of the criterion",
        write=writers.distraction, check=checks.check_sentence, check_name="sentence_only",
    ),
    *(
        Attack(
            id=f"aimed.{kind}", family="cognitive_bias", summary=f"a sentence against the criterion ({kind.replace('_', ' ')})",
            write=partial(writers.bias, kind), check=checks.check_sentence, check_name="sentence_only",
        )
        for kind in writers.BIASES
    ),
    Attack(
        id="aimed.impossible_measurement", family="measurement", summary="one measurement becomes impossible",
        write=writers.impossible_measurement, check=checks.check_impossible, check_name="measurement_is_impossible",
        proposals=False,
    ),
)  # fmt: skip
"""All attacks, in order."""


def find_attack(attack_id: str) -> Attack:
    """The attack of that identifier, with or without "aimed.".

    Raises:
        UsageError: there is none.
    """
    for attack in ATTACKS:
        if attack_id in (attack.id, attack.id.removeprefix("aimed.")):
            return attack
    message = f"there is no attack {attack_id!r}; expected all or some of {', '.join(item.id for item in ATTACKS)}"
    raise UsageError(message, field="attacks")
