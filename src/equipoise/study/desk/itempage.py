"""One item as a rater's page shows it, and what comes back from its form."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.study.aid import Reading
from equipoise.study.desk.forms import Form
from equipoise.study.desk.preferences import action_of, keys_of, read_preferences
from equipoise.study.desk.sessions import Session
from equipoise.study.desk.text import Block, block
from equipoise.study.history import Standing
from equipoise.study.protocol import OPEN_LISTS, Protocol, Question
from equipoise.study.queues import neighbours
from equipoise.study.store import Draw, Store
from equipoise.study.view import RaterView, rater_view

_PRESS = re.compile(r"[A-Za-z0-9_-]{8,64}")
_LONGEST_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionRow:
    """One answer that can be given.

    Attributes:
        value: what is stored.
        text: definition; empty without one.
        key: key that gives it; empty for none.
        chosen: whether it is given.
    """

    value: str
    text: str
    key: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow:
    """One question of the form.

    Attributes:
        id: its id; the field of the form is "answer." and the id.
        text: the question.
        kind: how it is answered.
        required: whether an item is complete without it.
        options: the answers.
        value: the text, where it is one.
        asked: whether it is asked, given the answers to the others.
        when: id of the question it hangs on; empty for none.
        values: answers of that question with which it is asked.
        lacking: whether it still needs an answer.
    """

    id: str
    text: str
    kind: str
    required: bool
    options: tuple[OptionRow, ...]
    value: str
    asked: bool
    when: str
    values: tuple[str, ...]
    lacking: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    """Everything the page of an item shows; nothing in it names a source, a reference, or another rater.

    Attributes:
        public: random id of the item for this rater.
        place: place in the queue, from 1.
        total: items in the queue.
        done: items complete or skipped.
        before: random id of the item before; None at the first.
        after: random id of the item after; None at the last.
        number: number of the last event that the page knows.
        standing: where the item stands.
        skipped: reason of a skip; empty when it is not skipped.
        locked: whether it is final.
        saved: time of the last change; empty without one.
        fields: name and content of each field.
        aid: facts read by rule, where the protocol declares that arm.
        questions: the form.
        comment: the comment.
        single: whether there is one question, so that the next item may come by itself.
        practice: whether it is a training item.
        expected: question, right answer and whether it was given, once a training item is answered.
        explanation: shown with them.
        problem: why the last form was not taken; empty when it was.
        unsaved: whether the form shows answers that are not saved.
        missing: id of the question for missing fields; empty for none.
    """

    public: str
    place: int
    total: int
    done: int
    before: str | None
    after: str | None
    number: int
    standing: Standing
    skipped: str
    locked: bool
    saved: str
    fields: tuple[tuple[str, Block], ...]
    aid: tuple[Reading, ...]
    questions: tuple[QuestionRow, ...]
    comment: str
    single: bool
    practice: bool
    expected: tuple[tuple[str, str, bool], ...]
    explanation: str
    problem: str
    unsaved: bool
    missing: str


def item_page(
    store: Store,
    who: Session,
    public: str,
    *,
    problem: str = "",
    answers: Mapping[str, Any] | None = None,
    comment: str = "",
) -> ItemPage:
    """One item of a rater's queue.

    Args:
        store: the study.
        who: the rater.
        public: random id of the item.
        problem: why the last form was not taken.
        answers: answers of that form, which are shown instead of the saved ones.
        comment: comment of that form.

    Raises:
        UsageError: no such item in this rater's queue.
    """
    protocol = store.protocol
    view = rater_view(store, who.rater, public)
    beside = neighbours(store, who.rater, view.place)
    given = view.state.answers if answers is None else answers
    wishes = read_preferences(who.preferences, protocol)
    keys = keys_of(wishes, protocol) if wishes.keys else {}  # a key that does nothing is not shown
    markdown = protocol.items.kind == "reply"
    expected, explanation = _explained(store, who.rater, view)
    return ItemPage(
        public=public,
        place=view.place,
        total=view.total,
        done=view.done,
        before=beside.before,
        after=beside.after,
        number=view.state.number,
        standing=view.standing,
        skipped=view.state.skipped,
        locked=view.state.locked,
        saved=view.state.at,
        fields=tuple((name, block(value, markdown=markdown)) for name, value in view.shown.items()),
        aid=view.aid,
        questions=tuple(_row(question, given, keys) for question in protocol.questions),
        comment=view.state.comment if answers is None else comment,
        single=len(protocol.questions) == 1 and protocol.questions[0].kind in ("choice", "scale"),
        practice=view.practice,
        expected=expected,
        explanation=explanation,
        problem=problem,
        unsaved=answers is not None,
        missing=next((question.id for question in protocol.questions if question.kind == "fields"), ""),
    )


def _row(question: Question, given: Mapping[str, Any], keys: Mapping[str, str]) -> QuestionRow:
    value = given.get(question.id)
    chosen = set(value) if isinstance(value, list | tuple) else {value}
    asked = question.asked(dict(given))
    return QuestionRow(
        id=question.id,
        text=question.text,
        kind=question.kind,
        required=question.required,
        options=tuple(
            OptionRow(
                value=option.value,
                text=option.text or "",
                key=keys.get(action_of(question.id, option.value), ""),
                chosen=option.value in chosen,
            )
            for option in question.options
        ),
        value=value if isinstance(value, str) and question.kind == "text" else "",
        asked=asked,
        when="" if question.when is None else question.when.question,
        values=() if question.when is None else tuple(question.when.values),
        lacking=asked and question.required and question.id not in given,
    )


def _explained(store: Store, rater: str, view: RaterView) -> tuple[tuple[tuple[str, str, bool], ...], str]:
    """The protocol's answers to a training item, once the rater has answered it himself."""
    if not view.practice or view.standing is not Standing.COMPLETE:
        return (), ""
    name = store.place(rater, view.public).item.name
    keyed = next((item for item in store.protocol.training if item.item == name), None)
    if keyed is None:
        return (), ""
    told = tuple(
        (store.protocol.find(question).text, value, _holds(view.state.answers.get(question), value))
        for question, value in keyed.expected.items()
    )
    return told, keyed.explanation or ""


def _holds(given: Any, value: str) -> bool:
    return value in given if isinstance(given, list | tuple) else given == value


def given_answers(protocol: Protocol, form: Form) -> dict[str, Any]:
    """The answers in a form. A question without an answer is left out; unknown values are refused by the store.

    An answer to a question that is not asked, because of another answer, is left out too. No flag is an answer; no field,
    where the protocol wants one named, is none.
    """
    found: dict[str, Any] = {}
    for question in protocol.questions:
        values = form.all(f"answer.{question.id}")
        if question.kind in OPEN_LISTS:
            shown = form.one(f"shown.{question.id}") == "yes"
            nothing = shown and not (question.kind == "fields" and question.required)
            if (values or nothing) and question.asked(found):
                found[question.id] = values
        elif values and values[-1] != "" and question.asked(found):
            found[question.id] = values[-1]
    return found


def press_of(form: Form, draw: Draw) -> str:
    """Id of a press: that of the form, or a new one for a form without."""
    given = form.one("press")
    return given if _PRESS.fullmatch(given) else draw(12)


def seconds_of(form: Form) -> float | None:
    """Active seconds as the page counted them; None when it did not, or when they cannot be."""
    try:
        found = float(form.one("seconds"))
    except ValueError:
        return None
    return round(found, 1) if math.isfinite(found) and 0 <= found <= _LONGEST_SECONDS else None
