"""Labelled replies: those of this package, or a file of the user's; positives and negatives to the same prompts.

A set whose positives come from one source and whose negatives from another lets a detector win on style; the reader counts the
prompts that have both, and says when there are none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from equipoise.benchmarks.das_hallucination.roles import CODES
from equipoise.errors import InputError
from equipoise.ids import content_hash
from equipoise.outcomes.readers import read_json_lines

BENCHMARK = "das_hallucination"
SHIPPED = "labelled.jsonl"
_TEXTS = ("id", "prompt_id", "prompt", "reply", "why", "source")
_ALL = (*_TEXTS, "context", "hallucinated", "codes")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledReply:
    """One reply with its label.

    Attributes:
        id: identifier.
        prompt_id: identifier of its prompt; replies to one prompt belong together.
        prompt: what was asked.
        context: what was given with it; may be empty.
        reply: the reply.
        hallucinated: the label.
        codes: faults that it has, of `CODES`; empty when it is clean.
        why: why it is labelled so.
        source: where that can be looked up.
    """

    id: str
    prompt_id: str
    prompt: str
    context: str
    reply: str
    hallucinated: bool
    codes: tuple[str, ...]
    why: str
    source: str

    @property
    def asked(self) -> str:
        """The prompt with its context, as a model is asked."""
        return f"{self.context}\n\n{self.prompt}" if self.context.strip() else self.prompt


def load(path: str | Path | None = None) -> tuple[LabelledReply, ...]:
    """The labelled replies of this package, or of a file.

    Args:
        path: JSONL file in the form that docs/das-axes.md states; the packaged one by default.

    Raises:
        UsageError: there is no such file.
        InputError: a line breaks the form, or two replies to one prompt state it differently; names file, line and element.
    """
    if path is None:
        with as_file(files("equipoise.benchmarks.das_hallucination").joinpath(SHIPPED)) as own:
            return _read(own, SHIPPED)
    return _read(Path(path), str(path))


def replies_hash(replies: Sequence[LabelledReply]) -> str:
    """Hash over prompts, replies and labels, in order."""
    return content_hash(
        [
            [row.id, row.prompt_id, row.prompt, row.context, row.reply, row.hallucinated, list(row.codes)]
            for row in replies
        ]
    )


def prompts_of(replies: Sequence[LabelledReply]) -> tuple[LabelledReply, ...]:
    """The first labelled reply of every prompt, in order: the prompts that a model is asked."""
    return tuple(
        {row.prompt_id: row for row in reversed(replies)}[name]
        for name in dict.fromkeys(row.prompt_id for row in replies)
    )


def shared_prompts(replies: Sequence[LabelledReply]) -> int:
    """Prompts that have a positive and a negative reply."""
    labels: dict[str, set[bool]] = {}
    for row in replies:
        labels.setdefault(row.prompt_id, set()).add(row.hallucinated)
    return sum(len(own) == 2 for own in labels.values())


def _read(path: Path, file: str) -> tuple[LabelledReply, ...]:
    found: list[LabelledReply] = []
    lines: dict[str, int] = {}
    prompts: dict[str, str] = {}
    for line, record in read_json_lines(path):
        try:
            row = build(record)
        except InputError as error:
            raise error.located(file=file, line=line) from None
        if row.id in lines:
            message = f"the identifier {row.id!r} already stands on line {lines[row.id]}"
            raise InputError(message, file=file, line=line, field="id")
        if prompts.setdefault(row.prompt_id, row.asked) != row.asked:
            message = f"the prompt {row.prompt_id!r} has another text or context than before"
            raise InputError(message, file=file, line=line, field="prompt")
        lines[row.id] = line
        found.append(row)
    if not found:
        message = "expected at least one labelled reply"
        raise InputError(message, file=file)
    return tuple(found)


def build(record: Mapping[str, Any]) -> LabelledReply:
    """One labelled reply of a record.

    Raises:
        InputError: an element is missing, unknown or wrong.
    """
    wrong = [name for name in _ALL if name not in record] or sorted(set(record) - set(_ALL))
    if wrong:
        message = f"element {wrong[0]!r} is missing or unknown; expected {', '.join(_ALL)}"
        raise InputError(message, field=wrong[0])
    for name in _TEXTS:
        if not isinstance(record[name], str) or not record[name].strip():
            message = f"expected a text, found {record[name]!r}"
            raise InputError(message, field=name)
    if not isinstance(record["context"], str):
        message = "expected a text, which may be empty"
        raise InputError(message, field="context")
    if not isinstance(record["hallucinated"], bool):
        message = f"expected true or false, found {record['hallucinated']!r}"
        raise InputError(message, field="hallucinated")
    codes = record["codes"]
    if not isinstance(codes, list) or any(code not in CODES for code in codes):
        message = f"expected a list of {', '.join(CODES)}; found {codes!r}"
        raise InputError(message, field="codes")
    if codes and not record["hallucinated"]:
        message = "a reply without a hallucination has no codes"
        raise InputError(message, field="codes")
    texts = {name: record[name] for name in _TEXTS}
    return LabelledReply(
        **texts, context=record["context"], hallucinated=record["hallucinated"], codes=tuple(dict.fromkeys(codes))
    )
