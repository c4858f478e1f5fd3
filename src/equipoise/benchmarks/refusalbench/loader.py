"""Reads RefusalBench's prompts, one JSON file each, from the user's own copy (arXiv:2605.21545): matched triples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from equipoise.benchmarks.prompts.item import PromptItem
from equipoise.benchmarks.prompts.loading import Loader, arm_of, records_of
from equipoise.benchmarks.prompts.local import Found
from equipoise.benchmarks.prompts.sources import Host, SourceFile
from equipoise.benchmarks.prompts.tables import text_of
from equipoise.ids import content_hash
from equipoise.refusal.terms import Arm

BENCHMARK = "refusalbench"
TIERS: dict[str, Arm] = {"benign": Arm.BENIGN, "borderline": Arm.BORDERLINE, "dual_use": Arm.HARMFUL}
"""Arm of each tier: the study counts refusing dual-use prompts as right and refusing benign ones as wrong."""

SOURCES: tuple[SourceFile, ...] = (
    SourceFile(
        id="prompts",
        host=Host.GITHUB,
        repository="AppliedScientific/refusalbench",
        path="benchmark/prompts/v1.0/*/*.json",
        revision="13f9637e8f0ee10fb9fcbb39815e1eed409928b0",
        sha256="a4740b0d6125c086",
        licence="MIT",
        columns=("prompt_id", "subdomain", "tier", "paired_with", "prompt"),
    ),
)


def build(files: Sequence[Found]) -> Iterator[PromptItem]:
    """Items by tier and name; a triple is its three identifiers, whichever of them is read first."""
    for found in files:
        file = str(found.paths[0])
        for record in records_of(found):
            name = text_of(record, "prompt_id", file=file)
            partners = [str(item) for item in record["paired_with"] or ()]
            yield PromptItem(
                id=name,
                prompt=text_of(record, "prompt", file=file),
                arm=arm_of(text_of(record, "tier", file=file), TIERS, file=file, field="tier"),
                stratum=text_of(record, "subdomain", file=file),
                item_set=f"triple-{content_hash(sorted([name, *partners]))}" if partners else "",
                facts={"tier": record["tier"]},
            )


LOADER = Loader(benchmark=BENCHMARK, sources=SOURCES, build=build)
load = LOADER.load
