"""Prior therapies as records write them: lines, drugs, outcomes, settings; none, unknown and conflicting."""

from __future__ import annotations

import datetime as dt

import pytest

from equipoise.cases.formats.history import read
from equipoise.cases.model import Outcome, Status

P, C, T, O, U = Outcome.PROGRESSED, Outcome.COMPLETED, Outcome.TOXICITY, Outcome.ONGOING, Outcome.UNKNOWN  # noqa: E741


@pytest.mark.parametrize(
    "stated",
    [
        [],
        "none",
        "None.",
        "treatment-naive",
        "Treatment naive",
        "treatment-na\u00efve",
        "no prior systemic therapy",
        "untreated",
        ["none"],
        False,
    ],
)
def test_none_is_a_documented_absence(stated):
    assert read(stated).status is Status.ABSENT


@pytest.mark.parametrize("stated", [None, "unknown", "not documented", "", [None], ["unknown"]])
def test_nothing_said_is_unknown(stated):
    assert (
        read([item for item in stated if item is not None] or None if isinstance(stated, list) else stated).status
        is Status.UNKNOWN
    )


def test_none_beside_a_therapy_conflicts():
    assert read(["none", "osimertinib"]).status is Status.CONFLICTING


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("osimertinib", [({"osimertinib"}, U)]),
        ("Osimertinib (progressed)", [({"osimertinib"}, P)]),
        (
            "carboplatin + pemetrexed + pembrolizumab (progressed); docetaxel (ongoing)",
            [({"carboplatin", "pemetrexed", "pembrolizumab"}, P), ({"docetaxel"}, O)],
        ),
        ("erlotinib -> osimertinib", [({"erlotinib"}, U), ({"osimertinib"}, U)]),
        ("erlotinib \u2192 osimertinib (PD)", [({"erlotinib"}, U), ({"osimertinib"}, P)]),
        ("erlotinib then osimertinib", [({"erlotinib"}, U), ({"osimertinib"}, U)]),
        ("pembrolizumab, stopped for pneumonitis", [({"pembrolizumab"}, T)]),
        ("alectinib, no progression", [({"alectinib"}, C)]),
        ("lorlatinib, refractory", [({"lorlatinib"}, P)]),
        ("chemoradiation (completed)", [({"chemotherapy", "radiotherapy"}, C)]),
    ],
)
def test_lines_drugs_and_outcomes_of_a_string(text, lines):
    assert [(set(entry.drugs), entry.outcome) for entry in read(text).value] == lines
    assert all(entry.unread == () for entry in read(text).value)


def test_an_object_says_everything():
    entry = {
        "drugs": ["cisplatin", "vinorelbine"],
        "line": "1",
        "setting": "adjuvant",
        "outcome": "Completed",
        "ended": "2024-02-01",
    }
    (found,) = read([entry]).value
    assert found.drugs == {"cisplatin", "vinorelbine"}
    assert (found.line, found.setting, found.outcome, found.ended) == (1, {"adjuvant"}, C, dt.date(2024, 2, 1))


def test_words_of_the_drugs_say_setting_and_outcome_unless_stated():
    (found,) = read(["adjuvant cisplatin + vinorelbine, progressed"]).value
    assert (found.setting, found.outcome) == ({"adjuvant"}, P)
    (found,) = read(
        [{"drugs": "adjuvant cisplatin (progressed)", "setting": "metastatic", "outcome": "toxicity"}]
    ).value
    assert (found.setting, found.outcome) == ({"metastatic"}, T)


def test_what_no_vocabulary_knows_is_kept_as_unread():
    (found,) = read("osimertinib + frobnicumab").value
    assert found.drugs == {"osimertinib"}
    assert found.unread == ("frobnicumab",)


@pytest.mark.parametrize("outcome", ["unknown", None, "not documented"])
def test_an_unknown_outcome_leaves_what_the_words_say(outcome):
    assert read([{"drugs": "osimertinib (progressed)", "outcome": outcome}]).value[0].outcome is P
    assert read([{"drugs": "osimertinib", "outcome": outcome}]).value[0].outcome is U
