"""Disagreements: which items go to a decision, what the decider sees, and the decision with both rationales."""

from __future__ import annotations

import json
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from equipoise._optional import require
from equipoise.errors import UsageError
from equipoise.ids import canonical_json, text_hash
from equipoise.study import database
from equipoise.study.history import LONGEST_TEXT, EventKind, Standing, State
from equipoise.study.protocol import Protocol
from equipoise.study.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonCode:
    """Why raters differed, in the words of the decider.

    Attributes:
        id: what is stored.
        text: what it means.
    """

    id: str
    text: str


REASON_CODES: tuple[ReasonCode, ...] = (
    ReasonCode(id="overlooked-case", text="One side overlooked something that is in the case."),
    ReasonCode(id="overlooked-source", text="One side did not know or use a source that decides."),
    ReasonCode(id="line-or-setting", text="The line of therapy or the setting was read differently."),
    ReasonCode(id="missing-information", text="What is not documented was weighed differently."),
    ReasonCode(id="sources-disagree", text="The sources themselves leave room for both."),
    ReasonCode(id="label-definition", text="The definition of the labels was read differently."),
    ReasonCode(id="slip", text="One side chose another label than it meant."),
    ReasonCode(id="other", text="Something else; the text says what."),
)
"""In the order in which they are offered. They are ours, and no standard's."""
CONSENSUS = "consensus"
"""Stands for the decider where raters decide together."""
_CODES: frozenset[str] = frozenset(code.id for code in REASON_CODES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A complete label of one rater.

    Attributes:
        answers: answer by question.
        comment: the comment.
    """

    answers: Mapping[str, Any]
    comment: str


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
        reason: why, as it is stored: a reason code, a colon and the text, or a text alone.
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

    @property
    def code(self) -> str:
        """The reason code; empty for a decision without one."""
        code, sign, _ = self.reason.partition(": ")
        return code if sign and code in _CODES else ""

    @property
    def why(self) -> str:
        """The reason without its code."""
        return self.reason.partition(": ")[2] if self.code else self.reason


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
    done = set() if decided else {item.item for item in decisions(store)}
    made = (_disagreement(store.protocol, item, labels) for item, labels in labelled(store).items() if item not in done)
    return tuple(found for found in made if found is not None)


_APART: weakref.WeakKeyDictionary[Store, tuple[tuple[Any, ...], frozenset[str]]] = weakref.WeakKeyDictionary()


def apart(store: Store) -> frozenset[str]:
    """Names of the items that go to a decision, decided or not; counted again only when something was labelled since."""
    sa, events, given = (
        require("sqlalchemy", extra=database.EXTRA),
        store.tables["events"].c,
        store.tables["assignments"].c,
    )
    query = sa.select(sa.func.max(events.id), sa.func.count(events.id))
    with store.reading() as connection:
        mark = (*connection.execute(query).one(), connection.execute(sa.select(sa.func.max(given.id))).scalar())
    key = (store.protocol.hash, *mark)
    kept = _APART.get(store)
    if kept is None or kept[0] != key:
        kept = (key, frozenset(found.item for found in disagreements(store, decided=True)))
        _APART[store] = kept
    return kept[1]


def disagreement(store: Store, item: str) -> Disagreement | None:
    """The disagreement on one item, decided or not; None when raters do not differ as the protocol counts it."""
    return _disagreement(store.protocol, item, labelled(store, item)[item])


def _disagreement(protocol: Protocol, item: str, given: Mapping[str, Label]) -> Disagreement | None:
    labels = {rater: str(label.answers[protocol.primary.id]) for rater, label in given.items()}
    if not disagrees(protocol, list(labels.values())):
        return None
    return Disagreement(item=item, labels=labels, sides=_sides(protocol, item, given))


def labelled(store: Store, item: str | None = None) -> dict[str, dict[str, Label]]:
    """Complete labels by item and rater, of one item or of all; no training, no attention item, no repeat."""
    sa, known = require("sqlalchemy", extra=database.EXTRA), database.tables().tables
    given, events, items = known["assignments"].c, known["events"].c, known["items"].c
    wanted = sa.and_(
        given.repeat == 1, given.purpose.in_(("main", "import")), given.standing == str(Standing.COMPLETE), items.role == "main"
    )  # fmt: skip
    if item is not None:
        wanted = sa.and_(wanted, items.name == item)
    source = sa.join(known["assignments"], known["items"], items.id == given.item)
    setting = events.kind.in_((str(EventKind.ANSWER), str(EventKind.SKIP), str(EventKind.IMPORT)))
    last = (
        sa.select(events.assignment, sa.func.max(events.number).label("number"))
        .where(setting)
        .group_by(events.assignment)
        .subquery()
    )
    undone = sa.select(events.assignment).distinct().where(events.kind == str(EventKind.UNDO))
    pairs = sa.select(given.id, given.rater, items.name).select_from(source).where(wanted)
    if item is not None:  # one item: a look into its own histories is quicker than a table of all
        with store.reading() as connection:
            people = {row["id"]: row["code"] for row in store.rows(connection, "raters")}
            found = connection.execute(pairs).all()
        states = store.states_of([number for number, _, _ in found])
        own = {people[rater]: _label(states[number]) for number, rater, _ in found}
        return {item: dict(sorted(own.items()))}
    answers = (
        sa.select(events.assignment, events.answers, events.comment)
        .join_from(known["events"], last, sa.and_(last.c.assignment == events.assignment, last.c.number == events.number))
    )  # fmt: skip
    with store.reading() as connection:
        people = {row["id"]: row["code"] for row in store.rows(connection, "raters")}
        found = connection.execute(pairs).all()
        turned = {number for (number,) in connection.execute(undone)}
        stands = {number: (text, comment) for number, text, comment in connection.execute(answers)}
        names = connection.execute(sa.select(items.name).where(items.role == "main").order_by(items.id)).scalars().all()
    states = store.states_of([number for number, _, _ in found if number in turned])
    by: dict[str, dict[str, Label]] = {name: {} for name in names}
    for number, rater, name in found:
        if number in turned:
            by[name][people[rater]] = _label(states[number])
        else:
            text, comment = stands[number]
            by[name][people[rater]] = Label(answers=json.loads(text), comment=comment)
    return {name: dict(sorted(labels.items())) for name, labels in by.items()}


def decide(
    store: Store, item: str, value: str, *, reason: str, by: str, agreed: Sequence[str], at: str, code: str = "",
    after: int | None = None,
) -> Decision:  # fmt: skip
    """Writes down a decision; a later one on the same item stands beside it and holds.

    The same decision sent twice (double click, retry after a lost answer) counts once.

    Args:
        store: the study.
        item: name of the item.
        value: the label.
        reason: why.
        by: code of a rater who did not label the item, or "consensus".
        agreed: codes of the raters who agree with it.
        at: ISO date and time.
        code: one of `REASON_CODES`; empty without one.
        after: number of decisions on the item that the decider knew; None does not compare.

    Raises:
        UsageError: no disagreement on the item, a label or code that does not exist, no reason, a decider or rater who
            does not fit the protocol, or a decision made elsewhere after `after`.
    """
    known = disagreement(store, item)
    if known is None:
        message = f"there is no disagreement on item {item!r}"
        raise UsageError(message)
    if value not in store.protocol.primary.values:
        message = f"{value!r} is no answer; expected one of {', '.join(store.protocol.primary.values)}"
        raise UsageError(message, field="value")
    if code and code not in _CODES:
        message = f"{code!r} is no reason code; expected one of {', '.join(known.id for known in REASON_CODES)}"
        raise UsageError(message, field="code")
    if not reason.strip():
        message = "expected the reason of the decision"
        raise UsageError(message, field="reason")
    if len(reason) > LONGEST_TEXT:
        message = f"expected a reason of at most {LONGEST_TEXT} characters"
        raise UsageError(message, field="reason")
    _require_decider(store, by, known.labels)
    strange = [name for name in agreed if name not in known.labels]
    if strange:
        message = f"{strange[0]!r} did not label this item; expected some of {', '.join(known.labels)}"
        raise UsageError(message, field="agreed")
    rationales = [
        {"rater": rater, "answers": dict(label.answers), "comment": label.comment}
        for rater, label in labelled(store, item)[item].items()
    ]
    values = {
        "value": value,
        "reason": f"{code}: {reason}" if code else reason,
        "by": by,
        "agreed": canonical_json(list(agreed)),
    }
    with store.transaction() as connection:
        row = (store.one(connection, "items", name=item) or {})["id"]
        made = store.rows(connection, "decisions", item=row)
        if after is None or after == len(made):
            store.add(
                connection, "decisions", [{"item": row, **values, "rationales": canonical_json(rationales), "at": at}]
            )
        elif len(made) != after + 1 or any(made[-1][name] != given for name, given in values.items()):
            message = "this item was decided in another window; look at it again before you change it"
            raise UsageError(message, field="after")
    return decisions_on(store, item)[-1]


def decisions_on(store: Store, item: str) -> tuple[Decision, ...]:
    """All decisions on one item, the first one first."""
    with store.reading() as connection:
        row = store.one(connection, "items", name=item)
        found = [] if row is None else store.rows(connection, "decisions", item=row["id"])
    return tuple(_decision(item, made) for made in found)


def decisions(store: Store, *, every: bool = False) -> tuple[Decision, ...]:
    """The decision that holds on each item, in the order of the items; with `every` all that were made, in time."""
    with store.reading() as connection:
        names = {row["id"]: row["name"] for row in store.rows(connection, "items")}
        made = [_decision(names[row["item"]], row) for row in store.rows(connection, "decisions")]
    if every:
        return tuple(made)
    last = {item.item: item for item in made}
    return tuple(last[name] for name in names.values() if name in last)


def _decision(item: str, row: Mapping[str, Any]) -> Decision:
    return Decision(
        item=item,
        value=row["value"],
        reason=row["reason"],
        by=row["by"],
        agreed=tuple(json.loads(row["agreed"])),
        rationales=tuple(json.loads(row["rationales"])),
        at=row["at"],
    )


def _label(state: State) -> Label:
    return Label(answers=dict(state.answers), comment=state.comment)


def _require_decider(store: Store, by: str, labels: Mapping[str, str]) -> None:
    wanted = store.protocol.adjudication.by
    if wanted == CONSENSUS:
        if by != CONSENSUS:
            message = f"the protocol decides by consensus, not by {by!r}"
            raise UsageError(message, field="by")
        return
    with store.reading() as connection:
        known = store.one(connection, "raters", code=by)
    if known is None or by in labels:
        why = "labelled the item" if by in labels else "is no rater of the study"
        message = f"the protocol decides by a third rater, and {by!r} {why}"
        raise UsageError(message, field="by")


def _sides(protocol: Protocol, item: str, states: Mapping[str, Label]) -> tuple[Side, ...]:
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
