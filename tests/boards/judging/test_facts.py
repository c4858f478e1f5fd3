"""Precision, recall and F1 of facts against cases worked by hand, and what is kept of facts."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from board_judging_runs import DEMO, case_record
from equipoise.boards.formats.orchestrator import FactCategory
from equipoise.boards.judging.fact_source import FactSource
from equipoise.boards.judging.fact_store import FACTS_FILE, REFERENCE, REPLY, FactStore, text_key
from equipoise.boards.judging.facts import Fact, FactVerdict, decision_facts, fact_scores, given_facts, listed_facts
from equipoise.boards.judging.references import reference_of
from equipoise.errors import InputError
from equipoise.outcomes.schema import ReplyState

CASES = yaml.safe_load((Path(__file__).parent / "files/facts.yaml").read_text(encoding="utf-8"))
LETTERS = {"y": FactVerdict.YES, "p": FactVerdict.PARTIAL, "n": FactVerdict.NO, "?": FactVerdict.UNREAD}
ONE = (Fact(id="1", text="A fact.", category=FactCategory.OTHER),)


def verdicts(letters):
    return [LETTERS[{True: "y", False: "n"}.get(letter, letter)] for letter in letters]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_scores_are_those_worked_by_hand(case):
    for suffix, strict in (("", False), ("-strict", True)):
        found = fact_scores(
            [verdicts(own) for own in case["references"]], verdicts(case["reply"]), strict=strict
        )  # fmt: skip
        for name in ("recall", "precision", "f1"):
            share, expected = getattr(found, name), case["expect"][f"{name}{suffix}"]
            if expected == "failed":
                assert (share.value, share.failed) == (None, True)
            else:
                assert share.failed is False
                assert share.value == (None if expected is None else pytest.approx(expected))


def test_decisions_are_facts_with_what_is_as_good_and_without_those_out_of_scope():
    facts = decision_facts(reference_of(case_record(DEMO["demo-01"])))
    assert [item.id for item in facts] == ["1.therapy", "1.surgery", "1.next_action"]
    assert facts[0].text.endswith(" or: Osimertinib with platinum and pemetrexed (FLAURA2, PMID 37937763)")
    assert [item.category.value for item in facts] == ["treatment", "treatment", "other"]


def test_an_item_with_a_fact_that_cannot_be_read_has_none(tmp_path):
    path = tmp_path / "facts.json"
    path.write_text(
        '{"a": [{"fact": "x", "category": "other"}, {"fact": "y", "category": "strange"}], "b": [{"fact": "z", "category": "other"}]}',
        encoding="utf-8",
    )
    found, problems = given_facts(path)
    assert list(found) == ["b"]
    assert len(problems) == 1


def test_facts_are_kept_and_a_cut_line_is_passed_over(tmp_path):
    store = FactStore(tmp_path)
    store.add(REPLY, "k", ONE, by="m", form="h")
    store.add(REPLY, "empty", (), by="m", form="h")
    with (tmp_path / FACTS_FILE).open("ab") as file:
        file.write(b'{"side": "reply", "ke')
    again = FactStore(tmp_path)
    assert (again.facts(REPLY, "k"), again.facts(REPLY, "empty"), again.facts(REPLY, "other")) == (ONE, (), None)
    again.add(REPLY, "next", ONE, by="m", form="h")
    assert FactStore(tmp_path).facts(REPLY, "next") == ONE


def test_a_damaged_line_is_an_error_with_its_place(tmp_path):
    (tmp_path / FACTS_FILE).write_text('{"side": "reply"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="not a line of facts") as caught:
        FactStore(tmp_path)
    assert caught.value.line == 1


def test_only_a_call_that_came_to_nothing_is_asked_again(tmp_path):
    source = FactSource(reference="model", extractor="m")
    reference = reference_of(case_record(DEMO["demo-02"]))
    store = FactStore(tmp_path)
    text = reference.references[0]
    assert source.wanted([(reference, "An answer.")], store) == ((REFERENCE, text), (REPLY, "An answer."))
    store.add(REFERENCE, text_key(text, source.by), (), by="m", form="h", state=ReplyState.ERROR, why="down")
    store.add(REPLY, text_key("An answer.", source.by), (), by="m", form="h", state=ReplyState.UNPARSED, why="no list")
    assert source.wanted([(reference, "An answer.")], store) == ((REFERENCE, text),)
    assert source.states(reference, "An answer.", store) == ("unparsed", "error")


def test_another_extractor_takes_facts_out_anew(tmp_path):
    store = FactStore(tmp_path)
    first, second = (FactSource(reference="decisions", extractor=name) for name in ("m", "n"))
    store.add(REPLY, text_key("An answer.", first.by), listed_facts([("x", "other")]), by="m", form="h")
    assert first.of_reply("An answer.", store) is not None
    assert second.of_reply("An answer.", store) is None
