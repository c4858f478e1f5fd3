"""What a batch is asked to do, as one value that goes to every process and into the manifest."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise._version import __version__
from equipoise.audit.pipeline import Auditor
from equipoise.errors import ConfigurationError
from equipoise.evidence.base import load_overlay, shipped_base


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What decides the rows of a batch besides its input.

    Attributes:
        as_of: day for which the evidence is read; a case that names its own day is read as of that day.
        policy: id of a shipped policy, or a file.
        jurisdiction: of which the sources speak.
        overlays: files of a hospital's own assertions, in order.
        options: list what would be supported, in place of auditing what is recommended.
    """

    as_of: dt.date
    policy: str = "label"
    jurisdiction: str = "US"
    overlays: tuple[str, ...] = ()
    options: bool = False

    def auditor(self) -> Auditor:
        """An auditor that does as these settings say.

        Raises:
            UsageError: one of them names something that does not exist.
            ConfigurationError: a policy or overlay breaks its contract.
        """
        base = shipped_base()
        for path in self.overlays:
            base = load_overlay(Path(path), base)
        return Auditor(as_of=self.as_of, policy=self.policy, jurisdiction=self.jurisdiction, evidence=base)


def identity(settings: Settings, auditor: Auditor) -> dict[str, Any]:
    """What stands in the manifest for the settings: with it, the same input gives the same bytes."""
    return {
        "as_of": settings.as_of.isoformat(),
        "engine_version": __version__,
        "evidence_hash": auditor.evidence.hash,
        "jurisdiction": settings.jurisdiction,
        "options": settings.options,
        "policy": auditor.policy.id,
        "policy_hash": auditor.policy.hash,
    }


def same_auditor(settings: Settings, expected: dict[str, Any]) -> Auditor:
    """The auditor of another process, which must have read the same policy and evidence.

    Raises:
        ConfigurationError: a file was changed while the batch runs.
    """
    auditor = settings.auditor()
    if identity(settings, auditor) != expected:
        message = "the policy or an overlay was changed while the batch runs; run it again"
        raise ConfigurationError(message)
    return auditor
