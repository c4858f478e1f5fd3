"""Makes new structured benchmarks: clean cases, and errors as edits of a clean parent. Same arguments, same bytes.

The reference of a clean case follows from the assertion its plan names; that of an error from what the edit does to it
(generator/edits.py). A system that reads the same evidence base is tested on logic and reading, not on clinical truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from equipoise.audit.verdict import Label
from equipoise.benchmarks.openmtb.error_types import ALL_TYPES, NONE, PUBLISHED_TYPES
from equipoise.benchmarks.openmtb.generator.drafts import AS_OF, Draft, draw_draft
from equipoise.benchmarks.openmtb.generator.draw import Draw
from equipoise.benchmarks.openmtb.generator.edits import EDITS, Edited
from equipoise.benchmarks.openmtb.generator.notes import STYLES, write_note
from equipoise.benchmarks.openmtb.generator.plans import Plan
from equipoise.benchmarks.openmtb.generator.render import render
from equipoise.benchmarks.openmtb.generator.table import PLANS
from equipoise.errors import InternalError, UsageError
from equipoise.ids import content_hash

MAX_CASES = 100_000
"""Largest benchmark that is made."""

_TRIES = 400


@dataclass(frozen=True, slots=True)
class _Clean:
    draft: Draft
    inputs: dict[str, Any]
    case_id: str


@dataclass(frozen=True, slots=True)
class _Made:
    draft: Draft
    case_id: str
    inputs: dict[str, Any]
    reference: dict[str, Any]


Form = Literal["record", "note"]
"""How a case is written: a record of fields, or a clinical note that holds the same."""


def generate(
    n: int = 500,
    seed: int = 42,
    *,
    types: Literal["published", "all"] | Sequence[str] = "published",
    counts: Mapping[str, int] | None = None,
    form: Form = "record",
) -> list[dict[str, Any]]:
    """New cases in random order.

    Args:
        n: number of cases, at least 1; two fifths are clean, the rest is split evenly over the error types (500: 200
            and 5 x 60).
        seed: seed of everything that is drawn.
        types: "published" for the published five, "all" for these and the five added here, or error types by name.
        counts: cases by error type ("none" for clean) instead of `n` and `types`.
        form: "record", or "note": the same cases with the same identifiers and references, each given as `text`, a note
            in one of six styles, and the day `as_of` it asks for. An error keeps the style of its parent.

    Returns:
        Cases in the Case's own JSON form, each with a `case_id` made from its content and a `reference` (label,
        abstain, missing_fields, error_type, parent_id, edit {field, from, to}). Parents are clean cases of the same
        list wherever one lends itself to the error, otherwise clean cases that are not in it.

    Raises:
        UsageError: a number out of range, an unknown error type or form.
    """
    if form not in ("record", "note"):
        message = f"expected record or note, found {form!r}"
        raise UsageError(message, field="form")
    wanted = _counts(n, types) if counts is None else _checked(counts)
    draw = Draw(f"openmtb {seed}")
    seen: set[str] = set()
    clean = _draw_clean(wanted.get(NONE, 0), draw, seen)
    made = [_Made(item.draft, item.case_id, item.inputs, _clean_reference()) for item in clean]
    for error_type in ALL_TYPES:
        made += _draw_errors(error_type, wanted.get(error_type, 0), clean, draw, seen)
    return [_record(item, form, seed) for item in draw.shuffled(made)]


def _counts(n: int, types: str | Sequence[str]) -> dict[str, int]:
    if not 1 <= n <= MAX_CASES:
        message = f"expected a number of cases from 1 to {MAX_CASES}, found {n}"
        raise UsageError(message, field="n")
    names = {"published": PUBLISHED_TYPES, "all": ALL_TYPES}.get(types) if isinstance(types, str) else tuple(types)
    if names is None or not names:
        message = f"expected published, all or a list of error types, found {types!r}"
        raise UsageError(message, field="types")
    clean = max(1, round(n * 2 / 5))
    share, extra = divmod(n - clean, len(names))
    return _checked({NONE: clean} | {name: share + (place < extra) for place, name in enumerate(names)})


def _checked(counts: Mapping[str, int]) -> dict[str, int]:
    unknown = sorted(set(counts) - {NONE, *ALL_TYPES})
    if unknown:
        message = f"there is no error type {unknown[0]!r}; expected one of {', '.join((NONE, *ALL_TYPES))}"
        raise UsageError(message, field="types")
    if any(count < 0 for count in counts.values()) or not 1 <= sum(counts.values()) <= MAX_CASES:
        message = f"expected counts of 0 or more, from 1 to {MAX_CASES} together; found {dict(counts)}"
        raise UsageError(message, field="counts")
    return dict(counts)


def _draw_clean(count: int, draw: Draw, seen: set[str]) -> list[_Clean]:
    """Clean cases, evenly over the groups of plans."""
    groups: dict[str, list[Plan]] = {}
    for plan in PLANS:
        groups.setdefault(plan.group, []).append(plan)
    order = list(groups)
    result: list[_Clean] = []
    queue: list[str] = []
    for _ in range(count):
        if not queue:
            queue = draw.shuffled(order)
        result.append(_one_clean(draw.pick(groups[queue.pop()]), draw, seen))
    return result


def _one_clean(plan: Plan, draw: Draw, seen: set[str]) -> _Clean:
    for _ in range(_TRIES):
        draft = draw_draft(plan, draw)
        inputs = render(draft)
        case_id = _case_id(inputs)
        if case_id not in seen:
            seen.add(case_id)
            return _Clean(draft, inputs, case_id)
    message = f"no new case could be drawn from the plan of {plan.assertion}"
    raise InternalError(message)


def _draw_errors(error_type: str, count: int, clean: list[_Clean], draw: Draw, seen: set[str]) -> Iterator[_Made]:
    """Errors of one type: the clean cases lend themselves in turn; when none does, one is drawn for the purpose."""
    order = draw.shuffled(clean)
    place = 0
    for _ in range(count):
        for _ in range(len(order)):
            parent = order[place % len(order)]
            place += 1
            record = _edited(error_type, parent, draw, seen)
            if record is not None:
                yield record
                break
        else:
            order = []
            yield _from_new_parent(error_type, draw, seen)


def _from_new_parent(error_type: str, draw: Draw, seen: set[str]) -> _Made:
    for _ in range(_TRIES):
        parent = _one_clean(draw.pick(PLANS), draw, seen)
        record = _edited(error_type, parent, draw, seen)
        if record is not None:
            return record
    message = f"no clean case lends itself to {error_type}"
    raise InternalError(message)


def _edited(error_type: str, parent: _Clean, draw: Draw, seen: set[str]) -> _Made | None:
    edited = EDITS[error_type](parent.draft, draw)
    if edited is None:
        return None
    inputs = render(edited.draft)
    case_id = _case_id(inputs)
    if case_id in seen:
        return None
    seen.add(case_id)
    return _Made(edited.draft, case_id, inputs, _reference(error_type, edited, parent, inputs))


def _reference(error_type: str, edited: Edited, parent: _Clean, inputs: dict[str, Any]) -> dict[str, Any]:
    names = [name for name in {**parent.inputs, **inputs} if parent.inputs.get(name) != inputs.get(name)]
    one = len(names) == 1
    return {
        "label": edited.label.value,
        "abstain": edited.abstain,
        "missing_fields": list(edited.missing),
        "error_type": error_type,
        "parent_id": parent.case_id,
        "edit": {
            "field": "+".join(names),
            "from": parent.inputs.get(names[0]) if one else {name: parent.inputs.get(name) for name in names},
            "to": inputs.get(names[0]) if one else {name: inputs.get(name) for name in names},
        },
    }


def _clean_reference() -> dict[str, Any]:
    return {
        "label": Label.SUPPORTED.value,
        "abstain": False,
        "missing_fields": [],
        "error_type": NONE,
        "parent_id": "",
        "edit": None,
    }


def _record(made: _Made, form: Form, seed: int) -> dict[str, Any]:
    inputs = made.inputs
    if form == "note":
        style = Draw(f"style of note {seed} {made.draft.style.order}").pick(STYLES)
        inputs = {"as_of": AS_OF.isoformat(), "text": write_note(made.draft, style, seed)}
    return {"case_id": made.case_id, **inputs, "reference": made.reference}


def _case_id(inputs: dict[str, Any]) -> str:
    return f"gen-{content_hash(inputs)[:12]}"
