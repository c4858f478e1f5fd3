"""How the reader of answers does on its two fixtures: python benchmarks/redteam_answers.py [--misses]."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from equipoise.redteam.answers import ANSWERS_VERSION, read_answer
from equipoise.redteam.operators.items import LETTERS, Option

FIXTURES = Path(__file__).parents[1] / "tests" / "redteam" / "fixtures"


def rows_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FIXTURES / name).read_text(encoding="utf-8").splitlines()]


def main(misses: bool) -> None:
    sets = json.loads((FIXTURES / "answers_options.json").read_text(encoding="utf-8"))
    for name in ("answers.jsonl", "answers_real.jsonl"):
        rows = rows_of(name)
        counts: Counter[str] = Counter()
        for row in rows:
            texts = sets[row["options"]] if isinstance(row["options"], str) else row["options"]
            options = [Option(letter=LETTERS[place], text=text) for place, text in enumerate(texts)]
            answer = read_answer(row["reply"], options, stop_reason=row["stop"])
            found = (answer.state.value, answer.label or "", bool(answer.abstained))
            right = found == (row["state"], row["letters"], row["abstained"])
            counts["right" if right else "read wrongly" if found[0] == "ok" else "not read"] += 1
            if misses and not right:
                print(f"{row['id']} {row['reply']!r}: found {found}, {answer.why or answer.form}")
        told = ", ".join(f"{counts[kind]} {kind}" for kind in ("right", "read wrongly", "not read"))
        print(f"{name}, reader {ANSWERS_VERSION}: {told}, of {len(rows)}")


if __name__ == "__main__":
    main("--misses" in sys.argv[1:])
