"""The audit: seven modules in order, from a case to one verdict a recommendation.

No model call, no network, no clock, no randomness: the same case, policy, evidence, day, jurisdiction and engine version give the
same bytes. Compares a documented recommendation with dated sources; not a medical device.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from equipoise._version import __version__
from equipoise.audit import alternatives, report_generator
from equipoise.audit.abstention import must_abstain
from equipoise.audit.case_parser import blank_facts, read_facts
from equipoise.audit.evidence_retriever import NOTHING, retrieve
from equipoise.audit.evidence_verifier import (
    Evaluation,
    Plan,
    Rung,
    evaluate,
    is_satisfied,
    make_plan,
    taken_on_trust,
    weigh,
    without_target,
)
from equipoise.audit.missing_information import Options, demanded, what_if
from equipoise.audit.policy import Policy, load_policy
from equipoise.audit.safety_classifier import Decision, Evidence, Note, Rules, classify
from equipoise.audit.verdict import SATISFIED, UNDETERMINED, Alternative, Label, Verdict, WhatIf
from equipoise.cases.facts import TRUE, Facts
from equipoise.cases.formats import case_from_object
from equipoise.cases.model import Case, Recommendation, RecommendationKind, Status
from equipoise.cases.vocabulary.drugs import classes_of, lexicon, read_regimen
from equipoise.errors import UsageError
from equipoise.evidence.base import EvidenceBase, Selection, check_jurisdiction, shipped_base
from equipoise.evidence.citations import MISMATCH, check_citations
from equipoise.evidence.model import LEVELS, Assertion, Direction
from equipoise.evidence.regimens import Match
from equipoise.ids import content_hash, stable_form

MODULES: tuple[str, ...] = (
    "case_parser", "evidence_retriever", "evidence_verifier", "missing_information", "safety_classifier", "abstention", "report_generator",
)  # fmt: skip
"""The seven modules, in order; each can be switched off for an ablation."""


class Auditor:
    """A policy, an evidence base, a jurisdiction and a day, ready to audit cases.

    Build one and reuse it: plans and indexes are made once. It keeps no case.
    """

    def __init__(
        self,
        *,
        as_of: dt.date,
        policy: Policy | str | Path = "label",
        evidence: EvidenceBase | None = None,
        jurisdiction: str = "US",
        without: Iterable[str] = (),
    ) -> None:
        """Prepare an audit.

        Args:
            as_of: day for which the evidence is read; a case that names its own day is read as of that day.
            policy: a policy, the id of a shipped one, or the file of one's own.
            evidence: the base; the shipped one by default.
            jurisdiction: of which the sources speak.
            without: modules to switch off, for an ablation.

        Raises:
            UsageError: unknown policy, jurisdiction or module.
            ConfigurationError: the policy file breaks its contract.
        """
        self.policy = policy if isinstance(policy, Policy) else load_policy(policy)
        self.evidence = evidence if evidence is not None else shipped_base()
        self.jurisdiction = check_jurisdiction(jurisdiction)
        self.as_of = as_of
        off = frozenset(without)
        unknown = sorted(off - set(MODULES))
        if unknown:
            message = f"unknown module {unknown[0]!r}; expected some of {', '.join(MODULES)}"
            raise UsageError(message)
        self.without = tuple(name for name in MODULES if name in off)
        self._off = off
        self._plans: dict[str, Plan] = {}
        self._rules: dict[dt.date, Rules] = {}
        self._ladders: dict[dt.date, Rung] = {}
        self._choices: dict[tuple[str, dt.date], alternatives.Choice] = {}
        self._representatives: dict[tuple[str, frozenset[str]], str | None] = {}
        self._shortlists: dict[int, _Shortlist] = {}

    # --- the public calls ----------------------------------------------------------------------------------------------------

    def audit(self, case: Case | Mapping[str, Any]) -> tuple[Verdict, ...]:
        """Audit every recommendation of a case, in order.

        Args:
            case: a case, or the JSON object of one.

        Returns:
            One verdict a recommendation; one that says so when the case states none.

        Raises:
            CaseError: the object cannot be read as a case.
        """
        if not isinstance(case, Case):
            case = case_from_object(case)
        if not case.recommendations:
            return (self._verdict(case, None),)
        return tuple(self._verdict(case, item) for item in case.recommendations)

    def audit_regimen(self, case: Case, text: str) -> Verdict:
        """Audit one regimen for a case, whatever the case recommends.

        Args:
            case: the case; its own recommendations are not read.
            text: the regimen as a record would name it; setting words in it count.
        """
        regimen = read_regimen(text)
        recommendation = Recommendation(
            id="option",
            text=text,
            components=regimen.components,
            unspecific=regimen.unspecific,
            unread=regimen.unread,
            setting=regimen.settings,
        )
        return self._verdict(case, recommendation)

    def plan(self, assertion: Assertion) -> Plan:
        """An assertion under this auditor's policy."""
        found = self._plans.get(assertion.id)
        if found is None:
            found = self._plans[assertion.id] = make_plan(assertion, self.policy)
        return found

    def ladder(self, as_of: dt.date) -> Rung:
        """Verified supporting assertions at the deciding level, as a tree of their criteria, so that each is asked once."""
        found = self._ladders.get(as_of)
        if found is None:
            found = Rung()
            for item in self.evidence.active(self.jurisdiction, as_of):
                if (
                    item.direction is Direction.SUPPORTS
                    and item.level <= self.policy.levels.decide
                    and item.verification.verified
                ):
                    found.add(self.plan(item))
            self._ladders[as_of] = found.seal()
        return found

    def choice(self, plan: Plan, as_of: dt.date) -> alternatives.Choice:
        """A supporting assertion as an alternative, with the negatives and cautions that are weighed before."""
        key = (plan.rank[2], as_of)
        found = self._choices.get(key)
        if found is None:
            found = self._choices[key] = alternatives.choice(
                plan, self.answers_to(plan, as_of), self.cautions_on(plan, as_of)
            )
        return found

    def answers_to(self, plan: Plan, as_of: dt.date) -> tuple[Plan, ...]:
        """Negatives that would decide against a supporting assertion's regimen if they held."""
        levels = self.policy.levels
        return tuple(
            self.plan(item)
            for item in self.evidence.select(plan.components, self.jurisdiction, as_of).negatives
            if item.level <= (levels.on_target_resistance if item.on_target else levels.negative)
            and item.id not in plan.assertion.overrides
        )

    def cautions_on(self, plan: Plan, as_of: dt.date) -> tuple[Plan, ...]:
        """Cautions about a supporting assertion's regimen that exist under the policy."""
        include = self.policy.caveats.include
        return tuple(
            self.plan(item)
            for item in self.evidence.select(plan.components, self.jurisdiction, as_of).cautions
            if include == "all" or item.name in include
        )

    # --- one recommendation --------------------------------------------------------------------------------------------------

    def _verdict(self, case: Case, recommendation: Recommendation | None) -> Verdict:
        return self._report(self.judge(case, recommendation))

    def judge(self, case: Case, recommendation: Recommendation | None) -> Judgement:
        """Modules 1 to 6 for one recommendation: the decision before it is put into words.

        Args:
            case: the case.
            recommendation: one of its recommendations; None when it states none.
        """
        as_of = case.as_of or self.as_of
        off = self._off
        reading = self.policy.reading
        facts = (
            blank_facts(as_of=as_of, reading=reading)
            if "case_parser" in off
            else read_facts(case, recommendation, as_of=as_of, reading=reading)
        )
        rules = self.rules(as_of)
        evidence = Evidence(selection=NOTHING)
        missing = () if "missing_information" in off else demanded(case, facts, self.policy)
        if recommendation is None and missing:
            missing = ("recommendations", *missing)
        decision = self._unreadable(case, recommendation)
        components: frozenset[str] = frozenset()
        if decision is None and recommendation is not None:
            components = recommendation.components
            selection = (
                NOTHING
                if "evidence_retriever" in off
                else retrieve(self.evidence, components, jurisdiction=self.jurisdiction, as_of=as_of)
            )
            evidence = self._evaluate(selection, components, facts, rules)
            decision = classify(evidence, facts, rules, missing)
        if decision is None:
            decision = _nothing_recommended(missing)
        cells: tuple[WhatIf, ...] = ()
        if (
            decision.label is Label.INSUFFICIENT_INFORMATION
            and decision.missing
            and components
            and "missing_information" not in off
        ):
            decision, cells = self._what_if(case, facts, evidence, decision, rules)
        decision = _with_record(decision, case, recommendation, facts, self.evidence)
        abstain = "abstention" not in off and must_abstain(decision, self.policy)
        return Judgement(case, recommendation, facts, evidence, decision, cells, abstain, as_of)

    def rules(self, as_of: dt.date) -> Rules:
        """Policy and index for a day."""
        found = self._rules.get(as_of)
        if found is None:
            actionable = self.evidence.actionable(self.jurisdiction, as_of, self.policy.levels.decide)
            found = Rules(
                policy=self.policy, actionable=actionable, weigh_negatives="safety_classifier" not in self._off
            )
            self._rules[as_of] = found
        return found

    def _unreadable(self, case: Case, recommendation: Recommendation | None) -> Decision | None:
        """Step 1 of the precedence: what cannot be judged at all."""
        if case.unsupported_language:
            return self._fallback("unsupported-language", language=case.unsupported_language)
        if recommendation is None:
            return None
        if recommendation.kind is RecommendationKind.TRIAL:
            return self._fallback("trial-recommendation", kind="trial")
        if recommendation.kind is RecommendationKind.OTHER:
            return self._fallback("non-drug-recommendation", kind="recommendation without a therapy")
        if recommendation.unread or not recommendation.components:
            return self._fallback("drug-unknown", text=" ".join(recommendation.unread) or recommendation.text)
        tumor = case.tumor
        if tumor.status is Status.CONFLICTING:
            note = Note("input-conflicting", facts=(("field", "tumor"), ("a", tumor.stated[0]), ("b", tumor.stated[1])))
            return Decision(label=Label.INSUFFICIENT_INFORMATION, notes=(note,), missing=("tumor",))
        if tumor.value is None or tumor.value == "lung cancer":
            return Decision(
                label=Label.INSUFFICIENT_INFORMATION,
                notes=(Note("input-missing", facts=(("field", "tumor"),)),),
                missing=("tumor",),
            )
        if tumor.value not in self.evidence.tumors:
            return self._fallback("out-of-scope", tumor=tumor.value, covered=", ".join(self.evidence.tumors))
        for name in recommendation.components:
            if classes_of(name):
                return None
        if not self._named(recommendation.components):
            return self._fallback("non-drug-recommendation", kind="procedure that no assertion names")
        return None

    def _named(self, components: frozenset[str]) -> bool:
        return any(components.intersection(item.regimen) for item in self.evidence.assertions)

    def _fallback(self, code: str, **facts: str) -> Decision:
        return Decision(label=self.policy.label_of(code), notes=(Note(code, facts=tuple(facts.items())),))

    def _evaluate(self, selection: Selection, components: frozenset[str], facts: Facts, rules: Rules) -> Evidence:
        if "evidence_verifier" in self._off:
            supports = tuple(taken_on_trust(self.plan(item), match) for item, match in selection.supports)
            return Evidence(selection=selection, components=components, supports=supports)
        shortlist = self._shortlist(selection)
        evaluated = tuple([evaluate(plan, facts, match) for plan, match in shortlist.supports])
        if self.policy.biomarkers.untargeted == "not-concordant" and not rules.actionable.isdisjoint(facts.reported()):
            evaluated = tuple([item if item.plan.targeted else without_target(item) for item in evaluated])
        if "missing_information" in self._off:
            evaluated = tuple([_as_if_known(item) for item in evaluated])
        return Evidence(
            selection,
            components,
            evaluated,
            tuple([weigh(plan, facts) for plan in shortlist.negatives]),
            tuple([weigh(plan, facts) for plan in shortlist.cautions]),
        )

    def _shortlist(self, selection: Selection) -> _Shortlist:
        """The assertions of a selection under the policy. The base hands out one selection a regimen and day, so its identity is a key."""
        found = self._shortlists.get(id(selection))
        if found is None or found.selection is not selection:
            include = self.policy.caveats.include
            found = _Shortlist(
                selection,
                tuple([(self.plan(item), match) for item, match in selection.supports]),
                tuple([self.plan(item) for item in selection.negatives]),
                tuple([self.plan(item) for item in selection.cautions if include == "all" or item.name in include]),
            )
            if len(self._shortlists) < _MAX_SHORTLISTS:
                self._shortlists[id(selection)] = found
        return found

    def _what_if(
        self, case: Case, facts: Facts, evidence: Evidence, decision: Decision, rules: Rules
    ) -> tuple[Decision, tuple[WhatIf, ...]]:
        reusable = self.policy.biomarkers.untargeted == "concordant" and not self._off

        again: dict[frozenset[str], _Again] = {}

        def decide(filled: Facts, changed: frozenset[str]) -> Decision:
            if not reusable:
                return classify(self._evaluate(evidence.selection, evidence.components, filled, rules), filled, rules)
            part = again.get(changed)
            if part is None:
                part = again[changed] = _Again(evidence, changed)
            return classify(part.on(filled), filled, rules, brief=True)

        def representative(drug_class: str) -> str | None:
            return self._representative(drug_class, evidence.components)

        cells, fields = what_if(case, facts, evidence, decision, Options(decide, representative))
        if fields and not self.policy.demands:
            decision = decision._replace(missing=fields)
        return decision, cells

    def _representative(self, drug_class: str, components: frozenset[str]) -> str | None:
        """A drug with complete coverage that stands for a class in an invented history, and is not part of the regimen."""
        key = (drug_class, components)
        if key not in self._representatives:
            names = (
                name
                for name, entry in lexicon().drugs.items()
                if entry.kind == "drug" and drug_class in entry.classes and name not in components
            )
            known = sorted(
                name
                for name in names
                if (row := self.evidence.coverage.get(name)) is not None and row.complete_since and not row.no_use
            )
            self._representatives[key] = known[0] if known else None
        return self._representatives[key]

    def instead(self, judged: Judgement) -> tuple[Alternative, ...]:
        """What the evidence supports instead of a recommendation that is not Supported."""
        case, recommendation = judged.case, judged.recommendation
        if judged.decision.label is Label.SUPPORTED or case.tumor.value not in self.evidence.tumors:
            return ()
        narrowed = recommendation is not None and (recommendation.setting or recommendation.line) is not None
        apart = narrowed and "case_parser" not in self._off
        own = read_facts(case, None, as_of=judged.as_of, reading=self.policy.reading) if apart else judged.facts
        regimen = recommendation.components if recommendation is not None else frozenset()
        return alternatives.satisfied(self, own, exclude=regimen)

    def _report(self, judged: Judgement) -> Verdict:
        case, recommendation, facts, evidence, decision, cells, abstain, as_of = judged
        regimen = tuple(sorted(recommendation.components)) if recommendation is not None else ()
        name = " + ".join(regimen) or (recommendation.text if recommendation is not None else "")
        silent = "report_generator" in self._off
        tumor = case.tumor.value or ""
        shown: dict[str, Any] = {}
        if not silent:
            speaks_for = judged.speaks_for()
            shown = {
                "context_gaps": report_generator.context_gaps(evidence, decision, facts),
                "evidence": report_generator.evidence_uses(speaks_for, facts),
                "evidence_against": report_generator.evidence_uses(decision.against, facts),
                "caveats": report_generator.caveats(decision, facts),
                "spans": report_generator.spans(case, recommendation),
                "alternatives": self.instead(judged),
            }
        return Verdict(
            case_id=case.case_id,
            recommendation_id=recommendation.id if recommendation is not None else "",
            recommendation=recommendation.text if recommendation is not None else "",
            regimen=regimen,
            label=decision.label,
            abstain=abstain,
            reasons=report_generator.reasons(
                decision, facts, name, jurisdiction=self.jurisdiction, as_of=as_of, tumor=tumor
            ),
            headline="" if silent else report_generator.headline(decision, facts, name, as_of, cells),
            missing_fields=decision.missing,
            what_if=cells,
            ignored_fields=case.ignored_fields,
            policy=self.policy.id,
            policy_hash=self.policy.hash,
            evidence_hash=self.evidence.hash,
            case_hash=case.content_hash or content_hash(stable_form(case)),
            jurisdiction=self.jurisdiction,
            as_of=as_of,
            modules_off=self.without,
            engine_version=__version__,
            **shown,
        )


