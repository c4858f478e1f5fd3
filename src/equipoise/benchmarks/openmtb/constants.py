"""Systems that read nothing. A measure that one of them wins says nothing alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from equipoise.audit.verdict import Label
from equipoise.benchmarks.openmtb.dataset import BenchmarkCase
from equipoise.outcomes.readers import Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantSystem:
    """A system that gives every case the same answer.

    Attributes:
        id: identifier.
        title: for tables and charts.
        label: the answer.
        abstain: whether it abstains.
    """

    id: str
    title: str
    label: Label
    abstain: bool

    def predict(self, cases: Iterable[BenchmarkCase]) -> tuple[Prediction, ...]:
        """The same answer for every case; it names no missing field."""
        return tuple(
            Prediction(case_id=case.case_id, label=self.label.value, abstain=self.abstain, missing_fields=())
            for case in cases
        )


CONSTANTS: tuple[ConstantSystem, ...] = (
    ConstantSystem(id="always-supported", title="always Supported", label=Label.SUPPORTED, abstain=False),
    ConstantSystem(
        id="always-unsupported-abstain", title="always Unsupported, abstains", label=Label.UNSUPPORTED, abstain=True
    ),
    ConstantSystem(id="always-unsupported", title="always Unsupported", label=Label.UNSUPPORTED, abstain=False),
    ConstantSystem(
        id="always-ask", title="always Insufficient Information, abstains",
        label=Label.INSUFFICIENT_INFORMATION, abstain=True,
    ),
    ConstantSystem(
        id="always-partial", title="always Partially Supported", label=Label.PARTIALLY_SUPPORTED, abstain=False
    ),
)  # fmt: skip
"""In the order of tables."""
