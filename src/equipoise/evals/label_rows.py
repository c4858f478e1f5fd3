"""Rows of a task whose reply names a label: label, abstention, confidence, missing fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.log import EvalLog, EvalSample

from equipoise.evals.failures import one_line
from equipoise.evals.guard_rows import model_name
from equipoise.evals.replies import Reply
from equipoise.evals.retrieval import BM25
from equipoise.evals.rows import judgement, spent
from equipoise.evals.scorer import reply_of
from equipoise.evals.solvers import RETRIEVAL_KEY, VERDICT_KEY
from equipoise.outcomes.schema import ReplyState


def system_name(log: EvalLog, facts: Mapping[str, Any]) -> str:
    """The model with its configuration, and what of it is not the plain one (order of labels, retriever, form of reply)."""
    parts = [] if facts["configuration"] == "base" else [str(facts["configuration"])]
    if facts.get("label_order"):
        parts.append(f"labels {facts['label_order']}")
    retriever = str(facts.get("retriever") or BM25)
    if retriever != BM25:
        parts.append(retriever.rsplit(",", 1)[0])
    if facts.get("structured"):
        parts.append("structured")
    name = model_name(log)
    return f"{name} ({', '.join(parts)})" if parts else name


def label_rows(
    facts: Mapping[str, Any], sample: EvalSample, common: Mapping[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The outcome of a sample and the judgements of its reply.

    Args:
        facts: what the task recorded.
        sample: the sample.
        common: columns that rows of every kind have.
    """
    reply = _reply(sample, facts)
    reference = (sample.metadata or {}).get("reference") or {}
    error_type = reference.get("error_type")
    row = {
        **common,
        "parent_item": reference.get("parent_id") or None,
        "operator": error_type if error_type not in (None, "none") else None,
        "expected": reference.get("label") or str(sample.target),
        "arm": facts["configuration"],
        "stratum": error_type,
        "state": reply.state.value,
        "reply": reply.text or None,
        "label": reply.label,
        "abstained": reply.abstain,
        "confidence": reply.confidence,
        "missing_fields": list(reply.missing_fields) if reply.missing_fields is not None else None,
        **spent(sample, facts),
    }
    return row, _judgements(row, sample, reply)


def _reply(sample: EvalSample, facts: Mapping[str, Any]) -> Reply:
    if sample.error is not None:
        return Reply(state=ReplyState.ERROR, text=sample.output.completion, why=one_line(sample.error.message))
    if not sample.output.choices and not sample.output.error:
        return Reply(state=ReplyState.ERROR, text="", why="the sample holds no output")
    return reply_of(sample.output, list(facts["labels"]), dict(facts.get("field_names") or {}))


def _judgements(row: Mapping[str, Any], sample: EvalSample, reply: Reply) -> list[dict[str, Any]]:
    rows = []
    metadata = sample.metadata or {}
    found = metadata.get(RETRIEVAL_KEY)
    if isinstance(found, Mapping):
        rows.append(
            judgement(
                row, judge="equipoise/auditor", rubric=f"retrieval-at-{found.get('k')}",
                criterion="deciding assertion shown", scale="found",
                value=("yes" if found.get("rank") else "no") if found.get("deciding") else None,
            )
        )  # fmt: skip
    verdict = metadata.get(VERDICT_KEY)
    if isinstance(verdict, str) and reply.state is ReplyState.OK:
        same = reply.label == verdict
        objects = "objects with a source" if reply.source else "objects without a source"
        rows.append(
            judgement(
                row, judge="equipoise/auditor", rubric="second-reader", criterion="answer to the verdict",
                scale="agreement", value="agrees" if same else objects,
            )
        )  # fmt: skip
    return rows
