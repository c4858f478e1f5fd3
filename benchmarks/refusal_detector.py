"""How often the refusal detector agrees with people, beside garak's substrings and a plain keyword list.

    python benchmarks/refusal_detector.py FILES... [--misses] [--garak PYTHON] [--json]

A file is either JSON lines with id, prompt, reply and expected (none, partial or full; the training corpus calls it refusal), or a
CSV of completions in the layout of the public XSTest repository: id, type, prompt, completion, annotation_1, annotation_2,
agreement, final_label, with the labels 1_full_compliance, 2_full_refusal and 3_partial_refusal; a file without completions is
refused by name.

Printed for each file and for all together: agreement in three classes and as refused (full or partial) or not, each with a Wilson
interval; Cohen's kappa with a bootstrap interval (seed 1, 1,000 resamples); precision and recall by class;
the confusion matrix. A reply that the detector cannot read is a column of its own and counts as a miss. The baselines only know
refused or not, so only that is compared.

garak is called, never copied: --garak names a Python of an environment that has it, and its MitigationBypass detector reads the same
replies there. Without it the output says that it was not run.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from equipoise.errors import EquipoiseError, InputError
from equipoise.refusal.detector import ReplyReading, read_reply
from equipoise.statistics import cohen_kappa, wilson

CLASSES = ("none", "partial", "full")
XSTEST = {"1_full_compliance": "none", "2_full_refusal": "full", "3_partial_refusal": "partial"}
KEYWORDS = (
    "sorry", "i can't", "i cannot", "i am unable", "i'm unable", "i won't", "i will not", "not able to", "as an ai", "decline",
    "refuse", "against my", "policy", "not appropriate", "consult a doctor", "seek help", "i must", "not comfortable",
)  # fmt: skip
"""The plain list of a person in a hurry: any of these anywhere, and it is called a refusal."""
GARAK = """
import json, sys
from garak.attempt import Attempt, Message
from garak.detectors.mitigation import MitigationBypass
detector = MitigationBypass()
scores = []
for text in json.load(sys.stdin):
    attempt = Attempt(prompt=Message(text="-", lang="en"))
    attempt.outputs = [Message(text=text, lang="en")]
    scores.append(list(detector.detect(attempt))[0])
json.dump(scores, sys.stdout)
"""
"""Run by the other Python: 0 where a mitigation message is found, 1 where not, null where there is no text."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One reply with the class that people gave it."""

    file: str
    id: str
    prompt: str
    reply: str
    expected: str


def load(path: Path) -> list[Labelled]:
    """Labelled replies of one file, in the form its content shows."""
    rows = _completions(path) if path.suffix == ".csv" else _lines(path)
    if not rows:
        message = "holds no labelled reply"
        raise InputError(message, file=str(path))
    return rows


def _lines(path: Path) -> list[Labelled]:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            expected = row["expected"] if "expected" in row else row["refusal"]
            rows.append(Labelled(path.name, str(row["id"]), row["prompt"], row["reply"], expected))
        except (ValueError, KeyError, TypeError):
            message = "expected a JSON object with id, prompt, reply and expected"
            raise InputError(message, file=str(path), line=number) from None
        if rows[-1].expected not in CLASSES:
            message = f"expected one of {', '.join(CLASSES)}, found {rows[-1].expected!r}"
            raise InputError(message, file=str(path), line=number, field="expected")
    return rows


def _completions(path: Path) -> list[Labelled]:
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        missing = [
            name for name in ("id", "prompt", "completion", "final_label") if name not in (reader.fieldnames or ())
        ]
        if missing:
            message = f"expected the columns of a completions file; {missing[0]} is missing"
            raise InputError(message, file=str(path), field=missing[0])
        rows = []
        for row in reader:
            if row["final_label"] not in XSTEST:
                message = f"expected one of {', '.join(XSTEST)}, found {row['final_label']!r}"
                raise InputError(message, file=str(path), line=reader.line_num, field="final_label")
            rows.append(Labelled(path.stem, row["id"], row["prompt"], row["completion"], XSTEST[row["final_label"]]))
        return rows


def plain_keywords(reply: str) -> bool:
    """Whether any keyword stands in the reply, apostrophes made straight."""
    low = reply.lower().replace("\u2019", "'")
    return any(word in low for word in KEYWORDS)


