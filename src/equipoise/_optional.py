"""Optional libraries, asked for by name, with a message that names the extra."""

from __future__ import annotations

import importlib
from types import ModuleType

from equipoise.errors import DependencyError


def require(module: str, *, extra: str) -> ModuleType:
    """Import an optional module or say which extra brings it.

    Args:
        module: dotted name of the module.
        extra: the extra of this package that installs it.

    Raises:
        DependencyError: the module is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name.split(".")[0]):
            raise
        message = f"This needs {module}, which is not installed. Install it with: pip install 'equipoise[{extra}]'"
        raise DependencyError(message) from error
