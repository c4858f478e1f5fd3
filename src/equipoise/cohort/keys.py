"""The part of a patient that can decide about one option, so that equal patients are audited once.

A key holds the facts that some assertion about the option reads, and nothing else. Two patients with one key get one outcome; a test holds
remembered outcomes against audits of their own. A policy that looks at all findings gets a key of all facts.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable
from dataclasses import dataclass

from equipoise.audit.pipeline import Auditor
from equipoise.cases.facts import Facts
from equipoise.cases.model import Case, PriorTherapy
from equipoise.cases.vocabulary.biomarkers import marker
from equipoise.cases.vocabulary.setting import settings_of_stage
from equipoise.evidence.criteria import Leaf, leaves

_DISTANT = frozenset({"metastatic"})
_NUMBERS = {"tmb": "tmb", "age": "age", "qtc_ms": "qtc"}
"""Numeric fields of which only the answers count, and their names in the facts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """What the assertions about one option read.

    Attributes:
        fields: fields of the Case.
        genes: genes of which findings are read; None for all.
        leaves: criteria that read a number, by field.
    """

    fields: frozenset[str]
    genes: frozenset[str] | None
    leaves: dict[str, tuple[Leaf, ...]]


def reads_of(auditor: Auditor, components: frozenset[str], day: dt.date) -> Reads:
    """What decides about a regimen under an auditor's policy.

    Args:
        auditor: policy, evidence, jurisdiction.
        components: the regimen.
        day: day for which the evidence is read.
    """
    selection = auditor.evidence.select(components, auditor.jurisdiction, day)
    assertions = (*(item for item, _ in selection.supports), *selection.negatives, *selection.cautions)
    fields: set[str] = set()
    numbers: dict[str, dict[int, Leaf]] = {name: {} for name in _NUMBERS}
    genes: set[str] = set()
    for assertion in assertions:
        plan = auditor.plan(assertion)
        fields |= plan.reads
        for node in (*(plan.requires or ()), *plan.unless):
            for leaf in leaves(node):
                if leaf.field in numbers:
                    numbers[leaf.field][leaf.number] = leaf
                if leaf.kind in ("biomarker", "biomarker_absent"):
                    for name in leaf.payload:
                        info = marker(name)
                        genes.update(one.partition(":")[0] for one in (name, *(info.classes if info else ())))
    policy = auditor.policy
    whole = bool(policy.demands) or policy.biomarkers.untargeted != "concordant" or policy.biomarkers.reported == "any"
    return Reads(
        fields=frozenset(fields | set(policy.demands)),
        genes=None if whole else frozenset(genes),
        leaves={name: tuple(found.values()) for name, found in numbers.items()},
    )


def key_of(case: Case, facts: Facts, reads: Reads) -> Hashable:
    """The key of a patient for one option.

    Args:
        case: the case.
        facts: its facts on the day.
        reads: what the option reads.
    """
    fields, genes = reads.fields, reads.genes
    whole = genes is None
    stage: Hashable = facts.stage
    if not whole and "stage" not in fields:
        stage = facts.stage is not None and settings_of_stage(facts.stage) == _DISTANT
    return (
        case.tumor.status,
        case.tumor.value,
        facts.setting,
        any(source.field != "stage" for source in case.setting.sources),
        stage,
        facts.histology if whole or "histology" in fields else None,
        facts.ecog if whole or "ecog" in fields else None,
        facts.brain if whole or "brain_mets" in fields else None,
        (facts.tps, facts.tc, facts.ic) if whole or "pdl1" in fields else None,
        facts.msi if whole or "msi" in fields else None,
        tuple(_number(name, facts, reads) for name in _NUMBERS) if not whole else (facts.tmb, facts.age, facts.qtc),
        None if facts.priors is None else frozenset(map(_course, facts.priors)),
        _lines_without_drugs(facts),
        frozenset(
            (name, state)
            for name, state in facts.conditions.items()
            if whole or f"comorbidities.{name}" in fields or f"comedications.{name}" in fields
        ),
        facts.complete,
        frozenset(
            name
            for name in facts.conflicts
            if whole or name in fields or name in ("tumor", "setting", "stage", "prior_therapies")
        ),
        tuple(
            _of_genes(names, genes)
            for names in (
                facts.present, facts.uncertain, facts.absent, facts.open, facts.conflicting, facts.may, facts.sequenced, facts.absent_genes,
            )
        ),
        bool(case.unsupported_language),
    )  # fmt: skip


def _number(name: str, facts: Facts, reads: Reads) -> Hashable:
    if name not in reads.fields or getattr(facts, _NUMBERS[name]) is None:
        return None
    return tuple(leaf.state(facts) for leaf in reads.leaves[name])


_MOST_LINES = 4
"""Lines without drugs beyond these make no difference: no history that a source asks for has more courses."""


def _lines_without_drugs(facts: Facts) -> int:
    """How many lines are known by their number alone; what they may have been depends on it."""
    lines = facts.priors or ()
    return 0 if any(line.drugs for line in lines) else min(len(lines), _MOST_LINES)


def _course(course: PriorTherapy) -> Hashable:
    """A course without its number and its words: whether it is a line counts, which one does not."""
    return (course.drugs, bool(course.unread), course.outcome, course.setting, course.line is not None, course.ended)


def _of_genes(names: set[str], genes: frozenset[str] | None) -> frozenset[str]:
    if genes is None:
        return frozenset(names)
    return frozenset(name for name in names if name.partition(":")[0] in genes)