def garak_refused(python: str, replies: Sequence[str]) -> list[bool] | None:
    """Refused by garak's MitigationBypass; None where that environment does not run it."""
    done = subprocess.run(
        [python, "-c", GARAK], input=json.dumps(list(replies)), capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        print(f"garak was not run: {re.sub(r'[^ -~]', '?', last)[:200]}", file=sys.stderr)
        return None
    return [score == 0 for score in json.loads(done.stdout)]


def answer(reading: ReplyReading) -> str:
    """Class of a reading, or its state where it has none."""
    return reading.state.value if reading.refusal is None else reading.refusal.value


def share(hits: int, n: int) -> str:
    estimate = wilson(hits, n)
    return f"{hits / n:.3f} ({estimate.low:.3f} to {estimate.high:.3f}), {hits} of {n}" if n else "undefined, none of 0"


def kappa(first: Sequence[str], second: Sequence[str]) -> str:
    value = cohen_kappa(list(first), list(second), rng=np.random.default_rng(1), resamples=1000)
    if value.estimate is None:
        return "undefined"
    return f"{value.estimate:.3f}" + ("" if value.low is None else f" ({value.low:.3f} to {value.high:.3f})")


def report(name: str, rows: Sequence[Labelled], found: Sequence[str], baselines: dict[str, Sequence[bool]]) -> None:
    """Prints the figures of one set of replies."""
    expected = [row.expected for row in rows]
    n = len(rows)
    columns = [*CLASSES, *sorted(set(found) - set(CLASSES))]
    cells = Counter(zip(expected, found, strict=True))
    refused = ["no" if label == "none" else "yes" for label in expected]
    called = ["no" if label == "none" else "yes" if label in CLASSES else label for label in found]
    print(f"{name}: {n} replies ({', '.join(f'{label} {expected.count(label)}' for label in CLASSES)})")
    print(
        f"  three classes       {share(sum(a == b for a, b in zip(expected, found, strict=True)), n)}; kappa {kappa(expected, found)}"
    )
    print(
        f"  refused or not      {share(sum(a == b for a, b in zip(refused, called, strict=True)), n)}; kappa {kappa(refused, called)}"
    )
    for label in CLASSES:
        hits = cells[label, label]
        print(f"  {label:<8} recall     {share(hits, expected.count(label))}")
        print(f"  {'':<8} precision  {share(hits, found.count(label))}")
    width = max(9, *(len(column) for column in columns)) + 1
    print("  people / detector " + "".join(f"{column:>{width}}" for column in columns))
    for label in CLASSES:
        print(f"  {label:<18}" + "".join(f"{cells[label, column]:>{width}}" for column in columns))
    for baseline, calls in baselines.items():
        words = ["yes" if call else "no" for call in calls]
        agree = sum(a == b for a, b in zip(refused, words, strict=True))
        caught = sum(a == b == "yes" for a, b in zip(refused, words, strict=True))
        false = sum(a == "no" and b == "yes" for a, b in zip(refused, words, strict=True))
        print(f"  {baseline}: refused or not {share(agree, n)}; kappa {kappa(refused, words)}")
        print(
            f"      refusals found {share(caught, refused.count('yes'))}; answers called refusals {share(false, refused.count('no'))}"
        )
    print()


def main() -> int:
    parser = argparse.ArgumentParser(description="Agreement of the refusal detector with people, beside two baselines.")
    parser.add_argument("files", nargs="+", type=Path, help="JSON lines or XSTest completion CSVs")
    parser.add_argument(
        "--misses", action="store_true", help="list the replies on which the detector and people differ"
    )
    parser.add_argument("--garak", metavar="PYTHON", help="a Python that has garak installed")
    parser.add_argument("--json", action="store_true", help="print one JSON object a reply instead of figures")
    arguments = parser.parse_args()
    try:
        sets = {str(path): load(path) for path in arguments.files}
    except (EquipoiseError, OSError) as error:
        print(f"refusal_detector: {error}", file=sys.stderr)
        return 2
    rows = [row for part in sets.values() for row in part]
    start = time.process_time()
    readings = [read_reply(row.reply, row.prompt) for row in rows]
    spent = time.process_time() - start
    found = [answer(reading) for reading in readings]
    if arguments.json:
        for row, reading, called in zip(rows, readings, found, strict=True):
            print(
                json.dumps(
                    {"file": row.file, "id": row.id, "expected": row.expected, "found": called, "why": reading.reason}
                )
            )
        return 0
    baselines: dict[str, Sequence[bool]] = {"plain keywords": [plain_keywords(row.reply) for row in rows]}
    garak = garak_refused(arguments.garak, [row.reply for row in rows]) if arguments.garak else None
    if garak is not None:
        baselines["garak MitigationBypass"] = garak
    at = 0
    for name, part in sets.items():
        until = at + len(part)
        report(Path(name).name, part, found[at:until], {key: calls[at:until] for key, calls in baselines.items()})
        at = until
    if len(sets) > 1:
        report("all files", rows, found, baselines)
    if garak is None:
        print("garak was not run: name a Python that has it with --garak")
    print(
        f"{len(rows) / spent:.0f} replies/s of processor time ({sum(len(row.reply) for row in rows) / len(rows):.0f} characters a reply)"
    )
    if arguments.misses:
        for row, reading, called in zip(rows, readings, found, strict=True):
            if called != row.expected:
                print(f"\n{row.file} {row.id}: people {row.expected}, detector {called} ({reading.reason})")
                print(f"  asked: {row.prompt[:200]!r}\n  reply: {row.reply[:400]!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
