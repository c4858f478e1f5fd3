"""Where a data set's files come from, as typed data: repository, revision, path, hash, licence, columns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Host(StrEnum):
    """Who holds a file."""

    HUB = "hub"
    GITHUB = "github"
    AUTHORS = "authors"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file of a data set, or several of one form.

    Attributes:
        id: short name, unique in the data set.
        host: who holds it.
        repository: owner and name; for `Host.AUTHORS` the paper that says whom to ask.
        path: path in the repository; with `*` for several files of one form.
        revision: commit the loader was written for, as long as it is known; empty when none is known.
        sha256: hash of the bytes at that revision, for several files `prompts.local.tree_hash`; empty when unknown.
        licence: licence of the data.
        columns: columns or elements that are needed.
        gated: whether its terms must be accepted and a token sent.
        unverified: what of the above nobody could check; empty when all was.
        optional: whether the data set can be loaded without it.
    """

    id: str
    host: Host
    repository: str
    path: str
    revision: str
    licence: str
    columns: tuple[str, ...]
    sha256: str = ""
    gated: bool = False
    unverified: str = ""
    optional: bool = False

    @property
    def several(self) -> bool:
        """Whether the path stands for several files."""
        return "*" in self.path

    @property
    def name(self) -> str:
        """Name of the file, without its folder."""
        return self.path.rsplit("/", 1)[-1]


def address(source: SourceFile) -> str:
    """Where a person can look at the file."""
    revision = source.revision or "main"
    if source.host is Host.HUB:
        if source.several:
            return f"https://huggingface.co/datasets/{source.repository}/tree/{revision}"
        return f"https://huggingface.co/datasets/{source.repository}/blob/{revision}/{source.path}"
    if source.host is Host.GITHUB:
        if source.several:
            return f"https://github.com/{source.repository}/tree/{revision}"
        return f"https://github.com/{source.repository}/blob/{revision}/{source.path}"
    return source.repository


def described(source: SourceFile) -> str:
    """File, revision and hash in one phrase, for messages."""
    parts = [f"{source.path} of {source.repository}"]
    parts.append(f"revision {source.revision}" if source.revision else "revision not pinned")
    parts.append(f"sha256 {source.sha256}" if source.sha256 else "sha256 not known")
    return ", ".join(parts)
