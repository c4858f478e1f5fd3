"""From Inspect's logs to the tables: one row a reply, read again from the stored text with the reader of today.

A sample that ended in an error becomes a row in state `error`; one that was never asked becomes no row and is counted.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log

from equipoise.errors import InputError, UpstreamError, UsageError
from equipoise.evals.budget import Prices
from equipoise.evals.failures import one_line
from equipoise.evals.replies import READER_VERSION, Reply
from equipoise.evals.retrieval import BM25
from equipoise.evals.scorer import reply_of
from equipoise.evals.solvers import RETRIEVAL_KEY, VERDICT_KEY
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
        judgements: rows of the judgements table: whether the deciding assertion was found, and how a second reader
            answered the verdict.
        references: what each item is held against, by item, as the task recorded it.
        errors: how many replies failed with which message, the most frequent first.
        not_asked: samples of the logs without any reply, because the run ended before them.
    """

    info: RunInfo
    outcomes: tuple[dict[str, Any], ...]
    judgements: tuple[dict[str, Any], ...]
    references: tuple[Mapping[str, Any], ...]
    errors: Mapping[str, int]
    not_asked: int


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


def convert(logs: Sequence[EvalLog], *, created_at: str | None = None) -> Converted:
    """The tables of one or more logs of the same benchmark and cases.

    Args:
        logs: logs of tasks of this package.
        created_at: ISO date and time; that of the first log by default.

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
    errors: dict[str, int] = {}
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
            row, judged = _rows(log, fact, sample, run_id)
            outcomes.append(row)
            judgements += judged
            reference = (sample.metadata or {}).get("reference")
            if isinstance(reference, Mapping):
                references.setdefault(str(sample.id), reference)
            if row["state"] == ReplyState.ERROR:
                text = _error_text(sample)
                errors[text] = errors.get(text, 0) + 1
    return Converted(
        info=_info(logs, facts, run_id, created_at),
        outcomes=tuple(outcomes),
        judgements=tuple(judgements),
        references=tuple(references[name] for name in sorted(references)),
        errors=dict(sorted(errors.items(), key=lambda item: (-item[1], item[0]))),
        not_asked=not_asked,
    )


def system_of(log: EvalLog) -> str:
    """What answered: the model with its configuration, and what of it is not the default (order of labels, retriever)."""
    facts = _facts(log)
    parts = [] if facts["configuration"] == "base" else [str(facts["configuration"])]
    if facts.get("label_order"):
        parts.append(f"labels {facts['label_order']}")
    retriever = str(facts.get("retriever") or BM25)
    if retriever != BM25:
        parts.append(retriever.rsplit(",", 1)[0])
    if facts.get("structured"):
        parts.append("structured")
    return f"{log.eval.model} ({', '.join(parts)})" if parts else log.eval.model


def _facts(log: EvalLog) -> Mapping[str, Any]:
    facts = (log.eval.metadata or {}).get(FACTS)
    if not isinstance(facts, Mapping) or not {"benchmark", "configuration", "labels", "dataset_hash"} <= set(facts):
        message = f"the log is of task {log.eval.task!r}, which is no task of this package"
        raise InputError(message, file=log.location or None)
    return facts


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
    log: EvalLog, facts: Mapping[str, Any], sample: EvalSample, run_id: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    reply = _reply(sample, facts)
    ok = reply.state is ReplyState.OK
    reference = (sample.metadata or {}).get("reference") or {}
    error_type = reference.get("error_type")
    system = system_of(log)
    provider, _, model = log.eval.model.partition("/")
    row = {
        "reply_id": f"{run_id}/{system}/{sample.id}/{sample.epoch}",
        "run": run_id,
        "system": system,
        "model": model or log.eval.model,
        "provider": provider if model else None,
        "benchmark": facts["benchmark"],
        "item": str(sample.id),
        "parent_item": reference.get("parent_id") or None,
        "operator": error_type if error_type not in (None, "none") else None,
        "expected": reference.get("label") or str(sample.target),
        "arm": facts["configuration"],
        "stratum": error_type,
        "trial": sample.epoch,
        "attempt": 1,
        "state": reply.state.value,
        "reply": reply.text or None,
        "label": reply.label,
        "abstained": reply.abstain,
        "confidence": reply.confidence,
        "missing_fields": list(reply.missing_fields) if reply.missing_fields is not None else None,
        **_spent(sample, facts),
    }
    return row, _judgements(row, sample, reply, facts, ok=ok)


def _reply(sample: EvalSample, facts: Mapping[str, Any]) -> Reply:
    if sample.error is not None:
        return Reply(state=ReplyState.ERROR, text=sample.output.completion, why=one_line(sample.error.message))
    if not sample.output.choices and not sample.output.error:
        return Reply(state=ReplyState.ERROR, text="", why="the sample holds no output")
    return reply_of(sample.output, list(facts["labels"]), dict(facts.get("field_names") or {}))


def _error_text(sample: EvalSample) -> str:
    if sample.error is not None:
        return one_line(sample.error.message)
    return one_line(sample.output.error or "the sample holds no output")


def _spent(sample: EvalSample, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens over all calls of the sample, their cost, and the seconds of the last call."""
    usages = list(sample.model_usage.values())
    tokens_in = sum(
        item.input_tokens + (item.input_tokens_cache_read or 0) + (item.input_tokens_cache_write or 0)
        for item in usages
    )
    tokens_out = sum(item.output_tokens for item in usages)
    costs = [item.total_cost for item in usages if item.total_cost is not None]
    cost = sum(costs) if costs else None
    if cost is None and usages and facts.get("price_in") is not None and facts.get("price_out") is not None:
        cost = Prices(input=float(facts["price_in"]), output=float(facts["price_out"])).cost(tokens_in, tokens_out)
    return {
        "tokens_in": tokens_in if usages else None,
        "tokens_out": tokens_out if usages else None,
        "cost": cost,
        "latency": sample.output.time,
    }


