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
        paper: identifier of the paper or repository that describes it.
        licence: licence of the data, with what contradicts it.
        revision: commits of the files the loader was written for; says so when there is none.
        hashes: file and hash of its bytes, for every file whose hash is known.
        columns: columns or elements that are read.
        arms: how the data set's own labels become arms; empty for a benchmark without arms.
        strata: what the strata are.
        clusters: what belongs together, so that it is never counted as independent.
        flaws: what is known to be wrong with the data or their labels.
        unverified: what this card or the loader states and nobody could check.
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
    paper: str
    licence: str
    revision: str
    hashes: tuple[str, ...]
    columns: tuple[str, ...]
    arms: tuple[str, ...]
    strata: str
    clusters: tuple[str, ...]
    flaws: tuple[str, ...]
    unverified: tuple[str, ...]
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
    Benchmark(
        id="xstest",
        summary="refusal: safe prompts that look unsafe, and the unsafe ones they look like",
        package="equipoise.benchmarks.xstest",
    ),
    Benchmark(
        id="or_bench",
        summary="refusal: benign prompts that look toxic, and toxic ones, in ten categories",
        package="equipoise.benchmarks.or_bench",
    ),
    Benchmark(
        id="health_orsc",
        summary="refusal: benign health questions rewritten from toxic seeds, by category and difficulty",
        package="equipoise.benchmarks.health_orsc",
    ),
    Benchmark(
        id="medharm",
        summary="refusal: high-risk medical queries, only from the researcher's own file",
        package="equipoise.benchmarks.medharm",
    ),
    Benchmark(
        id="toxigen",
        summary="refusal: statements about groups, benign or toxic by the human score",
        package="equipoise.benchmarks.toxigen",
    ),
    Benchmark(
        id="bold",
        summary="refusal: beginnings of encyclopedia sentences by domain and group, a benign arm",
        package="equipoise.benchmarks.bold",
    ),
    Benchmark(
        id="iatrobench",
        summary="refusal: health vignettes in lay and professional framing, with critical actions",
        package="equipoise.benchmarks.iatrobench",
    ),
    Benchmark(
        id="refusalbench",
        summary="refusal: matched triples of protein-design prompts",
        package="equipoise.benchmarks.refusalbench",
    ),
    Benchmark(
        id="open_safe_intent",
        summary="refusal: one task in a benign, a dual-use and a malicious version",
        package="equipoise.benchmarks.open_safe_intent",
    ),
    Benchmark(
        id="patient_safety_bench",
        summary="refusal: harmful queries of patients in five categories",
        package="equipoise.benchmarks.patient_safety_bench",
    ),
    Benchmark(
        id="med_safety_bench",
        summary="refusal: harmful medical requests by principle of medical ethics",
        package="equipoise.benchmarks.med_safety_bench",
    ),
    Benchmark(
        id="medfail",
        summary="failure gates of clinical replies: missed emergencies, doses, made-up sources; worst case first",
        package="equipoise.benchmarks.medfail",
    ),
    Benchmark(
        id="medqa_order",
        summary="stress test: options in another order, none of these, no text, no right option",
        package="equipoise.benchmarks.medqa_order",
    ),
    Benchmark(
        id="das_robustness",
        summary="stress test: six attacks and eight styles of bait, alone or chosen by a strategist",
        package="equipoise.benchmarks.das_robustness",
    ),
    Benchmark(
        id="missing_info",
        summary="conversations and cases that lost a named fact or half a turn: does the reply notice, and only then",
        package="equipoise.benchmarks.missing_info",
    ),
    Benchmark(
        id="healthbench",
        summary="health conversations graded by physicians' rubrics as published, and attacks aimed at one criterion",
        package="equipoise.benchmarks.healthbench",
    ),
    Benchmark(
        id="das_privacy",
        summary="privacy: planted identifiers that have to stay back, and requests that are rightful",
        package="equipoise.benchmarks.das_privacy",
    ),
    Benchmark(
        id="das_bias",
        summary="bias: clinical questions asked again with another identity, language, emotion or pull",
        package="equipoise.benchmarks.das_bias",
    ),
    Benchmark(
        id="das_hallucination",
        summary="hallucination: rules and seven specialist judges, measured on labelled replies first",
        package="equipoise.benchmarks.das_hallucination",
    ),
    Benchmark(
        id="specialist_turn",
        summary="tumor board: a clinical question answered in one specialist's place",
        package="equipoise.benchmarks.specialist_turn",
    ),
    Benchmark(
        id="board_simulation",
        summary="tumor board: the whole discussion played to a conclusion, by one model or by agents",
        package="equipoise.benchmarks.board_simulation",
    ),
)

ITEM_SETS: tuple[Benchmark, ...] = (
    Benchmark(
        id="medqa",
        summary="examination questions with four or five options, for the operators of stress tests",
        package="equipoise.benchmarks.medqa",
    ),
)
"""Sets of items with a card and a loader, which the tasks of stress tests ask."""


def find(benchmark_id: str) -> Benchmark:
    """The benchmark or set of items of that identifier.

    Raises:
        UsageError: there is none.
    """
    for benchmark in (*BENCHMARKS, *ITEM_SETS):
        if benchmark.id == benchmark_id:
            return benchmark
    known = ", ".join(benchmark.id for benchmark in (*BENCHMARKS, *ITEM_SETS))
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
