"""Scores that need no model: the four decisions with their scope, ROUGE-L, category concordance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.boards.demo import demo_cases
from equipoise.boards.measures.concordance import Match, category_concordance
from equipoise.boards.measures.decisions import (
    SCALE_0_5,
    SCALE_1_5,
    ScoreState,
    decision_rows,
    freeze_scope,
    mean_by_decision,
)
from equipoise.boards.measures.rouge import rouge_l
from equipoise.boards.model import Conclusion, Decision, DecisionKind, Scope, TreatmentCategory
from equipoise.errors import InputError

CASE = next(case for case in demo_cases() if case.id == "demo-12")
FULL = next(case for case in demo_cases() if case.id == "demo-14")


def test_a_scope_is_frozen_with_a_hash_and_who_froze_it():
    scope = freeze_scope(CASE, by="author")
    assert scope.scopes[DecisionKind.NEXT_ACTION] is Scope.POSITIVE
    assert scope.scopes[DecisionKind.THERAPY] is Scope.ABSENT
    assert len(scope.hash) == 16
    assert freeze_scope(FULL, by="author").hash != scope.hash
    assert freeze_scope(CASE, by="clinician").hash != scope.hash


def test_a_decision_nobody_has_scoped_cannot_be_frozen():
    import dataclasses

    open_scope = Conclusion(
        text="x", decisions=tuple(Decision(kind=kind, scope=None, text="x") for kind in DecisionKind)
    )
    with pytest.raises(InputError, match="therapy"):
        freeze_scope(dataclasses.replace(CASE, conclusion=open_scope), by="author")
    with pytest.raises(InputError, match="no conclusion"):
        freeze_scope(dataclasses.replace(CASE, conclusion=None), by="author")


def test_a_missing_decision_is_out_of_scope_and_never_zero():
    rows = decision_rows(freeze_scope(CASE, by="author"), {kind: 5 for kind in DecisionKind}, scale=SCALE_1_5)
    assert [row.state for row in rows] == [
        ScoreState.OUT_OF_SCOPE,
        ScoreState.OUT_OF_SCOPE,
        ScoreState.SCORED,
        ScoreState.OUT_OF_SCOPE,
    ]
    assert [row.value for row in rows] == [None, None, 5, None]
    assert {row.scale for row in rows} == {SCALE_1_5.id}
    assert {row.scope_hash for row in rows} == {freeze_scope(CASE, by="author").hash}


def test_a_judge_cannot_move_the_scope():
    scope = freeze_scope(FULL, by="author")
    rows = decision_rows(
        scope,
        {
            DecisionKind.THERAPY: -1,
            DecisionKind.SURGERY: 5,
            DecisionKind.NEXT_ACTION: 5,
            DecisionKind.CLINICAL_TRIAL: 5,
        },
        scale=SCALE_1_5,
    )
    assert rows[0].state is ScoreState.SCOPE_DISPUTED
    assert rows[0].value is None
    assert mean_by_decision(rows)[DecisionKind.THERAPY].unscored == 1


def test_a_reversed_decision_costs_only_that_decision():
    scope = freeze_scope(FULL, by="author")
    scores = dict.fromkeys(DecisionKind, 5) | {DecisionKind.SURGERY: 1}
    means = mean_by_decision(decision_rows(scope, scores, scale=SCALE_1_5))
    assert [means[kind].scored_only for kind in DecisionKind] == [5, 1, 5, 5]


@pytest.mark.parametrize("value", [0, 6, 2.5, True, "5", None])
def test_a_value_off_the_scale_is_unscored_and_counted(value):
    rows = decision_rows(
        freeze_scope(FULL, by="author"), dict.fromkeys(DecisionKind, 5) | {DecisionKind.THERAPY: value}, scale=SCALE_1_5
    )
    assert rows[0].state is ScoreState.UNPARSED
    assert rows[0].value is None
    mean = mean_by_decision(rows)[DecisionKind.THERAPY]
    assert (mean.in_scope, mean.scored, mean.unscored) == (1, 0, 1)
    assert mean.scored_only is None
    assert (mean.floored, mean.best) == (1, 5)


def test_a_missing_judgement_is_unscored():
    rows = decision_rows(freeze_scope(FULL, by="author"), {}, scale=SCALE_1_5)
    assert {row.state for row in rows} == {ScoreState.UNPARSED}


def test_the_scales_are_never_mixed():
    scope = freeze_scope(FULL, by="author")
    first = decision_rows(scope, dict.fromkeys(DecisionKind, 5), scale=SCALE_1_5)
    second = decision_rows(scope, dict.fromkeys(DecisionKind, 0), scale=SCALE_0_5)
    assert [row.value for row in second] == [0, 0, 0, 0]
    with pytest.raises(InputError, match="scale"):
        mean_by_decision([*first, *second])


def test_floored_and_scored_only_means_are_both_there():
    scope = freeze_scope(FULL, by="author")
    rows = [
        *decision_rows(scope, dict.fromkeys(DecisionKind, 4), scale=SCALE_1_5),
        *decision_rows(scope, {}, scale=SCALE_1_5),
    ]
    mean = mean_by_decision(rows)[DecisionKind.THERAPY]
    assert (mean.scored_only, mean.floored, mean.best) == (4, 2.5, 4.5)


def test_no_case_in_scope_has_no_mean():
    rows = decision_rows(freeze_scope(CASE, by="author"), {}, scale=SCALE_1_5)
    mean = mean_by_decision(rows)[DecisionKind.THERAPY]
    assert (mean.in_scope, mean.scored_only, mean.floored, mean.best) == (0, None, None, None)


@pytest.mark.parametrize(
    ("candidate", "reference", "f1"),
    [
        ("the cat sat on the mat", "the cat sat on the mat", 1.0),
        ("a b c d", "a x c y", 0.5),  # a c: 2 of 4 both ways
        ("Police, killed the gunman!", "police kill the gunman", 0.75),  # 3 of 4 both ways
        ("a b", "c d", 0.0),
        ("a", "a b c", 0.5),  # precision 1, recall 1/3
    ],
)
def test_rouge_l_worked_by_hand(candidate, reference, f1):
    assert rouge_l(candidate, [reference]).f1 == pytest.approx(f1)


def test_rouge_l_takes_the_best_of_several_references_and_says_which():
    found = rouge_l("give osimertinib", ["watch and wait", "give osimertinib now", "operate"])
    assert found.reference == 1
    assert found.f1 == pytest.approx(0.8)


def test_rouge_l_of_nothing_is_undefined_not_zero():
    assert rouge_l("", ["a"]).f1 is None
    assert rouge_l("...", ["a"]).f1 is None
    assert rouge_l("a", []).f1 is None
    assert rouge_l("a", ["", "a"]).f1 == 1


words = st.lists(st.sampled_from("abcde"), min_size=1, max_size=12).map(" ".join)


@given(words, words)
def test_rouge_l_is_symmetric_and_between_0_and_1(first, second):
    found = rouge_l(first, [second]).f1
    assert 0 <= found <= 1
    assert found == pytest.approx(rouge_l(second, [first]).f1)
    assert rouge_l(first, [first]).f1 == 1


def test_concordance_takes_any_category_of_the_reference():
    both = (TreatmentCategory.MULTISTEP, TreatmentCategory.SYSTEMIC)
    assert category_concordance(TreatmentCategory.SYSTEMIC, both) is Match.CONCORDANT
    assert category_concordance(TreatmentCategory.SURGERY, both) is Match.DISCORDANT
    assert category_concordance(None, both) is Match.UNCLASSIFIED
    assert category_concordance(TreatmentCategory.SURGERY, ()) is Match.NO_REFERENCE
