"""The training corpus of the refusal layer: its form, its balance, and its distance from the exams.

A failure names rows of the corpus by id and prints no text of an exam.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from equipoise.refusal.terms import Refusal

ROOT = Path(__file__).parents[2]
ROWS = [
    json.loads(line)
    for line in (ROOT / "benchmarks" / "data" / "refusal_corpus.jsonl").read_text(encoding="utf-8").splitlines()
]
NOTE = (ROOT / "benchmarks" / "data" / "refusal_corpus.md").read_text(encoding="utf-8")
EXAMS = ("replies", "near", "held_out")
KINDS = {
    "none": (
        "clarifying code-list complied-standin crisis-answer empathy-answer false-premise fiction-speech "
        "model-limit-answer negative-answer plain-answer professional-answer quotes-refusal referral-answers "
        "short-answer silent-omission summary translation uncertain-answer warning-answer"
    ),
    "partial": (
        "answer-then-retract cannot-then-answer crisis-partial form-withheld general-not-specific one-of-two "
        "range-not-personal refuse-then-comply roleplay-partial summary-partial talk-around-partial"
    ),
    "full": (
        "alternatives-only crisis-only deflection direct form-full indirect lecture model-limit-full modern "
        "opposite-text other-question policy redirect-offers referral-only roleplay-decline short-refusal"
    ),
}
HARD = (
    ("empathy-answer", "crisis-answer"),
    ("warning-answer",),
    ("quotes-refusal", "translation"),
    ("false-premise",),
    ("deflection", "other-question"),
    ("redirect-offers", "alternatives-only", "opposite-text"),
    ("cannot-then-answer",),
    ("one-of-two",),
    ("range-not-personal", "general-not-specific"),
    ("crisis-only",),
    ("crisis-partial",),
    ("clarifying",),
    ("roleplay-decline", "roleplay-partial"),
    ("indirect", "referral-only"),
    ("modern",),
    ("refuse-then-comply",),
    ("answer-then-retract", "talk-around-partial"),
    ("negative-answer",),
    ("uncertain-answer", "model-limit-answer"),
    ("short-answer",),
    ("short-refusal",),
    ("fiction-speech",),
    ("code-list", "form-withheld"),
)
CUES = {
    "sorry": r"\bsorry\b|apolog",
    "inability": r"\bcan(?:no|')t\b|\bunable\b|\bnot able\b",
    "referral": r"\bdoctor\b|\bpharmacist\b|\bconsult\b|\bphysician\b",
    "crisis line": r"\b988\b|help is available|741741",
    "unwillingness": r"\bwon't\b|\bnot going to\b|\brather not\b",
}


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower().replace("’", "'"))


def normal(text: str) -> str:
    return " ".join(words(text))


def test_rows_have_the_fields_and_values_they_should() -> None:
    assert len(ROWS) >= 900
    for row in ROWS:
        assert list(row) == ["id", "prompt", "reply", "refusal", "domain", "kind", "why"], row["id"]
        assert all(isinstance(value, str) and value.strip() for value in row.values()), row["id"]
        assert re.fullmatch(r"c\d{3}-\d", row["id"]), row["id"]
        assert row["refusal"] in set(Refusal), row["id"]
        assert row["domain"] in ("health", "other"), row["id"]
        assert row["kind"] in KINDS[row["refusal"]].split(), row["id"]
        assert len(row["reply"].split()) <= 250, row["id"]


def test_ids_and_replies_stand_once_and_a_number_is_one_prompt() -> None:
    assert [row["id"] for row in ROWS] == sorted({row["id"] for row in ROWS})
    replies = Counter(normal(row["reply"]) or row["reply"] for row in ROWS)
    twice = {reply for reply, count in replies.items() if count > 1}
    assert [row["id"] for row in ROWS if (normal(row["reply"]) or row["reply"]) in twice] == []
    prompts = defaultdict(set)
    for row in ROWS:
        prompts[normal(row["prompt"])].add(row["id"].split("-")[0])
    assert [numbers for numbers in prompts.values() if len(numbers) > 1] == []
    assert len(prompts) == len({row["id"].split("-")[0] for row in ROWS})


def test_classes_domains_and_hard_kinds_are_balanced() -> None:
    classes = Counter(row["refusal"] for row in ROWS)
    assert classes["none"] / len(ROWS) == pytest.approx(0.40, abs=0.05)
    assert classes["partial"] / len(ROWS) == pytest.approx(0.30, abs=0.05)
    assert classes["full"] / len(ROWS) == pytest.approx(0.30, abs=0.05)
    assert sum(row["domain"] == "health" for row in ROWS) / len(ROWS) == pytest.approx(0.60, abs=0.05)
    kinds = Counter(row["kind"] for row in ROWS)
    assert {group: sum(kinds[kind] for kind in group) for group in HARD if sum(kinds[k] for k in group) < 25} == {}


def test_one_prompt_often_has_replies_of_every_class() -> None:
    classes = defaultdict(set)
    for row in ROWS:
        classes[row["prompt"]].add(row["refusal"])
    assert sum(len(found) == len(Refusal) for found in classes.values()) >= 40


def test_no_surface_cue_gives_the_class_away() -> None:
    def holds(pattern: str, row: dict[str, str]) -> bool:
        return re.search(pattern, row["reply"].replace("’", "'"), re.IGNORECASE) is not None

    for name, pattern in CUES.items():
        found = Counter(row["refusal"] for row in ROWS if holds(pattern, row))
        assert min(found[value] for value in Refusal) >= 10, (name, found)
    silent = [row for row in ROWS if row["refusal"] == "full" and not any(holds(p, row) for p in CUES.values())]
    assert len(silent) >= 100


def test_lengths_spread_in_every_class() -> None:
    for value in Refusal:
        lengths = sorted(len(row["reply"].split()) for row in ROWS if row["refusal"] == value)
        assert lengths[len(lengths) // 10] <= 25, value
        assert lengths[-len(lengths) // 10] >= 50, value


@pytest.mark.parametrize("exam", EXAMS)
def test_no_row_stands_near_an_exam(exam: str) -> None:
    lines = (ROOT / "tests" / "refusal" / "fixtures" / f"{exam}.jsonl").read_text(encoding="utf-8").splitlines()
    read = [json.loads(line) for line in lines]
    near = set()
    for field in ("prompt", "reply"):
        theirs = [found for row in read if (found := frozenset(words(row.get(field) or "")))]
        assert theirs
        for row in ROWS:
            ours = frozenset(words(row[field]))
            if ours and any(len(ours & other) > 0.6 * len(ours | other) for other in theirs):
                near.add(row["id"])
    assert sorted(near) == []


def test_the_note_states_the_counts_of_the_file() -> None:
    classes = Counter(row["refusal"] for row in ROWS)
    for domain in ("health", "other"):
        counts = [sum(r["domain"] == domain and r["refusal"] == value for r in ROWS) for value in Refusal]
        assert f"| {domain} | {counts[0]} | {counts[1]} | {counts[2]} | {sum(counts)} |" in NOTE
    assert f"| all | {classes['none']} | {classes['partial']} | {classes['full']} | {len(ROWS)} |" in NOTE
    for kind, count in Counter(row["kind"] for row in ROWS).items():
        assert f"| `{kind}` | {count} |" in NOTE, kind
