"""Rubrics: what is judged, what the judge sees, which criteria on which scales, by whom the construct was published.

A rubric is a YAML file. Its hash covers all of its content and the fixed words around it, so that equal hashes mean
that judges were told the same.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from equipoise.errors import ConfigurationError, InternalError, UsageError
from equipoise.ids import content_hash
from equipoise.judging.scales import Scale
from equipoise.judging.wording import FRAME_HASH

SHIPPED: tuple[str, ...] = (
    "refusal",
    "intent",
    "helpfulness",
    "harm-severity",
    "omission-harm",
    "actionable-specificity",
    "medfail-gates",
    "healthbench-criterion",
    "missing-information",
    "board-equivalence",
    "board-alignment",
    "board-decisions",
    "board-facts",
    "board-scope",
    "board-category",
)
"""Rubrics of this package, in the order of lists; each is a file of that name in `rubrics/`."""

REPLY = "reply"
"""The part that holds the text under judgement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a construct was published.

    Attributes:
        title: what was taken from it.
        reference: "doi:...", "arXiv:...", "PMID:...", or for what only a repository holds "github:OWNER/NAME@COMMIT".
    """

    title: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Something the judge sees.

    Attributes:
        part: its name in the material.
        called: how the judge is told what it is.
        optional: whether an item may lack it.
        list: whether it is a list of entries, of which criteria can be asked one by one.
    """

    part: str
    called: str
    optional: bool = False
    list: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One question of a rubric.

    Attributes:
        id: identifier, unique in the rubric.
        question: the question.
        scale: the values it can be answered with.
        each: part whose entries it is asked of, one by one; empty for a question on the whole.
        in_scope: question whether the criterion applies at all; empty when it always does.
    """

    id: str
    question: str
    scale: Scale
    each: str = ""
    in_scope: str = ""


@dataclass(frozen=True, kw_only=True)
class Rubric:
    """A rubric, ready to be asked.

    Attributes:
        id: identifier.
        version: raised with every change.
        title: one line.
        judged: what is judged.
        source: where the construct was published.
        sees: what the judge sees, in order.
        instruction: what the judge is told, in addition to the fixed frame.
        criteria: the questions, in order.
    """

    id: str
    version: str
    title: str
    judged: str
    source: tuple[Source, ...]
    sees: tuple[Part, ...]
    instruction: str
    criteria: tuple[Criterion, ...]

    @cached_property
    def hash(self) -> str:
        """Content hash of all that a judge is told by this rubric, its identifier and its sources."""
        return content_hash([self.to_dict(), FRAME_HASH])

    @property
    def sees_reply(self) -> bool:
        """Whether the reply is judged; a rubric on prompts alone knows nothing of a model."""
        return any(part.part == REPLY for part in self.sees)

    def criterion(self, name: str) -> Criterion:
        """The criterion of a judgement row: "critical-action:a1" is the criterion "critical-action" on the entry a1.

        Raises:
            KeyError: there is none.
        """
        for item in self.criteria:
            if name == item.id or (item.each and name.startswith(f"{item.id}:")):
                return item
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """The rubric as plain JSON values."""
        return {
            "id": self.id,
            "version": self.version,
            "title": self.title,
            "judged": self.judged,
            "source": [[item.title, item.reference] for item in self.source],
            "sees": [[item.part, item.called, item.optional, item.list] for item in self.sees],
            "instruction": self.instruction,
            "criteria": [
                {
                    "id": item.id,
                    "question": item.question,
                    "scale": item.scale.to_dict(),
                    "each": item.each,
                    "in_scope": item.in_scope,
                }
                for item in self.criteria
            ],
        }


def load_rubric(name: str | Path) -> Rubric:
    """A rubric of this package by its name, or one of a YAML file.

    Args:
        name: one of `SHIPPED`, or a path that ends in .yaml or .yml.

    Raises:
        UsageError: no such rubric or file.
        ConfigurationError: the file breaks the form; the text names the element.
    """
    text = str(name)
    if text in SHIPPED:
        return shipped(text)
    if not text.endswith((".yaml", ".yml")):
        message = f"there is no rubric {text!r}; expected one of {', '.join(SHIPPED)}, or a YAML file"
        raise UsageError(message, field="rubric")
    path = Path(name)
    if not path.is_file():
        message = "there is no such rubric"
        raise UsageError(message, file=text)
    return parse_text(path.read_text(encoding="utf-8"), file=text)


@functools.cache
def shipped(name: str) -> Rubric:
    """A rubric of this package.

    Raises:
        InternalError: its file names another rubric.
    """
    file = resources.files("equipoise.judging").joinpath("rubrics", f"{name}.yaml")
    rubric = parse_text(file.read_text(encoding="utf-8"), file=f"{name}.yaml")
    if rubric.id != name:
        message = f"{name}.yaml holds the rubric {rubric.id!r}"
        raise InternalError(message)
    return rubric


def parse_text(text: str, *, file: str) -> Rubric:
    """The rubric of a YAML text.

    Raises:
        ConfigurationError: not YAML, or another form.
    """
    from equipoise.judging.rubric_form import parse_rubric

    try:
        value: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark is not None else ""
        message = f"{file}{place}: not YAML ({getattr(error, 'problem', None) or 'cannot be read'})"
        raise ConfigurationError(message) from error
    if not isinstance(value, Mapping):
        message = f"{file}: expected the elements of a rubric, found {type(value).__name__}"
        raise ConfigurationError(message)
    return parse_rubric(value, file=file)
