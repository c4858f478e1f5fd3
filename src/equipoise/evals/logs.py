"""From Inspect's logs to the tables: one row a reply, read again from the stored text with the reader of today.

A sample that ended in an error becomes a row in state `error`; one that was never asked becomes no row and is counted.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log

from equipoise.errors import InputError, UpstreamError, UsageError
from equipoise.evals import inspect_evals_rows, label_rows, refusal_rows, stress_rows
from equipoise.evals.failures import one_line
from equipoise.evals.guard_rows import guard_facts, guard_judgements, plain_model
from equipoise.evals.kept import with_prompt
from equipoise.evals.refusal_reading import Detector
from equipoise.evals.replies import READER_VERSION
from equipoise.evals.rows import error_text
from equipoise.ids import content_hash
from equipoise.outcomes.run import RunInfo
from equipoise.outcomes.schema import ReplyState

FACTS = "equipoise"
"""Key under which a task's metadata hold what the tables need."""

SKIPPED = frozenset({"events", "attachments", "messages", "store", "timelines"})
"""Parts of a sample that are not read: they are most of a log and say nothing more about a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """What logs came to.

    Attributes:
        info: the run.
        outcomes: rows of the outcomes table.
        judgements: rows of the judgements table: whether the deciding assertion was found, how a second reader answered
            the verdict, what the refusal detector and the judges of the log said, what a guard ruled.
        references: what each item is held against, by item, as the task recorded it.
        errors: how many replies failed with which message, the most frequent first.
        not_asked: samples of the logs without any reply, because the run ended before them.
        unmapped: what of the logs has no place in the tables, and how often.
    """

    info: RunInfo
    outcomes: tuple[dict[str, Any], ...]
    judgements: tuple[dict[str, Any], ...]
    references: tuple[Mapping[str, Any], ...]
    errors: Mapping[str, int]
    not_asked: int
    unmapped: Mapping[str, int] = field(default_factory=dict)


def read_logs(paths: Sequence[str | Path]) -> tuple[EvalLog, ...]:
    """The logs of some files.

    Raises:
        UsageError: a file does not exist.
        UpstreamError: it is no log of Inspect.
    """
    logs = []
    for path in paths:
        if not Path(path).is_file():
            message = "there is no such log"
            raise UsageError(message, file=str(path))
        try:
            logs.append(read_eval_log(str(path), exclude_fields=set(SKIPPED)))
        except Exception as error:
            message = f"{path}: not a log of Inspect that can be read ({type(error).__name__}: {one_line(str(error))})"
            raise UpstreamError(message) from error
    return tuple(logs)


def convert(
    logs: Sequence[EvalLog],
    *,
    created_at: str | None = None,
    keep_prompts: bool = False,
    detector: Detector | None = None,
) -> Converted:
    """The tables of one or more logs of the same benchmark and cases.

    Args:
        logs: logs of tasks of this package, or of the tasks of inspect_evals that `inspect_evals_rows` knows.
        created_at: ISO date and time; that of the first log by default.
        keep_prompts: keep the text of every prompt; otherwise that of benign ones, and the hash of the others.
        detector: what reads refusal; the package's own by default.

    Raises:
        InputError: a log of another task, logs of different cases, or a system that answers one item and trial twice.
    """
    facts = [_facts(log) for log in logs]
    if not logs:
        message = "expected at least one log"
        raise InputError(message)
    for name in ("benchmark", "dataset_hash"):
        if len({str(item.get(name)) for item in facts}) > 1:
            message = f"the logs differ in {name}: {', '.join(sorted({str(item.get(name)) for item in facts}))}"
            raise InputError(message, field=name)
    run_id = f"{facts[0]['benchmark']}-{content_hash([_identity(log) for log in logs])}"
    outcomes: list[dict[str, Any]] = []
    judgements: list[dict[str, Any]] = []
    references: dict[str, Mapping[str, Any]] = {}
    errors: Counter[str] = Counter()
    unmapped: Counter[str] = Counter()
    not_asked = 0
    taken: set[tuple[str, str, int]] = set()
    for log, fact in zip(logs, facts, strict=True):
        samples = sorted(log.samples or (), key=lambda item: (str(item.id), item.epoch))
        not_asked += max(0, _expected(log) - len(samples))
        for sample in samples:
            key = (system_of(log), str(sample.id), sample.epoch)
            if key in taken:
                message = f"{key[0]} answers item {key[1]!r}, trial {key[2]}, twice; name only the newest log of a run"
                raise InputError(message, field="system")
            taken.add(key)
            rows, judged, reference = _rows(log, fact, sample, run_id, unmapped, detector)
            outcomes += rows
            judgements += [*judged, *guard_judgements(log, sample, rows[-1])]
            if reference is not None:
                if fact["kind"] not in (LABEL, stress_rows.KIND):
                    reference = with_prompt(reference, refusal_rows.prompt_of(sample), keep=keep_prompts)
                references.setdefault(str(sample.id), reference)
            if any(row["state"] == ReplyState.ERROR for row in rows):
                errors[error_text(sample)] += 1
    return Converted(
        info=_info(logs, facts, run_id, created_at),
        outcomes=tuple(outcomes),
        judgements=tuple(judgements),
        references=tuple(references[name] for name in sorted(references)),
        errors=dict(sorted(errors.items(), key=lambda item: (-item[1], item[0]))),
        not_asked=not_asked,
        unmapped=dict(sorted(unmapped.items())),
    )


def system_of(log: EvalLog) -> str:
    """What answered: the model, with whatever of its setting was not the plain one."""
    facts = _facts(log)
    return _NAMES.get(facts["kind"], refusal_rows.system_name)(log, facts)


def _facts(log: EvalLog) -> Mapping[str, Any]:
    """What the task recorded, with its kind; for a task of inspect_evals what the log itself says."""
    facts = (log.eval.metadata or {}).get(FACTS)
    if isinstance(facts, Mapping) and {"benchmark", "dataset_hash"} <= set(facts):
        kind = facts.get("kind", LABEL)
        if kind in _NEEDED and set(_NEEDED[kind]) <= set(facts):
            return {**facts, "kind": kind}
    known = inspect_evals_rows.facts_of(log)
    if known is not None:
        return known
    message = (
        f"the log is of task {log.eval.task!r}, which is no task of this package, nor one of inspect_evals that it "
    )
    message += f"can read ({', '.join(inspect_evals_rows.TASKS)})"
    raise InputError(message, file=log.location or None)


LABEL = "label"
"""Kind of the tasks whose reply names a label; what a log without a kind is."""

_NEEDED: Mapping[str, tuple[str, ...]] = {
    LABEL: ("configuration", "labels"),
    refusal_rows.KIND: ("detector_version",),
    stress_rows.KIND: ("reader_version", "plan"),
}
"""What the facts of each kind must state."""

_NAMES = {LABEL: label_rows.system_name, stress_rows.KIND: stress_rows.system_name}
"""How the systems of a kind are named; as those of the refusal benchmarks by default."""


def _expected(log: EvalLog) -> int:
    """Replies the run was to bring."""
    samples = len(log.eval.dataset.sample_ids or ()) or int(log.eval.dataset.samples or 0)
    limit = log.eval.config.limit
    if isinstance(limit, int):
        samples = min(samples, limit)
    elif limit is not None:
        samples = max(0, min(samples, limit[1]) - limit[0])
    return samples * int(log.eval.config.epochs or 1)


def _identity(log: EvalLog) -> list[Any]:
    return [log.eval.eval_id, log.eval.task_id, log.eval.model, log.eval.created]


def _rows(
    log: EvalLog,
    facts: Mapping[str, Any],
    sample: EvalSample,
    run_id: str,
    unmapped: Counter[str],
    detector: Detector | None,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], Mapping[str, Any] | None]:
    system = system_of(log)
    asked = plain_model(log)
    provider, _, model = asked.partition("/")
    common = {
        "reply_id": f"{run_id}/{system}/{sample.id}/{sample.epoch}",
        "run": run_id,
        "system": system,
        "model": model or asked,
        "provider": provider if model else None,
        "benchmark": facts["benchmark"],
        "item": str(sample.id),
        "trial": sample.epoch,
        "attempt": 1,
    }
    if facts["kind"] == inspect_evals_rows.KIND:
        row, judged, kept = inspect_evals_rows.foreign_rows(log, facts, sample, common, unmapped, detector)
        return [row], judged, kept
    reference = (sample.metadata or {}).get("reference")
    stored = reference if isinstance(reference, Mapping) else None
    if facts["kind"] == stress_rows.KIND:
        return *stress_rows.stress_rows(facts, sample, common), stored
    if facts["kind"] == refusal_rows.KIND:
        row, judged = refusal_rows.refusal_rows(facts, sample, common, detector)
    else:
        row, judged = label_rows.label_rows(facts, sample, common)
    return [row], judged, stored


def _info(logs: Sequence[EvalLog], facts: Sequence[Mapping[str, Any]], run_id: str, created_at: str | None) -> RunInfo:
    from equipoise._version import __version__

    versions = {"equipoise": __version__, "reply reader": READER_VERSION}
    for log, fact in zip(logs, facts, strict=True):
        versions |= {str(name): str(version) for name, version in log.eval.packages.items()}
        if fact["kind"] == LABEL:
            versions[f"prompt {fact['configuration']}"] = str(fact.get("prompt_version"))
        elif fact["kind"] == stress_rows.KIND:
            versions[f"reader of {fact['benchmark']}"] = str(fact["reader_version"])
        else:
            versions["refusal detector"] = str(fact.get("detector_version") or "")
    return RunInfo(
        run_id=run_id,
        created_at=created_at or _moment(logs[0]),
        benchmark=str(facts[0]["benchmark"]),
        systems=tuple(dict.fromkeys(system_of(log) for log in logs)),
        versions=versions,
        dataset_hash=str(facts[0]["dataset_hash"]),
        prompts_hash=_one([str(fact.get("prompt_hash", "")) for fact in facts]),
        evidence_hash=_one([str(fact.get("evidence_hash", "")) for fact in facts]),
        policy_hash=_one([str(fact.get("policy_hash", "")) for fact in facts]),
        arguments={
            "logs": [
                {
                    "eval_id": log.eval.eval_id,
                    "model": log.eval.model,
                    **guard_facts(log),
                    "status": log.status,
                    "settings": log.plan.config.model_dump(exclude_none=True),
                    "limit": log.eval.config.limit,
                    "started_at": log.stats.started_at or None,
                    "finished_at": log.stats.completed_at or None,
                    "answered_as": sorted({sample.output.model for sample in log.samples or () if sample.output.model}),
                    **{name: value for name, value in fact.items() if name not in ("field_names", "kind")},
                }
                for log, fact in zip(logs, facts, strict=True)
            ]
        },
    )


def _one(hashes: Iterable[str]) -> str:
    """The hash all logs share, or one hash over those they have."""
    distinct = sorted(set(hashes))
    return distinct[0] if len(distinct) == 1 else content_hash(distinct)


def _moment(log: EvalLog) -> str:
    try:
        return dt.datetime.fromisoformat(str(log.eval.created)).isoformat(timespec="seconds")
    except ValueError:
        return str(log.eval.created)
