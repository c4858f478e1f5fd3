"""Facts read by rule beside an item: a declared arm, which changes no protocol that does not declare it."""

import pytest

from equipoise.study.aid import facts_by_rule
from equipoise.study.protocol import load_protocol
from equipoise.study.shipped import TEMPLATES, template

NOTE = "68-year-old woman, stage IVB adenocarcinoma of the lung. ECOG 1. ALK negative. No brain metastases. Prior carboplatin."


def rows(**shown):
    return {(row.what, row.value) for row in facts_by_rule(shown)}


def test_what_is_read_names_the_words_it_was_read_from():
    found = {row.what: (row.value, row.words) for row in facts_by_rule({"patient_summary": NOTE, "n": 7})}
    assert found["ECOG"] == ("1", "ECOG 1")
    assert found["ALK fusion"] == ("absent", "ALK negative")
    assert found["brain metastases"] == ("none", "No brain metastases")
    assert found["prior therapy"][0].startswith("carboplatin")


def test_two_statements_that_disagree_are_shown_as_such():
    assert ("ECOG", "conflicting") in rows(text="ECOG 1. Later in the same note: ECOG 3.")


def test_what_the_text_does_not_say_is_not_shown():
    assert rows(text="Nothing of note.") == set()


def test_another_language_is_said_to_be_one():
    text = "Die Patientin ist 68 Jahre alt und hat ein Adenokarzinom der Lunge im Stadium IV ohne Hirnmetastasen."
    assert {what for what, _ in rows(text=text)} == {"language"}


@pytest.mark.parametrize("name", [item.id for item in TEMPLATES])
def test_a_protocol_without_the_arm_keeps_the_hash_it_had_before_there_was_one(name):
    found = load_protocol(template(name).text)
    said = found.model_dump(mode="json")
    assert said["items"]["aid"] == "none"
    with_arm = found.model_copy(update={"items": found.items.model_copy(update={"aid": "facts-by-rule"})})
    assert with_arm.hash != found.hash


def test_the_hash_of_the_first_template_is_the_one_of_earlier_exports():
    assert load_protocol(template("four-label").text).hash == HASH


HASH = "78f05e7b519dfab2"
