"""Draws the samples of lung_msk_2017 whose statements are written by hand: 20 samples, stratified over the column of drivers.

`python scripts/draw_cohort_sample.py FILE` prints the sample ids, one a line with its stratum. Within a stratum, samples are ordered by
the SHA-256 of "SEED:SAMPLE_ID", and the first ones are taken; patients that golden.yaml holds already are left
out, and none is drawn twice.
"""

from __future__ import annotations

import csv
import hashlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

SEED = "lung-msk-2017/hand/1"

STRATA: Sequence[tuple[str, frozenset[str], int]] = (
    ("EGFR", frozenset({"EGFR"}), 3),
    ("KRAS", frozenset({"KRAS"}), 2),
    ("unknown driver", frozenset({"UNKNOWN DRIVER"}), 2),
    ("no mutations", frozenset({"No mutations"}), 1),
    ("ALK", frozenset({"ALK"}), 1),
    ("ROS1", frozenset({"ROS1"}), 1),
    ("RET", frozenset({"RET"}), 1),
    ("MET", frozenset({"MET"}), 1),
    ("MET amplification", frozenset({"MET_AMP", "MET AMP"}), 1),
    ("EGFR exon 20", frozenset({"EGFR_exon20"}), 1),
    ("BRAF", frozenset({"BRAF"}), 1),
    ("BRAF other", frozenset({"BRAF non-V600"}), 1),
    ("ERBB2", frozenset({"ERBB2", "ERBB2_WT_AMP", "ERBB2_AMP_MUT"}), 1),
)
"""Name, cells of DRIVER_MUTATIONS, how many; three more are drawn from all other cells."""
OTHERS = 3

GOLDEN = Path(__file__).parent.parent / "tests" / "cases" / "records" / "golden.yaml"


def draw(rows: Sequence[dict[str, str]], known: frozenset[str]) -> list[tuple[str, str]]:
    """Stratum and sample id of each drawn sample, in the order of the strata."""
    order = sorted(rows, key=lambda row: hashlib.sha256(f"{SEED}:{row['SAMPLE_ID']}".encode()).hexdigest())
    named = frozenset[str]().union(*(cells for _, cells, _ in STRATA))
    rest = frozenset(row["DRIVER_MUTATIONS"] for row in rows) - named
    taken = set(known)
    drawn: list[tuple[str, str]] = []
    for name, cells, count in (*STRATA, ("other", rest, OTHERS)):
        for row in order:
            if sum(stratum == name for stratum, _ in drawn) == count:
                break
            if row["DRIVER_MUTATIONS"] in cells and row["PATIENT_ID"] not in taken:
                taken.add(row["PATIENT_ID"])
                drawn.append((name, row["SAMPLE_ID"]))
    return drawn


def main() -> None:
    """Print the draw."""
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        rows = list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))
    # The golden entries that stood before this draw; those added from it stand in a file of their own.
    known = frozenset(re.findall(r"P-[0-9]{7}", GOLDEN.read_text(encoding="utf-8")))
    for name, sample in draw(rows, known):
        sys.stdout.write(f"{sample}\t{name}\n")


if __name__ == "__main__":
    main()