class Judgement(NamedTuple):
    """A decision, and what it was made from.

    Attributes:
        case: the case.
        recommendation: the recommendation; None when the case states none.
        facts: what was read of both.
        evidence: the evaluated assertions.
        decision: label, reasons, deciding assertions.
        cells: the what-if table.
        abstain: whether a human must decide.
        as_of: day for which the evidence was read.
    """

    case: Case
    recommendation: Recommendation | None
    facts: Facts
    evidence: Evidence
    decision: Decision
    cells: tuple[WhatIf, ...]
    abstain: bool
    as_of: dt.date

    def speaks_for(self) -> tuple[Evaluation, ...]:
        """Assertions that speak for the regimen; none where a negative decides."""
        decision = self.decision
        negative = (
            decision.label is Label.UNSUPPORTED and bool(decision.deciding) and decision.deciding[0] in decision.against
        )
        return () if negative else decision.deciding


class _Shortlist(NamedTuple):
    """The assertions that speak of a regimen, under a policy.

    Attributes:
        selection: what the base holds for the regimen; kept, so that no other selection takes its identity.
        supports: supporting assertions, each with how it fits.
        negatives: negatives.
        cautions: cautions that the policy includes.
    """

    selection: Selection
    supports: tuple[tuple[Plan, Match], ...]
    negatives: tuple[Plan, ...]
    cautions: tuple[Plan, ...]


