"""Logs of inspect_evals (xstest, fortress, strong_reject, healthbench, coconot) as rows, without the package itself.

Every reply is read by the refusal detector, as in runs of this package; what the log's own judge said stands beside it as
judgements. A judge that failed is a state of the judgement, also where its own task had scored it as unmet or refused.
What has no place in the tables is counted by name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Score

from equipoise.evals.refusal_reading import Detector
from equipoise.evals.refusal_rows import ITEM_COLUMNS, detector_judgements, prompt_of, sample_reading
from equipoise.evals.rows import judgement, spent
from equipoise.ids import content_hash, text_hash
from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.terms import Arm, Refusal

KIND = "inspect_evals"

Judged = list[dict[str, Any]]
Item = dict[str, Any]
Grade = Callable[[Mapping[str, Any], str, Score, Counter[str]], Judged]
"""From a row of the outcomes, the judge's name, a score and the count of what is not mapped, to judgements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignTask:
    """How the logs of a task are read.

    Attributes:
        benchmark: name of the benchmark in the tables.
        item: from the sample and the task's arguments to the item's columns.
        grade: from a score to judgements.
    """

    benchmark: str
    item: Callable[[EvalSample, Mapping[str, Any]], Item]
    grade: Grade


def facts_of(log: EvalLog) -> dict[str, Any] | None:
    """What the tables need of a log; None when its task is not one of `TASKS`."""
    name = task_name(log)
    if name not in TASKS:
        return None
    ids = [str(item) for item in log.eval.dataset.sample_ids or ()]
    prompts = sorted({text_hash(prompt_of(sample)) for sample in log.samples or ()}) if not ids else []
    return {
        "kind": KIND,
        "benchmark": TASKS[name].benchmark,
        "task": name,
        "dataset": str(log.eval.dataset.name or ""),
        "dataset_hash": content_hash([sorted(ids), prompts]),
        "detector_version": "",
    }


def task_name(log: EvalLog) -> str:
    """Name of the task without its package."""
    return str(log.eval.task_registry_name or log.eval.task).rsplit("/", 1)[-1]


def foreign_rows(
    log: EvalLog,
    facts: Mapping[str, Any],
    sample: EvalSample,
    common: Mapping[str, Any],
    unmapped: Counter[str],
    detector: Detector | None = None,
) -> tuple[dict[str, Any], Judged, Item]:
    """The outcome of a sample, its judgements, and what is known of its item.

    Args:
        log: the log.
        facts: what `facts_of` said.
        sample: the sample.
        common: columns that rows of every kind have.
        unmapped: counts what has no place in the tables; changed.
        detector: what reads refusal; the package's own by default.
    """
    task = TASKS[str(facts["task"])]
    reading = sample_reading(sample, prompt_of(sample), detector)
    item = {"item": str(sample.id), **task.item(sample, log.eval.task_args or {})}
    row = {
        **common,
        **{name: item.get(name) or None for name in ITEM_COLUMNS},
        "state": reading.state.value,
        "reply": reading.text or None,
        "label": None if reading.refusal is None else reading.refusal.value,
        **spent(sample, facts),
    }
    judged = detector_judgements(row, reading, str(facts["detector_version"]))
    if reading.state is ReplyState.OK or reading.state is ReplyState.UNPARSED:
        for name, score in (sample.scores or {}).items():
            judged += task.grade(row, _judge(log, name), score, unmapped)
    elif sample.scores:
        unmapped[f"scores of a reply in state {reading.state.value}"] += 1
    return row, judged, item


def _judge(log: EvalLog, scorer: str) -> str:
    """Who gave the score: the model of the log's role "grader" or of the task's arguments, else the scorer."""
    grader = (log.eval.model_roles or {}).get("grader")
    if grader is not None:
        return "+".join(item.model for item in (grader if isinstance(grader, list) else [grader]))
    names = ("scorer_model", "judge_model", "grader_model", "grader_models", "grader", "judge_llm")
    found = next((log.eval.task_args[name] for name in names if (log.eval.task_args or {}).get(name)), None)
    if isinstance(found, list):
        return "+".join(str(item) for item in found)
    return str(found) if isinstance(found, str) else scorer


def _metadata(sample: EvalSample, name: str) -> str:
    value = (sample.metadata or {}).get(name)
    return str(value) if value is not None else ""


def _failed(score: Score) -> bool:
    return score.value is None or (isinstance(score.value, float) and math.isnan(score.value))


def _choice(
    rubric: str, scale: Mapping[str, str], row: Mapping[str, Any], judge: str, score: Score, unmapped: Counter[str]
) -> Judged:
    """A grade of a few words; one that is none of them is `unparsed`."""
    value = scale.get(str(score.value).strip().upper())
    if value is None and not _failed(score):
        unmapped[f"{rubric}: grade {str(score.value)[:40]!r}"] += 1
    state = ReplyState.OK if value is not None else ReplyState.UNPARSED
    return [judgement(row, judge=judge, rubric=rubric, criterion=rubric, scale=rubric, value=value, state=state)]


def _xstest_item(sample: EvalSample, arguments: Mapping[str, Any]) -> Item:
    del arguments
    arm = {"safe": Arm.BENIGN, "unsafe": Arm.HARMFUL}.get(_metadata(sample, "label"), Arm.UNLABELLED)
    return {"arm": arm.value, "stratum": _metadata(sample, "type"), "facts": {"focus": _metadata(sample, "focus")}}


def _xstest_grade(row: Mapping[str, Any], judge: str, score: Score, unmapped: Counter[str]) -> Judged:
    scale = {"C": Refusal.NONE.value, "P": Refusal.PARTIAL.value, "I": Refusal.FULL.value}
    return _choice("refusal", scale, row, judge, score, unmapped)


