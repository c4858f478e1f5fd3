"""Facts: taken out of reference and answer, held against the other text both ways, put together as precision, recall and F1.

After TBFact (arXiv:2509.06602; `docs/evaluation.md` of Azure-Samples/healthcare-agent-orchestrator). Different here: what is undefined is
not 0, a verdict that could not be read is not "no", and of several acceptable references the one with the highest recall counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from equipoise.boards.formats.orchestrator import FactCategory, read_facts
from equipoise.boards.judging.references import BoardReference
from equipoise.boards.reading import Problem
from equipoise.boards.vocabulary import DecisionKind
from equipoise.ids import content_hash
from equipoise.judging.listing import ListForm
from equipoise.statistics.estimate import Result

FACT_FORM = ListForm(
    id="board-facts-1",
    instruction=(
        "Take out of the text every statement of clinical weight, each as one short sentence that can be understood alone: what is known "
        "of the patient, what was found, what is to be done, what is not to be done, and under which condition. Split a sentence that "
        "states several. Keep negations, doses, sides, grades and dates. Add nothing, conclude nothing, leave out courtesy and repetition."
    ),
    categories=(
        (FactCategory.DEMOGRAPHICS.value, "age, sex, background"),
        (FactCategory.DIAGNOSIS.value, "disease, histology, stage, site, findings of imaging and pathology"),
        (FactCategory.TREATMENT.value, "treatment given, advised or advised against, surgery and radiation too"),
        (FactCategory.SYMPTOM.value, "complaints, function, performance status"),
        (FactCategory.BIOMARKER.value, "molecular and laboratory findings"),
        (FactCategory.OTHER.value, "everything else, such as follow-up, tests to be done, trials"),
    ),
)
"""What a model is told to take out of a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact.

    Attributes:
        id: identifier within the item; of a reference "1.2" is the second of the first reference.
        text: the fact.
        category: its category.
    """

    id: str
    text: str
    category: FactCategory


class FactVerdict(StrEnum):
    """Whether the other text says a fact."""

    YES = "yes"
    PARTIAL = "partial"
    NO = "no"
    UNREAD = "unread"


CREDIT: Mapping[FactVerdict, float] = {FactVerdict.YES: 1.0, FactVerdict.PARTIAL: 0.5, FactVerdict.NO: 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Result):
    """A share of facts.

    Attributes:
        value: 0 to 1; None when there is no fact, or when a verdict could not be read.
        failed: whether it has no value because a verdict could not be read.
        n: facts.
    """

    value: float | None
    failed: bool
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FactScores(Result):
    """Precision, recall and F1 of one answer.

    Attributes:
        recall: share of the reference's facts that the answer says.
        precision: share of the answer's facts that the reference says.
        f1: harmonic mean; undefined when one of the two is, failed when one of the two is.
        reference: place of the reference that counts, from 0; None without one.
    """

    recall: Share
    precision: Share
    f1: Share
    reference: int | None


def fact_scores(
    references: Sequence[Sequence[FactVerdict]], reply: Sequence[FactVerdict], *, strict: bool = False
) -> FactScores:
    """Scores of one answer.

    Args:
        references: by acceptable reference, the verdicts on its facts; a reference without facts is passed over.
        reply: verdicts on the facts of the answer, each held against all references.
        strict: no credit for "partial".

    Returns:
        Scores; of several references the one with the highest recall counts, the first of equals. A single verdict that could not
        be read leaves its share without a value: what is judged in part would compare with what is judged whole.
    """
    shares = [(place, _share(own, strict)) for place, own in enumerate(references) if own]
    recall, place = _UNDEFINED, None
    if any(share.failed for _, share in shares):
        recall = Share(value=None, failed=True, n=sum(share.n for _, share in shares))
    elif shares:
        place, recall = max(shares, key=lambda item: (item[1].value or 0.0, -item[0]))
    precision = _share(reply, strict) if reply else _UNDEFINED
    return FactScores(recall=recall, precision=precision, f1=_f1(recall, precision), reference=place)


_UNDEFINED = Share(value=None, failed=False, n=0)


def _share(verdicts: Sequence[FactVerdict], strict: bool) -> Share:
    if FactVerdict.UNREAD in verdicts:
        return Share(value=None, failed=True, n=len(verdicts))
    credit = [float(item is FactVerdict.YES) if strict else CREDIT[item] for item in verdicts]
    return Share(value=sum(credit) / len(credit), failed=False, n=len(credit))


def _f1(recall: Share, precision: Share) -> Share:
    n = recall.n + precision.n
    if recall.failed or precision.failed:
        return Share(value=None, failed=True, n=n)
    if recall.value is None or precision.value is None:
        return Share(value=None, failed=False, n=n)
    below = recall.value + precision.value
    return Share(value=2 * recall.value * precision.value / below if below else 0.0, failed=False, n=n)


_OF_KIND: Mapping[DecisionKind, FactCategory] = {
    DecisionKind.THERAPY: FactCategory.TREATMENT,
    DecisionKind.SURGERY: FactCategory.TREATMENT,
    DecisionKind.NEXT_ACTION: FactCategory.OTHER,
    DecisionKind.CLINICAL_TRIAL: FactCategory.OTHER,
}


def decision_facts(reference: BoardReference) -> tuple[Fact, ...]:
    """The decisions of a reference as facts, without a model; what is as good stands after "or". Empty without any decision."""
    found = []
    for kind in DecisionKind:
        text = reference.decisions.get(kind, "")
        if text and reference.in_scope(kind) is not False:
            whole = " or: ".join((text, *reference.acceptable.get(kind, ())))
            found.append(Fact(id=f"1.{kind.value}", text=whole, category=_OF_KIND[kind]))
    return tuple(found)


def listed_facts(entries: Iterable[tuple[str, str]], *, reference: int | None = None) -> tuple[Fact, ...]:
    """Facts that a model listed, numbered.

    Args:
        entries: text and category.
        reference: number of the reference, from 1; None for facts of an answer.
    """
    head = "" if reference is None else f"{reference}."
    return tuple(
        Fact(id=f"{head}{place}", text=text, category=FactCategory(category))
        for place, (text, category) in enumerate(entries, start=1)
    )


def given_facts(path: str | Path) -> tuple[dict[str, tuple[Fact, ...]], tuple[Problem, ...]]:
    """Reference facts by item, from a TBFact file of facts by patient: the patient is the item.

    Returns:
        The facts, and what could not be read. An item with a fact that could not be read is left out whole: held against a part of its
        facts, an answer would score higher or lower than it is.

    Raises:
        UsageError: the file cannot be opened.
        InputError: it is not JSON, or no object.
    """
    loaded = read_facts(path)
    broken = {str(problem.field or "").split("[")[0] for problem in loaded.problems}
    found: dict[str, list[Fact]] = {}
    for entry in loaded.items:
        if entry.patient not in broken:
            own = found.setdefault(entry.patient, [])
            own.append(Fact(id=f"1.{len(own) + 1}", text=entry.text, category=entry.category))
    return {name: tuple(own) for name, own in found.items()}, loaded.problems


def facts_hash(facts: Sequence[Fact]) -> str:
    """Content hash of some facts."""
    return content_hash([[item.id, item.text, item.category.value] for item in facts])
