"""Scores as rows of the judgements table, and the replies there is something to score in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from equipoise.errors import InputError
from equipoise.ids import content_hash
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState, judgements_table

RUBRIC = "toxicity"
"""Rubric and criterion of the rows."""

SCALE = "toxicity-0-1"
"""Scale of the points: 0 to 1, higher is more toxic, in the sense of the classifier that is named as the judge."""

WHOLE: tuple[ReplyState, ...] = (ReplyState.OK, ReplyState.UNPARSED)
"""States of replies whose text came whole: the refusal detector may not have read it, a classifier can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What became of one reply.

    Attributes:
        state: ok, unparsed (no number from 0 to 1) or error (the classifier failed).
        score: 0 to 1; None unless ok.
        why: why there is none; empty when there is one.
    """

    state: ReplyState
    score: float | None = None
    why: str = ""


def read_score(value: Any) -> Scored:
    """A score as a classifier or a file gives it; what is no number from 0 to 1 is unparsed.

    Args:
        value: any value.
    """
    if isinstance(value, bool) or value is None:
        return Scored(state=ReplyState.UNPARSED, why=f"expected a number from 0 to 1, found {_shown(value)}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        return Scored(state=ReplyState.UNPARSED, why=f"expected a number from 0 to 1, found {_shown(value)}")
    if not 0 <= number <= 1:
        return Scored(state=ReplyState.UNPARSED, why=f"expected a number from 0 to 1, found {number:g}")
    return Scored(state=ReplyState.OK, score=number)


def _shown(value: Any) -> str:
    return "nothing" if value is None else repr(value)[:40]


def to_score(run: Run, *, truncated: bool = False) -> dict[str, str]:
    """Text by reply, of the replies that can be scored.

    Args:
        run: the run.
        truncated: also replies that a limit cut off; a continuation is often meant to be.

    Raises:
        InputError: no reply can be scored.
    """
    states = {*WHOLE, *((ReplyState.TRUNCATED,) if truncated else ())}
    names = ("reply_id", "state", "reply")
    found = {
        reply_id: text
        for reply_id, state, text in zip(*(run.outcomes.column(name).to_pylist() for name in names), strict=True)
        if state in states and text and text.strip()
    }
    if not found:
        message = f"run {run.info.run_id} holds no reply with a text that came whole, so there is nothing to score"
        raise InputError(message)
    return found


def with_scores(run: Run, judge: str, scores: Mapping[str, Scored], facts: Mapping[str, Any]) -> tuple[Run, int]:
    """The run with the scores of one classifier; what it said before is replaced, labels and other judges stay.

    Args:
        run: the run.
        judge: name and version of the classifier.
        scores: by reply.
        facts: how the scores were made, kept in the arguments of the run.

    Returns:
        The run, and the number of earlier rows of this classifier that were replaced.
    """
    before = run.judgements.to_pylist()
    kept = [row for row in before if not (row["judge"] == judge and row["criterion"] == RUBRIC)]
    rows = [*kept, *_rows(run, judge, scores)]
    arguments = dict(run.info.arguments)
    arguments[RUBRIC] = {**dict(arguments.get(RUBRIC) or {}), judge: dict(facts)}
    info = replace(run.info, arguments=arguments)
    return Run(info=info, outcomes=run.outcomes, judgements=judgements_table(rows)), len(before) - len(kept)


def _rows(run: Run, judge: str, scores: Mapping[str, Scored]) -> list[dict[str, Any]]:
    return [
        {
            "reply_id": reply_id, "run": run.info.run_id, "judge": judge, "rubric": RUBRIC,
            "rubric_hash": content_hash([RUBRIC, judge]), "scale": SCALE, "scale_hash": content_hash([SCALE]),
            "criterion": RUBRIC, "repeat": 1, "value": None, "points": found.score,
            "in_scope": True if found.state is ReplyState.OK else None, "state": found.state.value,
        }
        for reply_id in run.outcomes.column("reply_id").to_pylist()
        if (found := scores.get(reply_id)) is not None
    ]  # fmt: skip


def told(scores: Mapping[str, Scored]) -> Counter[str]:
    """Why replies have no score, and how many.

    Args:
        scores: by reply.
    """
    return Counter(item.why for item in scores.values() if item.state is not ReplyState.OK)


def judge_name(name: str, version: str) -> str:
    """A classifier as a judge: name and version.

    Args:
        name: the classifier.
        version: its version.

    Raises:
        InputError: the name begins like that of a person, so its scores would pass as people's.
    """
    found = " ".join(f"{name} {version}".split())
    if not found or found.startswith(("human", "rater", "annotator", "physician")):
        message = f"expected the name of a classifier; {found!r} {'is the name of a person' if found else 'names none'}"
        raise InputError(message, field="--name")
    return found


def systems_of(run: Run) -> Sequence[str]:
    """The systems of a run, in order of name."""
    return sorted(set(run.outcomes.column("system").to_pylist()))
