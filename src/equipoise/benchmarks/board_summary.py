"""What a run of a board task comes to without a judge: how much could be read, words in common, how the discussions went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.benchmarks.board_scoring import FORM, JUDGE, PROCESS, REQUEST, TOOLED, WORDS
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSummary(Result):
    """One system of a run, from rules alone.

    Attributes:
        system: the system.
        replies: replies.
        states: how many of each state.
        as_asked: share of readable or unparsed replies that came exactly as asked, 0 to 1; None without one.
        rouge_l: mean ROUGE-L F1 of the replies that could be read; None without one.
        rouge_l_floored: the same with 0 for every reply that failed in form; calls that failed are no replies, and left out. None
            when nothing is left.
        process: mean of each process measure over the discussions that have it; empty for Specialist Turn.
        discussions: readable discussions.
        with_pictures: replies whose request held a picture.
        reasoned: replies that came with a block of reasoning.
        reasoning_tokens: reported by the providers, over all replies; None when none reports any.
        tool_calls: calls of tools that boards made of their own, over all replies; None where none were offered.
        calling: of the replies that were offered tools, those that called one.
        audits: recommendations that were audited; None without tools.
        audits_told: of these, those the board was told of.
    """

    system: str
    replies: int
    states: Mapping[str, int]
    as_asked: float | None
    rouge_l: float | None
    rouge_l_floored: float | None
    process: Mapping[str, float]
    discussions: int
    with_pictures: int
    reasoned: int
    reasoning_tokens: int | None
    tool_calls: int | None = None
    calling: int = 0
    audits: int | None = None
    audits_told: int = 0


def summaries(
    outcomes: Sequence[Mapping[str, Any]], judgements: Sequence[Mapping[str, Any]]
) -> tuple[BoardSummary, ...]:
    """One summary a system, in the order of the rows.

    Args:
        outcomes: rows of the outcomes.
        judgements: rows of the judgements; those of rules are read.
    """
    systems = dict.fromkeys(str(row["system"]) for row in outcomes)
    points: dict[str, dict[tuple[str, str], float]] = {}
    for row in judgements:
        if row["judge"] == JUDGE and row["points"] is not None:
            points.setdefault(row["reply_id"], {})[(row["rubric"], row["criterion"])] = float(row["points"])
    return tuple(_one(system, [row for row in outcomes if row["system"] == system], points) for system in systems)


def _one(
    system: str, rows: Sequence[Mapping[str, Any]], points: Mapping[str, Mapping[tuple[str, str], float]]
) -> BoardSummary:
    own = [points.get(str(row["reply_id"]), {}) for row in rows]
    read = [
        found[(WORDS, "rouge-l")]
        for row, found in zip(rows, own, strict=True)
        if row["state"] == ReplyState.OK and (WORDS, "rouge-l") in found
    ]
    counted = len(read) + sum(row["state"] not in (ReplyState.OK, ReplyState.ERROR) for row in rows)
    names = dict.fromkeys(name for found in own for rubric, name in found if rubric == PROCESS)
    tokens = [found[(REQUEST, "reasoning-tokens")] for found in own if (REQUEST, "reasoning-tokens") in found]
    tooled = {
        name: [found[(TOOLED, name)] for found in own if (TOOLED, name) in found]
        for name in ("calls", "audits", "audits-told")
    }
    return BoardSummary(
        system=system,
        replies=len(rows),
        states=dict(sorted(Counter(str(row["state"]) for row in rows).items())),
        as_asked=_mean([found[(FORM, "as-asked")] for found in own if (FORM, "as-asked") in found]),
        rouge_l=_mean(read),
        rouge_l_floored=sum(read) / counted if counted else None,
        process={
            name: sum(values) / len(values)
            for name in names
            if (values := [found[(PROCESS, name)] for found in own if (PROCESS, name) in found])
        },
        discussions=sum((PROCESS, "turns") in found for found in own),
        with_pictures=sum(found.get((REQUEST, "pictures"), 0) > 0 for found in own),
        reasoned=sum(found.get((REQUEST, "reasoned"), 0) > 0 for found in own),
        reasoning_tokens=round(sum(tokens)) if tokens else None,
        tool_calls=round(sum(tooled["calls"])) if tooled["calls"] else None,
        calling=sum(number > 0 for number in tooled["calls"]),
        audits=round(sum(tooled["audits"])) if tooled["audits"] else None,
        audits_told=round(sum(tooled["audits-told"])),
    )


def summary(run: Run) -> dict[str, Any]:
    """All summaries of a run, as plain values."""
    found = summaries(run.outcomes.to_pylist(), run.judgements.to_pylist())
    return {"systems": [item.to_dict() for item in found], "setting": run.info.arguments["logs"][0].get("players", "")}


def lines(result: Mapping[str, Any]) -> list[str]:
    """The summaries in lines for a terminal."""
    told = []
    for one in result["systems"]:
        states = one["states"]
        readable, calls = states.get(ReplyState.OK, 0), states.get(ReplyState.ERROR, 0)
        told.append(
            f"came exactly as asked: {_share(one['as_asked'])}; ROUGE-L {_number(one['rouge_l'])} over {readable} replies that could be "
            f"read, {_number(one['rouge_l_floored'])} with 0 for the {one['replies'] - readable - calls} that failed"
            + (f"; {calls} calls that came to nothing are left out" if calls else "")
        )
        if one["discussions"]:
            means = ", ".join(f"{name} {_number(value)}" for name, value in one["process"].items())
            told.append(f"means over {one['discussions']} discussions, by rules over words: {means}")
        tokens = "not reported" if one["reasoning_tokens"] is None else str(one["reasoning_tokens"])
        told.append(
            f"requests: {one['with_pictures']} with pictures; replies with reasoning: {one['reasoned']}, reasoning tokens: {tokens}"
        )
        if one["tool_calls"] is not None:
            told.append(
                f"tools: {one['tool_calls']} calls in {one['calling']} of {one['replies']} replies; "
                f"{one['audits']} recommendations audited, {one['audits_told']} of these told"
            )
            if not one["tool_calls"]:
                told.append("no reply called a tool; a model or provider that cannot call tools looks the same")
    told.append("ROUGE-L compares words, not decisions; a judge is needed for those. Not a medical device.")
    return told


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
