"""A bill of materials in CycloneDX 1.6 JSON: the distributions a run had, the models that answered, the evaluating code.

Form: https://cyclonedx.org/docs/1.6/json/ .
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.ids import canonical_json
from equipoise.outcomes.environment import packages as current_packages
from equipoise.pack.sources import Source
from equipoise.report.inert import inert

SBOM = "sbom.json"

_NAMESPACE = uuid.UUID("6f6a2f0e-0d53-5a3c-9f0b-3d0f5a3c9f0b")
"""Any fixed namespace: the serial number is made from the content."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Packages:
    """Distributions and where the list comes from.

    Attributes:
        versions: versions by name; several where runs differ.
        origin: whose list it is, in words.
        recorded: whether every run recorded its own.
    """

    versions: Mapping[str, tuple[str, ...]]
    origin: str
    recorded: bool


def packages_of(sources: Sequence[Source]) -> Packages:
    """The distributions that the runs recorded; of the environment that makes the pack when one recorded none.

    Args:
        sources: the runs.
    """
    lists = [item.run.info.environment.get("packages") for item in sources]
    recorded = all(isinstance(found, Mapping) and found for found in lists)
    if recorded:
        origin = "recorded by the runs"
        chosen: list[Mapping[str, Any]] = [found for found in lists if isinstance(found, Mapping)]
    else:
        origin = "of the environment that made this pack, because a run recorded none"
        chosen = [current_packages()]
    versions: dict[str, set[str]] = {}
    for found in chosen:
        for name, version in found.items():
            versions.setdefault(str(name), set()).add(str(version))
    ordered = {name: tuple(sorted(versions[name])) for name in sorted(versions)}
    return Packages(versions=ordered, origin=origin, recorded=recorded)


def sbom_json(packages: Packages, models: Sequence[str], *, created_at: str, product: str, version: str) -> str:
    """The bill of materials.

    Args:
        packages: the distributions.
        models: names of the models that answered.
        created_at: date and time of the pack.
        product: system the pack is about.
        version: its version; empty when not recorded.
    """
    components: list[dict[str, Any]] = []
    for name, versions in packages.versions.items():
        for found in versions:
            purl = f"pkg:pypi/{_purl(name)}@{_purl(found)}"
            components.append(
                {"type": "library", "bom-ref": purl, "name": inert(name), "version": inert(found), "purl": purl}
            )
    for model in sorted(set(models)):
        components.append({"type": "machine-learning-model", "bom-ref": f"model:{_purl(model)}", "name": inert(model)})
    about: dict[str, Any] = {"type": "application", "bom-ref": "product", "name": inert(product)}
    if version:
        about["version"] = inert(version)
    metadata: dict[str, Any] = {
        "component": about,
        "properties": [{"name": "equipoise:packages", "value": packages.origin}],
    }
    if _DATE.fullmatch(created_at):
        metadata = {"timestamp": created_at, **metadata}
    serial = uuid.uuid5(_NAMESPACE, canonical_json([metadata, components]))
    value = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": metadata,
        "components": components,
    }
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _purl(text: str) -> str:
    """Percent-encoded as a package address asks."""
    from urllib.parse import quote

    return quote(text.encode("utf-8", "replace"), safe="-._~")
