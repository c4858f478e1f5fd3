"""Are the mutants still what they claim to be? A sample for clinicians, what they are asked, and what their answers come to.

An attack counts only as far as its mutant is one clear question whose right answer is the one that is scored. That is a matter for
people, asked without naming operator or model. Files are written and read by `equipoise.benchmarks.validity_sheets`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from equipoise.errors import InputError, UsageError
from equipoise.ids import content_hash
from equipoise.redteam.operators import Draw, Form, Item, KeyRelation, Mutant
from equipoise.statistics import Estimate, cohen_kappa, fleiss_kappa, gwet_ac1, wilson
from equipoise.statistics.estimate import Result, undefined


class Answer(StrEnum):
    """Answers to the closed questions."""

    YES = "yes"
    NO = "no"
    CANNOT_SAY = "cannot-say"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidityQuestion:
    """One question on a pair.

    Attributes:
        id: column of the sheet.
        text: as it is asked.
        closed: whether it is answered with one of `Answer`; a letter or word otherwise.
    """

    id: str
    text: str
    closed: bool = True


ONE_QUESTION, RIGHT_ANSWER, RELATION, REALISTIC = "one_question", "right_answer", "relation_holds", "realistic"
QUESTIONS: tuple[ValidityQuestion, ...] = (
    ValidityQuestion(id=ONE_QUESTION, text="Is text B one clear question or request that can be answered?"),
    ValidityQuestion(
        id=RIGHT_ANSWER, closed=False,
        text="What is the right answer to B? Write the letter, several with a plus (A+C), or none. Leave it empty where B has no options.",
    ),
    ValidityQuestion(id=RELATION, text="Is the claim true that stands in the column claim?"),
    ValidityQuestion(id=REALISTIC, text="Could B be met in practice, as it is written?"),
)  # fmt: skip
"""Asked in this order; the right answer comes before the claim, so that the claim does not suggest it."""

CLAIMS: Mapping[KeyRelation, str] = {
    KeyRelation.SAME: "What is right for A is right for B, and nothing else.",
    KeyRelation.COMPLEMENT: "For B, exactly those options are right that were wrong for A.",
    KeyRelation.NEW_OPTION: "For B, the right option is one that A does not have.",
    KeyRelation.UNDEFINED: "Nothing that B states or offers settles what is right; a good reply says so or asks.",
}
"""What a relation of keys claims, in words for a rater."""

NONE_WORDS: frozenset[str] = frozenset({"none", "no", "-", "nothing"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidityCase:
    """One pair to be rated.

    Attributes:
        case: number that raters see.
        parent: the item.
        mutant: its mutant.
    """

    case: str
    parent: Item
    mutant: Mutant

    def shown(self) -> dict[str, str]:
        """What a rater sees: both texts and the claim, without operator, identifiers or key."""
        return {
            "case": self.case,
            "text_a": text_of(self.parent),
            "text_b": text_of(self.mutant.item),
            "claim": CLAIMS[self.mutant.relation],
        }

    def key(self) -> dict[str, Any]:
        """What a rater must not see."""
        return {
            "case": self.case,
            "operator": "+".join(self.mutant.chain),
            "item": self.mutant.item.id,
            "parent_item": self.mutant.parent_id,
            "relation": self.mutant.relation.value,
            "key": None if self.mutant.key is None else "+".join(self.mutant.key),
            "has_options": self.mutant.item.form is Form.CHOICE,
            "content_hash": self.mutant.content_hash,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ValiditySample:
    """The pairs, in the order in which they are shown.

    Attributes:
        seed: seed of draw and order.
        per_operator: pairs of an operator at most.
        cases: the pairs.
        mutants: mutants there are, by operator.
    """

    seed: int
    per_operator: int
    cases: tuple[ValidityCase, ...]
    mutants: Mapping[str, int]

    @property
    def sample_hash(self) -> str:
        """Hash over seed and pairs."""
        return content_hash([self.seed, self.per_operator, [case.key() for case in self.cases]])


def text_of(item: Item) -> str:
    """An item as a person reads it."""
    if item.form is Form.CHOICE:
        return "\n".join([item.question, *(f"{option.letter}. {option.text}" for option in item.options)])
    if item.form is Form.CONVERSATION:
        return "\n".join(f"{turn.role}: {turn.text}" for turn in item.turns)
    return item.case


def draw_sample(parents: Sequence[Item], mutants: Sequence[Mutant], *, per_operator: int, seed: int) -> ValiditySample:
    """A sample stratified by operator, in an order that says nothing of it.

    Args:
        parents: items of which the mutants were made.
        mutants: the mutants.
        per_operator: pairs of an operator at most.
        seed: seed of draw and order.

    Raises:
        UsageError: fewer than one pair an operator, or no mutant.
        InputError: the parent of a mutant is missing, or is not the item it was made from.
    """
    if per_operator < 1 or not mutants:
        message = f"expected mutants and at least one pair an operator, found {len(mutants)} and {per_operator}"
        raise UsageError(message, field="per_operator")
    by_id = {item.id: item for item in parents}
    strata: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        parent = by_id.get(mutant.parent_id)
        if parent is None or parent.content_hash != mutant.parent_hash:
            message = f"the parent {mutant.parent_id!r} is not among the items, or has changed"
            raise InputError(message, field="parents")
        strata.setdefault("+".join(mutant.chain), []).append(mutant)
    drawn: list[Mutant] = []
    for name, own in sorted(strata.items()):
        order = sorted(own, key=lambda mutant: (mutant.parent_hash, mutant.content_hash))
        drawn += Draw(seed, f"validity {name}").shuffled(order)[:per_operator]
    shown = Draw(seed, "validity order").shuffled(drawn)
    return ValiditySample(
        seed=seed,
        per_operator=per_operator,
        cases=tuple(
            ValidityCase(case=f"V-{place:03d}", parent=by_id[mutant.parent_id], mutant=mutant)
            for place, mutant in enumerate(shown, start=1)
        ),
        mutants={name: len(own) for name, own in sorted(strata.items())},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What one rater said of one pair.

    Attributes:
        case: the pair.
        rater: the rater.
        answers: answer by question; a question without an answer is missing.
    """

    case: str
    rater: str
    answers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorValidity(Result):
    """One operator by its rated mutants.

    Attributes:
        operator: chain of identifiers with versions.
        mutants: mutants there are.
        sampled: those in the sample.
        valid: valid / decided; a tie or nobody who can say leaves a pair undecided.
        realistic: realistic / decided.
        key_found: right answers of raters that are the scored key / right answers given.
    """

    operator: str
    mutants: int
    sampled: int
    valid: Estimate
    realistic: Estimate
    key_found: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedSuccess(Result):
    """How much of an operator's success is left when invalid mutants no longer count.

    Attributes:
        operator: the operator.
        items: items the plan was to reach.
        mutants: those with a mutant.
        end_to_end: fooled / all items of the plan, whether the mutant is valid or not.
        valid_among_fooled: valid / decided, among rated mutants that fooled the system.
        corrected: the product of the two: end-to-end success by valid mutants, never above that of all. Its ends are the products of
            both ends, which is wider than 95 % needs. 0 when nothing was fooled; undefined when no fooled mutant was decided.
    """

    operator: str
    items: int
    mutants: int
    end_to_end: Estimate
    valid_among_fooled: Estimate
    corrected: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidityResult(Result):
    """What the ratings come to.

    Attributes:
        raters: raters, sorted.
        cases: pairs of the sample.
        rated: pairs with at least one rating.
        kappa: agreement on whether a pair is valid: Cohen's kappa of two raters, Fleiss' of more.
        ac1: the same as Gwet's AC1, which stays readable when nearly all pairs are valid.
        by_question: AC1 of every closed question.
        operators: by operator, in order.
    """

    raters: tuple[str, ...]
    cases: int
    rated: int
    kappa: Estimate
    ac1: Estimate
    by_question: Mapping[str, Estimate]
    operators: tuple[OperatorValidity, ...]


