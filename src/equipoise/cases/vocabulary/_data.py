"""Reads the vocabulary files that ship with the package, once each, on first use."""

from __future__ import annotations

import functools
from importlib import resources
from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@functools.cache
def vocabulary(name: str) -> Any:
    """The parsed content of a YAML file in this folder.

    Args:
        name: file name without its ending.

    Raises:
        FileNotFoundError: no such file ships with the package.
    """
    text = resources.files(__package__).joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=_Loader)
