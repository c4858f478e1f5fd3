"""Writers on the text of a question: negation, context removal, an off-topic sentence, an impossible measurement."""

from __future__ import annotations

import re
from dataclasses import replace

from equipoise.redteam.operators.draw import Draw
from equipoise.redteam.operators.items import LETTERS, Item
from equipoise.redteam.operators.mutant import Reason, Refused, Written
from equipoise.redteam.operators.writers.choice import lettered, unfit, wrong_options
from equipoise.redteam.operators.writers.texts import before_last_sentence, sentence_spans

ALL_THAT_APPLY = "Choose every option that fits."
"""Added to a negated question, since its key is a set."""

_NEGATIVE = re.compile(
    r"\b(?:not|except|excluding|least|false|incorrect|untrue|never|unlikely|inappropriate|contraindicated|avoid\w*|without|lacks?|neither|nor"
    r"|cannot|\w+n['’]t)\b",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"^(?P<lead>(?:.*,\s+)?which(?: one)? of (?:the following|these)(?: [a-z][\w-]*){0,3}?)\s+"
    r"(?P<verb>is|are|was|were|should|would|can|could|will|may|might|must|does|has)\b(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_WHAT = re.compile(
    r"^(?P<lead>(?:.*,\s+)?)what (?P<verb>is|are|was|were) (?P<rest>(?:the|this|his|her|their)\b.*)$",
    re.IGNORECASE | re.DOTALL,
)


def negate_question(item: Item, draw: Draw) -> Written | Refused:
    """The final question asks for what is not so; the key becomes all the options that were wrong."""
    refused = unfit(item, letters=True)
    if refused is not None:
        return refused
    if len(item.key or ()) == len(item.options):
        return Refused(Reason.TOO_FEW_OPTIONS, "no option is wrong")
    start, end = sentence_spans(item.question)[-1]
    asked = item.question[start:end]
    if _NEGATIVE.search(asked):
        return Refused(Reason.ALREADY_NEGATIVE)
    negated = _negated(asked)
    if negated is None:
        return Refused(Reason.NEGATION_FORM)
    return _negative(item, f"{item.question[:start]}{negated} {ALL_THAT_APPLY}{item.question[end:]}", asked, negated)


def accept_negation(item: Item, text: str, draw: Draw) -> Written | Refused:
    """A proposed wording of the final question, in its place."""
    refused = unfit(item, letters=True)
    if refused is not None:
        return refused
    start, end = sentence_spans(item.question)[-1]
    asked = item.question[start:end]
    made = " ".join(text.split())
    if not made:
        return Refused(Reason.NO_PROPOSALS, "the proposal is empty")
    return _negative(item, f"{item.question[:start]}{made} {ALL_THAT_APPLY}{item.question[end:]}", asked, made)


def _negative(item: Item, question: str, asked: str, negated: str) -> Written:
    wrong = [option.letter not in (item.key or ()) for option in item.options]
    made = replace(lettered(item, [option.text for option in item.options], wrong), question=question)
    return Written(item=made, parameters={"from": asked, "to": negated})


def _negated(asked: str) -> str | None:
    found = _WHICH.match(asked)
    if found is not None:
        return f"{found['lead']} {found['verb']} NOT{found['rest']}"
    found = _WHAT.match(asked)
    if found is not None:
        lead = found["lead"]
        return f"{lead}{'which' if lead else 'Which'} of these options {found['verb']} NOT {found['rest']}"
    return None


_REFERS_BACK = re.compile(
    r"\b(?:this|these|that|his|her|hers|him|he|she|their|they|them|the (?:patient|man|woman|boy|girl|child|infant|mother|father|lesion|mass|"
    r"rash|finding|findings|condition|symptoms|results?)|most likely|most appropriate|best|next step)\b",
    re.IGNORECASE,
)


def remove_context(item: Item, draw: Draw) -> Written | Refused:
    """Only the final question is left of the text; what it refers back to is gone."""
    if item.key is None:
        return Refused(Reason.NO_KEY)
    spans = sentence_spans(item.question)
    if len(spans) < 2:
        return Refused(Reason.NO_CONTEXT)
    asked = item.question[spans[-1][0] : spans[-1][1]]
    rest = re.sub(r"\bof (?:the following|these)\b", " ", asked, flags=re.IGNORECASE)
    if not _REFERS_BACK.search(rest):
        return Refused(Reason.QUESTION_STANDS_ALONE, "the final question does not refer back to the text")
    return Written(
        item=replace(item, question=asked, key=None),
        parameters={"removed_sentences": len(spans) - 1},
        cautions=(
            "That nothing in the question and its options settles it without the text was not checked by a clinician.",
        ),
    )


