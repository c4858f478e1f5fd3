"""Prompts as files, each with a version and a hash, put together from shared parts so that the labels stand once.

A file has three parts divided by lines of three dashes: facts, the instruction, and what stands before the reply. The
hash covers everything that a model is sent apart from the case, the statements and the verdict.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from math import factorial

from equipoise.audit.verdict import LABELS
from equipoise.errors import InternalError, UsageError
from equipoise.evals.question import RULES
from equipoise.ids import content_hash

CONFIGURATIONS: tuple[str, ...] = ("base", "rag", "rag-verify", "checklist", "tools", "second-reader")
"""In the order of tables; each is a file of that name."""

WITH_EVIDENCE: frozenset[str] = frozenset({"rag", "rag-verify"})
"""Configurations that show statements before the case."""

ORDERS = factorial(len(LABELS))
"""Number of orders in which the labels can be listed; 0 is the field's own."""

_SLOT = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A configuration, ready to be filled with a case.

    Attributes:
        id: its name.
        version: raised with every change of the file.
        summary: what the model sees.
        rules: what counts, one of `RULES`.
        label_order: place of the order of the labels among all orders, 0 to 23.
        system: the instruction.
        user: what stands before the reply, with the slots `case`, `evidence` and `verdict`.
        hash: content hash of instruction and frame.
    """

    id: str
    version: str
    summary: str
    rules: str
    label_order: int
    system: str
    user: str
    hash: str

    def filled(self, **parts: str) -> str:
        """What stands before the reply, with the slots filled once; a slot named in a part stays as it is.

        Raises:
            InternalError: a slot has no part.
        """
        return _fill(self.user, parts)


def load_prompt(configuration: str, *, rules: str = "label", label_order: int = 0) -> Prompt:
    """A configuration by name.

    Args:
        configuration: one of `CONFIGURATIONS`.
        rules: one of `RULES`.
        label_order: 0 to 23; the labels are listed in that permutation of the field's order.

    Raises:
        UsageError: a name that does not exist, or an order out of range.
    """
    if configuration not in CONFIGURATIONS:
        message = f"expected one of {', '.join(CONFIGURATIONS)}; found {configuration!r}"
        raise UsageError(message, field="configuration")
    if rules not in RULES:
        message = f"expected one of {', '.join(RULES)}; found {rules!r}"
        raise UsageError(message, field="rules")
    if isinstance(label_order, bool) or not isinstance(label_order, int) or not 0 <= label_order < ORDERS:
        message = f"expected a whole number from 0 to {ORDERS - 1}; found {label_order!r}"
        raise UsageError(message, field="label_order")
    facts, system, user = _parts(configuration)
    meanings = label_meanings()
    order = next(itertools.islice(itertools.permutations(LABELS), label_order, None))
    shared = {
        "labels": "\n".join(f"- {label}: {meanings[label]}" for label in order),
        "rules": _text(f"rules-{rules}"),
        "reply": _fill(_text("reply"), {"fields": _text("fields")}),
    }
    instruction = _fill(system, shared)
    return Prompt(
        id=facts["id"],
        version=facts["version"],
        summary=facts["summary"],
        rules=rules,
        label_order=label_order,
        system=instruction,
        user=user,
        hash=content_hash([instruction, user]),
    )


@functools.cache
def label_meanings() -> Mapping[str, str]:
    """What each label means, as the prompts say it.

    Raises:
        InternalError: the file does not name exactly the labels there are.
    """
    found = dict(line.split(": ", 1) for line in _text("labels").splitlines())
    if tuple(found) != LABELS:
        message = f"labels.md names {list(found)}, the labels are {list(LABELS)}"
        raise InternalError(message)
    return found


@functools.cache
def field_names() -> tuple[str, ...]:
    """The names of missing fields that the prompts offer, in their order."""
    return tuple(_text("fields").split(", "))


def _parts(configuration: str) -> tuple[dict[str, str], str, str]:
    facts, system, user = re.split(r"^---$", _text(configuration), flags=re.MULTILINE)
    return dict(line.split(": ", 1) for line in facts.strip().splitlines()), system.strip(), user.strip()


@functools.cache
def _text(name: str) -> str:
    file = resources.files("equipoise.evals").joinpath("prompts", f"{name}.md")
    return file.read_text(encoding="utf-8").strip()


def _fill(text: str, parts: Mapping[str, str]) -> str:
    def part(found: re.Match[str]) -> str:
        try:
            return parts[found[1]]
        except KeyError:
            message = f"the prompt has a slot {found[1]!r} that nothing fills"
            raise InternalError(message) from None

    return _SLOT.sub(part, text)
