"""The protocol of a labelling study: what is asked of whom, in which order, blinded how, and what is computed at the end.

It is written before the first label and hashed; every export carries the hash. A change afterwards is a new version that
stands beside the old one with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from equipoise.errors import ConfigurationError
from equipoise.ids import content_hash
from equipoise.outcomes.readers import read_text
from equipoise.study.blinding import identifying

Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
Text = Annotated[str, StringConstraints(min_length=1, max_length=2000, strip_whitespace=True)]
Key = Annotated[str, StringConstraints(pattern=r"^[0-9a-z]$")]

RESERVED_KEYS = frozenset("cjkmsu")
"""Single keys of the desk itself: comment, forwards, back, missing fields, skip, undo."""


Kind = Literal["choice", "scale", "flags", "fields", "text"]
"""How a question is answered: one option, one option of an ordered scale, any options, undocumented fields, free text."""
CLOSED: frozenset[Kind] = frozenset({"choice", "scale"})
"""Kinds with exactly one value out of the options: those that agreement is computed for."""
OPEN_LISTS: frozenset[Kind] = frozenset({"flags", "fields"})
"""Kinds with any number of the options."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Option(_Model):
    """One answer that can be given."""

    value: Annotated[str, StringConstraints(min_length=1, max_length=80)] = Field(description="what is stored")
    text: Text | None = Field(default=None, description="definition, shown beside the value")
    key: Key | None = Field(default=None, description="single key that gives this answer")
    points: float | None = Field(default=None, allow_inf_nan=False, description="position on an ordered scale")


class Condition(_Model):
    """When a question is asked: another question has one of these answers."""

    question: Id
    values: list[str] = Field(min_length=1)


class Question(_Model):
    """One question about an item."""

    id: Id
    text: Text
    kind: Kind
    options: list[Option] = Field(default_factory=list, description="answers in order; a scale goes from low to high")
    required: bool = Field(default=True, description="whether an item is complete without it")
    when: Condition | None = Field(default=None, description="asked only then; always when absent")

    @model_validator(mode="after")
    def _sound(self) -> Question:
        place = f"question {self.id!r}"
        if self.kind == "text":
            if self.options:
                message = f"{place}: a text has no options"
                raise ValueError(message)
            return self
        least = 2 if self.kind in CLOSED else 1
        if len(self.options) < least:
            message = f"{place}: expected at least {least} options, found {len(self.options)}"
            raise ValueError(message)
        _unique(f"{place}: option", [option.value for option in self.options])
        _unique(f"{place}: key", [option.key for option in self.options if option.key])
        taken = sorted({option.key for option in self.options if option.key} & RESERVED_KEYS)
        if taken:
            message = f"{place}: key {taken[0]!r} belongs to the desk; take another letter or a digit"
            raise ValueError(message)
        if self.kind == "scale":
            points = [option.points for option in self.options]
            if any(value is None for value in points) or points != sorted(set(points)):  # type: ignore[type-var]
                message = f"{place}: every option of a scale needs points, rising from the first to the last"
                raise ValueError(message)
        return self

    @property
    def values(self) -> tuple[str, ...]:
        """Values of the options, in order."""
        return tuple(option.value for option in self.options)

    def asked(self, answers: dict[str, Any]) -> bool:
        """Whether the question is asked, given the answers to the others."""
        return self.when is None or _meets(answers.get(self.when.question), self.when.values)


class Items(_Model):
    """What is labelled."""

    kind: Literal["case", "reply", "text"]
    show: list[Annotated[str, StringConstraints(min_length=1)]] = Field(
        min_length=1, description="fields of an item that a rater sees, in order; every other field stays hidden"
    )
    hash: str | None = Field(default=None, description="content hash of the items, once they are fixed")
    reference: str | None = Field(default=None, description="hidden field with the reference label")
    stratum: str | None = Field(default=None, description="hidden field that the order is balanced by")
    aid: Literal["none", "facts-by-rule"] = Field(
        default="none", description="what stands beside the item: nothing, or facts read by rule from its texts"
    )

    @model_validator(mode="after")
    def _blinded(self) -> Items:
        _unique("items.show: field", self.show)
        named = [name for name in self.show if identifying(name) or name in (self.reference, self.stratum)]
        if named:
            message = f"items.show: {named[0]!r} would tell raters the source or the answer; leave it out"
            raise ValueError(message)
        return self


