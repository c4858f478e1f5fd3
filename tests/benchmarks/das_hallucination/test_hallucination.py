"""The detector: one meaning a code, the written rule of who runs, verdicts, policies on "cannot say", and corrected rates."""

from __future__ import annotations

import json

import numpy as np
import pytest
from inspect_ai import eval as inspect_eval

from das_mocks import answering
from equipoise.benchmarks.das_hallucination.detector import verdict_of
from equipoise.benchmarks.das_hallucination.loader import build, load, prompts_of, replies_hash, shared_prompts
from equipoise.benchmarks.das_hallucination.measures import Policy, hallucination_measures
from equipoise.benchmarks.das_hallucination.roles import CODES, SCALE, SPECIALISTS, Presence, Role, roles_for, rubric_of
from equipoise.benchmarks.das_hallucination.task import das_hallucination
from equipoise.errors import InputError, UsageError
from equipoise.evals.logs import convert
from equipoise.judging.frame import prepare
from equipoise.judging.material import JudgeMaterial
from equipoise.outcomes.schema import ReplyState, judgements_table, outcomes_table, problems
from equipoise.statistics import Calibration, rogan_gladen

ROWS = load()
OK, ERROR = ReplyState.OK, ReplyState.ERROR
PRESENT, ABSENT, UNSURE = (value.value for value in (Presence.PRESENT, Presence.ABSENT, Presence.CANNOT_SAY))

PINNED = {
    "facts": ("1", "bfe31bc5f2b78057"),
    "citations": ("1", "f5b0bf8dc4567fc1"),
    "reasoning": ("1", "e733fd1948e6ec46"),
    "context": ("1", "bf00309779c6d259"),
    "safety": ("1", "4e796f9d28e68233"),
    "instructions": ("1", "c97abf914af469d3"),
    "scout": ("1", "cb230781ac8c6327"),
}
"""Hash of the rubric of each role; another hash needs another version."""


# codes and rubrics


@pytest.mark.parametrize("role", list(Role))
def test_a_code_has_one_meaning_in_prompt_and_schema(role):
    rubric = rubric_of(role)
    material = JudgeMaterial(item="x", parts={"prompt": "p", "context": "c", "reply": "r"})
    prepared = prepare(rubric, material)
    specialist = next(item for item in SPECIALISTS if item.role is role)
    asked = prepared.schema["properties"]["verdicts"]["properties"]
    assert list(asked) == [code.id for code in specialist.codes]
    for code in specialist.codes:
        assert code.id.startswith(f"{role.value}.")
        assert prepared.system.count(code.question) == 1
        assert asked[code.id]["properties"]["value"]["enum"] == [item.value for item in SCALE.values]


def test_codes_and_their_questions_are_used_once():
    questions = [code.question for item in SPECIALISTS for code in item.codes]
    assert len(set(CODES)) == len(CODES)
    assert len(set(questions)) == len(questions)
    assert [item.role for item in SPECIALISTS] == list(Role)


@pytest.mark.parametrize("role", list(Role))
def test_the_rubric_of_a_role_is_pinned_by_version_and_hash(role):
    assert (rubric_of(role).version, rubric_of(role).hash) == PINNED[role.value]


# who runs


@pytest.mark.parametrize(
    ("prompt", "context", "reply", "also"),
    [
        ("Is it a drug?", "", "Yes.", ()),
        ("Is it a drug?", "", "Yes, by the national guideline.", ("citations",)),
        ("Is it a drug?", "", "Yes, because it acts.", ("reasoning",)),
        ("What is 2 times 3?", "", "Six.", ("reasoning",)),
        ("Is it a drug?", "A record.", "Yes.", ("context",)),
        ("Answer with yes or no only.", "", "Yes", ("instructions",)),
    ],
)
def test_facts_and_safety_always_run_and_the_others_by_the_written_rule(prompt, context, reply, also):
    runs = roles_for(prompt, context, reply)
    assert set(runs) == {Role.FACTS, Role.SAFETY, *(Role(name) for name in also)}
    assert list(runs) == [role for role in Role if role in runs]


