"""Module 5: from evaluated assertions to a label and reason codes, by the precedence of docs/semantics.md section 6."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from equipoise.audit.evidence_verifier import Evaluation
from equipoise.audit.policy import Policy
from equipoise.audit.verdict import SATISFIED, UNDETERMINED, VIOLATED, Label
from equipoise.cases.facts import Facts
from equipoise.evidence.base import Selection
from equipoise.evidence.criteria import Leaf, Node, leaves
from equipoise.evidence.model import Coverage, Direction
from equipoise.evidence.regimens import Match

UNSPECIFIC = "regimen-unspecific"
"""Name of the caveat that fires when the recommendation names a group where the source names a drug."""


class Note(NamedTuple):
    """A reason before it is put into words.

    Attributes:
        code: reason code.
        evaluation: the assertion it rests on.
        node: the criterion it rests on.
        facts: further facts for the sentence.
    """

    code: str
    evaluation: Evaluation | None = None
    node: Node | None = None
    facts: tuple[tuple[str, str], ...] = ()


class Evidence(NamedTuple):
    """What modules 2 and 3 found."""

    selection: Selection
    components: frozenset[str] = frozenset()
    supports: tuple[Evaluation, ...] = ()
    negatives: tuple[Evaluation, ...] = ()
    cautions: tuple[Evaluation, ...] = ()


class Decision(NamedTuple):
    """The label and what it rests on.

    Attributes:
        label: one of the four labels.
        notes: reasons, the deciding one first.
        deciding: assertions that decide, best first.
        against: negatives that are satisfied.
        caveats: every caution: satisfied it fires, violated it is clear, undetermined it could not be assessed.
        missing: fields that decide and are not documented.
    """

    label: Label
    notes: tuple[Note, ...]
    deciding: tuple[Evaluation, ...] = ()
    against: tuple[Evaluation, ...] = ()
    caveats: tuple[Evaluation, ...] = ()
    missing: tuple[str, ...] = ()
    unspecific: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the classifier needs besides the evidence.

    Attributes:
        policy: the policy.
        actionable: marker names that a deciding supporting assertion asks for.
        weigh_negatives: False when this module is switched off.
    """

    policy: Policy
    actionable: frozenset[str]
    weigh_negatives: bool = True


def classify(
    evidence: Evidence, facts: Facts, rules: Rules, demanded: tuple[str, ...] = (), *, brief: bool = False
) -> Decision:
    """Apply the precedence table.

    Args:
        evidence: evaluated assertions.
        facts: the case.
        rules: policy and index.
        demanded: fields that the policy demands and the case does not document.
        brief: leave out cautions that do not change the label.
    """
    policy = rules.policy
    caveats = evidence.cautions
    if brief:
        caveats = tuple([item for item in caveats if item.result is not VIOLATED])
    against: tuple[Evaluation, ...] = ()
    if rules.weigh_negatives:
        against = tuple([item for item in evidence.negatives if item.result is SATISFIED])
    satisfied = tuple([item for item in evidence.supports if item.result is SATISFIED])
    if len(satisfied) > 1:
        satisfied = tuple(sorted(satisfied, key=_rank))
    if demanded:
        notes = tuple(Note("input-missing", facts=(("field", name),)) for name in demanded)
        notes += _about_findings(facts, rules, satisfied)
        return Decision(
            label=Label.INSUFFICIENT_INFORMATION,
            notes=notes,
            deciding=satisfied,
            against=against,
            caveats=caveats,
            missing=demanded,
        )
    if against:
        deciding_negatives = tuple(
            item for item in against if _negative_decides(item, policy) and not _answered(item, satisfied)
        )
        open_negatives = tuple(item for item in deciding_negatives if _could_be_undone(item, evidence.supports, policy))
        if len(open_negatives) < len(deciding_negatives):
            held = tuple(item for item in deciding_negatives if item not in open_negatives)
            return _by_negative(held, evidence, against, caveats, facts, rules)
        if open_negatives:
            return _undone_by_a_fact(open_negatives, evidence.supports, against, caveats, facts, policy)
    no_use = evidence.selection.no_use
    if no_use and not satisfied:
        return _no_use(no_use[0], caveats, against)
    if satisfied:
        return _supported(satisfied, against, caveats, facts, rules)
    undetermined = _left_open(evidence.supports, policy)
    if undetermined:
        return _undetermined(undetermined, against, caveats, facts)
    return _none_holds(evidence, against, caveats, facts, rules)


