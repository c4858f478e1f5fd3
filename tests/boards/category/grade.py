"""Grades a judge on the invented conclusions beside this file: which category it reads first, which first step, which besides.

`python tests/boards/category/grade.py PROVIDER/MODEL` with `tests` and `src` on the path.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from board_judging_runs import board_reply, board_run
from equipoise.boards.judging.categories import read_plan
from equipoise.boards.judging.criteria import CATEGORY
from equipoise.boards.judging.run import judge_run
from equipoise.boards.measures.concordance import Plan
from equipoise.boards.vocabulary import category_of
from equipoise.outcomes.run import read_run

ITEMS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "conclusions.yaml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """Figures of a judge.

    Attributes:
        items: conclusions.
        read: conclusions it gave a whole and consistent answer on.
        first: of all, those whose first category is right.
        exact: of all, those where first category, first step and everything besides are right.
        wrong: by conclusion, what it read instead; empty text for nothing.
    """

    items: int
    read: int
    first: int
    exact: int
    wrong: Mapping[str, str]


def plan_of(item: Mapping[str, Any]) -> Plan:
    """What a conclusion of the exam recommends."""
    first = category_of(item["first"])
    also = {category_of(name) for name in item.get("also", ())} | ({first} if first else set())
    return Plan(first=first, step=category_of(item.get("step", "")), also=frozenset(also))


def grade(judges: Sequence[str] | Mapping[str, Any]) -> Grade:
    """What one judge reads in the conclusions.

    Args:
        judges: its name, or a model by name.
    """
    records = [
        {"item": item["id"], "recording": item["id"], "stratum": "", "reference": "x", "references": ["x"],
         "categories": ["surgery"]} for item in ITEMS
    ]  # fmt: skip
    replies = {("m", item["id"]): board_reply(item["text"]) for item in ITEMS}
    with tempfile.TemporaryDirectory() as folder:
        run = board_run(Path(folder) / "run", replies, records=records)
        judge_run(run, judges, rubrics=[CATEGORY])
        rows = read_run(run).judgements.to_pylist()
    read = first = exact = 0
    wrong = {}
    for item in ITEMS:
        own = {row["criterion"]: row for row in rows if row["reply_id"] == f"m/{item['id']}"}
        found, wanted = read_plan(own), plan_of(item)
        read += found.plan is not None
        first += found.leading is not None and found.leading.first == wanted.first
        exact += found.plan == wanted
        if found.plan != wanted:
            wrong[item["id"]] = "" if found.plan is None else ", ".join(sorted(found.plan.all)) or "none"
    return Grade(items=len(ITEMS), read=read, first=first, exact=exact, wrong=wrong)


if __name__ == "__main__":
    result = grade(sys.argv[1:2])
    sys.stdout.write(f"{result.first} of {result.items} first, {result.exact} exact, {result.read} read\n")
    for name, text in result.wrong.items():
        sys.stdout.write(f"{name}: {text or 'not read'}\n")
