"""Train and test apart: by recording, by case text, and by what the answers say."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from equipoise.boards.formats.splits import enforce_splits
from equipoise.boards.model import BoardCase
from equipoise.boards.reading import short
from equipoise.boards.vocabulary import Split
from equipoise.errors import InputError

RUN = 12
"""A run of this many words of a held-back answer in a training text is a leak."""
SHINGLE, ALIKE = 4, 0.6
"""Two case texts are near-duplicates at this share of common runs of four words, counted against the shorter text."""
SHORTEST = 20
"""Case texts of fewer words are only compared whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """Why two cases of different splits may not stay so.

    Attributes:
        kind: "near-duplicate" or "answer in training text".
        training: id of the case that would be trained on.
        held_back: id of the other.
    """

    kind: str
    training: str
    held_back: str


def words(text: str) -> list[str]:
    """Words of a text in small letters; signs and spacing are left out."""
    return re.findall(r"\w+", text.casefold())


def runs(items: Sequence[str], size: int) -> frozenset[tuple[str, ...]]:
    """Runs of so many words; the whole text when it is shorter."""
    if len(items) < size:
        return frozenset({tuple(items)}) if items else frozenset()
    return frozenset(tuple(items[place : place + size]) for place in range(len(items) - size + 1))


def answers(case: BoardCase) -> tuple[str, ...]:
    """What a system is judged against: conclusion, other references, decisions, and answers to questions."""
    found = [question.answer for question in case.questions]
    if case.conclusion is not None:
        found.append(case.conclusion.text)
        found.extend(decision.text for decision in case.conclusion.decisions)
    return tuple(text for text in (*found, *case.references) if text.strip())


def breaches(training: Iterable[tuple[BoardCase, str]], held_back: Sequence[BoardCase]) -> tuple[Breach, ...]:
    """Near-duplicates across splits, and answers of held-back cases in training texts.

    Args:
        training: cases to be trained on, each with all its text: prompts and answers.
        held_back: cases of other splits.
    """
    index: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
    marks: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
    sizes = []
    for place, case in enumerate(held_back):
        own = _shingles(case.text)
        sizes.append(len(own))
        for run in own:
            index[run].add(place)
        for text in answers(case):
            for run in runs(words(text), RUN):
                if len(run) == RUN:
                    marks[run].add(place)
    found: dict[Breach, None] = {}
    for case, text in training:
        own = _shingles(case.text)
        common: defaultdict[int, int] = defaultdict(int)
        for run in own:
            for place in index.get(run, ()):
                common[place] += 1
        for place, count in sorted(common.items()):
            if count / min(len(own), sizes[place]) >= ALIKE:
                found[Breach(kind="near-duplicate", training=case.id, held_back=held_back[place].id)] = None
        hit = {place for run in runs(words(text), RUN) for place in marks.get(run, ())}
        for place in sorted(hit):
            found[Breach(kind="answer in training text", training=case.id, held_back=held_back[place].id)] = None
    return tuple(found)


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    items = words(text)
    return runs(items, SHINGLE) if len(items) >= SHORTEST else frozenset({tuple(items)}) if items else frozenset()


def enforce_separation(
    training: Sequence[tuple[BoardCase, str]], cases: Sequence[BoardCase], *, file: str | None = None
) -> None:
    """Refuses to train on what a held-back case gives away.

    Args:
        training: cases to be trained on, each with all its text.
        cases: all cases, in their splits.
        file: what to name in the message.

    Raises:
        InputError: a case without split or recording, a recording in two splits, a near-duplicate across splits, or a held-back answer in a
            training text; the message names the cases.
    """
    _all_placed(cases, file)
    enforce_splits(((case.recording, case.split) for case in cases), file=file)
    splits = {case.split for case, _ in training}
    found = breaches(training, [case for case in cases if case.split not in splits])
    if found:
        told = "; ".join(f"{short(item.training)} and {short(item.held_back)} ({item.kind})" for item in found[:10])
        more = f"; and {len(found) - 10} more" if len(found) > 10 else ""
        message = f"training and held-back cases are not apart: {told}{more}; move their recordings into one split, or leave them out"
        raise InputError(message, file=file, field="split")


def _all_placed(cases: Sequence[BoardCase], file: str | None) -> None:
    for field, missing in (
        ("split", [case.id for case in cases if case.split is None]),
        ("recording", [case.id for case in cases if not case.recording]),
    ):
        if missing:
            told = ", ".join(short(name) for name in missing[:10])
            more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
            hint = "; give it one, or split by recording" if field == "split" else "; splits are by recording, so give it one"
            message = f"no {field}: {told}{more}{hint}"
            raise InputError(message, file=file, field=field)


def split_of(name: str) -> Split:
    """A split that may be trained on.

    Raises:
        InputError: another word, or test.
    """
    if name == Split.TEST.value:
        message = "test cases are for evaluation and are not exported for training; expected train or validation"
        raise InputError(message, field="split")
    try:
        return Split(name)
    except ValueError:
        message = f"expected train or validation, found {short(name)}"
        raise InputError(message, field="split") from None
