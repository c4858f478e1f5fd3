"""Disagreements: which items go to a decision, what the decider sees, and the decision with both rationales."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from equipoise.errors import UsageError
from equipoise.ids import canonical_json, text_hash
from equipoise.study.history import Standing, State
from equipoise.study.protocol import Protocol
from equipoise.study.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one rater said about an item, without the rater.

    Attributes:
        letter: "A", "B" and so on; drawn anew for every item, so that a letter follows no rater.
        label: answer to the primary question.
        answers: all answers.
        comment: the comment.
    """

    letter: str
    label: str
    answers: Mapping[str, Any]
    comment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """An item on which raters disagree as the protocol counts it.

    Attributes:
        item: name of the item.
        labels: label by rater; for the coordinator, not for the decider.
        sides: what was said, without names.
    """

    item: str
    labels: Mapping[str, str]
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided on an item.

    Attributes:
        item: name of the item.
        value: the label.
        reason: why.
        by: code of the adjudicator, or "consensus".
        agreed: codes of the raters who agreed with it.
        rationales: the sides as they stood, with the raters' codes.
        at: ISO date and time.
    """

    item: str
    value: str
    reason: str
    by: str
    agreed: tuple[str, ...]
    rationales: tuple[Mapping[str, Any], ...]
    at: str


def disagrees(protocol: Protocol, labels: Sequence[str | None]) -> bool:
    """Whether the labels of one item go to a decision; None is a label that is missing.

    Raises:
        ValueError: a label that is no answer, under the rule distance.
    """
    given = [label for label in labels if label is not None]
    rule = protocol.adjudication
    if rule.rule == "none" or len(given) < 2:
        return False
    if rule.rule == "any-difference":
        return len(set(given)) > 1
    points = {option.value: option.points or 0.0 for option in protocol.primary.options}
    unknown = [label for label in given if label not in points]
    if unknown:
        message = f"{unknown[0]!r} is no answer to {protocol.primary.id!r}"
        raise ValueError(message)
    return any(abs(points[one] - points[two]) >= (rule.distance or 0) for one, two in combinations(given, 2))


def disagreements(store: Store, *, decided: bool = False) -> tuple[Disagreement, ...]:
    """Items that go to a decision, in the order of the import.

    Args:
        store: the study.
        decided: whether those that were decided are given too.
    """
    protocol = store.protocol
    done = set() if decided else {item.item for item in decisions(store)}
    found = []
    for item, states in labelled(store).items():
        labels = {rater: str(state.answers[protocol.primary.id]) for rater, state in states.items()}
        if item not in done and disagrees(protocol, list(labels.values())):
            found.append(Disagreement(item=item, labels=labels, sides=_sides(protocol, item, states)))
    return tuple(found)


def labelled(store: Store) -> dict[str, dict[str, State]]:
    """Complete labels of the study's items by item and rater; no training, no attention item, no repeat."""
    states = store.states()
    found: dict[str, dict[str, State]] = {item.name: {} for item in store.items() if item.role == "main"}
    for given in store.assignments():
        state = states[given.public]
        wanted = given.repeat == 1 and given.purpose in ("main", "import") and given.item in found
        if wanted and state.standing(store.protocol) is Standing.COMPLETE:
            found[given.item][given.rater] = state
    return found


def decide(store: Store, item: str, value: str, *, reason: str, by: str, agreed: Sequence[str], at: str) -> Decision:
    """Writes down a decision; a later one on the same item stands beside it and holds.

    Args:
        store: the study.
        item: name of the item.
        value: the label.
        reason: why.
        by: code of a rater who did not label the item, or "consensus".
        agreed: codes of the raters who agree with it.
        at: ISO date and time.

    Raises:
        UsageError: no disagreement on the item, a label that does not exist, no reason, or a decider or rater who does
            not fit the protocol.
    """
    known = {found.item: found for found in disagreements(store, decided=True)}
    if item not in known:
        message = f"there is no disagreement on item {item!r}"
        raise UsageError(message)
    if value not in store.protocol.primary.values:
        message = f"{value!r} is no answer; expected one of {', '.join(store.protocol.primary.values)}"
        raise UsageError(message, field="value")
    if not reason.strip():
        message = "expected the reason of the decision"
        raise UsageError(message, field="reason")
    labels = known[item].labels
    _require_decider(store, by, labels)
    strange = [code for code in agreed if code not in labels]
    if strange:
        message = f"{strange[0]!r} did not label this item; expected some of {', '.join(labels)}"
        raise UsageError(message, field="agreed")
    states = labelled(store)[item]
    rationales = [
        {"rater": rater, "answers": dict(state.answers), "comment": state.comment} for rater, state in states.items()
    ]
    with store.transaction() as connection:
        row = store.one(connection, "items", name=item)
        values = {"item": (row or {})["id"], "value": value, "reason": reason, "by": by, "at": at}
        values |= {"agreed": canonical_json(list(agreed)), "rationales": canonical_json(rationales)}
        store.add(connection, "decisions", [values])
    return decisions(store, every=True)[-1]


def decisions(store: Store, *, every: bool = False) -> tuple[Decision, ...]:
    """The decision that holds on each item, in the order of the items; with `every` all that were made, in time."""
    with store.reading() as connection:
        names = {row["id"]: row["name"] for row in store.rows(connection, "items")}
        made = [
            Decision(
                item=names[row["item"]],
                value=row["value"],
                reason=row["reason"],
                by=row["by"],
                agreed=tuple(json.loads(row["agreed"])),
                rationales=tuple(json.loads(row["rationales"])),
                at=row["at"],
            )
            for row in store.rows(connection, "decisions")
        ]
    if every:
        return tuple(made)
    last = {item.item: item for item in made}
    return tuple(last[name] for name in names.values() if name in last)


def _require_decider(store: Store, by: str, labels: Mapping[str, str]) -> None:
    wanted = store.protocol.adjudication.by
    if wanted == "consensus":
        if by != "consensus":
            message = f"the protocol decides by consensus, not by {by!r}"
            raise UsageError(message, field="by")
        return
    with store.reading() as connection:
        known = store.one(connection, "raters", code=by)
    if known is None or by in labels:
        why = "labelled the item" if by in labels else "is no rater of the study"
        message = f"the protocol decides by a third rater, and {by!r} {why}"
        raise UsageError(message, field="by")


def _sides(protocol: Protocol, item: str, states: Mapping[str, State]) -> tuple[Side, ...]:
    """The sides in an order drawn from the study's seed and the item, so that no rater is always A."""
    raters = list(states)
    rng = np.random.default_rng([protocol.order.seed, int(text_hash(item), 16)])
    return tuple(
        Side(
            letter=chr(ord("A") + place) if place < 26 else str(place + 1),
            label=str(states[raters[number]].answers[protocol.primary.id]),
            answers=dict(states[raters[number]].answers),
            comment=states[raters[number]].comment,
        )
        for place, number in enumerate(rng.permutation(len(raters)).tolist())
    )
