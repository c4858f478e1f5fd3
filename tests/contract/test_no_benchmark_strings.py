"""Nothing of a benchmark's own words steers reading, knowledge or verdicts.

The words are taken from the published file where it is at hand; otherwise a list of their hashes stands for them. Field names are allowed
in the reader of those names only.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src" / "equipoise"
SCANNED = sorted(
    path
    for part in ("cases", "evidence", "audit")
    for path in (ROOT / part).rglob("*")
    if path.suffix in (".py", ".yaml", ".json") and "__pycache__" not in path.parts
)
READER = ROOT / "cases" / "formats" / "openmtb.py"
FIELD_NAMES = frozenset(
    {
        "patient_summary",
        "genomic_alteration",
        "profile_key",
        "proposed_therapy",
        "prior_therapy",
        "treatment_setting",
        "support_label",
        "should_abstain",
        "ground_truth_therapy",
        "error_type",
        "case_type",
        "ecog_status",
    }
)
HASHED = frozenset(
    {
        "01cfada590dd0ffe",
        "023c2d695145ce81",
        "0971b27236783014",
        "1a9e7fa4fb66c617",
        "28d11d7f6ffbb579",
        "2951307f898173de",
        "2c2740b19d9b4c18",
        "3a9452c9c6ae4f7d",
        "440d311be918795c",
        "4f1d72fad4b20b7a",
        "51fcd7b4a1cfbbe7",
        "52811097e7231978",
        "5430855b9fe4a4d8",
        "5510a9c822221f08",
        "5c4e0ebc9de96c66",
        "5e3cc150faa70e71",
        "6ed3e8bb94a7d3fd",
        "70d12fa4ba3e33ee",
        "71e6bccb9d9c94cf",
        "7323407f5d5cdf1a",
        "79fff8ca48b0778b",
        "7d582413bc3a7220",
        "8aaa7f8f93c506ec",
        "8af8f11e249a1274",
        "8db5dfcdb7985753",
        "9520fd62244316ea",
        "9598594901ff9586",
        "9cf9c6991ae39d73",
        "a2dc52853e8e79c8",
        "a7871e23ea165b19",
        "a7a50e078a5d560a",
        "aa350e9751dbd430",
        "af90a96869a8a40e",
        "c1daa29ede21c2ce",
        "c4594365009668e3",
        "c50e150cd4e63536",
        "c539556b9f66271a",
        "cc51123f16017f1e",
        "cd35b226ab690f8f",
        "d27a3af2bab008d5",
        "d39072c6665167d6",
        "d5c5ded7cf849fe0",
        "da794e3afade19bf",
        "e80d111ebd5eba05",
        "eb04be05a9a9bf11",
        "ff19131194d99010",
        "ff1f0146d47e5e54",
    }
)
"""First 16 hexadecimal digits of the SHA-256 of each distinctive phrase, its words in lower case joined by spaces."""
LONGEST = 8
WORD = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def digest(phrase: str) -> str:
    return hashlib.sha256(phrase.encode()).hexdigest()[:16]


def phrases_of(rows: list[dict[str, object]]) -> set[str]:
    """What only this benchmark would say: profile keys, error types, remarks in brackets, alterations written in its own shorthand."""
    found: set[str] = set()
    for row in rows:
        found.add(str(row["profile_key"]))
        if row["error_type"] != "none":
            found.add(str(row["error_type"]))
        for field in ("genomic_alteration", "proposed_therapy", "prior_therapy"):
            text = str(row[field] or "")
            if field == "genomic_alteration" and "/" in text:
                found.add(text)
            for remark in re.findall(r"\(([^)]*)\)", text):
                found.add(remark)
                found.update(part for part in re.split(r"[;,]", remark))
    joined = {" ".join(words(phrase)) for phrase in found}
    return {phrase for phrase in joined if phrase not in ORDINARY and len(phrase) > 3}


ORDINARY = frozenset(
    {
        "progressed",
        "treatment naive",
        "vus",
        "melanoma",
        "unknown",
        "insufficient evidence for tki",
        "hematologic malignancy",
        "non v600e",
        "resistance mutation",
        "wrong_context",
    }
)
"""Remarks that any record could hold, and a reason code of this project."""


def windows(tokens: list[str], sizes: set[int]) -> Iterator[str]:
    for size in sorted(sizes):
        for place in range(len(tokens) - size + 1):
            yield " ".join(tokens[place : place + size])


@pytest.mark.parametrize("path", SCANNED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_hashed_phrase_stands_in_a_file(path):
    tokens = words(path.read_text(encoding="utf-8"))
    assert [phrase for phrase in set(windows(tokens, set(range(1, LONGEST + 1)))) if digest(phrase) in HASHED] == []


@pytest.mark.parametrize(
    "path", [path for path in SCANNED if path != READER], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_field_names_stand_only_in_their_reader(path):
    assert FIELD_NAMES.isdisjoint(words(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", SCANNED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_case_id_stands_in_a_file(path):
    assert not re.search(r"\bMTB-[0-9A-F]{8}\b", path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def published(data_dir) -> list[dict[str, object]]:
    text = (data_dir / "openmtb" / "cases.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.data
def test_the_hashes_are_those_of_the_published_file(published):
    phrases = phrases_of(published)
    assert {digest(phrase) for phrase in phrases} == HASHED
    assert max(len(phrase.split(" ")) for phrase in phrases) <= LONGEST


@pytest.mark.data
def test_no_id_and_no_phrase_of_the_published_file_stands_anywhere(published):
    ids = {str(row["case_id"]).lower() for row in published}
    phrases = phrases_of(published)
    sizes = {len(phrase.split(" ")) for phrase in phrases}
    for path in SCANNED:
        text = path.read_text(encoding="utf-8").lower()
        assert not [name for name in ids if name in text], path
        assert phrases.isdisjoint(windows(words(text), sizes)), path


@pytest.mark.data
def test_no_summary_of_a_case_shares_a_long_run_of_words_with_the_source(published):
    """Eight words in a row that two or more summaries share and that the source holds would be a template of theirs."""
    seen: dict[str, int] = {}
    for row in published:
        for window in set(windows(words(str(row["patient_summary"])), {8})):
            seen[window] = seen.get(window, 0) + 1
    common = {window for window, count in seen.items() if count >= 2}
    for path in SCANNED:
        assert common.isdisjoint(windows(words(path.read_text(encoding="utf-8")), {8})), path