def _left_open(supports: tuple[Evaluation, ...], policy: Policy) -> tuple[Evaluation, ...]:
    """Undetermined assertions that leave the verdict open: those of the policy's level, or all when none of any level is violated."""
    undetermined = tuple([item for item in supports if item.result is UNDETERMINED])
    if not undetermined:
        return ()
    strong = tuple([item for item in undetermined if item.assertion.level <= policy.levels.open])
    return strong if strong or len(undetermined) < len(supports) else undetermined


def _rank(item: Evaluation) -> tuple[str, bool, bool, str]:
    level, unread, identifier = item.plan.rank
    return (level, unread, item.match is not Match.EXACT, identifier)


def _negative_decides(item: Evaluation, policy: Policy) -> bool:
    assertion = item.assertion
    bound = policy.levels.on_target_resistance if assertion.on_target else policy.levels.negative
    return assertion.level <= bound


def _answered(negative: Evaluation, satisfied: tuple[Evaluation, ...]) -> bool:
    return any(negative.assertion.id in item.assertion.overrides for item in satisfied)


def _by_negative(
    deciding: tuple[Evaluation, ...],
    evidence: Evidence,
    against: tuple[Evaluation, ...],
    caveats: tuple[Evaluation, ...],
    facts: Facts,
    rules: Rules,
) -> Decision:
    first = min(deciding, key=lambda item: (item.assertion.level, item.assertion.id))
    code = "resistance" if first.assertion.direction is Direction.RESISTANCE else "contradicted"
    notes = [Note(code, first)]
    if not any(item.result is not VIOLATED for item in evidence.supports):
        notes.extend(_violations(_nearest(evidence.supports)))
    nodes = list(first.plan.requires or ())
    nodes.extend(note.node for note in notes if note.code == "biomarker-absent" and note.node is not None)
    genes = _genes(tuple(nodes))
    notes.extend(_about_findings(facts, rules, (), genes=genes, unsupported=True))
    return Decision(
        label=Label.UNSUPPORTED,
        notes=tuple(notes),
        deciding=(first, *(item for item in deciding if item is not first)),
        against=against,
        caveats=caveats,
    )


def _no_use(row: Coverage, caveats: tuple[Evaluation, ...], against: tuple[Evaluation, ...]) -> Decision:
    known = (("known_for", ", ".join(row.known_for)),) if row.known_for else ()
    note = Note("wrong-context", facts=(("drug", row.drug), ("source", row.source), *known))
    return Decision(label=Label.UNSUPPORTED, notes=(note,), caveats=caveats, against=against)


