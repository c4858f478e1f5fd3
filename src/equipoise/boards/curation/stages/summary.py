"""Stage 5: the case text. Every sentence names the utterances it rests on; one that holds what nobody said is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from equipoise.boards.curation.answers import entries, plain, read_answer, same_id, texts
from equipoise.boards.curation.checks import LEAST_SAID, new_drugs, new_numbers, new_terms, said_share
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
from equipoise.boards.curation.stages.rows import Row, shown, told, turns_of
from equipoise.boards.model import Turn

HEADINGS: tuple[str, ...] = (
    "Demographics",
    "Chief complaint",
    "Diagnosis",
    "Histopathology",
    "Imaging",
    "Molecular",
    "Labs",
    "Prior treatment",
    "Current status",
    "Other",
)
"""The sections of a case text, in their order, as OpenTumorBoard has them."""


def user(prompt: Prompt, turns: Sequence[Turn]) -> str:
    """What is asked about a case."""
    return prompt.filled(material=shown(turns))


def read(unit: str, text: str, turns: Sequence[Turn]) -> Read:
    """A reply: sentences under headings, with the utterances they rest on.

    A number, drug or term in capitals that nobody said in the whole case is refused, and so is a sentence of whose words less than a third
    was said; a number, drug or term that was said elsewhere than in the named utterances is flagged.
    """
    answer = read_answer(text, main="sections")
    if answer.value is None:
        return unreadable(unit, answer.why)
    rows: list[Mapping[str, Any]] = []
    rejects: list[Reject] = []
    for section in _sections(answer.value["sections"]):
        heading = next((name for name in HEADINGS if name.casefold() == _name(section.get("heading"))), None)
        for sentence in entries(section.get("sentences")):
            words = plain(sentence.get("text"))
            item = f"sentence {len(rows) + len(rejects) + 1}"
            found = _sentence(unit, item, heading, words, sentence, turns)
            if isinstance(found, Reject):
                rejects.append(found)
            else:
                rows.append(found)
    ordered = sorted(rows, key=lambda row: HEADINGS.index(row["heading"]))
    numbered = tuple({"id": f"s{place:02d}", **row} for place, row in enumerate(ordered, start=1))
    if not rows and not rejects:
        rejects.append(Reject(unit=unit, reason=Reason.NO_TEXT, detail="the reply holds no sentence"))
    why = "" if rows else "no sentence could be used; each needs a heading of the list and ids of utterances that exist"
    return Read(rows=numbered, rejects=tuple(rejects), usable=bool(rows), why=why)


def _sections(value: Any) -> Iterable[Mapping[str, Any]]:
    """Sections, also when they were written as an object of lists by heading."""
    if isinstance(value, Mapping) and "heading" not in value:
        return [{"heading": heading, "sentences": sentences} for heading, sentences in value.items()]
    return entries(value)


def _name(value: Any) -> str:
    return plain(value).strip("[]: ").replace("_", " ").casefold()


def _sentence(
    unit: str, item: str, heading: str | None, words: str, sentence: Mapping[str, Any], turns: Sequence[Turn]
) -> Mapping[str, Any] | Reject:
    ids = [turn.id for turn in turns]
    named = texts(sentence.get("utterances", sentence.get("turns")))
    rests = [found for name in named if (found := same_id(name, ids))]
    reason = None
    if heading is None:
        reason = Reason.UNKNOWN_HEADING
    elif not words:
        reason = Reason.NO_TEXT
    elif not named:
        reason = Reason.NO_UTTERANCE
    elif len(rests) < len(named):
        reason = Reason.UNKNOWN_UTTERANCE
    elif new_drugs(words, told(turns)):
        reason = Reason.DRUG_NOT_SAID
    elif new_numbers(words, told(turns)):
        reason = Reason.NUMBER_NOT_SAID
    elif new_terms(words, told(turns)):
        reason = Reason.TERM_NOT_SAID
    elif said_share(words, told(turns)) < LEAST_SAID:
        reason = Reason.WORDS_NOT_SAID
    if reason is not None:
        return Reject(unit=unit, item=item, reason=reason, value=words[:400])
    source = told(turn for turn in turns if turn.id in rests)
    flags = []
    if new_numbers(words, source):
        flags.append("number-not-in-utterances")
    if new_drugs(words, source):
        flags.append("drug-not-in-utterances")
    if new_terms(words, source):
        flags.append("term-not-in-utterances")
    # brackets alone on a line would forge a heading
    return {"heading": heading, "text": words.replace("[", "(").replace("]", ")"), "utterances": rests, "flags": flags}


def text_of(sentences: Sequence[Row]) -> str:
    """The case text: sentences under their bracketed headings."""
    parts: dict[str, list[str]] = {}
    for row in sentences:
        parts.setdefault(row["heading"], []).append(row["text"])
    return "\n\n".join(f"[{heading}]\n{' '.join(words)}" for heading, words in parts.items())


async def run(work: Work) -> Done:
    """Writes the text of every case."""
    cases = [row["case"] for row in work.rows("segment/cases")]
    turns = {case: turns_of(work.rows("roles/turns"), case) for case in cases}
    assert work.prompt is not None
    prompt = work.prompt
    outcomes = await ask_units(
        work, {case: user(prompt, turns[case]) for case in cases}, lambda unit, text: read(unit, text, turns[unit])
    )
    found = {case: outcome.read for case, outcome in outcomes.items() if outcome.read}
    sentences = [{"case": case, **row} for case, item in found.items() for row in item.rows]
    flagged = sum(bool(row["flags"]) for row in sentences)
    notes = [f"{flagged} sentences hold a number, drug or term that the utterances they name do not; look at them"]
    return Done(
        tables={
            "sentences": sentences,
            "summaries": [{"case": case, "text": text_of(item.rows)} for case, item in found.items()],
        },
        rejects=[reject for outcome in outcomes.values() for reject in outcome.rejects],
        notes=[*(notes if flagged else ()), *repaired(outcomes)],
        open=unasked(outcomes),
        unit="cases",
        entered=len(cases),
        kept=len(found),
    )


STAGE = Stage(number=5, id="summary", version="2", inputs=("segment/cases", "roles/turns"), run=run, prompt="summary")
