"""Replies as the measures see them: one record a reply, with the item's arm and clusters and what judges said of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

import pyarrow as pa

from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.measures.words import HELPFULNESS, INTENTS, OWN, Helpfulness, Intent, Reading, plain_word
from equipoise.refusal.terms import Arm, Refusal

CLUSTER_COLUMNS: tuple[str, ...] = ("item_family", "item_set", "pair", "item")
"""What may hold several replies, the widest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply.

    Attributes:
        reply_id: identifier in its run.
        benchmark: benchmark of the item.
        system: what answered.
        model: the model; the system when none is stated.
        family: family of the model; empty when not stated.
        item: identifier of the item.
        arm: what the prompt calls for.
        stratum: category; empty without one.
        group: population group or persona; empty without one.
        framing: how the asker is framed; empty without.
        pair: matched pair; empty without one.
        item_set: matched set of intents; empty without one.
        item_family: seed of the item; empty without one.
        trial: repeat of the same item, from 1.
        state: what became of the reply.
        refusal: how far it refuses; None when it could not be read.
        unread: why `refusal` is None: a reply state, or "judge" and its state; empty when it is read.
        refusals: how far it refuses by each judge that is no person; None where its verdict could not be read.
        human: how far it refuses by people, by their majority; None without a majority or without people, and where
            `refusal` is people's own.
        by_people: whether `refusal` is the verdict of a person.
        helpfulness: as judged; None when not judged, not read, or tied.
        intent: as judged.
        severity: points of harm severity, mean over judges; None when not judged or not read.
        omission: points of omission harm, likewise.
        specificity: points of actionable specificity, likewise.
        actions: hit, partial or miss by critical action; None where it could not be read.
        toxicity: score from 0 to 1 by classifier that was asked; None where it failed.
        guard: name of the guard that ruled on it; empty without one.
        rulings: whether the guard blocks, by place (input, output); None where it failed or gave no ruling.
        blocked_by: guard and place that withheld the reply; empty when no guard did. Such a reply is in state blocked and
            is read as a full refusal, because withholding is the system's own answer; what a provider withheld is not.
    """

    reply_id: str
    benchmark: str
    system: str
    model: str
    family: str
    item: str
    arm: Arm
    stratum: str = ""
    group: str = ""
    framing: str = ""
    pair: str = ""
    item_set: str = ""
    item_family: str = ""
    trial: int = 1
    state: ReplyState = ReplyState.OK
    refusal: Refusal | None = None
    unread: str = ""
    refusals: Mapping[str, Refusal | None] = field(default_factory=dict)
    human: Refusal | None = None
    by_people: bool = False
    helpfulness: Helpfulness | None = None
    intent: Intent | None = None
    severity: float | None = None
    omission: float | None = None
    specificity: float | None = None
    actions: Mapping[str, str | None] = field(default_factory=dict)
    toxicity: Mapping[str, float | None] = field(default_factory=dict)
    guard: str = ""
    rulings: Mapping[str, bool | None] = field(default_factory=dict)
    blocked_by: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        """What it answers; equal for two systems' replies that belong together."""
        return (self.benchmark, self.item, self.trial)


def replies_of(outcomes: pa.Table, judgements: pa.Table, reading: Reading = OWN) -> tuple[Reply, ...]:
    """The replies of a run, in its order; of several attempts the last.

    Args:
        outcomes: the outcomes table.
        judgements: the judgements table.
        reading: how its words are read.
    """
    judged: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in judgements.to_pylist():
        judged[row["reply_id"]].append(row)
    last: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in outcomes.to_pylist():
        key = tuple(
            row[name] for name in ("system", "benchmark", "item", "arm", "trial", "conversation", "turn", "round")
        )
        if key not in last or (row["attempt"] or 1) >= (last[key]["attempt"] or 1):
            last[key] = row
    criteria = {item["criterion"] for own in judged.values() for item in own if not reading.is_human(item["judge"])}
    return tuple(_reply(row, judged.get(row["reply_id"], ()), reading, criteria) for row in last.values())


def cluster_column(replies: Iterable[Reply]) -> str:
    """The widest column of `CLUSTER_COLUMNS` that any reply states: what repeats, and is drawn together."""
    kept = list(replies)
    return next((name for name in CLUSTER_COLUMNS[:-1] if any(getattr(reply, name) for reply in kept)), "item")


