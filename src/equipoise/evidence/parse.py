"""From YAML entries to assertions and coverage, with all problems named."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Mapping
from typing import Any

from equipoise.cases.vocabulary.drugs import drug, is_cytotoxic, lexicon
from equipoise.errors import EvidenceError
from equipoise.evidence.criteria import Node, leaves, parse, rechallenge
from equipoise.evidence.model import LEVELS, Assertion, Coverage, Direction, Reference, Verification

_FIELDS = frozenset({
    "id", "regimen", "class", "direction", "level", "jurisdiction", "approval", "valid_from", "valid_to", "requires", "unless", "statement",
    "sources", "verified", "monotherapy", "not_with", "on_target", "overrides", "unknown", "name", "rechallenge", "note",
})  # fmt: skip
_APPROVALS = ("regular", "accelerated", "off-label", "none")
_DIRECTIONS: tuple[str, ...] = tuple(Direction)
_UNKNOWN = ("note", "demote", "insufficient")
JURISDICTIONS: tuple[str, ...] = ("US", "EU")
"""Jurisdictions of which the shipped base speaks; `any` in an entry speaks of both."""


def parse_assertion(entry: Mapping[str, Any], origin: str) -> Assertion:
    """Parse one entry.

    Args:
        entry: the mapping of docs/semantics.md section 5.
        origin: name of the file or overlay, for messages and for the verdict.

    Raises:
        EvidenceError: the entry breaks its contract; the message names entry, element and what was expected.
    """
    where = f"{origin}: {entry.get('id', 'an entry without id')}" if isinstance(entry, Mapping) else origin
    if not isinstance(entry, Mapping):
        msg = f"{where}: expected a mapping, got {entry!r}"
        raise EvidenceError(msg)
    extra = [key for key in entry if key not in _FIELDS]
    if extra:
        msg = f"{where}: unknown element {extra[0]!r}; expected one of {', '.join(sorted(_FIELDS))}"
        raise EvidenceError(msg)
    missing = [
        key
        for key in ("id", "direction", "level", "jurisdiction", "valid_from", "statement", "sources", "verified")
        if not entry.get(key)
    ]
    if missing:
        msg = f"{where}: {missing[0]} is missing"
        raise EvidenceError(msg)
    direction = _one_of(entry["direction"], _DIRECTIONS, f"{where}, direction")
    level = _one_of(entry["level"], LEVELS, f"{where}, level")
    regimen = _regimen(entry.get("regimen"), where)
    drug_class = str(entry.get("class") or "")
    if bool(regimen) == bool(drug_class):
        msg = f"{where}: expected either regimen or class"
        raise EvidenceError(msg)
    if drug_class and direction == Direction.SUPPORTS:
        msg = f"{where}: a supporting assertion names a regimen, not a class"
        raise EvidenceError(msg)
    if drug_class and drug_class not in _classes():
        msg = f"{where}: unknown drug class {drug_class!r}"
        raise EvidenceError(msg)
    not_with = str(entry.get("not_with") or "")
    if not_with and not_with not in _classes():
        msg = f"{where}: unknown drug class {not_with!r}"
        raise EvidenceError(msg)
    requires = tuple(parse(item, f"{where}, requires") for item in entry.get("requires") or ())
    unless: tuple[Node, ...] = tuple(parse(item, f"{where}, unless") for item in entry.get("unless") or ())
    allowed = entry.get("rechallenge") == "allowed"
    if direction == Direction.SUPPORTS and not allowed:
        targets = [
            name
            for name in regimen
            if not is_cytotoxic(name) and (known := drug(name)) is not None and known.kind == "drug"
        ]
        if targets:
            unless = (*unless, rechallenge(targets))
    return Assertion(
        id=str(entry["id"]),
        regimen=regimen,
        drug_class=drug_class,
        direction=Direction(direction),
        level=level,
        jurisdiction=_one_of(entry["jurisdiction"], (*JURISDICTIONS, "any"), f"{where}, jurisdiction"),
        approval=_one_of(entry.get("approval") or "none", _APPROVALS, f"{where}, approval"),
        valid_from=_date(entry["valid_from"], f"{where}, valid_from"),
        valid_to=_date(entry["valid_to"], f"{where}, valid_to") if entry.get("valid_to") is not None else None,
        requires=requires,
        unless=unless,
        statement=str(entry["statement"]).strip(),
        sources=_sources(entry["sources"], where),
        verification=_verification(entry["verified"], where),
        monotherapy=bool(entry.get("monotherapy", False)),
        not_with=not_with,
        on_target=bool(entry.get("on_target", False)),
        overrides=frozenset(str(item) for item in entry.get("overrides") or ()),
        unknown=_one_of(entry.get("unknown") or "note", _UNKNOWN, f"{where}, unknown"),
        name=str(
            entry.get("name") or _caution_name(str(entry["id"]), requires) if direction == Direction.CAUTION else ""
        ),
        rechallenge_allowed=allowed,
        note=str(entry.get("note") or "").strip(),
        origin=origin,
    )


def parse_coverage(entry: Mapping[str, Any], origin: str) -> Coverage:
    """Parse one row of the coverage table.

    Raises:
        EvidenceError: the row breaks its contract.
    """
    if not isinstance(entry, Mapping) or not entry.get("drug"):
        msg = f"{origin}: expected a row with a drug, got {entry!r}"
        raise EvidenceError(msg)
    name = str(entry["drug"])
    where = f"{origin}: {name}"
    if drug(name) is None:
        msg = f"{where}: not in the drug vocabulary"
        raise EvidenceError(msg)
    since: dict[str, dt.date] = {}
    for jurisdiction in JURISDICTIONS:
        stated = entry.get(jurisdiction)
        if isinstance(stated, Mapping):
            since[jurisdiction] = _date(stated.get("complete_since"), f"{where}, {jurisdiction}")
        elif stated not in (None, "open"):
            msg = f"{where}: expected open or complete_since for {jurisdiction}, got {stated!r}"
            raise EvidenceError(msg)
    no_use = entry.get("use") == "none"
    if no_use and not entry.get("source"):
        msg = f"{where}: a drug without use here needs a source"
        raise EvidenceError(msg)
    known_for = tuple(str(item) for item in entry.get("known_for") or ())
    return Coverage(
        drug=name, complete_since=since, no_use=no_use, known_for=known_for, source=str(entry.get("source") or "")
    )


@functools.cache
def _classes() -> frozenset[str]:
    return frozenset().union(*(entry.classes for entry in lexicon().drugs.values()))


def _one_of(value: Any, allowed: tuple[str, ...], where: str) -> str:
    if value not in allowed:
        msg = f"{where}: expected one of {', '.join(allowed)}, got {value!r}"
        raise EvidenceError(msg)
    return str(value)


def _regimen(value: Any, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    parts = tuple(part.strip() for part in str(value).split("+"))
    for part in parts:
        for name in part.split("/"):
            if drug(name.strip()) is None:
                msg = f"{where}: unknown drug or procedure {name.strip()!r} in the regimen"
                raise EvidenceError(msg)
    if len(set(parts)) != len(parts):
        msg = f"{where}: a component stands twice in the regimen"
        raise EvidenceError(msg)
    return parts


def _date(value: Any, where: str) -> dt.date:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    try:
        return dt.date.fromisoformat(str(value))
    except ValueError:
        msg = f"{where}: expected a date as YYYY-MM-DD, got {value!r}"
        raise EvidenceError(msg) from None


def _sources(value: Any, where: str) -> tuple[Reference, ...]:
    found = []
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, Mapping) or not item.get("title"):
            msg = f"{where}: a source needs a title, got {item!r}"
            raise EvidenceError(msg)
        pmid = item.get("pmid")
        found.append(
            Reference(
                kind=str(item.get("kind") or "publication"),
                title=str(item["title"]),
                id=str(item.get("id") or ""),
                pmid=int(pmid) if pmid is not None else None,
                nct=str(item.get("nct") or ""),
                date=_date(item["date"], f"{where}, sources") if item.get("date") is not None else None,
                url=str(item.get("url") or ""),
            )
        )
    return tuple(found)


def _verification(value: Any, where: str) -> Verification:
    if not isinstance(value, Mapping) or value.get("state") not in ("verified", "not-verified"):
        msg = f"{where}: expected verified with state verified or not-verified, got {value!r}"
        raise EvidenceError(msg)
    verified = value["state"] == "verified"
    text = str(value.get("text" if verified else "reason") or value.get("text") or "")
    if not text:
        msg = f"{where}: verified needs the text that was read, or the reason why none was"
        raise EvidenceError(msg)
    return Verification(
        verified=verified,
        text=text,
        on=_date(value["on"], f"{where}, verified") if value.get("on") is not None else None,
    )


def _caution_name(identifier: str, requires: tuple[Node, ...]) -> str:
    for node in requires:
        for leaf in leaves(node):
            if leaf.kind == "condition":
                return str(leaf.payload)
            if leaf.kind == "ecog":
                return f"ecog-{min(leaf.payload)}"
            if leaf.kind == "qtc":
                return "qtc"
            if leaf.kind == "brain_mets":
                return "brain-mets"
    return identifier.rsplit(".", 1)[-1]
