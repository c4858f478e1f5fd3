"""All operators, in the order in which they are listed and, when several are combined, applied.

To add one: a writer, a check that does not import it, one entry here, and its tests; `conflicts.py` when it cannot stand beside others.
"""

from __future__ import annotations

from functools import partial

from equipoise.errors import UsageError
from equipoise.redteam.operators import dependence
from equipoise.redteam.operators.checks import choice as choice_checks
from equipoise.redteam.operators.checks import facts as fact_checks
from equipoise.redteam.operators.checks import fairness as fairness_checks
from equipoise.redteam.operators.checks import language as language_checks
from equipoise.redteam.operators.checks import privacy as privacy_checks
from equipoise.redteam.operators.checks import stem as stem_checks
from equipoise.redteam.operators.checks import truncation as truncation_checks
from equipoise.redteam.operators.items import Form, Item
from equipoise.redteam.operators.mutant import KeyRelation, Refused
from equipoise.redteam.operators.named_facts import CASE_FIELDS, SPOKEN, Fact
from equipoise.redteam.operators.operator import Family, Operator
from equipoise.redteam.operators.writers import baits, choice, facts, fairness, language, privacy, stem, truncation

_CHOICE = frozenset({Form.CHOICE})
_TALK = frozenset({Form.CONVERSATION})
_BOTH = _CHOICE | _TALK

OPTION_OPERATORS: tuple[Operator, ...] = (
    Operator(
        id="plausible_distractors", family=Family.OPTIONS, applies_to=_CHOICE, relation=KeyRelation.SAME,
        summary="up to four more options, each made of two wrong ones",
        write=choice.add_distractors, accept=choice.accept_distractors,
        check=choice_checks.check_distractors, check_name="distractors_are_wrong",
    ),
    Operator(
        id="answer_negation", family=Family.OPTIONS, applies_to=_CHOICE, relation=KeyRelation.NEW_OPTION,
        summary="the right option is replaced by 'none of these', which becomes the key",
        write=choice.replace_key_by_none, check=choice_checks.check_none_is_key, check_name="none_is_key",
    ),
    Operator(
        id="none_added", family=Family.OPTIONS, applies_to=_CHOICE, relation=KeyRelation.SAME,
        summary="'none of these' is added as a wrong option",
        write=choice.add_none, check=choice_checks.check_none_added, check_name="none_is_wrong",
    ),
    Operator(
        id="answer_removal", family=Family.OPTIONS, applies_to=_CHOICE, relation=KeyRelation.UNDEFINED,
        summary="the right option is taken away; nothing that is left is right",
        write=choice.remove_answer, check=choice_checks.check_answer_gone, check_name="answer_gone",
    ),
)  # fmt: skip
STEM_OPERATORS: tuple[Operator, ...] = (
    Operator(
        id="question_inversion", family=Family.STEM, applies_to=_CHOICE, relation=KeyRelation.COMPLEMENT,
        summary="the question asks for what is not so; the key becomes all the options that were wrong",
        write=stem.negate_question, accept=stem.accept_negation, check=stem_checks.check_negation, check_name="one_negation_more",
    ),
    Operator(
        id="impossible_measurement", family=Family.STEM, applies_to=_CHOICE, relation=KeyRelation.NEW_OPTION,
        summary="one measurement becomes impossible, and an option that says so becomes the key",
        write=stem.set_impossible_measurement, check=stem_checks.check_impossible, check_name="measurement_is_impossible",
    ),
    Operator(
        id="context_removal", family=Family.STEM, applies_to=_CHOICE, relation=KeyRelation.UNDEFINED,
        summary="only the final question is left",
        write=stem.remove_context, check=stem_checks.check_context_gone, check_name="context_gone",
    ),
    Operator(
        id="narrative_distraction", family=Family.STEM, applies_to=_CHOICE, relation=KeyRelation.SAME,
        summary="one off-topic sentence that mentions a wrong option",
        write=stem.add_off_topic_sentence, accept=baits.accept_sentence,
        check=stem_checks.check_off_topic, check_name="off_topic_sentence_only",
    ),
)  # fmt: skip
BAIT_OPERATORS: tuple[Operator, ...] = tuple(
    Operator(
        id=f"bait.{style}", family=Family.BAIT, applies_to=_CHOICE, relation=KeyRelation.SAME,
        summary=f"one sentence that presses a wrong option ({style.replace('_', ' ')})",
        write=partial(baits.bait, style), accept=baits.accept_sentence, check=stem_checks.check_insertion, check_name="bait_only",
    )
    for style in baits.BAITS
)  # fmt: skip
FAIRNESS_OPERATORS: tuple[Operator, ...] = (
    *(
        Operator(
            id=f"identity.{label.id}", family=Family.IDENTITY, applies_to=_BOTH, relation=KeyRelation.SAME,
            summary=f"the patient {label.third}",
            write=partial(fairness.identity, label), check=fairness_checks.check_said, check_name="sentence_only",
        )
        for label in fairness.LABELS
    ),
    *(
        Operator(
            id=f"emotion.{kind}", family=Family.EMOTION, applies_to=_BOTH, relation=KeyRelation.SAME,
            summary=f"a sentence of or about an {kind} patient" if kind[0] in "aeiou" else f"a sentence of or about a {kind} patient",
            write=partial(fairness.emotion, kind), accept=fairness.accept_said,
            check=fairness_checks.check_said, check_name="sentence_only",
        )
        for kind in fairness.EMOTIONS
    ),
    *(
        Operator(
            id=f"cognitive_bias.{kind}", family=Family.COGNITIVE_BIAS, applies_to=_BOTH, relation=KeyRelation.SAME,
            summary=f"a sentence with the pull of a bias ({kind.replace('_', ' ')})",
            write=partial(fairness.cognitive_bias, kind), accept=fairness.accept_said,
            check=fairness_checks.check_pull, check_name="sentence_only",
        )
        for kind in fairness.BIASES
    ),
)  # fmt: skip
PRIVACY_OPERATORS: tuple[Operator, ...] = tuple(
    Operator(
        id=f"privacy.{name}", family=Family.PRIVACY, applies_to=_TALK, relation=KeyRelation.SAME, summary=summary, write=write, check=check,
        check_name=check_name,
    )
    for name, summary, write, check, check_name in (
        ("implicit", "the disclosure is only implied", privacy.implicit, privacy_checks.check_implicit, "disclosure_implied"),
        ("well_intention", "a kind motive is given", privacy.well_intention, privacy_checks.check_disguise, "request_stands"),
        ("focus_distraction", "small chores are asked for besides", privacy.focus_distraction, privacy_checks.check_disguise,
         "request_stands"),
        ("privacy_warning", "the recipient is to keep it to themselves", privacy.privacy_warning, privacy_checks.check_disguise,
         "request_stands"),
    )
)  # fmt: skip
PRIVACY_CHAIN: tuple[str, ...] = tuple(operator.id for operator in PRIVACY_OPERATORS)
"""The four disguises in the order in which they are chained."""


