"""How a reply is read as a refusal: the project's own detector by default, or a reader that is given."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from equipoise.errors import ConfigurationError, InternalError
from equipoise.refusal.terms import Refusal

DETECTOR = "equipoise.refusal.detector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads a reply.

    Attributes:
        id: name and version, part of what the stage is known by.
        read: takes the question and the reply; None when it cannot say.
    """

    id: str
    read: Callable[[str, str], Refusal | None]


def detector() -> Reader:
    """The refusal detector of this package.

    Raises:
        ConfigurationError: it is not part of this installation.
    """
    try:
        module = importlib.import_module(DETECTOR)
        read_reply = module.read_reply
    except (ModuleNotFoundError, AttributeError):
        message = f"difficulty needs the refusal detector ({DETECTOR}.read_reply), which this installation lacks"
        raise ConfigurationError(message) from None
    version = getattr(module, "DETECTOR_VERSION", getattr(module, "VERSION", ""))

    def read(question: str, reply: str) -> Refusal | None:
        found = read_reply(reply, prompt=question)
        return refusal_of(found)

    return Reader(id=f"detector {version}".strip(), read=read)


def refusal_of(found: Any) -> Refusal | None:
    """The refusal that a detector names, as a value or as the attribute `refusal` of a result; None for none.

    Raises:
        InternalError: it names something else.
    """
    value = getattr(found, "refusal", found)
    if value is None:
        return None
    try:
        return Refusal(value)
    except ValueError:
        message = f"the refusal detector gave {value!r}; expected none, partial or full"
        raise InternalError(message) from None