class Raters(_Model):
    """Who labels, and how many a time."""

    planned: int = Field(ge=1, le=500, description="raters of the study")
    per_item: int = Field(default=2, ge=1, description="raters of an item of the overlap")
    overlap: float = Field(default=1.0, ge=0, le=1, description="share of the items that per_item raters label")
    qualification: Text = Field(description="who may rate; stands in the report")

    @model_validator(mode="after")
    def _possible(self) -> Raters:
        if self.per_item > self.planned:
            message = f"raters: per_item is {self.per_item}, but only {self.planned} are planned"
            raise ValueError(message)
        return self


class Order(_Model):
    """In which order a rater meets the items: drawn for each, balanced over raters and strata."""

    seed: int = Field(ge=0)
    repeats: float = Field(default=0.0, ge=0, le=0.5, description="share of a rater's items shown twice")


class KeyedItem(_Model):
    """An item with the answers it must get: for training, or to check attention."""

    item: Annotated[str, StringConstraints(min_length=1)]
    expected: dict[str, str] = Field(min_length=1, description="question and the answer that is right")
    explanation: Text | None = Field(default=None, description="shown after a training item")


class Attention(_Model):
    """Items whose answer is plain, mixed with the others."""

    items: list[KeyedItem] = Field(default_factory=list)
    at_least: float = Field(default=0.8, ge=0, le=1, description="share right below which a rater is told apart")


class Adjudication(_Model):
    """What happens to an item that raters disagree on."""

    rule: Literal["none", "any-difference", "distance"] = "any-difference"
    distance: float | None = Field(default=None, gt=0, description="smallest difference in points that is decided")
    by: Literal["third-rater", "consensus"] = "consensus"

    @model_validator(mode="after")
    def _consistent(self) -> Adjudication:
        if (self.rule == "distance") != (self.distance is not None):
            message = "adjudication: distance belongs to the rule distance, and the rule needs it"
            raise ValueError(message)
        return self


class Stopping(_Model):
    """When labelling ends. Agreement is not looked at before, so it cannot end a study."""

    rule: Literal["all-items", "labels"] = "all-items"
    labels: int | None = Field(default=None, ge=1, description="labels a rater gives, for the rule labels")

    @model_validator(mode="after")
    def _consistent(self) -> Stopping:
        if (self.rule == "labels") != (self.labels is not None):
            message = "stopping: labels belongs to the rule labels, and the rule needs it"
            raise ValueError(message)
        return self


class Analysis(_Model):
    """What is computed, fixed beforehand."""

    primary: Id = Field(description="question whose agreement is the result")
    level: float = Field(default=0.95, gt=0.5, lt=1, description="coverage of the intervals")
    weights: Literal["none", "linear", "quadratic"] = Field(default="none", description="weights of kappa")
    resamples: int = Field(default=2000, ge=200, le=100_000)
    seed: int = Field(default=42, ge=0)
    cluster: bool = Field(default=False, description="whether items with the same cluster are drawn together")
    positive: list[str] = Field(default_factory=list, description="answers that count for a prevalence")