def _supported(
    satisfied: tuple[Evaluation, ...],
    against: tuple[Evaluation, ...],
    caveats: tuple[Evaluation, ...],
    facts: Facts,
    rules: Rules,
) -> Decision:
    policy = rules.policy
    best = satisfied[0]
    weighed = [item for item in caveats if item.result is not VIOLATED] if rules.weigh_negatives else []
    firing = [item for item in weighed if _fires(item)]
    blocking = [item for item in weighed if _blocks(item)]
    if blocking:
        fields = tuple(dict.fromkeys(leaf.field for item in blocking for node in item.unknown for leaf in leaves(node)))
        return Decision(
            label=Label.INSUFFICIENT_INFORMATION,
            notes=tuple(Note("input-missing", item, facts=(("field", fields[0]),)) for item in blocking),
            deciding=satisfied,
            against=against,
            caveats=caveats,
            missing=fields,
        )
    notes: tuple[Note, ...] = ()
    partial = False
    if best.assertion.level > policy.levels.decide:
        notes += (Note("supported-lower-level", best),)
        partial = True
    elif policy.unverified == "partial" and not best.assertion.verification.verified:
        notes += (Note("entry-unverified", best),)
        partial = True
    else:
        notes += (Note("supported", best),)
    unspecific = best.match is Match.UNSPECIFIC and policy.regimen.unspecific == "caveat"
    if unspecific:
        notes += (Note(UNSPECIFIC, best),)
    notes += tuple([Note("caveat-fires", item) for item in firing])
    notes += _about_findings(facts, rules, satisfied)
    label = Label.PARTIALLY_SUPPORTED if partial or unspecific or firing else Label.SUPPORTED
    return Decision(
        label=label, notes=notes, deciding=satisfied, against=against, caveats=caveats, unspecific=unspecific
    )


def _fires(item: Evaluation) -> bool:
    return item.result is SATISFIED or item.assertion.unknown == "demote"


def _blocks(item: Evaluation) -> bool:
    return item.result is UNDETERMINED and item.assertion.unknown == "insufficient"


def _could_be_undone(negative: Evaluation, supports: tuple[Evaluation, ...], policy: Policy) -> bool:
    """Whether an undocumented fact could lift a negative and leave a supporting assertion at the deciding level."""
    return any(
        item.result is not VIOLATED
        and item.assertion.level <= policy.levels.decide
        and (bool(negative.gaps) or negative.assertion.id in item.assertion.overrides)
        for item in supports
    )


def _undone_by_a_fact(
    negatives: tuple[Evaluation, ...],
    supports: tuple[Evaluation, ...],
    against: tuple[Evaluation, ...],
    caveats: tuple[Evaluation, ...],
    facts: Facts,
    policy: Policy,
) -> Decision:
    """Negatives that hold only as long as an exclusion is not documented: the exclusion is what is missing."""
    lifted = [item for item in supports if all(_could_be_undone(negative, (item,), policy) for negative in negatives)]
    hopeful = sorted(lifted or supports, key=lambda item: (item.result is VIOLATED, len(item.unknown), *_rank(item)))
    best = hopeful[0]
    notes: dict[tuple[str, str], Note] = {}
    fields: dict[str, None] = {}
    for item, nodes in (*((negative, negative.gaps) for negative in negatives), (best, best.unknown)):
        for node in nodes:
            for leaf in _open_leaves(node, facts):
                code = _missing_code(leaf, facts)
                notes.setdefault((code, leaf.field), Note(code, item, leaf, (("field", leaf.field),)))
                fields.update(dict.fromkeys(fields_of(leaf, facts)))
    return Decision(
        label=Label.INSUFFICIENT_INFORMATION,
        notes=tuple(notes.values()),
        deciding=tuple(item for item in hopeful if item.result is not VIOLATED),
        against=against,
        caveats=caveats,
        missing=tuple(fields),
    )


def _undetermined(
    undetermined: tuple[Evaluation, ...],
    against: tuple[Evaluation, ...],
    caveats: tuple[Evaluation, ...],
    facts: Facts,
) -> Decision:
    nearest = undetermined
    if len(nearest) > 1:
        nearest = tuple(sorted(undetermined, key=lambda item: (len(item.unknown), *_rank(item))))
    notes: dict[tuple[str, str], Note] = {}
    for node in nearest[0].unknown:
        for leaf in _open_leaves(node, facts):
            code = _missing_code(leaf, facts)
            notes.setdefault((code, leaf.field), Note(code, nearest[0], leaf, (("field", leaf.field),)))
    fields = _fields(nearest[0].unknown, facts)
    return Decision(
        label=Label.INSUFFICIENT_INFORMATION,
        notes=tuple(notes.values()),
        deciding=nearest,
        against=against,
        caveats=caveats,
        missing=fields,
    )


