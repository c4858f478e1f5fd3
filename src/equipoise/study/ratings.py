"""From the outcomes of an exported study to tables of labels: items by raters, references, what was decided."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.errors import InputError
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState
from equipoise.study.exporting import ADJUDICATED
from equipoise.study.protocol import Protocol

COUNTED: frozenset[str] = frozenset({"main", "import"})
"""Purposes whose labels are the study's result; training, attention and repeats are not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Labels of a study.

    Attributes:
        items: items that at least one rater was given, in the order of the rows.
        raters: raters, in the order of the rows; the decisions are none.
        labels: label by rater and item; absent without one.
        given: items by rater that he or she was given.
        reference: reference label by item; absent without one.
        stratum: stratum by item.
        error: error put into an item by item; absent for a clean one.
        cluster: what items belong together by item; the item itself without a family.
        arm: the system whose reply an item is.
        decided: decided label by item.
        codes: reason code of the decision by item; absent for a decision without one.
        missing: fields named as missing by rater and item.
        turn: place in the queue by rater and item.
        seconds: seconds on an item by rater and item.
        rows: the outcomes as mappings.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    labels: Mapping[tuple[str, str], str]
    given: Mapping[str, tuple[str, ...]]
    reference: Mapping[str, str]
    stratum: Mapping[str, str]
    error: Mapping[str, str]
    cluster: Mapping[str, str]
    arm: Mapping[str, str]
    decided: Mapping[str, str]
    codes: Mapping[str, str]
    missing: Mapping[tuple[str, str], tuple[str, ...]]
    turn: Mapping[tuple[str, str], int]
    seconds: Mapping[tuple[str, str], float]
    rows: tuple[Mapping[str, Any], ...]

    def table(self, raters: Sequence[str] | None = None, items: Sequence[str] | None = None) -> list[list[str | None]]:
        """Labels of shape (items, raters); None where there is none."""
        chosen = self.raters if raters is None else raters
        return [
            [self.labels.get((rater, item)) for rater in chosen] for item in (self.items if items is None else items)
        ]

    def of(self, item: str) -> dict[str, str]:
        """Labels of one item by rater."""
        return {rater: self.labels[rater, item] for rater in self.raters if (rater, item) in self.labels}

    def disagreed(self, item: str) -> bool:
        """Whether two raters gave the item different labels."""
        return len(set(self.of(item).values())) > 1

    def shared(self) -> tuple[str, ...]:
        """Items with at least two labels."""
        return tuple(item for item in self.items if len(self.of(item)) > 1)

    def consensus(self) -> dict[str, str]:
        """The decided label, or the one that all of at least two raters gave; nothing for any other item."""
        found = {}
        for item in self.items:
            labels = list(self.of(item).values())
            if item in self.decided:
                found[item] = self.decided[item]
            elif len(labels) > 1 and len(set(labels)) == 1:
                found[item] = labels[0]
        return found


def ratings(run: Run, protocol: Protocol) -> Ratings:
    """Labels of an exported study.

    Raises:
        InputError: the run was exported under another protocol, or holds a label the protocol does not have.
    """
    if run.info.protocol_hash != protocol.hash:
        message = (
            f"the labels were exported under the protocol {run.info.protocol_hash or '(none)'}, not {protocol.hash}; "
            "export them again"
        )
        raise InputError(message, field="protocol_hash")
    rows = tuple(run.outcomes.to_pylist())
    options = set(protocol.primary.values)
    wrong = next((row for row in rows if row["label"] is not None and row["label"] not in options), None)
    if wrong is not None:
        message = f"the label {wrong['label']!r} of {wrong['reply_id']} is not in the protocol"
        raise InputError(message, field="label")
    found = [row for row in rows if row["item_set"] in COUNTED and row["system"] != ADJUDICATED]
    given: dict[str, list[str]] = {}
    for row in found:
        given.setdefault(row["system"], []).append(row["item"])
    read = [row for row in found if row["state"] == ReplyState.OK]

    def by_item(column: str) -> dict[str, str]:
        return {row["item"]: row[column] for row in found if row[column] is not None}

    def by_both(column: str, source: list[dict[str, Any]]) -> dict[tuple[str, str], Any]:
        return {(row["system"], row["item"]): row[column] for row in source if row[column] is not None}

    items = tuple(dict.fromkeys(row["item"] for row in found))
    families = by_item("item_family")
    return Ratings(
        items=items,
        raters=tuple(given),
        labels=by_both("label", read),
        given={rater: tuple(names) for rater, names in given.items()},
        reference=by_item("expected"),
        stratum=by_item("stratum"),
        error=by_item("operator"),
        cluster={item: families.get(item, item) for item in items},
        arm=by_item("arm"),
        decided={row["item"]: row["label"] for row in rows if row["system"] == ADJUDICATED},
        codes={row["item"]: code for row in rows if row["system"] == ADJUDICATED and (code := _code(row["reply"]))},
        missing={key: tuple(value) for key, value in by_both("missing_fields", read).items()},
        turn=by_both("turn", read),
        seconds=by_both("latency", read),
        rows=rows,
    )


def _code(reply: str | None) -> str:
    """Reason code of an exported decision; empty for one without, or for a text that is no decision of ours."""
    try:
        told = json.loads(reply or "")
    except ValueError:
        return ""
    code = told.get("code") if isinstance(told, dict) else None
    return code if isinstance(code, str) else ""