_MAX_SHORTLISTS = 20_000
"""Most regimens and days for which an auditor keeps the plans at hand."""


class _Again:
    """Evidence for facts that differ in some fields: only what reads one of them is evaluated again, and only what can change the label."""

    def __init__(self, evidence: Evidence, changed: frozenset[str]) -> None:
        self.evidence = evidence
        self.same_supports = tuple([item for item in evidence.supports if item.plan.reads.isdisjoint(changed)])
        self.open_supports = tuple([item for item in evidence.supports if not item.plan.reads.isdisjoint(changed)])
        self.same_negatives = tuple(
            [item for item in evidence.negatives if item.result is SATISFIED and item.plan.reads.isdisjoint(changed)]
        )
        self.open_negatives = tuple(
            [item.plan for item in evidence.negatives if not item.plan.reads.isdisjoint(changed)]
        )
        self.same_cautions = tuple(
            [item for item in evidence.cautions if _matters(item) and item.plan.reads.isdisjoint(changed)]
        )
        self.open_cautions = tuple([item.plan for item in evidence.cautions if not item.plan.reads.isdisjoint(changed)])

    def on(self, facts: Facts) -> Evidence:
        """The evidence for facts that differ in these fields."""
        return Evidence(
            self.evidence.selection,
            self.evidence.components,
            self.same_supports + tuple([evaluate(item.plan, facts, item.match) for item in self.open_supports]),
            self.same_negatives
            + tuple([item for plan in self.open_negatives if (item := _negative(plan, facts)) is not None]),
            self.same_cautions
            + tuple([item for plan in self.open_cautions if (item := _caution(plan, facts)) is not None]),
        )


