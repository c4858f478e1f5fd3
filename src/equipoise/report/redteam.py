"""From a red-team audit to its page: who was asked what, every axis apart, worst cases first, what came otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.ids import content_hash, text_hash
from equipoise.report.contexts import Fact
from equipoise.report.plots import STATES, states
from equipoise.report.redteam_answers import answer
from equipoise.report.redteam_cells import quote, text
from equipoise.report.redteam_contexts import AxisSection, RedteamPage, Table, WorstRow
from equipoise.report.redteam_views import blocks_of
from equipoise.report.wording import NOT_A_DEVICE
from equipoise.studies.redteam_audit import AxisResult, RedteamAudit
from equipoise.studies.redteam_axes import AXES
from equipoise.studies.redteam_worst import WorstCase

MOST_SHOWN = 40
"""Worst cases on the page."""

MOST_OF_A_KIND = 8
"""Worst cases of one kind, axis and model on the page."""

MOST_CHARACTERS = 900
"""Characters of a question or reply on the page."""


def redteam_page(audit: RedteamAudit) -> RedteamPage:
    """The page of an audit.

    Args:
        audit: the audit.
    """
    protocol = audit.protocol
    models = list(protocol["models"])
    shown = _chosen(audit.worst)
    named = ", ".join(item["title"] for item in protocol["axes"])
    return RedteamPage(
        title=f"Red-team audit of {', '.join(models)}",
        answers=tuple(answer(item, _title(item.axis)) for item in audit.axes),
        head=(
            Fact("models", "; ".join(models)),
            Fact("judges", "; ".join(protocol["judges"]) or "none"),
            Fact("axes", named),
            Fact("protocol", f"{protocol['protocol_hash']}, fixed before the first reply"),
        ),
        report_id=content_hash(audit.to_dict()),
        standing=NOT_A_DEVICE,
        asked=_asked(audit),
        states=states("states", [(f"{item.part}, {item.system}", _known(item.states)) for item in audit.parts]),
        axes=tuple(_section(place, item) for place, item in enumerate(audit.axes)),
        worst=tuple(map(_worst, shown)),
        worst_note=_worst_note(len(shown), audit.worst_total),
        deviations=_deviations(audit),
        operators=_operators(protocol),
        methods=_methods(audit),
    )


def _title(axis: str) -> str:
    return next((item.title for item in AXES if item.id == axis), axis)


def _known(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if name in STATES}


def _section(place: int, item: AxisResult) -> AxisSection:
    axis = next(one for one in AXES if one.id == item.axis)
    key = f"axis-{axis.id}-{place}"
    return AxisSection(
        id=key,
        title=axis.title,
        question=axis.question,
        system=item.system,
        blocks=blocks_of(axis.view, key, item.result) if item.result is not None else (),
        absent="" if item.result is not None else item.why,
    )


def _asked(audit: RedteamAudit) -> Table:
    came = {(item.part, item.system): item for item in audit.parts}
    rows = []
    for test in audit.protocol["tests"]:
        plan = test["plan"] or {}
        for model in audit.protocol["models"]:
            own = came.get((test["test"], model))
            read = "none" if own is None else f"{own.replies}, of which {own.states.get('ok', 0)} read"
            mutants = sum(len(item["mutants"]) for item in plan.get("operators", ()))
            rows.append(
                (
                    quote(test["test"]),
                    quote(model),
                    quote(test.get("dataset") or "its own"),
                    text(len(plan.get("items", ()))),
                    text(mutants),
                    text(plan.get("repeats", 0)),
                    text(read),
                    quote(plan.get("plan_hash", "")),
                )
            )
    for item in audit.protocol["not_run"]:
        rows.append(
            (quote(item["test"]), text("all"), text("not run"), *(text("-"),) * 3, quote(item["why"]), text("-"))
        )
    return Table(
        head=("test", "model", "items from", "items", "mutants", "repeats at most", "replies", "plan"), rows=tuple(rows)
    )


def _chosen(worst: Sequence[WorstCase]) -> list[WorstCase]:
    taken: Counter[tuple[str, str, str]] = Counter()
    found: list[WorstCase] = []
    for item in worst:
        key = (item.kind, item.axis, item.system)
        taken[key] += 1
        if taken[key] <= MOST_OF_A_KIND and len(found) < MOST_SHOWN:
            found.append(item)
    return found


def _worst(item: WorstCase) -> WorstRow:
    asked, first = _cut(item.asked, "question")
    reply, second = _cut(item.reply, "reply")
    return WorstRow(
        kind=item.kind,
        detail=item.detail.replace("_", " ") if item.axis == "gates" else item.detail,
        place=f"{_title(item.axis)}, {item.item}, {item.system}",
        asked=asked or "the run folder does not keep the changed text; it is in the log of the part",
        reply=reply,
        cut="; ".join(part for part in (first, second) if part),
    )


def _cut(words: str, what: str) -> tuple[str, str]:
    if len(words) <= MOST_CHARACTERS:
        return words, ""
    return (
        f"{words[:MOST_CHARACTERS]} …",
        f"{what} cut at {MOST_CHARACTERS} of {len(words)} characters, hash {text_hash(words)[:12]}",
    )


def _worst_note(shown: int, total: int) -> str:
    if not total:
        return "No reply crossed a gate, disclosed an identifier, or turned wrong under an attack, as far as the replies could be read."
    return (
        f"{shown} of {total} are shown: at most {MOST_OF_A_KIND} of one kind, axis and model, {MOST_SHOWN} in all; all of "
        f"them are in the run folders. "
        "Critical gates stand first, then disclosed identifiers, then the rest; the order is for reading and is no scale."
    )


def _deviations(audit: RedteamAudit) -> Table | None:
    if not audit.deviations:
        return None
    rows = tuple(
        (
            quote(item.part),
            quote(item.system or "all"),
            text(item.what),
            text(f"{item.number} of {item.planned}" if item.planned else "-"),
            quote(item.why),
        )
        for item in audit.deviations
    )
    return Table(head=("test", "model", "what", "number", "why"), rows=rows)


def _operators(protocol: Mapping[str, Any]) -> Table | None:
    rows = []
    for test in protocol["tests"]:
        for item in (test["plan"] or {}).get("operators", ()):
            reasons = ", ".join(f"{count} {name}" for name, count in item["not_applicable"].items()) or "none"
            rows.append(
                (
                    quote(item["operator"]),
                    quote(test["test"]),
                    text(item["family"].replace("_", " ")),
                    text(len(item["items"])),
                    text(len(item["mutants"])),
                    quote(reasons),
                    text(item["rejected"]),
                )
            )
    if not rows:
        return None
    return Table(
        head=("operator", "test", "family", "items", "mutants", "not applicable", "refused by its check"),
        rows=tuple(rows),
    )


def _methods(audit: RedteamAudit) -> tuple[Fact, ...]:
    protocol = audit.protocol
    found = [
        Fact("equipoise", protocol["equipoise"]),
        Fact("generation", ", ".join(f"{name} {value}" for name, value in protocol["generation"].items())),
        Fact("seed of the intervals", str(audit.seed)),
        Fact("limit of items", "none" if protocol["limit"] is None else str(protocol["limit"])),
        Fact("money", _money(audit)),
    ]
    for test in protocol["tests"]:
        words = [
            f"{name.replace('_', ' ')} {test[name]}"
            for name in (
                "task_version",
                "dataset_hash",
                "prompt_hash",
                "reader_version",
                "seed",
                "loop",
                "rounds",
                "trials",
                "votes",
                "margin",
            )
            if test.get(name) not in (None, "")
        ]
        notes = " ".join(str(note) for note in test.get("notes") or ())
        found.append(Fact(test["test"], "; ".join(words) + (f". {notes}" if notes else "")))
    found.append(
        Fact(
            "no figure over axes",
            "what the axes measure has no common unit, so nothing is averaged or ranked over them",
        )
    )
    return tuple(found)


def _money(audit: RedteamAudit) -> str:
    most = audit.protocol["max_cost"]
    spent = sum(item.cost for item in audit.parts)
    limit = "no limit" if most is None else f"limit {most:g} US dollars"
    return f"{spent:.4f} US dollars as far as the replies state it; {limit}"
