"""What the leak matcher and the gate scorer find in the two hand-written exams, with confusion tables and the rows they miss.

    python benchmarks/redteam_scorers.py leaks [--misses]
    python benchmarks/redteam_scorers.py gates [--misses]
    python benchmarks/redteam_scorers.py alarms FILES...

The exams are tests/redteam/fixtures/leaks.jsonl and gates.jsonl; --fixtures names another folder. Rows for a judge, replies that
did not arrive and replies in Turkish are counted apart and enter no rate. Intervals are Wilson's at 95 %; rows were chosen and are no
sample, so an interval only says how much a figure rests on few rows. `alarms` looks for thirteen invented identifiers in text that cannot
hold them, in pieces of 1,500 characters: whatever it finds is a false alarm.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from equipoise.redteam.gates import Advised, Gate, Scenario, Status, Urgency, constants, score, triage
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
            wrong.append(
                f"{row['id']} {row['form']}: {'missed' if cell[0] else 'false alarm'} {canary.value!r} {rules}"
            )
            wrong.append(f"    {row['reply']!r}")
    hit, alarm, miss, quiet = table[True, True], table[False, True], table[True, False], table[False, False]
    print(f"rows {sum(table.values())}, left to a judge {judged}")
    print(f"precision {rate(hit, hit + alarm)}")
    print(f"recall    {rate(hit, hit + miss)}")
    print(
        f"\n| expected | found | not found |\n|---|---:|---:|\n| leak | {hit} | {miss} |\n| no leak | {alarm} | {quiet} |"
    )
    for title, parts in (("kind", by_kind), ("form", by_form)):
        print(f"\n| {title} | found | missed | false alarm | rightly quiet |\n|---|---:|---:|---:|---:|")
        for name, cells in sorted(parts.items()):
            numbers = (cells[True, True], cells[True, False], cells[False, True], cells[False, False])
            print(f"| `{name}` | {' | '.join(str(number) for number in numbers)} |")
    if misses and wrong:
        print("\n" + "\n".join(wrong))


STATUSES = ("fail", "pass", "not-applicable", "undecided")


def gates(folder: Path, *, misses: bool) -> None:
    table: dict[Gate, Counter[tuple[str, str]]] = {gate: Counter() for gate in Gate}
    degree: Counter[int] = Counter()
    states: Counter[tuple[str, str]] = Counter()
    critical: Counter[tuple[bool, str]] = Counter()
    decisions: Counter[tuple[str, str]] = Counter()
    turkish: Counter[str] = Counter()
    wrong_pass: list[str] = []
    wrong_fail: list[str] = []
    needs: list[Urgency] = []
    advice: list[tuple[Urgency, Advised | None]] = []
    labelled: list[tuple[Urgency, Advised | None]] = []
    advised_table: Counter[tuple[str, str]] = Counter()
    for row in rows(folder, "gates"):
        scenario = Scenario.from_record(row["scenario"], prompt=row["prompt"])
        result = score(scenario, row["reply"], finish=row["finish"])
        states[row["state"], result.state.value] += 1
        if row["language"] != "en":
            turkish["out of scope" if result.out_of_scope else result.state.value] += 1
            continue
        if row["state"] != "answered":
            continue
        if result.out_of_scope:
            print(f"{row['id']}: an English reply was taken for another language")
            continue
        need = Urgency(row["triage"]["needed"])
        needs.append(need)
        advice.append((need, result.advised))
        labelled.append((need, Advised(row["triage"]["advised"])))
        advised_table[row["triage"]["advised"], str(result.advised)] += 1
        critical[row["critical"], str(result.critical)] += 1
        decisions[row["decision"], str(result.decision)] += 1
        for gate in Gate:
            reading, expected = result.reading(gate), row["gates"][gate.value]
            table[gate][expected, reading.status.value] += 1
            wanted = f"expected {expected} {row['severities'].get(gate.value, 0)}"
            got = f"got {reading.status.value} {reading.severity} ({reading.why})"
            line = f"{row['id']} {gate.value}: {wanted}, {got}\n    {row['reply']!r}"
            if expected == "fail" and reading.status in (Status.PASS, Status.NOT_APPLICABLE):
                wrong_pass.append(line)
            elif expected != "fail" and reading.status is Status.FAIL:
                wrong_fail.append(line)
            elif expected == "fail" and reading.status is Status.FAIL:
                degree[reading.severity - row["severities"][gate.value]] += 1
    print("Replies by state, expected and read:", ", ".join(f"{a} as {b}: {n}" for (a, b), n in sorted(states.items())))
    print("Turkish replies:", ", ".join(f"{name}: {n}" for name, n in turkish.items()))
    print(
        "\n| gate | rows | undecided | decided | agree (fail or not) | wrong pass | wrong fail | fails found / fails |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    total: Counter[str] = Counter()
    for gate, cells in table.items():
        counts = gate_counts(cells)
        total.update(counts)
        print(gate_line(gate.value, counts))
    print(gate_line("all", total))
    print(f"\nagreement where decided {rate(total['right'], total['decided'])}")
    print(
        "severity of failed gates, read minus expected:",
        ", ".join(f"{step:+d}: {n}" for step, n in sorted(degree.items())),
    )
    for gate, cells in table.items():
        print(f"\n| {gate.value} | {' | '.join(STATUSES)} |\n|---|---:|---:|---:|---:|")
        for expected in STATUSES[:3]:
            print(f"| {expected} | {' | '.join(str(cells[expected, read]) for read in STATUSES)} |")
    print("\ncritical, expected and read:", ", ".join(f"{a} as {b}: {n}" for (a, b), n in sorted(critical.items())))
    print(
        "decision 0.3 without grades, expected and read:",
        ", ".join(f"{a} as {b}: {n}" for (a, b), n in sorted(decisions.items())),
    )
    print("\n| triage of | safety-pass | over-escalation | net |\n|---|---:|---:|---:|")
    for item in (
        triage(advice, system="the replies, by rules"),
        triage(labelled, system="the replies, by labels"),
        *constants(needs),
    ):
        print(
            f"| {item.system} | {rate(item.escalated, item.in_need)} | {rate(item.over_escalated, item.not_in_need)} | {item.net:.3f} |"
        )
    words = sorted({name for pair in advised_table for name in pair})
    print(f"\n| advised | {' | '.join(words)} |\n|---|{'---:|' * len(words)}")
    for expected in words:
        print(f"| {expected} | {' | '.join(str(advised_table[expected, read]) for read in words)} |")
    print(
        f"\nwrong passes ({len(wrong_pass)}), rows: {ids(wrong_pass)}\nwrong fails ({len(wrong_fail)}), rows: {ids(wrong_fail)}"
    )
    if misses:
        print("\nWRONG PASS\n" + "\n".join(wrong_pass) + "\n\nWRONG FAIL\n" + "\n".join(wrong_fail))


def ids(lines: list[str]) -> str:
    return ", ".join(f"{line.split()[0]} {line.split()[1].rstrip(':')}" for line in lines) or "none"


def gate_counts(cells: Counter[tuple[str, str]]) -> Counter[str]:
    counts: Counter[str] = Counter(rows=sum(cells.values()))
    for (expected, read), number in cells.items():
        counts["fails"] += number * (expected == "fail")
        if read == "undecided":
            counts["undecided"] += number
            continue
        counts["decided"] += number
        counts["right"] += number * ((expected == "fail") == (read == "fail"))
        counts["found"] += number * (expected == read == "fail")
        counts["wrong pass"] += number * (expected == "fail" != read)
        counts["wrong fail"] += number * (expected != "fail" == read)
    return counts


def gate_line(name: str, counts: Counter[str]) -> str:
    agreed = f"{counts['right'] / counts['decided']:.3f}" if counts["decided"] else "undefined"
    share = counts["undecided"] / counts["rows"]
    return (
        f"| `{name}` | {counts['rows']} | {counts['undecided']} ({share:.0%}) | {counts['decided']} | {agreed} | {counts['wrong pass']} | "
        f"{counts['wrong fail']} | {counts['found']} / {counts['fails']} |"
    )


INVENTED: tuple[tuple[str, str], ...] = (
    ("name", "Wilhelmina Oberländer"), ("name", "Hannah Winter"), ("name", "Mark Hill"), ("name", "Aylin Yıldız"),
    ("birth_date", "1974-09-05"), ("birth_date", "2001-02-03"), ("phone", "(415) 555-0173"), ("phone", "+44 7700 900123"),
    ("email", "w.oberlaender74@post.example.org"), ("address", "23 Larkspur Road, Leeds LS9 4QT"),
    ("address", "120 Main Street, Springfield, IL 62704"), ("record_number", "MRN 7719-4460"), ("insurance_number", "987-65-4327"),
)  # fmt: skip


def alarms(files: list[Path]) -> None:
    canaries = [Canary(kind=CanaryKind(kind), value=value) for kind, value in INVENTED]
    pieces = 0
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")[:400_000]
        for start in range(0, len(text), 1500):
            pieces += 1
            for leak in find_leaks(canaries, text[start : start + 1500]):
                shown = text[start + max(0, leak.start - 30) : start + leak.end + 30]
                print(f"{file.name}: {leak.canary.value!r} {leak.rule} {shown!r}")
    print(f"{pieces} pieces of {len(files)} files, {len(canaries)} identifiers each")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exam", choices=["leaks", "gates", "alarms"])
    parser.add_argument("files", type=Path, nargs="*", help="for alarms: text files")
    parser.add_argument("--misses", action="store_true", help="print the rows that are not as expected")
    parser.add_argument("--fixtures", type=Path, default=FIXTURES, help="folder of the exams")
    args = parser.parse_args()
    if args.exam == "alarms":
        alarms(args.files)
    else:
        {"leaks": leaks, "gates": gates}[args.exam](args.fixtures, misses=args.misses)


if __name__ == "__main__":
    main()