def _matters(item: Evaluation) -> bool:
    return item.result is SATISFIED or (item.result is UNDETERMINED and item.assertion.unknown != "note")


def _negative(plan: Plan, facts: Facts) -> Evaluation | None:
    """A negative that is satisfied; with its open exclusions where it has any."""
    if plan.unless:
        item = evaluate(plan, facts)
        return item if item.result is SATISFIED else None
    return plan.results[TRUE] if is_satisfied(plan, facts) else None


def _caution(plan: Plan, facts: Facts) -> Evaluation | None:
    if plan.assertion.unknown != "note":
        return evaluate(plan, facts)
    return plan.results[TRUE] if is_satisfied(plan, facts) else None


def _nothing_recommended(missing: tuple[str, ...]) -> Decision:
    fields = missing or ("recommendations",)
    return Decision(
        label=Label.INSUFFICIENT_INFORMATION,
        notes=tuple(Note("input-missing", facts=(("field", name),)) for name in fields),
        missing=fields,
    )


def _as_if_known(item: Evaluation) -> Evaluation:
    """What an assertion comes to when nothing missing is noticed (module 4 off)."""
    if item.result is not UNDETERMINED:
        return item
    return Evaluation(item.plan, SATISFIED, match=item.match)


def _with_record(
    decision: Decision, case: Case, recommendation: Recommendation | None, facts: Facts, base: EvidenceBase
) -> Decision:
    """Reasons that come from the record itself: claimed level, citations, text addressed to software. They change no label."""
    notes: list[Note] = []
    if recommendation is not None and recommendation.level and decision.deciding and decision.label in _HELD:
        claimed = recommendation.level.strip().upper().removeprefix("LEVEL ").strip()
        if claimed in LEVELS and claimed < decision.deciding[0].assertion.level:
            notes.append(Note("level-overstated", decision.deciding[0], facts=(("claimed", recommendation.level),)))
    if recommendation is not None and recommendation.citations and recommendation.components:
        deciding = [item.assertion for item in decision.deciding]
        for found in check_citations(recommendation, deciding, base, facts=facts):
            if found.code == MISMATCH:
                notes.append(Note(MISMATCH, facts=(("citation", found.citation), ("finding", found.text))))
    if case.instructions:
        notes.append(Note("instruction-in-input"))
    return decision._replace(notes=(*decision.notes, *notes)) if notes else decision


_HELD = (Label.SUPPORTED, Label.PARTIALLY_SUPPORTED)


def audit(
    case: Case | Mapping[str, Any],
    *,
    as_of: dt.date,
    policy: Policy | str | Path = "label",
    evidence: EvidenceBase | None = None,
    jurisdiction: str = "US",
    without: Iterable[str] = (),
) -> tuple[Verdict, ...]:
    """Audit every recommendation of a case.

    Args:
        case: a case, or the JSON object of one (docs/semantics.md section 1).
        as_of: day for which the evidence is read; a case that names its own day is read as of that day.
        policy: a policy, the id of a shipped one, or the file of one's own.
        evidence: the base; the shipped one by default.
        jurisdiction: of which the sources speak.
        without: modules to switch off, for an ablation.

    Returns:
        One verdict a recommendation, in order; one that says so when the case states none.

    Raises:
        CaseError: the object cannot be read as a case.
        UsageError: unknown policy, jurisdiction or module.
    """
    return Auditor(as_of=as_of, policy=policy, evidence=evidence, jurisdiction=jurisdiction, without=without).audit(
        case
    )
