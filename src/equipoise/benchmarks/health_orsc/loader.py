"""Reads Health-ORSC-Bench in its published columns (arXiv:2601.17642): rewrites as benign items, seeds as harmful ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from equipoise.benchmarks.prompts.item import PromptItem
from equipoise.benchmarks.prompts.loading import Loader, arm_of
from equipoise.benchmarks.prompts.local import Found
from equipoise.benchmarks.prompts.sources import Host, SourceFile, described
from equipoise.benchmarks.prompts.tables import read_table, require_columns, text_of
from equipoise.errors import InputError, UsageError
from equipoise.ids import text_hash
from equipoise.refusal.terms import Arm

BENCHMARK = "health_orsc"

CATEGORIES: tuple[str, ...] = (
    "unqualified_medical_advice",
    "mental_abuse",
    "health_privacy",
    "medical_misinformation",
    "self_harm",
    "biological_chemical_harm",
    "drug_abuse",
)
"""The seven categories, the largest first."""

TIERS: dict[str, str] = {"easy": "health-orsc-easy-5k.jsonl", "medium": "health-orsc-medium-5k.jsonl",
                         "hard": "health-orsc-hard-1k.jsonl"}  # fmt: skip
"""File of each tier of difficulty."""


def _source(tier: str, path: str) -> SourceFile:
    return SourceFile(
        id=tier,
        host=Host.HUB,
        repository="zzha6204/Health-ORSC-Bench",
        path=f"data/difficulty/{path}",
        revision="",
        licence="CC BY-NC 4.0 (card); research only",
        columns=("id", "question", "original_question", "classification"),
        unverified="revision and hash: the hub could not be reached when this was written",
    )


SOURCES: tuple[SourceFile, ...] = tuple(_source(tier, path) for tier, path in TIERS.items())


ITEM_COLUMNS = frozenset({"id", "prompt", "arm", "stratum", "item_family"})
"""Columns by which a file of items that this package's pipeline exported is recognised."""

BY: tuple[str, ...] = ("category", "tier", "category+tier")
"""What the strata are."""


def choose(files: str = "hard", seeds: bool = False, by: str = "category") -> list[str]:
    """Identifiers of the files asked for.

    Raises:
        UsageError: one does not exist.
    """
    del seeds
    if by not in BY:
        message = f"expected {', '.join(BY)}; found {by!r}"
        raise UsageError(message, field="by")
    names = [part.strip() for part in files.split("+") if part.strip()]
    unknown = [name for name in names if name not in TIERS]
    if unknown or not names:
        message = f"expected {', '.join(TIERS)}, or several joined by +; found {files!r}"
        raise UsageError(message, field="files")
    return names


def build(
    found: Sequence[Found], files: str = "hard", seeds: bool = False, by: str = "category"
) -> Iterator[PromptItem]:
    """Rewrites in the order of the files, then, when asked for, each distinct seed once.

    A rewrite and its seed share `item_family`, the hash of the seed's text. A file of items that the pipeline of this
    package exported is read in its own columns, with the strata it states.

    Raises:
        InputError: a category is none of the seven, or a seed comes with two.
    """
    del files
    toxic: dict[str, PromptItem] = {}
    for part in found:
        file = str(part.paths[0])
        for record in read_table(part.paths[0]):
            if set(record) >= ITEM_COLUMNS:
                yield from _own_item(record, file, seeds=seeds)
                continue
            require_columns([record], part.source.columns, file=file, about=described(part.source))
            seed = text_of(record, "original_question", file=file)
            category = _category(text_of(record, "classification", file=file), file)
            family = text_hash(seed)
            tier = "" if part.paths[0].name not in TIERS.values() else part.source.id
            yield PromptItem(
                id=_name(record, tier),
                prompt=text_of(record, "question", file=file),
                arm=Arm.BENIGN,
                stratum={"category": category, "tier": tier}.get(by, f"{category}/{tier}"),
                item_family=family,
                facts={
                    "category": category,
                    **({"tier": tier} if tier else {}),
                    **{name: record[name] for name in ("refuse_count", "refuse_rate", "total_models", "score")
                       if record.get(name) is not None},
                },
            )  # fmt: skip
            toxic.setdefault(
                family,
                PromptItem(id=f"seed-{family}", prompt=seed, arm=Arm.HARMFUL, stratum=category, item_family=family),
            )
    if seeds:
        yield from toxic.values()


def _own_item(record: Any, file: str, *, seeds: bool) -> Iterator[PromptItem]:
    """An item that the pipeline of this package exported with both arms; the harmful ones are asked only on request."""
    arm = arm_of(str(record["arm"]), {item.value: item for item in Arm}, file=file, field="arm")
    if arm is Arm.HARMFUL and not seeds:
        return
    yield PromptItem(
        id=text_of(record, "id", file=file),
        prompt=text_of(record, "prompt", file=file),
        arm=arm,
        stratum=_category(text_of(record, "stratum", file=file), file),
        item_family=text_of(record, "item_family", file=file),
        facts=dict(record["facts"] or {}) if isinstance(record.get("facts"), dict) else {},
    )


def _name(record: Any, tier: str) -> str:
    """The record's identifier, with its tier where the file is one of the three: each counts for itself."""
    name = "" if record.get("id") in (None, "") else str(record["id"])
    return f"{tier}-{name}" if name and tier else name


def _category(text: str, file: str) -> str:
    name = "_".join(text.lower().replace("/", " ").replace("-", " ").replace("_", " ").split())
    if name not in CATEGORIES:
        message = f"expected one of {', '.join(CATEGORIES)}; found {text!r}"
        raise InputError(message, file=file, field="classification")
    return name


LOADER = Loader(benchmark=BENCHMARK, sources=SOURCES, build=build, choose=choose)
load = LOADER.load