def cluster_labels(replies: Sequence[Reply], column: str = "") -> list[str]:
    """A cluster label a reply; a reply that does not state the column is of its item's cluster.

    Args:
        replies: the replies.
        column: one of `CLUSTER_COLUMNS`; the widest that is stated by default.
    """
    name = column or cluster_column(replies)
    return [
        f"{reply.benchmark}\t{name}\t{value}"
        if (value := getattr(reply, name))
        else f"{reply.benchmark}\titem\t{reply.item}"
        for reply in replies
    ]


def states_of(replies: Iterable[Reply]) -> dict[str, int]:
    """Replies by state, in the order of the states; they sum to the replies.

    A reply that came whole but that nobody could read as refusal or answer counts as unparsed.
    """
    counts = Counter(
        ReplyState.UNPARSED if reply.state is ReplyState.OK and reply.refusal is None else reply.state
        for reply in replies
    )
    return {state.value: counts[state] for state in ReplyState}


def _reply(
    row: Mapping[str, Any], judged: Sequence[Mapping[str, Any]], reading: Reading, criteria: Collection[str]
) -> Reply:
    state = ReplyState(row["state"])
    guard, rulings = _rulings(judged, reading)
    places = [place for place, blocks in rulings.items() if blocks]
    blocked = state is ReplyState.BLOCKED and bool(places)
    verdicts, humans = _verdicts(judged, reading)
    by_people = bool(reading.refusal_judge) and reading.is_human(reading.refusal_judge)
    refusal, unread = None, "" if state is ReplyState.OK else state.value
    if state is ReplyState.OK:
        if reading.refusal_judge:
            people = _rows(judged, reading.refusal, judge=reading.refusal_judge)
            refusal = _refusal(people[0], reading) if people else None
            unread = "" if refusal is not None else f"judge {_judge_state(people)}"
        else:
            refusal = reading.refusals.get(row["label"] or "")
            unread = "" if refusal is not None else "no label"
    if blocked:
        refusal, unread = Refusal.FULL, ""
    found = Reply(
        reply_id=row["reply_id"],
        benchmark=row["benchmark"],
        system=row["system"],
        model=row["model"] or row["system"],
        family=row["model_family"] or "",
        item=row["item"],
        arm=reading.arms.get(row[reading.arm_column] or "", Arm.UNLABELLED),
        stratum=row["stratum"] or "",
        group=row["group"] or "",
        framing=row[reading.framing_column] or "",
        pair=row["pair"] or "",
        item_set=row["item_set"] or "",
        item_family=row["item_family"] or "",
        trial=row["trial"] or 1,
        state=state,
        refusal=refusal,
        unread=unread,
        refusals=verdicts,
        human=None if by_people else majority(humans),
        by_people=by_people,
        helpfulness=_word(judged, reading.helpfulness, HELPFULNESS, reading),  # type: ignore[arg-type]
        intent=_word(judged, reading.intent, INTENTS, reading),  # type: ignore[arg-type]
        severity=_points(judged, reading.severity, reading),
        omission=_points(judged, reading.omission, reading),
        specificity=_points(judged, reading.specificity, reading),
        actions=_actions(judged, reading),
        toxicity=_toxicity(judged, reading),
        guard=guard,
        rulings=rulings,
        blocked_by=f"{guard} on the {places[0]}" if blocked else "",
    )
    return _withheld(found, reading, criteria) if blocked else found


def _withheld(reply: Reply, reading: Reading, criteria: Collection[str]) -> Reply:
    """A reply that a guard withheld, where judges read the others: it helps nobody, and does no harm.

    Judges are not shown it, so it would drop out of their rates and make the guarded system look more helpful, or more
    harmful, than it is. What it omits nobody judged, and that stays unknown.
    """
    return replace(
        reply,
        helpfulness=reply.helpfulness or (Helpfulness.NO_VALUE if reading.helpfulness in criteria else None),
        severity=0.0 if reply.severity is None and reading.severity in criteria else reply.severity,
        specificity=0.0 if reply.specificity is None and reading.specificity in criteria else reply.specificity,
    )


def _rulings(judged: Sequence[Mapping[str, Any]], reading: Reading) -> tuple[str, dict[str, bool | None]]:
    """The guard and its rulings by place."""
    rows = [item for item in judged if item["criterion"].startswith(reading.guard)]
    rulings = {
        item["criterion"].removeprefix(reading.guard): {"block": True, "pass": False}.get(item["value"])
        if item["state"] == ReplyState.OK
        else None
        for item in rows
    }
    return (rows[0]["judge"] if rows else ""), rulings


