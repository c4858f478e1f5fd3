"""What a judge of boards is shown: case, reference with its alternatives, answer. Never who answered, in which arm, at what length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.boards.judging.answers import answer_of
from equipoise.boards.judging.criteria import CATEGORY, DECISIONS, FACTS, SCOPE, criterion_of
from equipoise.boards.judging.fact_source import FactSource
from equipoise.boards.judging.fact_store import FactStore
from equipoise.boards.judging.references import BoardReference
from equipoise.boards.vocabulary import DecisionKind, Scope
from equipoise.errors import InputError
from equipoise.judging.material import Entry, JudgeMaterial
from equipoise.outcomes.run import Run

if TYPE_CHECKING:
    from equipoise.judging.plan import Key

DIRECTIONS: Mapping[Scope, str] = {Scope.POSITIVE: "do", Scope.NEGATIVE: "do not"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMaterial:
    """The texts of a run for one rubric.

    Attributes:
        rubric: identifier of the rubric.
        references: what items are held against.
        facts: where facts come from; None for other rubrics.
        store: the facts; None for other rubrics.
    """

    rubric: str
    references: Mapping[str, BoardReference]
    facts: FactSource | None = None
    store: FactStore | None = None

    def material_for(self, reply_row: Mapping[str, Any]) -> JudgeMaterial:
        """The texts that belong to a row of the outcomes.

        Raises:
            InputError: the item has no reference, the reply no answer, the scope is not known, or facts are not to be had.
        """
        name = str(reply_row["item"])
        reference = self.references.get(name)
        if reference is None or not reference.references:
            message = f"references.jsonl has no reference for item {name!r}; nothing can be held against it"
            raise InputError(message, field="reference")
        if self.rubric == SCOPE:
            return JudgeMaterial(item=name, parts={"reference_text": reference.references[0]})
        answer = answer_of(reply_row)
        if not answer:
            message = f"no answer can be taken out of the reply to item {name!r}; it counts as an unparsed reply"
            raise InputError(message, field="reply")
        if self.rubric == CATEGORY:
            return JudgeMaterial(item=name, parts={"reply": answer})
        parts: dict[str, str | tuple[str, ...]] = {
            "prompt": reference.prompt,
            "reference": reference.references,
            "reply": answer,
        }
        if self.rubric == DECISIONS:
            if not any(reference.scope.values()):
                message = f"nobody has said which decisions the reference of item {name!r} takes; have it settled with --scope-judge"
                raise InputError(message, field="scope")
            parts["decisions"] = decisions_text(reference)
            return JudgeMaterial(item=name, parts=parts, out_of_scope=out_of_scope(reference))
        if self.rubric == FACTS:
            return JudgeMaterial(item=name, parts=parts, lists=self._lists(reference, answer))
        return JudgeMaterial(item=name, parts=parts)

    def _lists(self, reference: BoardReference, answer: str) -> dict[str, tuple[Entry, ...]]:
        if self.facts is None or self.store is None:
            message = "say where the facts come from"
            raise InputError(message, field="facts")
        known = self.facts.of_reference(reference, self.store)
        own = self.facts.of_reply(answer, self.store)
        if known is None or own is None:
            state = ", ".join(dict.fromkeys(self.facts.states(reference, answer, self.store)))
            message = (
                f"no facts of item {reference.item!r} could be had ({state}); ask again, or name another --extractor"
            )
            raise InputError(message, field="facts")
        return {
            "reference_facts": tuple(Entry(id=fact.id, text=fact.text) for fact in known),
            "reply_facts": tuple(Entry(id=fact.id, text=fact.text) for fact in own),
        }


def out_of_scope(reference: BoardReference) -> frozenset[str]:
    """Decisions that are not asked: the reference is silent on them, or nobody has said whether it takes them."""
    return frozenset(criterion_of(kind) for kind in DecisionKind if not reference.in_scope(kind))


def narrower(folder: Path, run: Run, references: Mapping[str, BoardReference]) -> frozenset[Key]:
    """Judgements on the four decisions that were made before a further decision was known to be in scope.

    Args:
        folder: the run folder.
        run: its run.
        references: what items are held against now.
    """
    from equipoise.judging.journal import Journal

    items = {str(row["reply_id"]): str(row["item"]) for row in run.outcomes.to_pylist()}
    return frozenset(
        key
        for key, entry in Journal(folder).entries.items()
        if entry["rubric"] == DECISIONS
        and (reference := references.get(items.get(key[0], ""))) is not None
        and set(entry["out_of_scope"]) - out_of_scope(reference)
    )


def decisions_text(reference: BoardReference) -> str:
    """The frozen decisions as a judge is shown them, one a line, those out of scope left out."""
    lines = []
    for kind in DecisionKind:
        scope = reference.scope.get(kind)
        if scope is None or scope is Scope.ABSENT:
            continue
        texts = (reference.decisions.get(kind, ""), *reference.acceptable.get(kind, ()))
        told = " or: ".join(text for text in texts if text) or "as the reference says"
        lines.append(f"{criterion_of(kind)} ({DIRECTIONS[scope]}): {told}")
    return "\n".join(lines)
