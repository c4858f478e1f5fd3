"""The file in which a person says which speaker has which role."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import yaml

from equipoise.boards.reading import file_bytes, short
from equipoise.boards.vocabulary import Role, role_of
from equipoise.errors import InputError


def read_roles(path: str | Path, *, speakers: Collection[str]) -> Mapping[str, Role]:
    """Role by speaker, from a YAML file of lines `speaker: role`.

    Args:
        path: the file.
        speakers: labels of the transcript.

    Raises:
        UsageError: the file cannot be opened.
        InputError: not YAML of that form, a role that does not exist, or a speaker the transcript does not have.
    """
    path = Path(path)
    try:
        value = yaml.safe_load(file_bytes(path)[0].decode("utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError):
        message = "not a YAML file in UTF-8"
        raise InputError(message, file=str(path)) from None
    if not isinstance(value, dict):
        message = "expected lines of the form speaker: role"
        raise InputError(message, file=str(path))
    found = {}
    for speaker, name in value.items():
        role = role_of(name) if isinstance(name, str) else None
        if role is None:
            message = f"there is no role {short(str(name))}; the roles are {', '.join(item.value for item in Role)}"
            raise InputError(message, file=str(path), field=str(speaker))
        if speaker not in speakers:
            message = f"the transcript has no speaker {short(str(speaker))}"
            raise InputError(message, file=str(path))
        found[str(speaker)] = role
    return found
