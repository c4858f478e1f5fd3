"""The kept runs are whole, every reply is accounted for, and the page that tells of them says what they hold."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from equipoise.outcomes.run import read_run
from equipoise.outcomes.schema import ReplyState

RESULTS = Path(__file__).parents[2] / "docs" / "results"
RUNS = sorted(path.parent for path in RESULTS.rglob("run.json"))
README = (RESULTS / "README.md").read_text(encoding="utf-8")


def test_there_are_kept_runs_of_every_configuration():
    from equipoise.evals.prompting import CONFIGURATIONS

    assert {"smollm2"} <= {path.parent.name for path in RUNS}
    assert set(CONFIGURATIONS) <= {path.name for path in RUNS}


@pytest.mark.parametrize("folder", RUNS, ids=lambda path: path.relative_to(RESULTS).as_posix())
def test_every_reply_has_a_state_and_stands_in_the_table(folder):
    rows = read_run(folder).outcomes.to_pylist()
    counts = Counter(row["state"] for row in rows)
    assert sum(counts[state] for state in ReplyState) == len(rows)
    cells = re.search(rf"^\| `{re.escape(folder.name)}` \|(.*)\|$", README, re.MULTILINE)
    assert cells is not None, f"{folder.name} is not in the table of docs/results/README.md"
    told = [int(cell) for cell in cells[1].split("|")[:7]]
    assert told == [
        len(rows),
        *(counts[state] for state in ("ok", "empty", "blocked", "truncated", "unparsed", "error")),
    ]


@pytest.mark.parametrize("folder", RUNS, ids=lambda path: path.relative_to(RESULTS).as_posix())
def test_replies_that_were_read_or_could_not_be_are_kept(folder):
    for row in read_run(folder).outcomes.to_pylist():
        if row["state"] in ("ok", "unparsed", "truncated"):
            assert row["reply"]
