"""What has to be judged in a run, by whom, and what already is; nothing is asked here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.errors import InputError
from equipoise.judging.frame import prepare
from equipoise.judging.makers import MadeBy, made_by
from equipoise.judging.material import JudgeMaterial
from equipoise.judging.panel import Panel
from equipoise.judging.rubric import Rubric
from equipoise.judging.sources import MaterialSource
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState

Key = tuple[str, str, str, int]
"""Reply, judge, hash of the rubric, repeat: what is judged once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """One judgement to be made.

    Attributes:
        key: what is to be judged.
        material: the texts.
        material_hash: hash of rubric and material; equal ones are asked once for a judge and repeat.
    """

    key: Key
    material: JudgeMaterial
    material_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What has to be judged.

    Attributes:
        rubric: the rubric.
        pending: judgements to be made, by reply, judge and repeat.
        done: judgements that are there already.
        eligible: replies that can be judged.
        not_judged: replies that cannot, by their state; "no text" for a reply that was not kept.
        sitting: by reply, the judges that may judge it; of all replies, whatever the limit.
        makers: maker of each judge.
        without_material: by message, the number of replies whose item has no text.
        warnings: what a reader must know.
    """

    rubric: Rubric
    pending: tuple[Pending, ...]
    done: int
    eligible: int
    not_judged: Mapping[str, int]
    sitting: Mapping[str, tuple[str, ...]]
    makers: Mapping[str, MadeBy]
    without_material: Mapping[str, int]
    warnings: tuple[str, ...]


def plan_judging(
    run: Run,
    rubric: Rubric,
    source: MaterialSource,
    judges: Sequence[str],
    *,
    done: Collection[Key] = (),
    panel: Panel | None = None,
    repeats: int = 1,
    limit: int | None = None,
    makers: Mapping[str, str] | None = None,
) -> Plan:
    """Plan the judgements of a run.

    Only replies in state ok are judged: a blocked or empty reply is no text to judge, and stays what it is. A rubric that
    does not show the reply is asked of every item, whatever became of the reply.

    Args:
        run: the run.
        rubric: the rubric.
        source: gives the texts.
        judges: identifiers of the judges.
        done: what is judged already.
        panel: the panel; it says who sits out. Without one nobody does.
        repeats: times each judge is asked the same.
        limit: replies at most, the first of the run.
        makers: maker by model or judge, as told by the user.

    Raises:
        InputError: one of the judges judged this run by another version of the rubric, or no reply has material.
    """
    _require_same_version(run, rubric, judges)
    rows = [row for row in run.outcomes.to_pylist() if not rubric.sees_reply or _state(row) == ReplyState.OK]
    rejected = Counter(_state(row) for row in run.outcomes.to_pylist()) if rubric.sees_reply else Counter()
    del rejected[ReplyState.OK]
    by_judge = {name: made_by(name, given=makers) for name in judges}
    subjects = {_subject(row): _maker(row, makers) for row in rows}
    sitting = {
        row["reply_id"]: panel.sitting(subjects[_subject(row)], by_judge)
        if panel is not None and rubric.sees_reply else tuple(judges)
        for row in rows
    }  # fmt: skip
    rows = rows[:limit]
    pending: list[Pending] = []
    lacking: Counter[str] = Counter()
    first_lacking = ""
    already = 0
    for row in rows:
        keys = [
            (row["reply_id"], name, rubric.hash, n) for name in sitting[row["reply_id"]] for n in range(1, repeats + 1)
        ]
        wanted = [key for key in keys if key not in done]
        already += len(keys) - len(wanted)
        if not wanted:
            continue
        try:
            material = source.material_for(row)
            hashed = prepare(rubric, material).material_hash
        except InputError as error:
            first_lacking = first_lacking or str(error)
            lacking[error.field or "item"] += 1
            continue
        pending += [Pending(key=key, material=material, material_hash=hashed) for key in wanted]
    if lacking and not pending and not already:
        raise InputError(first_lacking)
    told = {first_lacking: sum(lacking.values())} if lacking else {}
    return Plan(
        rubric=rubric,
        pending=tuple(pending),
        done=already,
        eligible=len(rows),
        not_judged=dict(sorted(rejected.items())),
        sitting=sitting,
        makers=by_judge,
        without_material=told,
        warnings=tuple(_warnings(rubric, subjects, by_judge, panel)),
    )


def _state(row: Mapping[str, Any]) -> str:
    if row["state"] == ReplyState.OK and not row["reply"]:
        return "no text"
    return str(row["state"])


def _subject(row: Mapping[str, Any]) -> str:
    return str(row["model"] or row["system"])


def _maker(row: Mapping[str, Any], given: Mapping[str, str] | None) -> MadeBy:
    return made_by(_subject(row), provider=row["provider"], family=row["model_family"], given=given)


def _warnings(
    rubric: Rubric, subjects: Mapping[str, MadeBy], judges: Mapping[str, MadeBy], panel: Panel | None
) -> list[str]:
    """Who shares a maker with whom, and whose maker is not known."""
    if not rubric.sees_reply:
        return []
    found = []
    for subject, maker in sorted(subjects.items()):
        same = sorted(name for name, own in judges.items() if own.makers & maker.makers)
        if not maker.known:
            found.append(
                f"maker of {subject} not known: no judge is left out for it; say it with --maker '{subject}=MAKER'"
            )
        if panel is not None and panel.leave_out_maker and same:
            left = len(panel.judges) - len(same)
            short = f", fewer than the {panel.fewest} needed: its replies get no verdict" if left < panel.fewest else ""
            found.append(f"{subject} ({maker.text}): {', '.join(same)} left out; {_number(left)} left{short}")
        elif same:
            found.append(
                f"{', '.join(same)} and {subject} are of the same maker ({maker.text}): judges may favour replies of their own house"
            )
    found += [
        f"maker of judge {name} not known: it sits for every model; say it with --maker '{name}=MAKER'"
        for name, own in sorted(judges.items()) if not own.known
    ]  # fmt: skip
    return found


def _number(judges: int) -> str:
    return f"{judges} judge{'' if judges == 1 else 's'}" if judges else "no judge"


def _require_same_version(run: Run, rubric: Rubric, judges: Sequence[str]) -> None:
    """The same judge by two versions would be two verdicts under one name; people and other judges may have their own."""
    others = sorted(
        {
            row["rubric_hash"]
            for row in run.judgements.to_pylist()
            if row["rubric"] == rubric.id and row["rubric_hash"] != rubric.hash and row["judge"] in judges
        }
    )
    if others:
        message = (
            f"this run was judged by another version of rubric {rubric.id} ({', '.join(others)}; this one is {rubric.hash}); "
            "drop the judgements of these judges by it with --replace, or give the rubric another id"
        )
        raise InputError(message, field="rubric")
