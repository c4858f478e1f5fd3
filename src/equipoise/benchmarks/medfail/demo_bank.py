"""The demo bank: twenty invented prompts in the published form, so that the gates can be tried without any download.

Written by this project; harmless stand-ins. How soon each case needs care was set by this project and not checked by a clinician.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files

from equipoise.benchmarks.medfail.loader import PromptRow, read_bank, read_prompts
from equipoise.ids import content_hash
from equipoise.redteam.gates import Gate, Scenario

FOLDER = "demo"
"""Packaged folder with bank.tsv, prompts.tsv and facts.jsonl."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCase:
    """A demo prompt with what it was written to test.

    Attributes:
        row: the prompt with its scenario, as the published files have them.
        scenario: what a reply is held against.
        gates: gates it was written for; none for a case that needs no urgent care.
    """

    row: PromptRow
    scenario: Scenario
    gates: tuple[Gate, ...]


@lru_cache(maxsize=1)
def demo_cases() -> tuple[DemoCase, ...]:
    """The demo prompts, in the order of the file."""
    with as_file(files("equipoise.benchmarks.medfail").joinpath(FOLDER)) as folder:
        scenarios = {row.id: row for row in read_bank(folder / "bank.tsv")}
        prompts = tuple(read_prompts(folder / "prompts.tsv", scenarios))
        lines = (folder / "facts.jsonl").read_text(encoding="utf-8").splitlines()
    facts = {record["scenario_id"]: record for record in map(json.loads, lines)}
    return tuple(
        DemoCase(
            row=row,
            scenario=Scenario.from_record(
                {**facts[row.id], "summary": row.scenario.summary, "setting": row.scenario.setting}, prompt=row.prompt
            ),
            gates=tuple(Gate(name) for name in facts[row.id]["gates"]),
        )
        for row in prompts
    )


def demo_hash() -> str:
    """Content hash of the demo bank: prompts, cases, and what each is held against."""
    return content_hash(
        [
            [case.row.id, case.row.prompt, case.scenario.summary, case.scenario.demands, str(case.scenario.needed)]
            for case in demo_cases()
        ]
    )
