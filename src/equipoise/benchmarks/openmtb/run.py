"""Runs the deterministic auditor over benchmark cases and turns its answers into outcome rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise._version import __version__
from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import Verdict
from equipoise.benchmarks.openmtb.dataset import BenchmarkCase, dataset_hash
from equipoise.errors import CaseError
from equipoise.ids import content_hash
from equipoise.outcomes.readers import Prediction
from equipoise.outcomes.run import RunInfo
from equipoise.outcomes.schema import ReplyState

BENCHMARK = "openmtb"
AS_OF = dt.date(2026, 10, 1)
"""Day for which the benchmark reads the evidence unless told otherwise: the month in which the published cases appeared."""

SYSTEM = "equipoise/auditor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What the auditor answered.

    Attributes:
        predictions: one a case, in the order of the cases; an unreadable case has the state `error`.
        verdicts: by case id; missing for an unreadable case.
        errors: message by case id, for unreadable cases.
    """

    predictions: tuple[Prediction, ...]
    verdicts: Mapping[str, Verdict]
    errors: Mapping[str, str]


def answer(cases: Iterable[BenchmarkCase], auditor: Auditor) -> Answers:
    """Audit every case; the first recommendation of a case is the one that counts.

    Args:
        cases: the cases; only their inputs are read.
        auditor: policy, evidence, jurisdiction and day.
    """
    predictions: list[Prediction] = []
    verdicts: dict[str, Verdict] = {}
    errors: dict[str, str] = {}
    for case in cases:
        try:
            verdict = auditor.audit(case.inputs)[0]
        except CaseError as error:
            errors[case.case_id] = str(error)
            predictions.append(Prediction(case_id=case.case_id, state=ReplyState.ERROR))
            continue
        verdicts[case.case_id] = verdict
        predictions.append(
            Prediction(
                case_id=case.case_id,
                label=str(verdict.label),
                abstain=verdict.abstain,
                missing_fields=verdict.missing_fields,
            )
        )
    return Answers(predictions=tuple(predictions), verdicts=verdicts, errors=errors)


def with_explanations(
    result: dict[str, Any], answers: Answers, label_auditor: Auditor, cases: Sequence[BenchmarkCase]
) -> None:
    """Add to every miss what explains it: reasons, the deciding assertion, and the label under `label`. Changes `result`.

    Args:
        result: what `benchmark_result` gave.
        answers: the auditor's answers.
        label_auditor: an auditor under the policy `label`, for the same day.
        cases: the cases.
    """
    inputs = {case.case_id: case.inputs for case in cases}
    for miss in result["misses"]:
        verdict = answers.verdicts.get(miss["case_id"])
        if verdict is None:
            continue
        miss["reasons"] = [reason.code for reason in verdict.reasons]
        miss["reason_text"] = verdict.reasons[0].text
        miss["evidence"] = [use.id for use in (*verdict.evidence[:1], *verdict.evidence_against[:1])]
        miss["recommendation"] = verdict.recommendation
        miss["label_under_label_policy"] = str(label_auditor.audit(inputs[miss["case_id"]])[0].label)


def run_info(
    *,
    cases: Sequence[BenchmarkCase],
    auditor: Auditor | None,
    system: str,
    arguments: Mapping[str, Any],
    created_at: str,
) -> RunInfo:
    """The facts of a run, with every hash.

    Args:
        cases: the cases.
        auditor: what answered; None for the stored predictions of another system.
        system: its name.
        arguments: arguments of the command.
        created_at: ISO date and time.
    """
    facts: dict[str, Any] = {
        "dataset_hash": dataset_hash(cases),
        "evidence_hash": auditor.evidence.hash if auditor else "",
        "policy_hash": auditor.policy.hash if auditor else "",
    }
    identity = content_hash([system, dict(arguments), facts, __version__])
    return RunInfo(
        run_id=f"{BENCHMARK}-{identity}",
        created_at=created_at,
        benchmark=BENCHMARK,
        systems=(system,),
        versions={"equipoise": __version__},
        arguments=dict(arguments),
        **facts,
    )


def outcome_rows(
    info: RunInfo, cases: Sequence[BenchmarkCase], predictions: Iterable[Prediction], system: str
) -> Iterator[dict[str, Any]]:
    """One row a prediction, in the outcomes schema.

    Args:
        info: the run.
        cases: the cases.
        predictions: the answers.
        system: who answered.
    """
    by_id = {case.case_id: case for case in cases}
    for place, item in enumerate(predictions, start=1):
        case = by_id.get(item.case_id)
        ok = item.state is ReplyState.OK
        yield {
            "reply_id": f"{info.run_id}/{place}",
            "run": info.run_id,
            "system": system,
            "benchmark": BENCHMARK,
            "item": item.case_id,
            "parent_item": case.reference.parent_id or None if case else None,
            "operator": case.reference.error_type if case and case.reference.error_type != "none" else None,
            "expected": case.reference.label if case else None,
            "stratum": case.reference.error_type if case else None,
            "trial": 1,
            "attempt": 1,
            "state": item.state.value,
            "label": item.label if ok else None,
            "abstained": item.abstain if ok else None,
            "missing_fields": list(item.missing_fields) if ok and item.missing_fields is not None else None,
        }
