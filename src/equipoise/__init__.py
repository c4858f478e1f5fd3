"""Equipoise: audits clinical AI for both failure modes, refusing what the evidence supports and approving what it does not.

The usual way in:

    import datetime as dt
    import equipoise

    verdicts = equipoise.audit({"tumor": "NSCLC", ...}, as_of=dt.date(2026, 11, 1))

Nothing is read or computed at import. Compares a documented recommendation with dated sources; not a medical device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equipoise._version import __version__

if TYPE_CHECKING:
    from equipoise.audit.alternatives import options
    from equipoise.audit.pipeline import Auditor, audit
    from equipoise.audit.verdict import Label, Verdict
    from equipoise.cases.load import read_file
    from equipoise.cases.model import Case
    from equipoise.errors import EquipoiseError

__all__ = ["Auditor", "Case", "EquipoiseError", "Label", "Verdict", "__version__", "audit", "options", "read_file"]

_HOME = {
    "Auditor": "equipoise.audit.pipeline",
    "Case": "equipoise.cases.model",
    "EquipoiseError": "equipoise.errors",
    "Label": "equipoise.audit.verdict",
    "Verdict": "equipoise.audit.verdict",
    "audit": "equipoise.audit.pipeline",
    "options": "equipoise.audit.alternatives",
    "read_file": "equipoise.cases.load",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that importing the package costs nothing."""
    home = _HOME.get(name)
    if home is None:
        message = f"module 'equipoise' has no attribute {name!r}"
        raise AttributeError(message)
    import importlib

    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
