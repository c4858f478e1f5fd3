"""Reads MedQA questions (arXiv:2009.13081): 4 or 5 options, as an object or a list; the key by letter or text, one or several."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from equipoise.benchmarks.item_sets import ItemLoader, refuse, texts_of
from equipoise.benchmarks.prompts.sources import Host, SourceFile
from equipoise.benchmarks.prompts.tables import Record, text_of
from equipoise.errors import InputError
from equipoise.ids import content_hash
from equipoise.redteam.operators.items import LETTERS, Item, choice_item

BENCHMARK = "medqa"
_UNVERIFIED = "no copy was at hand: the hash is not pinned, and the loader was written from the published format"
_LICENCE = "MIT (repository jind11/MedQA), CC BY 4.0 (the copy on the hub); the questions come from examination material of third parties"
SOURCES: tuple[SourceFile, ...] = (
    SourceFile(
        id="us-4-options", host=Host.HUB, repository="GBaker/MedQA-USMLE-4-options", path="phrases_no_exclude_test.jsonl",
        revision="0fb93dd23a7339b6dcd27e241cb9b5eca62d4d18",
        licence=_LICENCE, columns=("question", "options"), unverified=_UNVERIFIED,
    ),
    SourceFile(
        id="us-5-options", host=Host.AUTHORS, repository="https://github.com/jind11/MedQA", path="data_clean/questions/US/test.jsonl",
        revision="", licence=_LICENCE, columns=("question", "options"), unverified=_UNVERIFIED,
    ),
)  # fmt: skip


def build(record: Record, number: int, file: str) -> Item:
    """One question.

    Args:
        record: `question`; `options` as {letter: text}, a list of texts, or a list of {key, value}; the key in `answer_idx`
            (letters) or `answer` (text, letter, or a list of them). Where both are there they must agree.
        number: 1-based number of the record.
        file: name of the file.

    Raises:
        InputError: an element is missing, of another form, or the two keys disagree.
    """
    try:
        question = text_of(record, "question", file=file)
        texts = _options(record["options"], number=number, file=file)
        key = _key(record, texts, number=number, file=file)
        tags = tuple(str(record[name]) for name in ("meta_info",) if record.get(name))
        item = choice_item("new", question, texts, key, tags=tags)
    except InputError as error:
        if error.message.startswith("record "):
            raise
        raise refuse(error.message, file=file, number=number, field=error.field or "question") from None
    return choice_item(_identifier(record, item), question, texts, key, tags=tags)


def _identifier(record: Record, item: Item) -> str:
    stated = record.get("id")
    if isinstance(stated, str | int) and not isinstance(stated, bool) and str(stated).strip():
        return str(stated).strip()
    return f"medqa-{content_hash([item.question, [option.text for option in item.options]])[:12]}"


def _options(value: Any, *, number: int, file: str) -> list[str]:
    if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        if any({"key", "value"} - set(item) for item in value):
            message = "expected options with the elements key and value"
            raise refuse(message, file=file, number=number, field="options")
        value = {str(item["key"]): item["value"] for item in value}
    if isinstance(value, Mapping):
        letters = [str(name).strip().upper() for name in value]
        if sorted(letters) != list(LETTERS[: len(letters)]):
            message = f"expected options lettered from A without a gap, found {', '.join(letters) or 'none'}"
            raise refuse(message, file=file, number=number, field="options")
        value = [text for _, text in sorted(zip(letters, value.values(), strict=True), key=lambda pair: pair[0])]
    if not isinstance(value, list):
        message = f"expected options as an object or a list, found {type(value).__name__}"
        raise refuse(message, file=file, number=number, field="options")
    return texts_of(value, file=file, number=number, field="options")


def _key(record: Record, texts: list[str], *, number: int, file: str) -> frozenset[str]:
    by_letter = record.get("answer_idx")
    by_text = record.get("answer")
    found: list[frozenset[str]] = []
    if by_letter not in (None, "", []):
        found.append(_letters(by_letter, texts, number=number, file=file, field="answer_idx"))
    if by_text not in (None, "", []):
        found.append(_answers(by_text, texts, number=number, file=file))
    if not found:
        message = "expected a key in answer_idx or answer"
        raise refuse(message, file=file, number=number, field="answer_idx")
    if len(set(found)) > 1:
        stated = " and ".join("".join(sorted(key)) for key in found)
        message = f"answer_idx and answer disagree: {stated}"
        raise refuse(message, file=file, number=number, field="answer")
    return found[0]


def _letters(value: Any, texts: list[str], *, number: int, file: str, field: str) -> frozenset[str]:
    parts = value if isinstance(value, list) else re.split(r"[\s,;/&|+]+", str(value))
    letters = "".join(str(part).strip().upper() for part in parts)
    known = LETTERS[: len(texts)]
    if not letters or any(letter not in known for letter in letters):
        message = f"expected letters from A to {known[-1]}, found {value!r}"
        raise refuse(message, file=file, number=number, field=field)
    return frozenset(letters)


def _answers(value: Any, texts: list[str], *, number: int, file: str) -> frozenset[str]:
    """The letters of answers given as texts, or as letters where no option has that text."""
    wanted = texts_of(value if isinstance(value, list) else [value], file=file, number=number, field="answer")
    letters: set[str] = set()
    for text in wanted:
        same = [LETTERS[place] for place, option in enumerate(texts) if option.casefold() == text.casefold()]
        if len(same) > 1:
            message = f"two options have the text of the answer, {text!r}"
            raise refuse(message, file=file, number=number, field="answer")
        if same:
            letters.add(same[0])
        elif re.fullmatch(r"[A-Z](?:[\s,;/&|+]*[A-Z])*", text):
            letters |= _letters(text, texts, number=number, file=file, field="answer")
        else:
            message = f"no option has the text of the answer, {text[:60]!r}"
            raise refuse(message, file=file, number=number, field="answer")
    return frozenset(letters)


LOADER = ItemLoader(benchmark=BENCHMARK, sources=SOURCES, build=build)
read = LOADER.read
load = LOADER.load
