"""Scores over words, which need no judge: ROUGE-L, nearness in meaning where it was computed, concordance of categories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from equipoise.boards.judging.criteria import BY_RUBRIC, TEXT, CriterionForm
from equipoise.boards.judging.items import NOT_ASKED, NOT_JUDGED, ItemScore
from equipoise.boards.judging.references import BoardReference
from equipoise.boards.measures.concordance import Match, category_concordance
from equipoise.boards.measures.rouge import VERSION, rouge_l
from equipoise.boards.vocabulary import category_of
from equipoise.outcomes.schema import ReplyState

_FORMS: Mapping[str, CriterionForm] = {form.criterion: form for form in BY_RUBRIC[TEXT]}

Judged = Mapping[tuple[str, int], Mapping[str, Mapping[str, Any]]]
"""Rows of one reply by judge and repeat, then by criterion."""


def word_rows(
    base: ItemScore,
    answer: str,
    reference: BoardReference,
    row: Mapping[str, Any],
    judged: Judged,
    *,
    embedders: Mapping[str, str],
    classified: bool,
) -> Iterator[ItemScore]:
    """The scores of one reply: ROUGE-L always, the others where there is something to compute them from.

    An answer without words the measure knows is a failure of the measure and has no points; where the run keeps no text it is out of scope.

    Args:
        base: what all scores of the reply share.
        answer: the answer; empty when the reply failed.
        reference: what it is held against; the best of several counts.
        row: the reply's row; its label is the category of the answer, where somebody classified it.
        judged: rows of this reply by the rubric "text".
        embedders: embedding models that were used in this run, with the version of the measure.
        classified: whether anybody put answers of this run into categories; without that there is no concordance.
    """
    yield _rouge(_form(base, "rouge-l"), answer, reference)
    for judge, version in embedders.items():
        own = replace(_form(base, "embedding"), judge=judge, rubric_hash=version)
        found = judged.get((judge, 1), {}).get("embedding")
        if found is not None:
            yield replace(own, points=found["points"], judge_state=str(found["state"]))
        else:
            yield own if own.reply_state == ReplyState.OK else replace(own, judge_state=NOT_ASKED)
    if classified and reference.categories:
        yield _concordance(_form(base, "concordance"), reference, row)


def _form(base: ItemScore, criterion: str) -> ItemScore:
    form = _FORMS[criterion]
    return replace(
        base, rubric=TEXT, criterion=criterion, scale=form.scale, lowest=form.lowest, highest=form.highest,
    )  # fmt: skip


def _rouge(own: ItemScore, answer: str, reference: BoardReference) -> ItemScore:
    own = replace(own, rubric_hash=VERSION)
    if not reference.references or (own.reply_state == ReplyState.OK and not answer):
        return replace(own, in_scope=False, judge_state=NOT_ASKED)
    if own.reply_state != ReplyState.OK:
        return replace(own, judge_state=NOT_ASKED)
    found = rouge_l(answer, reference.references).f1
    return own if found is None else replace(own, points=found, judge_state=ReplyState.OK.value)


def _concordance(own: ItemScore, reference: BoardReference, row: Mapping[str, Any]) -> ItemScore:
    known = [category for category in map(category_of, reference.categories) if category is not None]
    if own.reply_state != ReplyState.OK:
        return replace(own, judge_state=NOT_ASKED)
    match = category_concordance(category_of(str(row["label"] or "")), known)
    if match is Match.NO_REFERENCE:
        return replace(own, in_scope=False, judge_state=NOT_ASKED)
    if match is Match.UNCLASSIFIED:
        return replace(own, judge_state=NOT_JUDGED)
    return replace(own, points=float(match is Match.CONCORDANT), judge_state=ReplyState.OK.value)
