"""What a stress test will ask, fixed before any model is asked: the denominators of every rate, and their hash.

How the columns of the outcomes table are used by the stress tests: `arm` is a `StressArm`; `item` the mutant, `parent_item` the
untouched item (null for that item itself and its repeats); `item_family` the untouched item on every row, which is the cluster of all
intervals; `operator` the chain of operators joined by "+", `operator_parameters` their parameters with `relation` and `verified_by`;
`expected` the key as written ("B", "A+D"; null where nothing settles it), `label` what was read, in the same form; `stratum` the family
of the operator or the category of the item; `group` the identity that was stated; `trial` 1 for the untouched item and 2, 3, ... for its
repeats; `round` the round of an adaptive loop. Rules write judgements as judge "rules:NAME".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from equipoise.errors import InputError
from equipoise.ids import content_hash


class StressArm(StrEnum):
    """What was done to the item.

    CLEAN: nothing. REPEAT: nothing, asked again, as the control of noise. ATTACKED: changed by one operator or a fixed chain.
    ADAPTIVE: changed by what a strategist chose from the history; a worst case, never beside single shots.
    """

    CLEAN = "clean"
    REPEAT = "repeat"
    ATTACKED = "attacked"
    ADAPTIVE = "adaptive"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedOperator:
    """What one operator was to reach.

    Attributes:
        operator: identifier with version, or a chain of them joined by "+".
        family: family of the operator.
        items: untouched items of a form that it works on: denominator of coverage and of end-to-end rates.
        mutants: those for which there is a checked mutant: denominator of conditional rates. A subset of `items`.
        not_applicable: number of items by coded reason.
        rejected: items whose mutant a check refused.
    """

    operator: str
    family: str
    items: tuple[str, ...]
    mutants: tuple[str, ...]
    not_applicable: Mapping[str, int]
    rejected: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything a stress test will ask.

    Attributes:
        benchmark: identifier of the task.
        seed: seed of the draws.
        items: identifiers of the untouched items.
        items_hash: hash over their contents.
        repeats: untouched repeats of each item beside its first answer.
        operators: in the order of the catalogue.
    """

    benchmark: str
    seed: int
    items: tuple[str, ...]
    items_hash: str
    repeats: int
    operators: tuple[PlannedOperator, ...]

    @property
    def plan_hash(self) -> str:
        """Hash of the whole."""
        return content_hash(self._body())

    def _body(self) -> dict[str, Any]:
        return {
            "benchmark": self.benchmark,
            "seed": self.seed,
            "items": list(self.items),
            "items_hash": self.items_hash,
            "repeats": self.repeats,
            "operators": [
                {
                    "operator": item.operator,
                    "family": item.family,
                    "items": list(item.items),
                    "mutants": list(item.mutants),
                    "not_applicable": dict(sorted(item.not_applicable.items())),
                    "rejected": item.rejected,
                }
                for item in self.operators
            ],
        }

    def to_dict(self) -> dict[str, Any]:
        """The form in which a task's metadata and a run keep it."""
        return {**self._body(), "plan_hash": self.plan_hash}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Plan:
        """The plan that a run keeps.

        Raises:
            InputError: an element is missing or wrong, an operator reaches items that the plan does not have, or the hash is not
                that of the plan: it was changed after the run.
        """
        try:
            plan = cls(
                benchmark=str(value["benchmark"]),
                seed=int(value["seed"]),
                items=tuple(value["items"]),
                items_hash=str(value["items_hash"]),
                repeats=int(value["repeats"]),
                operators=tuple(
                    PlannedOperator(
                        operator=str(item["operator"]),
                        family=str(item["family"]),
                        items=tuple(item["items"]),
                        mutants=tuple(item["mutants"]),
                        not_applicable={str(name): int(count) for name, count in item["not_applicable"].items()},
                        rejected=int(item["rejected"]),
                    )
                    for item in value["operators"]
                ),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            message = f"not the plan of a stress test ({type(error).__name__}: {error})"
            raise InputError(message, field="plan") from error
        for item in plan.operators:
            if not set(item.mutants) <= set(item.items) <= set(plan.items):
                message = f"operator {item.operator} reaches items that the plan does not have"
                raise InputError(message, field="plan")
        if value.get("plan_hash") != plan.plan_hash:
            message = f"the plan's hash is {plan.plan_hash}, stated is {value.get('plan_hash')!r}: it was changed after the run"
            raise InputError(message, field="plan")
        return plan


def plan_of(arguments: Mapping[str, Any]) -> Plan:
    """The one plan of a run's logs, as its arguments keep it.

    Args:
        arguments: arguments of the run.

    Raises:
        InputError: the run states no plan, several, or one that was changed after the run.
    """
    logs = arguments.get("logs")
    kept = (
        [log["plan"] for log in logs if isinstance(log, Mapping) and log.get("plan")] if isinstance(logs, list) else []
    )
    if not kept:
        message = "the run states no plan of a stress test"
        raise InputError(message, field="plan")
    plans = {plan.plan_hash: plan for plan in (Plan.from_dict(value) for value in kept)}
    if len(plans) > 1:
        message = f"the logs of the run follow {len(plans)} plans; their rates have other denominators"
        raise InputError(message, field="plan")
    return next(iter(plans.values()))
