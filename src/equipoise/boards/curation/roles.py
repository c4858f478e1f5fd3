"""The file in which a person says which speaker has which role."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from equipoise.boards.curation.own_files import read_table, read_yaml
from equipoise.boards.reading import short
from equipoise.boards.vocabulary import Role, role_of
from equipoise.errors import InputError


def role_lines(path: Path) -> Iterator[tuple[str, str, object]]:
    """Place in the file, speaker and role, from YAML lines `speaker: role` or a CSV file with these columns.

    Raises:
        InputError: not a file of that form.
    """
    if path.suffix == ".csv":
        for line, row in read_table(path, "speaker", "role"):
            yield f"{path.name}, line {line}", row.get("speaker", "").strip(), row.get("role", "").strip()
        return
    value = read_yaml(path)
    if not isinstance(value, dict):
        message = "expected lines of the form speaker: role"
        raise InputError(message, file=str(path))
    for place, (speaker, name) in enumerate(value.items(), start=1):
        yield f"{path.name}, entry {place}", str(speaker), name


def read_roles(path: str | Path, *, speakers: Collection[str]) -> Mapping[str, Role]:
    """Role by speaker, from YAML lines `speaker: role` or a CSV file with these columns.

    Args:
        path: the file.
        speakers: labels of the transcript.

    Raises:
        UsageError: the file cannot be opened.
        InputError: not a file of that form, a role that does not exist, or a speaker the transcript does not have.
    """
    path = Path(path)
    found = {}
    for _, speaker, name in role_lines(path):
        role = role_of(name) if isinstance(name, str) else None
        if role is None:
            message = f"there is no role {short(str(name))}; the roles are {', '.join(item.value for item in Role)}"
            raise InputError(message, file=str(path), field=speaker)
        if speaker not in speakers:
            message = f"the transcript has no speaker {short(speaker)}"
            raise InputError(message, file=str(path))
        found[speaker] = role
    return found