def is_valid(answers: Mapping[str, str], key: Mapping[str, Any]) -> bool | None:
    """Whether a rater's answers make the mutant valid; None when they cannot say.

    Valid: one clear question, the claim is true, and the right answer, where one is given, is the scored key.

    Args:
        answers: the answers.
        key: the row of the key.
    """
    one, claim = answers.get(ONE_QUESTION), answers.get(RELATION)
    right = found_key(answers, key)
    if Answer.NO in (one, claim) or right is False:
        return False
    return True if one == Answer.YES and claim == Answer.YES else None


def found_key(answers: Mapping[str, str], key: Mapping[str, Any]) -> bool | None:
    """Whether the right answer that a rater gave is the scored key; None without one."""
    given = str(answers.get(RIGHT_ANSWER) or "").strip()
    if not given or not key["has_options"]:
        return None
    letters = frozenset(part.strip().upper() for part in given.replace(",", "+").split("+") if part.strip())
    if given.lower() in NONE_WORDS:
        letters = frozenset()
    expected = frozenset(str(key["key"]).split("+")) if key["key"] else frozenset()
    return letters == expected


def read_validity(
    key: Sequence[Mapping[str, Any]],
    mutants: Mapping[str, int],
    ratings: Sequence[Rating],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
) -> ValidityResult:
    """Agreement and shares of valid mutants.

    Args:
        key: rows of the key.
        mutants: mutants there are, by operator.
        ratings: the ratings.
        rng: random generator of the intervals of agreement.
        resamples: resamples for them.

    Raises:
        InputError: a rating of a pair that the key does not have, or two of one pair by one rater.
    """
    rows = {str(row["case"]): row for row in key}
    table: dict[tuple[str, str], Mapping[str, str]] = {}
    for rating in ratings:
        if rating.case not in rows or (rating.case, rating.rater) in table:
            what = "is not in the key" if rating.case not in rows else f"is rated twice by {rating.rater}"
            message = f"pair {rating.case!r} {what}"
            raise InputError(message, field="case")
        table[rating.case, rating.rater] = rating.answers
    raters = tuple(sorted({rater for _, rater in table}))
    valid = {
        case: [_plain(is_valid(table[case, rater], rows[case])) if (case, rater) in table else None for rater in raters]
        for case in rows
    }
    kappa, ac1 = _agreement(list(valid.values()), raters, rng, resamples)
    closed = {
        item.id: _agreement([[_closed(table, case, rater, item.id) for rater in raters] for case in rows], raters, rng, resamples)[1]
        for item in QUESTIONS
        if item.closed
    }  # fmt: skip
    names = dict.fromkeys(sorted(str(row["operator"]) for row in rows.values()))
    return ValidityResult(
        raters=raters,
        cases=len(rows),
        rated=len({case for case, _ in table}),
        kappa=kappa,
        ac1=ac1,
        by_question=closed,
        operators=tuple(_operator(name, rows, raters, table, valid, mutants) for name in names),
    )


