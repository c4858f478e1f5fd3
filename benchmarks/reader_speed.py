"""Whether reading stays linear in the length of a text, and how fast it is: python benchmarks/reader_speed.py.

For each awkward repeated unit, processor time for a text and for one four times as long: a ratio near 4 is linear.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from equipoise.cases.narrative.reader import read_note
from equipoise.cases.vocabulary.biomarkers import read_biomarkers

UNITS = (
    "EGFR L858R, ALK negative; ", "EGFR, ", "EGFR/", "A", "(", "ALK-", "1", " ", "c.1_", "p.(", "no ", "5% ", "A::B ",
    "KRAS G12D or ", "G12D/", "PD-L1 60%, ", "msi ", "exon 19 ", "E746_A750ins", "negative: ", "if ", "\n",
    "PD on osimertinib -> ", "1L ", "Stage IV. ", "not a candidate for ",
)  # fmt: skip


def seconds(read: Callable[[str], object], text: str) -> float:
    """Processor time of one call."""
    start = time.process_time()
    read(text)
    return time.process_time() - start


def main() -> None:
    for name, read in (("biomarker strings", read_biomarkers), ("notes", read_note)):
        print(name)
        for unit in UNITS:
            small = unit * (25_000 // len(unit))
            short, long = seconds(read, small), seconds(read, small * 4)
            print(
                f"  {unit!r:32} {len(small) * 4 / 1e6 / max(long, 1e-9):8.2f} MB/s  ratio {long / max(short, 1e-9):5.1f}"
            )


if __name__ == "__main__":
    main()
