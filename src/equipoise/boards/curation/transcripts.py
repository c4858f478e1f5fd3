"""Transcripts as speech recognition writes them: WebVTT, SRT, WhisperX JSON, and the pipeline's own utterances.

Sources: WebVTT (w3.org/TR/webvtt1), cue times, voice spans, NOTE, STYLE and REGION blocks; SubRip as commonly written; WhisperX's
`segments` with `words`; OpenTumorBoard's `transcript.with_speakers.json` (`src/role.py`, commit 94ef520). A broken cue is named and left
out, the rest is kept. No message repeats what was said.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, TypeGuard

from equipoise.boards.model import Turn
from equipoise.boards.reading import LARGEST, Fields, Loaded, Problem, file_bytes, read_json_file
from equipoise.boards.vocabulary import Role
from equipoise.errors import InputError, UsageError

UNKNOWN = "unknown"
"""Label of a speaker whom the transcript does not name; two such cues need not be of one voice."""

_TIME = re.compile(r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"</?[a-z][^<>]*>|<(?:\d{1,4}:)?\d\d:\d\d\.\d{3}>", re.IGNORECASE)
"""Marks of a cue, and its inner times; "<2 cm" is none."""
_LABEL = r"(?:SPEAKER_\d+|(?:Dr|Prof)\.? ?[A-Z][\w.' -]{0,40}|[A-Z][A-Z0-9_.' -]{1,40})"
_PREFIX = re.compile(rf"^(?:({_LABEL}):|\[({_LABEL})\]:?)\s+")
_NO_LABEL = frozenset(
    "CT MRI MR PET PSA CEA AFP LDH BMI EGFR ALK ROS1 KRAS NRAS BRAF HER2 RET MET NTRK BRCA PD-L1 TNM UICC AJCC ECOG FISH IHC NGS MSI MMR "
    "TMB LVEF ECG ER PR KI-67".split()
)
"""Abbreviations that stand before a colon in speech and name no speaker."""
_NAMED = re.compile(r"^([^\W\d_a-z\u00df-\u00ff][\w.'\u2019-]*(?: \(?[^\W_][\w.'\u2019()-]*){0,4}): +(?=\S)")
"""A name before a colon, as meeting programs write it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A stretch of speech.

    Attributes:
        start: in seconds.
        end: in seconds.
        speaker: label of the speaker; `UNKNOWN` when there is none.
        text: what was said.
    """

    start: float
    end: float
    speaker: str
    text: str


def read_transcript(path: str | Path) -> Loaded[Cue]:
    """The cues of a transcript, ordered by their start.

    Args:
        path: ends in .vtt, .srt or .json.

    Returns:
        What could be read, a problem for each broken cue, and notes on missing speakers and overlapping times.

    Raises:
        UsageError: no such file, or another ending.
        InputError: not UTF-8, or JSON of another form.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind == ".json":
        cues, problems, digest = _json_cues(path)
    elif kind in (".vtt", ".srt"):
        data, digest, _ = file_bytes(path)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            message = "not UTF-8 text; save the file as UTF-8"
            raise InputError(message, file=str(path), line=data[: error.start].count(b"\n") + 1) from None
        cues, problems = _text_cues(text, str(path), vtt=kind == ".vtt")
    else:
        message = f"expected a .vtt, .srt or .json file, found {kind or 'no ending'}"
        raise UsageError(message, file=str(path))
    if not cues:
        problems.append(Problem(file=str(path), message="there is no cue that could be read"))
    ordered = sorted(cues, key=lambda cue: (cue.start, cue.end))
    return Loaded(items=tuple(ordered), problems=tuple(problems), notes=_notes(ordered), sha256=digest)


def _notes(cues: Sequence[Cue]) -> tuple[str, ...]:
    found = []
    unnamed = sum(cue.speaker == UNKNOWN for cue in cues)
    if unnamed:
        found.append(f"{unnamed} of {len(cues)} cues name no speaker")
    overlaps = sum(
        later.start < earlier.end and (later.start, later.end) != (earlier.start, earlier.end)
        for earlier, later in pairwise(cues)
    )
    if overlaps:
        found.append(f"{overlaps} cues overlap the one before; cues were ordered by their start")
    return tuple(found)


def _text_cues(text: str, file: str, *, vtt: bool) -> tuple[list[Cue], list[Problem]]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    cues: list[Cue] = []
    problems: list[Problem] = []
    blocks = list(_blocks(lines))
    if vtt:
        if blocks and re.match(r"WEBVTT(?:[ \t]|$)", blocks[0][0][1]):
            blocks.pop(0)
        else:
            problems.append(Problem(file=file, line=1, message="expected WEBVTT on the first line; read all the same"))
    for block in blocks:
        if vtt and re.match(r"(?:NOTE|STYLE|REGION)(?:[ \t]|$)", block[0][1]):
            continue
        place = next((place for place, (_, line) in enumerate(block[:2]) if "->" in line), None)
        line = block[place or 0][0]
        try:
            if place is None or "-->" not in block[place][1]:
                message = "expected a line of two times with --> between them"
                raise InputError(message)
            start, end = _times(block[place][1])
            cues.extend(_spoken(start, end, " ".join(words.strip() for _, words in block[place + 1 :])))
        except InputError as error:
            problems.append(Problem(file=file, line=line, message=error.message))
    return _with_names(cues), problems


