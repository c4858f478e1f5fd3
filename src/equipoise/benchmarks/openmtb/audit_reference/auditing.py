"""Every published label held against the sources."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from equipoise.audit.case_parser import read_facts
from equipoise.audit.evidence_verifier import Evaluation, evaluate
from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import Label, Result, Verdict
from equipoise.benchmarks.openmtb.audit_reference.findings import APPROVING, FINDINGS, Seen
from equipoise.benchmarks.openmtb.audit_reference.rows import Cited, ReferenceAudit, ReferenceRow
from equipoise.benchmarks.openmtb.dataset import BenchmarkCase, dataset_hash
from equipoise.benchmarks.openmtb.run import AS_OF
from equipoise.cases.facts import Facts
from equipoise.cases.formats import case_from_object
from equipoise.errors import CaseError
from equipoise.evidence.criteria import Leaf
from equipoise.evidence.documented import found
from equipoise.evidence.model import Assertion


def audit_reference(
    cases: Iterable[BenchmarkCase], *, as_of: dt.date = AS_OF, policy: str = "label", auditor: Auditor | None = None
) -> ReferenceAudit:
    """Hold every published label against the sources.

    Args:
        cases: the published cases.
        as_of: day for which the evidence is read.
        policy: policy under which the labels are held against the sources.
        auditor: one that is ready; `as_of` and `policy` are then not read.
    """
    kept = tuple(cases)
    judge = auditor if auditor is not None else Auditor(as_of=as_of, policy=policy)
    rows: list[ReferenceRow] = []
    unreadable: dict[str, str] = {}
    for case in kept:
        try:
            rows.append(_row(case, judge))
        except CaseError as error:
            unreadable[case.case_id] = str(error)
    return ReferenceAudit(
        policy=judge.policy.id,
        as_of=judge.as_of,
        evidence_hash=judge.evidence.hash,
        dataset_hash=dataset_hash(kept),
        rows=tuple(rows),
        unreadable=unreadable,
    )


def _row(item: BenchmarkCase, auditor: Auditor) -> ReferenceRow:
    case = case_from_object(item.inputs)
    verdict = auditor.audit(case)[0]
    published = item.reference.label
    findings: tuple[str, ...] = ()
    in_scope: tuple[str, ...] = ()
    cited: tuple[Cited, ...] = ()
    if case.recommendations and case.recommendations[0].components:
        recommendation = case.recommendations[0]
        day = case.as_of or auditor.as_of
        facts = read_facts(case, recommendation, as_of=day, reading=auditor.policy.reading)
        selection = auditor.evidence.select(recommendation.components, auditor.jurisdiction, day)
        supports = tuple(evaluate(auditor.plan(one), facts, match) for one, match in selection.supports)
        seen = Seen(published, facts, recommendation, supports, verdict)
        shown = {finding.code: finding.test(seen) for finding in FINDINGS}
        findings = tuple(code for code, proof in shown.items() if proof)
        in_scope = tuple(finding.code for finding in FINDINGS if finding.scope(seen))
        cited = _cited([pair for code in findings for pair in shown[code]], facts)
    standing = _standing(published, str(verdict.label))
    if not cited and standing != "stands":
        cited = _of_verdict(verdict, auditor)
    return ReferenceRow(
        case_id=item.case_id,
        error_type=item.reference.error_type,
        recommendation=verdict.recommendation,
        published=published,
        audited=str(verdict.label),
        standing=standing,
        reasons=tuple(reason.code for reason in verdict.reasons),
        findings=findings,
        in_scope=in_scope,
        cited=cited,
    )


def _standing(published: str, audited: str) -> str:
    if published == audited:
        return "stands"
    if published in APPROVING and audited in APPROVING:
        return "weaker"
    if audited == Label.INSUFFICIENT_INFORMATION:
        return "undecided"
    if published == Label.INSUFFICIENT_INFORMATION:
        return "decided"
    return "contradicted"


def _cited(pairs: Sequence[tuple[Evaluation, Leaf | None]], facts: Facts) -> tuple[Cited, ...]:
    kept: dict[str, Cited] = {}
    for item, leaf in sorted(pairs, key=lambda pair: _nearness(pair[0])):
        assertion = item.assertion
        if assertion.id not in kept and len(kept) < 3:
            required = leaf.required if leaf is not None else ""
            documented = found(leaf, facts) if leaf is not None else ""
            kept[assertion.id] = _cite(assertion, required, documented)
    return tuple(kept.values())


def _nearness(item: Evaluation) -> tuple[int, int, int, str, str]:
    failing = sum(role == "requires" for role, _ in item.violated)
    satisfied = len(item.plan.requires or ()) - failing - len(item.unknown)
    return (len(item.violated), len(item.unknown), -satisfied, item.assertion.level, item.assertion.id)


def _cite(assertion: Assertion, required: str = "", documented: str = "") -> Cited:
    return Cited(
        id=assertion.id, source=assertion.source_text, level=assertion.level, required=required, found=documented
    )


def _of_verdict(verdict: Verdict, auditor: Auditor) -> tuple[Cited, ...]:
    rows: list[Cited] = []
    for use in (*verdict.evidence_against, *verdict.evidence)[:3]:
        failing = [one for one in use.criteria if one.result is not Result.SATISFIED]
        first = failing[0] if failing else None
        rows.append(_cite(auditor.evidence.get(use.id), first.required if first else "", first.found if first else ""))
    return tuple(rows)
