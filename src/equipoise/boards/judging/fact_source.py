"""Which facts an item and an answer have in a run: given, made of the reference's decisions, or taken out by a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from equipoise.boards.judging.fact_store import REFERENCE, REPLY, FactStore, text_key
from equipoise.boards.judging.facts import FACT_FORM, Fact, decision_facts
from equipoise.boards.judging.references import BoardReference

Source = Literal["decisions", "given", "model"]
SOURCES: tuple[Source, ...] = ("decisions", "given", "model")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSource:
    """Where facts come from; one for all judges of a run, so that they judge the same facts.

    Attributes:
        reference: of references: their decisions, a file of facts, or a model.
        extractor: the model that takes facts out of texts.
        given: name of the file of facts; empty without one.
    """

    reference: Source
    extractor: str
    given: str = ""

    @property
    def by(self) -> str:
        """Who takes facts out, under which words."""
        return f"{self.extractor} {FACT_FORM.hash}"

    def to_dict(self) -> dict[str, str]:
        """As it stands in the run."""
        return {"reference": self.reference, "extractor": self.extractor, "given": self.given, "form": FACT_FORM.hash}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> FactSource:
        """As it was written by `to_dict`."""
        return cls(reference=value["reference"], extractor=value["extractor"], given=value.get("given", ""))

    def of_reference(self, reference: BoardReference, store: FactStore) -> tuple[Fact, ...] | None:
        """Facts of an item's references; None when they are not to be had."""
        if self.reference == "decisions":
            return decision_facts(reference)
        if self.reference == "given":
            return store.facts(REFERENCE, text_key(reference.item, self.given))
        found: list[Fact] = []
        for number, text in enumerate(reference.references, start=1):
            own = store.facts(REFERENCE, text_key(text, self.by))
            if own is None:
                return None
            found += [Fact(id=f"{number}.{fact.id}", text=fact.text, category=fact.category) for fact in own]
        return tuple(found)

    def of_reply(self, answer: str, store: FactStore) -> tuple[Fact, ...] | None:
        """Facts of an answer; None when they are not to be had."""
        return store.facts(REPLY, text_key(answer, self.by))

    def states(self, reference: BoardReference, answer: str, store: FactStore) -> tuple[str, ...]:
        """States of the extractions an answer needs, failed ones only; "not judged" where nobody was asked."""
        found = [store.state(REPLY, text_key(answer, self.by))]
        if self.reference == "given":
            found.append(store.state(REFERENCE, text_key(reference.item, self.given)))
        if self.reference == "model":
            found += [store.state(REFERENCE, text_key(text, self.by)) for text in reference.references]
        return tuple(state or "not judged" for state in found if state != "ok")

    def wanted(self, pairs: Sequence[tuple[BoardReference, str]], store: FactStore) -> tuple[tuple[str, str], ...]:
        """Texts that a model has to be asked about, each once, with their side.

        Args:
            pairs: reference and answer of every reply that is judged.
            store: what is there.
        """
        texts: dict[tuple[str, str], None] = {}
        for reference, answer in pairs:
            if self.reference == "model":
                texts.update({(REFERENCE, text): None for text in reference.references})
            texts[REPLY, answer] = None
        return tuple((side, text) for side, text in texts if not store.has(side, text_key(text, self.by)))
