"""Module 7: the decision in words, with its evidence, criteria, caveats, gaps and sources."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Iterable
from typing import Any

from equipoise.audit import wording
from equipoise.audit.evidence_verifier import LISTED_DRUG, Evaluation
from equipoise.audit.safety_classifier import Decision, Evidence, Note, fields_of
from equipoise.audit.verdict import (
    SATISFIED,
    UNDETERMINED,
    VIOLATED,
    Caveat,
    CaveatState,
    CriterionResult,
    EvidenceUse,
    Gap,
    Label,
    Reason,
    Span,
    WhatIf,
)
from equipoise.cases.facts import FALSE, TRUE, Facts
from equipoise.cases.model import UNKNOWN, Case, Documented, Recommendation, Source, Status
from equipoise.cases.vocabulary.biomarkers import marker
from equipoise.evidence.criteria import Leaf, Node, leaves
from equipoise.evidence.documented import found
from equipoise.evidence.model import Direction

MAX_EVIDENCE = 6
"""Most assertions shown on each side; the deciding ones come first."""


_REPEATED = frozenset({"caveat-fires", "input-missing", "biomarker-not-tested", "citation-mismatch"})
"""Codes that may stand more than once, each time about something else."""


def reasons(
    decision: Decision, facts: Facts, regimen: str, *, jurisdiction: str, as_of: dt.date, tumor: str
) -> tuple[Reason, ...]:
    """The reasons in sentences, each code once, the deciding one first."""
    said: dict[str, Reason] = {}
    for note in decision.notes:
        if note.code not in said or note.code in _REPEATED:
            key = note.code if note.code not in said else f"{note.code}/{len(said)}"
            said[key] = Reason(
                note.code,
                wording.reason_sentence(note.code, **_facts(note, facts, regimen, jurisdiction, as_of, tumor)),
            )
    return tuple(said.values())


def codes(decision: Decision) -> tuple[str, ...]:
    """The codes of `reasons`, in its order."""
    found: list[str] = []
    for note in decision.notes:
        if note.code not in found or note.code in _REPEATED:
            found.append(note.code)
    return tuple(found)


def _facts(note: Note, facts: Facts, regimen: str, jurisdiction: str, as_of: dt.date, tumor: str) -> dict[str, str]:
    known: dict[str, str] = {
        "regimen": regimen,
        "jurisdiction": jurisdiction,
        "date": as_of.isoformat(),
        "tumor": tumor,
    }
    if note.evaluation is not None:
        assertion = note.evaluation.assertion
        known["source"] = assertion.source_text
        known["level"] = assertion.level
        known["statement"] = assertion.statement
        if note.code in ("contradicted", "caveat-fires"):
            known["finding"] = assertion.statement.rstrip(".")
        if note.code == "resistance":
            known["variant"] = _first_present(note.evaluation, facts)
            known["drug"] = assertion.regimen_text
    if note.node is not None:
        leaf = leaves(note.node)[0]
        known["required"] = note.node.required
        known["value"] = found(leaf, facts)
        if leaf.kind == "biomarker":
            names = sorted(leaf.payload)
            known["marker"] = names[0] if len(names) == 1 else " or ".join(wording.marker_words(name) for name in names)
            if not any(name in facts.absent for name in names):
                known["derived"] = "yes"
            if note.code == "biomarker-absent":
                known["date"] = ""
                known["finding"] = _not_reported(known["marker"], leaf.payload, facts)
        if note.code == "exclusion-met":
            asked = note.evaluation is not None and note.node in (note.evaluation.plan.requires or ())
            known["finding"] = (
                f"{known['value']}; the source requires {note.node.required}" if asked else note.node.required
            )
    known.update(note.facts)
    if known.get("field") == "prior_therapies":
        known["field"] = _field("prior_therapies", facts)
    return known


def _field(name: str, facts: Facts) -> str:
    """A missing field as it is asked for: of therapies that are named, only when and how they ended is missing."""
    return "prior_therapies.course" if name == "prior_therapies" and facts.priors else name


def _not_reported(words: str, names: frozenset[str], facts: Facts) -> str:
    """How a marker is absent of which no result speaks, in words; empty when a result of its gene does."""
    if not names:
        return "the reported alteration has a listed drug, and this regimen is not one of those"
    genes = {name.partition(":")[0] for name in names}
    tested = facts.sequenced | facts.absent_genes | {name.partition(":")[0] for name in facts.absent}
    if not genes.isdisjoint(tested):
        return ""
    if facts.complete:
        return f"{wording.marker_words(words)} is not among the findings of a panel that is documented as complete"
    return f"{wording.marker_words(words)} is not among the documented findings, which counts as absent here"


def _first_present(item: Evaluation, facts: Facts) -> str:
    for node in item.plan.requires or ():
        for leaf in leaves(node):
            if leaf.kind == "biomarker":
                for name in sorted(leaf.payload):
                    if facts.marker(name) == TRUE:
                        return str(name)
    return ""


def headline(decision: Decision, facts: Facts, regimen: str, as_of: dt.date, cells: tuple[WhatIf, ...]) -> str:
    """The fixed sentence of the label."""
    date = as_of.isoformat()
    first = decision.notes[0]
    if decision.label is Label.PARTIALLY_SUPPORTED:
        points = [_point(note) for note in decision.notes if note.code not in _NO_POINT]
        return wording.headline(decision.label, regimen=regimen, date=date, caveats=points)
    if decision.label is Label.UNSUPPORTED:
        if first.code in ("resistance", "contradicted") and first.evaluation is not None:
            finding = first.evaluation.assertion.statement.rstrip(".")
            return wording.headline(
                decision.label,
                regimen=regimen,
                date=date,
                finding=finding,
                source=first.evaluation.assertion.sources[0].title,
                contradicted=True,
            )
        if first.node is LISTED_DRUG:
            return wording.headline(
                decision.label, regimen=regimen, date=date, finding=_not_reported("", frozenset(), facts)
            )
        if first.node is not None:
            leaf = leaves(first.node)[0]
            criterion = wording.field_words(leaf.field)
            return wording.headline(
                decision.label,
                regimen=regimen,
                date=date,
                criterion=criterion,
                value=wording.readable(found(leaf, facts)),
                required=wording.readable(first.node.required),
            )
        said = wording.fragment(first.code, **dict(first.facts)) if first.facts else ""
        return wording.headline(decision.label, regimen=regimen, date=date, finding=said)
    if decision.label is Label.INSUFFICIENT_INFORMATION:
        if decision.missing:
            shown = [
                (", ".join(cell.value.values()), str(cell.label)) for cell in cells if cell.fields == cells[0].fields
            ]
            return wording.headline(
                decision.label,
                regimen=regimen,
                date=date,
                field=" and ".join(wording.field_words(_field(name, facts)) for name in decision.missing[:2]),
                cells=shown,
            )
        said = wording.fragment(first.code, **dict(first.facts))
        return wording.headline(decision.label, regimen=regimen, date=date, finding=said)
    return wording.headline(decision.label, regimen=regimen, date=date)


_NO_POINT = frozenset({"supported", "level-overstated", "citation-mismatch", "instruction-in-input"})
"""Reasons that do not make a verdict partial."""


def _point(note: Note) -> str:
    if note.code == "caveat-fires" and note.evaluation is not None:
        return note.evaluation.assertion.name
    return {
        "supported-lower-level": "the level of the source",
        "entry-unverified": "an entry nobody has checked",
        "regimen-unspecific": "the partner drug is not named",
    }.get(note.code, note.code.replace("-", " "))


def evidence_uses(items: Iterable[Evaluation], facts: Facts) -> tuple[EvidenceUse, ...]:
    """Assertions as they were used, with their criteria one by one."""
    uses: list[EvidenceUse] = []
    known: dict[int, CriterionResult] = {}
    for item in items:
        if len(uses) == MAX_EVIDENCE:
            break
        assertion = item.plan.assertion
        uses.append(
            EvidenceUse(
                assertion.id,
                assertion.statement,
                _DIRECTIONS[assertion.direction],
                assertion.level,
                item.result,
                assertion.source_text,
                assertion.verification.verified,
                _criteria(item, facts, known),
            )
        )
    return tuple(uses)


_STATES = {TRUE: SATISFIED, FALSE: VIOLATED, 0: UNDETERMINED}
_DIRECTIONS = {direction: direction.value for direction in Direction}


def _criteria(item: Evaluation, facts: Facts, known: dict[int, CriterionResult]) -> tuple[CriterionResult, ...]:
    """The criteria of an assertion one by one.

    What several assertions share is put into words once: `known` holds it by the criterion's number, and by the complement of the
    number for an exclusion, which reads the same answer the other way round.
    """
    plan = item.plan
    rows: list[CriterionResult] = []
    for node in plan.requires or ():
        row = known.get(node.number)
        if row is None:
            row = known[node.number] = _criterion("requires", node, facts)
        rows.append(row)
    for node in plan.unless:
        row = known.get(~node.number)
        if row is None:
            row = known[~node.number] = _criterion("unless", node, facts)
        rows.append(row)
    if item.violated and item.violated[-1][1] is LISTED_DRUG:
        names = facts.reported()
        wider = frozenset().union(*(info.classes for name in names if (info := marker(name)) is not None))
        reported = ", ".join(sorted(names - wider))
        rows.append(CriterionResult("requires", LISTED_DRUG.field, LISTED_DRUG.required, reported, VIOLATED))
    return tuple(rows)


def _joint(node: Node, facts: Facts) -> str:
    """What the case documents for the leaves of a group, each thing once."""
    words = facts.words.get(node.number)
    if words is None:
        words = facts.words[node.number] = "; ".join(dict.fromkeys([found(leaf, facts) for leaf in leaves(node)]))
    return words


def _criterion(role: str, node: Node, facts: Facts) -> CriterionResult:
    state = node.state(facts)
    words = found(node, facts) if isinstance(node, Leaf) else _joint(node, facts)
    return CriterionResult(role, node.field, node.required, words, _STATES[state if role == "requires" else -state])


_CLEAR = CaveatState.CLEAR


def caveats(decision: Decision, facts: Facts) -> tuple[Caveat, ...]:
    """Every caution, stated one of three ways; firing ones first."""
    firing: list[Caveat] = []
    open_: list[Caveat] = []
    clear: list[Caveat] = []
    for item in decision.caveats:
        result = item.result
        assertion = item.plan.assertion
        if result is VIOLATED:
            clear.append(Caveat(assertion.id, assertion.name, _CLEAR, assertion.statement, assertion.source_text))
        elif result is SATISFIED:
            firing.append(
                Caveat(assertion.id, assertion.name, CaveatState.FIRES, assertion.statement, assertion.source_text)
            )
        else:
            field = _open_field(item.unknown, facts)
            open_.append(
                Caveat(
                    assertion.id,
                    assertion.name,
                    CaveatState.NOT_ASSESSED,
                    assertion.statement,
                    assertion.source_text,
                    field,
                )
            )
    rows = [*sorted(firing), *sorted(open_), *sorted(clear)]  # by id, which is unique
    if decision.unspecific:
        best = decision.deciding[0].assertion
        text = f"the recommendation names a group; the source is about {best.regimen_text}"
        rows.insert(
            0,
            Caveat(id=best.id, name="regimen-unspecific", state=CaveatState.FIRES, text=text, source=best.source_text),
        )
    return tuple(rows)


def _open_field(nodes: tuple[Node, ...], facts: Facts) -> str:
    for node in nodes:
        for leaf in leaves(node):
            if leaf.state(facts) == 0:
                return fields_of(leaf, facts)[0]
    return ""


def context_gaps(evidence: Evidence, decision: Decision, facts: Facts) -> tuple[Gap, ...]:
    """Undocumented things that did not change the label: exclusions, negatives and cautions that could not be assessed."""
    asked: dict[str, dict[str, None]] = {}
    nodes = [node for item in decision.deciding for node in item.gaps]
    for items in (evidence.negatives, decision.caveats):
        for item in items:
            if item.result is UNDETERMINED:
                nodes.extend(item.unknown)
    seen: set[int] = set()
    for node in nodes:
        if node.number in seen:
            continue
        seen.add(node.number)
        for leaf in leaves(node):
            if leaf.state(facts) == 0:
                for name in leaf.fields or fields_of(leaf, facts):
                    texts = asked.get(name)
                    if texts is None:
                        asked[name] = {leaf.required: None}
                    else:
                        texts[leaf.required] = None
    for name in decision.missing:
        asked.pop(name, None)
    return tuple(
        [
            Gap(name, f"not documented; sources on file speak of: {'; '.join(list(asked[name])[:6])}")
            for name in sorted(asked)
        ]
    )


_UNKNOWN, _VALUE, _ABSENT = Status.UNKNOWN, Status.VALUE, Status.ABSENT


def spans(case: Case, recommendation: Recommendation | None) -> tuple[Span, ...]:
    """Where each documented value was read, in the order of the Case."""
    rows: list[Span] = []
    make = tuple.__new__  # a case has twenty spans; the named form of the call takes more than twice as long
    pdl1 = case.pdl1
    for name, field in (
        ("age", case.age), ("sex", case.sex), ("ecog", case.ecog), ("tumor", case.tumor), ("histology", case.histology),
        ("stage", case.stage), ("setting", case.setting), ("brain_mets", case.brain_mets), ("tmb", case.tmb), ("msi", case.msi),
        ("qtc_ms", case.qtc_ms), ("pdl1.tps", pdl1.tps), ("pdl1.tc", pdl1.tc), ("pdl1.ic", pdl1.ic),
    ):  # fmt: skip
        if field is not UNKNOWN and field.status is not _UNKNOWN:
            words = _words(field)
            for path, text, start, end in field.sources or (Source(name),):
                rows.append(make(Span, (name, words, path, text, start, end)))
    for finding in case.findings:
        path, text, start, end = finding.source
        rows.append(make(Span, ("biomarkers", f"{finding.name} {finding.status}", path, text, start, end)))
    if case.prior_therapies.value:
        for prior in case.prior_therapies.value:
            words = f"{_joined(prior.drugs) or 'not recognised'}, {prior.outcome}"
            rows.append(Span("prior_therapies", words, *prior.source))
    elif case.prior_therapies.status is not _UNKNOWN:
        _add(rows, "prior_therapies", case.prior_therapies)
    for name, state in case.conditions.items():
        if state.status is not _UNKNOWN:
            _add(rows, name, state)
    if recommendation is not None:
        rows.append(Span("recommendations", _joined(recommendation.components), *recommendation.source))
    return tuple(rows)


def _add(rows: list[Span], name: str, field: Documented[Any]) -> None:
    value = _words(field)
    for source in field.sources or (Source(name),):
        rows.append(Span(name, value, *source))


def _words(field: Documented[Any]) -> str:
    value, status = field.value, field.status
    if status is _VALUE:
        if type(value) is frozenset:
            return _alternatives(value)
        if type(value) is str:
            return value
    elif status is _ABSENT:
        return "absent"
    elif status is Status.CONFLICTING:
        return "conflicting"
    return "present" if value is True else str(value)


@functools.lru_cache(maxsize=4096)
def _joined(names: frozenset[str]) -> str:
    return " + ".join(sorted(names))


@functools.lru_cache(maxsize=4096)
def _alternatives(values: frozenset[Any]) -> str:
    return " or ".join([str(item) for item in sorted(values)])
