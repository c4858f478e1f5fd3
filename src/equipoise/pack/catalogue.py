"""The standards of a pack: identifiers and topics in our words, never a standard's own text.

To add one: a file in `standards/`, a name in `FILES`. What only a person can write stands once, in `questions.yaml`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import Any

import yaml

from equipoise.errors import InternalError
from equipoise.pack.known import FIELDS

FILES: tuple[str, ...] = (
    "tripod_llm", "chart", "stard_ai", "mi_claim_gen", "decide_ai", "consort_spirit_ai", "chai_card", "onc_hti1",
    "fda_pccp", "gmlp", "eu_ai_act", "iso_words", "croissant", "datasheets_model_cards",
)  # fmt: skip
"""In the order of the pack."""

QUESTIONS = "questions.yaml"


class Stage(StrEnum):
    """What kind of evaluation the runs of a pack are."""

    OFFLINE = "offline"
    LIVE_USE = "live use"
    TRIAL = "trial"


class Verified(StrEnum):
    """Against what the identifiers of a standard were checked."""

    PUBLIC_TEXT = "public text"
    THIRD_PARTY_COPY = "third-party copy"
    NOT_VERIFIED = "not verified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item of a standard.

    Attributes:
        id: its identifier in the standard.
        topic: what it is about, in our words.
        needs: fields that fill it when all of them are stored.
        also: fields shown beside when they are stored.
        ask: question that a person answers; empty when stored fields suffice.
        na: why it does not apply to any pack of today; empty when it does.
        verified: against what this identifier was checked.
    """

    id: str
    topic: str
    needs: tuple[str, ...]
    also: tuple[str, ...]
    ask: str
    na: str
    verified: Verified


@dataclass(frozen=True, slots=True, kw_only=True)
class Standard:
    """One standard.

    Attributes:
        id: our identifier.
        title: its name.
        version: year or version.
        address: where it can be read or bought.
        verified: against what most of its identifiers were checked.
        checked: how, in a sentence.
        stages: kinds of evaluation it is made for.
        items: its items, in its order.
    """

    id: str
    title: str
    version: str
    address: str
    verified: Verified
    checked: str
    stages: tuple[Stage, ...]
    items: tuple[Item, ...]


@functools.cache
def standards() -> tuple[Standard, ...]:
    """All standards.

    Raises:
        InternalError: a file breaks its form: an unknown key, field or question, an identifier used twice, an item
            that nothing fills.
    """
    found = tuple(_standard(name) for name in FILES)
    if len({item.id for item in found}) < len(found):
        message = "two standards have one identifier"
        raise InternalError(message)
    return found


@functools.cache
def questions() -> dict[str, str]:
    """What a person is asked, by identifier, in the order of the form."""
    return dict(_read(QUESTIONS))


def _read(name: str) -> Any:
    return yaml.safe_load(files("equipoise.pack").joinpath("standards", name).read_text(encoding="utf-8"))


def _standard(name: str) -> Standard:
    value = _read(f"{name}.yaml")
    keys = {"id", "title", "version", "address", "verified", "checked", "stages", "items"}
    if set(value) != keys:
        message = f"{name}.yaml: expected the keys {sorted(keys)}, found {sorted(value)}"
        raise InternalError(message)
    verified = Verified(value["verified"])
    items = tuple(_item(name, raw, verified) for raw in value["items"])
    ids = [item.id for item in items]
    twice = sorted({item for item in ids if ids.count(item) > 1})
    if twice:
        message = f"{name}.yaml: identifiers used twice: {', '.join(twice)}"
        raise InternalError(message)
    return Standard(
        id=value["id"],
        title=value["title"],
        version=str(value["version"]),
        address=value["address"],
        verified=verified,
        checked=value["checked"],
        stages=tuple(Stage(stage) for stage in value["stages"]),
        items=items,
    )


def _item(name: str, raw: dict[str, Any], verified: Verified) -> Item:
    unknown = set(raw) - {"id", "topic", "needs", "also", "ask", "na", "verified"}
    fields = [*raw.get("needs", ()), *raw.get("also", ())]
    strange = [path for path in fields if path not in FIELDS]
    asked = raw.get("ask", "")
    if unknown or strange or (asked and asked not in questions()) or not (asked or raw.get("needs") or raw.get("na")):
        message = f"{name}.yaml, item {raw.get('id')!r}: unknown {sorted(unknown)} {strange}, question {asked!r}"
        raise InternalError(message)
    return Item(
        id=str(raw["id"]),
        topic=raw["topic"],
        needs=tuple(raw.get("needs", ())),
        also=tuple(raw.get("also", ())),
        ask=asked,
        na=raw.get("na", ""),
        verified=Verified(raw["verified"]) if "verified" in raw else verified,
    )