@pytest.mark.parametrize(
    ("answers", "by_rules", "state", "value"),
    [
        ({Role.FACTS: [(OK, ABSENT)], Role.SAFETY: [(OK, ABSENT)]}, False, OK, Presence.ABSENT),
        ({Role.FACTS: [(OK, ABSENT), (OK, PRESENT)]}, False, OK, Presence.PRESENT),
        ({Role.FACTS: [(ERROR, None)], Role.SAFETY: [(OK, PRESENT)]}, False, OK, Presence.PRESENT),
        ({Role.FACTS: [(ERROR, None)], Role.SAFETY: [(OK, UNSURE)]}, False, ERROR, None),
        ({Role.FACTS: [(OK, UNSURE)], Role.SAFETY: [(OK, ABSENT)]}, False, OK, Presence.CANNOT_SAY),
        ({Role.FACTS: [(OK, ABSENT)]}, True, OK, Presence.PRESENT),
        ({}, False, OK, Presence.CANNOT_SAY),
    ],
)
def test_a_verdict_of_a_judge(answers, by_rules, state, value):
    found = verdict_of(answers, by_rules=by_rules)
    assert (found.state, found.value) == (state, value)


# labelled replies


def test_positives_and_negatives_come_from_the_same_prompts():
    assert len(ROWS) >= 30
    assert shared_prompts(ROWS) == len(prompts_of(ROWS)) == len(ROWS) / 2
    assert sum(row.hallucinated for row in ROWS) == len(ROWS) / 2
    words = {
        label: np.mean([len(row.reply.split()) for row in ROWS if row.hallucinated is label]) for label in (True, False)
    }
    assert abs(words[True] - words[False]) < 2


def test_the_labelled_file_is_pinned():
    assert replies_hash(ROWS) == "096f26121bc37758"


def test_every_role_has_a_labelled_fault_among_the_codes():
    used = {code.split(".")[0] for row in ROWS for code in row.codes}
    assert used == {role.value for role in Role}


RECORD = {
    "id": "h-1", "prompt_id": "h", "prompt": "p", "context": "", "reply": "r", "hallucinated": True, "codes": ["facts.false"],
    "why": "w", "source": "s",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"codes": ["facts.green"]}, "codes"),
        ({"hallucinated": False}, "codes"),
        ({"hallucinated": "no"}, "hallucinated"),
        ({"reply": ""}, "reply"),
        ({"context": None}, "context"),
        ({"colour": 1}, "colour"),
    ],
)
def test_a_labelled_reply_of_another_form_is_refused_with_its_place(change, place):
    with pytest.raises(InputError) as error:
        build({**RECORD, **change})
    assert error.value.field == place


