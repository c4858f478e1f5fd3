"""What a model claims and nobody said: invented quotes, numbers, sentences, conclusions and scopes; and what garbage leaves behind."""

from __future__ import annotations

import json

import pytest

from boards.curation.invented import recordings, spoiled
from boards.curation.test_recordings import built, notes, run, table
from equipoise.boards.curation.runner import State
from equipoise.boards.curation.stages import conclusion, summary
from equipoise.boards.curation.stages.catalogue import STAGES
from equipoise.boards.curation.stages.review import rephrase_fault
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role

GERMAN = "Die Patientin leidet an Husten und lehnt weitere Untersuchungen ab."
TURNS = (
    Turn(id="u1", speaker="a", role=Role.RADIOLOGIST, text="The CT shows a mass in the right upper lobe, and two nodes."),
    Turn(id="u2", speaker="b", role=Role.SURGEON, text="I would not operate here, because the vein is involved."),
    Turn(id="u3", speaker="c", role=Role.MODERATOR, text="So radiation with sixty gray, no surgery, and a PET first. Thank you."),
)  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    ["", "   ", "Sorry, I cannot help with that.", '{"cases": [{"first": "u0002", "la', "[]", "null", "{}", "42", '{"a": NaN}', "{" * 5000,
     '{"case_presentation": 1, "cases": 1, "roles": 1, "sections": 1, "questions": 1, "reviews": 1, "conclusion": 1, "deletions": 1}',
     '{"case_presentation": null, "cases": [null], "roles": [{}], "sections": [{"heading": "Other", "sentences": [{}]}], '
     '"questions": [{}], "reviews": [{}], "conclusion": {}, "deletions": [{}]}'],
)  # fmt: skip
def test_garbage_in_every_stage_ends_every_stage_and_lets_no_case_through(tmp_path, reply):
    folder = tmp_path / "boards"
    replies = recordings(folder, names=["plain", "whisper"])
    for row in list(replies):
        replies.append({**row, "attempt": 2, "reply": reply})
    replies = [{**row, "reply": reply} for row in replies]
    reports = run(folder, replies)
    assert all(report.state in (State.DONE, State.OPEN) for report in reports.values())
    assert reports["build"].kept == 0
    for stage in STAGES:
        for row in table(folder, stage.folder, "rejects"):
            assert row["reason"]
    assert sum(sum(report.rejected.values()) for report in reports.values()) > 5


@pytest.mark.parametrize(
    "stage", ["screen", "segment", "roles", "summary", "questions", "review", "conclusion", "deleak"]
)
def test_garbage_in_one_stage_costs_no_more_than_what_rests_on_it(tmp_path, stage):
    folder = tmp_path / "boards"
    replies = recordings(folder, names=["plain"])
    reports = run(folder, spoiled(replies, stage, lambda _: "Sorry, I cannot help with that."))
    whole = {"screen": 2, "segment": 2, "review": 2}
    assert reports["build"].kept == whole.get(stage, 0)
    assert sum(reports[stage].rejected.values()) > 0
    assert all(report.state is not State.MISSING for report in reports.values())


def test_a_case_nobody_looked_at_for_leaks_is_held_back(tmp_path):
    folder = tmp_path / "boards"
    replies = recordings(folder, names=["plain"])
    reports = run(folder, spoiled(replies, "deleak", lambda _: "There is nothing to delete."))
    assert reports["build"].rejected == {"case-not-audited-for-leaks": 2}
    assert "not looked at" in notes(reports)


