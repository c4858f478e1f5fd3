"""Rows of a stress test: a sample holds one reply or several, and the scorer has read each of them.

What a task of this kind keeps, so that its logs become tables without the task itself:

- its metadata: `kind` "stress", the facts that every task states, `reader_version`, `plan` (see `equipoise.redteam.plan`), and
  `setting`, a few words that name a system apart from another setting of the same model; empty for the plain one;
- a sample's `reference`: columns of the item (`ITEM_COLUMNS`), which are the same for all its replies;
- the score's metadata under `REPLIES`: one `StoredReply` a reply, in the order in which they were asked.

A sample without a score is one row in state `error`: a failed instrument, never an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.log import EvalLog, EvalSample

from equipoise.errors import InputError
from equipoise.evals.rows import judgement, spent
from equipoise.outcomes.schema import ReplyState

KIND = "stress"
"""Kind of the tasks, as their logs state it."""

REPLIES = "replies"
"""Key of the replies in a score's metadata."""

ITEM_COLUMNS: tuple[str, ...] = (
    "item", "parent_item", "operator", "operator_parameters", "expected", "pair", "item_set", "recording", "item_family", "arm",
    "stratum", "group", "conversation", "turn", "round", "trial",
)  # fmt: skip
"""Columns that a reference or a reply may set."""

_RESULT_COLUMNS = ("reply", "label", "abstained", "confidence", "missing_fields")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One judgement of a reply, by a rule or a model.

    Attributes:
        judge: "rules:NAME" or the model's name.
        rubric: identifier of the rubric.
        criterion: criterion within it.
        scale: identifier of the scale.
        value: the value; None unless the state is ok, or when the criterion does not apply.
        points: points of the value; None without.
        version: version of the rubric or rule, for its hash.
        state: state of the judgement.
    """

    judge: str
    rubric: str
    criterion: str
    scale: str
    value: str | None = None
    points: float | None = None
    version: str = ""
    state: ReplyState = ReplyState.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReply:
    """One reply of a sample as its scorer read it.

    Attributes:
        state: what became of it.
        reply: as received.
        label: what was read; None unless the state is ok, or when the task reads no label.
        abstained: whether it abstained; None when not stated.
        confidence: stated confidence, 0 to 1; None without one.
        missing_fields: facts named as undocumented; None when not stated.
        columns: columns of the item that are this reply's own (`ITEM_COLUMNS`).
        judgements: what was found in it.
    """

    state: ReplyState
    reply: str = ""
    label: str | None = None
    abstained: bool | None = None
    confidence: float | None = None
    missing_fields: Sequence[str] | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    judgements: Sequence[Reading] = ()

    def to_dict(self) -> dict[str, Any]:
        """The form in which a score keeps it."""
        return {
            "state": self.state.value,
            "reply": self.reply,
            "label": self.label,
            "abstained": self.abstained,
            "confidence": self.confidence,
            "missing_fields": None if self.missing_fields is None else list(self.missing_fields),
            "columns": dict(self.columns),
            "judgements": [
                {
                    "judge": item.judge,
                    "rubric": item.rubric,
                    "criterion": item.criterion,
                    "scale": item.scale,
                    "value": item.value,
                    "points": item.points,
                    "version": item.version,
                    "state": item.state.value,
                }
                for item in self.judgements
            ],
        }


def system_name(log: EvalLog, facts: Mapping[str, Any]) -> str:
    """The model, and its setting when it is not the plain one.

    Where the facts say that others answered with it (`seated`), their roles and models are part of the name.
    """
    setting = str(facts.get("setting") or "")
    parts = [setting] if setting else []
    for role, bound in sorted((log.eval.model_roles or {}).items()) if facts.get("seated") else ():
        models = bound if isinstance(bound, list) else [bound]
        parts += [f"{role}={one.model}" for one in models]
    return f"{log.eval.model} ({', '.join(parts)})" if parts else log.eval.model


def stress_rows(
    facts: Mapping[str, Any], sample: EvalSample, common: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The outcomes of a sample, one a reply, and the judgements of all of them.

    Args:
        facts: what the task recorded.
        sample: the sample.
        common: columns that rows of every kind have.

    Raises:
        InputError: a stored reply sets a column that is not the item's.
    """
    reference = (sample.metadata or {}).get("reference") or {}
    own = _columns(reference, sample, strict=False)
    stored = _stored(sample)
    if not stored:
        return [{**common, **own, "state": ReplyState.ERROR.value, "reply": None, **spent(sample, facts)}], []
    rows: list[dict[str, Any]] = []
    judged: list[dict[str, Any]] = []
    for number, reply in enumerate(stored, start=1):
        row = {
            **common,
            **own,
            **_columns(reply.get("columns") or {}, sample, strict=True),
            "reply_id": common["reply_id"] if len(stored) == 1 else f"{common['reply_id']}/{number}",
            "state": reply["state"],
            **{name: reply.get(name) for name in _RESULT_COLUMNS},
        }
        row["reply"] = row["reply"] or None
        if row["state"] != ReplyState.OK:
            row |= {name: None for name in _RESULT_COLUMNS if name != "reply"}
        rows.append(row)
        judged += [
            judgement(row, **{**item, "state": ReplyState(item["state"])}) for item in reply.get("judgements") or ()
        ]
    rows[-1] |= spent(sample, facts)
    return rows, judged


def _stored(sample: EvalSample) -> Sequence[Mapping[str, Any]]:
    if sample.error is not None:
        return ()
    for score in (sample.scores or {}).values():
        found = (score.metadata or {}).get(REPLIES)
        if isinstance(found, Sequence) and not isinstance(found, str) and found:
            return found
    return ()


def _columns(values: Mapping[str, Any], sample: EvalSample, *, strict: bool) -> dict[str, Any]:
    extra = sorted(set(values) - set(ITEM_COLUMNS))
    if strict and extra:
        message = (
            f"sample {sample.id!r}: a stored reply sets {extra[0]!r}; expected columns of {', '.join(ITEM_COLUMNS)}"
        )
        raise InputError(message, field=extra[0])
    return {name: values[name] for name in ITEM_COLUMNS if values.get(name) not in (None, "")}
