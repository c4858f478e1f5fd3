"""The detector against labelled replies, and a model's rate corrected by it, under each policy on "cannot say".

Three policies, three numbers: a reply on which the detector cannot say counts as positive, as negative, or is dropped from both the
calibration and the rate. A reply on which it failed is never any of these; it is counted, and bounds the rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from equipoise.benchmarks.das_hallucination.detector import RUBRIC
from equipoise.benchmarks.das_hallucination.loader import BENCHMARK
from equipoise.benchmarks.das_hallucination.roles import CODES, Presence
from equipoise.benchmarks.das_hallucination.task import LABELLED, LABELS, MODEL
from equipoise.benchmarks.das_rates import one_system, rate
from equipoise.errors import InputError
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics import (
    Bounds,
    Calibration,
    CorrectionRefusedError,
    Estimate,
    calibrate,
    cohen_kappa,
    missing_reply_bounds,
    rogan_gladen,
    wilson,
)
from equipoise.statistics.estimate import Result

Row = Mapping[str, Any]
_FAILED = "no verdict of the detector"
_POSITIVE, _NEGATIVE, _UNSURE = (LABELS[name] for name in (Presence.PRESENT, Presence.ABSENT, Presence.CANNOT_SAY))


class Policy(StrEnum):
    """What a "cannot say" counts as."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyResult(Result):
    """Everything under one policy.

    Attributes:
        policy: the policy.
        calibration: counts against the labels.
        accuracy: labelled replies called rightly / with a verdict, clustered by prompt.
        sensitivity: called positive / labelled positive.
        specificity: called negative / labelled negative.
        kappa: Cohen's kappa with the labels; undefined when either uses one value.
        judged: the model's replies called positive / with a verdict, as the detector says it.
        corrected: the same corrected for its errors (Rogan and Gladen; interval of Lang and Reiczigel, which carries the uncertainty of
            sensitivity and specificity); None when refused.
        refused: why; empty otherwise.
    """

    policy: Policy
    calibration: Calibration
    accuracy: Estimate
    sensitivity: Estimate
    specificity: Estimate
    kappa: Estimate
    judged: Estimate
    corrected: Estimate | None
    refused: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeResult(Result):
    """One fault on the labelled replies, as one judge calls it; every code counts, not only the first.

    Attributes:
        judge: the judge.
        code: the fault.
        found: labelled with it and called present.
        missed: labelled with it, asked, and not called present.
        not_asked: labelled with it, and its role did not run.
        elsewhere: called present in a reply not labelled with it.
        failed: verdicts that could not be read.
    """

    judge: str
    code: str
    found: int
    missed: int
    not_asked: int
    elsewhere: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HallucinationMeasures(Result):
    """A run of the detector.

    Attributes:
        system: the system whose replies were looked at; empty without any.
        labelled: labelled replies.
        replies: replies of the system.
        labelled_unsure: labelled replies on which the detector cannot say.
        labelled_failed: labelled replies without a verdict.
        unsure: the system's replies on which it cannot say.
        failed: the system's readable replies without a verdict.
        unread: the system's replies that could not be read, by state.
        bounds: the system's rate with a "cannot say" and a missing verdict counted as none or as all positive.
        policies: by policy, in order.
        codes: by judge and fault, those that were labelled or called.
    """

    system: str
    labelled: int
    replies: int
    labelled_unsure: int
    labelled_failed: int
    unsure: int
    failed: int
    unread: Mapping[str, int]
    bounds: Bounds
    policies: tuple[PolicyResult, ...]
    codes: tuple[CodeResult, ...]


def hallucination_measures(
    outcomes: Iterable[Row],
    judgements: Iterable[Row],
    references: Iterable[Row],
    *,
    rng: np.random.Generator,
    system: str | None = None,
    resamples: int = 2000,
) -> HallucinationMeasures:
    """The measures of one system by one detector.

    Args:
        outcomes: rows of a run that holds the labelled replies, and those of a system if its rate is wanted.
        judgements: its judgements.
        references: what the task recorded of each item; their `codes` are those of the labels.
        rng: random generator of kappa's interval.
        system: the system; the only one besides the labelled replies by default.
        resamples: resamples of kappa's interval.

    Raises:
        InputError: there is no labelled reply, several systems and none named, or rows of another benchmark.
    """
    rows = list(outcomes)
    labelled = [row for row in rows if row.get("item_set") == LABELLED]
    asked = [row for row in rows if row.get("item_set") == MODEL]
    if not labelled:
        message = (
            "the run holds no labelled replies, so nothing is known of the detector; add a log with replies=labelled"
        )
        raise InputError(message, field="outcomes")
    labelled = list(one_system(labelled, BENCHMARK))
    asked = list(one_system(asked, BENCHMARK, system)) if asked else []
    read = [row for row in asked if row["state"] == ReplyState.OK]
    unsure = sum(row["label"] == _UNSURE for row in read)
    failed = sum(row["label"] is None for row in read)
    positive = sum(row["label"] == _POSITIVE for row in read)
    codes = {str(item["item"]): tuple(item.get("codes") or ()) for item in references if "codes" in item}
    return HallucinationMeasures(
        system=str(asked[0]["system"]) if asked else "",
        labelled=len(labelled),
        replies=len(asked),
        labelled_unsure=sum(row["label"] == _UNSURE for row in labelled),
        labelled_failed=sum(row["label"] is None for row in labelled),
        unsure=unsure,
        failed=failed,
        unread=dict(sorted(Counter(str(row["state"]) for row in asked if row["state"] != ReplyState.OK).items())),
        bounds=missing_reply_bounds(
            positive, len(read) - unsure - failed, len(asked) - len(read) + unsure + failed,
            why="unread, without a verdict, or not to be said",
        ),
        policies=tuple(_policy(policy, labelled, read, rng, resamples) for policy in Policy),
        codes=_by_code(labelled, judgements, codes),
    )  # fmt: skip


