"""The verifier of deletions and the finder of leaks, against invented texts written before them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from equipoise.boards.curation.deleak import (
    AuditClass,
    ProblemKind,
    apply_deletions,
    audit_deletions,
    find_leaks,
    sentences,
    verify_deletions,
)
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role
from equipoise.errors import InputError

CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "deletion_cases.yaml").read_text(encoding="utf-8"))
TURNS = tuple(
    Turn(id=item["id"], speaker=item["speaker"], role=Role(item["role"]), text=item["text"])
    for item in CASES["discussion"]
)
BEFORE, CONCLUSION = CASES["before"], CASES["conclusion"]


def without(pieces: list[str]) -> str:
    spans = [(BEFORE.index(piece), BEFORE.index(piece) + len(piece)) for piece in pieces]
    text = BEFORE
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text.strip()


def kinds(after: str) -> set[str]:
    return {item.kind.value for item in verify_deletions(BEFORE, after, TURNS, conclusion=CONCLUSION)}


@pytest.mark.parametrize("case", CASES["accepted"], ids=lambda case: case["id"])
def test_sound_deletions_are_accepted(case):
    assert kinds(without(case["delete"])) == set()


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: case["id"])
def test_unsound_deletions_are_refused(case):
    assert set(case["kinds"]) <= kinds(without(case["delete"]))


@pytest.mark.parametrize("case", CASES["rewritten"], ids=lambda case: case["id"])
def test_anything_but_a_deletion_is_refused(case):
    old, new = case["replace"]
    assert old in BEFORE
    assert kinds(BEFORE.replace(old, new)) >= set(case["kinds"])


@pytest.mark.parametrize("case", CASES["leaks"], ids=lambda case: case["id"])
def test_leaks_are_suspected(case):
    text = case["text"]
    found = [text[item.start : item.end] for item in find_leaks(text, TURNS, CONCLUSION) if item.strong]
    assert found == case["found"]


@pytest.mark.parametrize("text", CASES["clean"])
def test_what_was_known_before_is_not_suspected(text):
    assert [item for item in find_leaks(text, TURNS, CONCLUSION) if item.strong] == []


def test_a_heading_with_nothing_under_it_goes_too():
    text = "[Diagnosis]\nLung cancer.\n\n[Plan]\nSurgery is planned."
    start = text.index("Surgery")
    assert apply_deletions(text, [(start, len(text))]) == "[Diagnosis]\nLung cancer."
    assert apply_deletions(text, [(start, len(text))], drop_empty_sections=False).endswith("[Plan]")


def test_deletions_leave_no_double_space():
    text = "One. Two, and three. Four."
    assert apply_deletions(text, [(text.index("Two"), text.index("Four"))]) == "One. Four."
    assert apply_deletions(text, [(text.index(", and"), text.index(". Four"))]) == "One. Two. Four."
    assert apply_deletions(text, []) == text


@pytest.mark.parametrize("spans", [[(0, 0)], [(-1, 2)], [(0, 99)], [(0, 5), (3, 8)], [(1, 4)]])
def test_spans_that_do_not_fit_are_refused(spans):
    with pytest.raises(InputError):
        apply_deletions("One two three.", spans)


def test_messages_do_not_repeat_the_text():
    problems = verify_deletions(BEFORE, BEFORE.replace("Suspected ", ""), TURNS, conclusion=CONCLUSION)
    assert problems
    assert not any("effusion" in item.message for item in problems)
    assert "Suspected pleural effusion." in [BEFORE[item.start : item.end] for item in problems]


def test_the_audit_tells_the_five_classes_apart():
    def classes(after: str) -> list[AuditClass]:
        return [item.audit for item in audit_deletions(BEFORE, after, TURNS, CONCLUSION).deletions]

    everything = [", planned for osimertinib", " She is to start osimertinib 80 mg daily.", ", and chemotherapy is not recommended"]
    assert set(classes(without([*everything, "\n\n[Plan]\nRepeat brain MRI in eight weeks."]))) == {AuditClass.CLEAN}
    assert classes(without([", planned for osimertinib"])) == [AuditClass.RESTATED]
    assert classes(without([" Suspected pleural effusion."])) == [AuditClass.UNSUPPORTED]
    assert classes(without(["not "])) == [AuditClass.ALTERED]
    left = audit_deletions(BEFORE, without(everything[:2]), TURNS, CONCLUSION).residual
    assert AuditClass.INFERRED_NEGATIVE in {audit for _, audit in left}
    assert all(item.meaning for item in AuditClass)


def test_a_discussion_may_come_as_one_text():
    after = BEFORE.replace(" She is to start osimertinib 80 mg daily.", "")
    assert verify_deletions(BEFORE, after, "I recommend osimertinib 80 mg daily.") == ()
    assert [item.kind for item in verify_deletions(BEFORE, after, "")] == [ProblemKind.SOURCE]


_WORDS = st.sampled_from("tumor node liver was seen on CT and not resected large 3 cm".split())
_TEXTS = st.lists(st.lists(_WORDS, min_size=1, max_size=6).map(lambda words: " ".join(words).capitalize() + "."), min_size=1, max_size=6)


@given(_TEXTS, st.data())
def test_whole_sentences_can_always_go_without_changing_the_rest(texts, data):
    text = " ".join(texts)
    parts = sentences(text)
    chosen = data.draw(st.sets(st.sampled_from(range(len(parts)))))
    after = apply_deletions(text, [(parts[place].start, parts[place].end) for place in sorted(chosen)])
    assert [part.text for part in sentences(after)] == [part.text for place, part in enumerate(parts) if place not in chosen]
    assert {item.kind for item in verify_deletions(text, after, TURNS)} <= {ProblemKind.SOURCE}


@given(_TEXTS, st.data())
def test_a_new_word_is_never_accepted(texts, data):
    text = " ".join(texts)
    words = text.split(" ")
    place = data.draw(st.integers(min_value=0, max_value=len(words)))
    after = " ".join([*words[:place], "metastatic", *words[place:]])
    assert ProblemKind.NEW_TEXT in {item.kind for item in verify_deletions(text, after, TURNS)}


@given(_TEXTS, st.data())
def test_a_negation_alone_is_never_deleted(texts, data):
    places = [place for place, item in enumerate(texts) if " not " in item]
    if not places:
        texts = [*texts, "It was not resected."]
        places = [len(texts) - 1]
    place = data.draw(st.sampled_from(places))
    after = " ".join(item.replace(" not ", " ", 1) if at == place else item for at, item in enumerate(texts))
    found = {item.kind for item in verify_deletions(" ".join(texts), after, TURNS)}
    assert found & {ProblemKind.MEANING, ProblemKind.NEW_TEXT}