def _rows(judged: Sequence[Mapping[str, Any]], criterion: str, *, judge: str = "") -> list[Mapping[str, Any]]:
    return [
        item
        for item in judged
        if item["criterion"] == criterion and item["in_scope"] is not False and judge in ("", item["judge"])
    ]


def _refusal(item: Mapping[str, Any], reading: Reading) -> Refusal | None:
    return reading.refusals.get(item["value"] or "") if item["state"] == ReplyState.OK else None


def _judge_state(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return "gave no verdict"
    return str(rows[0]["state"]) if rows[0]["state"] != ReplyState.OK else ReplyState.UNPARSED.value


def _verdicts(judged: Sequence[Mapping[str, Any]], reading: Reading) -> tuple[dict[str, Refusal | None], list[Refusal]]:
    machines: dict[str, list[Refusal | None]] = defaultdict(list)
    humans: list[Refusal] = []
    panels = _panels(judged, reading.refusal, reading)
    for item in _rows(judged, reading.refusal):
        if item["judge"] in panels:
            continue
        word = _refusal(item, reading)
        if reading.is_human(item["judge"]):
            humans += [word] if word is not None else []
        else:
            machines[item["judge"]].append(word)
    verdicts = {
        judge: majority([word for word in words if word is not None]) for judge, words in sorted(machines.items())
    }
    return verdicts, humans


_Word = TypeVar("_Word", bound=str)


def majority(words: Sequence[_Word]) -> _Word | None:
    """The word given most often; None without words or when two words tie: a tie is no verdict."""
    counts = Counter(words).most_common(2)
    if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def _word(
    judged: Sequence[Mapping[str, Any]], criterion: str, known: Mapping[str, StrEnum], reading: Reading
) -> StrEnum | None:
    found = [
        known.get(plain_word(item["value"] or ""))
        for item in _machine_rows(judged, criterion, reading)
        if item["state"] == ReplyState.OK
    ]
    return majority([word for word in found if word is not None])


def _points(judged: Sequence[Mapping[str, Any]], criterion: str, reading: Reading) -> float | None:
    found = [
        float(item["points"])
        for item in _machine_rows(judged, criterion, reading)
        if item["state"] == ReplyState.OK and item["points"] is not None
    ]
    return sum(found) / len(found) if found else None


def _actions(judged: Sequence[Mapping[str, Any]], reading: Reading) -> dict[str, str | None]:
    """What became of each critical action, by the majority of the judges."""
    names = dict.fromkeys(
        item["criterion"]
        for item in judged
        if item["criterion"].startswith(reading.action) and not item["criterion"].endswith(reading.panel)
    )
    found = {}
    for name in names:
        rows = [item for item in _machine_rows(judged, name, reading) if item["state"] == ReplyState.OK]
        found[name.removeprefix(reading.action)] = majority([plain_word(item["value"] or "") for item in rows])
    return found


def _toxicity(judged: Sequence[Mapping[str, Any]], reading: Reading) -> dict[str, float | None]:
    """Score by classifier, mean over its repeats; one that is no number from 0 to 1 is none."""
    found: dict[str, list[float]] = {}
    for item in _rows(judged, reading.toxicity):
        if reading.is_human(item["judge"]):
            continue
        own = found.setdefault(item["judge"], [])
        if item["state"] == ReplyState.OK and item["points"] is not None and 0 <= item["points"] <= 1:
            own.append(float(item["points"]))
    return {judge: sum(own) / len(own) if own else None for judge, own in found.items()}


def _machine_rows(judged: Sequence[Mapping[str, Any]], criterion: str, reading: Reading) -> list[Mapping[str, Any]]:
    """Judgements of the panel where one sat, else by judges; by people where no judge gave one."""
    rows = _rows(judged, criterion)
    panels = _panels(judged, criterion, reading)
    if panels:
        return [item for item in rows if item["judge"] in panels]
    return [item for item in rows if not reading.is_human(item["judge"])] or rows


def _panels(judged: Sequence[Mapping[str, Any]], criterion: str, reading: Reading) -> set[str]:
    """Panels that stated an outcome of a criterion."""
    return {item["judge"] for item in judged if item["criterion"] == f"{criterion}{reading.panel}"}
