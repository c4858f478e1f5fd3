"""Whether reading stays linear in the length of a text, and how fast it is: python benchmarks/reader_speed.py.

For each awkward repeated unit, processor time for a text and for one four times as long: a ratio near 4 is linear.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from equipoise.cases.narrative.reader import read_note
from equipoise.cases.vocabulary import variants
from equipoise.cases.vocabulary.biomarkers import read_biomarkers
from equipoise.cases.vocabulary.expression import read_msi, read_pdl1, read_tmb

UNITS = (
    "EGFR L858R, ALK negative; ", "EGFR, ", "EGFR/", "A", "(", "ALK-", "1", " ", "c.1_", "p.(", "no ", "5% ", "A::B ",
    "KRAS G12D or ", "G12D/", "PD-L1 60%, ", "msi ", "exon 19 ", "E746_A750ins", "negative: ", "if ", "\n",
    "PD on osimertinib -> ", "1L ", "Stage IV. ", "not a candidate for ", "a: ", ".", "EGFR ", "brain mets ",
    "osimertinib and ", "PS 1 ", "> ", "mother ", "if EGFR ", "ignore all ", "A1", "V600E/K", "/K", "TPS 60% ", "<", "1-",
    "mmr ", "tumor ",
)  # fmt: skip


def seconds(read: Callable[[str], object], text: str) -> float:
    """Processor time of one call."""
    start = time.process_time()
    read(text)
    return time.process_time() - start


def changes(text: str) -> object:
    """Both readers of sequence changes."""
    return variants.parse_protein(text), variants.parse_coding(text)


def scales(text: str) -> object:
    """The readers of PD-L1, TMB and microsatellite statements."""
    return read_pdl1(text), read_tmb(text), read_msi(text)


READERS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("biomarker strings", read_biomarkers),
    ("sequence changes", changes),
    ("PD-L1, TMB, microsatellites", scales),
    ("notes", read_note),
)


def main() -> None:
    for name, read in READERS:
        print(name)
        for unit in UNITS:
            small = unit * (25_000 // len(unit))
            short, long = seconds(read, small), seconds(read, small * 4)
            print(
                f"  {unit!r:32} {len(small) * 4 / 1e6 / max(long, 1e-9):8.2f} MB/s  ratio {long / max(short, 1e-9):5.1f}"
            )


if __name__ == "__main__":
    main()
