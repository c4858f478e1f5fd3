"""Stage 9: the user's captions, put to cases and turns by their times. No model is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from equipoise.boards.curation.answers import plain
from equipoise.boards.curation.own_files import read_table
from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.stages.base import Done, Reject, Stage, Work
from equipoise.boards.curation.stages.rows import turns_of
from equipoise.boards.model import Slide, slides_at
from equipoise.boards.reading import Fields, inside, read_json_file
from equipoise.errors import InputError

_CLOCK = re.compile(r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d(?:[.,]\d{1,3})?)")


async def run(work: Work) -> Done:
    """Puts every caption to the case, and to the turns, during which its slide was shown."""
    rejects: list[Reject] = []
    notes: list[str] = []
    slides = {item.name: _read(item.name, item.slides, rejects, notes) for item in work.project.recordings}
    rows: list[dict[str, Any]] = []
    aligned: list[dict[str, Any]] = []
    used: set[tuple[str, str]] = set()
    for case in work.rows("segment/cases"):
        own = slides.get(case["recording"], ())
        names = slides_at(own, case["start"], case["end"])
        shown = tuple(slide for slide in own if slide.id in names)
        used.update((case["recording"], slide.id) for slide in shown)
        rows.extend(
            {"case": case["case"], "id": slide.id, "caption": slide.caption, "start": slide.start, "end": slide.end}
            | ({"image": slide.image} if slide.image else {})
            for slide in shown
        )
        for turn in turns_of(work.rows("roles/turns"), case["case"]):
            found = slides_at(own, turn.start, turn.end)
            if found:
                aligned.append(
                    {"case": case["case"], "turn": turn.id, "slides": [name for name in found if name in names]}
                )
    for name, own in slides.items():
        rejects.extend(
            Reject(
                unit=name, item=slide.id, reason=Reason.SLIDE_OUTSIDE, detail="its time lies in no case, or it has none"
            )
            for slide in own
            if (name, slide.id) not in used
        )
    return Done(
        tables={"slides": rows, "turns": aligned},
        rejects=rejects,
        notes=notes,
        unit="slides",
        entered=sum(len(own) for own in slides.values()),
        kept=len(used),
    )


def _read(name: str, path: Path | None, rejects: list[Reject], notes: list[str]) -> tuple[Slide, ...]:
    if path is None:
        return ()
    try:
        values = list(_values(path))
    except InputError:
        detail = "expected a list of slides with id, caption, start and end, in JSON or CSV"
        rejects.append(Reject(unit=name, item=path.name, reason=Reason.FILE_UNREADABLE, detail=detail))
        notes.append(f"{path.name} cannot be read, and nothing of it was taken: {detail}")
        return ()
    found: dict[str, Slide] = {}
    for number, value in enumerate(values, start=1):
        try:
            slide = _slide(value, number)
            if slide.id in found:
                message = "a second slide of this id"
                raise InputError(message)
            found[slide.id] = slide
        except InputError as error:
            detail = f"{error.field}: {error.message}" if error.field else error.message
            rejects.append(Reject(unit=name, item=f"slide {number}", reason=Reason.SLIDE_UNREADABLE, detail=detail))
    return tuple(sorted(found.values(), key=lambda slide: (slide.start is None, slide.start or 0.0)))


def _values(path: Path) -> Iterator[Any]:
    if path.suffix == ".csv":
        yield from (row for _, row in read_table(path, "caption"))
        return
    value, _ = read_json_file(path)
    value = value.get("slides") if isinstance(value, dict) else value
    if not isinstance(value, list):
        message = "expected a list of slides"
        raise InputError(message)
    yield from value


def _slide(value: Any, number: int) -> Slide:
    row = Fields(Fields({}).object(value, "slide"))
    times = {name: _seconds(row, _first(row.values, name, f"{name}_sec")) for name in ("start", "end")}
    start, end = Fields(times).span("start", "end")
    image = row.text("image", required=False) or None
    if image is not None and not inside(image):
        message = "a path leads outside the folder, or is no path"
        raise row.fail(message, "image")
    label = _first(row.values, "id", "slide_id")
    given = row.values.get(label)
    name = plain(given) if isinstance(given, str) else str(given) if isinstance(given, int) else ""
    caption = plain(row.values.get("caption"))
    if not caption:
        message = "expected a caption, found none"
        raise row.fail(message, "caption")
    return Slide(id=name or f"slide-{number}", caption=caption, start=start, end=end, image=image)


def _first(values: Mapping[str, Any], *names: str) -> str:
    return next((name for name in names if values.get(name) not in (None, "")), names[0])


def _seconds(row: Fields, name: str) -> float | None:
    """Seconds, given as such or as a time of the clock."""
    value = row.values.get(name)
    if not isinstance(value, str):
        return row.number(name)
    if not value.strip():
        return None
    found = _CLOCK.fullmatch(value.strip())
    if found:
        return int(found[1] or 0) * 3600 + int(found[2]) * 60 + float(found[3].replace(",", "."))
    try:
        number = float(value)
    except ValueError:
        message = "expected seconds, or a time as HH:MM:SS"
        raise row.fail(message, name) from None
    return Fields({name: number}).number(name)


STAGE = Stage(
    number=9,
    id="captions",
    version="2",
    inputs=("segment/cases", "roles/turns"),
    run=run,
    files=lambda project: [path for item in project.recordings for path in item.files("slides")],
)
