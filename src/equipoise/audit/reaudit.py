"""Which stored verdicts would change against another evidence snapshot, and why.

A snapshot is an overlay file, another base, another day, or a CIViC table. Every stored verdict is made again twice: as
it was stored (control) and against the snapshot. So a change that comes from the evidence is told apart from one that
comes from another version of this package or of the shipped base. CIViC decides no label; for it the result lists which
of its items beside a verdict appeared, vanished or changed.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from equipoise.audit.case_parser import read_facts
from equipoise.audit.pipeline import Auditor
from equipoise.audit.policy import load_policy
from equipoise.audit.verdict import Verdict
from equipoise.cases.formats import case_from_object
from equipoise.cases.load import read_file
from equipoise.cases.model import Case
from equipoise.errors import EquipoiseError, UsageError
from equipoise.evidence.base import EvidenceBase, load_overlay, shipped_base
from equipoise.evidence.civic import CivicItem, CivicSnapshot, CivicView, civic_for, read_snapshot
from equipoise.outcomes.readers import read_json_lines

VERDICTS_FILE = "verdicts.jsonl"
CASES_FILES: tuple[str, ...] = ("cases.jsonl", "cases.json")
"""Names looked for when a folder is given."""

NOT_COMPARED: dict[str, str] = {
    "case-missing": "the case is not in the file of cases",
    "case-changed": "the case is not the one that was audited: its content hash differs",
    "recommendation-missing": "the case states no recommendation with that id",
    "unreadable": "the stored verdict lacks an element that is needed",
    "policy-unknown": "the policy of the stored verdict is not known here, and none was given",
}
"""Why a stored verdict could not be made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """What stored verdicts are held against.

    Attributes:
        name: how results call it.
        evidence: another base; None keeps the shipped one.
        as_of: another day; None keeps the day of each verdict.
        civic: a CIViC snapshot to show beside the verdicts; None for none.
        civic_before: the CIViC snapshot that was shown before; None when none was.
    """

    name: str
    evidence: EvidenceBase | None = None
    as_of: dt.date | None = None
    civic: CivicSnapshot | None = None
    civic_before: CivicSnapshot | None = None


