"""What comes of an operator on an item: a mutant, a coded reason why there is none, or a rejected one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from equipoise.ids import canonical_json
from equipoise.redteam.operators.items import Item


class KeyRelation(StrEnum):
    """How the right answer of the mutant relates to that of its parent.

    SAME: the same answer, by its text. COMPLEMENT: all the options that were wrong. NEW_OPTION: an option that the parent
    does not have. UNDEFINED: nothing that is offered or known settles it; a good reply says so or asks.
    """

    SAME = "same"
    COMPLEMENT = "complement"
    NEW_OPTION = "new_option"
    UNDEFINED = "undefined"


class Reason(StrEnum):
    """Why an operator does not apply to an item."""

    WRONG_FORM = "wrong_form"
    NO_KEY = "no_key"
    MULTI_SELECT = "multi_select"
    TOO_FEW_OPTIONS = "too_few_options"
    TOO_MANY_OPTIONS = "too_many_options"
    DUPLICATE_OPTIONS = "duplicate_options"
    OPTIONS_REFER_TO_EACH_OTHER = "options_refer_to_each_other"
    KEY_INSIDE_ANOTHER = "key_inside_another"
    HAS_NONE_OPTION = "has_none_option"
    NO_WRONG_OPTION_TO_NAME = "no_wrong_option_to_name"
    NO_CONTEXT = "no_context"
    QUESTION_STANDS_ALONE = "question_stands_alone"
    ALREADY_NEGATIVE = "already_negative"
    NEGATION_FORM = "negation_form"
    NO_MEASUREMENT = "no_measurement"
    ALREADY_STATED = "already_stated"
    CONTRADICTS = "contradicts"
    CHANGES_MEDICINE = "changes_medicine"
    EMOTION_IS_A_FINDING = "emotion_is_a_finding"
    NO_MARKED_DISCLOSURE = "no_marked_disclosure"
    NO_THIRD_PERSON = "no_third_person"
    FACT_NOT_STATED = "fact_not_stated"
    FACT_CANNOT_BE_CUT = "fact_cannot_be_cut"
    FACT_DOES_NOT_DECIDE = "fact_does_not_decide"
    NO_DAY = "no_day"
    NOTHING_TO_CHANGE = "nothing_to_change"
    NOTHING_LEFT = "nothing_left"
    NO_PROPOSALS = "no_proposals"


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a writer made nothing.

    Attributes:
        reason: coded.
        detail: a few words for a person; empty when the code says it all.
    """

    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a writer made, before any check.

    Attributes:
        item: the changed item, still under its parent's identifier.
        parameters: what was drawn or chosen.
        cautions: what no deterministic check can decide, in sentences.
    """

    item: Item
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """An item made from another one by operators, checked.

    Attributes:
        parent_id: identifier of the item it was made from.
        parent_hash: content hash of that item.
        chain: operators applied, in order, as `id@version`.
        parameters: their parameters as canonical JSON: one object, or a list of objects for several operators.
        item: the changed item: question, options, turns or case.
        relation: how the key relates to the parent's.
        verified_by: the checks that passed, and nothing else.
        cautions: what no deterministic check can decide.
        seed: seed of the draws.
        content_hash: hash of the changed item.
    """

    parent_id: str
    parent_hash: str
    chain: tuple[str, ...]
    parameters: str
    item: Item
    relation: KeyRelation
    verified_by: tuple[str, ...]
    cautions: tuple[str, ...]
    seed: int
    content_hash: str

    @property
    def operator(self) -> str:
        """Identifiers of the operators, joined by a plus."""
        return "+".join(name.split("@")[0] for name in self.chain)

    @property
    def key(self) -> tuple[str, ...] | None:
        """Letters of the right options, sorted; None when the key is undefined or the item has no options."""
        return None if self.item.key is None else tuple(sorted(self.item.key))

    def to_row(self) -> dict[str, Any]:
        """The columns of the outcomes table that speak of the item; `expected` is the letters of the key, joined."""
        return {
            "item": self.item.id,
            "parent_item": self.parent_id,
            "operator": self.operator,
            "operator_parameters": canonical_json(self.to_dict()),
            "expected": None if self.key is None else "".join(self.key),
            "seed": self.seed,
            "item_family": self.parent_id,
        }

    def to_dict(self) -> dict[str, Any]:
        """What is kept of how it was made: plain JSON values."""
        return {
            "chain": list(self.chain),
            "parameters": self.parameters,
            "parent_hash": self.parent_hash,
            "relation": self.relation.value,
            "verified_by": list(self.verified_by),
            "cautions": list(self.cautions),
            "content_hash": self.content_hash,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """An operator does not apply to an item; it stays in the denominator of coverage.

    Attributes:
        operator: identifier of the operator.
        item_id: identifier of the item.
        reason: coded.
        detail: a few words for a person.
    """

    operator: str
    item_id: str
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A mutant was made and a check refused it: a fault of the writer, never shown to a model.

    Attributes:
        operator: identifier of the operator.
        item_id: identifier of the item.
        writer: who wrote it: "template", or the identifier of a writer that proposes texts.
        problems: what the checks found, in sentences; never empty.
    """

    operator: str
    item_id: str
    writer: str
    problems: tuple[str, ...]


Outcome = Mutant | NotApplicable | Rejected
"""What an attempt comes to."""
