"""The cells into which the criteria cut an undocumented field: a value in words, as JSON, and as a change of the facts.

Two values belong to one cell when every criterion that concerns the regimen answers alike for both.
"""

from __future__ import annotations

import datetime as dt
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.audit.safety_classifier import Evidence
from equipoise.cases.facts import FALSE, TRUE, UNKNOWN, Facts
from equipoise.cases.model import (
    HISTOLOGIES,
    SETTINGS,
    STAGES,
    Case,
    Finding,
    FindingStatus,
    Interval,
    Outcome,
    PriorTherapy,
    Status,
)
from equipoise.cases.vocabulary.biomarkers import marker, read_biomarkers
from equipoise.cases.vocabulary.setting import CURATIVE, settings_of_stage
from equipoise.evidence.criteria import Bounds, Given, Leaf, Node, leaves

Fill = Callable[[Facts], None]

_VAGUE = (":any_mutation", ":missense")
_OTHER_DRUGS = ("docetaxel", "gemcitabine", "vinorelbine")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of one field.

    Attributes:
        text: the value in words.
        patch: elements of the case's JSON form that state it; `biomarkers.GENE` replaces the entries of that gene.
        fill: writes the value into facts.
    """

    text: str
    patch: dict[str, Any]
    fill: Fill


def cells_of(
    name: str, case: Case, facts: Facts, evidence: Evidence, representative: Callable[[str], str | None]
) -> tuple[Cell, ...]:
    """Cells of an undocumented field.

    Args:
        name: field of the Case; `biomarkers.GENE` for the markers of a gene.
        case: the case.
        facts: its facts.
        evidence: evaluated assertions, whose criteria cut the field.
        representative: a drug that stands for a class in an invented history.

    Returns:
        At least one cell for a field that can be filled in; none for a field that cannot.
    """
    asked = [*_leaves(evidence, name), *(_leaves(evidence, "setting") if name == "stage" else ())]
    relevant = list({leaf.number: leaf for leaf in asked}.values())
    head, _, tail = name.partition(".")
    if name == "biomarkers":
        cells: Iterable[Cell] = _any_marker_cells(evidence)
    elif head == "biomarkers":
        cells = _marker_cells(tail, case, facts, evidence)
    elif name == "prior_therapies":
        cells = _history_cells(facts, evidence, representative)
    elif head in ("comorbidities", "comedications"):
        cells = _condition_cells(head, tail)
    elif name == "pdl1":
        cells = _pdl1_cells(relevant)
    elif name == "stage":
        cells = _stage_cells(case, facts, relevant)
    elif name == "setting":
        cells = _setting_cells(facts, relevant)
    else:
        cells = _SIMPLE[name](facts, relevant) if name in _SIMPLE else ()
    return _merged(cells, facts, relevant, name)


def _leaves(evidence: Evidence, name: str) -> Iterator[Leaf]:
    for item in (*evidence.supports, *evidence.negatives, *evidence.cautions):
        plan = item.plan
        if name not in plan.reads:
            continue
        for node in (*(plan.requires or ()), *plan.unless):
            if name in node.reads:
                for leaf in leaves(node):
                    if name in leaf.reads:
                        yield leaf


def _merged(cells: Iterable[Cell], facts: Facts, relevant: Sequence[Leaf], name: str) -> tuple[Cell, ...]:
    groups: dict[tuple[int, ...], list[Cell]] = {}
    for cell in cells:
        filled = facts.copy()
        cell.fill(filled)
        groups.setdefault(tuple(leaf.test(filled) for leaf in relevant), []).append(cell)
    return tuple(
        Cell(_joined([cell.text for cell in group], name), group[0].patch, group[0].fill) for group in groups.values()
    )


def _joined(texts: Sequence[str], name: str) -> str:
    if name in _RANGES and len(texts) > 1:
        return _RANGES[name](texts)
    if len(texts) > 4:
        return f"{', '.join(texts[:3])} or {len(texts) - 3} others"
    return " or ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else texts[0]


def _span(texts: Sequence[str]) -> str:
    numbers = sorted(int(text.rsplit(" ", 1)[-1]) for text in texts)
    prefix = texts[0].rsplit(" ", 1)[0]
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{prefix} {numbers[0]} to {numbers[-1]}"
    return f"{prefix} {', '.join(map(str, numbers))}"


_RANGES: dict[str, Callable[[Sequence[str]], str]] = {"ecog": _span}


def _setter(attribute: str, value: Any, field: str) -> Fill:
    def fill(facts: Facts) -> None:
        setattr(facts, attribute, value)
        facts.conflicts = facts.conflicts - {field}

    return fill


def _subset_cells(attribute: str, field: str, domain: Sequence[str]) -> Callable[[Facts, Sequence[Leaf]], list[Cell]]:
    def cells(facts: Facts, relevant: Sequence[Leaf]) -> list[Cell]:
        possible = getattr(facts, attribute)
        names = [item for item in domain if possible is None or item in possible]
        if not relevant:
            names = names[-1:]
        return [Cell(item, {field: item}, _setter(attribute, frozenset({item}), field)) for item in names]

    return cells


def _stage_cells(case: Case, facts: Facts, relevant: Sequence[Leaf]) -> list[Cell]:
    """A stage also says the setting when the record states none."""
    names = [item for item in STAGES if facts.stage is None or item in facts.stage]
    stated = case.setting.status is not Status.UNKNOWN and any(
        source.field != "stage" for source in case.setting.sources
    )
    if not relevant and stated:
        names = names[-1:]
    curative = stated and case.setting.value is not None and case.setting.value <= CURATIVE

    def filler(group: str) -> Fill:
        def fill(target: Facts) -> None:
            target.stage = frozenset({group})
            target.conflicts = target.conflicts - {"stage"}
            implied = settings_of_stage({group})
            if not stated:
                _place(implied, target)
            elif curative and implied == _DISTANT:
                _place(frozenset(), target)

        return fill

    return [Cell(f"stage {item}", {"stage": item}, filler(item)) for item in names]


_DISTANT = frozenset({"metastatic"})


def _place(settings: frozenset[str], facts: Facts) -> None:
    """Write what a record says of the setting; nothing left beside what the recommendation names is a conflict."""
    both = settings if facts.stated_setting is None else settings & facts.stated_setting
    facts.setting = both or None
    facts.conflicts = facts.conflicts - {"setting"} if both else facts.conflicts | {"setting"}


def _setting_cells(facts: Facts, relevant: Sequence[Leaf]) -> list[Cell]:
    """Settings that contradict neither the stage nor the setting that the recommendation names."""
    distant = facts.stage is not None and settings_of_stage(facts.stage) == _DISTANT
    possible = facts.setting or facts.stated_setting or frozenset(SETTINGS)
    names = [item for item in SETTINGS if item in possible and not (distant and item in CURATIVE)]

    def filler(item: str) -> Fill:
        def fill(target: Facts) -> None:
            stage = target.stage
            contradicted = item in CURATIVE and stage is not None and settings_of_stage(stage) == _DISTANT
            _place(frozenset() if contradicted else frozenset({item}), target)

        return fill

    return [Cell(item, {"setting": item}, filler(item)) for item in (names if relevant else names[-1:])]


def _ecog_cells(facts: Facts, relevant: Sequence[Leaf]) -> list[Cell]:
    grades = [grade for grade in range(5) if facts.ecog is None or grade in facts.ecog]
    return [
        Cell(f"ECOG {grade}", {"ecog": grade, "kps": None}, _setter("ecog", frozenset({grade}), "ecog"))
        for grade in grades
    ]


def _brain_cells(facts: Facts, relevant: Sequence[Leaf]) -> list[Cell]:
    rows: list[tuple[str, Any, frozenset[str]]] = [
        ("no brain metastases", False, frozenset()),
        ("treated brain metastases", "treated", frozenset({"treated"})),
        ("untreated brain metastases", "untreated", frozenset({"untreated"})),
    ]
    if facts.brain:
        rows = [row for row in rows if row[2] and row[2] <= facts.brain]
    return [Cell(text, {"brain_mets": value}, _setter("brain", state, "brain_mets")) for text, value, state in rows]


def _msi_cells(facts: Facts, relevant: Sequence[Leaf]) -> list[Cell]:
    return [
        Cell(text, {"msi": value}, _setter("msi", state, "msi"))
        for text, value, state in (("MSI-H", "MSI-H", "high"), ("MSS", "MSS", "stable"))
    ]


def _number_cells(attribute: str, field: str, unit: str) -> Callable[[Facts, Sequence[Leaf]], list[Cell]]:
    def cells(facts: Facts, relevant: Sequence[Leaf]) -> list[Cell]:
        cuts = sorted(
            {
                edge
                for leaf in relevant
                if isinstance(leaf.payload, Bounds)
                for edge in (leaf.payload.low, leaf.payload.high)
                if 0 < edge < 1e6
            }
        )
        values = sorted({value for cut in cuts for value in (cut - 1, cut, cut + 1) if value >= 0})
        return [
            Cell(f"{value:g} {unit}", {field: value}, _setter(attribute, Interval(value, value), field))
            for value in values
        ]

    return cells


_SIMPLE: dict[str, Callable[[Facts, Sequence[Leaf]], list[Cell]]] = {
    "histology": _subset_cells("histology", "histology", HISTOLOGIES),
    "ecog": _ecog_cells,
    "brain_mets": _brain_cells,
    "msi": _msi_cells,
    "tmb": _number_cells("tmb", "tmb", "mut/Mb"),
    "age": _number_cells("age", "age", "years"),
    "qtc_ms": _number_cells("qtc", "qtc_ms", "ms"),
}


def _pdl1_cells(relevant: Sequence[Leaf]) -> list[Cell]:
    scales = sorted({leaf.payload[0] for leaf in relevant}) or ["tps"]
    if len(scales) > 1:
        return []
    scale = scales[0]
    starts = sorted({0, *(start for leaf in relevant for start in _starts(leaf.payload[1]))})
    cells = []
    for place, low in enumerate(starts):
        high = starts[place + 1] - 1 if place + 1 < len(starts) else 100
        text = f"PD-L1 {scale.upper()} {low} %" if low == high else f"PD-L1 {scale.upper()} {low} to {high} %"
        value = Interval(float(low), float(low))
        cells.append(Cell(text, {"pdl1": {scale: low}}, _setter(scale, value, "pdl1")))
    return cells


def _starts(limits: Bounds) -> list[int]:
    """Whole percentages at which a range begins or has just ended."""
    found = []
    if limits.low > 0:
        found.append(math.ceil(limits.low) if limits.low_closed else math.floor(limits.low) + 1)
    if limits.high < 100:
        found.append(math.floor(limits.high) + 1 if limits.high_closed else math.ceil(limits.high))
    return found


def _condition_cells(head: str, name: str) -> list[Cell]:
    def filler(state: int) -> Fill:
        def fill(facts: Facts) -> None:
            facts.conditions = {**facts.conditions, name: state}
            facts.conflicts = facts.conflicts - {f"{head}.{name}"}

        return fill

    return [
        Cell(f"{name} present", {head: {name: True}}, filler(TRUE)),
        Cell(f"no {name}", {head: {name: False}}, filler(FALSE)),
    ]


# --- markers -----------------------------------------------------------------------------------------------------------------


def _marker_cells(gene: str, case: Case, facts: Facts, evidence: Evidence) -> list[Cell]:
    conflicting = f"biomarkers.{gene}" in facts.conflicts
    asked: dict[str, None] = {}
    for nodes in _asking(evidence):
        for node in nodes:
            for leaf in leaves(node):
                if leaf.kind in ("biomarker", "biomarker_absent"):
                    asked.update(dict.fromkeys(sorted(name for name in leaf.payload if name.partition(":")[0] == gene)))
    names = [name for name in asked if facts.marker(name) == UNKNOWN]
    specific = [name for name in names if not name.endswith(_VAGUE)] or names
    if not names:
        return []
    kept = () if conflicting else tuple(finding for finding in case.findings if finding.gene == gene)
    cells = [
        Cell(
            f"{name} present",
            {f"biomarkers.{gene}": [*_entries(kept, [name]), {"name": name, "status": "present"}]},
            _with_marker(name, conflicting),
        )
        for name in specific
    ]
    negative = [{"name": name, "status": "absent"} for name in names]
    cells.append(
        Cell(
            f"{' and '.join(names)} absent",
            {f"biomarkers.{gene}": [*_entries(kept, names), *negative]},
            _without_markers(gene, names, conflicting),
        )
    )
    return cells


def _asking(evidence: Evidence) -> Iterator[tuple[Node, ...]]:
    """Criteria that a cell can decide: those of the supporting assertions, and what would lift a negative that holds."""
    for item in evidence.supports:
        yield (*(item.plan.requires or ()), *item.plan.unless)
    for item in evidence.negatives:
        if item.gaps:
            yield item.plan.unless


def _any_marker_cells(evidence: Evidence) -> list[Cell]:
    names: dict[str, None] = {}
    for item in evidence.supports:
        for node in item.plan.requires or ():
            for leaf in leaves(node):
                if leaf.kind == "biomarker":
                    names.update(dict.fromkeys(sorted(leaf.payload)))
    specific = [name for name in names if not name.endswith(_VAGUE)]
    cells = [
        Cell(f"{name} present", {"biomarkers": [{"name": name, "status": "present"}]}, _with_marker(name, False))
        for name in specific
    ]
    if not specific:
        return [
            Cell(
                "EGFR:any_mutation absent",
                {"biomarkers": [{"name": "EGFR:any_mutation", "status": "absent"}]},
                _without_markers("EGFR", ["EGFR:any_mutation"], False),
            )
        ]
    gone = [{"name": name, "status": "absent"} for name in specific]
    genes = sorted({name.partition(":")[0] for name in specific})
    cells.append(
        Cell(f"{', '.join(genes)} negative", {"biomarkers": gone}, _without_markers(genes[0], specific, False))
    )
    return cells


_CLOSED = (FindingStatus.PRESENT, FindingStatus.ABSENT, FindingStatus.UNCERTAIN)


def _entries(findings: Iterable[Finding], stated: Sequence[str]) -> list[dict[str, str]]:
    """What the record says already, without the open results of the names that are now stated."""
    return [_entry(finding) for finding in findings if finding.status in _CLOSED or finding.name not in stated]


def _entry(finding: Finding) -> dict[str, str]:
    entry = {"name": finding.source.text or finding.name, "status": finding.status.value}
    if finding.date is not None:
        entry["date"] = finding.date.isoformat()
    return entry


def _with_marker(name: str, conflicting: bool) -> Fill:
    info = marker(name)
    classes = info.classes if info else frozenset()
    gene = name.partition(":")[0]

    def fill(facts: Facts) -> None:
        if conflicting:
            _clear(gene, facts)
        facts.present = {*facts.present, name, *classes}
        facts.absent = facts.absent - {name}
        facts.open = facts.open - {name}
        facts.may = facts.may - {name}
        if info is not None and info.kind == "variant" and not name.endswith(_VAGUE) and _is_specific(name):
            facts.sequenced = {*facts.sequenced, gene}

    return fill


@functools.cache
def _is_specific(name: str) -> bool:
    """Whether reading the name as a finding names one alteration, as the reader of biomarker strings sees it."""
    return any(
        finding.specific and finding.kind == "variant" and finding.status is FindingStatus.PRESENT
        for finding in read_biomarkers(name)
    )


def _without_markers(gene: str, names: Sequence[str], conflicting: bool) -> Fill:
    def fill(facts: Facts) -> None:
        if conflicting:
            _clear(gene, facts)
        facts.absent = {*facts.absent, *names}
        facts.open = facts.open - set(names)
        facts.may = facts.may - set(names)

    return fill


def _clear(gene: str, facts: Facts) -> None:
    prefix = f"{gene}:"
    for attribute in ("present", "absent", "uncertain", "open", "conflicting", "may"):
        setattr(facts, attribute, {name for name in getattr(facts, attribute) if not name.startswith(prefix)})
    facts.sequenced = facts.sequenced - {gene}
    facts.absent_genes = facts.absent_genes - {gene}
    facts.conflicts = facts.conflicts - {f"biomarkers.{gene}"}


# --- histories ---------------------------------------------------------------------------------------------------------------


def _history_cells(facts: Facts, evidence: Evidence, representative: Callable[[str], str | None]) -> list[Cell]:
    if facts.priors:
        return _completed_histories(facts.priors)
    cells = [_history_cell("no prior systemic therapy", ())] if facts.stated_line in (None, 1) else []
    if facts.stated_line == 1:
        return cells
    wanted: list[tuple[tuple[Leaf, str], ...]] = []
    for item in evidence.supports:
        place = _place_of_history(item.plan.requires or ())
        asked = [
            (leaf, place)
            for node in (*(item.plan.requires or ()), *item.plan.unless)
            for leaf in leaves(node)
            if leaf.kind in ("received", "progressed_on", "rechallenge")
        ]
        required = tuple(
            (leaf, place)
            for node in item.plan.requires or ()
            for leaf in leaves(node)
            if leaf.kind in ("received", "progressed_on")
        )
        wanted.extend((need,) for need in asked)
        if len(required) > 1:
            wanted.append(required)
    for item in evidence.negatives:
        for node in item.gaps:
            history = tuple((leaf, "metastatic") for leaf in leaves(node) if leaf.kind in ("received", "progressed_on"))
            wanted.extend((need,) for need in history)
            wanted.extend((history,) if len(history) > 1 else ())
    seen: set[tuple[str, ...]] = set()
    for needs in wanted:
        courses = [_course(leaf, place, facts.as_of, representative) for leaf, place in needs]
        kept = tuple(course for course in courses if course is not None)
        key = tuple(sorted(_course_words(course) for course in kept))
        if len(kept) < len(courses) or key in seen:
            continue
        seen.add(key)
        cells.append(_history_cell(" and ".join(_course_words(course) for course in kept), kept))
    other = PriorTherapy(
        drugs=frozenset({_OTHER_DRUGS[0]}), outcome=Outcome.PROGRESSED, setting=frozenset({"metastatic"})
    )
    cells.append(_history_cell("progression on another therapy", (other,)))
    return cells


def _place_of_history(requires: Iterable[Node]) -> str:
    """Setting in which what came before was given: chemoradiation before consolidation, otherwise metastatic."""
    for node in requires:
        for leaf in leaves(node):
            if leaf.kind == "setting" and leaf.payload == {"consolidation"}:
                return "chemoradiation"
    return "metastatic"


def _course(leaf: Leaf, place: str, as_of: dt.date, representative: Callable[[str], str | None]) -> PriorTherapy | None:
    """A course that satisfies a criterion of the history; None when no drug can stand for its class."""
    need: Given = leaf.payload
    name = need.drugs[0] if need.drugs else representative(need.classes[0])
    if name is None:
        return None
    progressed = leaf.kind != "received"
    setting = min(need.setting) if need.setting else ("metastatic" if progressed else place)
    return PriorTherapy(
        drugs=frozenset({name}),
        outcome=Outcome.PROGRESSED if progressed else Outcome.COMPLETED,
        setting=frozenset({setting}),
        ended=as_of - dt.timedelta(days=30) if need.months is not None else None,
    )


def _course_words(course: PriorTherapy) -> str:
    setting = next(iter(course.setting)) if course.setting else ""
    where = "" if setting == "metastatic" else f" in the {setting} setting"
    drugs = " + ".join(sorted(course.drugs))
    return f"progression on {drugs}{where}" if course.outcome is Outcome.PROGRESSED else f"{drugs} completed{where}"


def _history_cell(text: str, courses: tuple[PriorTherapy, ...]) -> Cell:
    return Cell(
        text,
        {"prior_therapies": [_course_entry(course) for course in courses]},
        _setter("priors", courses, "prior_therapies"),
    )


def _course_entry(course: PriorTherapy) -> dict[str, Any]:
    entry: dict[str, Any] = {"drugs": " + ".join(sorted(course.drugs)), "outcome": course.outcome.value}
    if course.setting is not None:
        entry["setting"] = next(iter(course.setting))
    if course.line is not None:
        entry["line"] = course.line
    if course.ended is not None:
        entry["ended"] = course.ended.isoformat()
    return entry


def _completed_histories(priors: tuple[PriorTherapy, ...]) -> list[Cell]:
    """A documented history that leaves settings or outcomes open: the same courses, given for advanced disease or with curative intent."""
    if any(
        course.unread or not course.drugs or (course.setting is not None and len(course.setting) > 1)
        for course in priors
    ):
        return []
    cells = []
    for text, setting, outcome in (
        (
            "the documented therapies were given for advanced disease and ended with progression",
            "metastatic",
            Outcome.PROGRESSED,
        ),
        ("the documented therapies were adjuvant and ended with progression", "adjuvant", Outcome.PROGRESSED),
        ("the documented therapies were given for advanced disease and are ongoing", "metastatic", Outcome.ONGOING),
    ):
        courses = tuple(
            PriorTherapy(
                drugs=course.drugs,
                outcome=outcome
                if course.outcome in (Outcome.UNKNOWN, Outcome.COMPLETED, Outcome.TOXICITY)
                else course.outcome,
                setting=course.setting or frozenset({setting}),
                line=course.line,
                ended=course.ended,
            )
            for course in priors
        )
        cells.append(_history_cell(text, courses))
    return cells