def _open_leaves(node: Node, facts: Facts) -> list[Leaf]:
    return [leaf for leaf in leaves(node) if leaf.state(facts) == 0]


def _fields(nodes: tuple[Node, ...], facts: Facts) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for node in nodes:
        for leaf in _open_leaves(node, facts):
            for name in fields_of(leaf, facts):
                found[name] = None
    return tuple(found)


def fields_of(leaf: Leaf, facts: Facts) -> tuple[str, ...]:
    """Fields of the Case that leave a leaf undecided: for biomarkers one a gene."""
    if leaf.fields:
        return leaf.fields
    genes = sorted({name.partition(":")[0] for name in leaf.payload if facts.marker(name) == 0})
    return tuple(f"biomarkers.{gene}" for gene in genes) or (leaf.field,)


def _missing_code(leaf: Leaf, facts: Facts) -> str:
    if facts.conflicts and not facts.conflicts.isdisjoint(fields_of(leaf, facts)):
        return "input-conflicting"
    return (
        "biomarker-not-tested"
        if leaf.kind in ("biomarker", "biomarker_absent", "pdl1", "tmb", "msi")
        else "input-missing"
    )


_VIOLATION_CODES = {
    "biomarker": "biomarker-absent",
    "biomarker_absent": "exclusion-met",
    "setting": "supported-other-setting",
    "line": "supported-other-line",
    "received": "prior-therapy-mismatch",
    "progressed_on": "prior-therapy-mismatch",
    "rechallenge": "progressed-on-drug",
    "histology": "histology-mismatch",
    "stage": "stage-mismatch",
    "pdl1": "pdl1-mismatch",
    "tmb": "biomarker-absent",
    "msi": "biomarker-absent",
    "ecog": "performance-status-mismatch",
    "age": "exclusion-met",
    "condition": "exclusion-met",
    "qtc": "exclusion-met",
    "brain_mets": "exclusion-met",
}
"""What a violated criterion is called, by its kind."""


def _none_holds(
    evidence: Evidence, against: tuple[Evaluation, ...], caveats: tuple[Evaluation, ...], facts: Facts, rules: Rules
) -> Decision:
    selection = evidence.selection
    policy = rules.policy

    def fallback(code: str, **extra: str) -> Decision:
        return Decision(
            label=policy.label_of(code),
            notes=(Note(code, facts=tuple(extra.items())),),
            against=against,
            caveats=caveats,
            deciding=_nearest(evidence.supports),
        )

    if any(item.result is VIOLATED for item in evidence.supports) and not selection.uncovered:
        return _violated(evidence, against, caveats, facts, rules)
    if selection.unlisted and not evidence.supports:
        return fallback("knowledge-silent", drug=" + ".join(selection.unlisted))
    if not evidence.supports and selection.expired and not selection.uncovered:
        last = max(selection.expired, key=lambda item: (item.valid_to or item.valid_from, item.id))
        note = Note(
            "withdrawn",
            facts=(
                ("indication", last.statement.rstrip(".")),
                ("date", str(last.valid_to)),
                ("source", last.source_text),
            ),
        )
        return Decision(label=Label.UNSUPPORTED, notes=(note,), against=against, caveats=caveats)
    if selection.uncovered:
        return fallback("knowledge-silent", drug=" + ".join(selection.uncovered))
    if len(evidence.components) > 1 and not selection.future and not against:
        return fallback("combination-unknown", regimen=" + ".join(sorted(evidence.components)))
    if against and not evidence.supports:
        first = min(against, key=lambda item: (item.assertion.level, item.assertion.id))
        return Decision(label=Label.UNSUPPORTED, notes=(Note("contradicted", first),), against=against, caveats=caveats)
    if selection.future:
        first_day = min(item.valid_from for item in selection.future)
        note = Note(
            "no-listed-use",
            facts=(("finding", f"the first assertion on file for this regimen holds from {first_day}"),),
        )
        return Decision(label=Label.UNSUPPORTED, notes=(note,), against=against, caveats=caveats)
    return Decision(label=Label.UNSUPPORTED, notes=(Note("no-listed-use"),), against=against, caveats=caveats)


