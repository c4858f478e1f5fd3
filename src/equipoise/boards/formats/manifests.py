"""Prepared inputs of OpenTumorBoard (`test_inputs/*.jsonl`): what a system is sent, in one arm.

Source: `sharegpt()` of `src/build_benchmark.py` at commit 94ef520. A manifest of images pairs each image marker with one picture. A row
that carries the reference is refused: the system would be shown the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from equipoise.boards.formats.opentumorboard import IMAGE, image_paths
from equipoise.boards.reading import Fields, Loaded, read_rows, short
from equipoise.boards.vocabulary import Arm
from equipoise.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestItem:
    """One prepared input.

    Attributes:
        id: id of the case or question.
        recording: the meeting.
        case_id: id of the case in its recording.
        arm: captions, or images.
        prompt_version: name of the prompt.
        system: the system message.
        user: the user message, with its image markers.
        images: relative paths, one for each marker; empty in the caption arm.
    """

    id: str
    recording: str
    case_id: str
    arm: Arm
    prompt_version: str
    system: str
    user: str
    images: tuple[str, ...]


def read_manifest(path: str | Path, *, arm: Arm | None = None) -> Loaded[ManifestItem]:
    """The inputs of a manifest, all of one arm.

    Args:
        path: the file, plain or packed.
        arm: the arm asked for: rows of another are left out and noted. None takes the one arm the file has.

    Raises:
        UsageError: the file cannot be opened.
        InputError: the file holds both arms and none was asked for.
    """
    loaded = read_rows(path, _item, key=("id", lambda item: item.id))
    arms = {item.arm for item in loaded.items}
    if arm is None:
        if len(arms) > 1:
            message = "the file holds captions and images; the arms are never merged, so ask for one of them"
            raise InputError(message, file=str(path))
        return loaded
    kept = tuple(item for item in loaded.items if item.arm is arm)
    left = len(loaded.items) - len(kept)
    notes = (f"{left} rows of the other arm were left out",) if left else ()
    return Loaded(items=kept, problems=loaded.problems, notes=notes, sha256=loaded.sha256)


def _item(row: Fields) -> ManifestItem:
    meta = row.part("metadata")
    key = "simulation_id" if "simulation_id" in meta.values else "qa_id"
    name = row.text("id")
    if meta.text(key) != name:
        message = f"{short(name)} is not metadata.{key}"
        raise row.fail(message, "id")
    turns = row.list_of("conversations", required=True)
    senders = [turn.get("from") if isinstance(turn, dict) else None for turn in turns]
    if senders != ["system", "human"]:
        message = "expected one message of the system and one of a human"
        raise row.fail(message, "conversations")
    system, user = (Fields(turn, prefix="conversations.").text("value") for turn in turns)
    leaked = next((field for field in meta.values if field.startswith("reference_conclusion")), None)
    if leaked is not None:
        message = "the reference stands in the input; take it out, or the system is shown the answer"
        raise meta.fail(message, leaked)
    images: tuple[str, ...] = ()
    if "images" in row.values:
        images = image_paths(row)
        markers = user.count(IMAGE)
        if markers != len(images):
            message = (
                f"{markers} markers and {len(images)} image{'' if len(images) == 1 else 's'}; each marker needs one"
            )
            raise row.fail(message, "images")
    return ManifestItem(
        id=name,
        recording=meta.text("video_uid"),
        case_id=meta.text("case_id"),
        arm=Arm.IMAGES if "images" in row.values else Arm.CAPTIONS,
        prompt_version=row.text("prompt_version", required=False),
        system=system,
        user=user,
        images=images,
    )