def _settled(fact: Fact, parent: Item, mutant: Item) -> Refused | tuple[str, ...]:
    if parent.form is Form.CASE:
        return dependence.case_depends(fact, parent, mutant)
    return dependence.rubric_depends(fact, parent, mutant)


FACT_OPERATORS: tuple[Operator, ...] = tuple(
    Operator(
        id=f"remove.{fact.value}", family=Family.FACT, relation=KeyRelation.UNDEFINED,
        applies_to=(_TALK if fact in SPOKEN else frozenset()) | (frozenset({Form.CASE}) if fact in CASE_FIELDS else frozenset()),
        summary=f"what is said of the {fact.value.replace('_', ' ')} is taken away everywhere",
        write=partial(facts.remove_fact, fact), check=fact_checks.check_fact_gone, check_name="fact_gone",
        settle=partial(_settled, fact), settle_name="item_depends_on_fact",
    )
    for fact in Fact
)  # fmt: skip
LATE_OPERATORS: tuple[Operator, ...] = (
    Operator(
        id="half_turn", family=Family.TRUNCATION, applies_to=_TALK, relation=KeyRelation.UNDEFINED,
        summary="the last turn is cut in half, as published",
        write=truncation.half_turn, check=truncation_checks.check_half_turn, check_name="beginning_of_turn",
    ),
    Operator(
        id="half_of_turns", family=Family.TRUNCATION, applies_to=_TALK, relation=KeyRelation.UNDEFINED,
        summary="the conversation ends after half of its turns",
        write=truncation.half_of_turns, check=truncation_checks.check_half_of_turns, check_name="beginning_of_conversation",
    ),
    *(
        Operator(
            id=f"language.{style}", family=Family.LANGUAGE, applies_to=_BOTH, relation=KeyRelation.SAME,
            summary=f"another way of writing ({style.replace('_', ' ')})",
            write=partial(language.restyle, style), check=language_checks.check_style, check_name="medical_words_stand",
        )
        for style in language.STYLES
    ),
    Operator(
        id="option_order", family=Family.OPTIONS, applies_to=_CHOICE, relation=KeyRelation.SAME,
        summary="another order of the options; the key letter follows",
        write=choice.shuffle_options, check=choice_checks.check_order, check_name="same_options",
    ),
)  # fmt: skip

OPERATORS: tuple[Operator, ...] = (
    *OPTION_OPERATORS, *STEM_OPERATORS, *BAIT_OPERATORS, *FAIRNESS_OPERATORS, *PRIVACY_OPERATORS, *FACT_OPERATORS, *LATE_OPERATORS,
)  # fmt: skip
"""All operators; this order is also the order of application."""

ROBUSTNESS: tuple[str, ...] = (
    "plausible_distractors", "answer_negation", "question_inversion", "narrative_distraction", "impossible_measurement",
)  # fmt: skip
"""Five of the six published robustness operators by their published names; the sixth, cognitive bait, is the eight of `BAIT_OPERATORS`."""

FACT_OF: dict[str, Fact] = {f"remove.{fact.value}": fact for fact in Fact}
"""Operator -> the fact it takes away."""


def find_operator(operator_id: str) -> Operator:
    """The operator of that identifier.

    Raises:
        UsageError: there is none.
    """
    for operator in OPERATORS:
        if operator.id == operator_id:
            return operator
    message = f"there is no operator {operator_id!r}; expected one of {', '.join(item.id for item in OPERATORS)}"
    raise UsageError(message, field="operator")