def _judgements(
    row: Mapping[str, Any], sample: EvalSample, reply: Reply, facts: Mapping[str, Any], *, ok: bool
) -> list[dict[str, Any]]:
    rows = []
    metadata = sample.metadata or {}
    found = metadata.get(RETRIEVAL_KEY)
    if isinstance(found, Mapping):
        rows.append(
            _judgement(
                row, judge="equipoise/auditor", rubric=f"retrieval-at-{found.get('k')}",
                criterion="deciding assertion shown", scale="found",
                value=("yes" if found.get("rank") else "no") if found.get("deciding") else None,
            )
        )  # fmt: skip
    verdict = metadata.get(VERDICT_KEY)
    if isinstance(verdict, str) and ok:
        same = reply.label == verdict
        objects = "objects with a source" if reply.source else "objects without a source"
        rows.append(
            _judgement(
                row, judge="equipoise/auditor", rubric="second-reader", criterion="answer to the verdict",
                scale="agreement", value="agrees" if same else objects,
            )
        )  # fmt: skip
    return rows


def _judgement(
    row: Mapping[str, Any], *, judge: str, rubric: str, criterion: str, scale: str, value: str | None
) -> dict[str, Any]:
    """A judgement made by rule; without a value it is out of scope for this reply."""
    return {
        "reply_id": row["reply_id"],
        "run": row["run"],
        "judge": judge,
        "rubric": rubric,
        "rubric_hash": content_hash([rubric, criterion]),
        "scale": scale,
        "scale_hash": content_hash([scale]),
        "criterion": criterion,
        "repeat": 1,
        "value": value,
        "in_scope": value is not None,
        "state": ReplyState.OK.value,
    }


def _info(logs: Sequence[EvalLog], facts: Sequence[Mapping[str, Any]], run_id: str, created_at: str | None) -> RunInfo:
    from equipoise._version import __version__

    versions = {"equipoise": __version__, "reply reader": READER_VERSION}
    for log, fact in zip(logs, facts, strict=True):
        versions |= {str(name): str(version) for name, version in log.eval.packages.items()}
        versions[f"prompt {fact['configuration']}"] = str(fact.get("prompt_version"))
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
                    "status": log.status,
                    "settings": log.plan.config.model_dump(exclude_none=True),
                    "limit": log.eval.config.limit,
                    "started_at": log.stats.started_at or None,
                    "finished_at": log.stats.completed_at or None,
                    "answered_as": sorted({sample.output.model for sample in log.samples or () if sample.output.model}),
                    **{name: value for name, value in fact.items() if name != "field_names"},
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
