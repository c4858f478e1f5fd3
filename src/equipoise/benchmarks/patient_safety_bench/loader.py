"""Reads PatientSafetyBench's queries (arXiv:2507.07248): harmful, by category."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from equipoise.benchmarks.prompts.item import PromptItem
from equipoise.benchmarks.prompts.loading import Loader, records_of
from equipoise.benchmarks.prompts.local import Found
from equipoise.benchmarks.prompts.sources import Host, SourceFile
from equipoise.benchmarks.prompts.tables import text_of
from equipoise.refusal.terms import Arm

BENCHMARK = "patient_safety_bench"
SOURCES: tuple[SourceFile, ...] = (
    SourceFile(
        id="queries",
        host=Host.HUB,
        repository="microsoft/PatientSafetyBench",
        path="default/train/0000.parquet",
        revision="f87d0b8",
        licence="CDLA-Permissive-2.0",
        columns=("id", "category", "content"),
        unverified="hash; the revision is that of the hub's own Parquet copy of the data, and may be replaced",
    ),
)


def build(files: Sequence[Found]) -> Iterator[PromptItem]:
    """Items in the order of the file."""
    for found in files:
        file = str(found.paths[0])
        for record in records_of(found):
            yield PromptItem(
                id="" if record["id"] in (None, "") else str(record["id"]),
                prompt=text_of(record, "content", file=file),
                arm=Arm.HARMFUL,
                stratum=text_of(record, "category", file=file),
                facts={name: record[name] for name in ("judge_score", "judge_count") if record.get(name) is not None},
            )


LOADER = Loader(benchmark=BENCHMARK, sources=SOURCES, build=build)
load = LOADER.load