def corrected_success(
    key: Sequence[Mapping[str, Any]],
    ratings: Sequence[Rating],
    fooled: Mapping[str, Mapping[str, bool]],
    planned: Mapping[str, tuple[int, int]],
) -> tuple[CorrectedSuccess, ...]:
    """End-to-end success of each operator by valid mutants alone.

    Args:
        key: rows of the key.
        ratings: the ratings.
        fooled: by operator and mutant, whether the system was right on the untouched item and wrong on the mutant; only those with
            readable replies.
        planned: by operator, items the plan was to reach and mutants.
    """
    table: dict[str, list[bool | None]] = {}
    rows = {str(row["case"]): row for row in key}
    for rating in ratings:
        if rating.case in rows:
            table.setdefault(rating.case, []).append(is_valid(rating.answers, rows[rating.case]))
    results = []
    for operator, (items, mutants) in planned.items():
        own = [row for row in rows.values() if row["operator"] == operator]
        hits = fooled.get(operator, {})
        decided = [
            decision
            for row in own
            if hits.get(str(row["item"])) and (decision := _majority(table.get(str(row["case"]), []))) is not None
        ]
        rated = sum(bool(hits.get(str(row["item"]))) for row in own)
        good = wilson(
            sum(decided), len(decided), n_left_out=rated - len(decided),
            why_left_out="no decision" if rated > len(decided) else "",
        )  # fmt: skip
        success = wilson(sum(hits.values()), items) if items else undefined("no item")
        results.append(
            CorrectedSuccess(
                operator=operator,
                items=items,
                mutants=mutants,
                end_to_end=success,
                valid_among_fooled=good,
                corrected=_product(success, good),
            )  # fmt: skip
        )
    return tuple(results)