@dataclass(frozen=True, slots=True)
class EvidenceChange:
    """One assertion, or one CIViC item, that changed for a verdict.

    Attributes:
        id: id of the assertion, or "CIViC EID 11219".
        kind: "appeared", "vanished", "level", "direction", "significance", "result" or "verified".
        before: what it was; empty when it appeared.
        after: what it is; empty when it vanished.
        reason: why it vanished, when that is known.
    """

    id: str
    kind: str
    before: str
    after: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The part of a verdict that a reader acts on.

    Attributes:
        label: the label.
        abstain: whether a human must decide.
        reasons: reason codes, the deciding one first.
        missing_fields: fields that decide and are not documented.
    """

    label: str
    abstain: bool
    reasons: tuple[str, ...]
    missing_fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictChange:
    """One stored verdict that would be different.

    Attributes:
        case_id: id of the case.
        recommendation_id: id of the recommendation.
        recommendation: as written.
        before: the answer as stored.
        after: the answer against the snapshot.
        label_changed: whether the label differs.
        reproduced: whether the control gave the stored label: then the difference comes from the snapshot. False when
            it comes from another version of this package or of the shipped base.
        evidence: assertions that appeared, vanished or changed.
        civic: the same for CIViC items.
        why: one sentence a cause.
    """

    case_id: str
    recommendation_id: str
    recommendation: str
    before: Answer
    after: Answer
    label_changed: bool
    reproduced: bool
    evidence: tuple[EvidenceChange, ...] = ()
    civic: tuple[EvidenceChange, ...] = ()
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotCompared:
    """A stored verdict that could not be made again, by reason (`NOT_COMPARED`)."""

    case_id: str
    recommendation_id: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaudit:
    """The result over all stored verdicts.

    Attributes:
        against: name of the snapshot.
        evidence_hash: content hash of the base it was held against.
        civic: identifier of the CIViC snapshot; empty without one.
        stored: number of stored verdicts.
        unchanged: of them, those with the same answer, evidence and CIViC items.
        changes: the others, in stored order.
        not_compared: those that could not be made again.
    """

    against: str
    evidence_hash: str
    civic: str
    stored: int
    unchanged: int
    changes: tuple[VerdictChange, ...]
    not_compared: tuple[NotCompared, ...]

    @property
    def transitions(self) -> dict[str, int]:
        """Number of verdicts by "label before -> label after", for labels that change."""
        found = Counter(f"{item.before.label} -> {item.after.label}" for item in self.changes if item.label_changed)
        return dict(sorted(found.items()))

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "against": self.against,
            "evidence_hash": self.evidence_hash,
            "civic": self.civic,
            "stored": self.stored,
            "unchanged": self.unchanged,
            "labels_changed": sum(item.label_changed for item in self.changes),
            "only_evidence_changed": sum(not item.label_changed for item in self.changes),
            "not_reproduced": sum(not item.reproduced for item in self.changes),
            "transitions": self.transitions,
            "changes": [asdict(item) for item in self.changes],
            "not_compared": [{**asdict(item), "reason": NOT_COMPARED[item.code]} for item in self.not_compared],
        }


# --- what to hold against --------------------------------------------------------------------------------------------


def load_against(text: str, *, base: EvidenceBase | None = None, civic_before: str | Path | None = None) -> Against:
    """What `--against` names.

    Args:
        text: a day (YYYY-MM-DD), an overlay file (.yaml, .yml) or a CIViC table (.tsv).
        base: the base that an overlay extends; the shipped one by default.
        civic_before: the CIViC table that was shown before.

    Raises:
        UsageError: it names none of these, or a file cannot be read.
        EvidenceError: an overlay breaks its contract.
        UpstreamError: a table is no CIViC table.
    """
    before = read_snapshot(civic_before) if civic_before is not None else None
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        suffix = Path(text).suffix.lower()
    else:
        return Against(name=f"evidence as of {day.isoformat()}", evidence=base, as_of=day, civic_before=before)
    if suffix in (".yaml", ".yml"):
        start = base if base is not None else shipped_base()
        return Against(name=f"overlay {Path(text).stem}", evidence=load_overlay(text, start), civic_before=before)
    if suffix == ".tsv":
        snapshot = read_snapshot(text)
        return Against(name=snapshot.id, evidence=base, civic=snapshot, civic_before=before)
    message = "expected a day (YYYY-MM-DD), an overlay (.yaml) or a CIViC table (.tsv)"
    raise UsageError(message, file=text)


def reaudit_files(
    run: str | Path, against: Against, *, cases: str | Path | None = None, policy: str | Path | None = None
) -> Reaudit:
    """Hold a file or folder of stored verdicts against a snapshot.

    Args:
        run: JSON lines of verdicts, or a folder with `verdicts.jsonl`.
        against: the snapshot.
        cases: the file of cases; by default `cases.jsonl` or `cases.json` in the folder.
        policy: file of the policy, when the stored verdicts name one that does not ship.

    Raises:
        UsageError: a file is missing or cannot be read.
        InputError: a line is not JSON.
    """
    place = Path(run)
    file = place / VERDICTS_FILE if place.is_dir() else place
    if cases is None:
        folder = place if place.is_dir() else place.parent
        found = [folder / name for name in CASES_FILES if (folder / name).is_file()]
        if not found:
            message = f"the cases are not beside the verdicts; name the file (looked for {', '.join(CASES_FILES)})"
            raise UsageError(message, file=str(run))
        cases = found[0]
    stored = [row for _, row in read_json_lines(file)]
    items = [item.case for item in read_file(cases) if item.case is not None]
    return reaudit(stored, items, against, policy=policy)


# --- the comparison --------------------------------------------------------------------------------------------------

_NEEDED = (
    "case_id",
    "recommendation_id",
    "label",
    "abstain",
    "reasons",
    "policy",
    "jurisdiction",
    "as_of",
    "case_hash",
)


def reaudit(
    stored: Sequence[Mapping[str, Any]],
    cases: Iterable[Case | Mapping[str, Any]],
    against: Against,
    *,
    policy: str | Path | None = None,
) -> Reaudit:
    """Hold stored verdicts against a snapshot.

    Args:
        stored: verdicts in their JSON form.
        cases: the cases that were audited.
        against: the snapshot.
        policy: file of the policy, when the stored verdicts name one that does not ship.

    Raises:
        CaseError: a case given as an object cannot be read.
        UsageError: the policy file cannot be read.
    """
    known: dict[str, Case] = {}
    for item in cases:
        case = item if isinstance(item, Case) else case_from_object(item)
        known.setdefault(case.case_id, case)
    maker = _Maker(against, policy)
    changes: list[VerdictChange] = []
    missing: list[NotCompared] = []
    unchanged = 0
    for row in stored:
        code, change = maker.compare(row, known)
        if code:
            missing.append(NotCompared(str(row.get("case_id", "")), str(row.get("recommendation_id", "")), code))
        elif change is None:
            unchanged += 1
        else:
            changes.append(change)
    return Reaudit(
        against=against.name,
        evidence_hash=maker.base.hash,
        civic=against.civic.id if against.civic is not None else "",
        stored=len(stored),
        unchanged=unchanged,
        changes=tuple(changes),
        not_compared=tuple(missing),
    )


class _Maker:
    """Makes verdicts again, as stored and against the snapshot."""

    def __init__(self, against: Against, policy: str | Path | None) -> None:
        self.against = against
        self.policy = policy
        self.control_base = shipped_base()
        self.base = against.evidence if against.evidence is not None else self.control_base
        self._by_id = {item.id: item for item in self.base.assertions}
        self._auditors: dict[tuple[Any, ...], Auditor] = {}
        self._verdicts: dict[tuple[Any, ...], tuple[Verdict, ...]] = {}

    def compare(self, row: Mapping[str, Any], cases: Mapping[str, Case]) -> tuple[str, VerdictChange | None]:
        """A code of `NOT_COMPARED`, or the change; an empty code and None when nothing changed."""
        if any(name not in row for name in _NEEDED):
            return "unreadable", None
        case = cases.get(str(row["case_id"]))
        if case is None:
            return "case-missing", None
        if case.content_hash and row["case_hash"] != case.content_hash:
            return "case-changed", None
        try:
            day = dt.date.fromisoformat(str(row["as_of"]))
            policy = self._policy(str(row["policy"]))
        except ValueError:
            return "unreadable", None
        except UsageError:
            return "policy-unknown", None
        without = tuple(row.get("modules_off") or ())
        jurisdiction = str(row["jurisdiction"])
        recommendation = str(row["recommendation_id"])
        new_day = self.against.as_of or day
        try:
            control = self._verdict(case, recommendation, (policy, jurisdiction, day, without, self.control_base))
            after = self._verdict(case, recommendation, (policy, jurisdiction, new_day, without, self.base))
        except EquipoiseError:
            return "unreadable", None
        if control is None or after is None:
            return "recommendation-missing", None
        return "", self._change(row, case, control, after)

    def _policy(self, name: str) -> str | Path:
        if self.policy is not None:
            return self.policy
        load_policy(name)
        return name

    def _verdict(self, case: Case, recommendation: str, how: tuple[Any, ...]) -> Verdict | None:
        policy, jurisdiction, day, without, base = how
        key = (str(policy), jurisdiction, day, without, base.hash)
        auditor = self._auditors.get(key)
        if auditor is None:
            auditor = self._auditors[key] = Auditor(
                as_of=day, policy=policy, evidence=base, jurisdiction=jurisdiction, without=without
            )
        found = self._verdicts.get((case.case_id, *key))
        if found is None:
            found = self._verdicts[(case.case_id, *key)] = auditor.audit(replace(case, as_of=day))
        return next((item for item in found if item.recommendation_id == recommendation), None)

    def _change(self, row: Mapping[str, Any], case: Case, control: Verdict, after: Verdict) -> VerdictChange | None:
        before_answer, after_answer = _stored_answer(row), _answer(after)
        evidence = self._evidence(row, after)
        civic = self._civic(case, control)
        if before_answer == after_answer and not evidence and not civic:
            return None
        changed = before_answer.label != after_answer.label
        reproduced = control.label == before_answer.label
        return VerdictChange(
            case_id=after.case_id,
            recommendation_id=after.recommendation_id,
            recommendation=after.recommendation,
            before=before_answer,
            after=after_answer,
            label_changed=changed,
            reproduced=reproduced,
            evidence=evidence,
            civic=civic,
            why=_why(before_answer, after_answer, evidence, civic, row, reproduced=reproduced),
        )

    def _evidence(self, row: Mapping[str, Any], after: Verdict) -> tuple[EvidenceChange, ...]:
        old = {str(use["id"]): use for name in ("evidence", "evidence_against") for use in row.get(name) or ()}
        plain = after.to_dict()
        new = {str(use["id"]): use for name in ("evidence", "evidence_against") for use in plain[name]}
        found: list[EvidenceChange] = []
        for identifier, use in old.items():
            if identifier not in new:
                reason = self._vanished(identifier, after.as_of)
                found.append(EvidenceChange(identifier, "vanished", str(use.get("result", "")), "", reason))
                continue
            for name in ("level", "direction", "result", "verified"):
                a, b = use.get(name), new[identifier].get(name)
                if a is not None and a != b:
                    found.append(EvidenceChange(identifier, name, str(a), str(b)))
        found.extend(
            EvidenceChange(identifier, "appeared", "", str(use["result"]))
            for identifier, use in new.items()
            if identifier not in old
        )
        return tuple(found)

    def _vanished(self, identifier: str, day: dt.date) -> str:
        item = self._by_id.get(identifier)
        if item is None:
            return "not in the snapshot"
        if item.valid_to is not None and item.valid_to <= day:
            return f"no longer valid from {item.valid_to.isoformat()}"
        if day < item.valid_from:
            return f"not yet valid; from {item.valid_from.isoformat()}"
        return "still on file; others decide"

    def _civic(self, case: Case, control: Verdict) -> tuple[EvidenceChange, ...]:
        snapshot = self.against.civic
        if snapshot is None:
            return ()
        policy = load_policy(self.policy if self.policy is not None else control.policy)
        facts = read_facts(case, None, as_of=control.as_of, reading=policy.reading)
        regimen = frozenset(control.regimen)
        new = _items(civic_for(snapshot, facts, regimen))
        if self.against.civic_before is None:
            return tuple(EvidenceChange(_eid(item), "appeared", "", _said(item)) for item in new.values())
        old = _items(civic_for(self.against.civic_before, facts, regimen))
        found: list[EvidenceChange] = []
        for identifier, item in old.items():
            if identifier not in new:
                reason = "not in the snapshot" if identifier not in snapshot.records else "no longer kept or matching"
                found.append(EvidenceChange(_eid(item), "vanished", _said(item), "", reason))
                continue
            found.extend(
                EvidenceChange(_eid(item), name, str(getattr(item, name)), str(getattr(new[identifier], name)))
                for name in ("level", "direction", "significance")
                if getattr(item, name) != getattr(new[identifier], name)
            )
        found.extend(
            EvidenceChange(_eid(item), "appeared", "", _said(item)) for key, item in new.items() if key not in old
        )
        return tuple(found)


def _items(view: CivicView) -> dict[int, CivicItem]:
    return {item.evidence_id: item for item in (*view.supporting, *view.resistance, *view.does_not_support)}


def _eid(item: CivicItem) -> str:
    return f"CIViC EID {item.evidence_id}"


def _said(item: CivicItem) -> str:
    return f"level {item.level}, {item.direction}, {item.significance}"


def _stored_answer(row: Mapping[str, Any]) -> Answer:
    return Answer(
        label=str(row["label"]),
        abstain=bool(row["abstain"]),
        reasons=tuple(str(item["code"]) for item in row["reasons"]),
        missing_fields=tuple(row.get("missing_fields") or ()),
    )


def _answer(verdict: Verdict) -> Answer:
    return Answer(
        label=str(verdict.label),
        abstain=verdict.abstain,
        reasons=tuple(reason.code for reason in verdict.reasons),
        missing_fields=verdict.missing_fields,
    )


def _why(
    before: Answer,
    after: Answer,
    evidence: tuple[EvidenceChange, ...],
    civic: tuple[EvidenceChange, ...],
    row: Mapping[str, Any],
    *,
    reproduced: bool,
) -> tuple[str, ...]:
    said: list[str] = []
    if not reproduced:
        version = row.get("engine_version", "")
        said.append(f"The stored label is not what this version gives for the same evidence (stored by {version}).")
    if before.label != after.label:
        said.append(f"The label changes from {before.label} to {after.label}.")
    gone = [code for code in before.reasons if code not in after.reasons]
    come = [code for code in after.reasons if code not in before.reasons]
    if gone:
        said.append(f"Reasons that no longer hold: {', '.join(dict.fromkeys(gone))}.")
    if come:
        said.append(f"New reasons: {', '.join(dict.fromkeys(come))}.")
    if before.missing_fields != after.missing_fields:
        old, new = (", ".join(answer.missing_fields) or "none" for answer in (before, after))
        said.append(f"Missing fields: {old}; now {new}.")
    said.extend(_sentence(item) for item in (*evidence, *civic))
    return tuple(said)


def _sentence(item: EvidenceChange) -> str:
    if item.kind == "appeared":
        return f"{item.id} appeared ({item.after})."
    if item.kind == "vanished":
        return f"{item.id} vanished ({item.reason or item.before})."
    return f"{item.id}: {item.kind} {item.before}, now {item.after}."
