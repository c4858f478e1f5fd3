"""Finds a data set's files: the user's own copy first, the hub only when asked; never the network by itself.

A file is looked for in this order: the file or folder that was named; the folder of `EQUIPOISE_DATASETS`; with
`download=True` the hub, at the pinned revision. Every error names file, revision, hash and what to do.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise._optional import require
from equipoise.benchmarks.prompts.sources import Host, SourceFile, address, described
from equipoise.errors import InputError, UpstreamError, UsageError
from equipoise.ids import bytes_hash, content_hash

FOLDER_VARIABLE = "EQUIPOISE_DATASETS"
"""Environment variable that names a folder with one folder a data set."""

TOKEN_VARIABLES: tuple[str, ...] = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
"""Environment variables in which the hub's token is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file of the user's.

    Attributes:
        source: what it is a copy of.
        paths: the files, sorted; one unless the source is several.
        sha256: hash of the bytes; over several files `tree_hash`.
        changed: whether it is known not to be the pinned revision.
        downloaded: whether it was brought from the hub just now.
    """

    source: SourceFile
    paths: tuple[Path, ...]
    sha256: str
    changed: bool
    downloaded: bool = False

    def to_dict(self) -> dict[str, Any]:
        """What a run keeps of it: no folder of this machine."""
        return {
            "id": self.source.id,
            "repository": self.source.repository,
            "path": self.source.path,
            "revision": self.source.revision,
            "sha256": self.sha256,
            "pinned_sha256": self.source.sha256,
            "changed": self.changed,
            "licence": self.source.licence,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How files are to be found.

    Attributes:
        benchmark: name of the data set, which is the name of its folder.
        data: file or folder the user named; None for the environment's folder.
        download: whether the hub may be asked.
        allow_changed: whether a file of another revision is taken and recorded.
        token: the hub's token; None for that of the environment.
        environment: variables; those of the process by default.
    """

    benchmark: str
    data: Path | None = None
    download: bool = False
    allow_changed: bool = False
    token: str | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


def find_files(source: SourceFile, wanted: Wanted) -> Found:
    """The user's copy of a source, or the hub's when that was asked for.

    Args:
        source: what is needed.
        wanted: where to look, and what is allowed.

    Raises:
        UsageError: it is nowhere; the text says what to get, from where, which revision, and where to put it.
        InputError: its hash is not the pinned one and that was not allowed.
        UpstreamError: the hub refuses or fails.
    """
    paths = _local(source, wanted)
    downloaded = False
    if not paths and wanted.download and wanted.data is None:
        paths, downloaded = _from_hub(source, wanted), True
    if not paths:
        raise UsageError(_missing(source, wanted), file=str(wanted.data) if wanted.data is not None else source.name)
    found = tree_hash(paths) if source.several else bytes_hash(paths[0].read_bytes())
    changed = bool(source.sha256) and found != source.sha256
    if changed and not wanted.allow_changed:
        message = (
            f"this is not the pinned revision: sha256 {found}, expected {source.sha256} "
            f"({source.path} of {source.repository}, revision {source.revision}). Get that revision from "
            f"{address(source)}, or allow the change (--allow-changed) and it will be recorded"
        )
        raise InputError(message, file=str(paths[0]))
    return Found(source=source, paths=paths, sha256=found, changed=changed, downloaded=downloaded)


def tree_hash(paths: Iterable[Path]) -> str:
    """One hash over several files: names and bytes, whatever their order and folder."""
    return content_hash(sorted([path.name, bytes_hash(path.read_bytes())] for path in paths))


def folder_of(wanted: Wanted) -> Path | None:
    """The data set's folder in `EQUIPOISE_DATASETS`; None when the variable is not set."""
    root = wanted.environment.get(FOLDER_VARIABLE)
    return Path(root) / wanted.benchmark if root else None


