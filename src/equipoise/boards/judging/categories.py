"""Treatment categories read by judges: what a reply recommends, what a reference does, and whether they agree.

A judge reads one conclusion and does not know whether it is a reply or a reference. What references recommend is settled first and once,
in board-categories.jsonl, for those whose data set has no category: a reply cannot move what it is measured by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from equipoise.boards.judging.criteria import BY_RUBRIC, CATEGORY
from equipoise.boards.judging.items import NOT_ASKED, NOT_JUDGED, ItemScore
from equipoise.boards.judging.references import BoardReference
from equipoise.boards.measures.concordance import Plan, plan_concordance
from equipoise.boards.vocabulary import TreatmentCategory, category_of
from equipoise.errors import InputError
from equipoise.ids import canonical_json, content_hash, text_hash
from equipoise.outcomes.readers import read_json_lines
from equipoise.outcomes.schema import ReplyState

CATEGORY_FILE = "board-categories.jsonl"

FIRST, STEP, NONE = "category-first", "category-first-step", "none"
ALSO: Mapping[str, TreatmentCategory] = {
    f"also-{category.name.lower().replace('_', '-')}": category for category in TreatmentCategory
}
"""Questions whether a category is recommended at all."""

Rows = Mapping[str, Mapping[str, Any]]
"""Rows of one judge on one text by criterion."""

Known = Mapping[str, frozenset[TreatmentCategory] | None]
"""By item, what the board recommends; empty when nothing, None when that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPlan:
    """A judge's reading of one text.

    Attributes:
        plan: what the text recommends; None when an answer that it needs is missing, or the answers contradict each other.
        leading: the same for the first recommendation alone; it needs fewer answers.
        state: ok, or why there is no plan.
    """

    plan: Plan | None
    leading: Plan | None
    state: str


def read_plan(rows: Rows) -> ReadPlan:
    """What a judge's answers say.

    One that calls nothing recommended and then marks a category contradicts itself: nothing is read of it.

    Args:
        rows: its rows by criterion.
    """
    states = [str(row["state"]) for row in rows.values() if row["state"] != ReplyState.OK]
    failed = ReadPlan(
        plan=None, leading=None, state=next(iter(states), ReplyState.UNPARSED.value if rows else NOT_JUDGED)
    )
    values = {name: str(row["value"]) for name, row in rows.items() if row["state"] == ReplyState.OK and row["value"]}
    if FIRST not in values:
        return failed
    first = category_of(values[FIRST])
    also = frozenset(category for name, category in ALSO.items() if values.get(name) == "yes")
    if (first is None) != (values[FIRST] == NONE) or (first is None and also):
        return replace(failed, state=ReplyState.UNPARSED.value)
    step = None
    if first is TreatmentCategory.MULTISTEP:
        if STEP not in values:
            return failed
        step = category_of(values[STEP])
    leading = Plan(first=first, step=step)
    if any(name not in values for name in ALSO):
        return replace(failed, leading=leading)
    return ReadPlan(plan=replace(leading, also=also), leading=leading, state=ReplyState.OK.value)


def reference_key(text: str) -> str:
    """Under which a reference is judged and kept: equal texts are one."""
    return f"board-reference:{text_hash(text)}"


def texts_to_settle(references: Mapping[str, BoardReference], settled: Mapping[str, Any]) -> dict[str, str]:
    """References nobody has put into categories, by key, each text once.

    Args:
        references: by item.
        settled: what was settled, by key.
    """
    texts = [text for item in references.values() if not given(item) for text in item.references]
    return {key: text for text in texts if (key := reference_key(text)) not in settled}


def given(reference: BoardReference) -> frozenset[TreatmentCategory]:
    """The categories that the data set has for an item; empty when it has none."""
    return frozenset(category for category in map(category_of, reference.categories) if category is not None)


def settled_categories(folder: str | Path) -> dict[str, frozenset[TreatmentCategory]]:
    """What was settled in a run folder, by key of the text.

    Raises:
        InputError: a line cannot be read.
    """
    path = Path(folder) / CATEGORY_FILE
    if not path.is_file():
        return {}
    found = {}
    for line, record in read_json_lines(path):
        try:
            found[str(record["key"])] = frozenset(TreatmentCategory(name) for name in record["categories"])
        except (KeyError, ValueError, TypeError) as error:
            message = "not a line of settled categories; the file is damaged, take a fresh copy of the run"
            raise InputError(message, file=str(path), line=line) from error
    return found


def settle(folder: str | Path, rubric_hash: str, judge: str, read: Mapping[str, ReadPlan]) -> int:
    """Write what a judge or panel read in references that are not settled yet.

    Args:
        folder: the run folder.
        rubric_hash: of the rubric.
        judge: whose word it is.
        read: by key of the text.

    Returns:
        Texts settled now. A text that could not be read stays open.
    """
    known = settled_categories(folder)
    lines = []
    for key, one in read.items():
        if key in known or one.plan is None:
            continue
        body = {
            "key": key,
            "first": NONE if one.plan.first is None else one.plan.first.value,
            "step": NONE if one.plan.step is None else one.plan.step.value,
            "categories": sorted(category.value for category in one.plan.all),
            "by": judge,
            "rubric_hash": rubric_hash,
        }
        lines.append(canonical_json({**body, "hash": content_hash(body)}) + "\n")
    if lines:
        with (Path(folder) / CATEGORY_FILE).open("a", encoding="utf-8") as file:
            file.writelines(lines)
    return len(lines)


def known_categories(references: Mapping[str, BoardReference], folder: str | Path) -> Known:
    """What the board of each item recommends: from its data set, else as settled over all acceptable references.

    Raises:
        InputError: what was settled cannot be read.
    """
    settled = settled_categories(folder)
    found: dict[str, frozenset[TreatmentCategory] | None] = {}
    for name, reference in references.items():
        own = [settled.get(reference_key(text)) for text in reference.references]
        read = [categories for categories in own if categories is not None]
        whole = bool(own) and len(read) == len(own)
        found[name] = given(reference) or (frozenset().union(*read) if whole else None)
    return found


def category_rows(base: ItemScore, rows: Rows, reference: frozenset[TreatmentCategory] | None) -> Iterator[ItemScore]:
    """The concordance of one reply by one judge and repeat.

    Where the reference recommends nothing it is undefined and out of scope. Where nobody has read the reference, or the judge could not be
    read, there is no value.

    Args:
        base: what all scores of the reply by this judge share.
        rows: the judge's rows.
        reference: what the board recommends; None when not known.
    """
    read = read_plan(rows)
    for form in BY_RUBRIC[CATEGORY]:
        own = replace(base, criterion=form.criterion, scale=form.scale, lowest=form.lowest, highest=form.highest)
        if reference is not None and not reference:
            yield replace(own, in_scope=False, judge_state=NOT_ASKED)
            continue
        if own.reply_state != ReplyState.OK:
            yield replace(own, judge_state=NOT_ASKED)
            continue
        plan = read.leading if form.criterion == "first" else read.plan
        if plan is None or reference is None:
            yield replace(own, judge_state=read.state if plan is None else NOT_JUDGED)
            continue
        match = plan_concordance(plan, reference)
        points = None if match is None else float(getattr(match, form.criterion))
        yield replace(own, points=points, judge_state=ReplyState.OK.value)
