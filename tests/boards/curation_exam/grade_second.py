"""Grades the second exam by half and by kind.

    PYTHONPATH=src:tests python tests/boards/curation_exam/grade_second.py [--half tuned] [--misses tuned]

`--misses` prints what went wrong in one half only, so that whoever mends the rules on it need not see the other half.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from boards.curation.exam import grade_leaks, grade_scrub, read

HALVES = ("tuned", "held_out")


def only(lines: list[dict[str, Any]], lost: str | None = None, stays: str | None = None) -> dict[str, Any]:
    """The lines that hold a kind, with its spans alone."""
    kept = []
    for line in lines:
        gone = {kind: values for kind, values in line["lost"].items() if kind == lost}
        look = [span for span, kind in zip(line["stays"], line["stay_kinds"], strict=True) if kind == stays]
        if gone or look:
            kept.append({"text": line["text"], "lost": gone, "stays": look})
    return {"names": [], "lines": kept}


def scrub_half(lines: list[dict[str, Any]]) -> tuple[dict[str, dict[str, tuple[int, int]]], list[str]]:
    """Right of how many by kind, for identifiers, look-alikes and plain words; and what went wrong."""
    table: dict[str, dict[str, tuple[int, int]]] = {
        "identifiers gone": {},
        "look-alikes kept": {},
        "plain words kept": {},
    }
    wrong: list[str] = []
    for kind in sorted({kind for line in lines for kind in line["lost"]}):
        counts, misses = grade_scrub(only(lines, lost=kind), together=False)
        table["identifiers gone"][kind] = counts["gone"], counts["identifiers"]
        wrong += misses
    for kind in sorted({kind for line in lines for kind in line["stay_kinds"]}):
        counts, misses = grade_scrub(only(lines, stays=kind), together=False)
        part = "plain words kept" if kind == "context" else "look-alikes kept"
        table[part][kind] = counts["kept"], counts["look-alikes"]
        wrong += misses
    return table, wrong


def leaks_half(cases: list[dict[str, Any]]) -> tuple[dict[str, dict[str, tuple[int, int]]], list[str]]:
    """Right of how many by kind, for leaks and the other sentences (there: wrongly flagged of how many)."""
    counts, wrong = grade_leaks(cases)
    labels = {item["kind"]: item["label"] for case in cases for item in case["sentences"]}
    table: dict[str, dict[str, tuple[int, int]]] = {"leaks found": {}, "others wrongly flagged": {}}
    for kind, label in sorted(labels.items()):
        right, of = counts[kind], counts[f"{kind} of"]
        if label == "leak":
            table["leaks found"][kind] = right, of
        else:
            table["others wrongly flagged"][kind] = of - right, of
    return table, wrong


def total(kinds: dict[str, tuple[int, int]]) -> str:
    return f"{sum(n for n, _ in kinds.values())} of {sum(of for _, of in kinds.values())}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, help="grade this half alone")
    parser.add_argument("--misses", choices=HALVES, help="print what went wrong in this half")
    chosen = parser.parse_args()
    lines = read("scrub_second.yaml")["lines"]
    cases = read("leaks_second.yaml")
    for half in (chosen.half,) if chosen.half else HALVES:
        own_lines = [line for line in lines if line["half"] == half]
        own_cases = [case for case in cases if case["half"] == half]
        together, _ = grade_scrub({"names": [], "lines": own_lines}, together=True)
        for name, (table, wrong) in (
            ("scrub_second.yaml", scrub_half(own_lines)),
            ("leaks_second.yaml", leaks_half(own_cases)),
        ):
            sys.stdout.write(f"\n{name}, {half}\n")
            for part, kinds in table.items():
                sys.stdout.write(f"  {part}: {total(kinds)}\n")
                sys.stdout.writelines(f"    {kind}: {n} of {of}\n" for kind, (n, of) in kinds.items())
            if name.startswith("scrub"):
                sys.stdout.write(
                    f"  all lines as one recording: {together['gone']} of {together['identifiers']} identifiers gone, "
                    f"{together['kept']} of {together['look-alikes']} look-alikes and plain words kept\n"
                )
            if chosen.misses == half:
                sys.stdout.writelines(f"  {miss}\n" for miss in wrong)


if __name__ == "__main__":
    main()
