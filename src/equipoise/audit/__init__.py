"""The audit: seven modules from a case to a verdict, a policy, and the batch form.

`equipoise.audit(case, as_of=...)` is the short way in: the package can be called, and does what `pipeline.audit` does.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.audit.alternatives import options
    from equipoise.audit.pipeline import Auditor, audit
    from equipoise.audit.policy import Policy, load_policy, shipped_policies
    from equipoise.audit.verdict import Label, Verdict

__all__ = ["Auditor", "Label", "Policy", "Verdict", "audit", "load_policy", "options", "shipped_policies"]

_HOME = {
    "Auditor": "pipeline",
    "Label": "verdict",
    "Policy": "policy",
    "Verdict": "verdict",
    "audit": "pipeline",
    "load_policy": "policy",
    "options": "alternatives",
    "shipped_policies": "policy",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    home = _HOME.get(name)
    if home is None:
        message = f"module 'equipoise.audit' has no attribute {name!r}"
        raise AttributeError(message)
    import importlib

    return getattr(importlib.import_module(f"equipoise.audit.{home}"), name)


class _CallablePackage(ModuleType):
    """`equipoise.audit` names this package and the function a reader expects; calling it calls the function."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from equipoise.audit.pipeline import audit as function

        return function(*args, **kwargs)


sys.modules[__name__].__class__ = _CallablePackage
