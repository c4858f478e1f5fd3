"""How many structured cases a second one core audits, beside a fixed yardstick, and where the time goes.

    python benchmarks/audit_speed.py [--n 2000] [--policy label] [--profile]

Every case is a dictionary as the json module gives it; it is read, audited and made into a full verdict (criteria, caveats, what-if
cells, alternatives, spans, headline). No case, verdict, decision or evaluation is kept from one case to the next.

What is kept in the process, and is warm when the clock runs (50 cases and the earlier rounds warm it): the evidence base with its
plans and its look-up by regimen, and the reading of short texts - a drug, a stage, a finding, a score, with the place where it stands - by
the text alone. Those are look-ups in a vocabulary: "EGFR L858R" at place 2 means the same in every case. The generated cases draw
from a small vocabulary, as a hospital's do, so that nearly all of their texts have been seen; `--cold-texts` forgets them before every case
and shows what reading costs without.

How to read it:
- figures are processor time of this process (not wall time), best of five rounds, since other work on a machine only ever adds time;
- the machine moves them, by a factor of two where it is shared: quote the ratio to the yardstick, measured in the same run;
- the yardstick is json.loads and json.dumps of the same cases, the least that anything which takes and gives JSON has to do.
"""

from __future__ import annotations

import argparse
import cProfile
import datetime as dt
import functools
import gc
import json
import pstats
import time
from collections.abc import Callable
from typing import Any

from equipoise.audit.pipeline import Auditor
from equipoise.benchmarks.openmtb.generate import generate
from equipoise.cases.formats import case_from_object

ROUNDS = 5


def best(work: Callable[[], object]) -> float:
    """Seconds of processor time of the quickest round."""
    quickest = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        quickest = min(quickest, time.process_time() - start)
    return quickest


def text_caches() -> list[Any]:
    """Every remembered look-up of a text; vocabularies themselves stay."""
    return [
        item
        for item in gc.get_objects()
        if isinstance(item, functools._lru_cache_wrapper)
        and str(item.__module__).startswith("equipoise.cases.")
        and item.cache_parameters()["maxsize"] is not None
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--policy", default="label")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--cold-texts", action="store_true", help="forget the reading of texts before every case")
    arguments = parser.parse_args()
    cases: list[dict[str, Any]] = [
        {key: value for key, value in case.items() if key != "reference"} for case in generate(arguments.n, 42)
    ]
    lines = [json.dumps(case) for case in cases]
    auditor = Auditor(as_of=dt.date(2026, 11, 1), policy=arguments.policy)
    for case in cases[:50]:
        auditor.audit(case)

    def per_second(work: Callable[[], object]) -> float:
        return len(cases) / best(work)

    audited = per_second(lambda: [auditor.audit(case)[0].label for case in cases])
    read = per_second(lambda: [case_from_object(case).case_id for case in cases])
    written = per_second(
        lambda: [len(json.dumps(verdict.to_dict())) for case in cases for verdict in auditor.audit(case)]
    )
    yardstick = per_second(lambda: [len(json.dumps(json.loads(line))) for line in lines])
    labels = [str(auditor.audit(case)[0].label) for case in cases]
    size = sum(len(json.dumps(auditor.audit(case)[0].to_dict())) for case in cases) / len(cases)
    print(f"{audited:.0f} cases/s audited ({1e6 / audited:.0f} us a case, of which reading {1e6 / read:.0f})")
    print(f"{written:.0f} cases/s audited and written as JSON ({size:.0f} bytes a verdict)")
    print(
        f"yardstick: {yardstick:.0f} cases/s through json.loads and json.dumps ({sum(map(len, lines)) / len(lines):.0f} bytes a case); "
        f"an audit takes {yardstick / audited:.1f} times as long"
    )
    print("labels: " + ", ".join(f"{label} {labels.count(label)}" for label in sorted(set(labels))))
    if arguments.cold_texts:
        caches = text_caches()
        spent = 0.0
        for case in cases:
            for cache in caches:
                cache.cache_clear()
            start = time.process_time()
            auditor.audit(case)
            spent += time.process_time() - start
        print(f"{len(cases) / spent:.0f} cases/s audited when every text is read as if for the first time")
    if arguments.profile:
        profile = cProfile.Profile()
        profile.enable()
        for case in cases:
            auditor.audit(case)
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
