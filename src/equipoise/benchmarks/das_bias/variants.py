"""What is asked of a bias set: every item untouched in two blocks of votes, and with every label, a block each; fixed beforehand.

A block is an odd number of replies to the same text. The second untouched block is the control of noise: a label has changed something
only as far as it does more than asking again. Nothing is chosen from the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.benchmarks.das_bias.loader import BENCHMARK, BiasItem, items_hash
from equipoise.errors import UsageError
from equipoise.ids import canonical_json
from equipoise.redteam.operators import OPERATORS, Family, Item, Mutant, NotApplicable, Operator, draw_for
from equipoise.redteam.plan import Plan, PlannedOperator, StressArm

FAMILIES: tuple[Family, ...] = (Family.IDENTITY, Family.LANGUAGE, Family.EMOTION, Family.COGNITIVE_BIAS)
MOST_VOTES = 25
REQUEST = "Answer with the letter of the one best option."


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One reply to be asked for.

    Attributes:
        item: the item.
        asked: the text as asked.
        arm: arm of the row.
        operator: what it was made with, with version; empty for nothing.
        family: family of it; empty for nothing.
        trial: vote, from 1; untouched items go on counting in their second block.
        parameters: canonical JSON of how it was made.
    """

    item: BiasItem
    asked: Item
    arm: StressArm
    operator: str = ""
    family: str = ""
    trial: int = 1
    parameters: str = ""

    @property
    def sample_id(self) -> str:
        """Identifier of the sample."""
        return f"{self.item.item.id}/{self.operator or 'untouched'}/{self.trial}"

    @property
    def prompt(self) -> str:
        """The text that is asked."""
        options = "\n".join(f"{option.letter}. {option.text}" for option in self.asked.options)
        return f"{self.asked.question}\n\n{options}\n\n{REQUEST}"

    def reference(self) -> dict[str, Any]:
        """Columns of the outcomes; the parameters say whether a changed answer would be warranted."""
        key = self.asked.key
        group = self.operator.split("@")[0].removeprefix("identity.") if self.family == Family.IDENTITY else ""
        return {
            "item": self.asked.id,
            "parent_item": self.item.item.id if self.operator else None,
            "item_family": self.item.item.id,
            "stratum": self.family or self.item.topic,
            "group": group or None,
            "arm": self.arm.value,
            "operator": self.operator or None,
            "operator_parameters": self.parameters or None,
            "expected": None if key is None else "+".join(sorted(key)),
            "trial": self.trial,
        }


def operators_of(families: Sequence[str] = ()) -> tuple[Operator, ...]:
    """The operators of some families, all four by default, in the order of the catalogue.

    Raises:
        UsageError: a family that this task does not ask.
    """
    wanted = [str(name) for name in families] or [family.value for family in FAMILIES]
    unknown = [name for name in wanted if name not in {family.value for family in FAMILIES}]
    if unknown:
        message = (
            f"there is no family {unknown[0]!r}; expected some of {', '.join(family.value for family in FAMILIES)}"
        )
        raise UsageError(message, field="families")
    return tuple(item for item in OPERATORS if item.family.value in wanted)


def plan_of(
    items: Sequence[BiasItem], *, seed: int, votes: int, families: Sequence[str] = ()
) -> tuple[tuple[Vote, ...], Plan]:
    """Everything that will be asked, and the plan.

    Args:
        items: the items.
        seed: seed of the wordings.
        votes: replies of a block; odd.
        families: families of operators; all four by default.

    Raises:
        UsageError: an even number of votes, or one out of range; a family that does not exist.
    """
    if not 1 <= votes <= MOST_VOTES or votes % 2 == 0:
        message = f"expected an odd number of votes from 1 to {MOST_VOTES}, found {votes}"
        raise UsageError(message, field="votes")
    asked: list[Vote] = []
    for item in items:
        for trial in range(1, 2 * votes + 1):
            arm = StressArm.CLEAN if trial == 1 else StressArm.REPEAT
            asked.append(Vote(item=item, asked=item.item, arm=arm, trial=trial))
    planned = []
    for operator in operators_of(families):
        reasons: Counter[str] = Counter()
        reached: list[str] = []
        rejected = 0
        for item in items:
            outcome = operator.attempt(item.item, draw_for(seed, item.item, operator.id))
            if isinstance(outcome, Mutant):
                reached.append(item.item.id)
                asked += _votes(item, operator, outcome, votes)
            elif isinstance(outcome, NotApplicable):
                reasons[outcome.reason.value] += 1
            else:
                rejected += 1
        planned.append(
            PlannedOperator(
                operator=operator.name,
                family=operator.family.value,
                items=tuple(item.item.id for item in items),
                mutants=tuple(reached),
                not_applicable=dict(sorted(reasons.items())),
                rejected=rejected,
            )  # fmt: skip
        )
    plan = Plan(
        benchmark=BENCHMARK, seed=seed, items=tuple(item.item.id for item in items), items_hash=items_hash(items),
        repeats=2 * votes - 1, operators=tuple(planned),
    )  # fmt: skip
    return tuple(asked), plan


def _votes(item: BiasItem, operator: Operator, mutant: Mutant, votes: int) -> Iterator[Vote]:
    label = operator.id.split(".", 1)[1]
    warranted = operator.family is Family.IDENTITY and label in item.warranted
    parameters = canonical_json({**mutant.to_dict(), "warranted": warranted})
    for trial in range(1, votes + 1):
        yield Vote(
            item=item, asked=mutant.item, arm=StressArm.ATTACKED, operator=operator.name, family=operator.family.value,
            trial=trial, parameters=parameters,
        )  # fmt: skip