class Protocol(_Model):
    """A labelling study, fixed before the first label."""

    version: Literal[1] = Field(description="version of this form")
    name: Id
    title: Text
    question: Text = Field(description="what the study is to find out")
    instructions: Text = Field(description="what a rater reads before the first item")
    items: Items
    questions: list[Question] = Field(min_length=1, description="what is asked of every item, in order")
    raters: Raters
    order: Order
    training: list[KeyedItem] = Field(default_factory=list)
    attention: Attention = Field(default_factory=Attention)
    adjudication: Adjudication = Field(default_factory=Adjudication)
    stopping: Stopping = Field(default_factory=Stopping)
    analysis: Analysis
    reveal: Literal["after-lock", "never"] = Field(
        default="after-lock", description="when agreement may be seen: once every rater has finished, or never here"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Protocol:
        _unique("question", [item.id for item in self.questions])
        _unique("training or attention item", [item.item for item in (*self.training, *self.attention.items)])
        keys = [option.key for item in self.questions for option in item.options if option.key]
        _unique("questions: key", keys)
        seen: dict[str, Question] = {}
        for item in self.questions:
            if item.when is not None:
                _answerable(f"question {item.id!r}: when", item.when.question, item.when.values, seen)
            seen[item.id] = item
        for keyed in (*self.training, *self.attention.items):
            for name, value in keyed.expected.items():
                _answerable(f"item {keyed.item!r}", name, [value], seen)
        _answerable("analysis: primary", self.analysis.primary, self.analysis.positive, seen)
        primary = seen[self.analysis.primary]
        if primary.kind not in CLOSED:
            message = (
                f"analysis: primary is {primary.id!r}, a question of kind {primary.kind}; expected choice or scale"
            )
            raise ValueError(message)
        if primary.when is not None:
            message = f"analysis: primary is {primary.id!r}, which is not asked of every item"
            raise ValueError(message)
        for rule, given in (
            ("adjudication: distance", self.adjudication.distance),
            ("analysis: weights", self.weighted),
        ):
            if given and primary.kind != "scale":
                message = f"{rule} needs an order, but {primary.id!r} is a choice; make it a scale with points"
                raise ValueError(message)
        return self

    @property
    def weighted(self) -> bool:
        """Whether the agreement counts how far two answers are apart."""
        return self.analysis.weights != "none"

    @property
    def primary(self) -> Question:
        """The question whose agreement is the result."""
        return self.find(self.analysis.primary)

    def find(self, name: str) -> Question:
        """A question by its id.

        Raises:
            KeyError: there is none.
        """
        for item in self.questions:
            if item.id == name:
                return item
        raise KeyError(name)

    @property
    def hash(self) -> str:
        """Content hash: equal for protocols that say the same."""
        said = self.model_dump(mode="json")
        if self.items.aid == "none":  # protocols from before there was a choice keep their hash
            del said["items"]["aid"]
        return content_hash(said)


def read_protocol(path: str | Path) -> Protocol:
    """Reads a protocol.

    Raises:
        UsageError: there is no such file.
        ConfigurationError: not YAML, or not a protocol; one line a problem, each with its place.
    """
    return load_protocol(read_text(Path(path)), file=str(path))


def load_protocol(text: str, *, file: str = "protocol") -> Protocol:
    """A protocol from the text of its file.

    Raises:
        ConfigurationError: not YAML, or not a protocol; one line a problem, each with its place.
    """
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = "" if mark is None else f", line {mark.line + 1}"
        message = f"{file}{place}: not readable YAML ({getattr(error, 'problem', None) or 'unknown reason'})"
        raise ConfigurationError(message) from error
    try:
        return Protocol.model_validate(value)
    except ValidationError as error:
        found = [_problem(item) for item in error.errors()]
        message = f"{file}: {len(found)} problem{'s' if len(found) > 1 else ''}:\n" + "\n".join(found)
        raise ConfigurationError(message) from error


def _problem(item: Any) -> str:
    place = ".".join(str(part + 1) if isinstance(part, int) else str(part) for part in item["loc"]) or "protocol"
    text = str(item["msg"]).removeprefix("Value error, ")
    if item["type"] == "extra_forbidden":
        text = "there is no such field"
    return f"{place}: {text}"


def _unique(what: str, values: Sequence[str]) -> None:
    twice = sorted({str(value) for value in values if values.count(value) > 1})
    if twice:
        message = f"{what} given twice: {', '.join(twice)}"
        raise ValueError(message)


def _answerable(place: str, name: str, values: list[str], seen: dict[str, Question]) -> None:
    if name not in seen:
        known = ", ".join(seen) or "none before it"
        message = f"{place}: there is no question {name!r}; expected one of {known}"
        raise ValueError(message)
    wrong = [value for value in values if value not in seen[name].values]
    if wrong:
        message = f"{place}: {wrong[0]!r} is no answer to {name!r}; expected one of {', '.join(seen[name].values)}"
        raise ValueError(message)


def _meets(given: Any, values: list[str]) -> bool:
    return bool(set(given) & set(values)) if isinstance(given, list | tuple) else given in values
