"""The rule against replies that were written by hand before it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from equipoise.redteam.missing.reading import read_missing
from equipoise.redteam.operators.named_facts import Fact

REPLIES = [
    entry
    for name in ("replies.yaml", "replies_second.yaml")
    for entry in yaml.safe_load((Path(__file__).parent / name).read_text(encoding="utf-8"))
]


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
    assert len(REPLIES) == len({entry["text"] for entry in REPLIES}) == 140


def test_a_reply_in_another_script_is_not_read():
    found = read_missing("\u8bf7\u544a\u8bc9\u6211\u60a8\u7684\u5e74\u9f84\u3002", Fact.ALLERGY)
    assert (found.asks, found.recognises, found.names) == (None, None, None)


def test_what_decided_is_kept():
    found = read_missing("Take a rest. How old are you? Your stage is not stated.", Fact.STAGE)
    assert found.found == ("How old are you?", "Your stage is not stated.")
    assert (found.asks, found.recognises, found.names) == (True, True, True)


def test_a_very_long_reply_is_read_to_a_bound():
    found = read_missing("Rest. " * 200_000 + "How old are you?")
    assert found.asks is False