def _fortress_item(sample: EvalSample, arguments: Mapping[str, Any]) -> Item:
    del arguments
    side = _metadata(sample, "adversarial_or_benign")
    arm = {"benign": Arm.BENIGN, "adversarial": Arm.HARMFUL}.get(side, Arm.UNLABELLED)
    return {
        "arm": arm.value,
        "stratum": _metadata(sample, "risk_domain"),
        "pair": _metadata(sample, "ID"),
        "facts": {"subdomain": _metadata(sample, "risk_subdomain")},
    }


def _fortress_grade(row: Mapping[str, Any], judge: str, score: Score, unmapped: Counter[str]) -> Judged:
    if row["arm"] == Arm.BENIGN:
        return _choice("refused", {"C": "yes", "I": "no", "P": "partly"}, row, judge, score, unmapped)
    number = _number(score.value)
    state = ReplyState.OK if number is not None else ReplyState.UNPARSED
    return [
        judgement(
            row, judge=judge, rubric="fortress-harm", criterion="share of harmful points met", scale="share",
            value=None, points=number, state=state,
        )
    ]  # fmt: skip


def _strong_reject_item(sample: EvalSample, arguments: Mapping[str, Any]) -> Item:
    method = arguments.get("jailbreak_method")
    facts = {"source": _metadata(sample, "source")} | ({"jailbreak_method": str(method)} if method else {})
    return {"arm": Arm.HARMFUL.value, "stratum": _metadata(sample, "category"), "facts": facts}


def _strong_reject_grade(row: Mapping[str, Any], judge: str, score: Score, unmapped: Counter[str]) -> Judged:
    parts = score.value if isinstance(score.value, Mapping) else {}
    rows = []
    for criterion in ("refusal", "convincingness", "specificity"):
        number = _number(parts.get(criterion))
        state = ReplyState.OK if number is not None else ReplyState.UNPARSED
        rows.append(
            judgement(
                row, judge=judge, rubric="strong_reject", criterion=criterion, scale=f"strong_reject {criterion}",
                value=None, points=number, state=state,
            )
        )  # fmt: skip
    for name in parts:
        if name not in ("refusal", "convincingness", "specificity"):
            unmapped[f"strong_reject: score {name!r}"] += 1
    return rows


def _healthbench_item(sample: EvalSample, arguments: Mapping[str, Any]) -> Item:
    del arguments
    tags = [str(tag) for tag in (sample.metadata or {}).get("example_tags") or ()]
    theme = next((tag.split(":", 1)[1] for tag in tags if tag.startswith("theme:")), "")
    points = [
        _number(item.get("points"))
        for item in (sample.metadata or {}).get("rubrics") or ()
        if isinstance(item, Mapping)
    ]
    return {"arm": Arm.UNLABELLED.value, "stratum": theme, "facts": {"tags": tags, "points": points}}


def _healthbench_grade(row: Mapping[str, Any], judge: str, score: Score, unmapped: Counter[str]) -> Judged:
    details = (score.metadata or {}).get("detailed_results") or []
    if not details:
        unmapped["healthbench: a score without results by criterion"] += 1
    rows = []
    for place, item in enumerate(details, start=1):
        failed = str(item.get("explanation", "")).startswith("Failed to parse")
        met = item.get("met")
        readable = isinstance(met, bool) and not failed
        rows.append(
            judgement(
                row, judge=judge, rubric="healthbench", criterion=f"{place}: {str(item.get('criterion', ''))[:200]}",
                scale="met", value=("met" if met else "not met") if readable else None,
                points=_number(item.get("points")) if readable and met else (0.0 if readable else None),
                state=ReplyState.OK if readable else ReplyState.UNPARSED,
            )
        )  # fmt: skip
    return rows


SAFETY_CATEGORY = "requests with safety concerns"
"""The category of CoCoNot whose requests are harmful; the others call for a reply that is not a plain answer."""


def _coconot_item(sample: EvalSample, arguments: Mapping[str, Any]) -> Item:
    category = _metadata(sample, "category")
    if str(arguments.get("subset", "original")) == "contrast":
        arm = Arm.BENIGN
    else:
        arm = Arm.HARMFUL if category.strip().lower() == SAFETY_CATEGORY else Arm.UNLABELLED
    return {"arm": arm.value, "stratum": category, "facts": {"subcategory": _metadata(sample, "subcategory")}}


def _coconot_grade(row: Mapping[str, Any], judge: str, score: Score, unmapped: Counter[str]) -> Judged:
    names = ("ACCEPTABLE", "UNACCEPTABLE", "COMPLIANCE", "NONCOMPLIANCE", "NEITHER")
    return _choice("coconot", {name: name.lower() for name in names}, row, judge, score, unmapped)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


_FORTRESS = ForeignTask(benchmark="fortress", item=_fortress_item, grade=_fortress_grade)
_HEALTHBENCH = ForeignTask(benchmark="healthbench", item=_healthbench_item, grade=_healthbench_grade)

TASKS: Mapping[str, ForeignTask] = {
    "xstest": ForeignTask(benchmark="xstest", item=_xstest_item, grade=_xstest_grade),
    "fortress_adversarial": _FORTRESS,
    "fortress_benign": _FORTRESS,
    "strong_reject": ForeignTask(benchmark="strong_reject", item=_strong_reject_item, grade=_strong_reject_grade),
    "healthbench": _HEALTHBENCH,
    "healthbench_hard": _HEALTHBENCH,
    "healthbench_consensus": _HEALTHBENCH,
    "coconot": ForeignTask(benchmark="coconot", item=_coconot_item, grade=_coconot_grade),
}
"""Tasks of inspect_evals that can be read, by name."""
