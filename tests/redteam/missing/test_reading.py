"""The rule against replies that were written by hand before it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from equipoise.redteam.missing.reading import read_missing
from equipoise.redteam.operators.named_facts import Fact

REPLIES = yaml.safe_load((Path(__file__).parent / "replies.yaml").read_text(encoding="utf-8"))


def fact_of(entry):
    return Fact(entry["fact"]) if "fact" in entry else None


def wrong(name):
    """Replies on which the rule differs, as (text, expected)."""
    return [
        (entry["text"], entry[name])
        for entry in REPLIES
        if name in entry and getattr(read_missing(entry["text"], fact_of(entry)), name) is not entry[name]
    ]


@pytest.mark.parametrize("name", ["asks", "recognises", "names"])
def test_the_rule_reads_the_hand_written_replies(name):
    assert wrong(name) == []


def test_the_fixture_has_both_sides_of_every_question():
    for name in ("asks", "recognises", "names"):
        values = [entry[name] for entry in REPLIES if name in entry]
        assert min(values.count(True), values.count(False)) >= 15
    assert len(REPLIES) == len({entry["text"] for entry in REPLIES}) == 100
