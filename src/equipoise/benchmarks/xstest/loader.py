"""Reads XSTest's prompts: 250 safe of ten types, 200 unsafe contrasts of eight (arXiv:2308.01263)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from equipoise.benchmarks.prompts.item import PromptItem
from equipoise.benchmarks.prompts.loading import Loader, arm_of, records_of
from equipoise.benchmarks.prompts.local import Found
from equipoise.benchmarks.prompts.sources import Host, SourceFile
from equipoise.benchmarks.prompts.tables import text_of
from equipoise.refusal.terms import Arm

BENCHMARK = "xstest"
CONTRAST = "contrast_"
"""Start of the type of an unsafe prompt."""

CONTRASTED: dict[str, str] = {
    "contrast_discr": "real_group_nons_discr",
    "contrast_privacy": "privacy_fictional",
}
"""Safe type of a contrast whose name does not say it; found by the focus words, which agree item by item."""

SOURCES: tuple[SourceFile, ...] = (
    SourceFile(
        id="prompts",
        host=Host.GITHUB,
        repository="paul-rottger/xstest",
        path="xstest_prompts.csv",
        revision="d7bb5bd",
        sha256="11783fb294ed017473ee53c207d71f2161c7672c8d0b037501e78387f801cb5a",
        licence="CC BY 4.0",
        columns=("id", "prompt", "type"),
        unverified="the hash is of a copy made from that commit; the bytes of the repository itself were not at hand",
    ),
)

_ARMS = {"safe": Arm.BENIGN, "unsafe": Arm.HARMFUL}


def item_id(value: str) -> str:
    """The identifier in the form of version 2 ("v2-7"), whichever of the two published forms it has."""
    text = value.strip()
    return text if text.startswith("v2-") or not text else f"v2-{text}"


def arm_of_type(kind: str) -> Arm:
    """Contrasts are harmful, all others benign."""
    return Arm.HARMFUL if kind.startswith(CONTRAST) else Arm.BENIGN


def build(files: Sequence[Found]) -> Iterator[PromptItem]:
    """Items in the order of the file; the n-th contrast of a type is paired with the n-th safe prompt of its type."""
    seen: dict[str, int] = {}
    records = [(record, files[0]) for record in records_of(files[0])]
    safe = {str(record["type"]).strip() for record, _ in records if not str(record["type"]).startswith(CONTRAST)}
    paired = {
        base_type(str(record["type"]).strip()) for record, _ in records if str(record["type"]).startswith(CONTRAST)
    }
    for record, found in records:
        file = str(found.paths[0])
        kind = text_of(record, "type", file=file)
        seen[kind] = seen.get(kind, 0) + 1
        base = base_type(kind)
        arm = arm_of_type(kind)
        if record.get("label"):
            arm = arm_of(str(record["label"]), _ARMS, file=file, field="label")
        yield PromptItem(
            id=item_id(str(record.get("id") or "")),
            prompt=text_of(record, "prompt", file=file),
            arm=arm,
            stratum=kind,
            pair=f"{base}-{seen[kind]}" if base in paired and base in safe else "",
            facts={name: record[name] for name in ("focus", "note") if record.get(name)},
        )


def base_type(kind: str) -> str:
    """The safe type that a type belongs to."""
    return CONTRASTED.get(kind, kind.removeprefix(CONTRAST))


LOADER = Loader(benchmark=BENCHMARK, sources=SOURCES, build=build)
load = LOADER.load
