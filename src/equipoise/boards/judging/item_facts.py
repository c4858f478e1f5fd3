"""Scores of one reply out of the verdicts of one judge on its facts; and the same by category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from equipoise.boards.formats.orchestrator import FactCategory
from equipoise.boards.judging.criteria import BY_RUBRIC, FACTS
from equipoise.boards.judging.fact_source import FactSource
from equipoise.boards.judging.fact_store import FactStore
from equipoise.boards.judging.facts import Fact, FactScores, FactVerdict, Share, fact_scores
from equipoise.boards.judging.items import NOT_ASKED, NOT_JUDGED, ItemScore
from equipoise.boards.judging.references import BoardReference
from equipoise.outcomes.schema import ReplyState

Rows = Mapping[str, Mapping[str, Any]]


def fact_rows(
    base: ItemScore,
    rows: Rows,
    reference: BoardReference,
    answer: str,
    source: FactSource | None,
    store: FactStore | None,
) -> Iterator[ItemScore]:
    """The scores of one reply by one judge and repeat.

    Of a reply that failed recall and F1 are in scope without points; its precision is out of scope, since it holds no fact. An
    undefined score is out of scope too. Scores of one category, with half credit and of the reference that counts, have criteria of their
    own, such as "recall:treatment".

    Args:
        base: what all scores of the reply by this judge share.
        rows: the judge's verdicts by criterion, such as "recall:1.2".
        reference: what the reply is held against.
        answer: the answer.
        source: where the facts come from; None for a run that does not say.
        store: the facts.
    """
    forms = {form.criterion: form for form in BY_RUBRIC[FACTS]}
    own = {
        name: replace(base, criterion=name, scale=form.scale, lowest=form.lowest, highest=form.highest)
        for name, form in forms.items()
    }
    if base.reply_state != ReplyState.OK:
        for name, item in own.items():
            yield replace(item, in_scope=not name.startswith("precision"), judge_state=NOT_ASKED)
        return
    known = source.of_reference(reference, store) if source is not None and store is not None else None
    said = source.of_reply(answer, store) if source is not None and store is not None else None
    if known is None or said is None:
        states = source.states(reference, answer, store) if source is not None and store is not None else ()
        for item in own.values():
            yield replace(item, judge_state=next(iter(states), NOT_JUDGED))
        return
    if (known or said) and not rows:
        yield from own.values()
        return
    verdicts = _verdicts(rows)
    for suffix, strict in (("", False), ("-strict", True)):
        found = _scores(known, said, verdicts, strict=strict)
        for name in ("precision", "recall", "f1"):
            yield _filled(own[f"{name}{suffix}"], getattr(found, name), rows)
    best = _scores(known, said, verdicts).reference
    counted = list(dict.fromkeys(_reference(fact) for fact in known))
    kept = known if best is None else tuple(fact for fact in known if _reference(fact) == counted[best])
    for category in FactCategory:
        found = _scores(kept, said, verdicts, category=category)
        for name in ("precision", "recall"):
            share: Share = getattr(found, name)
            if share.n:
                named = replace(own[name], criterion=f"{name}:{category.value}", category=category.value)
                yield _filled(named, share, rows)


def _reference(fact: Fact) -> str:
    return fact.id.split(".")[0]


def _filled(item: ItemScore, share: Share, rows: Rows) -> ItemScore:
    if share.failed:
        states = [str(row["state"]) for row in rows.values() if row["state"] != ReplyState.OK]
        return replace(item, judge_state=next(iter(states), NOT_JUDGED))
    if share.value is None:
        return replace(item, in_scope=False, judge_state=NOT_ASKED)
    return replace(item, points=share.value, judge_state=ReplyState.OK.value)


def _scores(
    known: tuple[Fact, ...], said: tuple[Fact, ...], verdicts: Mapping[str, FactVerdict], *,
    strict: bool = False, category: FactCategory | None = None,
) -> FactScores:  # fmt: skip
    by_reference: dict[str, list[FactVerdict]] = {}
    for fact in known:
        if category in (None, fact.category):
            by_reference.setdefault(_reference(fact), []).append(verdicts.get(f"recall:{fact.id}", FactVerdict.UNREAD))
    own = [
        verdicts.get(f"precision:{fact.id}", FactVerdict.UNREAD) for fact in said if category in (None, fact.category)
    ]
    return fact_scores(list(by_reference.values()), own, strict=strict)


def _verdicts(rows: Rows) -> dict[str, FactVerdict]:
    return {
        name: FactVerdict(row["value"]) if row["state"] == ReplyState.OK and row["value"] else FactVerdict.UNREAD
        for name, row in rows.items()
        if name.startswith(("recall:", "precision:"))
    }
