"""The folder a curation works in: which recordings it holds, and the files that a person wrote beside them.

Beside a transcript `NAME.vtt` (or .srt, .json) may stand `NAME.roles.yaml` or `.csv` (speaker: role), `NAME.cases.yaml` (first and last
utterance of each case), `NAME.slides.json` or `.csv` (captions with their times), `NAME.names.txt` (names to replace, one a line) and
`NAME.read.yaml` (`who` has read the scrubbed texts of which `hash`).
`names.txt`, `screen.yaml`, `scrub.yaml` and `splits.json` hold for the whole folder. With a single transcript the files may lack its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

from equipoise.errors import UsageError

STAGES = "stages"
"""Folder inside the project that holds everything the stages write."""

KINDS: tuple[str, ...] = (".vtt", ".srt", ".json")
_BESIDE: dict[str, tuple[str, ...]] = {
    "roles": ("roles.yaml", "roles.yml", "roles.csv"),
    "cases": ("cases.yaml", "cases.yml"),
    "slides": ("slides.json", "slides.csv"),
    "names": ("names.txt",),
    "read": ("read.yaml", "read.yml"),
}
_WHOLE = ("splits.json", "screen.yaml", "scrub.yaml", "names.txt")
_LIKE_OURS = (".yaml", ".yml", ".csv", ".txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recording of a project.

    Attributes:
        name: the file's name without its ending; the id of the recording.
        transcript: the file.
        roles: file of corrected roles; None when there is none.
        cases: file of corrected limits; None when there is none.
        slides: file of captions; None when there is none.
        names: file of names; None when there is none.
        read: file in which a person says to have read the scrubbed texts; None when there is none.
    """

    name: str
    transcript: Path
    roles: Path | None = None
    cases: Path | None = None
    slides: Path | None = None
    names: Path | None = None
    read: Path | None = None

    def files(self, *kinds: str) -> tuple[Path, ...]:
        """Those of the files beside it that exist."""
        found: tuple[Path | None, ...] = tuple(getattr(self, kind) for kind in kinds)
        return tuple(path for path in found if path is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A folder of recordings.

    Attributes:
        folder: the folder.
        recordings: by name.
        names: file of names that holds for all recordings; None when there is none.
        screen: file of a person's words on which recordings to keep; None when there is none.
        scrub: file of how dates are scrubbed; None when there is none.
        splits: file of the splits; None when they are to be drawn.
        notes: what a person should look at.
    """

    folder: Path
    recordings: tuple[Recording, ...]
    names: Path | None = None
    screen: Path | None = None
    scrub: Path | None = None
    splits: Path | None = None
    notes: tuple[str, ...] = ()

    def recording(self, name: str) -> Recording:
        """The recording of that name."""
        return next(item for item in self.recordings if item.name == name)


def find_project(folder: str | Path) -> Project:
    """The recordings of a folder; nothing is read yet.

    Raises:
        UsageError: no such folder, no transcript in it, two transcripts of one name, or a file beside them that could belong to several.
    """
    folder = Path(folder)
    if not folder.is_dir():
        message = "there is no such folder; name the folder that holds the transcripts"
        raise UsageError(message, file=str(folder))
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    transcripts = [path for path in files if path.suffix.lower() in KINDS and not _beside(path)]
    odd = [path for path in transcripts if not path.name.isprintable()]
    transcripts = [path for path in transcripts if path not in odd]
    if not transcripts:
        message = f"no transcript ({', '.join(KINDS)}) stands in this folder"
        raise UsageError(message, file=str(folder))
    stems = [normalize("NFC", path.stem) for path in transcripts]
    twice = sorted({stem for stem in stems if stems.count(stem) > 1})
    if twice:
        message = f"several transcripts have one name ({twice[0]}); keep one of them, or rename it"
        raise UsageError(message, file=str(folder))
    alone = len(transcripts) == 1
    if not alone:
        for path in files:
            if path.name in {name for names in _BESIDE.values() for name in names} and path.name not in _WHOLE:
                message = f"the folder holds several recordings; put the recording's name before it (NAME.{path.name})"
                raise UsageError(message, file=str(path))
    recordings = tuple(_recording(path, folder, alone=alone) for path in transcripts)
    used = {path for item in recordings for path in (item.transcript, *item.files(*_BESIDE))}
    whole = {name: folder / name for name in _WHOLE if (folder / name).is_file()}
    stems = [item.transcript.stem for item in recordings]
    strange = [path for path in files if path not in used and path.name not in whole and _meant(path, stems)]
    return Project(
        folder=folder,
        recordings=recordings,
        names=None if alone else whole.get("names.txt"),
        screen=whole.get("screen.yaml"),
        scrub=whole.get("scrub.yaml"),
        splits=whole.get("splits.json"),
        notes=(
            *(f"{path.name} is a file of no transcript, or not named as one, and is not used" for path in strange),
            *(f"{path.name!a} was not read: its name holds characters that cannot be shown; rename it" for path in odd),
        ),
    )


def _meant(path: Path, stems: Sequence[str]) -> bool:
    """Whether an unused file was meant to be used: named as one of ours, or nearly, or as one of a recording's."""
    if path.suffix.lower() in _LIKE_OURS and any(path.name.startswith(f"{stem}.") for stem in stems):
        return path.suffix.lower() != ".txt" or path.stem not in stems
    return _beside(path) or _beside(path.with_name(path.name.lower())) or path.suffix.lower() in (".yaml", ".yml")


def _beside(path: Path) -> bool:
    return any(path.name == name or path.name.endswith(f".{name}") for names in _BESIDE.values() for name in names) or (
        path.name in _WHOLE
    )


def _recording(path: Path, folder: Path, *, alone: bool) -> Recording:
    def find(kind: str) -> Path | None:
        names = [f"{path.stem}.{name}" for name in _BESIDE[kind]] + (list(_BESIDE[kind]) if alone else [])
        return next((folder / name for name in names if (folder / name).is_file()), None)

    return Recording(
        name=normalize("NFC", path.stem),
        transcript=path,
        roles=find("roles"),
        cases=find("cases"),
        slides=find("slides"),
        names=find("names"),
        read=find("read"),
    )
