"""The adapter between the exam's replies and the stages: fields are renamed, outcomes are the exam's."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from equipoise.boards.curation.answers import read_answer
from equipoise.boards.curation.stages import conclusion, deleak, questions, review, roles, screen, segment, summary
from equipoise.boards.curation.stages.base import Read, Reject
from equipoise.boards.curation.stages.rows import told
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role

EXAM = Path(__file__).parents[1] / "curation_exam"
NOT_A_MODEL_STAGE = ("captions",)
"""Captions are the user's: no model writes them, so that part of the exam has nothing to grade."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of a reply: its outcome in the exam's words, the reasons, and what was kept."""

    outcome: str
    reasons: tuple[str, ...]
    kept: Any


@cache
def exam() -> Mapping[str, Any]:
    return yaml.safe_load((EXAM / "stages.yaml").read_text(encoding="utf-8"))


@cache
def turns() -> tuple[Turn, ...]:
    return tuple(
        Turn(id=row["id"], speaker=row["speaker"], role=Role(row["role"]), text=row["text"])
        for row in exam()["transcript"]
    )


def renamed(reply: str, main: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> str:
    """The reply with its fields renamed; one that is no JSON of the exam's form stays as it is."""
    found = read_answer(reply, main=main)
    if found.value is None:
        return reply
    new = json.dumps(change(dict(found.value)))
    return f"```json\n{new}\n```" if reply.strip() != json.dumps(found.value) and not plain(reply) else new


def plain(reply: str) -> bool:
    """Whether a reply is JSON and nothing else."""
    try:
        json.loads(reply)
    except ValueError:
        return False
    return True


def result(read: Read, reply: str, kept: Any) -> Result:
    reasons = tuple(reject.reason.value for reject in read.rejects)
    if not read.usable:
        return Result(outcome="rejected", reasons=reasons, kept=kept)
    if reasons:
        return Result(outcome="partial", reasons=reasons, kept=kept)
    return Result(outcome="accepted" if plain(reply) else "repaired", reasons=reasons, kept=kept)


def run_screen(item: Mapping[str, Any]) -> Result:
    read = screen.read("unit", item["reply"])
    return result(read, item["reply"], read.rows[0]["case_presentation"] if read.rows else None)


def run_segmentation(item: Mapping[str, Any]) -> Result:
    read = segment.read("unit", item["reply"], [turn.id for turn in turns()])
    return result(read, item["reply"], [[row["first"], row["last"]] for row in read.rows])


def run_roles(item: Mapping[str, Any]) -> Result:
    said: dict[str, list[str]] = {}
    for turn in turns():
        said.setdefault(turn.speaker, []).append(turn.text)
    read = roles.read("unit", item["reply"], said)
    return result(read, item["reply"], {row["speaker"]: row["role"] for row in read.rows})


def run_summary(item: Mapping[str, Any]) -> Result:
    ids = [turn.id for turn in turns()]

    def change(value: dict[str, Any]) -> dict[str, Any]:
        given = value["sections"].items()
        return {
            "sections": [{"heading": name, "sentences": [{"text": text, "utterances": ids}]} for name, text in given]
        }

    read = summary.read("unit", renamed(item["reply"], "sections", change), turns())
    return result(read, item["reply"], read.rows)


def run_questions(item: Mapping[str, Any]) -> Result:
    read = questions.read("unit", item["reply"], turns())
    return result(read, item["reply"], len(read.rows))


def run_rephrase(item: Mapping[str, Any]) -> Result:
    answer = next(turn.text for turn in turns() if turn.id == "u4")
    question = {"id": "q01", "question": item["question"], "answer": answer}

    def change(value: dict[str, Any]) -> dict[str, Any]:
        return {"reviews": [{"id": "q01", "action": value.pop("decision"), **value}]}

    read = review.read("unit", renamed(item["reply"], "decision", change), [question])
    kept = read.rows[0]["action"] if read.rows else None
    found = result(read, item["reply"], kept)
    # a refused drop or rephrasing keeps the question: of the reply nothing was used
    refused = bool(read.rejects) and kept == "keep"
    return Result(outcome="rejected", reasons=found.reasons, kept=kept) if refused else found


