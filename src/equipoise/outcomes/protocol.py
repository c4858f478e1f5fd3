"""A protocol: what a run must show, written down before the run, as YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from equipoise.errors import ConfigurationError, InputError
from equipoise.ids import content_hash
from equipoise.outcomes.measures import COLUMNS, Event, Measure
from equipoise.outcomes.readers import read_text

Unparsed = Literal["bounds", "unfavourable", "leave-out"]
Name = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\s].*$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class MetricModel(_Model):
    """What is counted."""

    event: Event = Field(description="correct, label, abstained, failed or judged")
    values: list[str] = Field(default_factory=list, description="labels or judged values that count")
    where: dict[str, list[str]] = Field(
        default_factory=dict, description="column of the outcomes and the values a reply must have there"
    )
    criterion: str | None = Field(default=None, description="criterion of a judged event")
    judge: str | None = Field(default=None, description="judge of a judged event; all when absent")

    def measure(self, name: str) -> Measure:
        """The measure under a name."""
        return Measure(
            id=name,
            event=self.event,
            values=tuple(self.values),
            where={column: tuple(values) for column, values in self.where.items()},
            criterion=self.criterion,
            judge=self.judge,
        )


class LineModel(_Model):
    """One thing a run must show."""

    id: Name = Field(description="name of the line, unique in the protocol")
    metric: MetricModel
    at_least: float | None = Field(default=None, ge=0, le=1, description="smallest rate that passes")
    at_most: float | None = Field(default=None, ge=0, le=1, description="largest rate that passes")
    margin: float | None = Field(
        default=None, gt=0, le=1, description="not worse than the baseline run by this much or more"
    )
    higher_is_better: bool | None = Field(default=None, description="direction of the rate; needed with margin")
    minimum_n: int = Field(ge=1, description="readable replies without which the line stays undecided")
    minimum_clusters: int = Field(default=2, ge=2, description="clusters without which it stays undecided")
    unparsed: Unparsed | None = Field(default=None, description="what to do with unreadable replies here")

    @model_validator(mode="after")
    def _one_condition(self) -> LineModel:
        given = [name for name in ("at_least", "at_most", "margin") if getattr(self, name) is not None]
        if len(given) != 1:
            message = f"line {self.id!r}: expected exactly one of at_least, at_most, margin; found {len(given)}"
            raise ValueError(message)
        if (self.margin is None) != (self.higher_is_better is None):
            message = f"line {self.id!r}: higher_is_better belongs to margin, and margin needs it"
            raise ValueError(message)
        try:
            self.metric.measure(self.id)
        except InputError as error:
            raise ValueError(str(error)) from error
        return self


class Protocol(_Model):
    """What a run must show, and how it is decided."""

    version: Literal[1] = Field(description="version of this form")
    name: Name
    benchmark: str | None = Field(default=None, description="benchmark the run must be of")
    dataset_hash: str | None = Field(default=None, description="content hash of the items the run must be on")
    level: float = Field(default=0.95, gt=0.5, lt=1, description="coverage of the intervals that decide")
    cluster: str | None = Field(default=None, description="column of the outcomes whose equal values belong together")
    unparsed: Unparsed = Field(
        default="bounds",
        description=(
            "bounds: a line is decided only if it is decided the same way with every unreadable reply counted for and "
            "against; unfavourable: they count against; leave-out: they do not count"
        ),
    )
    lines: list[LineModel] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> Protocol:
        names = [line.id for line in self.lines]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            message = f"lines named twice: {', '.join(twice)}"
            raise ValueError(message)
        if self.cluster is not None and self.cluster not in COLUMNS:
            message = f"cluster: there is no column {self.cluster!r}"
            raise ValueError(message)
        return self

    @property
    def hash(self) -> str:
        """Content hash: equal for protocols that say the same. A run made under it names it (`protocol_hash`)."""
        return content_hash(self.model_dump(mode="json"))


def read_protocol(path: str | Path) -> Protocol:
    """Reads a protocol.

    Raises:
        UsageError: there is no such file.
        ConfigurationError: not YAML, or not a protocol; the text lists every problem with its place.
    """
    try:
        value = yaml.safe_load(read_text(Path(path)))
    except yaml.YAMLError as error:
        message = f"{path}: not readable YAML ({error})"
        raise ConfigurationError(message) from error
    return parse_protocol(value, file=str(path))


def parse_protocol(value: object, *, file: str = "protocol") -> Protocol:
    """A protocol from plain values.

    Raises:
        ConfigurationError: the text lists every problem with its place.
    """
    try:
        return Protocol.model_validate(value)
    except ValidationError as error:
        found = [
            f"{'.'.join(str(part) for part in item['loc']) or 'protocol'}: {item['msg']}" for item in error.errors()
        ]
        message = f"{file}: {len(found)} problem{'s' if len(found) > 1 else ''}:\n" + "\n".join(found)
        raise ConfigurationError(message) from error
