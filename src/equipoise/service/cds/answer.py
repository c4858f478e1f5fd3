"""From a call at order-select or order-sign to cards, and what the trail has to remember of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from equipoise.cases.formats.fhir import reader
from equipoise.cases.record_files import as_items
from equipoise.service.cds.cards import card, indicator_of, not_audited_card
from equipoise.service.cds.collect import collect
from equipoise.service.engine import Asked, Audited, Engine
from equipoise.service.identity import card_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a call came to.

    Attributes:
        cards: in the order of the drafts.
        audited: what was audited, for the trail.
        indicators: urgency of each card.
    """

    cards: tuple[dict[str, Any], ...] = ()
    audited: tuple[Audited, ...] = ()
    indicators: tuple[str, ...] = ()


def answer_order(
    engine: Engine,
    request: Mapping[str, Any],
    asked: Asked,
    request_id: str,
    supported_too: bool = False,
    public_url: str = "",
) -> Answered:
    """Audit the drafts of a call; nothing else of the patient's orders is judged.

    Args:
        engine: policies and evidence.
        request: a request that keeps its shape.
        asked: policy, jurisdiction and day.
        request_id: the ids of the cards are made from it.
        supported_too: whether a supported order sends a card.
        public_url: address of this service for links; empty for none.

    Raises:
        RefusedError: data that are needed are not there, or do not fit.
    """
    collected = collect(request)
    if not collected.asked:
        return Answered()
    cards: list[dict[str, Any]] = []
    audited: list[Audited] = []
    for record in reader.read(collected.documents):
        advice = [one for one in record.data.get("recommendations", ()) if _draft(one) in collected.asked]
        missed = [place for place in record.missed if place in collected.places]
        if missed:
            cards.append(not_audited_card(card_of(request_id, len(cards) + 1), asked.policy, asked.today.isoformat()))
        if not advice:
            continue
        for item in as_items([replace(record, data={**record.data, "recommendations": advice})]):
            found, verdicts = engine.judged(item, asked)
            if found.problem is not None:
                uuid = card_of(request_id, len(cards) + 1)
                cards.append(not_audited_card(uuid, asked.policy, asked.today.isoformat()))
                continue
            audited.append(found)
            for verdict in verdicts:
                indicator = indicator_of(verdict, engine.base, supported_too=supported_too)
                if indicator:
                    uuid = card_of(request_id, len(cards) + 1)
                    cards.append(card(verdict, uuid, indicator, public_url=public_url))
    return Answered(
        cards=tuple(cards), audited=tuple(audited), indicators=tuple(str(one["indicator"]) for one in cards)
    )


def _draft(recommendation: Mapping[str, Any]) -> str:
    """Id of the draft that a recommendation was read from; alternatives of one group are numbered."""
    return str(recommendation.get("id", "")).partition("#")[0]
