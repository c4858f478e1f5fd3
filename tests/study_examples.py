"""Small runs, a protocol and a study, made up, for the tests of commands and pages."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from equipoise.outcomes import RunInfo, write_run
from equipoise.statistics import wilson
from equipoise.studies.base import DataFile, Row, Source, Study, figure

HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m[red]must[/red] {{ 7*7 }}"
ROWS = "answer\nyes\n"

PROTOCOL = """
version: 1
name: release
benchmark: b
lines:
  - id: accuracy
    metric: {event: correct}
    at_least: 0.6
    minimum_n: 50
  - id: wrongly yes
    metric: {event: label, values: ["yes"], where: {expected: ["no"]}}
    at_most: 0.2
    minimum_n: 10
"""
MARGIN_LINE = """
  - id: not worse
    metric: {event: correct}
    margin: 0.1
    higher_is_better: true
    minimum_n: 50
"""


def replies(kinds: list[tuple[str, str | None]], **more: Any) -> list[dict[str, Any]]:
    """Rows of outcomes from (expected, label); a label None is an unreadable reply."""
    return [
        {
            "reply_id": f"r{number}",
            "system": "s",
            "benchmark": "b",
            "item": f"i{number}",
            "expected": expected,
            "state": "unparsed" if label is None else "ok",
            "label": label,
            "abstained": None if label is None else label == "no",
            "stratum": "odd" if number % 2 else "even",
            "item_family": f"f{number // 10}",
        }
        | more
        for number, (expected, label) in enumerate(kinds)
    ]


def save_run(folder: Path, run_id: str, rows: list[dict[str, Any]], **info: Any) -> Path:
    """Write a run folder."""
    facts: dict[str, Any] = {"dataset_hash": "d", "prompts_hash": "p", "systems": ("s",), "benchmark": "b"} | info
    details = RunInfo(run_id=run_id, created_at="2026-11-30T12:00:00+00:00", **facts)
    return write_run(folder, details, [row | {"run": run_id, "benchmark": details.benchmark} for row in rows])


def kinds(right: int, wrong: int, unread: int = 0, *, no: int = 40) -> list[tuple[str, str | None]]:
    """Items expected yes, of which some are right, wrong or unreadable, then items expected no, all right."""
    return [("yes", "yes")] * right + [("yes", "no")] * wrong + [("yes", None)] * unread + [("no", "no")] * no


def _analyse(folder: Path, rng: object) -> tuple[list[Row], list[str]]:
    del folder, rng
    return [
        figure("rate.first", "share of the first", wilson(30, 100), published=0.3),
        figure("rate.second", "share of the second", wilson(10, 100), published=0.5, adds="a second look finds another"),
        figure("rate.third", "share of the third", wilson(0, 9, n_left_out=3, why_left_out="empty"), published=0.1, partly=True),
        figure("test.p.exact", "p value of the test", 2.8e-34, published=1.9e-5, tolerance=0.05, relative=True),
        figure("floor.score", "score of a system that always refuses", 90.59, adds="above 7 of 9 published ones"),
        figure("gap.none", "gap that cannot be made", None, details={"x": float("nan"), "y": float("inf")}),
        figure("gap.hostile", HOSTILE, -0.25, published=0.1, adds=HOSTILE, warnings=(HOSTILE,)),
    ], ["one warning for all"]  # fmt: skip


STUDY = Study(
    id="tiny",
    title="A made-up study",
    folder="tiny",
    source=Source(
        title="Tiny", address="https://example.org/tiny", commit="0123abc", licence="CC BY 4.0", reference="doi:10.1/x"
    ),
    files=(DataFile(path="tiny/rows.csv", sha256=hashlib.sha256(ROWS.encode()).hexdigest(), origin="all of rows.csv"),),
    analyse=_analyse,
)


def save_study(data: Path) -> Path:
    """Write the data of the made-up study."""
    (data / "tiny").mkdir(parents=True)
    (data / "tiny" / "rows.csv").write_bytes(ROWS.encode())
    return data
