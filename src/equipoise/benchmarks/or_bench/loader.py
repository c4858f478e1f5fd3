"""Reads OR-Bench's three files: 80k and hard (benign), toxic (arXiv:2405.20947)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from equipoise.benchmarks.prompts.item import PromptItem
from equipoise.benchmarks.prompts.loading import Loader, records_of
from equipoise.benchmarks.prompts.local import Found
from equipoise.benchmarks.prompts.sources import Host, SourceFile
from equipoise.benchmarks.prompts.tables import text_of
from equipoise.errors import UsageError
from equipoise.refusal.terms import Arm

BENCHMARK = "or_bench"
ARMS: dict[str, Arm] = {"hard": Arm.BENIGN, "80k": Arm.BENIGN, "toxic": Arm.HARMFUL}
"""Arm of each file."""


def _source(name: str, path: str) -> SourceFile:
    return SourceFile(
        id=name,
        host=Host.HUB,
        repository="bench-llm/or-bench",
        path=path,
        revision="e36d8b8",
        licence="CC BY 4.0",
        columns=("prompt", "category"),
        unverified="hash, and whether the hub still serves that revision",
    )


SOURCES: tuple[SourceFile, ...] = (
    _source("hard", "or-bench-hard-1k.csv"),
    _source("80k", "or-bench-80k.csv"),
    _source("toxic", "or-bench-toxic.csv"),
)


def choose(files: str = "hard") -> list[str]:
    """Identifiers of the files asked for.

    Raises:
        UsageError: one does not exist.
    """
    names = [part.strip() for part in files.split("+") if part.strip()]
    unknown = [name for name in names if name not in ARMS]
    if unknown or not names:
        message = f"expected {', '.join(ARMS)}, or several joined by +; found {files!r}"
        raise UsageError(message, field="files")
    return names


def build(found: Sequence[Found], files: str = "hard") -> Iterator[PromptItem]:
    """Items of each file in its order; the files have no identifiers, so the place in the file is one."""
    del files
    for part in found:
        file = str(part.paths[0])
        for place, record in enumerate(records_of(part), start=1):
            yield PromptItem(
                id=f"{part.source.id}-{place}",
                prompt=text_of(record, "prompt", file=file),
                arm=ARMS[part.source.id],
                stratum=text_of(record, "category", file=file),
                facts={"file": part.source.id},
            )


LOADER = Loader(benchmark=BENCHMARK, sources=SOURCES, build=build, choose=choose)
load = LOADER.load
