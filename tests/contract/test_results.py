"""The kept runs are whole, every reply is accounted for, and the page that tells of them says what they hold."""

from __future__ import annotations

import hashlib
import json
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
    name = folder.name.split("--")[0]
    cells = re.search(rf"^\| `{re.escape(name)}` \|(.*)\|$", README, re.MULTILINE)
    assert cells is not None, f"{name} is not in the table of docs/results/README.md"
    told = [int(cell) for cell in cells[1].split("|")[:7]]
    assert told == [
        len(rows),
        *(counts[state] for state in ("ok", "empty", "blocked", "truncated", "unparsed", "error")),
    ]


def test_the_red_team_audit_ran_on_every_axis_and_its_pack_is_whole():
    from equipoise.redteam.plan import plan_of
    from equipoise.studies.redteam_axes import AXES

    audit = RESULTS / "smollm2-redteam"
    kept = {path.name.split("--")[0]: path for path in (audit / "runs").iterdir()}
    assert set(kept) == {test.id for axis in AXES for test in axis.tests}
    for name, folder in kept.items():
        plan = plan_of(read_run(folder).info.arguments)
        stored = json.loads((audit / "pack" / "plans" / f"{name}.json").read_text(encoding="utf-8"))
        assert plan.plan_hash == stored["plan_hash"]
    lines = (audit / "pack" / "MANIFEST.sha256").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 10
    for line in lines:
        digest, _, name = line.partition("  ")
        assert hashlib.sha256((audit / "pack" / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("folder", RUNS, ids=lambda path: path.relative_to(RESULTS).as_posix())
def test_replies_that_were_read_or_could_not_be_are_kept(folder):
    for row in read_run(folder).outcomes.to_pylist():
        if row["state"] in ("ok", "unparsed", "truncated"):
            assert row["reply"]