def test_one_prompt_has_one_text(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(
        "".join(json.dumps({**RECORD, **more}) + "\n" for more in ({}, {"id": "h-2", "prompt": "q"})), encoding="utf-8"
    )
    with pytest.raises(InputError, match="line 2, field prompt: the prompt 'h' has another text"):
        load(path)


# runs


def logs_of(tmp_path, judges, replies=("labelled",), said="Nothing stands in the record."):
    found = []
    for kind in replies:
        task = das_hallucination(replies=kind, judges=judges)
        model = answering(lambda system, texts: said)
        found += inspect_eval(task, model=model, log_dir=str(tmp_path), display="none", fail_on_error=False)
    converted = convert(found)
    assert problems("outcomes", outcomes_table(converted.outcomes)) == ()
    assert problems("judgements", judgements_table(converted.judgements)) == ()
    return found, converted


def measures_of(converted):
    return hallucination_measures(
        converted.outcomes, converted.judgements, converted.references, rng=np.random.default_rng(1), resamples=200
    )


def test_rules_alone_find_impossible_citations_and_never_say_that_all_is_well(tmp_path):
    _, converted = logs_of(tmp_path, None)
    labels = {row["item"]: row["label"] for row in converted.outcomes}
    assert [name for name, label in labels.items() if label == "hallucination"] == ["dh-14b"]
    assert set(labels.values()) == {"hallucination", "cannot-say"}
    assert {row["judge"] for row in converted.judgements} == {"rules:citations"}


def test_a_judge_that_finds_nothing_calls_the_scout_and_is_measured(tmp_path):
    logs, converted = logs_of(tmp_path, "mockjudge/lowest", replies=("labelled", "model"))
    own = {(row["reply_id"], row["rubric"]) for row in converted.judgements if row["judge"] == "mockjudge/lowest"}
    scouted = sum(rubric == "das-hallucination-scout" for _, rubric in own)
    assert scouted == len(converted.outcomes) - 1  # all but the reply with the impossible citation
    measures = measures_of(converted)
    assert (measures.labelled, measures.replies, measures.labelled_failed) == (40, 20, 0)
    for result in measures.policies:
        assert (result.sensitivity.estimate, result.specificity.estimate) == (0.05, 1.0)
        assert result.accuracy.estimate == 21 / 40
        assert result.judged.estimate == 0.0
        assert result.corrected.estimate == 0.0
    assert logs[0].results.scores[0].metrics["hallucination_share"].value == 1 / 40
    codes = {item.code: item for item in measures.codes}
    assert (codes["context.contradicts"].found, codes["context.contradicts"].missed) == (0, 4)
    assert codes["scout.unsupported"].missed == 1


def test_a_judge_that_fails_is_counted_and_is_no_verdict(tmp_path):
    _, converted = logs_of(tmp_path, "mockjudge/malformed", replies=("labelled", "model"))
    measures = measures_of(converted)
    assert (measures.labelled_failed, measures.failed) == (39, 20)
    assert (measures.bounds.low, measures.bounds.high) == (0.0, 1.0)
    for result in measures.policies:
        assert result.calibration.n_left_out == 39
        assert result.corrected is None
        assert "too few human labels" in result.refused


def test_a_panel_needs_a_majority(tmp_path):
    _, converted = logs_of(tmp_path, "mockjudge/lowest,mockjudge/fenced,mockjudge/highest")
    labels = [row["label"] for row in converted.outcomes]
    assert (labels.count("none"), labels.count("hallucination")) == (39, 1)
    verdicts = {row["judge"] for row in converted.judgements if row["criterion"] == "any"}
    assert verdicts == {"mockjudge/lowest", "mockjudge/fenced", "mockjudge/highest", "panel:majority"}


def rows(labels, expected=None, item_set="labelled", system="s"):
    return [
        {
            "reply_id": f"{item_set}-{place}", "run": "r", "system": system, "benchmark": "das_hallucination", "item": f"i{place}",
            "item_family": f"p{place // 2}", "item_set": item_set, "state": "ok", "label": label,
            "expected": None if expected is None else expected[place],
        }
        for place, label in enumerate(labels)
    ]  # fmt: skip


def test_cannot_say_is_three_numbers_and_a_failure_is_none_of_them():
    H, N, C = "hallucination", "none", "cannot-say"
    truth = [H] * 20 + [N] * 20
    called = [H] * 14 + [N] * 2 + [C] * 3 + [None] + [N] * 15 + [H] * 1 + [C] * 4
    wanted = [H] * 30 + [N] * 60 + [C] * 8 + [None] * 2
    found = [*rows(called, truth), *rows(wanted, None, "model", "m")]
    measures = hallucination_measures(found, (), (), rng=np.random.default_rng(1), resamples=200)
    by_policy = {item.policy: item for item in measures.policies}
    expected = {
        Policy.POSITIVE: (17, 2, 5, 15, 38, 98),
        Policy.NEGATIVE: (14, 5, 1, 19, 30, 98),
        Policy.DROPPED: (14, 2, 1, 15, 30, 90),
    }
    for policy, (tp, fn, fp, tn, positive, n) in expected.items():
        own = by_policy[policy]
        counts = (own.calibration.true_positives, own.calibration.false_negatives)
        assert (*counts, own.calibration.false_positives, own.calibration.true_negatives) == (tp, fn, fp, tn)
        assert own.judged.estimate == positive / n
        by_hand = rogan_gladen(
            positive, n, Calibration(true_positives=tp, false_negatives=fn, false_positives=fp, true_negatives=tn)
        )
        assert (own.corrected.estimate, own.corrected.low, own.corrected.high) == (
            by_hand.estimate,
            by_hand.low,
            by_hand.high,
        )
        assert own.corrected.high - own.corrected.low > own.judged.high - own.judged.low
        assert own.kappa.estimate > 0.5
    assert (measures.unsure, measures.failed, measures.labelled_unsure, measures.labelled_failed) == (8, 2, 7, 1)
    assert (measures.bounds.low, measures.bounds.high) == (0.3, 0.4)


def test_without_labelled_replies_nothing_is_said_of_the_detector():
    with pytest.raises(InputError, match="no labelled replies"):
        hallucination_measures(rows(["none"], None, "model"), (), (), rng=np.random.default_rng(1))


def test_replies_of_another_kind():
    with pytest.raises(UsageError, match="expected model or labelled"):
        das_hallucination(replies="mine")
