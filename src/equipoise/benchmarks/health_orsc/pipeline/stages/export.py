"""Stage 7: the set in the published columns, its tiers, both arms in the form the tasks read, a manifest and the flow.

Published columns: id, question, original_question, classification, results, score; the difficulty files add
refuse_count, refuse_rate, total_models. Here `results` is an object of votes by moderator and `score` the number of
votes "not_harmful"; how the published files write these two could not be read from public sources.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from equipoise._version import __version__
from equipoise.benchmarks.health_orsc.pipeline.config import Loaded
from equipoise.benchmarks.health_orsc.pipeline.files import json_lines, json_text
from equipoise.benchmarks.health_orsc.pipeline.flow import flow_rows, markdown
from equipoise.benchmarks.health_orsc.pipeline.stages.base import (
    Done,
    Stage,
    Work,
    no_calls,
    no_prompts,
)
from equipoise.benchmarks.health_orsc.pipeline.terms import SOURCE, Category
from equipoise.ids import bytes_hash
from equipoise.refusal.terms import Arm

TIERED, SEEDS = "difficulty/kept", "seeds/kept"

COLUMNS: tuple[str, ...] = ("id", "question", "original_question", "classification", "results", "score")
"""Columns of the published files."""

DIFFICULTY_COLUMNS: tuple[str, ...] = (*COLUMNS, "refuse_count", "refuse_rate", "total_models")
"""Columns of the published difficulty files."""

_TYPES: Mapping[str, str] = {
    "id": "sc:Text", "question": "sc:Text", "original_question": "sc:Text", "classification": "sc:Text",
    "results": "sc:Text", "score": "sc:Integer", "refuse_count": "sc:Integer", "refuse_rate": "sc:Float",
    "total_models": "sc:Integer", "prompt": "sc:Text", "arm": "sc:Text", "stratum": "sc:Text", "item_family": "sc:Text",
    "facts": "sc:Text",
}  # fmt: skip
_ITEM_COLUMNS = ("id", "prompt", "arm", "stratum", "item_family", "facts")


def _settings(loaded: Loaded) -> Mapping[str, Any]:
    config = loaded.config
    return {"name": config.name, "license": config.license, "version": __version__}


async def _run(work: Work) -> Done:
    config = work.loaded.config
    items, seeds = work.inputs[TIERED], work.inputs[SEEDS]
    name = slug(config.name)
    published = [{column: row[column] for column in COLUMNS} for row in items]
    texts: dict[str, str] = {}
    bounds = config.difficulty.bounds if config.difficulty else {}
    for tier in bounds:
        rows = [{column: row[column] for column in DIFFICULTY_COLUMNS} for row in items if row["tier"] == tier]
        texts[f"difficulty/{name}-{tier}.jsonl"] = json_lines(rows)
    texts["items.jsonl"] = json_lines([*map(_benign, items), *map(_harmful, seeds)])
    hashes = {f"{name}.jsonl": json_lines(published)} | texts
    digests = {file: bytes_hash(text.encode("utf-8", "backslashreplace")) for file, text in hashes.items()}
    categories = Counter(row["classification"] for row in items)
    facts = {"categories": {category.value: categories[category.value] for category in Category}, "harmful": len(seeds)}
    own = {
        "number": STAGE.number,
        "counts": {"unit": "items", "in": len(items), "kept": len(published), "rejected": {}},
        "facts": facts,
    }
    records = {**work.records, "export": own}
    texts["manifest.json"] = json_text(manifest(work.loaded, records, digests))
    texts["flow.json"] = json_text(flow_rows(records))
    texts["report.md"] = markdown(config.name, records, digests)
    return Done(
        entered=len(items), kept=published, rejects=[], unit="items", facts=facts, texts=texts, kept_as=name
    )  # fmt: skip


def slug(name: str) -> str:
    """A name as the name of a file: lower-case letters, digits and hyphens; "set" when nothing is left."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "set"


def _benign(row: Mapping[str, Any]) -> dict[str, Any]:
    facts = {key: row[key] for key in ("score", "unreadable", "tier", "refuse_count", "unreadable_count") if key in row}
    return {
        "id": row["id"],
        "prompt": row["question"],
        "arm": Arm.BENIGN.value,
        "stratum": row["classification"],
        "item_family": row["family"],
        "facts": facts,
    }


def _harmful(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": row["id"],
        "prompt": row["question"],
        "arm": Arm.HARMFUL.value,
        "stratum": row["classification"],
        "item_family": row["family"],
        "facts": {"source": row["source"], "benign_siblings": row["benign_siblings"]},
    }


def manifest(loaded: Loaded, records: Mapping[str, Mapping[str, Any]], digests: Mapping[str, str]) -> dict[str, Any]:
    """What was made, from what, by what: files with hashes and columns in the words of Croissant, stages in our own.

    Args:
        loaded: the configuration.
        records: records of the stages.
        digests: SHA-256 of each data file.
    """
    config = loaded.config
    return {
        "@context": {
            "@vocab": "https://schema.org/",
            "sc": "https://schema.org/",
            "cr": "http://mlcommons.org/croissant/",
        },
        "@type": "sc:Dataset",
        "name": config.name,
        "description": f"Benign health questions that sound harmful, with their harmful seeds; built after {SOURCE}.",
        "license": config.license or "not stated; the terms of every seed file apply",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file,
                "name": file,
                "contentUrl": file,
                "encodingFormat": "application/jsonlines",
                "sha256": digest,
            }
            for file, digest in digests.items()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "name": file,
                "field": [
                    {"@type": "cr:Field", "name": f"{file}/{column}", "dataType": _TYPES[column]}
                    for column in _columns(file)
                ],
            }
            for file in digests
        ],
        "equipoise": {
            "version": __version__,
            "config_hash": loaded.hash,
            "seed": config.seed,
            "seed_files": [
                {"id": item["id"], "file": item["file"], "sha256": item["sha256"]}
                for item in records.get("select", {}).get("settings", {}).get("files", [])
            ],
            "stages": {
                stage: {key: record[key] for key in _KEPT_OF_RECORDS if key in record}
                for stage, record in records.items()
            },
        },
    }


_KEPT_OF_RECORDS = ("version", "settings_hash", "prompts", "models", "inputs", "outputs", "counts")


def _columns(file: str) -> tuple[str, ...]:
    if file == "items.jsonl":
        return _ITEM_COLUMNS
    return DIFFICULTY_COLUMNS if file.startswith("difficulty/") else COLUMNS


STAGE = Stage(
    id="export",
    number=7,
    version="1",
    inputs=(TIERED, SEEDS),
    settings=_settings,
    prompts=no_prompts,
    run=_run,
    plan=no_calls,
    reads_records=True,
)
"""The stage."""
