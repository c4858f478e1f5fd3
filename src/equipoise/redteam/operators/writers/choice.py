"""Writers on options: order, "none of these", composed distractors, removal of the right one; and what forbids them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from equipoise.redteam.operators.draw import Draw
from equipoise.redteam.operators.items import LETTERS, Form, Item, Option
from equipoise.redteam.operators.mutant import Reason, Refused, Written
from equipoise.redteam.operators.writers.texts import folded

NONE_TEXTS: tuple[str, ...] = (
    "None of the options listed is correct",
    "None of these",
    "None of the other answers is right",
)
"""Wordings of the option that says that no other one is right."""

MOST_DISTRACTORS = 4
"""Most distractors that are added."""

_LETTER = r"[A-H]"
_REFERS = re.compile(
    rf"^\W*(?:(?i:only|both|either|neither)\s+)?{_LETTER}(?:\s*,\s*{_LETTER})*\s*,?\s*(?:and|or|nor|&)\s*{_LETTER}(?:\s+(?i:only))?\W*$"
    rf"|\b(?i:options?|choices?|answers?)\s+{_LETTER}\b"
    r"|(?i:\b(?:all|none|any|both|neither|either|each|two|some)\s+(?:of\s+)?(?:the\s+)?"
    r"(?:above|below|options?|answers?|choices?|others?\b|preceding|previous))"
    r"|(?i:\b(?:all|none|both|neither|either|any)\s+of\s+(?:these|those|them)\b)",
)
_NONE = re.compile(r"\bnone\s+of\b|\bno(?:ne)?\s+(?:option|answer|choice)\b|\bno\s+other\b", re.IGNORECASE)
_SUPERLATIVE = re.compile(r"\b(?:most|best|first|next|initial|greatest|highest|least|primary)\b", re.IGNORECASE)

NONE_CAUTION = (
    "The question asks for the best option: with it gone, a clinician may call another one the best that is left."
)


def refers(text: str) -> bool:
    """Whether a text speaks of options by letter or place ("both A and C", "all of the above")."""
    return _REFERS.search(text.strip()) is not None


def says_none(text: str) -> bool:
    """Whether an option says that no option is right."""
    return _NONE.search(text) is not None


def unfit(
    item: Item, *, single: bool = False, least: int = 2, room: int = 0, none: bool = True, letters: bool = False
) -> Refused | None:
    """What forbids work on the options of an item; None when nothing does.

    Args:
        item: the item.
        single: whether one right option is needed.
        least: fewest options.
        room: options that are to be added.
        none: whether an option that says "none" is in the way.
        letters: whether the question must not name options by letter.
    """
    if item.key is None:
        return Refused(Reason.NO_KEY)
    texts = [option.text for option in item.options]
    if len({folded(text) for text in texts}) < len(texts):
        return Refused(Reason.DUPLICATE_OPTIONS, "two options have the same text")
    if none and any(says_none(text) for text in texts):
        return Refused(Reason.HAS_NONE_OPTION)
    if any(refers(text) for text in texts if not says_none(text)):
        return Refused(Reason.OPTIONS_REFER_TO_EACH_OTHER)
    if letters and re.search(rf"\b(?i:options?|choices?|answers?)\s+{_LETTER}\b", item.question):
        return Refused(Reason.OPTIONS_REFER_TO_EACH_OTHER, "the question names an option by its letter")
    if single and len(item.key) > 1:
        return Refused(Reason.MULTI_SELECT)
    if len(texts) < least:
        return Refused(Reason.TOO_FEW_OPTIONS, f"{len(texts)} options, {least} needed")
    if len(texts) + room > len(LETTERS):
        return Refused(Reason.TOO_MANY_OPTIONS)
    return None


def lettered(item: Item, texts: Sequence[str], right: Sequence[bool] | None) -> Item:
    """The item with other options; `right` says which of them are the key, None for no key."""
    options = tuple(Option(letter=LETTERS[place], text=text) for place, text in enumerate(texts))
    key = None if right is None else frozenset(LETTERS[place] for place, flag in enumerate(right) if flag)
    return replace(item, options=options, key=key)


def _key_inside_another(item: Item) -> Refused | None:
    """Refuses when the right text stands inside a wrong option, so that it would survive there."""
    right = [folded(option.text) for option in item.options if option.letter in (item.key or ())]
    for option in item.options:
        if option.letter not in (item.key or ()) and any(text in folded(option.text) for text in right):
            return Refused(Reason.KEY_INSIDE_ANOTHER, f"option {option.letter} holds the right one")
    return None


def _flags(item: Item) -> list[bool]:
    return [option.letter in (item.key or ()) for option in item.options]


def shuffle_options(item: Item, draw: Draw) -> Written | Refused:
    """Another order of the options; the key follows. An item whose key is undefined may be shuffled too."""
    refused = unfit(replace(item, key=frozenset("A")) if item.key is None else item, none=False, letters=True)
    if refused is not None:
        return refused
    places = list(range(len(item.options)))
    order = draw.shuffled(places)
    if order == places:
        order = [*places[1:], places[0]]
    flags = _flags(item)
    texts = [item.options[place].text for place in order]
    right = None if item.key is None else [flags[place] for place in order]
    return Written(
        item=lettered(item, texts, right), parameters={"order": [item.options[place].letter for place in order]}
    )


def replace_key_by_none(item: Item, draw: Draw) -> Written | Refused:
    """The text of the right option becomes one that says that none is right."""
    refused = unfit(item, single=True, least=3, letters=True) or _key_inside_another(item)
    if refused is not None:
        return refused
    phrase = draw.pick(NONE_TEXTS)
    flags = _flags(item)
    texts = [phrase if flag else option.text for option, flag in zip(item.options, flags, strict=True)]
    cautions = (NONE_CAUTION,) if _SUPERLATIVE.search(item.question) else ()
    return Written(
        item=lettered(item, texts, flags),
        parameters={"phrase": phrase, "replaced": item.text_of(min(item.key or ()))},
        cautions=cautions,
    )


def add_none(item: Item, draw: Draw) -> Written | Refused:
    """One more option, the last, that says that none is right; it is wrong."""
    refused = unfit(item, room=1)
    if refused is not None:
        return refused
    phrase = draw.pick(NONE_TEXTS)
    texts = [*(option.text for option in item.options), phrase]
    return Written(item=lettered(item, texts, [*_flags(item), False]), parameters={"phrase": phrase})


def remove_answer(item: Item, draw: Draw) -> Written | Refused:
    """The right options go; the rest is lettered anew and nothing right is left."""
    refused = unfit(item, letters=True) or _key_inside_another(item)
    if refused is not None:
        return refused
    flags = _flags(item)
    texts = [option.text for option, flag in zip(item.options, flags, strict=True) if not flag]
    if len(texts) < 2:
        return Refused(Reason.TOO_FEW_OPTIONS, "fewer than two wrong options")
    removed = [option.text for option, flag in zip(item.options, flags, strict=True) if flag]
    cautions = (NONE_CAUTION,) if _SUPERLATIVE.search(item.question) else ()
    return Written(item=lettered(item, texts, None), parameters={"removed": removed}, cautions=cautions)


_JOINS = ("{one} together with {other}", "{one}, and then {other}", "{one} combined with {other}")


def add_distractors(item: Item, draw: Draw) -> Written | Refused:
    """Up to four more options, each put together from two wrong ones, so that each is wrong for the same reasons."""
    refused = unfit(item, single=True, least=3, room=MOST_DISTRACTORS)
    if refused is not None:
        return refused
    right = [folded(option.text) for option in item.options if option.letter in (item.key or ())]
    wrong = [
        option.text.rstrip(" .")
        for option in item.options
        if option.letter not in (item.key or ()) and not any(text in folded(option.text) for text in right)
    ]
    pairs = [pair for pair in itertools.combinations(wrong, 2) if not _makes_key(" ".join(pair), right)]
    pairs = draw.shuffled(pairs)[:MOST_DISTRACTORS]
    if not pairs:
        return Refused(Reason.NO_WRONG_OPTION_TO_NAME, "fewer than two wrong options without the right one in them")
    made = [draw.pick(_JOINS).format(one=one, other=other[:1].lower() + other[1:] if _plain(other) else other)
            for one, other in pairs]  # fmt: skip
    return _with_distractors(item, made, source="pairs of wrong options")


def _makes_key(text: str, right: Sequence[str]) -> bool:
    """Whether a text holds every longer word of a right option: two wrong drugs can be the right pair."""
    found = set(re.findall(r"\w+", folded(text)))
    return any(found >= {word for word in re.findall(r"\w+", option) if len(word) > 3} for option in right)


def accept_distractors(item: Item, text: str, draw: Draw) -> Written | Refused:
    """Proposed distractors, one a line."""
    refused = unfit(item, single=True, least=2, room=MOST_DISTRACTORS)
    if refused is not None:
        return refused
    lines = [line.strip().lstrip("-*• ").strip() for line in text.splitlines()]
    made = [line for line in lines if line][:MOST_DISTRACTORS]
    if not made:
        return Refused(Reason.NO_PROPOSALS, "the proposal is empty")
    return _with_distractors(
        item,
        made,
        source="proposal",
        cautions=("Whether a proposed distractor is wrong was not checked by a clinician.",),
    )


def _with_distractors(item: Item, made: list[str], *, source: str, cautions: tuple[str, ...] = ()) -> Written:
    texts = [*(option.text for option in item.options), *made]
    flags = [*_flags(item), *(False for _ in made)]
    return Written(item=lettered(item, texts, flags), parameters={"added": made, "source": source}, cautions=cautions)


def _plain(text: str) -> bool:
    """Whether a text may begin with a small letter: its first word is no name, acronym or number."""
    first = text.split()[0] if text.split() else ""
    return first.isalpha() and first[1:].islower() and first.isascii()


def wrong_options(item: Item) -> list[str]:
    """Texts of wrong options in which no right one stands, so that a sentence may name one without naming the key."""
    right = [folded(option.text) for option in item.options if option.letter in (item.key or ())]
    return [
        option.text.strip().rstrip(".")
        for option in item.options
        if item.key is not None
        and option.letter not in item.key
        and not says_none(option.text)
        and not refers(option.text)
        and not any(text in folded(option.text) for text in right)
    ]


def is_choice(item: Item) -> bool:
    """Whether it is a question with options."""
    return item.form is Form.CHOICE
