"""From what a run asks to samples of Inspect: the prompt, and beside it what the reply is held against, which no prompt holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser

from equipoise.boards.askings import Asked, Asking
from equipoise.boards.measures.decisions import freeze_scope
from equipoise.boards.model import BoardCase, Scope
from equipoise.boards.prompts import case_text, turn_text
from equipoise.boards.vocabulary import TARGET_ROLES, Arm, Role
from equipoise.evals.refusal_task import REFERENCE_KEY
from equipoise.ids import content_hash

PICTURES = "pictures"
"""Where a sample's metadata keep its pictures: name, type and hash of each, in the order of the slides."""

CASE_KEY = "board_case"
"""Where they keep what an auditor may read of the case: `text`, and `audit_case`, the case in the auditor's own form (null without one)."""

CALLS = "calls"
"""Where they keep how many calls of a model an item needs at most."""

SCOPE_BY = "data set"

SCOPES: Mapping[Scope, str] = {Scope.POSITIVE: "do", Scope.NEGATIVE: "do-not", Scope.ABSENT: "silent"}
"""Words of a reference line for the scope of a decision."""

SCALE = "rouge-l-0-1"


def samples_of(asked: Asked, arm: Arm, setting: str, *, system: str, calls: int) -> list[Sample]:
    """One sample an item.

    Args:
        asked: what is asked.
        arm: captions, or images.
        setting: single or agents, with the tools; part of every reference line.
        system: the instruction before the case; empty where a solver brings its own.
        calls: calls of a model that an item needs at most.
    """
    return [_sample(item, arm, setting, system, calls) for item in asked.items]


def _sample(item: Asking, arm: Arm, setting: str, system: str, calls: int) -> Sample:
    prompt = prompt_of(item)
    return Sample(
        id=item.id,
        input=[*([ChatMessageSystem(content=system)] if system else []), ChatMessageUser(content=prompt)],
        target=item.references[0],
        metadata={
            CALLS: calls,
            REFERENCE_KEY: reference_of(item, arm, setting, prompt),
            PICTURES: [
                {"name": one.name, "media_type": one.media_type, "sha256": one.sha256, "size": one.size}
                for one in item.pictures
            ],
            CASE_KEY: {
                "text": item.text,
                "audit_case": None if item.case is None or item.case.audit_case is None else dict(item.case.audit_case),
            },
        },
    )


def prompt_of(item: Asking) -> str:
    """The text that a system is given after its instruction; it holds nothing of the discussion or the conclusion."""
    if item.question is None:
        return case_text(item.text, item.slides)
    return turn_text(item.question.role, item.text, item.slides, item.question)


def reference_of(item: Asking, arm: Arm, setting: str, prompt: str) -> dict[str, Any]:
    """What the run folder keeps of an item (one line of references.jsonl)."""
    question, case = item.question, item.case
    site = "" if case is None else case.site
    stratum = site if question is None else question.type.value
    line: dict[str, Any] = {
        "item": item.id,
        "recording": item.recording,
        "site": site,
        "arm": arm.value,
        "setting": setting,
        "operator": setting,
        "stratum": stratum,
        "split": None if item.split is None else item.split.value,
        "case_hash": item.case_hash,
        "pictures": len(item.pictures),
        "prompt": prompt,
        "reference": item.references[0],
        "references": list(item.references),
        "scale": SCALE,
        "expected_roles": [] if case is None else [role.value for role in expected_roles(case)],
    }
    if question is not None:
        return line | {"role": question.role.value, "group": question.role.value, "question_type": question.type.value}
    return line | _decisions(case)


def expected_roles(case: BoardCase) -> tuple[Role, ...]:
    """The specialists who spoke in the recorded discussion, in the fixed order; empty when there is none."""
    spoke = {turn.role for turn in case.turns}
    return tuple(role for role in TARGET_ROLES if role in spoke and role is not Role.OTHER)


def _decisions(case: BoardCase | None) -> dict[str, Any]:
    """The decisions of a case with their scope, frozen here, before anything is asked; nulls where nobody has said."""
    decisions = () if case is None or case.conclusion is None else case.conclusion.decisions
    known = bool(decisions) and all(one.scope is not None for one in decisions)
    return {
        "scope": {one.kind.value: None if one.scope is None else SCOPES[one.scope] for one in decisions},
        "scope_hash": freeze_scope(case, by=SCOPE_BY).hash if known and case is not None else "",
        "scope_by": SCOPE_BY if known else "",
        "decisions": {one.kind.value: one.text for one in decisions if one.text},
        "acceptable": {one.kind.value: list(one.acceptable) for one in decisions if one.acceptable},
        "categories": sorted({one.category.value for one in decisions if one.category is not None}),
    }


def plan_of(asked: Asked) -> dict[str, Any]:
    """What is asked, as a log keeps it."""
    items = [item.id for item in asked.items]
    return {"items": items, "items_hash": asked.hash, "plan_hash": content_hash([items, asked.hash])}
