"""What the first use costs: the import, the evidence base, one cold command. Each is measured in fresh processes.

    python benchmarks/load_speed.py [--rounds 7]

Processor time (user and system) of the child process, and its wall time in parentheses; best of the rounds, since other work on a
machine only ever adds time. "Bare Python" is the interpreter alone and stands in every figure of a whole process. Files are warm in
the disk cache after the first round. The base is timed inside its process: vocabularies read, knowledge parsed and checked against its
files, one regimen looked up.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CASE = {
    "case_id": "load-1", "as_of": "2026-11-01", "tumor": "NSCLC", "histology": "adenocarcinoma", "stage": "IVB", "ecog": 1,
    "biomarkers": ["EGFR L858R", {"name": "ALK fusion", "status": "absent"}], "pdl1": {"tps": 60}, "prior_therapies": [],
    "recommendations": [{"id": "r1", "regimen": "osimertinib"}],
}  # fmt: skip
BASE = """
import time
start = time.process_time()
import datetime as dt
from equipoise.evidence.base import shipped_base
imported = time.process_time()
base = shipped_base()
base.select(frozenset({"osimertinib"}), "US", dt.date(2026, 11, 1))
print(imported - start, time.process_time() - imported)
"""


def child(*command: str) -> tuple[float, float, str]:
    """Processor seconds, wall seconds and output of one fresh process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run([sys.executable, *command], check=True, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, done.stdout


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "case.json"
        file.write_text(json.dumps(CASE), encoding="utf-8")
        for name, command in (
            ("bare Python", ("-c", "pass")),
            ("import equipoise", ("-c", "import equipoise")),
            ("one cold `equipoise audit`", ("-c", "from equipoise.cli.main import run; run()", "audit", str(file))),
        ):
            runs = [child(*command) for _ in range(rounds)]
            print(f"{name:28} {min(run[0] for run in runs):.3f} s ({min(run[1] for run in runs):.3f} s)")
        inside = [tuple(map(float, child("-c", BASE)[2].split())) for _ in range(rounds)]
        print(f"{'modules of the base':28} {min(one[0] for one in inside):.3f} s")
        print(f"{'base loaded and indexed':28} {min(one[1] for one in inside):.3f} s")


if __name__ == "__main__":
    main()
