"""How a study grows: the work behind one press (next item, its view, one label) in a small and a large study.

Run: python benchmarks/study_desk.py [items of the large study] [raters]. Prints median and 95th percentile of a press and the
ratio of the large study to the small one, in one run on one machine.
"""

from __future__ import annotations

import secrets
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import yaml

from equipoise.study.history import EventKind
from equipoise.study.planning import assign_all
from equipoise.study.raters import add_rater
from equipoise.study.shipped import template
from equipoise.study.store import Item, create_store
from equipoise.study.view import next_public, rater_view

AT = "2026-11-30T12:00:00+00:00"
ANSWERS = {"label": "Supported", "reason": "evidence-supports", "harm": "no", "confidence": "sure"}
PRESSES = 60


def presses(items: int, raters: int) -> np.ndarray:
    """Seconds of each press of one rater in a study of so many items that all raters label."""
    value = yaml.safe_load(template("four-label").text)
    value["raters"] |= {"planned": raters, "per_item": raters}
    with tempfile.TemporaryDirectory() as folder:
        store = create_store(Path(folder) / "study.sqlite", yaml.safe_dump(value), at=AT)
        with store:
            shown = {"patient_summary": "An invented case. " * 40, "proposed_therapy": "invented"}
            store.add_items((Item(name=f"i{number}", shown=shown) for number in range(items)), at=AT, origin="made up")
            for number in range(raters):
                add_rater(store, f"r{number}", at=AT)
            assign_all(store, draw=secrets.token_urlsafe, at=AT)
            taken = []
            for number in range(PRESSES):
                start = time.perf_counter()
                public = next_public(store, "r0")
                if public is None:
                    break
                rater_view(store, "r0", public)
                store.record("r0", public, EventKind.ANSWER, press=str(number), at=AT, answers=ANSWERS)
                taken.append(time.perf_counter() - start)
            return np.asarray(taken)


def main() -> None:
    large = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    raters = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    small = presses(50, raters)
    big = presses(large, raters)
    for name, taken in (("50 items", small), (f"{large} items", big)):
        print(f"{name}: median {1000 * np.median(taken):.1f} ms, p95 {1000 * np.quantile(taken, 0.95):.1f} ms a press")
    print(f"ratio of the medians: {np.median(big) / np.median(small):.1f}")


if __name__ == "__main__":
    main()
