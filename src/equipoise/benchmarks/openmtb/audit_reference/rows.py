"""The result of the audit: one row a published label, and the counts over all of them."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from equipoise.audit.verdict import LABELS
from equipoise.benchmarks.openmtb.audit_reference.findings import APPROVING, FINDINGS

STANDING: dict[str, str] = {
    "stands": "the same label under the policy",
    "contradicted": "approved, and a criterion fails or a negative holds; or disapproved, and an assertion holds",
    "undecided": "the sources ask for something that the case does not document",
    "decided": "called insufficient, and the sources decide with what is documented",
    "weaker": "approved on both sides, at another strength",
}
"""How a published label stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """The assertion and criterion on which a judgement rests.

    Attributes:
        id: id of the assertion.
        source: where it can be read.
        level: A to D.
        required: what the source asks for; empty when the whole assertion is meant.
        found: what the case documents.
    """

    id: str
    source: str
    level: str
    required: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRow:
    """One published label against the sources.

    Attributes:
        case_id: id of the case.
        error_type: the error put in; "none" for a clean case.
        recommendation: as written.
        published: published label.
        audited: label under the policy; empty when the case cannot be read.
        standing: one of `STANDING`.
        reasons: reason codes of the audit, the deciding one first.
        findings: codes of `FINDINGS` that hold.
        in_scope: codes of `FINDINGS` that the case could have.
        cited: assertions on which this rests, at most three.
    """

    case_id: str
    error_type: str
    recommendation: str
    published: str
    audited: str
    standing: str
    reasons: tuple[str, ...]
    findings: tuple[str, ...]
    in_scope: tuple[str, ...]
    cited: tuple[Cited, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceAudit:
    """The audit of all labels.

    Attributes:
        policy: policy it was held against.
        as_of: day for which the evidence was read.
        evidence_hash: content hash of the base.
        dataset_hash: content hash of the cases.
        rows: one a case, in their order.
        unreadable: message by case id.
    """

    policy: str
    as_of: dt.date
    evidence_hash: str
    dataset_hash: str
    rows: tuple[ReferenceRow, ...]
    unreadable: Mapping[str, str]

    def standing(self) -> dict[str, int]:
        """Number of labels by how they stand; every key of `STANDING`, zero included."""
        found = Counter(row.standing for row in self.rows)
        return {code: found[code] for code in STANDING}

    def by_label(self) -> dict[str, dict[str, int]]:
        """Published label -> label under the policy -> number."""
        names = tuple(map(str, LABELS))
        table = {label: dict.fromkeys(names, 0) for label in names}
        for row in self.rows:
            if row.audited:
                table[row.published][row.audited] += 1
        return table

    def by_reason(self) -> dict[str, dict[str, int]]:
        """How labels that do not stand stand -> deciding reason code -> number, most frequent first."""
        table: dict[str, Counter[str]] = {}
        for row in self.rows:
            if row.standing != "stands" and row.reasons:
                table.setdefault(row.standing, Counter())[row.reasons[0]] += 1
        return {code: dict(table[code].most_common()) for code in STANDING if code in table}

    def standing_by_label(self) -> dict[str, dict[str, int]]:
        """Published label -> how it stands -> number."""
        table = {str(label): dict.fromkeys(STANDING, 0) for label in LABELS}
        for row in self.rows:
            table[row.published][row.standing] += 1
        return table

    def findings(self) -> dict[str, dict[str, Any]]:
        """Every finding: title, cases it concerns of the approved cases that could have it, and the assertions."""
        result: dict[str, dict[str, Any]] = {}
        for finding in FINDINGS:
            rows = [row for row in self.rows if finding.code in row.findings]
            scope = [row for row in self.rows if finding.code in row.in_scope and row.published in APPROVING]
            ids = Counter(cited.id for row in rows for cited in row.cited[:1])
            result[finding.code] = {
                "title": finding.title,
                "count": len(rows),
                "of": len(scope),
                "by_published": {
                    str(label): {
                        "count": sum(row.published == label for row in rows),
                        "of": sum(row.published == label for row in scope),
                    }
                    for label in LABELS
                    if label in APPROVING
                },
                "cases": [row.case_id for row in rows],
                "assertions": dict(ids.most_common()),
            }
        return result

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "policy": self.policy,
            "as_of": self.as_of.isoformat(),
            "evidence_hash": self.evidence_hash,
            "dataset_hash": self.dataset_hash,
            "cases": len(self.rows) + len(self.unreadable),
            "standing": self.standing(),
            "standing_text": dict(STANDING),
            "standing_by_label": self.standing_by_label(),
            "by_label": self.by_label(),
            "by_reason": self.by_reason(),
            "findings": self.findings(),
            "rows": [asdict(row) for row in self.rows],
            "unreadable": dict(self.unreadable),
        }
