"""Stage 10: what is known only because the board decided it leaves the case text and the captions. Deletions only, each verified.

The model names sentences, captions, or words in them; words are looked up, never taken over. Every deletion is applied by itself and stands
only when `verify_deletions` has nothing against it. What a rule still suspects afterwards is told, not deleted. Every proposal is kept in
`proposed` with who made it, the model or the rules, whatever became of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.boards.curation.answers import entries, plain, read_answer, same_id
from equipoise.boards.curation.checks import own_words
from equipoise.boards.curation.deleak import Suspicion, apply_deletions, find_leaks, verify_deletions
from equipoise.boards.curation.prompts import Prompt, fenced
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
from equipoise.boards.curation.stages.rows import Row, by, shown, turns_of
from equipoise.boards.curation.stages.summary import text_of
from equipoise.boards.model import Turn
from equipoise.errors import InputError

CAPTION = "caption "
"""Stands before the id of a caption, since a slide may have the id of a sentence."""

CLASSES: tuple[str, ...] = (
    "recommendation",
    "ordered_result",
    "inferred_negative",
    "restatement",
    "agreed_stage",
    "other",
)
"""Why something is a leak; another word is read as other."""


def user(
    prompt: Prompt, sentences: Sequence[Row], slides: Sequence[Row], conclusion: str, turns: Sequence[Turn]
) -> str:
    """What is asked about a case."""
    lines = [f"{row['id']} | [{row['heading']}] {row['text']}" for row in sentences]
    lines += [f"{CAPTION}{row['id']} | {row['caption']}" for row in slides]
    text = "\n".join((*lines, "", f"CONCLUSION | {conclusion or 'not known'}"))
    return prompt.filled(material=f"{fenced('case', text)}\n\n{shown(turns)}")


def read(unit: str, text: str, items: Mapping[str, str]) -> Read:
    """A reply: deletions, as an item and the words of it that go (all of it when none are named).

    Args:
        unit: the case.
        text: the reply.
        items: sentences by id, captions by `caption ID`.
    """
    answer = read_answer(text, main="deletions")
    if answer.value is None:
        return unreadable(unit, answer.why)
    rows: list[Mapping[str, Any]] = []
    rejects: list[Reject] = []
    given = entries(answer.value["deletions"])
    for item in given:
        named = plain(item.get("id", item.get("sentence")))
        exact = next((one for one in (named, f"{CAPTION}{named}") if one in items), "")
        name = exact or same_id(named, items) or same_id(f"{CAPTION}{named}", items)
        words = plain(item.get("words"))
        kind = plain(item.get("class")).casefold().replace(" ", "_")
        if not name and not named and words:
            # words alone name their sentence when they stand in one only
            holding = [other for other, whole in items.items() if own_words(words, whole)]
            name = holding[0] if len(holding) == 1 else ""
        if not name:
            reason = Reason.UNKNOWN_ITEM if named else Reason.DELETION_NOT_THERE
            rejects.append(Reject(unit=unit, reason=reason, value=(named or words)[:400]))
            continue
        found = own_words(words, items[name]) if words else items[name]
        if not found:
            detail = "the words do not stand in it; nothing was deleted"
            rejects.append(
                Reject(unit=unit, item=name, reason=Reason.DELETION_NOT_THERE, detail=detail, value=words[:400])
            )
            continue
        rows.append({"id": name, "words": found, "class": kind if kind in CLASSES else "other"})
    usable = bool(rows) or not given
    why = "" if usable else "no deletion could be found: ids must be of the list, words must stand in their sentence"
    return Read(rows=tuple(rows), rejects=tuple(rejects), usable=usable, why=why)


def delete(
    unit: str, text: str, deletions: Sequence[Row], turns: Sequence[Turn], conclusion: str, rejects: list[Reject]
) -> tuple[str, list[Row]]:
    """A text after those deletions that stand, one after the other, and which they were.

    Args:
        unit: the case.
        text: the sentence or caption.
        deletions: of this text.
        turns: the discussion.
        conclusion: its text; it counts as decided.
        rejects: takes those that were refused.
    """
    done: list[Row] = []
    for row in deletions:
        start = text.find(row["words"])
        if start < 0:
            rejects.append(
                Reject(unit=unit, item=row["id"], reason=Reason.DELETION_NOT_THERE, detail="it is gone already")
            )
            continue
        try:
            after = apply_deletions(text, [(start, start + len(row["words"]))])
            problems = verify_deletions(text, after, turns, conclusion=conclusion)
            faults = [problem.kind.value for problem in problems]
        except InputError:
            after, faults = text, ["boundary"]
        if faults:
            detail = f"{', '.join(dict.fromkeys(faults))}; nothing was deleted"
            rejects.append(
                Reject(unit=unit, item=row["id"], reason=Reason.DELETION_REFUSED, detail=detail, value=row["words"])
            )
            continue
        text = after
        done.append(row)
    return text, done


def proposals(
    case: str, text: str, rows: Sequence[Row], wanted: Sequence[Row], rules: Sequence[Suspicion]
) -> list[Row]:
    """What was proposed as a leak in a case text before anything was deleted, a sentence a row, with who proposed it.

    Args:
        case: its id.
        text: the case text.
        rows: its sentences.
        wanted: deletions of the model that could be read.
        rules: suspicions of the rules in the text.
    """
    named = {row["id"] for row in wanted}
    by_rule = [" ".join(text[item.start : item.end].split()) for item in rules]
    found: list[Row] = []
    for row in rows:
        plain_text = " ".join(row["text"].split())
        who = [
            *(["model"] if row["id"] in named else []),
            *(["rule"] if any(one in plain_text for one in by_rule) else []),
        ]
        if who:
            found.append({"case": case, "id": row["id"], "by": who})
    return found


async def run(work: Work) -> Done:
    """Looks for leaks in every case that has a text."""
    sentences, slides = by(work.rows("summary/sentences"), "case"), by(work.rows("captions/slides"), "case")
    conclusions = {row["case"]: row["text"] for row in work.rows("conclusion/conclusions")}
    turns = {case: turns_of(work.rows("roles/turns"), case) for case in sentences}
    items = {
        case: {row["id"]: row["text"] for row in rows}
        | {f"{CAPTION}{row['id']}": row["caption"] for row in slides.get(case, ())}
        for case, rows in sentences.items()
    }
    assert work.prompt is not None
    prompt = work.prompt
    outcomes = await ask_units(
        work,
        {
            case: user(prompt, rows, slides.get(case, ()), conclusions.get(case, ""), turns[case])
            for case, rows in sentences.items()
        },
        lambda unit, text: read(unit, text, items[unit]),
    )
    rejects: list[Reject] = []
    texts: list[dict[str, Any]] = []
    captions: list[dict[str, Any]] = []
    deleted: list[dict[str, Any]] = []
    suspected: list[dict[str, Any]] = []
    proposed: list[Row] = []
    for case, rows in sentences.items():
        outcome = outcomes[case]
        rejects.extend(outcome.rejects)
        wanted = by(outcome.read.rows if outcome.read else (), "id")
        end = conclusions.get(case, "")
        before = text_of(rows)
        asked = outcome.read.rows if outcome.read else ()
        proposed.extend(proposals(case, before, rows, asked, find_leaks(before, turns[case], end)))
        left: dict[str, str] = {}
        for name, text in items[case].items():
            left[name], done = delete(case, text, wanted.get(name, ()), turns[case], end, rejects)
            deleted.extend({"case": case, **row, "by": "model"} for row in done)
        kept = [{**row, "text": left[row["id"]]} for row in rows if left[row["id"]].strip()]
        text = text_of(kept)
        found = find_leaks(text, turns[case], end)
        suspected.extend(
            {
                "case": case,
                "text": text[item.start : item.end],
                "rules": [rule.value for rule in item.rules],
                "turns": list(item.turns),
                "strong": item.strong,
                "by": "rule",
            }
            for item in found
        )
        texts.append({"case": case, "text": text, "audited": outcome.read is not None, "suspected": len(found)})
        captions.extend(
            {**row, "caption": kept_words}
            for row in slides.get(case, ())
            if (kept_words := left[f"{CAPTION}{row['id']}"]).strip()
        )
    unaudited = sum(not row["audited"] for row in texts)
    notes = [f"{unaudited} case texts were not looked at by a model for leaks"] if unaudited else []
    notes.append(_by_whom(proposed))
    if suspected:
        notes.append(
            f"{len(suspected)} sentences still look like leaks by rule (suspected.jsonl); a person should read them"
        )
    return Done(
        tables={"texts": texts, "slides": captions, "deleted": deleted, "suspected": suspected, "proposed": proposed},
        rejects=rejects,
        notes=[*notes, *repaired(outcomes)],
        open=unasked(outcomes),
        unit="cases",
        entered=len(texts),
        kept=sum(bool(row["text"]) for row in texts),
    )


def _by_whom(proposed: Sequence[Row]) -> str:
    """How many sentences were proposed as leaks, and by whom."""
    both, model, rule = (sum(row["by"] == who for row in proposed) for who in (["model", "rule"], ["model"], ["rule"]))
    return (
        f"{len(proposed)} sentences proposed as leaks before any deletion: {both} by the model and the rules, {model} by the "
        f"model alone, {rule} by the rules alone (proposed.jsonl)"
    )


STAGE = Stage(
    number=10,
    id="deleak",
    version="2",
    inputs=("summary/sentences", "captions/slides", "conclusion/conclusions", "roles/turns"),
    run=run,
    prompt="deleak",
)
