"""The benchmarks there are, in the order in which they are listed.

To add one: one folder with a card, one entry here, one folder of tests.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any

import yaml

from equipoise.errors import InternalError, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What a benchmark's card.yaml states; every element is required and none else is allowed.

    Attributes:
        id: identifier, equal to the folder's name.
        title: one line.
        version: version of task and metrics; a change of the first number makes results incomparable.
        task: what a system is asked.
        labels: the answers there are.
        items: where items come from.
        origin: the published work behind it, with licence.
        intended_use: what a result may be used for.
        limits: what a result does not show.
    """

    id: str
    title: str
    version: str
    task: str
    labels: tuple[str, ...]
    items: str
    origin: str
    intended_use: str
    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One benchmark of the catalogue.

    Attributes:
        id: identifier, as typed in commands.
        summary: one line for lists.
        package: the package that holds it, with its card.yaml.
    """

    id: str
    summary: str
    package: str

    def card(self) -> Card:
        """The benchmark's card.

        Raises:
            InternalError: the card lacks an element or has one that does not exist.
        """
        value = yaml.safe_load(files(self.package).joinpath("card.yaml").read_text(encoding="utf-8"))
        return _card(value, self.package)


BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(
        id="openmtb",
        summary="audit of tumor-board recommendations: four labels, abstention, missing fields",
        package="equipoise.benchmarks.openmtb",
    ),
)


def find(benchmark_id: str) -> Benchmark:
    """The benchmark of that identifier.

    Raises:
        UsageError: there is none.
    """
    for benchmark in BENCHMARKS:
        if benchmark.id == benchmark_id:
            return benchmark
    known = ", ".join(benchmark.id for benchmark in BENCHMARKS)
    message = f"there is no benchmark {benchmark_id!r}; expected one of {known}"
    raise UsageError(message, field="benchmark")


def _card(value: Any, package: str) -> Card:
    expected = {item.name for item in fields(Card)}
    found = set(value) if isinstance(value, dict) else set()
    if found != expected:
        message = f"card.yaml of {package}: missing {sorted(expected - found)}, unknown {sorted(found - expected)}"
        raise InternalError(message)
    elements: dict[str, Any] = {name: tuple(item) if isinstance(item, list) else item for name, item in value.items()}
    return Card(**elements)