def _called(row: Row, policy: Policy) -> float:
    """1 for positive, 0 for negative, NaN for dropped or failed."""
    if row["label"] == _UNSURE and policy is not Policy.DROPPED:
        return float(policy is Policy.POSITIVE)
    return {_POSITIVE: 1.0, _NEGATIVE: 0.0}.get(str(row["label"]), float("nan"))


def _policy(
    policy: Policy, labelled: Sequence[Row], read: Sequence[Row], rng: np.random.Generator, resamples: int
) -> PolicyResult:
    truth = [float(row["expected"] == _POSITIVE) for row in labelled]
    called = [_called(row, policy) for row in labelled]
    counts = calibrate(truth, called)
    both = [(row, one, two) for row, one, two in zip(labelled, truth, called, strict=True) if not np.isnan(two)]
    verdicts = [_called(row, policy) for row in read]
    given = [value for value in verdicts if not np.isnan(value)]
    left = len(verdicts) - len(given)
    why = "no verdict of the detector, or not to be said" if left else ""
    corrected, refused = None, ""
    if read:
        try:
            corrected = rogan_gladen(int(sum(given)), len(given), counts, n_left_out=left, why_left_out=why)
        except CorrectionRefusedError as error:
            refused = error.message
    else:
        refused = "no replies of a system"
    return PolicyResult(
        policy=policy,
        calibration=counts,
        accuracy=rate(
            [one == two for _, one, two in both], [str(row["item_family"]) for row, _, _ in both],
            n_left_out=counts.n_left_out, why=_FAILED,
        ),
        sensitivity=wilson(counts.true_positives, counts.positives),
        specificity=wilson(counts.true_negatives, counts.negatives),
        kappa=cohen_kappa(
            [one for _, one, _ in both], [two for _, _, two in both], rng=rng, resamples=resamples, categories=[0.0, 1.0],
            clusters=_clusters([str(row["item_family"]) for row, _, _ in both]),
        ),
        judged=wilson(int(sum(given)), len(given), n_left_out=left, why_left_out=why),
        corrected=corrected,
        refused=refused,
    )  # fmt: skip


def _clusters(names: Sequence[str]) -> list[str] | None:
    return list(names) if len(set(names)) > 1 else None


def _by_code(
    labelled: Sequence[Row], judgements: Iterable[Row], codes: Mapping[str, tuple[str, ...]]
) -> tuple[CodeResult, ...]:
    item_of = {str(row["reply_id"]): str(row["item"]) for row in labelled}
    said: dict[str, dict[tuple[str, str], str | None]] = {}
    for row in judgements:
        if str(row["reply_id"]) in item_of and row["criterion"] in CODES and row["rubric"] != RUBRIC:
            place = (item_of[str(row["reply_id"])], str(row["criterion"]))
            said.setdefault(str(row["judge"]), {})[place] = row["value"] if row["state"] == ReplyState.OK else None
    results = []
    for judge_name, own in said.items():
        for code in CODES:
            with_it = {item for item in item_of.values() if code in codes.get(item, ())}
            present = {item for item in item_of.values() if own.get((item, code)) == Presence.PRESENT}
            if not with_it and not present:
                continue
            asked = {item for item, name in own if name == code}
            results.append(
                CodeResult(
                    judge=judge_name,
                    code=code,
                    found=len(with_it & present),
                    missed=len((with_it & asked) - present),
                    not_asked=len(with_it - asked),
                    elsewhere=len(present - with_it),
                    failed=sum(value is None for (_, name), value in own.items() if name == code),
                )  # fmt: skip
            )
    return tuple(results)
