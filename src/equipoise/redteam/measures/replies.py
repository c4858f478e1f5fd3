"""The replies of a stress test on questions with options, as measures need them: from the outcomes of a run and its plan."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.errors import InputError
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.operators.mutant import KeyRelation
from equipoise.redteam.plan import Plan, PlannedOperator, StressArm
from equipoise.redteam.right import is_right

_COLUMNS = (
    "reply_id", "system", "item", "item_family", "operator", "operator_parameters", "expected", "pair", "arm", "stratum", "round", "trial",
    "state", "label", "abstained",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply.

    Attributes:
        reply_id: identifier in the outcomes.
        item: the untouched item it belongs to.
        asked: the item that was asked: the untouched one or a mutant.
        arm: what was done to the item.
        operator: operator or chain, with versions; empty for the untouched item.
        family: family of the operator, or category of the item.
        relation: how the key relates to that of the untouched item.
        trial: 1 for the first, 2 and more for repeats.
        round: round of an adaptive loop; None otherwise.
        pair: ties an attack to one untouched repeat; empty without one.
        state: state of the reply.
        right: whether it is right; None when it could not be read.
        abstained: whether it chose no option; None when it could not be read.
    """

    reply_id: str
    item: str
    asked: str
    arm: StressArm
    operator: str = ""
    family: str = ""
    relation: KeyRelation = KeyRelation.SAME
    trial: int = 1
    round: int | None = None
    pair: str = ""
    state: ReplyState = ReplyState.OK
    right: bool | None = None
    abstained: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """All replies of one system to a plan.

    Attributes:
        system: what answered.
        plan: what was to be asked.
        facts: what the task recorded besides (`loop`, `rounds`, `trials`, `margin`, ...).
        clean: first reply to each untouched item; one that was never asked is missing.
        repeats: untouched repeats of each item, by trial.
        attacked: replies to single attacks, by operator and item, by trial.
        adaptive: replies of the adaptive loop, by item, by round.
    """

    system: str
    plan: Plan
    facts: Mapping[str, Any]
    clean: Mapping[str, Reply]
    repeats: Mapping[str, tuple[Reply, ...]]
    attacked: Mapping[tuple[str, str], tuple[Reply, ...]]
    adaptive: Mapping[str, tuple[Reply, ...]]

    @property
    def trials(self) -> int:
        """Replies to each attack."""
        return int(self.facts.get("trials") or 1)

    @property
    def rounds(self) -> int:
        """Most rounds of the adaptive loop; 0 without one."""
        return int(self.facts.get("rounds") or 0)

    def clean_right(self, item: str) -> bool | None:
        """Whether the first reply to an untouched item is right; None when it was not asked or not read."""
        reply = self.clean.get(item)
        return None if reply is None else reply.right


@dataclass(slots=True)
class States:
    """Counts of replies by state; those that were never asked are counted as `not_asked`."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, replies: Iterable[Reply], wanted: int) -> None:
        """Count some replies, of which there should be so many."""
        given = list(replies)
        self.counts.update(item.state.value for item in given)
        if wanted > len(given):
            self.counts["not_asked"] += wanted - len(given)

    def failed(self) -> dict[str, int]:
        """Replies that could not be read, by state."""
        return {name: count for name, count in sorted(self.counts.items()) if name != ReplyState.OK.value}


def replies_of(run: Run, system: str | None = None) -> Replies:
    """The replies of a run's system to its plan.

    Args:
        run: the run of one stress test.
        system: which system; the only one by default.

    Raises:
        InputError: the run keeps no plan, has several systems and none is named, an arm is unknown, or an item answers
            its untouched question twice.
    """
    names = list(run.info.systems)
    if system is None:
        if len(names) != 1:
            message = f"the run has {len(names)} systems ({', '.join(names)}); name one"
            raise InputError(message, field="system")
        system = names[0]
    facts = _facts(run, system)
    plan = Plan.from_dict(facts["plan"])
    clean: dict[str, Reply] = {}
    groups: dict[str, dict[Any, list[Reply]]] = {
        name: defaultdict(list) for name in ("repeats", "attacked", "adaptive")
    }
    for row in run.outcomes.select(_COLUMNS).to_pylist():
        if row["system"] != system:
            continue
        reply = _reply(row)
        match reply.arm:
            case StressArm.CLEAN:
                if reply.item in clean:
                    message = f"item {reply.item!r} has two first replies to its untouched question"
                    raise InputError(message, field="arm")
                clean[reply.item] = reply
            case StressArm.REPEAT:
                groups["repeats"][reply.item].append(reply)
            case StressArm.ATTACKED:
                groups["attacked"][reply.operator, reply.item].append(reply)
            case StressArm.ADAPTIVE:
                groups["adaptive"][reply.item].append(reply)
    return Replies(
        system=system,
        plan=plan,
        facts=facts,
        clean=clean,
        repeats=_sorted(groups["repeats"]),
        attacked=_sorted(groups["attacked"]),
        adaptive=_sorted(groups["adaptive"]),
    )


def operator_relation(replies: Replies, planned: PlannedOperator) -> KeyRelation | None:
    """How the key of an operator's mutants relates to the untouched one; None when nothing of it was asked."""
    for item in planned.mutants:
        for reply in replies.attacked.get((planned.operator, item), ()):
            return reply.relation
    return None


def _facts(run: Run, system: str) -> Mapping[str, Any]:
    found = [item for item in run.info.arguments.get("logs", ()) if isinstance(item, Mapping) and item.get("plan")]
    named = [item for item in found if item.get("model") == system] or found
    if not named:
        message = "the run keeps no plan: it is not one of a stress test"
        raise InputError(message, field="plan")
    return dict(named[0])


def _reply(row: Mapping[str, Any]) -> Reply:
    try:
        arm = StressArm(row["arm"])
    except ValueError as error:
        message = f"reply {row['reply_id']!r}: expected one of {', '.join(StressArm)}, found {row['arm']!r}"
        raise InputError(message, field="arm") from error
    relation = _relation(row)
    state = ReplyState(row["state"])
    right = None
    if state is ReplyState.OK:
        right = is_right(relation, row["expected"], row["label"], abstained=bool(row["abstained"]))
    return Reply(
        reply_id=row["reply_id"],
        item=row["item_family"] or row["item"],
        asked=row["item"],
        arm=arm,
        operator=row["operator"] or "",
        family=row["stratum"] or "",
        relation=relation,
        trial=row["trial"] or 1,
        round=row["round"],
        pair=row["pair"] or "",
        state=state,
        right=right,
        abstained=bool(row["abstained"]) if state is ReplyState.OK else None,
    )


def _relation(row: Mapping[str, Any]) -> KeyRelation:
    if not row["operator_parameters"]:
        return KeyRelation.SAME
    try:
        return KeyRelation(json.loads(row["operator_parameters"])["relation"])
    except (ValueError, KeyError, TypeError) as error:
        message = f"reply {row['reply_id']!r}: operator_parameters state no relation of the key"
        raise InputError(message, field="operator_parameters") from error


def _sorted(groups: Mapping[Any, Sequence[Reply]]) -> dict[Any, tuple[Reply, ...]]:
    return {
        key: tuple(sorted(group, key=lambda item: (item.round or 0, item.trial, item.reply_id)))
        for key, group in groups.items()
    }
