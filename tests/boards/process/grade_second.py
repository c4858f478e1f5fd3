"""Hold the process measures against the second exam and print a table, by half.

    PYTHONPATH=src:tests python tests/boards/process/grade_second.py [--style model|clinic] [--misses]

`found` is the share of what the gold marks. `wrongly found` is what the rules mark and the gold does not, over the places where it could
have happened: turns without the mark, expected roles that spoke, discussions without an inconsistency, discussions that were not closed
too early. `--misses` lists both kinds for the tuned half; there is no way to list them for the held-out half.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import yaml

from equipoise.boards.measures.process import Closure, Process, measure_discussion
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role

EXAM = Path(__file__).parent / "second.yaml"
HALVES = ("tuned", "held_out")
MEASURES = (
    ("silent role", "expected roles that said nothing", "expected roles that spoke"),
    ("breach", "turns that decide in another's field", "other turns of anybody but the moderator"),
    ("dissent", "turns that dissent", "other turns of anybody but the moderator"),
    ("lost dissent", "dissenting turns that the conclusion does not keep", "other turns of anybody but the moderator"),
    ("kept dissent called lost", "", "dissenting turns kept in the conclusion or taken back"),
    ("repetition", "turns that repeat an earlier one", "other turns"),
    (
        "new in the conclusion",
        "drugs, doses and kinds nobody named",
        "discussions whose conclusion adds and turns nothing",
    ),
    (
        "decision turned around",
        "treatments decided the other way",
        "discussions whose conclusion adds and turns nothing",
    ),
    ("premature closure", "discussions closed too early", "discussions with a marked decision closed in time"),
    ("a fault of any kind", "discussions with a fault", "discussions without any fault"),
)
KINDS = {"vulvectomy": "surgery"}
"""How the rules may name a kind of treatment that the gold gives in the words of the conclusion."""


def measured(row: dict) -> Process:
    """The measures of one discussion of the exam."""
    turns = tuple(
        Turn(id=f"t{place}", speaker=role, role=Role(role), text=text)
        for place, (role, text) in enumerate(row["turns"], start=1)
    )
    return measure_discussion(
        turns,
        row["conclusion"],
        expected_roles=[Role(name) for name in row["expected_roles"]],
        decided_at=f"t{row['decision']}" if row["decision"] else None,
    )


def graded(row: dict) -> tuple[dict[str, tuple[int, int, int, int]], list[str]]:
    """For each measure (found, of, wrongly, of), and the misses in words."""
    found = measured(row)
    counts: dict[str, tuple[int, int, int, int]] = {}
    misses: list[str] = []

    def compare(measure: str, gold: set, got: set, others: int) -> None:
        counts[measure] = (len(gold & got), len(gold), len(got - gold), others)
        misses.extend(f"{measure} missed: {item}" for item in sorted(gold - got, key=str))
        misses.extend(f"{measure} wrongly found: {item}" for item in sorted(got - gold, key=str))

    spoken = sum(role != "moderator" for role, _ in row["turns"])
    dissent = set(row["dissent"])
    lost = set(row["lost"])
    got_lost = {_place(item) for item in found.dissent if item.lost}
    silent = set(row["missing_roles"])
    compare(
        "silent role", silent, {str(role) for role in found.missing_roles}, len(row["expected_roles"]) - len(silent)
    )
    breaches = set(row["breaches"])
    compare("breach", breaches, {_place(item) for item in found.breaches}, spoken - len(breaches))
    compare("dissent", dissent, {_place(item) for item in found.dissent}, spoken - len(dissent))
    compare("lost dissent", lost, got_lost, spoken - len(lost))
    counts["kept dissent called lost"] = (0, 0, len((dissent - lost) & got_lost), len(dissent - lost))
    repeated = set(row["repeated"])
    compare("repetition", repeated, {_place(item) for item in found.repetitions}, len(row["turns"]) - len(repeated))

    sound = not row["inconsistent"]
    unexplained = list(found.unmentioned)
    for measure, kinds in (
        ("new in the conclusion", ("drug", "dose", "kind")),
        ("decision turned around", ("reversal",)),
    ):
        reported = unexplained if measure == "new in the conclusion" else list(getattr(found, "turned_around", ()))
        items = [item for item in row["inconsistent"] if item["what"] in kinds]
        hit = 0
        for item in items:
            words = {item["words"].casefold(), KINDS.get(item["words"], item["words"])}
            named = [name for name in reported if any(word in name.casefold() or name in word for word in words)]
            reported = [name for name in reported if name not in named]
            hit += bool(named)
            if not named:
                misses.append(f"{measure} missed: {item['words']}")
        counts[measure] = (hit, len(items), int(sound and bool(reported)), int(sound))
        misses.extend(f"{measure} wrongly found: {name}" for name in reported)

    premature = found.closure is Closure.PREMATURE
    if row["premature"] is None:
        counts["premature closure"] = (0, 0, 0, 0)
        if found.closure is not Closure.NOT_ASSESSABLE:
            misses.append("premature closure is not assessable here")
    else:
        gold = row["premature"]
        counts["premature closure"] = (int(gold and premature), int(gold), int(premature and not gold), int(not gold))
        if gold != premature:
            misses.append(f"premature closure {'missed' if gold else 'wrongly found'}")

    keys = ("missing_roles", "breaches", "lost", "repeated", "inconsistent", "premature")
    fault = any(row[key] for key in keys)
    turned = bool(getattr(found, "turned_around", ()))
    called = bool(
        found.missing_roles
        or found.breaches
        or got_lost
        or found.repetitions
        or found.unmentioned
        or turned
        or premature
    )
    counts["a fault of any kind"] = (int(fault and called), int(fault), int(called and not fault), int(not fault))
    return counts, misses


def _place(item: object) -> int:
    return int(str(item.turn)[1:])  # type: ignore[attr-defined]


def table(rows: list[dict]) -> dict[str, dict[str, tuple[int, int, int, int]]]:
    """By half and measure: found, of how many, wrongly found, of how many."""
    sums: dict[str, Counter] = {half: Counter() for half in HALVES}
    for row in rows:
        for measure, numbers in graded(row)[0].items():
            for place, number in enumerate(numbers):
                sums[row["half"]][measure, place] += number
    return {
        half: {measure: tuple(sums[half][measure, place] for place in range(4)) for measure, _, _ in MEASURES}  # type: ignore[misc]
        for half in HALVES
    }


def main() -> None:
    """Print the table, and the misses of the tuned half on request."""
    parser = argparse.ArgumentParser(description="Grade the process measures on the second exam.")
    parser.add_argument("--style", choices=("model", "clinic"), help="this half of the styles only")
    parser.add_argument(
        "--misses", action="store_true", help="list what was missed and wrongly found in the tuned half"
    )
    chosen = parser.parse_args()
    rows = [
        row
        for row in yaml.safe_load(EXAM.read_text(encoding="utf-8"))
        if chosen.style is None or row["style"] == chosen.style
    ]
    print("\n".join(report(rows, misses=chosen.misses)))  # noqa: T201


def report(rows: list[dict], *, misses: bool) -> list[str]:
    """The lines to print."""
    figures = table(rows)
    lines = [
        "| measure | tuned: found | tuned: wrongly | held out: found | held out: wrongly |",
        "|---|---|---|---|---|",
    ]
    for measure, _, _ in MEASURES:
        cells = []
        for half in HALVES:
            hit, of, wrong, other = figures[half][measure]
            cells += [f"{hit} of {of}" if of else "", f"{wrong} of {other}"]
        lines.append(f"| {measure} | {' | '.join(cells)} |")
    lines += ["", "Denominators"]
    lines += [
        f"  {measure}: {f'found of the {marked}; ' if marked else ''}wrongly of the {unmarked}"
        for measure, marked, unmarked in MEASURES
    ]
    if misses:
        for row in (row for row in rows if row["half"] == "tuned"):
            missed = graded(row)[1]
            lines += ["", row["name"], *(f"  {miss}" for miss in missed)] if missed else []
    return lines


if __name__ == "__main__":
    main()
