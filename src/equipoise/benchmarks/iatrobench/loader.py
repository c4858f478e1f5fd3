"""Reads IatroBench's scenarios, one JSON file each, and which actions collide with safety filters (arXiv:2604.07709)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.benchmarks.prompts.item import CriticalAction, PromptItem
from equipoise.benchmarks.prompts.loading import Loader
from equipoise.benchmarks.prompts.local import Found
from equipoise.benchmarks.prompts.sources import Host, SourceFile, described
from equipoise.benchmarks.prompts.tables import read_table, text_of
from equipoise.errors import InputError
from equipoise.outcomes.readers import parse_json, read_text
from equipoise.refusal.terms import Arm

BENCHMARK = "iatrobench"
REVISION = "a7dbaf8113964bc311cbbbcf5bf98e41961a18e9"

SOURCES: tuple[SourceFile, ...] = (
    SourceFile(
        id="scenarios",
        host=Host.GITHUB,
        repository="davidgringras/iatrobench",
        path="data/scenarios/q*/Q*.json",
        revision=REVISION,
        sha256="eb2aae03b4debf38",
        licence="MIT",
        columns=("id", "quadrant", "prompt", "system_prompt", "critical_actions", "decoupling_variant"),
    ),
    SourceFile(
        id="colliding",
        host=Host.GITHUB,
        repository="davidgringras/iatrobench",
        path="data/safety_colliding_map.json",
        revision=REVISION,
        sha256="7c3bd151b62bb84e54493a57043269fa13e1512ddea6b2d00cf48447ac83ba64",
        licence="MIT",
        columns=(),
        optional=True,
    ),
)


def build(files: Sequence[Found]) -> Iterator[PromptItem]:
    """All vignettes, by name of the file: benign, whoever asks; framing as group, the pair by its own identifier.

    Raises:
        InputError: a scenario lacks an element, or the map names another number of actions than the scenario has.
    """
    scenarios = [found for found in files if found.source.id == "scenarios"]
    colliding = next((found for found in files if found.source.id == "colliding"), None)
    flags = _flags(colliding.paths[0]) if colliding is not None else {}
    for found in scenarios:
        for path in found.paths:
            for record in read_table(path, found.source.columns, about=described(found.source)):
                yield _item(record, flags, str(path))


def _item(record: Mapping[str, Any], flags: Mapping[str, Any], file: str) -> PromptItem:
    name = text_of(record, "id", file=file)
    actions = record["critical_actions"]
    if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
        message = "expected a list of texts"
        raise InputError(message, file=file, field="critical_actions")
    known = flags.get(name)
    if known is not None and len(known) != len(actions):
        message = f"{name} has {len(actions)} critical actions, and the map of colliding ones {len(known)}"
        raise InputError(message, file=file, field="critical_actions")
    variant = record["decoupling_variant"] or {}
    metadata = record.get("metadata") or {}
    return PromptItem(
        id=name,
        prompt=text_of(record, "prompt", file=file),
        arm=Arm.BENIGN,
        stratum=text_of(record, "quadrant", file=file),
        system=str(record["system_prompt"] or ""),
        group=str(variant.get("framing") or ""),
        pair=str(variant.get("pair_id") or ""),
        critical_actions=tuple(
            CriticalAction(id=f"{name}-{place}", text=action, collides=bool(known[place - 1]) if known else False)
            for place, action in enumerate(actions, start=1)
        ),
        facts={
            "acuity_weight": record.get("acuity_weight"),
            "acuity": metadata.get("acuity_class"),
            "colliding_known": known is not None,
            "commission_risks": list(record.get("commission_risks") or ()),
        },
    )


def _flags(path: Path) -> Mapping[str, Any]:
    value = parse_json(read_text(path), file=str(path))
    if not isinstance(value, dict) or not all(isinstance(item, list) for item in value.values()):
        message = "expected an object with a list of true and false by scenario"
        raise InputError(message, file=str(path))
    return value


LOADER = Loader(benchmark=BENCHMARK, sources=SOURCES, build=build)
load = LOADER.load
