"""How a rater wants to see the page: keys, size, colours, what moves by itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from equipoise.errors import UsageError
from equipoise.study.protocol import Protocol

SCHEMES: tuple[str, ...] = ("auto", "light", "dark", "contrast")
SIZES: tuple[str, ...] = ("normal", "large", "larger")

COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("back", "k", "item before"),
    ("forward", "j", "item after"),
    ("undo", "u", "take the last answer back"),
    ("missing", "m", "fields that are missing"),
    ("comment", "c", "comment"),
    ("skip", "s", "skip, with a reason"),
    ("help", "?", "these keys"),
)
"""What the desk itself does by a key: name, key at first, meaning."""

_KEY = re.compile(r"[0-9a-z?]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """Wishes of one rater; the first values are those of somebody who has none.

    Attributes:
        keys: whether single keys do anything.
        own: keys of the rater's own, by command or by "question/answer".
        size: one of `SIZES`.
        scheme: one of `SCHEMES`.
        onwards: whether the next item comes by itself, where there is one question.
        clock: whether the time spent is shown.
    """

    keys: bool = True
    own: Mapping[str, str] = field(default_factory=dict)
    size: str = "normal"
    scheme: str = "auto"
    onwards: bool = True
    clock: bool = False

    def stored(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "own": dict(self.own)}


def actions(protocol: Protocol) -> dict[str, str]:
    """Everything a key can do, with its key at first: commands of the desk, and answers that have one."""
    found = {name: key for name, key, _ in COMMANDS}
    for question in protocol.questions:
        for option in question.options:
            found[action_of(question.id, option.value)] = option.key or ""
    return found


def action_of(question: str, value: str) -> str:
    """Name of what a key does that gives an answer."""
    return f"{question}/{value}"


def keys_of(wishes: Preferences, protocol: Protocol) -> dict[str, str]:
    """The key of everything that has one, as the rater wants it."""
    return {name: key for name, key in ({**actions(protocol), **wishes.own}).items() if key}


def read_preferences(stored: Mapping[str, Any], protocol: Protocol) -> Preferences:
    """What was stored; anything that does not hold (any more) counts as not stored."""
    own = stored.get("own")
    known = actions(protocol)
    kept = {name: key for name, key in own.items() if name in known} if isinstance(own, dict) else {}
    given = {name: key for name, key in {**known, **kept}.items() if key}
    if len(set(given.values())) != len(given) or not all(
        isinstance(key, str) and (not key or _KEY.fullmatch(key)) for key in kept.values()
    ):
        kept = {}
    return Preferences(
        keys=stored.get("keys", True) is True,
        own=kept,
        size=stored["size"] if stored.get("size") in SIZES else "normal",
        scheme=stored["scheme"] if stored.get("scheme") in SCHEMES else "auto",
        onwards=stored.get("onwards", True) is True,
        clock=stored.get("clock", False) is True,
    )


def own_keys(given: Mapping[str, str], protocol: Protocol) -> dict[str, str]:
    """Keys that differ from those at first, checked.

    Args:
        given: key by name of what it does; empty for no key.
        protocol: the study's protocol.

    Raises:
        UsageError: a key that is none, or one that would do two things; the field names what it was given for.
    """
    known = actions(protocol)
    wanted = {name: given.get(name, key).strip().lower() for name, key in known.items()}
    taken: dict[str, str] = {}
    for name, key in wanted.items():
        if not key:
            continue
        if not _KEY.fullmatch(key):
            message = f"{key!r} cannot be a key here; expected one letter, digit or ?"
            raise UsageError(message, field=name)
        if key in taken:
            message = f"the key {key!r} is given to {taken[key]} and to {name}; each key can do one thing"
            raise UsageError(message, field=name)
        taken[key] = name
    return {name: key for name, key in wanted.items() if key != known[name]}
