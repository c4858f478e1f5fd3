"""How often the search shows the statement on which the deterministic verdict rests, by retriever.

python benchmarks/retrieval_recall.py [RETRIEVER ...] [--cases FILE]

RETRIEVER is bm25 or embedding:MODEL. Of the 500 generated cases (seed 42), or those of the file, only the ones whose
verdict rests on an assertion count.
"""

from __future__ import annotations

import argparse
import time

from equipoise.benchmarks.openmtb.questions import load_source, question_of
from equipoise.evals.models import auditor_for
from equipoise.evals.retrieval import BM25, describe_retriever, find

PLACES = (1, 3, 5, 10, 20)


def main() -> None:
    """Print recall at each place and the seconds taken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("retrievers", nargs="*", default=[BM25])
    parser.add_argument("--cases")
    given = parser.parse_args()
    source = load_source(given.cases)
    questions = [question_of(case, source) for case in source.cases]
    for retriever in given.retrievers:
        start = time.perf_counter()
        ranks, decided = [], 0
        for question in questions:
            auditor = auditor_for(question.rules, question.jurisdiction, question.as_of)
            found = find(question, auditor, k=max(PLACES), retriever=retriever)
            decided += bool(found.deciding)
            if found.rank is not None:
                ranks.append(found.rank)
        told = ", ".join(f"top {place} {sum(rank <= place for rank in ranks)}" for place in PLACES)
        seconds = time.perf_counter() - start
        print(f"{describe_retriever(retriever)}: {told}, of {decided} ({seconds:.1f} s, index and audit included)")


if __name__ == "__main__":
    main()
