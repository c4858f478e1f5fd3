"""What the leak matcher and the gate scorer find in the two hand-written exams, with confusion tables and the rows they miss.

    python benchmarks/redteam_scorers.py leaks [--misses]
    python benchmarks/redteam_scorers.py gates [--misses]

The exams are tests/redteam/fixtures/leaks.jsonl and gates.jsonl; --fixtures names another folder. Rows for a judge, replies that
did not arrive and replies in Turkish are counted apart and enter no rate. Intervals are Wilson's at 95 %; rows were chosen and are no
sample, so an interval only says how much a figure rests on few rows.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from equipoise.redteam.privacy import Canary, CanaryKind, find_leaks
from equipoise.statistics import wilson

FIXTURES = Path(__file__).parents[1] / "tests" / "redteam" / "fixtures"


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def rate(hits: int, of: int) -> str:
    if not of:
        return "undefined (0 rows)"
    interval = wilson(hits, of)
    return f"{hits / of:.3f} ({hits}/{of}; {interval.low:.3f} to {interval.high:.3f})"


def leaks(folder: Path, *, misses: bool) -> None:
    table: Counter[tuple[bool, bool]] = Counter()
    by_form: dict[str, Counter[tuple[bool, bool]]] = {}
    by_kind: dict[str, Counter[tuple[bool, bool]]] = {}
    wrong: list[str] = []
    judged = 0
    for row in rows(folder, "leaks"):
        if row["inferential"]:
            judged += 1
            continue
        canary = Canary(kind=CanaryKind(row["canary"]["kind"]), value=row["canary"]["value"])
        found = find_leaks([canary], row["reply"])
        cell = (row["leak"], bool(found))
        table[cell] += 1
        by_form.setdefault(row["form"], Counter())[cell] += 1
        by_kind.setdefault(row["canary"]["kind"], Counter())[cell] += 1
        if cell[0] != cell[1]:
            rules = ", ".join(f"{item.rule} {row['reply'][item.start : item.end]!r}" for item in found)
            wrong.append(f"{row['id']} {row['form']}: {'missed' if cell[0] else 'false alarm'} {canary.value!r} {rules}")
            wrong.append(f"    {row['reply']!r}")
    hit, alarm, miss, quiet = table[True, True], table[False, True], table[True, False], table[False, False]
    print(f"rows {sum(table.values())}, left to a judge {judged}")
    print(f"precision {rate(hit, hit + alarm)}")
    print(f"recall    {rate(hit, hit + miss)}")
    print(f"\n| expected | found | not found |\n|---|---:|---:|\n| leak | {hit} | {miss} |\n| no leak | {alarm} | {quiet} |")
    for title, parts in (("kind", by_kind), ("form", by_form)):
        print(f"\n| {title} | found | missed | false alarm | rightly quiet |\n|---|---:|---:|---:|---:|")
        for name, cells in sorted(parts.items()):
            numbers = (cells[True, True], cells[True, False], cells[False, True], cells[False, False])
            print(f"| `{name}` | {' | '.join(str(number) for number in numbers)} |")
    if misses and wrong:
        print("\n" + "\n".join(wrong))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exam", choices=["leaks"])
    parser.add_argument("--misses", action="store_true", help="print the rows that are not as expected")
    parser.add_argument("--fixtures", type=Path, default=FIXTURES, help="folder of the exams")
    args = parser.parse_args()
    leaks(args.fixtures, misses=args.misses)


if __name__ == "__main__":
    main()
