"""How many citations a second one core holds against the evidence: python benchmarks/citation_speed.py [--n 2000].

One recommendation that cites a trial by name, checked again and again against its deciding assertion; the index of
sources is made before the clock starts, and how long that took is printed beside it. Processor time.
"""

from __future__ import annotations

import argparse
import time

from equipoise.cases.formats import case_from_object
from equipoise.evidence.base import shipped_base
from equipoise.evidence.citations import check_citations, citation_index


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=2000)
    number = parser.parse_args().n
    base = shipped_base()
    start = time.process_time()
    citation_index(base)
    made = time.process_time() - start
    case = case_from_object(
        {
            "tumor": "NSCLC",
            "setting": "metastatic",
            "biomarkers": ["EGFR L858R"],
            "prior_therapies": "none",
            "recommendations": [{"regimen": "osimertinib", "citations": ["FLAURA"]}],
        }
    )
    deciding = [base.get("nsclc.osimertinib.egfr-common.metastatic-1l")]
    start = time.process_time()
    for _ in range(number):
        check_citations(case.recommendations[0], deciding, base)
    print(f"{number / (time.process_time() - start):.0f} citations/s; index made in {made:.3f} s")


if __name__ == "__main__":
    main()
