"""What changed since the last pack: facts that differ, and the same cases answered then and now."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import InputError
from equipoise.outcomes.compare import Comparison
from equipoise.outcomes.readers import parse_json, read_text
from equipoise.pack.known import FIELDS
from equipoise.pack.manifest import read_manifest, verify
from equipoise.pack.results import Part, comparable, compared, paired_row, parts
from equipoise.pack.sources import RUNS, read_sources
from equipoise.pack.tree import Tree, cut, told

WATCHED: tuple[str, ...] = (
    "product.version", "run.code_version", "run.code_hash", "env.python", "env.os", "env.packages", "model.name",
    "model.version", "model.provider", "gen.temperature", "gen.max_tokens", "gen.seed", "prompt.id", "prompt.version",
    "prompt.sha256", "reply.reader", "data.name", "data.sha256", "evidence_hash", "policy", "policy_hash", "as_of",
    "protocol.sha256",
)  # fmt: skip
"""Fields whose change is told."""

PACK = "pack.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Previous:
    """The last pack, as read.

    Attributes:
        digest: hash over its evidence.
        fields: its stored values, by path.
        parts: its systems.
    """

    digest: str
    fields: dict[str, Any]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What changed.

    Attributes:
        previous: hash of the last pack.
        facts: path, value then and value now, of every watched field that differs.
        comparisons: name of a system with its comparison, now less then.
        apart: why systems were not compared, a sentence each.
    """

    previous: str
    facts: tuple[tuple[str, str, str], ...]
    comparisons: tuple[tuple[str, Comparison], ...]
    apart: tuple[str, ...]


def read_previous(folder: str | Path) -> Previous:
    """Reads a pack whose manifest verifies.

    Args:
        folder: the pack.

    Raises:
        UsageError: there is no pack.
        InputError: a file is not as the manifest says, or the pack cannot be read.
    """
    root = Path(folder)
    differs = verify(root)
    if differs:
        message = "the last pack is not as its manifest says:\n" + "\n".join(differs)
        raise InputError(message, file=str(folder))
    runs = sorted({name.split("/")[1] for name in read_manifest(root) if name.startswith(f"{RUNS}/")})
    value = parse_json(read_text(root / PACK), file=str(root / PACK))
    fields = value.get("fields") if isinstance(value, dict) else None
    if not isinstance(fields, dict):
        message = "expected an object with the stored fields under fields"
        raise InputError(message, file=str(root / PACK), field="fields")
    stored = {path: item.get("value") for path, item in fields.items() if isinstance(item, dict)}
    sources = read_sources([root / RUNS / name for name in runs])
    return Previous(digest=str(value.get("evidence_digest", "")), fields=stored, parts=tuple(parts(sources)))


def changes(previous: Previous, tree: Tree, every: Sequence[Part], *, seed: int) -> Changed:
    """What differs between the last pack and this one.

    Args:
        previous: the last pack.
        tree: the fields of this one.
        every: the systems of this one.
        seed: seed of the intervals.
    """
    facts = []
    for path in WATCHED:
        now = tree.values[path].value if path in tree.values else None
        then = previous.fields.get(path)
        if json.dumps(now, sort_keys=True) != json.dumps(then, sort_keys=True):
            facts.append((path, *_both(then, now)))
    comparisons: list[tuple[str, Comparison]] = []
    apart: list[str] = []
    for part in every:
        old = next((item for item in previous.parts if item.system == part.system and comparable(part, item)), None)
        if old is None:
            apart.append(f"{part.shown}: the last pack has no reply of it to these cases")
        else:
            comparisons.append((part.shown, compared(part, old, seed=seed)))
    return Changed(previous=previous.digest, facts=tuple(facts), comparisons=tuple(comparisons), apart=tuple(apart))


def add_changes(tree: Tree, changed: Changed, every: Sequence[Part]) -> None:
    """Adds the changes to the fields; that nothing differs is a finding too.

    Args:
        tree: the fields.
        changed: what changed.
        every: the systems of the pack.
    """
    rows = [{"field": path, "then": then, "now": now} for path, then, now in changed.facts]
    text = ", ".join(FIELDS[path] for path, _, _ in changed.facts) or "no watched field differs"
    files = [path for part in every for path in (part.source.run_file, part.source.outcomes_file)]
    tree.put("change.list", rows or "no watched field differs", files, text=text)
    found = [paired_row(result, f"{name}, now", f"{name}, then") for name, result in changed.comparisons]
    if found:
        tree.put(
            "change.paired", found, files, text=f"now and then, {', '.join(name for name, _ in changed.comparisons)}"
        )
    else:
        tree.reasons["change.paired"] = "; ".join(changed.apart)


def _both(then: Any, now: Any) -> tuple[str, str]:
    """Both values in a line; of two lists of versions only what differs."""
    if isinstance(then, dict) and isinstance(now, dict):
        names = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
        return _lines({name: then.get(name, "none") for name in names}), _lines(
            {name: now.get(name, "none") for name in names}
        )
    return _lines(then), _lines(now)


def _lines(value: Any) -> str:
    return "not stored" if value is None else cut(told(value))
