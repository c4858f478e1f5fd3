"""Stage 7: keep, drop or rephrase. A drop needs a reason of the list; a rephrased question may change no negation, number or drug, and
brings no number or term that the case text does not have.

What cannot be read keeps the question as it was, and marks it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.boards.curation.answers import entries, plain, read_answer, same_id
from equipoise.boards.curation.checks import (
    COUNTS,
    content_words,
    negations,
    new_drugs,
    new_numbers,
    new_terms,
    shares_run,
)
from equipoise.boards.curation.prompts import Prompt, fenced
from equipoise.boards.curation.reasons import DROP_REASONS, Reason
from equipoise.boards.curation.spoken import numbers
from equipoise.boards.curation.stages.base import (
    Done,
    Read,
    Reject,
    Stage,
    Work,
    ask_units,
    repaired,
    unasked,
    unreadable,
)
from equipoise.boards.curation.stages.rows import Row, by

CHANGE_WORDS = 2
"""New words of four letters or more that a rephrased question may take from its answer: more tell it."""


def user(prompt: Prompt, questions: Sequence[Row], case_text: str) -> str:
    """What is asked about the questions of a case."""
    parts = [f"CASE TEXT\n{case_text or 'none'}"]
    parts += [
        f"{row['id']} ({row['type']}, {row['role']})\nQ: {row['question']}\nA: {row['answer']}" for row in questions
    ]
    return prompt.filled(
        material=fenced("questions", "\n\n".join(parts)), ids=", ".join(row["id"] for row in questions)
    )


def read(unit: str, text: str, questions: Sequence[Row], case_text: str = "") -> Read:
    """A reply: what becomes of each question it names.

    Rows have `id`, `action` (keep, drop, rephrase), `reason` and `question`; a refused one is a keep with a reject beside it.
    """
    answer = read_answer(text, main="reviews")
    if answer.value is None:
        return unreadable(unit, answer.why)
    known = {row["id"]: row for row in questions}
    rows: dict[str, Mapping[str, Any]] = {}
    rejects: list[Reject] = []
    for item in entries(answer.value["reviews"]):
        name = same_id(item.get("id"), known)
        action = plain(item.get("action")).casefold()
        if not name:
            rejects.append(Reject(unit=unit, reason=Reason.UNKNOWN_ITEM, value=plain(item.get("id"))[:40]))
        elif name in rows:
            rejects.append(
                Reject(unit=unit, item=name, reason=Reason.DUPLICATE, detail="reviewed twice; the first counts")
            )
        elif action == "keep":
            rows[name] = _row(name, "keep")
        elif action == "drop":
            rows[name] = _dropped(unit, name, item, rejects)
        elif action == "rephrase":
            rows[name] = _rephrased(unit, known[name], item, case_text, rejects)
        else:
            rejects.append(Reject(unit=unit, item=name, reason=Reason.UNKNOWN_ACTION, value=action[:40]))
    why = "" if rows else "no question was given keep, drop or rephrase under its id"
    return Read(rows=tuple(rows.values()), rejects=tuple(rejects), usable=bool(rows), why=why)


def _row(name: str, action: str, *, reason: str = "", question: str = "") -> Mapping[str, Any]:
    return {"id": name, "action": action, "reason": reason, "question": question}


def _dropped(unit: str, name: str, item: Mapping[str, Any], rejects: list[Reject]) -> Mapping[str, Any]:
    reason = plain(item.get("reason")).casefold().replace("-", "_").replace(" ", "_")
    if reason not in [one.value for one in DROP_REASONS]:
        detail = "a drop needs a reason of the list; the question was kept"
        rejects.append(
            Reject(unit=unit, item=name, reason=Reason.UNKNOWN_DROP_REASON, detail=detail, value=reason[:60])
        )
        return _row(name, "keep", reason="drop-refused")
    return _row(name, "drop", reason=reason)


def _rephrased(
    unit: str, row: Row, item: Mapping[str, Any], case_text: str, rejects: list[Reject]
) -> Mapping[str, Any]:
    new = plain(item.get("question"))
    reason = rephrase_fault(row["question"], new, row["answer"], case_text)
    if reason is not None:
        detail = "the question was kept as it was"
        rejects.append(Reject(unit=unit, item=row["id"], reason=reason, detail=detail, value=new[:400]))
        return _row(row["id"], "keep", reason="rephrase-refused")
    return _row(row["id"], "rephrase", question=new)


def rephrase_fault(old: str, new: str, answer: str, case_text: str = "") -> Reason | None:
    """Why new words may not stand for a question; None when they may.

    Args:
        old: the question.
        new: the new words.
        answer: what the new words may not tell.
        case_text: where numbers and terms may come from that the question did not have.
    """
    if not new:
        return Reason.NO_TEXT
    if negations(old) != negations(new):
        return Reason.REPHRASE_NEGATION
    if numbers(old) - numbers(new):
        return Reason.REPHRASE_NUMBER
    if new_drugs(old, new) or new_terms(old, new):
        return Reason.REPHRASE_DRUG
    taken = (content_words(new) - content_words(old)) & content_words(answer)
    told = (numbers(new) - numbers(old)) & numbers(answer)
    if shares_run(new, answer) or new_drugs(new, old) or told or len(taken) > CHANGE_WORDS:
        return Reason.REPHRASE_ANSWER
    source = f"{old}\n{case_text}"
    if new_numbers(new, source) - COUNTS:
        return Reason.NUMBER_NOT_SAID
    return Reason.TERM_NOT_SAID if new_terms(new, source) else None


async def run(work: Work) -> Done:
    """Reviews the questions of every case."""
    questions = by(work.rows("questions/questions"), "case")
    case_texts = {row["case"]: row["text"] for row in work.rows("summary/summaries")}
    assert work.prompt is not None
    prompt = work.prompt
    outcomes = await ask_units(
        work,
        {case: user(prompt, rows, case_texts.get(case, "")) for case, rows in questions.items()},
        lambda unit, text: read(unit, text, questions[unit], case_texts.get(unit, "")),
    )
    kept: list[dict[str, Any]] = []
    rejects: list[Reject] = []
    unreviewed = 0
    for case, rows in questions.items():
        rejects.extend(outcomes[case].rejects)
        found = outcomes[case].read
        reviews = {row["id"]: row for row in found.rows} if found else {}
        for row in rows:
            review = reviews.get(row["id"])
            if review is None:
                unreviewed += 1
                rejects.append(Reject(unit=case, item=row["id"], reason=Reason.NOT_REVIEWED, detail="kept as it was"))
                kept.append({**row, "review": "not reviewed"})
            elif review["action"] == "drop":
                rejects.append(
                    Reject(unit=case, item=row["id"], reason=Reason(review["reason"]), value=row["question"])
                )
            elif review["action"] == "rephrase":
                kept.append({**row, "question": review["question"], "original": row["question"], "review": "rephrased"})
            else:
                kept.append({**row, "review": review["reason"] or "kept"})
    notes = [f"{unreviewed} questions were kept without a review"] if unreviewed else []
    return Done(
        tables={"questions": kept},
        rejects=rejects,
        notes=[*notes, *repaired(outcomes)],
        open=unasked(outcomes),
        unit="questions",
        entered=sum(len(rows) for rows in questions.values()),
        kept=len(kept),
    )


STAGE = Stage(
    number=7, id="review", version="2", inputs=("questions/questions", "summary/summaries"), run=run, prompt="review"
)