_OFF_TOPIC: tuple[str, ...] = (
    'A poster on the wall of the waiting room advertises a talk on "{wrong}".',
    'In the next room, two colleagues are discussing a crossword with the entry "{wrong}".',
    'A radio at the reception desk is playing a quiz in which the word "{wrong}" comes up.',
    'An old magazine on the table has an article headed "{wrong}".',
    'A slide titled "{wrong}" from an unrelated lecture is left on the screen of a desk nearby.',
)


def add_off_topic_sentence(item: Item, draw: Draw) -> Written | Refused:
    """One sentence that has nothing to do with the case and mentions a wrong option, before the final question."""
    if item.key is None:
        return Refused(Reason.NO_KEY)
    wrong = wrong_options(item)
    if not wrong:
        return Refused(Reason.NO_WRONG_OPTION_TO_NAME)
    chosen = draw.pick(wrong)
    sentence = draw.pick(_OFF_TOPIC).format(wrong=chosen)
    made = replace(item, question=before_last_sentence(item.question, sentence))
    return Written(item=made, parameters={"inserted": sentence, "names": chosen})


FALSE_INFORMATION = "The text holds false or impossible information"
"""Option that is right when a measurement cannot be."""

FALSE_NOTE = "If the text states something that cannot be true, choose only the option that says so."
"""Added to the question, so that the option is no trick."""

_NUMBER = r"(?P<value>\d{1,4}(?:,\d{3})*(?:\.\d+)?)"
_BETWEEN = r"(?:\s+(?:level|concentration|count|rate|value|reading))?(?:\s*(?:is|was|of|at|=|:)){0,2}\s*"
MEASUREMENTS: tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (name, re.compile(rf"\b(?:{words}){_BETWEEN}{_NUMBER}(?!\.?\d|-|/\d)", re.IGNORECASE), values)
    for name, words, values in (
        ("temperature", "temperature|temp", ("212", "187", "305")),
        ("heart rate", "heart rate|pulse(?: rate)?", ("1250", "980", "2100")),
        ("respiratory rate", "respiratory rate|respirations(?: are)?", ("640", "510", "900")),
        ("oxygen saturation", "oxygen saturation|SpO2|O2 saturation", ("164", "230", "141")),
        ("potassium", "potassium", ("62", "88", "71")),
        ("sodium", "sodium", ("640", "12", "710")),
        ("pH", "arterial pH|pH", ("19.2", "21.5", "17.8")),
        ("hemoglobin", "ha?emoglobin(?! A)", ("640", "955", "720")),
        ("glasgow coma scale", "glasgow coma (?:scale|score)(?: score)?|GCS", ("44", "51", "39")),
        ("age", "aged", ("340", "412", "298")),
    )
)
"""Measurement, how it is worded before its number, and values that no living person can have."""


def set_impossible_measurement(item: Item, draw: Draw) -> Written | Refused:
    """One measurement becomes one that no living person can have, and an option that says so becomes the right one."""
    refused = unfit(item, room=1)
    if refused is not None:
        return refused
    found = [
        (name, match, values) for name, pattern, values in MEASUREMENTS for match in pattern.finditer(item.question)
    ]
    if not found:
        return Refused(Reason.NO_MEASUREMENT)
    name, match, values = draw.pick(found)
    value = draw.pick(values)
    question = f"{item.question[: match.start('value')]}{value}{item.question[match.end('value') :]}"
    texts = [*(option.text for option in item.options), FALSE_INFORMATION]
    flags = [*(False for _ in item.options), True]
    made = replace(lettered(item, texts, flags), question=f"{question.rstrip()} {FALSE_NOTE}")
    return Written(
        item=made,
        parameters={
            "measurement": name, "from": match["value"], "to": value, "option": LETTERS[len(item.options)], "note": FALSE_NOTE,
        },
    )  # fmt: skip