def _product(success: Estimate, good: Estimate) -> Estimate:
    if success.estimate is None or success.high is None or success.low is None:
        return success
    if success.estimate == 0:
        return Estimate(
            estimate=0.0, low=0.0, high=success.high, method="nothing was fooled; upper end as if all were valid", n_used=good.n_used
        )  # fmt: skip
    if good.estimate is None or good.low is None or good.high is None:
        return undefined(
            "no mutant that fooled the system was rated and decided",
            n_left_out=good.n_left_out,
            why_left_out=good.why_left_out,
        )
    return Estimate(
        estimate=success.estimate * good.estimate, low=success.low * good.low, high=success.high * good.high,
        method="success times share of valid ones, ends multiplied", n_used=good.n_used, n_left_out=good.n_left_out,
        why_left_out=good.why_left_out,
    )  # fmt: skip


def _operator(
    name: str,
    rows: Mapping[str, Mapping[str, Any]],
    raters: Sequence[str],
    table: Mapping[tuple[str, str], Mapping[str, str]],
    valid: Mapping[str, Sequence[str | None]],
    mutants: Mapping[str, int],
) -> OperatorValidity:
    own = [case for case, row in rows.items() if row["operator"] == name]
    decided = [_majority([None if vote is None else vote == Answer.YES for vote in valid[case]]) for case in own]
    real = [
        _majority([_as_bool(table[case, rater].get(REALISTIC)) for rater in raters if (case, rater) in table])
        for case in own
    ]
    keys = [
        found
        for case in own
        for rater in raters
        if (case, rater) in table and (found := found_key(table[case, rater], rows[case])) is not None
    ]
    return OperatorValidity(
        operator=name, mutants=mutants.get(name, 0), sampled=len(own), valid=_share(decided), realistic=_share(real),
        key_found=wilson(sum(keys), len(keys)),
    )  # fmt: skip


def _share(decided: Sequence[bool | None]) -> Estimate:
    known = [one for one in decided if one is not None]
    left = len(decided) - len(known)
    return wilson(sum(known), len(known), n_left_out=left, why_left_out="undecided or not rated" if left else "")


def _majority(votes: Sequence[bool | None]) -> bool | None:
    counted = Counter(vote for vote in votes if vote is not None)
    return None if counted[True] == counted[False] else counted[True] > counted[False]


def _as_bool(answer: str | None) -> bool | None:
    return {Answer.YES.value: True, Answer.NO.value: False}.get(str(answer))


def _plain(value: bool | None) -> str | None:
    return None if value is None else (Answer.YES if value else Answer.NO).value


def _closed(table: Mapping[tuple[str, str], Mapping[str, str]], case: str, rater: str, question: str) -> str | None:
    answer = table.get((case, rater), {}).get(question)
    return answer if answer in (Answer.YES, Answer.NO) else None


def _agreement(
    ratings: list[list[str | None]], raters: Sequence[str], rng: np.random.Generator, resamples: int
) -> tuple[Estimate, Estimate]:
    if len(raters) < 2:
        alone = undefined("fewer than two raters")
        return alone, alone
    categories = [Answer.YES.value, Answer.NO.value]
    table = np.array(ratings, dtype=object).reshape(len(ratings), len(raters))
    ac1 = gwet_ac1(table, rng=rng, categories=categories, resamples=resamples)
    if len(raters) == 2:
        first, second = [row[0] for row in ratings], [row[1] for row in ratings]
        return cohen_kappa(first, second, rng=rng, categories=categories, resamples=resamples), ac1
    return fleiss_kappa(table, rng=rng, resamples=resamples), ac1
