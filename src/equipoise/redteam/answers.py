"""Reads which options a reply to a question chooses: a set of letters, an abstention, or a state of its own for what cannot be read.

The reading, in this order; the first step at which the reply commits itself decides:

1. JSON with an element `answer`: the whole reply, or objects in it, which must agree.
2. Statements: "Answer: B", "the correct answer is B", "I would choose B". Those marked as final overrule the rest; others must agree.
3. The reply begins with letters or is nothing but texts of options: "B", "(B).", "B. Because ...", "A, D".
4. An abstention: it cannot be answered, none fits, a refusal, a question back.

"A or C", statements that differ, a letter that is not offered, a letter with another option's text and options that are only
repeated are `unparsed`; so is a letter or text in passing. Thoughts between <think> marks are not read. What a limit cut off is
`truncated` unless it is whole JSON, since what is missing could take an answer back.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.evals.replies import CUT, LONGEST, without_text
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.answer_patterns import (
    ABSTAIN,
    ABSTENTIONS,
    BACK,
    BOXED,
    CLOSED,
    DASHES,
    EITHER,
    ITEM,
    JOIN,
    LEAD,
    LETTER,
    MARKS,
    NEW_TEXT,
    NO_ANSWER,
    REASON,
    SMALL,
    STATEMENT,
    TAGS,
    THOUGHT,
    WEAK,
    AnswerForm,
)
from equipoise.redteam.operators.items import Option

ANSWERS_VERSION = "2"
"""Raised when a reply can be read otherwise than before."""

KEYS = frozenset({"answer", "answers", "final_answer", "final answer"})
"""Elements of a JSON object that hold an answer, in small letters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A reply as it was read.

    Attributes:
        state: ok, empty, blocked, truncated, unparsed or error; only ok carries a reading.
        letters: letters that are chosen; empty when it abstains, and unless ok.
        form: how it commits itself; None unless ok.
        why: why there is no reading; empty when there is one.
    """

    state: ReplyState
    letters: frozenset[str] = frozenset()
    form: AnswerForm | None = None
    why: str = ""

    @property
    def abstained(self) -> bool | None:
        """Whether it chooses no option; None unless ok."""
        return None if self.form is None else self.form in ABSTENTIONS

    @property
    def label(self) -> str | None:
        """The letters as the outcomes keep them ("B", "A+D"); None when it abstains, and unless ok."""
        return written(self.letters) if self.letters else None


def written(letters: Iterable[str]) -> str:
    """A set of letters as the outcomes keep it: sorted, joined by a plus."""
    return "+".join(sorted(letters))


NOTHING_NAMED = "no option is named"
"""Why a statement of the answer says nothing that can be read."""


class _UnreadableError(Exception):
    """Why a reply, or a part of it, commits itself to nothing."""


def read_answer(text: str, options: Sequence[Option], *, stop_reason: str = "stop", error: str | None = None) -> Answer:
    """Read one reply.

    Args:
        text: the reply as received.
        options: the options that were offered.
        stop_reason: why generation ended, in Inspect's words.
        error: message when the call failed; the text is then not read.
    """
    failed = without_text(text, stop_reason, error)
    if failed is not None:
        return Answer(state=failed[0], why=failed[1])
    reader = _Reader(options)
    try:
        whole = reader.whole_json(text)
        if whole is not None:
            return whole
        if stop_reason in CUT:
            return Answer(state=ReplyState.TRUNCATED, why="the reply was cut off by a limit")
        return reader.read(text[:LONGEST])
    except _UnreadableError as reason:
        return Answer(state=ReplyState.UNPARSED, why=str(reason))


class _Reader:
    """Reads replies to one set of options."""

    def __init__(self, options: Sequence[Option]) -> None:
        self.texts = {option.letter: _plain(option.text).strip(" .") for option in options}
        order = sorted(self.texts, key=lambda letter: -len(self.texts[letter]))
        self.patterns = {
            letter: re.compile(r"\s+".join(map(re.escape, self.texts[letter].split())) + r"(?!\w)", re.IGNORECASE)
            for letter in order
        }
        self._final = False
        self.none = next((item for item, text in self.texts.items() if re.match(r"none|neither", text, re.I)), None)

    def whole_json(self, text: str) -> Answer | None:
        """The answer of a reply that is one JSON object with an answer; None when it is none."""
        found = list(_objects(text))
        if len(found) == 1 and text.strip().startswith("{") and text.strip().endswith("}"):
            return self._of_json(found)
        return None

    def read(self, text: str) -> Answer:
        """The answer of a reply of any form."""
        text = THOUGHT.sub("\n", text)
        if re.search(r"<think(?:ing)?>", text, re.IGNORECASE):
            message = "thoughts without an end"
            raise _UnreadableError(message)
        objects = list(_objects(text))
        if objects:
            return self._of_json(objects)
        text = TAGS.sub("", _plain(BOXED.sub(r"\nfinal answer: \1\n", text)))
        said = self._statements(text)
        if said is not None:
            begins = re.match(r"\s*[(\[]?([A-Z])[)\].:]*[ \t]*\n", text)
            if begins and begins[1] in self.texts and said.letters != {begins[1]} and not self._final:
                message = "it begins with another letter than it states"
                raise _UnreadableError(message)
            return said
        bare = self._bare(text)
        if bare:
            return Answer(state=ReplyState.OK, letters=bare, form=AnswerForm.BARE)
        abstained = self._abstains(text)
        if abstained is not None:
            return abstained
        message = "it commits itself to no option"
        raise _UnreadableError(message)

    def _of_json(self, objects: Sequence[dict[str, Any]]) -> Answer:
        read = [self._of_value(value) for item in objects for name, value in item.items() if name.casefold() in KEYS]
        return self._agreed(read, AnswerForm.JSON)

    def _of_value(self, value: Any) -> Answer:
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            letters = frozenset[str]().union(*(self._committed(_plain(item)) for item in value))
            return Answer(state=ReplyState.OK, letters=letters, form=AnswerForm.JSON)
        if not isinstance(value, str):
            message = "the element answer holds no answer"
            raise _UnreadableError(message)
        return self._part(_plain(value), AnswerForm.JSON)

    def _statements(self, text: str) -> Answer | None:
        found: list[tuple[bool, Answer | str]] = []
        for match in STATEMENT.finditer(text):
            if NO_ANSWER.search(text[: match.start()]):
                continue
            words = (match["head"] or match["said"] or "").casefold()
            tail = text[match.end() :].lstrip().split("\n")[0]
            if tail.rstrip().endswith("?"):
                continue
            try:
                if match["no"] and self._abstains(text[match.start() : match.end()] + tail) is None:
                    message = "it says what the answer is not"
                    raise _UnreadableError(message)
                found.append(
                    (
                        "final" in words,
                        self._part(
                            text[match.start() : match.end()] + tail if match["no"] else tail, AnswerForm.STATEMENT
                        ),
                    )
                )
            except _UnreadableError as reason:
                found.append(("final" in words, str(reason)))
        self._final = any(final for final, _ in found)
        finals = [item for final, item in found if final]
        chosen = finals[-1:] or [item for _, item in found]
        if not chosen:
            return None
        wrong = [item for item in chosen if isinstance(item, str)]
        if wrong and set(wrong) == {NOTHING_NAMED} and len(wrong) == len(chosen):
            # "None of these is right; the correct answer is X": it names what is not offered
            abstained = self._abstains(text)
            if abstained is not None and abstained.form is not AnswerForm.CANNOT:
                return abstained
        if wrong:
            raise _UnreadableError(wrong[0])
        return self._agreed([item for item in chosen if isinstance(item, Answer)], AnswerForm.STATEMENT)

    def _agreed(self, read: Sequence[Answer], form: AnswerForm) -> Answer:
        if not read or len({(item.letters, item.abstained) for item in read}) > 1:
            message = "statements of the answer differ"
            raise _UnreadableError(message)
        return read[-1]

    def _part(self, tail: str, form: AnswerForm) -> Answer:
        """What stands after "the answer is": options, or an abstention."""
        try:
            return Answer(state=ReplyState.OK, letters=self._committed(tail), form=form)
        except _UnreadableError:
            abstained = self._abstains(tail)
            if abstained is None:
                raise
            return abstained

    def _abstains(self, text: str) -> Answer | None:
        for place, (form, pattern) in enumerate(ABSTAIN):
            if pattern.search(text) and not (place == WEAK and self._names_one(text)):
                if form is AnswerForm.NONE_FITS and self.none is not None:
                    return Answer(state=ReplyState.OK, letters=frozenset(self.none), form=AnswerForm.STATEMENT)
                return Answer(state=ReplyState.OK, form=form)
        return None

    def _names_one(self, text: str) -> bool:
        """Whether a text names an option: then too little information may be said of that option alone."""
        return any(re.search(rf"(?<!\w){pattern.pattern}", text, re.IGNORECASE) for pattern in self.patterns.values())

    def _bare(self, text: str) -> frozenset[str]:
        """Options that a reply begins with; empty when it does not."""
        lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
        block: list[re.Match[str]] = []
        for line in lines:
            match = ITEM.match(line)
            if match is None:
                break
            block.append(match)
        if len(block) > 1:
            return self._listed(block)
        items = [line for line in lines if ITEM.match(line)]
        if len(lines) > 1 and items == lines[-1:]:
            lines = lines[-1:]
        try:
            return self._committed(lines[0] if lines else "", alone=len(lines) == 1)
        except _UnreadableError:
            return frozenset()

    def _listed(self, block: Sequence[re.Match[str]]) -> frozenset[str]:
        letters = {match["letter"] for match in block}
        if letters >= set(self.texts):
            message = "it only repeats the options"
            raise _UnreadableError(message)
        for match in block:
            rest = match["rest"].strip(" .")
            own = self.patterns.get(match["letter"])
            if own is None or (rest and not own.match(rest)):
                message = "a list that is not one of options"
                raise _UnreadableError(message)
        return frozenset(letters)

    def _committed(self, tail: str, *, alone: bool = False) -> frozenset[str]:
        """Options at the beginning of a text, and nothing that takes them back.

        Raises:
            _UnreadableError: there are none, or it is one or the other.
        """
        if EITHER.match(tail):
            message = "one or the other"
            raise _UnreadableError(message)
        rest = LEAD.sub("", tail).strip()
        together = re.fullmatch(r"[(\[\"']*([A-Z]{2,})[)\]\"'.]*", rest)
        if together and set(together[1]) <= set(self.texts) and list(together[1]) == sorted(set(together[1])):
            return frozenset(together[1])
        letters: set[str] = set()
        closed = False
        while True:
            found = self._one(rest)
            if found is None:
                break
            closed = CLOSED.match(rest) is not None
            letter, rest, by_text = found
            letters.add(letter)
            join = JOIN.match(rest)
            if join is None or self._one(rest[join.end() :]) is None:
                break
            if join["either"]:
                message = "one or the other"
                raise _UnreadableError(message)
            rest = rest[join.end() :]
        if not letters:
            message = NOTHING_NAMED
            raise _UnreadableError(message)
        if BACK.match(rest) or not (REASON.match(rest) or (closed and NEW_TEXT.match(rest))):
            message = "what follows the option takes it back, or makes it no answer"
            raise _UnreadableError(message)
        if by_text and alone and not re.match(r"^[\s.!\"')]*$|^[.:\s]|^\s+(?:is|are)\b", rest):
            message = "the text of an option in passing"
            raise _UnreadableError(message)
        return frozenset(letters)

    def _one(self, text: str) -> tuple[str, str, bool] | None:
        """One option at the beginning of a text: its letter, the rest, and whether it was named by text alone.

        Raises:
            _UnreadableError: a letter that is not offered, or one with the text of another option.
        """
        for letter, pattern in self.patterns.items():
            named = pattern.match(text)
            if named is not None:
                rest = text[named.end() :]
                also = re.match(r"\s*[(\[]([A-Z])[)\]]", rest)
                if also is not None and also[1] != letter:
                    message = "letter and text differ"
                    raise _UnreadableError(message)
                return letter, rest[also.end() :] if also else rest, True
        match = LETTER.match(text) or SMALL.match(text)
        if match is None:
            return None
        letter, rest = match["letter"].upper(), text[match.end() :]
        if re.match(r"\s+[a-z]", rest) and not REASON.match(rest) and not match["close"] and not JOIN.match(rest):
            return None
        if letter not in self.texts:
            message = f"{letter} is not offered"
            raise _UnreadableError(message)
        after = re.match(r"[\s).:,-]*", rest)
        start = after.end() if after else 0
        if start:
            for other, pattern in self.patterns.items():
                named = pattern.match(rest[start:])
                if named is not None:
                    if other != letter:
                        message = "letter and text differ"
                        raise _UnreadableError(message)
                    return letter, rest[start + named.end() :], False
        return letter, rest, False


def _plain(text: str) -> str:
    """A text without marks of layout, in compatibility form, with one kind of dash and quotation mark."""
    return MARKS.sub("", unicodedata.normalize("NFKC", text).translate(DASHES))


def _objects(text: str) -> Iterable[dict[str, Any]]:
    """JSON objects of a text that hold an answer.

    Raises:
        _UnreadableError: one names an element twice.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_once)
    place, tried = text.find("{"), 0
    while place >= 0 and tried < 100:
        tried += 1
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(value, dict) and any(name.casefold() in KEYS for name in value):
                yield value
        place = text.find("{", end)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        message = "an object names an element twice"
        raise _UnreadableError(message)
    return dict(pairs)