def _with_names(cues: list[Cue]) -> list[Cue]:
    """Names before a colon as speakers, where at least half of the cues have one and some name comes again.

    Without that "Impression: a mass" would be a speaker.
    """
    found = {
        place: match for place, cue in enumerate(cues) if cue.speaker == UNKNOWN and (match := _NAMED.match(cue.text))
    }
    names = {match[1] for match in found.values()}
    if 2 * len(found) < len(cues) or len(names) == len(found):
        return cues
    return [
        replace(cue, speaker=found[place][1], text=cue.text[found[place].end() :]) if place in found else cue
        for place, cue in enumerate(cues)
    ]


def _blocks(lines: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    numbered = enumerate(lines, start=1)
    for filled, group in groupby(numbered, key=lambda item: bool(item[1].strip())):
        if filled:
            yield list(group)


def _times(line: str) -> tuple[float, float]:
    left, _, right = line.partition("-->")
    start, end = _seconds(left.strip()), _seconds(right.split()[0] if right.split() else "")
    if end < start:
        message = "the cue ends before it starts"
        raise InputError(message)
    return start, end


def _seconds(text: str) -> float:
    found = _TIME.fullmatch(text)
    if found is None:
        message = "expected a time as HH:MM:SS.mmm"
        raise InputError(message)
    hours, minutes, seconds, part = found.groups()
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{part}")


def _spoken(start: float, end: float, text: str) -> list[Cue]:
    """The cues of one block: one, or one for each voice span."""
    parts = _VOICE.split(text)
    pairs = [(UNKNOWN, parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    found = []
    for voice, raw in pairs:
        words = " ".join(html.unescape(_TAG.sub("", raw)).split())
        speaker = " ".join(html.unescape(voice).split())
        if speaker == UNKNOWN and (label := _PREFIX.match(words)) and (label[1] or label[2]) not in _NO_LABEL:
            speaker, words = label[1] or label[2], words[label.end() :]
        if words:
            found.append(Cue(start=start, end=end, speaker=speaker, text=words))
    if not found:
        message = "the cue has no text"
        raise InputError(message)
    return found


def _json_cues(path: Path) -> tuple[list[Cue], list[Problem], str]:
    value, digest = read_json_file(path)
    name = next((key for key in ("segments", "utterances") if isinstance(value, dict) and key in value), None)
    if name is None or not isinstance(value[name], list):
        message = "expected an object with a list of segments (WhisperX) or utterances"
        raise InputError(message, file=str(path))
    cues: list[Cue] = []
    problems: list[Problem] = []
    for place, part in enumerate(value[name]):
        label = f"{name}[{place}]"
        try:
            row = Fields(Fields({}).object(part, label), prefix=f"{label}.")
            cues.extend(_segment(row) if name == "segments" else [_utterance(row)])
        except InputError as error:
            problems.append(Problem(file=str(path), field=error.field, message=error.message))
    return cues, problems, digest


def _utterance(row: Fields) -> Cue:
    start, end = _needed(row, "start_sec", "end_sec")
    speaker = row.text("speaker_id", required=False).strip()
    named = speaker if speaker and speaker != "UNKNOWN" else UNKNOWN
    return Cue(start=start, end=end, speaker=named, text=" ".join(row.text("text").split()))


def _needed(row: Fields, first: str, second: str) -> tuple[float, float]:
    start, end = row.span(first, second)
    if start is None or end is None:
        message = "expected seconds, found nothing"
        raise row.fail(message, first if start is None else second)
    return start, end


def _segment(row: Fields) -> list[Cue]:
    start, end = _needed(row, "start", "end")
    text = " ".join(row.text("text").split())
    speaker = row.text("speaker", required=False).strip() or UNKNOWN
    words = [item for item in row.list_of("words") if isinstance(item, dict) and isinstance(item.get("word"), str)]
    runs = _runs(words, speaker)
    if len({name for name, _ in runs}) < 2:
        named = runs[0][0] if runs and speaker == UNKNOWN else speaker
        return [Cue(start=start, end=end, speaker=named, text=text)]
    found, before = [], start
    for name, run in runs:
        times = [float(value) for item in run for value in (item.get("start"), item.get("end")) if _is_time(value)]
        first, last = (min(times), max(times)) if times else (before, before)
        before = last
        found.append(Cue(start=first, end=last, speaker=name, text=" ".join(item["word"].strip() for item in run)))
    return found


def _is_time(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < LARGEST


def _runs(words: Sequence[Mapping[str, Any]], speaker: str) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Words by speaker, in order; a word without a speaker belongs to the one before."""
    named: list[tuple[str, Mapping[str, Any]]] = []
    current = speaker
    for item in words:
        label = item.get("speaker")
        current = label if isinstance(label, str) and label else current
        named.append((current, item))
    return [(name, [item for _, item in group]) for name, group in groupby(named, key=lambda pair: pair[0])]


def merge_turns(cues: Sequence[Cue], *, roles: Mapping[str, Role] | None = None, join: bool = True) -> tuple[Turn, ...]:
    """Turns of a transcript: runs of one speaker joined.

    Args:
        cues: in the order spoken.
        roles: role by speaker, as a person corrected it; a speaker without one has an unknown role.
        join: False keeps every cue a turn of its own, as `segment_cases` wants it. Cues of unknown speakers are never joined.
    """
    groups: list[list[Cue]] = []
    for cue in cues:
        if join and groups and cue.speaker != UNKNOWN and groups[-1][-1].speaker == cue.speaker:
            groups[-1].append(cue)
        else:
            groups.append([cue])
    return tuple(
        Turn(
            id=f"u{place:03d}",
            speaker=group[0].speaker,
            role=(roles or {}).get(group[0].speaker, Role.UNKNOWN),
            text=" ".join(cue.text for cue in group),
            start=group[0].start,
            end=max(cue.end for cue in group),
        )
        for place, group in enumerate(groups, start=1)
    )