def test_a_quote_changed_by_one_word_is_no_answer(tmp_path):
    def change(value):
        value["questions"][0]["quote"] = value["questions"][0]["quote"].replace("would offer", "will offer")
        return value

    folder = tmp_path / "boards"
    run(folder, spoiled(recordings(folder, names=["plain"]), "questions", change))
    assert {row["reason"] for row in table(folder, "06-questions", "rejects")} == {"quote-absent"}
    assert all(len(case.questions) == 1 for case in built(folder))


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Which of the two treatments would you offer this patient?", None),
        ("Would you offer alectinib to this patient?", "drug-not-said"),
        ("What would you offer with a nodule of 17 mm?", "number-not-said"),
        ("What would you offer with this BRAF mutation?", "term-not-said"),
    ],
)
def test_a_question_names_nothing_that_nobody_said(tmp_path, question, reason):
    def change(value):
        value["questions"] = [{**value["questions"][0], "question": question}]
        return value

    folder = tmp_path / "boards"
    run(folder, spoiled(recordings(folder, names=["klinik-süd"]), "questions", change))
    assert {row["reason"] for row in table(folder, "06-questions", "rejects")} - {"not-asked"} == (
        {reason} if reason else set()
    )


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("Which treatment would you offer this man of 70 with a mass in the lung?", None),
        ("Which treatment would you offer this man of 99?", "number-not-said"),
        ("Which treatment would you offer for this ROS1 tumor?", "term-not-said"),
    ],
)
def test_a_rephrased_question_brings_nothing_the_case_text_does_not_have(new, reason):
    fault = rephrase_fault(
        "Which treatment would you offer this patient?", new, "I would offer radiation.", "A man of 70 years. A mass."
    )
    assert (fault.value if fault else None) == reason


def sentence(text):
    reply = {"sections": [{"heading": "Other", "sentences": [{"text": text, "utterances": ["u1"]}]}]}
    read = summary.read("unit", json.dumps(reply), TURNS)
    return [reject.reason.value for reject in read.rejects]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A mass was found in the right upper lobe.", None),
        ("CT: mass, right upper lobe, two nodes.", None),
        ("There are two enlarged nodes beside the mass.", None),
        ("The mass measures 42 mm.", "number-not-said"),
        (GERMAN, "words-not-said"),
        ("She smokes heavily and lives alone with diabetes.", "words-not-said"),
        ("The tumor carries BRAF.", "term-not-said"),
        ("She received cisplatin.", "drug-not-said"),
    ],
)
def test_a_sentence_that_nobody_said_is_refused(text, reason):
    assert sentence(text) == ([reason] if reason else [])


PLAN = "So radiation with sixty gray, no surgery, and a PET first."


def concluded(text="Radiation with sixty gray, no surgery, and a PET first.", quote=PLAN, *, decisions=()):
    reply = {
        "conclusion": text,
        "quotes": [{"utterance": "u3", "quote": quote}],
        "disposition": "decided",
        "decisions": [{"utterance": "u3", **one} for one in decisions],
    }
    return conclusion.read("unit", json.dumps(reply), TURNS)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The board advised hospice and comfort measures at home.", "Thank you."),
        ("Palliative home care with weekly visits.", PLAN),
        ("Radiation with sixty gray.", "Thank you."),
        (GERMAN, PLAN),
        ("Surgery, and a PET first.", PLAN),
    ],
)
def test_a_conclusion_nobody_came_to_is_refused(text, quote):
    read = concluded(text, quote)
    assert read.rows == ()
    assert not read.usable
    assert all(reject.reason.value in ("words-not-said", "meaning-changed") for reject in read.rejects)


@pytest.mark.parametrize(
    ("decision", "scope"),
    [
        ({"kind": "surgery", "scope": "negative", "text": "no surgery", "quote": "no surgery"}, "negative"),
        ({"kind": "surgery", "scope": "positive", "text": "no surgery", "quote": "no surgery"}, None),
        ({"kind": "therapy", "scope": "positive", "text": "radiation with sixty gray", "quote": "radiation with sixty gray"}, "positive"),
        ({"kind": "therapy", "scope": "negative", "text": "radiation with sixty gray", "quote": "radiation with sixty gray"}, None),
        ({"kind": "therapy", "scope": "positive", "text": "radiation with sixty gray", "quote": "a PET first"}, None),
        ({"kind": "clinical_trial", "scope": "positive", "text": "enrolment in the adjuvant study", "quote": "a PET first"}, None),
        ({"kind": "next_action", "scope": "positive", "text": "a PET first", "quote": "a PET first"}, "positive"),
    ],
)  # fmt: skip
def test_a_decision_stands_on_its_quote_and_its_scope_on_its_words(decision, scope):
    read = concluded(decisions=[decision])
    (row,) = read.rows
    found = {item["kind"]: item["scope"] for item in row["decisions"]}
    assert found[decision["kind"]] == scope
    assert bool(read.rejects) == (scope is None)