def _local(source: SourceFile, wanted: Wanted) -> tuple[Path, ...]:
    if wanted.data is not None and wanted.data.is_file():
        return (wanted.data,)
    folder = wanted.data if wanted.data is not None else folder_of(wanted)
    if folder is None or not folder.is_dir():
        return ()
    if source.several:
        return _several(source, folder)
    for place in (folder / source.path, folder / source.name):
        if place.is_file():
            return (place,)
    return ()


def _several(source: SourceFile, folder: Path) -> tuple[Path, ...]:
    """Files under the repository's own folders, or the same below a copy of one of them."""
    parts = source.path.split("/")
    for start in range(len(parts)):
        found = sorted(path for path in folder.glob("/".join(parts[start:])) if path.is_file())
        if found:
            return tuple(found)
    return ()


def _missing(source: SourceFile, wanted: Wanted) -> str:
    if wanted.data is not None and not wanted.data.exists():
        start = "there is no such file or folder"
    elif wanted.data is not None:
        start = f"the folder does not hold {source.path}"
    else:
        start = "the data are not here and are not shipped"
    if source.host is Host.AUTHORS:
        return f"{start}. They are given out by the authors on request ({source.repository}); name your own file"
    place = folder_of(wanted)
    where = str(place / source.path) if place is not None else f"{wanted.benchmark}/{source.path} in a folder"
    put = f"put it at {where}" if place is not None else f"put it at {where} and set {FOLDER_VARIABLE} to that folder"
    gate = "; accept its terms there and set HF_TOKEN" if source.gated else ""
    ask = "; or ask for it with --download" if source.host is Host.HUB and not source.several else ""
    return f"{start}: {described(source)}. Get it from {address(source)}{gate}, {put}, or name it with --data{ask}"


def _from_hub(source: SourceFile, wanted: Wanted) -> tuple[Path, ...]:
    if source.host is not Host.HUB or source.several:
        message = f"{_missing(source, wanted)}; it cannot be brought from the hub"
        raise UsageError(message, file=source.name)
    hub = require("huggingface_hub", extra="hub")
    token = wanted.token or next(
        (wanted.environment[name] for name in TOKEN_VARIABLES if wanted.environment.get(name)), None
    )
    try:
        path = hub.hf_hub_download(
            source.repository, source.path, repo_type="dataset", revision=source.revision or None, token=token
        )
    except Exception as error:
        raise UpstreamError(hub_trouble(source, error, token=bool(token))) from error
    return (Path(path),)


def hub_trouble(source: SourceFile, error: Exception, *, token: bool) -> str:
    """What went wrong at the hub, in one line: file, revision, hash, and what to do.

    Args:
        source: what was asked for.
        error: what the hub's library raised.
        token: whether a token was sent.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(getattr(error, "response", None), "status_code", None)
    about = f"{described(source)}: the hub "
    if "GatedRepoError" in names or status in (401, 403):
        refused = "refused the token" if token else "asks for a token"
        fix = f"accept the terms at {address(source)} with the account of the token and set HF_TOKEN"
        return f"{about}{refused}{f' ({status})' if status else ''}; {fix}"
    if "RevisionNotFoundError" in names:
        return f"{about}no longer has that revision; get a copy of it elsewhere, or name your own file with --data"
    if "EntryNotFoundError" in names or status == 404:
        return f"{about}has no such file at that revision; see {address(source)}, or name your own file with --data"
    if "RepositoryNotFoundError" in names:
        return f"{about}has no such data set, or hides it without a token; see {address(source)} and set HF_TOKEN"
    if "OfflineModeIsEnabled" in names or "LocalEntryNotFoundError" in names or isinstance(error, OSError):
        return f"{about}cannot be reached ({type(error).__name__}); go online, or name your own file with --data"
    first = (str(error).strip().splitlines() or ["no message"])[0][:200]
    return f"{about}failed ({type(error).__name__}: {first}); try again, or name your own file with --data"
