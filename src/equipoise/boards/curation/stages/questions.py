"""Stage 6: questions with their answers. The answer is a quote of one specialist's utterance, checked word for word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.boards.curation.answers import entries, plain, read_answer, same_id
from equipoise.boards.curation.checks import COUNTS, new_drugs, new_numbers, new_terms, resolve_quote, shares_run
from equipoise.boards.curation.prompts import Prompt
from equipoise.boards.curation.reasons import Reason
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
from equipoise.boards.curation.stages.rows import shown, told, turns_of
from equipoise.boards.model import QuestionType, Turn
from equipoise.boards.vocabulary import TARGET_ROLES, Role, role_of

SHORTEST = 60
"""Characters of an utterance from which it can be an answer, as in OpenTumorBoard."""


def eligible(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Utterances that can be answers: of a specialist, and not very short."""
    return tuple(turn for turn in turns if turn.role in TARGET_ROLES and len(turn.text) >= SHORTEST)


def user(prompt: Prompt, turns: Sequence[Turn]) -> str:
    """What is asked about a case."""
    return prompt.filled(material=shown(turns), eligible=", ".join(turn.id for turn in eligible(turns)))


def read(unit: str, text: str, turns: Sequence[Turn]) -> Read:
    """A reply: questions that passed every check.

    An empty list is an answer: the case then has no question.
    """
    answer = read_answer(text, main="questions")
    if answer.value is None:
        return unreadable(unit, answer.why)
    given = entries(answer.value["questions"])
    rows: list[Mapping[str, Any]] = []
    rejects: list[Reject] = []
    seen: set[tuple[str, str]] = set()
    for number, item in enumerate(given, start=1):
        row = _question(item, turns)
        if not isinstance(row, Reason) and (key := (row["utterance"], row["question"].casefold())) in seen:
            row = Reason.DUPLICATE
        if isinstance(row, Reason):
            value = {name: plain(item.get(name))[:400] for name in ("utterance", "type", "question", "quote")}
            rejects.append(Reject(unit=unit, item=f"question {number}", reason=row, value=value))
            continue
        seen.add(key)
        rows.append({"id": f"q{len(rows) + 1:02d}", **row})
    usable = bool(rows) or not given
    why = (
        "" if usable else "no question passed: quotes must be word for word, ids must exist, types must be of the list"
    )
    return Read(rows=tuple(rows), rejects=tuple(rejects), usable=usable, why=why)


def _question(item: Mapping[str, Any], turns: Sequence[Turn]) -> Mapping[str, Any] | Reason:
    ids = [turn.id for turn in turns]
    name = same_id(item.get("utterance", item.get("turn")), ids)
    if not name:
        return Reason.UNKNOWN_UTTERANCE
    turn = turns[ids.index(name)]
    kind = plain(item.get("type")).casefold().replace(" ", "_")
    question = plain(item.get("question"))
    words = [text for name in ("answer", "quote") if (text := plain(item.get(name)))]
    given_role = role_of(plain(item.get("role")))
    if turn.role is Role.MODERATOR:
        return Reason.MODERATOR_TURN
    if turn.role is Role.UNKNOWN:
        return Reason.ROLE_UNKNOWN
    if len(turn.text) < SHORTEST:
        return Reason.SHORT_TURN
    if kind not in list(QuestionType):
        return Reason.UNKNOWN_TYPE
    if not question:
        return Reason.NO_TEXT
    if given_role not in (None, turn.role):
        return Reason.WRONG_ROLE
    # an answer beside its quote has to stand there as well
    found = resolve_quote(words[0] if words else "", turns, name)
    others = [resolve_quote(other, turns, name) for other in words[1:]]
    refused = next((one.reason for one in (found, *others) if one.reason is not None), None)
    if refused is not None:
        return refused
    if shares_run(question, found.text):
        return Reason.QUESTION_TELLS_ANSWER
    unsaid = _unsaid(question, told(turns))
    if unsaid is not None:
        return unsaid
    asked = same_id(item.get("asked_in"), ids)
    flags = list(found.flags)
    if asked and ids.index(asked) >= ids.index(name):
        asked = ""
        flags.append("asked-in-dropped")
    if len(found.text.split()) < 3:
        flags.append("short-quote")
    return {
        "utterance": name,
        "role": turn.role.value,
        "type": kind,
        "question": question,
        "answer": found.text,
        "asked_in": asked,
        "flags": flags,
    }


def _unsaid(question: str, said: str) -> Reason | None:
    """What a question names and nobody said; small numbers are passed over, since they count its options."""
    if new_drugs(question, said):
        return Reason.DRUG_NOT_SAID
    if new_numbers(question, said) - COUNTS:
        return Reason.NUMBER_NOT_SAID
    return Reason.TERM_NOT_SAID if new_terms(question, said) else None


async def run(work: Work) -> Done:
    """Takes the questions out of every case."""
    cases = [row["case"] for row in work.rows("segment/cases")]
    turns = {case: turns_of(work.rows("roles/turns"), case) for case in cases}
    assert work.prompt is not None
    prompt = work.prompt
    able = [case for case in cases if eligible(turns[case])]
    outcomes = await ask_units(
        work, {case: user(prompt, turns[case]) for case in able}, lambda unit, text: read(unit, text, turns[unit])
    )
    rows = [{"case": case, **row} for case, item in outcomes.items() if item.read for row in item.read.rows]
    rejects = [reject for outcome in outcomes.values() for reject in outcome.rejects]
    rejects += [
        Reject(
            unit=case, reason=Reason.ROLE_UNKNOWN, detail="no utterance of a specialist is long enough to be an answer"
        )
        for case in cases
        if case not in able
    ]
    widened = sum("quote-widened" in row["flags"] for row in rows)
    notes = [f"{widened} quotes left out a negation or condition and were widened to their sentence"] if widened else []
    return Done(
        tables={"questions": rows},
        rejects=rejects,
        notes=[*notes, *repaired(outcomes)],
        open=unasked(outcomes),
        unit="cases",
        entered=len(cases),
        kept=len({row["case"] for row in rows}),
    )


STAGE = Stage(
    number=6, id="questions", version="2", inputs=("segment/cases", "roles/turns"), run=run, prompt="questions"
)
