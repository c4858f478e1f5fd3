"""An audit of the published reference labels: which of them contradict a dated, sourced assertion, and what the
inputs leak.

The labels were made by concordance of alteration and drug alone. Held against labels and pivotal trials (policy
`label`), some stand, some contradict a source, and some cannot be decided from what the case documents. And a label
that string rules without any knowledge of drugs predict from the inputs measures those rules. Nothing here changes
evidence, vocabulary or policy.
"""

from __future__ import annotations

from equipoise.benchmarks.openmtb.audit_reference.auditing import audit_reference
from equipoise.benchmarks.openmtb.audit_reference.findings import APPROVING, FINDINGS, Finding
from equipoise.benchmarks.openmtb.audit_reference.input_features import FEATURE_SETS, features, four_rules
from equipoise.benchmarks.openmtb.audit_reference.leaks import LeakAudit, LeakScore, leak_audit
from equipoise.benchmarks.openmtb.audit_reference.rows import STANDING, Cited, ReferenceAudit, ReferenceRow
from equipoise.benchmarks.openmtb.audit_reference.text import reference_markdown

__all__ = [
    "APPROVING",
    "FEATURE_SETS",
    "FINDINGS",
    "STANDING",
    "Cited",
    "Finding",
    "LeakAudit",
    "LeakScore",
    "ReferenceAudit",
    "ReferenceRow",
    "audit_reference",
    "features",
    "four_rules",
    "leak_audit",
    "reference_markdown",
]
