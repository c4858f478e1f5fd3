"""How the scrub and the finder of leaks do on the exam (`tests/boards/curation_exam`), counted line by line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from equipoise.boards.curation.deleak import apply_deletions, find_leaks, verify_deletions
from equipoise.boards.curation.scrub import scrub
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role

EXAM = Path(__file__).parents[1] / "curation_exam"


def read(name: str) -> Any:
    return yaml.safe_load((EXAM / name).read_text(encoding="utf-8"))


def grade_scrub(exam: dict[str, Any], *, together: bool) -> tuple[Counter[str], list[str]]:
    """Identifiers gone, look-alikes kept, of how many; and what went wrong."""
    lines = exam["lines"]
    texts = {str(place): line["text"] for place, line in enumerate(lines)}
    if together:
        found = dict(scrub(texts, seed=3, known_names=exam["names"]).texts)
    else:
        found = {
            name: scrub({name: text}, seed=3, known_names=exam["names"]).texts[name] for name, text in texts.items()
        }
    counts: Counter[str] = Counter()
    wrong = []
    for place, line in enumerate(lines):
        text = found[str(place)]
        for kind, values in line["lost"].items():
            for value in values:
                counts["identifiers"] += 1
                counts["gone"] += value not in text
                if value in text:
                    wrong.append(f"left: {kind} in {text}")
        for value in line["stays"]:
            counts["look-alikes"] += 1
            counts["kept"] += value in text
            if value not in text:
                wrong.append(f"lost: {value!r} in {text}")
    return counts, wrong


def grade_leaks(cases: list[dict[str, Any]]) -> tuple[Counter[str], list[str]]:
    """Leaks found and keeps left alone, of how many, by kind; and what went wrong."""
    counts: Counter[str] = Counter()
    wrong = []
    for case in cases:
        turns = tuple(
            Turn(id=str(place), speaker=role, role=Role(role), text=text)
            for place, (role, text) in enumerate(case["discussion"])
        )
        text = " ".join(item["text"] for item in case["sentences"])
        found = find_leaks(text, turns, "")
        for item in case["sentences"]:
            start = text.index(item["text"])
            hit = any(one.start < start + len(item["text"]) and start < one.end for one in found)
            counts[item["label"]] += 1
            counts[f"{item['kind']} of"] += 1
            shorter = apply_deletions(text, [(start, start + len(item["text"]))])
            counts[f"{item['label']} deletable"] += not verify_deletions(text, shorter, turns)
            right = hit == (item["label"] == "leak")
            counts[f"{item['label']} right"] += right
            counts[item["kind"]] += right
            if not right:
                wrong.append(
                    f"{case['id']}: {'missed' if item['label'] == 'leak' else 'wrongly suspected'}: {item['text']}"
                )
    return counts, wrong
