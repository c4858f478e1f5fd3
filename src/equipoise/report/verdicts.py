"""From verdicts in their JSON form, and perhaps the notes they were read from, to the page that shows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from equipoise.errors import UsageError
from equipoise.ids import content_hash
from equipoise.report.contexts import (
    AlternativeRow,
    CaseSection,
    CaveatRow,
    CriterionRow,
    EvidenceRow,
    Fact,
    IndexRow,
    NotePart,
    Piece,
    SpanRow,
    Unreadable,
    VerdictBlock,
    VerdictPage,
    WhatIfRow,
    WhatIfSet,
)
from equipoise.report.inert import inert
from equipoise.report.plots import Figure, bars
from equipoise.report.wording import (
    ABSTAINING,
    BADGES,
    NOT_A_DEVICE,
    RESULTS,
    STANDING_LINE,
    abstention,
    abstention_line,
    field_words,
    readable,
    usually_in,
)

MOST_BLOCKS = 120
"""Verdicts that are shown in full; the others stand in the list only, and the page says so."""

MOST_ROWS = 2000
"""Verdicts that stand in the list."""

_ON_PAGE_ONE = 2
"""Assertions a side, and further reasons, that stand beside the answer; the others follow in the second part."""

_CELLS_ON_PAGE_ONE = 4
"""Cells of the what-if tables that stand beside the answer; more are summed by label there and follow in full."""

_LINES_OF_PAGE_ONE = 50
"""Lines that an A4 page holds, by the estimate of `_lines`."""

_FOR_FIGURES = 10
"""From this many verdicts on, reasons and undocumented fields are counted in figures."""

Json = Mapping[str, Any]


PAPERS: tuple[str, ...] = ("A4", "letter")
"""Page sizes for print, by their names in CSS."""


def verdict_page(
    verdicts: Sequence[Json],
    *,
    notes: Mapping[str, str] | None = None,
    title: str = "",
    most: int = MOST_BLOCKS,
    paper: str = "A4",
) -> VerdictPage:
    """The page for a list of verdicts, in their order.

    Args:
        verdicts: `Verdict.to_dict()` each, or an object with `error` for an input that could not be read.
        notes: text of the note by case id, for cases that were read from a note.
        title: heading; empty gives one from the content.
        most: verdicts that are shown in full; the others stand in the list only, and the page says so.
        paper: page size for print, one of `PAPERS`.

    Raises:
        UsageError: another paper.
    """
    if paper not in PAPERS:
        message = f"expected {' or '.join(PAPERS)}, got {paper!r}"
        raise UsageError(message, field="paper")
    notes = notes or {}
    good = [verdict for verdict in verdicts if not verdict.get("error")]
    shown, beyond = good[:most], good[most:]
    cases = _cases(shown, notes)
    anchors = [block.anchor for case in cases for block in case.blocks]
    rows = [_index_row(verdict, anchor) for verdict, anchor in zip(good, [*anchors, *[""] * len(beyond)], strict=True)]
    labels = Counter(str(verdict.get("label", "")) for verdict in good)
    return VerdictPage(
        title=title or ("Audit of one recommendation" if len(good) == 1 else f"Audit of {len(good)} recommendations"),
        report_id=content_hash({"verdicts": _hashable(list(verdicts)), "notes": _hashable(dict(notes))}),
        counts=tuple(Fact(label, str(labels.get(label, 0))) for label in BADGES),
        total=len(good),
        abstaining=sum(bool(verdict.get("abstain")) for verdict in good),
        unreadable=tuple(_unreadable(verdict) for verdict in verdicts if verdict.get("error")),
        index=tuple(rows[:MOST_ROWS]) if len(good) > 1 else (),
        index_left_out=max(0, len(rows) - MOST_ROWS) if len(good) > 1 else 0,
        figures=_figures(good),
        cases=cases,
        blocks_left_out=len(beyond),
        has_note=any(case.note for case in cases),
        standing=STANDING_LINE,
        device=NOT_A_DEVICE,
        paper=paper,
    )


def _hashable(value: Any) -> Any:
    """The value with lone surrogates and numbers that JSON has no form for as text, so that it can be hashed."""
    if isinstance(value, str):
        return inert(value)
    if isinstance(value, Mapping):
        return {inert(str(key)): _hashable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_hashable(item) for item in value]
    return value if isinstance(value, int | bool) or value is None else str(value)


def _anchor(index: int) -> str:
    return f"v{index + 1}"


def _cases(verdicts: Sequence[Json], notes: Mapping[str, str]) -> tuple[CaseSection, ...]:
    """Neighbouring verdicts of one case belong together; the order of the input stays."""
    groups: list[tuple[str, list[tuple[int, Json]]]] = []
    for index, verdict in enumerate(verdicts):
        case_id = str(verdict.get("case_id", ""))
        if not groups or groups[-1][0] != case_id:
            groups.append((case_id, []))
        groups[-1][1].append((index, verdict))
    return tuple(_case(place, case_id, group, notes.get(case_id, "")) for place, (case_id, group) in enumerate(groups))


def _case(place: int, case_id: str, group: Sequence[tuple[int, Json]], note: str) -> CaseSection:
    spans, numbers = _spans(place, [verdict for _, verdict in group])
    marks, broken = _marks(spans, note) if note else ([], [])
    return CaseSection(
        case_id=case_id,
        blocks=tuple(_block(_anchor(index), verdict, numbers) for index, verdict in group),
        spans=tuple(row for row, _, _ in spans),
        note=tuple(_note_parts(note, marks)) if note else (),
        broken_spans=tuple(broken),
    )


_Placed = tuple[SpanRow, int | None, int | None]


def _spans(place: int, verdicts: Sequence[Json]) -> tuple[list[_Placed], dict[str, int]]:
    """Every value used, once, numbered; and the number of the first value by field."""
    seen: dict[tuple[Any, ...], int] = {}
    rows: list[_Placed] = []
    numbers: dict[str, int] = {}
    for verdict in verdicts:
        for span in verdict.get("spans") or ():
            start, end = span.get("start"), span.get("end")
            key = (span.get("field"), span.get("value"), span.get("path"), start, end)
            if key in seen:
                continue
            seen[key] = number = len(rows) + 1
            field, where = str(span.get("field", "")), str(span.get("path", ""))
            numbers.setdefault(field, number)
            numbers.setdefault(field.partition(".")[0], number)
            if field == "biomarkers":
                numbers.setdefault(f"biomarkers.{str(span.get('value', '')).partition(':')[0]}", number)
            if start is not None:
                where = f"{where}, characters {start} to {end}" if where else f"characters {start} to {end}"
            row = SpanRow(
                number,
                f"c{place + 1}s{number}",
                field,
                readable(str(span.get("value", ""))),
                str(span.get("text", "")),
                where,
            )
            rows.append((row, start, end))
    return rows, numbers


def _style(row: SpanRow) -> str:
    if row.field == "instructions":
        return "instruction"
    value = row.value.lower()
    if "conflict" in value:
        return "conflicting"
    return "negated" if any(word in value for word in ("absent", "negative", "none", "not ")) else "used"


_Mark = tuple[int, int, int, str]


def _marks(spans: Sequence[_Placed], note: str) -> tuple[list[_Mark], list[str]]:
    marks: list[_Mark] = []
    broken: list[str] = []
    for row, start, end in spans:
        if start is None or end is None:
            continue
        if 0 <= start < end <= len(note) and note[start:end] == row.text:
            marks.append((start, end, row.number, _style(row)))
        else:
            broken.append(f"{row.number}: {row.field}")
    return marks, broken


_STRENGTH = ("", "used", "negated", "conflicting", "instruction")


def _note_parts(note: str, marks: Sequence[_Mark]) -> list[NotePart]:
    """The note cut at every end of a mark, so that overlapping marks are split and none is nested."""
    cuts = sorted({0, len(note), *(cut for start, end, _, _ in marks for cut in (start, end))})
    parts: list[NotePart] = []
    for start, end in pairwise(cuts):
        over = [mark for mark in marks if mark[0] <= start and end <= mark[1]]
        style = max((mark[3] for mark in over), key=_STRENGTH.index, default="")
        parts.append(NotePart(note[start:end], tuple(mark[2] for mark in over), style))
    return parts


def _block(anchor: str, verdict: Json, numbers: Mapping[str, int]) -> VerdictBlock:
    label = str(verdict.get("label", ""))
    reasons = [(str(reason.get("code", "")), str(reason.get("text", ""))) for reason in verdict.get("reasons") or ()]
    speaks_for = _evidence(verdict.get("evidence"))
    against = _evidence(verdict.get("evidence_against"))
    decides_against = bool(against) and against[0].result == RESULTS["satisfied"] and label == "Unsupported"
    deciding = against[0] if decides_against else speaks_for[0] if speaks_for else None
    criteria = _criteria(verdict, numbers)
    first = [row for row in criteria if deciding is not None and row.assertion == deciding.id]
    caveats = {state: _caveats(verdict, state) for state in ("fires", "clear", "not-assessed")}
    regimen = " + ".join(str(part) for part in verdict.get("regimen") or ())
    further = tuple(Fact(code, text) for code, text in reasons[1:])
    what_if_sets = _what_if(verdict)
    abstaining = _abstention(verdict, reasons)
    sides = _ON_PAGE_ONE
    lines = _lines(reasons, speaks_for[:sides], against[:sides], caveats, what_if_sets)
    if lines > _LINES_OF_PAGE_ONE:
        sides = 1
        lines = _lines(reasons, speaks_for[:1], against[:1], caveats, what_if_sets)
    return VerdictBlock(
        anchor=anchor,
        head=_head(verdict),
        recommendation=str(verdict.get("recommendation", "")),
        regimen=regimen,
        label=label,
        badge=BADGES.get(label, "insufficient"),
        headline=str(verdict.get("headline", "")),
        because=reasons[0][1] if reasons and not abstaining.endswith(reasons[0][1][1:]) else "",
        deciding=deciding,
        abstention=abstaining,
        reasons=further[:_ON_PAGE_ONE],
        more_reasons=further[_ON_PAGE_ONE:],
        missing=tuple(field_words(str(field)) for field in verdict.get("missing_fields") or ()),
        speaks_for=speaks_for[:sides],
        speaks_against=against[:sides],
        nothing_found="nothing found in the evidence on file"
        f" ({verdict.get('jurisdiction', '')}, {verdict.get('as_of', '')})",
        more_evidence=(*speaks_for[sides:], *against[sides:]),
        applies=caveats["fires"],
        does_not_apply=caveats["clear"],
        not_assessed=caveats["not-assessed"],
        what_if=what_if_sets,
        criteria=tuple(first),
        criteria_first=lines + 3 + sum(_rows_of(row) for row in first) <= _LINES_OF_PAGE_ONE,
        more_criteria=tuple(row for row in criteria if row not in first),
        alternatives=tuple(
            AlternativeRow(
                str(item.get("regimen", "")), str(item.get("id", "")), str(item.get("level", "")),
                str(item.get("label", "")), BADGES.get(str(item.get("label", "")), "insufficient"),
            )
            for item in verdict.get("alternatives") or ()
        ),
        gaps=tuple(
            Fact(field_words(str(gap.get("field", ""))), str(gap.get("text", "")))
            for gap in verdict.get("context_gaps") or ()
        ),
        sources=_sources(verdict),
        hashes=tuple(
            Fact(name, str(verdict.get(key, "")))
            for name, key in (
                ("engine version", "engine_version"), ("form of the verdict", "schema_version"), ("policy", "policy"),
                ("policy hash", "policy_hash"), ("evidence hash", "evidence_hash"), ("case hash", "case_hash"),
            )
        ),
        ignored=tuple(str(name) for name in verdict.get("ignored_fields") or ()),
        modules_off=tuple(str(name) for name in verdict.get("modules_off") or ()),
    )  # fmt: skip


def _head(verdict: Json) -> tuple[Fact, ...]:
    place = str(verdict.get("recommendation_id", ""))
    facts = [("case", str(verdict.get("case_id", "")))]
    if place:
        facts.append(("recommendation", place))
    facts += [
        ("evidence as of", str(verdict.get("as_of", ""))),
        ("jurisdiction", str(verdict.get("jurisdiction", ""))),
        ("policy", str(verdict.get("policy", ""))),
        ("engine", str(verdict.get("engine_version", ""))),
    ]
    return tuple(Fact(name, value) for name, value in facts)


def _abstention(verdict: Json, reasons: Sequence[tuple[str, str]]) -> str:
    if not verdict.get("abstain"):
        return ""
    for code, text in reasons:
        if code in ABSTAINING and text:
            return abstention_line(text)
    return abstention_line(reasons[0][1]) if reasons and reasons[0][1] else abstention("input-missing")


def _evidence(items: Any) -> tuple[EvidenceRow, ...]:
    return tuple(
        EvidenceRow(
            id=str(item.get("id", "")),
            statement=str(item.get("statement", "")),
            direction=str(item.get("direction", "")),
            level=str(item.get("level", "")),
            result=RESULTS.get(str(item.get("result", "")), str(item.get("result", ""))),
            source=linked(str(item.get("source", ""))),
            verified="verified" if item.get("verified") else "not verified",
        )
        for item in items or ()
    )


def _criteria(verdict: Json, numbers: Mapping[str, int]) -> tuple[CriterionRow, ...]:
    rows = []
    for item in (*(verdict.get("evidence") or ()), *(verdict.get("evidence_against") or ())):
        for criterion in item.get("criteria") or ():
            field = str(criterion.get("field", ""))
            rows.append(
                CriterionRow(
                    assertion=str(item.get("id", "")),
                    criterion=f"{criterion.get('role', 'requires')}: {_noun(field)}",
                    required=readable(str(criterion.get("required", ""))),
                    found=readable(str(criterion.get("found", ""))) or "not documented",
                    result=_criterion_result(criterion),
                    span=_number(field, str(criterion.get("found", "")), numbers),
                    field=field,
                )
            )
    return tuple(rows)


def _number(field: str, found: str, numbers: Mapping[str, int]) -> int:
    """Number of the value that a criterion read; 0 when none is documented for it."""
    if not found or found == "not documented":
        return 0
    if field in numbers:
        return numbers[field]
    head, dot, tail = field.partition(".")
    return 0 if dot and head == "biomarkers" and tail else numbers.get(head, 0)


def _criterion_result(criterion: Json) -> str:
    result = str(criterion.get("result", ""))
    if criterion.get("role") == "unless":
        return {"satisfied": "exclusion does not hold", "violated": "exclusion holds"}.get(
            result, RESULTS.get(result, result)
        )
    return RESULTS.get(result, result)


def _noun(field: str) -> str:
    words = field_words(field)
    return words.removeprefix("the ").removeprefix("a ")


def _caveats(verdict: Json, state: str) -> tuple[CaveatRow, ...]:
    return tuple(
        CaveatRow(
            str(item.get("name", "")),
            str(item.get("text", "")),
            linked(str(item.get("source", ""))),
            field_words(str(item.get("field", ""))) if item.get("field") else "",
        )
        for item in verdict.get("caveats") or ()
        if item.get("state") == state
    )


def _what_if(verdict: Json) -> tuple[WhatIfSet, ...]:
    sets: dict[tuple[str, ...], list[WhatIfRow]] = {}
    for cell in verdict.get("what_if") or ():
        fields = tuple(str(field) for field in cell.get("fields") or ())
        value = cell.get("value")
        if isinstance(value, Mapping):
            words = "; ".join(_filled(str(field), str(item), alone=len(value) == 1) for field, item in value.items())
        else:
            words = str(value)
        label = str(cell.get("label", ""))
        reasons = ", ".join(str(code) for code in cell.get("reasons") or ())
        sets.setdefault(fields, []).append(
            WhatIfRow(readable(words), label, BADGES.get(label, "insufficient"), reasons)
        )
    chosen = list(sets.items())[:3]
    many = sum(len(rows) for _, rows in chosen) > _CELLS_ON_PAGE_ONE
    return tuple(
        WhatIfSet(
            " and ".join(field_words(field) for field in fields),
            "; ".join(sorted({place for place in map(usually_in, fields) if place})),
            _by_label(rows) if many else tuple(rows),
            tuple(rows) if many else (),
        )
        for fields, rows in chosen
    )


_WORD = re.compile(r"[A-Za-z]{2,}")


def _filled(field: str, value: str, *, alone: bool) -> str:
    """A value that is filled in, with its field where the value does not say which it is."""
    return value if alone or len(_WORD.findall(value)) > 1 else f"{_noun(field)}: {value}"


def _by_label(rows: Sequence[WhatIfRow]) -> tuple[WhatIfRow, ...]:
    """One row a label, with the first cell as its example and the number of cells."""
    groups: dict[str, list[WhatIfRow]] = {}
    for row in rows:
        groups.setdefault(row.label, []).append(row)
    return tuple(replace(group[0], count=len(group)) for group in groups.values())


def _rows_of(row: CriterionRow) -> int:
    """Lines of a row of the criteria table in print."""
    return max(-(-len(row.criterion) // 22), -(-len(row.required) // 32), -(-len(row.found) // 26), 1) + 1


def _lines(
    reasons: Sequence[tuple[str, str]],
    speaks_for: Sequence[EvidenceRow],
    against: Sequence[EvidenceRow],
    caveats: Mapping[str, Sequence[CaveatRow]],
    what_if: Sequence[WhatIfSet],
) -> int:
    """An estimate of the printed lines of everything beside the answer but its criteria."""
    sides = [sum(4 + -(-len(row.statement) // 50) for row in side) for side in (speaks_for, against)]
    applying = sum(2 + -(-len(row.text) // 100) for row in caveats["fires"])
    named = [
        sum(len(row.name) + (len(row.field) + 5 if row.field else 2) for row in caveats[state]) for state in caveats
    ]
    groups = applying + 2 + sum(-(-length // 105) for length in named[1:])
    further = sum(1 + -(-len(text) // 95) for _, text in reasons[: _ON_PAGE_ONE + 1])
    cells = sum(2 + -(-len(row.value) // 34) for group in what_if for row in group.rows)
    return 12 + further + max(sides) + 4 + groups + (3 + cells if what_if else 0)


def _sources(verdict: Json) -> tuple[tuple[Piece, ...], ...]:
    texts: dict[str, None] = {}
    for name in ("evidence", "evidence_against", "caveats"):
        for item in verdict.get(name) or ():
            if item.get("source"):
                texts[str(item["source"])] = None
    return tuple(linked(text) for text in texts)


_IDENTIFIER = re.compile(r"\b(?:PMID:? ?(\d{5,9})|(NCT\d{8})|(?:NDA|BLA)(\d{6}))\b")


def linked(text: str) -> tuple[Piece, ...]:
    """A source cut into pieces, with an address for each identifier of an article, a trial or an application.

    Args:
        text: title, identifier and date of a source.
    """
    pieces: list[Piece] = []
    last = 0
    for found in _IDENTIFIER.finditer(text):
        article, trial, application = found.groups()
        if article:
            url = f"https://pubmed.ncbi.nlm.nih.gov/{article}/"
        elif trial:
            url = f"https://clinicaltrials.gov/study/{trial}"
        else:
            url = (
                f"https://www.accessdata.fda.gov/scripts/cder/daf/index.cfm?event=overview.process&ApplNo={application}"
            )
        if found.start() > last:
            pieces.append(Piece(text[last : found.start()]))
        pieces.append(Piece(found[0], url))
        last = found.end()
    if last < len(text):
        pieces.append(Piece(text[last:]))
    return tuple(pieces)


def _index_row(verdict: Json, anchor: str) -> IndexRow:
    label = str(verdict.get("label", ""))
    return IndexRow(
        anchor=anchor,
        case_id=str(verdict.get("case_id", "")),
        recommendation=str(verdict.get("recommendation", "")),
        label=label,
        badge=BADGES.get(label, "insufficient"),
        headline=str(verdict.get("headline", "")),
        abstains=bool(verdict.get("abstain")),
    )


def _unreadable(verdict: Json) -> Unreadable:
    error = verdict.get("error")
    parts = error if isinstance(error, Mapping) else verdict
    text = str(error.get("message") or error.get("text") or "") if isinstance(error, Mapping) else str(error)
    where = [
        f"{name} {parts[name]}" for name in ("file", "line", "case_id", "field") if parts.get(name) not in (None, "")
    ]
    return Unreadable(", ".join(where).replace("case_id ", "case ") or "input", text)


def _figures(verdicts: Sequence[Json]) -> tuple[Figure, ...]:
    if len(verdicts) < _FOR_FIGURES:
        return ()
    reasons = Counter(
        code for item in verdicts for code in {str(reason.get("code")) for reason in item.get("reasons") or ()}
    )
    missing = Counter(str(field) for item in verdicts for field in item.get("missing_fields") or ())
    figures = [
        bars("reasons", "Verdicts by reason code", list(reasons.items()), noun="reason code", total=len(verdicts))
    ]
    if missing:
        title = "Verdicts by deciding field that is not documented"
        counted = [(field_words(field), count) for field, count in missing.items()]
        figures.append(bars("missing", title, counted, noun="field", total=len(verdicts)))
    return tuple(figures)
