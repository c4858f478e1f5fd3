"""Prompt files: facts, an instruction, what stands before the reply, divided by lines of three dashes; with a hash.

A text from outside fills `{{text}}` as a JSON string in which no angle bracket stands, so that it cannot close its
delimiters. Guards and answering models get it as it is, in `{{plain}}`: it is then the whole of what they are asked.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from equipoise.benchmarks.health_orsc.pipeline.terms import MEANINGS
from equipoise.errors import ConfigurationError
from equipoise.ids import content_hash
from equipoise.outcomes.readers import read_text

_SLOT = re.compile(r"\{\{(\w+)\}\}")
_GUARD_PROMPTS = {
    "json": "moderate",
    "llama-guard": "guard-plain",
    "shieldgemma": "guard-shieldgemma",
    "wildguard": "guard-wildguard",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt, ready to be filled.

    Attributes:
        id: its name.
        version: raised with every change of the file.
        system: the instruction; empty without one.
        user: what stands before the reply.
        hash: content hash of both, fixed slots filled.
    """

    id: str
    version: str
    system: str
    user: str
    hash: str

    def filled(self, text: str, **parts: str) -> str:
        """What stands before the reply, slots filled once; a slot named in a text stays as it is.

        Args:
            text: the text from outside.
            parts: further slots.
        """
        return _fill(self.user, {"text": quoted(text), "plain": text, **parts})


def quoted(text: str) -> str:
    """A text as a JSON string without angle brackets or slots' braces, which a delimiter cannot be made of."""
    return json.dumps(text, ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e")


def load_prompt(name: str, own: Path | None = None, *, needs: str = "text", **fixed: str) -> Prompt:
    """A prompt by name, or from a file of the user.

    Args:
        name: name of a shipped file.
        own: a file of the user in the same form.
        needs: the slot that the text of an item fills; `plain` serves as well.
        fixed: slots that are the same for every item, part of the hash.

    Raises:
        ConfigurationError: the file has not the three parts, no slot for the text, or a slot that nothing fills.
    """
    text = _shipped(name) if own is None else read_text(own)
    parts = re.split(r"^---[ \t]*$", text.replace("\r\n", "\n"), maxsplit=2, flags=re.MULTILINE)
    place = str(own) if own is not None else f"{name}.md"
    if len(parts) != 3:
        message = f"{place}: expected three parts divided by lines of three dashes: facts, instruction, question"
        raise ConfigurationError(message)
    facts = dict(line.split(": ", 1) for line in parts[0].strip().splitlines() if ": " in line)
    if not {"id", "version"} <= set(facts):
        message = f"{place}: expected the facts id and version, one a line"
        raise ConfigurationError(message)
    known = {"categories": category_lines(), **fixed}
    system, user = _fill(parts[1].strip(), known), _fill(parts[2].strip(), known)
    slots = set(_SLOT.findall(user))
    if not slots & {needs, "plain"}:
        message = f"{place}: the question has no slot {{{{{needs}}}}} for the text"
        raise ConfigurationError(message)
    unknown = sorted((slots | set(_SLOT.findall(system))) - {"text", "plain", "category", "repeat"})
    if unknown:
        message = f"{place}: nothing fills the slot {unknown[0]!r}"
        raise ConfigurationError(message)
    return Prompt(id=facts["id"], version=facts["version"], system=system, user=user, hash=content_hash([system, user]))


def moderator_prompt(form: str, own: Path | None) -> Prompt:
    """The prompt of a moderator by the form of its verdict."""
    return load_prompt(_GUARD_PROMPTS[form], own)


def category_lines() -> str:
    """The categories with their meanings, one a line."""
    return "\n".join(f"- {category}: {meaning}" for category, meaning in MEANINGS.items())


@functools.cache
def _shipped(name: str) -> str:
    package = resources.files("equipoise.benchmarks.health_orsc.pipeline")
    return package.joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")


def _fill(text: str, parts: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda found: parts.get(found[1], found[0]), text)
