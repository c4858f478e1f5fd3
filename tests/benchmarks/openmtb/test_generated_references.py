"""Generated references against the auditor under `label`: both read the same assertions, by different roads.

The references follow from a hand-made table and from what an edit does; the auditor evaluates criteria. A disagreement
means that one of them is wrong, or that the evidence has gained an entry that the table does not know.
"""

from __future__ import annotations

import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.benchmarks.openmtb.dataset import from_records
from equipoise.benchmarks.openmtb.generate import generate
from equipoise.benchmarks.openmtb.generator.drafts import AS_OF
from equipoise.benchmarks.openmtb.metrics import score
from equipoise.benchmarks.openmtb.run import answer


@pytest.mark.parametrize(("types", "seed"), [("published", 42), ("all", 43)])
def test_auditor_and_table_agree(types, seed):
    cases = from_records(generate(500, seed, types=types))
    answers = answer(cases, Auditor(as_of=AS_OF))
    assert answers.errors == {}
    scores = score(cases, answers.predictions)
    assert scores.accuracy >= 0.99
    assert scores.false_approvals == 0
    assert scores.abstention["f1"] >= 0.98
    assert scores.missing_fields["recall"] >= 0.97
