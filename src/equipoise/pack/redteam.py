"""The evidence pack of a red-team audit: protocol, plans, operators, versions, deviations, measures and page, with a manifest of hashes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.outcomes.environment import environment
from equipoise.outcomes.run import read_run
from equipoise.pack.manifest import MANIFEST, manifest_text
from equipoise.studies.redteam_audit import RedteamAudit

PACK = "pack"
"""Folder below that of the audit."""


def write_pack(audit: RedteamAudit, folder: Path, *, page: Path | None, created_at: str) -> Path:
    """Write the pack anew and say where it is.

    The files: `protocol.json` (frozen before the first reply), `plans/TEST.json` (every denominator), `operators.json`, `versions.json`,
    `deviations.json`, `audit.json`, `report.html`, `signoff.json` (empty lines for people) and `MANIFEST.sha256`.

    Args:
        audit: the audit.
        folder: folder of the audit, with its run folders.
        page: the page, if it was written.
        created_at: ISO date and time; stands in `signoff.json` alone, so that two packs of one audit differ in nothing else.
    """
    files = pack_files(audit, folder, created_at=created_at)
    if page is not None and page.is_file():
        files["report.html"] = page.read_bytes()
    target, scratch = folder / PACK, folder / f".{PACK}.part"
    if scratch.exists():
        shutil.rmtree(scratch)
    for name, data in {**files, MANIFEST: manifest_text(files).encode()}.items():
        path = scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if target.exists():
        shutil.rmtree(target)
    scratch.replace(target)
    return target


def pack_files(audit: RedteamAudit, folder: Path, *, created_at: str) -> dict[str, bytes]:
    """The files of the pack by name, the page and the manifest left out."""
    protocol = audit.protocol
    files = {
        "protocol.json": _json(protocol),
        "operators.json": _json(_operators(protocol)),
        "versions.json": _json(_versions(audit, folder)),
        "deviations.json": _json([item.to_dict() for item in audit.deviations]),
        "audit.json": _json(audit.to_dict()),
        "signoff.json": _json(
            {
                "pack_written_at": created_at,
                "signoff": [{"name": "", "role": "", "date": "", "reads": "protocol, deviations, worst cases"}],
            }
        ),
    }
    for test in protocol["tests"]:
        files[f"plans/{test['test']}.json"] = _json(test["plan"])
    return files


def _operators(protocol: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "test": test["test"], "operator": item["operator"], "family": item["family"], "items": len(item["items"]),
            "mutants": len(item["mutants"]), "rejected": item["rejected"], "not_applicable": item["not_applicable"],
        }
        for test in protocol["tests"]
        for item in (test["plan"] or {}).get("operators", ())
    ]  # fmt: skip


def _versions(audit: RedteamAudit, folder: Path) -> dict[str, Any]:
    """Versions and hashes of every run folder, and what the pack was written on."""
    runs = []
    for path in sorted((folder / "runs").glob("*")):
        if not (path / "run.json").is_file():
            continue
        info = read_run(path).info
        runs.append(
            {
                "folder": f"runs/{path.name}", "run_id": info.run_id, "benchmark": info.benchmark, "systems": list(info.systems),
                "versions": dict(info.versions), "dataset_hash": info.dataset_hash, "prompts_hash": info.prompts_hash,
                "answered_as": [log.get("answered_as") for log in info.arguments.get("logs", ())],
            }
        )  # fmt: skip
    return {
        "protocol_hash": audit.protocol["protocol_hash"],
        "margins": {test["test"]: test.get("margin") for test in audit.protocol["tests"]},
        "seeds": {"intervals": audit.seed, **{test["test"]: test.get("seed") for test in audit.protocol["tests"]}},
        "runs": runs,
        "written_on": environment(),
    }


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True) + "\n").encode()
