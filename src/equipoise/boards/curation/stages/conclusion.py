"""Stage 8: what the board concluded, with quotes checked word for word, and its four decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.boards.curation.answers import entries, plain, read_answer, same_id
from equipoise.boards.curation.checks import (
    LEAST_SAID,
    denied,
    denies,
    new_drugs,
    new_numbers,
    new_terms,
    resolve_quote,
    rests_on,
    said_share,
    turned_round,
)
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
from equipoise.boards.model import DecisionKind, Disposition, Scope, Turn


def user(prompt: Prompt, turns: Sequence[Turn]) -> str:
    """What is asked about a case."""
    return prompt.filled(material=shown(turns))


def read(unit: str, text: str, turns: Sequence[Turn]) -> Read:
    """A reply: one conclusion, or none when the board came to none.

    A conclusion without a single sound quote is refused, and so is one that holds what nobody said, or turns its quotes round.
    A decision without a sound quote, or whose scope its words contradict, has no scope (it cannot be scored); it never becomes absent.
    """
    answer = read_answer(text, main="conclusion")
    if answer.value is None:
        return unreadable(unit, answer.why)
    value = answer.value
    words = plain(value["conclusion"])
    if isinstance(value["conclusion"], Mapping):
        value = {**value, **value["conclusion"]}
        words = plain(value.get("text") or value.get("conclusion"))
    if not words and value.get("conclusion") is not None:
        why = "the conclusion is empty"
        return Read(rejects=(Reject(unit=unit, reason=Reason.NO_TEXT, detail=why),), usable=False, why=why)
    if not words:
        detail = "the model says that the board came to no conclusion"
        return Read(rejects=(Reject(unit=unit, reason=Reason.NO_CONCLUSION, detail=detail),))
    rejects: list[Reject] = []
    quotes = []
    given = value.get("quotes", value.get("quote"))
    for number, item in enumerate(entries(given), start=1):
        found = _quote(item, turns)
        if isinstance(found, Reason):
            rejects.append(
                Reject(unit=unit, item=f"quote {number}", reason=found, value=plain(item.get("quote"))[:400])
            )
        elif found not in quotes:
            quotes.append(found)
    fault = _fault(words, [quote["text"] for quote in quotes], told(turns))
    if fault is not None:
        reason, why = fault
        rejects.append(Reject(unit=unit, item="conclusion", reason=reason, detail=why, value=words[:400]))
        return Read(rejects=tuple(rejects), usable=False, why=why)
    disposition = plain(value.get("disposition")).casefold()
    row = {
        "text": words,
        "quotes": quotes,
        "disposition": disposition if disposition in list(Disposition) else Disposition.UNKNOWN.value,
        "decisions": _decisions(unit, entries(value.get("decisions")), turns, rejects),
    }
    return Read(rows=(row,), rejects=tuple(rejects))


def _fault(words: str, quotes: Sequence[str], said: str) -> tuple[Reason, str] | None:
    """Why a text cannot stand on its quotes; None when it can."""
    if not quotes:
        return Reason.QUOTE_ABSENT, "no quote stands word for word in the utterance it names"
    if new_drugs(words, said):
        return Reason.DRUG_NOT_SAID, "it names a drug nobody named"
    if new_numbers(words, said):
        return Reason.NUMBER_NOT_SAID, "it holds a number nobody said"
    if new_terms(words, said):
        return Reason.TERM_NOT_SAID, "it holds a term nobody said"
    if turned_round(words, quotes):
        return Reason.MEANING_CHANGED, "it affirms what its quotes deny, or the other way round"
    if said_share(words, said) < LEAST_SAID:
        return Reason.WORDS_NOT_SAID, "less than a third of its words was said"
    if not rests_on(words, "\n".join(quotes)):
        return Reason.WORDS_NOT_SAID, "it has nothing in common with its quotes"
    return None


def _scope_fault(scope: str, words: str, quote: str) -> str:
    """Why a scope does not fit the words of its decision; empty when it may."""
    if scope == Scope.POSITIVE and denied(words) and denied(quote):
        return "the scope is positive, and words and quote deny"
    if scope == Scope.NEGATIVE and not denies(words) and not denies(quote):
        return "the scope is negative, and neither words nor quote deny or withhold anything"
    return ""


def _quote(item: Mapping[str, Any], turns: Sequence[Turn]) -> dict[str, Any] | Reason:
    name = same_id(item.get("utterance", item.get("turn")), [turn.id for turn in turns])
    if not name:
        return Reason.UNKNOWN_UTTERANCE
    found = resolve_quote(plain(item.get("quote") or item.get("text")), turns, name)
    return found.reason or {"text": found.text, "turn": found.turn}


def _decisions(
    unit: str, given: Sequence[Mapping[str, Any]], turns: Sequence[Turn], rejects: list[Reject]
) -> list[dict[str, Any]]:
    """The four decisions in their order; one that cannot be used has no scope. Empty when the reply names none."""
    if not given:
        return []
    found: dict[str, dict[str, Any]] = {}
    said = told(turns)
    for item in given:
        kind = plain(item.get("kind")).casefold().replace(" ", "_")
        scope = plain(item.get("scope")).casefold()
        if kind not in list(DecisionKind) or kind in found or scope not in list(Scope):
            detail = "no kind or scope of the list, or a second one of its kind"
            rejects.append(Reject(unit=unit, item=kind[:40], reason=Reason.DECISION_UNREADABLE, detail=detail))
            continue
        if scope == Scope.ABSENT:
            found[kind] = {"kind": kind, "scope": scope, "text": "", "quotes": []}
            continue
        words = plain(item.get("text"))
        quote = _quote({"utterance": item.get("utterance"), "quote": item.get("quote")}, turns)
        fault = None if isinstance(quote, Reason) else _fault(words, [quote["text"]], said)
        if isinstance(quote, Reason) or not words or fault is not None:
            why = quote.value if isinstance(quote, Reason) else fault[1] if fault else "no words"
            rejects.append(
                Reject(unit=unit, item=kind, reason=Reason.DECISION_WITHOUT_QUOTE, detail=why, value=words[:400])
            )
            found[kind] = {"kind": kind, "scope": None, "text": "", "quotes": []}
            continue
        # the words that were given, since a quote that was widened holds other decisions too
        own = plain(item.get("quote"))
        against = _scope_fault(scope, words, own) or (
            "" if rests_on(words, own) else "the words are not those of the quote"
        )
        if against:
            rejects.append(
                Reject(unit=unit, item=kind, reason=Reason.SCOPE_AGAINST_WORDS, detail=against, value=words[:400])
            )
            found[kind] = {"kind": kind, "scope": None, "text": "", "quotes": []}
            continue
        found[kind] = {"kind": kind, "scope": scope, "text": words, "quotes": [quote]}
    return [
        found.get(kind.value, {"kind": kind.value, "scope": None, "text": "", "quotes": []}) for kind in DecisionKind
    ]


async def run(work: Work) -> Done:
    """Writes the conclusion of every case."""
    cases = [row["case"] for row in work.rows("segment/cases")]
    turns = {case: turns_of(work.rows("roles/turns"), case) for case in cases}
    assert work.prompt is not None
    prompt = work.prompt
    outcomes = await ask_units(
        work, {case: user(prompt, turns[case]) for case in cases}, lambda unit, text: read(unit, text, turns[unit])
    )
    rows = [{"case": case, **item.read.rows[0]} for case, item in outcomes.items() if item.read and item.read.rows]
    return Done(
        tables={"conclusions": rows},
        rejects=[reject for outcome in outcomes.values() for reject in outcome.rejects],
        notes=repaired(outcomes),
        open=unasked(outcomes),
        unit="cases",
        entered=len(cases),
        kept=len(rows),
    )


STAGE = Stage(
    number=8, id="conclusion", version="2", inputs=("segment/cases", "roles/turns"), run=run, prompt="conclusion"
)