def run_conclusion(item: Mapping[str, Any]) -> Result:
    def change(value: dict[str, Any]) -> dict[str, Any]:
        return {
            "conclusion": value["conclusion"],
            "quotes": [{"utterance": value["utterance"], "quote": value["quote"]}],
        }

    read = conclusion.read("unit", renamed(item["reply"], "conclusion", change), turns())
    found = result(read, item["reply"], read.rows)
    if found.reasons == ("no-conclusion",) and read.usable:
        return Result(outcome="accepted", reasons=(), kept=None)
    return found


def run_deleak(item: Mapping[str, Any]) -> Result:
    text = exam()["deleak"]["summary"]
    parts = [f"{part.strip().removesuffix('.')}." for part in text.split(". ")]
    sentences = {f"s{place:02d}": part for place, part in enumerate(parts, start=1)}

    def change(value: dict[str, Any]) -> dict[str, Any]:
        return {"deletions": [{"words": words} for words in value["delete"]]}

    read = deleak.read("unit", renamed(item["reply"], "delete", change), sentences)
    rejects: list[Reject] = []
    end = told(turns()[6:7])
    left = {}
    deleted = 0
    for name, words in sentences.items():
        own = [row for row in read.rows if row["id"] == name]
        left[name], done = deleak.delete("unit", words, own, turns(), end, rejects)
        deleted += len(done)
    found = result(read, item["reply"], " ".join(part for part in left.values() if part))
    if rejects:
        reasons = tuple(reject.reason.value for reject in rejects)
        return Result(outcome="partial" if deleted else "rejected", reasons=reasons, kept=found.kept)
    return found


STAGES: Mapping[str, Callable[[Mapping[str, Any]], Result]] = {
    "screen": run_screen,
    "segmentation": run_segmentation,
    "roles": run_roles,
    "summary": run_summary,
    "questions": run_questions,
    "rephrase": run_rephrase,
    "conclusion": run_conclusion,
    "deleak": run_deleak,
}

REASONS: Mapping[str, frozenset[str]] = {
    "not-json": frozenset({"reply-unreadable"}),
    "wrong-shape": frozenset({"reply-unreadable", "no-text", "unknown-drop-reason"}),
    "unknown-id": frozenset({"limits-unknown-utterance", "unknown-utterance", "unknown-speaker"}),
    "unknown-value": frozenset({"unknown-role", "unknown-type", "unknown-drop-reason"}),
    "not-verbatim": frozenset({"quote-absent", "quote-in-another-turn", "deletion-not-in-text"}),
    "too-short": frozenset({"short-turn"}),
    "wrong-speaker": frozenset({"wrong-role"}),
    "meaning-changed": frozenset(
        {"rephrase-changes-negation", "rephrase-changes-number", "rephrase-changes-drug", "meaning-changed",
         "deletion-refused", "deletion-not-in-text"}
    ),
    "new-content": frozenset({"number-not-said", "term-not-said", "drug-not-said", "rephrase-tells-answer"}),
    "empty": frozenset({"reply-unreadable", "no-case", "no-text", "deletion-not-in-text"}),
    "out-of-range": frozenset({"reply-unreadable", "limits-reversed"}),
    "overlap": frozenset({"limits-overlap", "duplicate"}),
    "moderator": frozenset({"moderator-turn"}),
}  # fmt: skip
"""Reasons of the stages that say what a reason of the exam says."""


def expected(stage: str, item: Mapping[str, Any]) -> Any:
    """What must be kept; None where the exam does not say."""
    if item["outcome"] == "rejected" and stage not in ("questions",):
        return None
    names = {"screen": "value", "segmentation": "cases", "roles": "roles", "questions": "kept", "rephrase": "decision"}
    return item.get(names.get(stage, "left"))


def met(stage: str, item: Mapping[str, Any]) -> str:
    """Empty when the stage did what the exam asks; else what it did."""
    found = STAGES[stage](item)
    want = expected(stage, item)
    # a stage of one item cannot use part of it, and a rejected item of a list leaves the rest
    if found.outcome != item["outcome"]:
        return f"outcome {found.outcome} ({', '.join(found.reasons)}), expected {item['outcome']}"
    if want is not None and found.kept != want:
        return f"kept {found.kept!r}, expected {want!r}"
    reason = item.get("reason")
    if reason and not set(found.reasons) & REASONS[reason]:
        return f"reasons {found.reasons}, expected {reason}"
    return ""
