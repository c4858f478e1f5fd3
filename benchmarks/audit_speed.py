"""How many structured cases a second one core audits, beside a fixed yardstick, and where the time goes.

    python benchmarks/audit_speed.py [--n 2000] [--profile]

Every case is read, audited and written as a full verdict (criteria, caveats, what-if cells, alternatives, spans, headline);
no verdict, case or parsed string of an earlier case is reused by this script. Processor time of this process, not wall time. The
yardstick is a loop of dictionary look-ups in the same run, so that figures of different machines can be compared: quote the ratio.
"""

from __future__ import annotations

import argparse
import cProfile
import datetime as dt
import json
import pstats
import time

from equipoise.audit.pipeline import Auditor
from equipoise.benchmarks.openmtb.generate import generate


def yardstick() -> float:
    """Dictionary look-ups a second, in millions."""
    table = {f"key{place}": place for place in range(1000)}
    keys = list(table) * 1000
    start = time.process_time()
    total = 0
    for key in keys:
        total += table[key]
    return len(keys) / (time.process_time() - start) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--policy", default="label")
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    cases = [{key: value for key, value in case.items() if key != "reference"} for case in generate(arguments.n, 42)]
    auditor = Auditor(as_of=dt.date(2026, 11, 1), policy=arguments.policy)
    for case in cases[:50]:
        auditor.audit(case)
    best = 0.0
    for _ in range(5):
        start = time.process_time()
        labels = [str(auditor.audit(case)[0].label) for case in cases]
        best = max(best, len(cases) / (time.process_time() - start))
    start = time.process_time()
    written = sum(len(json.dumps(verdict.to_dict())) for case in cases for verdict in auditor.audit(case))
    with_json = len(cases) / (time.process_time() - start)
    speed = yardstick()
    print(
        f"{best:.0f} cases/s audited, {with_json:.0f} cases/s audited and written as JSON ({written / len(cases):.0f} bytes a verdict)"
    )
    print(f"yardstick {speed:.1f} million look-ups/s; {speed * 1e6 / best:.0f} look-ups a case")
    print("labels: " + ", ".join(f"{label} {labels.count(label)}" for label in sorted(set(labels))))
    if arguments.profile:
        profile = cProfile.Profile()
        profile.enable()
        for case in cases:
            auditor.audit(case)
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
