"""Processes of a batch: copies of a process that has one thread, fresh ones otherwise, and none that outlives its parent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from equipoise.batch.pool import may_fork, work_of

CASE = {"tumor": "NSCLC", "stage": "IVB", "biomarkers": ["EGFR L858R"], "recommendations": ["osimertinib"]}
CODE = """
import datetime as dt, sys
from equipoise.batch import pool
from equipoise.batch.run import run_batch
from equipoise.batch.settings import Settings

if __name__ == "__main__":
    pool.CHUNK = 3
    forked = pool.may_fork()
    fork = pool.Answers.fork
    started = []
    pool.Answers.fork = lambda self: (fork(self), started.append(self._pool is not None))
    run_batch(sys.argv[1], sys.argv[2], Settings(as_of=dt.date(2026, 11, 1)), workers=int(sys.argv[3]), part_cases=20)
    print(forked, started)
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text(
        "".join(
            json.dumps({"case_id": f"p{place}", "ward": place, **CASE, "ecog": place % 6}) + "\n" for place in range(90)
        ),
        encoding="utf-8",
    )
    return path


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(CODE, encoding="utf-8")
    return path


def test_copies_of_the_process_write_the_bytes_of_one(tmp_path, source, script):
    said = {}
    for workers in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-W", "error", str(script), str(source), str(tmp_path / workers), workers],
            capture_output=True, text=True, check=True, env=os.environ,
        )  # fmt: skip
        said[workers] = done.stdout.strip()
        assert done.stderr == ""
    assert said == {"1": "True [False]", "2": "True [True]"}
    one, two = ({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("1", "2"))
    assert one == two


def test_a_process_with_libraries_that_have_threads_is_not_copied():
    import numpy as np

    assert np.__name__ in sys.modules
    assert not may_fork()


def test_no_process_outlives_a_parent_that_was_killed(tmp_path, script):
    cases = "".join(json.dumps({"case_id": f"p{place}", "x": place, **CASE}) + "\n" for place in range(200_000))
    source = tmp_path / "many.jsonl"
    source.write_text(cases, encoding="utf-8")
    process = subprocess.Popen([sys.executable, str(script), str(source), str(tmp_path / "out"), "2"], env=os.environ)
    until = time.monotonic() + 60
    children: list[int] = []
    while time.monotonic() < until and len(children) < 2:
        time.sleep(0.05)
        children = [
            int(child)
            for task in Path(f"/proc/{process.pid}/task").glob("*/children")
            for child in task.read_text().split()
        ]
    assert len(children) == 2
    time.sleep(0.5)
    process.send_signal(signal.SIGKILL)
    process.wait()
    until = time.monotonic() + 60
    while time.monotonic() < until and any(_runs(child) for child in children):
        time.sleep(0.05)
    assert not [child for child in children if _runs(child)]


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("payload", "more"),
    [
        (json.dumps(CASE).encode(), False),
        (json.dumps({"text": "x" * 4000}).encode(), True),
        (CASE, False),
        ({"text": "x" * 4000}, True),
    ],
    ids=str,
)
def test_a_note_is_more_work_than_fields(payload, more):
    assert (work_of(payload) > 50) is more
