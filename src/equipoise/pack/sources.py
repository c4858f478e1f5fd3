"""The run folders of a pack, as read: the run, its files, and the names they have in the pack."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import RUN_FILE, Run, read_run

RUNS = "runs"
"""Folder of the runs in a pack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A run of a pack.

    Attributes:
        name: its folder in the pack ("runs/01-openmtb-...").
        folder: the folder it was read from.
        run: the run.
        files: bytes of its files, by their name in the pack.
    """

    name: str
    folder: Path
    run: Run
    files: Mapping[str, bytes]

    def file(self, name: str) -> str:
        """Name in the pack of one of its files; empty when the run has no such file."""
        path = f"{self.name}/{name}"
        return path if path in self.files else ""

    @property
    def run_file(self) -> str:
        """Name in the pack of its run.json."""
        return f"{self.name}/{RUN_FILE}"

    @property
    def outcomes_file(self) -> str:
        """Name in the pack of its outcomes."""
        return f"{self.name}/outcomes.parquet"


def read_sources(folders: Sequence[str | Path]) -> tuple[Source, ...]:
    """Reads and checks the runs of a pack, with every file of their folders.

    Args:
        folders: run folders.

    Raises:
        UsageError: no folder, or one without a run or with a link or a folder in it.
        InputError: a damaged run, a run named twice, or runs of one benchmark on different cases.
    """
    if not folders:
        message = "expected at least one run folder"
        raise UsageError(message)
    found = [_source(place, Path(folder)) for place, folder in enumerate(folders, start=1)]
    ids = [item.run.info.run_id for item in found]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        message = f"named twice: {', '.join(twice)}"
        raise InputError(message, field="run_id")
    cases: dict[str, str] = {}
    for item in found:
        info = item.run.info
        if cases.setdefault(info.benchmark, info.dataset_hash) != info.dataset_hash:
            message = (
                f"runs of {info.benchmark} are on different cases ({cases[info.benchmark]}, {info.dataset_hash}); make "
                "a pack of each"
            )
            raise InputError(message, file=str(item.folder), field="dataset_hash")
    return tuple(found)


def _source(place: int, folder: Path) -> Source:
    run = read_run(folder)
    if run.outcomes.num_rows == 0:
        message = "the run holds no reply"
        raise InputError(message, file=str(folder))
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", run.info.run_id).strip(".-")[:80] or "run"
    name = f"{RUNS}/{place:02d}-{slug}"
    files: dict[str, bytes] = {}
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or not path.is_file() or not re.fullmatch(r"[A-Za-z0-9._-]+", path.name):
            message = f"{path.name!r} is no plain file; a pack copies the plain files of a run folder only"
            raise UsageError(message, file=str(folder))
        files[f"{name}/{path.name}"] = path.read_bytes()
    return Source(name=name, folder=folder, run=run, files=files)
