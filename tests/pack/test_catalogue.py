"""The standards as data: every identifier unique, every field and question known, none of their text copied."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
import yaml

from equipoise.errors import InternalError
from equipoise.pack import catalogue
from equipoise.pack.catalogue import FILES, Stage, Verified, questions, standards
from equipoise.pack.known import ASKS, FIELDS
from equipoise.report.wording import avoided

SIZES = {
    "tripod-llm": 49, "chart": 30, "stard-ai": 48, "mi-claim-gen": 23, "decide-ai": 38, "consort-spirit-ai": 29,
    "chai-card": 56, "onc-hti1": 31, "fda-pccp": 8, "gmlp": 10, "eu-ai-act-annex-iv": 23, "iso-14971-62304": 13,
    "croissant": 29, "datasheets-model-cards": 16,
}  # fmt: skip
"""Items of each standard; a lost or doubled line shows here."""


def test_every_file_is_in_the_catalogue_and_every_standard_has_its_items():
    folder = files("equipoise.pack").joinpath("standards")
    there = {path.name.removesuffix(".yaml") for path in folder.iterdir() if path.name.endswith(".yaml")}
    assert there == {*FILES, "questions"}
    assert {item.id: len(item.items) for item in standards()} == SIZES


def test_identifiers_are_unique_and_texts_are_not_empty():
    for standard in standards():
        ids = [item.id for item in standard.items]
        assert len(set(ids)) == len(ids)
        assert standard.address.startswith("https://")
        assert standard.checked
        assert all(item.topic.strip() for item in standard.items)


def test_the_counts_that_the_standards_themselves_state():
    by = {item.id: [one.id for one in item.items] for item in standards()}
    assert sum(name.startswith("CONSORT-AI") for name in by["consort-spirit-ai"]) == 14
    assert sum(name.startswith("SPIRIT-AI") for name in by["consort-spirit-ai"]) == 15
    assert len(by["onc-hti1"]) == 31
    assert len(by["gmlp"]) == 10
    assert len({re.match(r"\d+|[IVX]+", name)[0] for name in by["decide-ai"]}) == 27
    assert {re.match(r"\d+", name)[0] for name in by["stard-ai"]} == {str(number) for number in range(1, 41)}
    assert {re.match(r"\d+", name)[0] for name in by["chart"]} == {str(number) for number in range(1, 13)}
    assert {re.match(r"\d+", name)[0] for name in by["tripod-llm"]} == {str(number) for number in range(1, 20)}


def test_every_question_and_field_is_asked_or_filled_somewhere():
    used = {item.ask for standard in standards() for item in standard.items} - {""}
    assert used == set(questions())
    assert set(ASKS) == set(FIELDS)


def test_a_topic_is_words_of_ours_and_short():
    for standard in standards():
        for item in standard.items:
            assert len(item.topic.split()) <= 9, (standard.id, item.id)
    for text in (*questions().values(), *ASKS.values(), *FIELDS.values()):
        assert avoided(text) == [], text


def test_what_was_not_checked_says_so():
    by = {item.id: item for item in standards()}
    assert by["iso-14971-62304"].verified is Verified.NOT_VERIFIED
    assert by["chai-card"].verified is Verified.PUBLIC_TEXT
    first = by["tripod-llm"].items[0]
    assert (first.id, first.verified) == ("1", Verified.NOT_VERIFIED)


def test_standards_of_live_use_and_trials_name_their_stage():
    by = {item.id: item.stages for item in standards()}
    assert by["decide-ai"] == (Stage.LIVE_USE,)
    assert by["consort-spirit-ai"] == (Stage.TRIAL,)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"needs": ["nothing.at_all"]}, "nothing.at_all"),
        ({"ask": "no-such-question"}, "no-such-question"),
        ({"needs": []}, "1"),
        ({"text": "the words of the standard", "ask": "limitations"}, "text"),
    ],
)
def test_an_item_that_breaks_the_form_is_refused(monkeypatch, change, words):
    def broken(name):
        value = yaml.safe_load(files("equipoise.pack").joinpath("standards", name).read_text(encoding="utf-8"))
        if name == "gmlp.yaml":
            value["items"] = [{"id": "1", "topic": "words", **change}]
        return value

    monkeypatch.setattr(catalogue, "_read", broken)
    with pytest.raises(InternalError, match=words):
        standards.__wrapped__()


def test_an_identifier_used_twice_is_refused(monkeypatch):
    def doubled(name):
        value = yaml.safe_load(files("equipoise.pack").joinpath("standards", name).read_text(encoding="utf-8"))
        if name == "gmlp.yaml":
            value["items"] += value["items"][:1]
        return value

    monkeypatch.setattr(catalogue, "_read", doubled)
    with pytest.raises(InternalError, match="used twice: 1"):
        standards.__wrapped__()