def _nearest(supports: tuple[Evaluation, ...]) -> tuple[Evaluation, ...]:
    violated = [item for item in supports if item.result is VIOLATED]
    if not violated:
        return ()
    fewest = min([(len(item.violated), len(item.unknown)) for item in violated])
    nearest = [item for item in violated if (len(item.violated), len(item.unknown)) == fewest]
    if len(nearest) > 1:
        nearest.sort(key=_rank)
    return tuple(nearest)


def _violated(
    evidence: Evidence, against: tuple[Evaluation, ...], caveats: tuple[Evaluation, ...], facts: Facts, rules: Rules
) -> Decision:
    nearest = _nearest(evidence.supports)
    notes = _violations(nearest)
    failed = tuple(note.node for note in notes if note.code == "biomarker-absent" and note.node is not None)
    about = _about_findings(facts, rules, (), genes=_genes(failed), unsupported=bool(failed))
    if not notes:
        notes = (Note("no-listed-use"),)
    return Decision(label=Label.UNSUPPORTED, notes=(*notes, *about), deciding=nearest, against=against, caveats=caveats)


def _violations(nearest: tuple[Evaluation, ...]) -> tuple[Note, ...]:
    notes: dict[str, Note] = {}
    for item in nearest:
        for role, node in item.violated:
            code = _violation_code(role, node)
            if code not in notes:
                notes[code] = Note(code, item, node)
    return tuple(notes.values())


def _violation_code(role: str, node: Node) -> str:
    kind = leaves(node)[0].kind
    if role == "unless":
        return "progressed-on-drug" if kind in ("progressed_on", "rechallenge") else "exclusion-met"
    return _VIOLATION_CODES[kind]


def _genes(nodes: tuple[Node, ...]) -> frozenset[str]:
    return frozenset(
        name.partition(":")[0]
        for node in nodes
        for leaf in leaves(node)
        if leaf.kind in ("biomarker", "biomarker_absent")
        for name in leaf.payload
    )


_GENERAL = (":any_mutation", ":mutation", ":missense")
"""Ends of marker names that say no more than that a gene is altered: no reported variant is listed by them."""


_CHANGE = re.compile(r":[A-Z]\d+[A-WYZ]$")
"""A marker name that is a change of one residue, and not a class of changes."""


def _about_findings(
    facts: Facts,
    rules: Rules,
    satisfied: tuple[Evaluation, ...],
    *,
    genes: frozenset[str] = frozenset(),
    unsupported: bool = False,
) -> tuple[Note, ...]:
    """Reasons that speak of the reported alterations: uncertain ones, and those for which nothing is listed.

    Under `reported: same-gene` only variants of the genes whose criterion failed are spoken of; under `any` every reported variant is.
    """
    every = rules.policy.biomarkers.reported == "any"
    if not every and not unsupported:
        return ()
    specific = {name for name in facts.reported() if not name.endswith(_GENERAL)}
    if any(item.plan.targeted for item in satisfied) or not rules.actionable.isdisjoint(specific):
        return ()
    found: list[Note] = []
    uncertain = sorted(name for name in facts.uncertain if every or name.partition(":")[0] in genes)
    if uncertain:
        found.append(Note("variant-uncertain", facts=(("variant", uncertain[0]),)))
    altered = sorted(
        (name for name in facts.present if not name.endswith(_GENERAL) and (every or name.partition(":")[0] in genes)),
        key=lambda name: (_CHANGE.search(name) is None, name),
    )
    if unsupported and altered:
        found.append(Note("variant-not-actionable", facts=(("variant", altered[0]),)))
    return tuple(found)
