"""Module 4: what is missing, and what it would change.

`demanded` names the fields that the policy asks for in every case. `what_if` finds the smallest sets of undocumented fields (up to
three) that decide, and gives the verdict in each cell that the criteria cut.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.audit.cells import Cell, cells_of
from equipoise.audit.policy import Policy
from equipoise.audit.safety_classifier import Decision, Evidence, fields_of
from equipoise.audit.verdict import UNDETERMINED, Label, WhatIf
from equipoise.cases.facts import Facts
from equipoise.cases.model import Case, Documented, FindingStatus, Status
from equipoise.evidence.criteria import READS, leaves

MAX_FIELDS = 3
"""Most fields that one what-if set fills in."""

MAX_SETS = 3
"""Most sets shown."""

MAX_CELLS = 48
"""Sets that cut a case into more cells are not shown."""

_DOCUMENTED = (FindingStatus.PRESENT, FindingStatus.ABSENT, FindingStatus.UNCERTAIN)


def demanded(case: Case, facts: Facts, policy: Policy) -> tuple[str, ...]:
    """Fields that the policy demands and the case does not document, in the policy's order."""
    if not policy.demands:
        return ()
    return tuple(name for name in policy.demands if not _documented(name, case, facts))


def _documented(name: str, case: Case, facts: Facts) -> bool:
    """Whether the record says anything usable of a field; what it says twice and differently is documented, and conflicts."""
    if name == "biomarkers":
        if any(finding.status in _DOCUMENTED for finding in case.findings) or case.biomarkers_complete:
            return True
        scores = (case.pdl1.tps, case.pdl1.tc, case.pdl1.ic, case.tmb, case.msi)
        return any(score.status is not Status.UNKNOWN for score in scores)
    if name == "pdl1":
        return any(score.status is not Status.UNKNOWN for score in (case.pdl1.tps, case.pdl1.tc, case.pdl1.ic))
    if name == "setting":
        return facts.setting is not None or "setting" in facts.conflicts
    if name == "prior_therapies" and facts.priors is not None:
        return True
    state: Documented[Any] = getattr(case, name)
    return state.status is not Status.UNKNOWN


@dataclass(frozen=True, slots=True)
class Options:
    """What the what-if table works with.

    Attributes:
        decide: the decision for other facts, and the fields in which they differ.
        representative: a drug that stands for a class in an invented history.
    """

    decide: Callable[[Facts, frozenset[str]], Decision]
    representative: Callable[[str], str | None]


def what_if(
    case: Case, facts: Facts, evidence: Evidence, decision: Decision, options: Options
) -> tuple[tuple[WhatIf, ...], tuple[str, ...]]:
    """The smallest sets of undocumented fields that decide, cell by cell.

    Args:
        case: the case.
        facts: its facts.
        evidence: evaluated assertions.
        decision: the decision, Insufficient Information.
        options: how to decide other facts.

    Returns:
        The cells, set by set, and the fields of those sets (what is missing). Sets that decide in every cell come before all others;
        when there is none, one that decides in some cells is shown: what the nearest assertion lacks, where that decides at all.
        Both are empty when no set of up to three fields decides in any cell.
    """
    made: dict[str, tuple[Cell, ...]] = {}
    whole: list[list[WhatIf]] = []
    partly: list[tuple[float, list[WhatIf]]] = []
    nearest = frozenset(decision.missing)
    for fields in _candidate_sets(evidence, facts, decision):
        if whole and len(fields) > len(whole[0][0].fields):
            break
        rows = _rows(fields, case, facts, evidence, options, made)
        decided = sum(row.label is not Label.INSUFFICIENT_INFORMATION for row in rows)
        if rows and decided == len(rows):
            whole.append(rows)
            if len(whole) == MAX_SETS:
                break
        elif decided:
            partly.append((2.0 if frozenset(fields) == nearest else decided / len(rows), rows))
    shown = whole or ([max(partly, key=lambda item: item[0])[1]] if partly else [])
    cells = tuple(row for rows in shown for row in rows)
    return cells, tuple(dict.fromkeys(name for row in cells for name in row.fields))


def _candidate_sets(evidence: Evidence, facts: Facts, decision: Decision) -> Iterator[tuple[str, ...]]:
    """Field sets that can decide, smallest first: what each undetermined assertion lacks, and unions of two."""
    sets: dict[frozenset[str], tuple[str, ...]] = {}
    if decision.missing:
        sets[frozenset(decision.missing)] = decision.missing
    for item in evidence.supports:
        if item.result is not UNDETERMINED:
            continue
        names: dict[str, None] = {}
        for node in item.unknown:
            for leaf in leaves(node):
                if leaf.state(facts) == 0:
                    names.update(dict.fromkeys(fields_of(leaf, facts)))
        sets.setdefault(frozenset(names), tuple(names))
    singles = list(sets.values())
    for one, two in itertools.combinations(singles, 2):
        union = tuple(dict.fromkeys((*one, *two)))
        sets.setdefault(frozenset(union), union)
    yield from sorted((names for names in sets.values() if 0 < len(names) <= MAX_FIELDS), key=len)


def _rows(
    fields: tuple[str, ...],
    case: Case,
    facts: Facts,
    evidence: Evidence,
    options: Options,
    made: dict[str, tuple[Cell, ...]],
) -> list[WhatIf]:
    columns: list[Sequence[Cell]] = []
    size = 1
    for name in fields:
        cells = made.get(name)
        if cells is None:
            cells = made[name] = cells_of(name, case, facts, evidence, options.representative)
        size *= len(cells)
        if not cells or size > MAX_CELLS:
            return []
        columns.append(cells)
    rows: list[WhatIf] = []
    changed = frozenset(fields) | ({"setting"} if "stage" in fields else frozenset())
    kept = {number: answer for number, answer in facts.answers.items() if READS[number].isdisjoint(changed)}
    markers = facts.remembered_markers(changed)
    for combination in itertools.product(*columns):
        filled = facts.copy()
        filled.answers = kept.copy()
        filled.markers = markers.copy()
        patch: dict[str, Any] = {}
        for cell in sorted(combination, key=_stage_first):
            cell.fill(filled)
            patch.update(cell.patch)
        decision = options.decide(filled, changed)
        codes = tuple(dict.fromkeys(note.code for note in decision.notes))
        rows.append(
            WhatIf(
                fields,
                {name: cell.text for name, cell in zip(fields, combination, strict=True)},
                patch,
                decision.label,
                codes,
            )
        )
    return rows


def _stage_first(cell: Cell) -> bool:
    """A stage says something of the setting, and a stated setting wins over it."""
    return "stage" not in cell.patch
