"""Makes a pack: reads the runs, fills the items, writes the folder whole or not at all. No clock is read."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise._version import __version__
from equipoise.errors import InputError, UsageError
from equipoise.ids import bytes_hash
from equipoise.outcomes.protocol import Protocol
from equipoise.pack import chai, change, croissant, gates, sbom
from equipoise.pack.catalogue import Stage, Standard, standards
from equipoise.pack.items import PackItem, Question, Status, fill, form
from equipoise.pack.manifest import MANIFEST, files_hash, manifest_text, verify
from equipoise.pack.results import Part, add_results, parts
from equipoise.pack.sources import Source, read_sources
from equipoise.pack.stored import card_files, read_fields
from equipoise.pack.tree import Tree
from equipoise.report.evaluation_contexts import EvaluationPage

PAGE = "pack.html"
FORMAT = "1"
"""Version of pack.json."""

CONSTANT = "equipoise/always-"
"""Begins the names of constant systems; a pack is about another one where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A pack before it is written.

    Attributes:
        product: the system it is about.
        stage: kind of evaluation.
        created_at: date and time, from the runs unless stated.
        sources: the runs.
        parts: every system of every run.
        tree: the stored fields.
        standards: the standards.
        items: their items.
        form: what people are asked.
        packages: the distributions.
        page: the evaluation page of the OpenMTB runs; None without one.
        protocol: the protocol; None without one.
        held: the decisions against it.
        changed: what changed since the last pack; None without one.
        files: bytes of every file but pack.html and the manifest, by name.
        digest: hash over these files.
    """

    product: str
    stage: Stage
    created_at: str
    sources: tuple[Source, ...]
    parts: tuple[Part, ...]
    tree: Tree
    standards: tuple[Standard, ...]
    items: tuple[PackItem, ...]
    form: tuple[Question, ...]
    packages: sbom.Packages
    page: EvaluationPage | None
    protocol: Protocol | None
    held: tuple[gates.Held, ...]
    changed: change.Changed | None
    files: Mapping[str, bytes] = field(default_factory=dict)
    digest: str = ""

    def counts(self, standard: str) -> dict[Status, int]:
        """How many items of a standard have which status."""
        found = Counter(item.status for item in self.items if item.standard == standard)
        return {status: found[status] for status in Status}


def make_pack(
    folders: Sequence[str | Path],
    *,
    product: str | None = None,
    stage: Stage = Stage.OFFLINE,
    protocol: str | Path | None = None,
    previous: str | Path | None = None,
    created_at: str | None = None,
    seed: int = 42,
) -> Pack:
    """A pack of runs.

    Args:
        folders: run folders.
        product: the system the pack is about; the first that is not constant by default.
        stage: kind of evaluation; standards made for another kind do not apply.
        protocol: protocol the runs are held against.
        previous: the last pack; margin lines of the protocol compare with its runs.
        created_at: date and time of the pack; that of the newest run by default.
        seed: seed of the intervals.

    Raises:
        UsageError: no run, a folder that is none, or a system no run has.
        InputError: a damaged run, runs that do not fit each other or the protocol, or a damaged last pack.
        ConfigurationError: the protocol is none.
    """
    sources = read_sources(folders)
    every = parts(sources)
    about = _product(every, product)
    tree = read_fields(sources, stage=stage)
    page = add_results(tree, sources, seed=seed)
    evidence: dict[str, bytes] = {name: data for item in sources for name, data in item.files.items()}
    evidence |= card_files(sources)
    _add_product(tree, about)
    before = change.read_previous(previous) if previous is not None else None
    asked: Protocol | None = None
    held: tuple[gates.Held, ...] = ()
    if protocol is not None:
        asked, evidence[gates.PROTOCOL] = gates.load(protocol)
        own = [item for item in every if item.system == about.system]
        held = gates.hold(own, before.parts if before else (), asked, seed=seed)
        gates.add_gate(tree, held, asked)
    changed = change.changes(before, tree, every, seed=seed) if before else None
    if changed is not None:
        change.add_changes(tree, changed, every)
    when = created_at or max(item.run.info.created_at for item in sources)
    hashes = {name: bytes_hash(data) for name, data in evidence.items()}
    items = _items(tree, about, stage, hashes)
    packages = sbom.packages_of(sources)
    made = Pack(
        product=about.shown, stage=stage, created_at=when, sources=sources, parts=tuple(every), tree=tree,
        standards=standards(), items=items, form=form(items, standards()), packages=packages, page=page,
        protocol=asked, held=held, changed=changed,
    )  # fmt: skip
    evidence |= _exports(made, hashes)
    digest = files_hash(evidence)
    evidence["pack.json"] = _json(made, digest, {name: bytes_hash(data) for name, data in evidence.items()})
    return _with_files(made, evidence, digest)


def write_pack(pack: Pack, html: str, folder: str | Path) -> Path:
    """Writes a pack into a folder that is new or empty, or that holds a pack as it was made.

    Args:
        pack: the pack.
        html: its page.
        folder: where.

    Raises:
        UsageError: the folder holds other things or a pack that was changed since, or cannot be written.
    """
    target = Path(folder)
    _require_free(pack, target)
    files = {**pack.files, PAGE: html.encode("utf-8")}
    files[MANIFEST] = manifest_text(files).encode("utf-8")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
            inner, before = Path(scratch) / "pack", Path(scratch) / "before"
            for name, data in files.items():
                path = inner / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            if target.exists():
                target.rename(before)
            try:
                inner.rename(target)
            except OSError:
                if before.exists():
                    before.rename(target)
                raise
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise UsageError(message, file=str(folder)) from error
    return target


def _require_free(pack: Pack, target: Path) -> None:
    if not target.exists() and not target.is_symlink():
        return
    message = ""
    if target.is_symlink() or not target.is_dir():
        message = "this is no folder; name a new one"
    elif any(target.resolve() in (item.folder.resolve(), *item.folder.resolve().parents) for item in pack.sources):
        message = "a run of the pack lies in this folder; name another one"
    elif any(target.iterdir()):
        if not (target / MANIFEST).is_file():
            message = "the folder holds other things than a pack; name a new or empty folder"
        elif verify(target):
            message = "the pack there was changed since it was made; name another folder, so that nothing is lost"
    if message:
        raise UsageError(message, file=str(target))


def _items(tree: Tree, about: Part, stage: Stage, hashes: Mapping[str, str]) -> tuple[PackItem, ...]:
    """The items of all standards; the card is about the product alone and reads its run only."""
    own = read_fields((about.source,), stage=stage)
    own.values |= {path: tree.values[path] for path in ("metrics", "subgroups", "product.name", "product.version")
                   if path in tree.values}  # fmt: skip
    own.reasons |= {path: tree.reasons[path] for path in ("subgroups",) if path in tree.reasons}
    return tuple(
        item
        for standard in standards()
        for item in fill((standard,), own if standard.id == chai.STANDARD else tree, stage, hashes)
    )


def _product(every: Sequence[Part], named: str | None) -> Part:
    if named is None:
        return next((item for item in every if not item.system.startswith(CONSTANT)), every[0])
    for item in every:
        if named in (item.shown, item.system):
            return item
    message = f"no run has the system {named!r}; expected one of {', '.join(item.shown for item in every)}"
    raise UsageError(message, field="--system")


def _add_product(tree: Tree, about: Part) -> None:
    info = about.run.info
    tree.put("product.name", about.shown, [about.source.outcomes_file])
    version = None
    if about.system.startswith("equipoise/"):
        version = info.versions.get("equipoise")
    else:
        stored = tree.get("model.version")
        version = stored.value if stored and isinstance(stored.value, str) else None
    tree.put("product.version", version, [about.source.run_file])


def _exports(pack: Pack, hashes: Mapping[str, str]) -> dict[str, bytes]:
    rows = [row for item in pack.sources for row in item.run.outcomes.select(["model"]).to_pylist()]
    version = pack.tree.get("product.version")
    texts = {
        chai.CARD: chai.card_xml(pack.items, pack.tree, product=pack.product),
        croissant.CROISSANT: croissant.croissant_json(pack.sources, pack.tree, hashes, created_at=pack.created_at),
        sbom.SBOM: sbom.sbom_json(
            pack.packages,
            sorted({row["model"] for row in rows if row["model"]}),
            created_at=pack.created_at,
            product=pack.product,
            version=str(version.value) if version else "",
        ),
    }
    return {name: text.encode("utf-8", "replace") for name, text in texts.items()}


def _json(pack: Pack, digest: str, hashes: Mapping[str, str]) -> bytes:
    value: dict[str, Any] = {
        "format": "equipoise evidence pack",
        "format_version": FORMAT,
        "made_with": f"equipoise {__version__}",
        "created_at": pack.created_at,
        "product": pack.product,
        "stage": pack.stage.value,
        "runs": [{"run_id": item.run.info.run_id, "folder": item.name} for item in pack.sources],
        "evidence_digest": digest,
        "packages": pack.packages.origin,
        "counts": {item.id: {status.value: n for status, n in pack.counts(item.id).items()} for item in pack.standards},
        "signoff": [],
        "standards": [
            {"id": item.id, "title": item.title, "version": item.version, "address": item.address,
             "verified": item.verified.value, "checked": item.checked}
            for item in pack.standards
        ],
        "items": [_item(item) for item in pack.items],
        "form": [{"key": item.key, "text": item.text, "items": [list(pair) for pair in item.items]} for item in pack.form],
        "fields": {
            path: {"value": stored.value, "files": {name: hashes[name] for name in stored.files}}
            for path, stored in sorted(pack.tree.values.items())
        },
        "not_stored": dict(sorted(pack.tree.reasons.items())),
        "files": dict(sorted(hashes.items())),
    }  # fmt: skip
    try:
        text = json.dumps(value, indent=1, ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        message = f"a stored value has no JSON form ({error})"
        raise InputError(message) from error
    return (text + "\n").encode("ascii")


def _item(item: PackItem) -> dict[str, Any]:
    return {
        "standard": item.standard,
        "version": item.version,
        "id": item.id,
        "topic": item.topic,
        "verified": item.verified.value,
        "status": item.status.value,
        "value": dict(item.value),
        "reason": item.reason,
        "questions": list(item.questions),
        "files": dict(item.files),
    }


def _with_files(pack: Pack, files: Mapping[str, bytes], digest: str) -> Pack:
    from dataclasses import replace

    return replace(pack, files=files, digest=digest)
