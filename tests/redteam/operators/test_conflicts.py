"""Conflicting operators cannot combine; the others keep their chain, their parameters and the key."""

from __future__ import annotations

import itertools
import json

import pytest

from equipoise.errors import UsageError
from equipoise.redteam.operators import (
    CONFLICTS,
    OPERATORS,
    PRIVACY_CHAIN,
    Draw,
    Family,
    Form,
    KeyRelation,
    Mutant,
    NotApplicable,
    choice_item,
    compose,
    conflict_between,
    conflicting_pairs,
    draw_for,
    find_operator,
)
from redteam_items import made_choices, made_conversations, made_scenes


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("question_inversion", "answer_negation"),
        ("answer_negation", "impossible_measurement"),
        ("answer_negation", "plausible_distractors"),
        ("question_inversion", "plausible_distractors"),
        ("none_added", "answer_negation"),
        ("none_added", "question_inversion"),
        ("none_added", "answer_removal"),
        ("context_removal", "bait.recency"),
        ("bait.recency", "bait.cultural"),
        ("identity.black", "identity.gay"),
        ("language.dialect", "language.polite"),
        ("remove.stage", "half_turn"),
        ("privacy.implicit", "language.rude"),
        ("option_order", "half_turn"),
        ("option_order", "option_order"),
    ],
)
def test_a_conflicting_pair_is_refused_in_either_order(one, other):
    first, second = find_operator(one), find_operator(other)
    assert conflict_between(first, second)
    assert conflict_between(first, second) == conflict_between(second, first)
    item = choice_item(
        "q",
        "A man is tired. Which of the following is the most likely diagnosis?",
        ["Zorbol", "Belitis", "Tamosis"],
        "B",
    )
    for pair in ([first, second], [second, first]):
        with pytest.raises(UsageError, match="cannot combine"):
            compose(item, pair, Draw(1))


def test_the_conflicts_published_are_among_the_pairs():
    pairs = {frozenset(pair[:2]) for pair in conflicting_pairs()}
    assert frozenset({"question_inversion", "answer_negation"}) in pairs
    assert frozenset({"answer_negation", "impossible_measurement"}) in pairs
    assert frozenset({"answer_negation", "plausible_distractors"}) in pairs


def test_no_two_operators_that_change_what_is_right_combine_but_two_facts():
    for one, other in itertools.combinations(OPERATORS, 2):
        if KeyRelation.SAME in (one.relation, other.relation):
            continue
        together = one.family is other.family is Family.FACT and one.applies_to & other.applies_to
        assert bool(conflict_between(one, other)) is not bool(together), (one.id, other.id)


def test_every_entry_names_operators_or_families_and_says_why():
    names = {operator.id for operator in OPERATORS} | {family.value for family in Family}
    for conflict in CONFLICTS:
        assert {str(conflict.first), str(conflict.second)} <= names
        assert len(conflict.why) > 15
    assert len({frozenset((conflict.first, conflict.second)) for conflict in CONFLICTS}) == len(CONFLICTS)


def test_a_conflict_with_a_family_holds_for_each_of_its_operators():
    context = find_operator("context_removal")
    for operator in OPERATORS:
        if operator.family is Family.BAIT:
            assert "context back" in conflict_between(context, operator)


COMBINABLE = [
    (one, other)
    for one, other in itertools.combinations(OPERATORS, 2)
    if not conflict_between(one, other) and Form.CHOICE in one.applies_to & other.applies_to
]


@pytest.mark.parametrize("first", sorted({one.id for one, _ in COMBINABLE}))
def test_two_that_combine_keep_the_key_that_follows_from_the_words(first):
    """Every combinable pair of operators on questions, on questions of which the truth is known."""
    items = made_choices(30, seed=9)
    made = 0
    for one, other in [pair for pair in COMBINABLE if pair[0].id == first]:
        for item, world in items[:12]:
            outcome = compose(item, [other, one], draw_for(3, item, "pair"))
            assert isinstance(outcome, Mutant | NotApplicable), outcome
            if isinstance(outcome, NotApplicable):
                continue
            made += 1
            assert outcome.chain == (one.name, other.name)
            assert len(json.loads(outcome.parameters)) == 2
            assert outcome.parent_id == item.id
            assert outcome.parent_hash == item.content_hash
            assert outcome.relation is (one.relation if one.relation is not KeyRelation.SAME else other.relation)
            if outcome.relation is KeyRelation.UNDEFINED:
                assert outcome.key is None
            else:
                assert set(outcome.key) == world.key(outcome.item), outcome
    assert made


def test_the_four_disguises_chain_in_their_order():
    operators = [find_operator(name) for name in PRIVACY_CHAIN]
    assert PRIVACY_CHAIN == (
        "privacy.implicit",
        "privacy.well_intention",
        "privacy.focus_distraction",
        "privacy.privacy_warning",
    )
    made = [compose(item, operators[::-1], draw_for(1, item, "chain")) for item in made_scenes(60)]
    mutants = [outcome for outcome in made if isinstance(outcome, Mutant)]
    assert len(mutants) == 45
    for mutant in mutants:
        assert mutant.chain == tuple(operator.name for operator in operators)
        assert {check.split(":")[0] for check in mutant.verified_by} == set(PRIVACY_CHAIN)
        text = mutant.item.turns[-1].text
        assert mutant.item.scene.disclosure not in text
        assert mutant.item.scene.recipient in text
    refused = next(outcome for outcome in made if isinstance(outcome, NotApplicable))
    assert refused.reason == "no_third_person"
    assert refused.detail == "privacy.privacy_warning"
    assert "+" in refused.operator


def test_two_facts_can_go_together():
    operators = [find_operator("remove.ecog"), find_operator("remove.stage")]
    item = next(item for item in made_conversations(90, fact="ecog") if "stage IIIB" in item.turns[-1].text)
    outcome = compose(item, operators, Draw(1))
    assert isinstance(outcome, Mutant)
    assert [json.loads(outcome.parameters)[place]["fact"] for place in (0, 1)] == ["stage", "ecog"]


def test_a_chain_needs_operators_of_the_catalogue():
    item = choice_item("q", "Which is it?", ["Zorbol", "Belol"], "A")
    with pytest.raises(UsageError, match="at least one operator"):
        compose(item, [], Draw(1))
    import dataclasses

    stranger = dataclasses.replace(find_operator("option_order"), id="stranger")
    with pytest.raises(UsageError, match="'stranger' is not in the catalogue"):
        compose(item, [stranger], Draw(1))
    with pytest.raises(UsageError, match="there is no operator 'nothing'"):
        find_operator("nothing")
