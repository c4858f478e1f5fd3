"""Stage 11: identifiers become surrogates, the same over everything of a recording; quotes are checked again afterwards.

Rules look first. Where a model is there it reads the texts too, and what it names and a check lets pass is replaced as well.
The keys to the surrogates stand in files of their own, for their owner alone.
The rules do not find everything: the report says what is left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from equipoise.boards.curation import second_reader
from equipoise.boards.curation.identifiers.dates import DateMode
from equipoise.boards.curation.identifiers.model import IdentifierKind
from equipoise.boards.curation.own_files import read_text, read_yaml
from equipoise.boards.curation.project import Recording
from equipoise.boards.curation.prompts import fenced
from equipoise.boards.curation.quotes import QuoteState, check_quote
from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.scrub import VERSION, Known, ScrubResult, scrub, write_key
from equipoise.boards.curation.stages.base import Done, Reject, Stage, Work, ask_units, repaired, unasked
from equipoise.boards.curation.stages.roles import label_role
from equipoise.boards.curation.stages.rows import Row, by, turns_of
from equipoise.boards.curation.store import value_text
from equipoise.boards.curation.transcripts import UNKNOWN
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role
from equipoise.errors import InputError
from equipoise.ids import content_hash, stable_form

KEYS = "keys"
"""Folder of the keys, in that of the stage."""

_KINDS = {
    "patient": "patients",
    "clinician": "clinicians",
    "town": "towns",
    "hospital": "hospitals",
    "other": "identifiers",
}
_TITLE = re.compile(r"^(?:(?:dr|prof|mr|mrs|ms|herr|frau|pd)\b\.? *(?:med\. *)?)+", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_]['\u2019-]?[^\W\d_][\w'\u2019-]*(?: [^\W\d_][\w'\u2019-]+){0,3}")
_NO_NAME = re.compile(
    r"speaker|oncolog|radiolog|patholog|surge|nurse|tumou?r|board|moderator|chair|host|guest|genetic|medic|trial|doctor|panel",
    re.IGNORECASE,
)


def person_label(label: str) -> str:
    """The name in a speaker's label; empty when it is no name of a person."""
    if label == UNKNOWN or label_role(label) is not None:
        return ""
    label = re.sub(r"\s*\([^()]*\)$", "", label.strip())
    name = _TITLE.sub("", label)
    titled = name != label
    words = name.split(" ")
    if (
        not _NAME.fullmatch(name)
        or _NO_NAME.search(name)
        or not (words[0][0].isupper() or titled)
        or words[-1].islower()
    ):
        return ""
    return name if titled or len(words) > 1 else ""


async def run(work: Work) -> Done:
    """Scrubs every recording, all its cases together."""
    tables = {
        name: by(work.rows(table), "case")
        for name, table in (
            ("texts", "deleak/texts"),
            ("slides", "deleak/slides"),
            ("questions", "review/questions"),
            ("conclusions", "conclusion/conclusions"),
            ("shown", "captions/turns"),
        )
    }
    rows: list[dict[str, Any]] = []
    rejects: list[Reject] = []
    notes: list[str] = []
    dates: Counter[str] = Counter()
    texts: dict[str, str] = {}
    cases = by(work.rows("segment/cases"), "recording")
    settings = _settings(work, rejects, notes)
    taken = set(cases)
    built_of = {
        name: [_case(row, tables, turns_of(work.rows("roles/turns"), row["case"])) for row in limits]
        for name, limits in cases.items()
    }
    second = await _second(work, {name: _texts(name, built) for name, built in built_of.items()}, rejects)
    for place, (name, limits) in enumerate(cases.items(), start=1):
        built = built_of[name]
        known = _known(work, name, built, rejects, second.found.get(name, ()))
        if known is None or settings is None:
            detail = "a file that says what to replace cannot be read; the case is held back until it can"
            rejects.extend(Reject(unit=row["case"], reason=Reason.FILE_UNREADABLE, detail=detail) for row in limits)
            if known is None:
                notes.append(f"a file of names cannot be read: {len(limits)} cases of one recording are held back")
            continue
        seed = int(content_hash([work.secret, name])[:15], 16)
        try:
            found = scrub(_texts(name, built), seed=seed, known=known, mode=settings.mode, day_first=settings.day_first)
        except InputError as error:
            detail = f"the identifiers could not be scrubbed: {error.message}"
            rejects.extend(Reject(unit=row["case"], reason=Reason.STAGE_FAILED, detail=detail) for row in limits)
            continue
        write_key(work.folder / KEYS / f"{name}.json", found, seed=seed)
        looked = "rules and model" if name in second.read else "rules"
        reader = _reader(work.project.recording(name), found.hash, rejects)
        shown_name = name
        if found.texts["recording"] != _spaced(name):
            shown_name = _stranger(work.secret, name, taken)
            taken.add(shown_name)
            notes.append(f"the name of a recording holds an identifier; it is called {shown_name} from here on")
        for number, case in enumerate(built, start=1):
            row = _scrubbed(case, found, (name, shown_name), number, rejects)
            rows.append({**row, "scrub": {**row["scrub"], "by": looked, "read_by": reader}})
        if found.report.left:
            notes.append(
                f"{shown_name}: {len(found.report.left)} places look like identifiers and were left; "
                f"read {work.folder.name}/report-{place:02d}.json"
            )
        dates["ambiguous"] += found.report.ambiguous_dates
        dates["moved"] += found.report.dates == "shift" and found.report.counts[IdentifierKind.DATE.value] > 0
        if not reader:
            notes.append(f"{shown_name}: replaced by {looked}; no person has confirmed to have read the scrubbed texts")
        head = {"recording": shown_name, "looked_at_by": looked, "read_by": reader, "texts_hash": found.hash}
        texts[f"report-{place:02d}.json"] = value_text({**head, **stable_form(found.report)})
    return Done(
        tables={"cases": rows},
        texts=texts,
        rejects=rejects,
        notes=[*notes, *_about_dates(dates), *second.notes],
        open=second.open,
        unit="cases",
        entered=len(work.rows("segment/cases")),
        kept=len(rows),
    )


def _about_dates(dates: Mapping[str, int]) -> list[str]:
    notes = []
    if dates["moved"]:
        notes.append(
            f"in {dates['moved']} recordings dates were moved, not removed: 45 CFR 164.514(b)(2)(i)(C) asks for the year alone; "
            "write dates: year into scrub.yaml for that"
        )
    if dates["ambiguous"]:
        notes.append(
            f"{dates['ambiguous']} dates could be read with day or month first; month first was taken; "
            "write day_first: true or false into scrub.yaml"
        )
    return notes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    mode: DateMode = "shift"
    day_first: bool | None = None


def _settings(work: Work, rejects: list[Reject], notes: list[str]) -> _Settings | None:
    """What `scrub.yaml` says of dates; None when it cannot be read, since dates might then stay that should not."""
    path = work.project.scrub
    if path is None:
        return _Settings()
    modes: Mapping[str, DateMode] = {"shift": "shift", "year": "year"}
    orders = {"true": True, "false": False}
    try:
        value = read_yaml(path)
    except InputError:
        value = None
    if isinstance(value, dict) and set(value) <= {"dates", "day_first"}:
        mode = modes.get(str(value.get("dates", "shift")))
        order = orders.get(str(value.get("day_first", "")).casefold())
        if mode is not None and (order is not None or "day_first" not in value):
            return _Settings(mode=mode, day_first=order)
    detail = "expected dates: shift or year, and day_first: true or false"
    rejects.append(Reject(unit=path.name, reason=Reason.FILE_UNREADABLE, detail=detail))
    notes.append(f"{path.name} cannot be used, and all cases are held back: {detail}")
    return None


def _stranger(secret: str, name: str, taken: Collection[str]) -> str:
    """A name in place of one that identifies: the same in every run, whatever recordings are added, and of no other recording."""
    mark = content_hash([secret, "recording", name])
    return next(found for size in range(6, len(mark) + 1) if (found := f"recording-{mark[:size]}") not in taken)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Second:
    """What the second reader found.

    Attributes:
        found: kind and words by recording.
        read: recordings of which every part was read.
        notes: what a person should know.
        open: parts that could not be asked.
    """

    found: Mapping[str, list[tuple[str, str]]]
    read: frozenset[str]
    notes: Sequence[str] = ()
    open: int = 0


async def _second(work: Work, recordings: Mapping[str, Mapping[str, str]], rejects: list[Reject]) -> _Second:
    """Asks the model about every part of every recording, where there is one; without it the rules stand alone."""
    assert work.prompt is not None
    assert work.asker is not None
    shown = {
        f"{name}/{place}": part
        for name, own in recordings.items()
        for place, part in enumerate(second_reader.parts(own.values()), start=1)
    }
    users = {unit: work.prompt.filled(material=fenced("texts", part)) for unit, part in shown.items()}
    outcomes = await ask_units(work, users, lambda unit, reply: second_reader.read(unit, reply, shown[unit]))
    found: dict[str, list[tuple[str, str]]] = {}
    unread: set[str] = set()
    for unit, outcome in outcomes.items():
        name = unit.rpartition("/")[0]
        if outcome.asked or work.asker.model_named:
            rejects.extend(outcome.rejects)
        if outcome.read is None:
            unread.add(name)
            continue
        found.setdefault(name, []).extend((row["kind"], row["text"]) for row in outcome.read.rows)
    notes = [*repaired(outcomes)]
    missing = sum(outcome.read is None for outcome in outcomes.values())
    if missing and missing < len(outcomes):
        notes.append(f"{missing} of {len(outcomes)} parts were not read by the model; there the rules stand alone")
    waiting = unasked(outcomes) if work.asker.model_named else 0
    return _Second(found=found, read=frozenset(set(recordings) - unread), notes=notes, open=waiting)


def _reader(item: Recording, texts_hash: str, rejects: list[Reject]) -> str:
    """Who says in NAME.read.yaml to have read these very scrubbed texts; empty when nobody does."""
    for path in item.files("read"):
        try:
            value = read_yaml(path)
        except InputError:
            value = None
        who = value.get("who") if isinstance(value, dict) else None
        if not isinstance(who, str) or not who.strip() or not isinstance(value.get("hash"), str):
            detail = "expected `who` and `hash`"
            rejects.append(Reject(unit=item.name, item=path.name, reason=Reason.FILE_UNREADABLE, detail=detail))
        elif value["hash"].strip() != texts_hash:
            detail = "its hash is not that of the scrubbed texts as they are now; it does not count"
            rejects.append(Reject(unit=item.name, item=path.name, reason=Reason.FILE_UNREADABLE, detail=detail))
        else:
            return " ".join(who.split())
    return ""


def _case(row: Row, tables: Mapping[str, Mapping[str, list[Row]]], turns: tuple[Turn, ...]) -> dict[str, Any]:
    name = row["case"]
    shown = {item["turn"]: item["slides"] for item in tables["shown"].get(name, ())}
    slides = [{**item} for item in tables["slides"].get(name, ())]
    ids = {item["id"] for item in slides}
    return {
        "case": name,
        "start": row["start"],
        "end": row["end"],
        "limits_by": row["by"],
        "text": next((dict(item) for item in tables["texts"].get(name, ())), None),
        "slides": slides,
        "turns": [
            {
                "id": turn.id,
                "speaker": turn.speaker,
                "role": turn.role.value,
                "start": turn.start,
                "end": turn.end,
                "text": turn.text,
                "slides": [item for item in shown.get(turn.id, ()) if item in ids],
            }
            for turn in turns
        ],
        "questions": [dict(item) for item in tables["questions"].get(name, ())],
        "conclusion": next((dict(item) for item in tables["conclusions"].get(name, ())), None),
    }


def _spaced(name: str) -> str:
    return re.sub(r"[_.-]+", lambda found: found[0] if re.search(r"\d$", name[: found.start()]) else " ", name)


def _texts(recording: str, cases: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Everything that is said or written of a recording, by where it stands."""
    found = {"recording": _spaced(recording)}
    for case in cases:
        name = case["case"]
        for key, value in _parts(case):
            found[f"{name}/{key}"] = value
    return found


def _parts(case: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    if case["text"]:
        yield "text", case["text"]["text"]
    for item in case["slides"]:
        yield f"slide/{item['id']}", item["caption"]
        yield f"slide-id/{item['id']}", _spaced(item["id"])
        yield f"image/{item['id']}", _spaced(item.get("image") or "")
    for item in case["turns"]:
        yield f"turn/{item['id']}", item["text"]
    for item in case["questions"]:
        yield f"question/{item['id']}", item["question"]
        yield f"answer/{item['id']}", item["answer"]
    end = case["conclusion"]
    if end:
        yield "conclusion", end["text"]
        for place, quote in enumerate(end["quotes"]):
            yield f"quote/{place}", quote["text"]
        for decision in end["decisions"]:
            yield f"decision/{decision['kind']}", decision["text"]
            for place, quote in enumerate(decision["quotes"]):
                yield f"decision/{decision['kind']}/{place}", quote["text"]


def _scrubbed(
    case: Mapping[str, Any], found: ScrubResult, recording: tuple[str, str], number: int, rejects: list[Reject]
) -> dict[str, Any]:
    """A case with its texts replaced, its speakers numbered, and its quotes checked again.

    Args:
        case: as it was.
        found: of the scrub.
        recording: its name, as the file has it and as it is shown.
        number: of the case in it.
        rejects: takes what was lost.
    """
    name = case["case"]
    given, shown = recording

    def new(key: str) -> str:
        return found.texts[f"{name}/{key}"]

    speakers = list(dict.fromkeys(item["speaker"] for item in case["turns"] if item["speaker"] != UNKNOWN))
    labels = {label: f"speaker {place}" for place, label in enumerate(speakers, start=1)} | {UNKNOWN: UNKNOWN}
    turns = [{**item, "text": new(f"turn/{item['id']}"), "speaker": labels[item["speaker"]]} for item in case["turns"]]
    slides, names = _slides(case, found.texts, rejects)
    turns = [{**item, "slides": [names[one] for one in item["slides"]]} for item in turns]
    spoken = tuple(Turn(id=item["id"], speaker="", role=Role.UNKNOWN, text=item["text"]) for item in turns)

    def stands(text: str, turn: str, item: str) -> bool:
        if check_quote(text, spoken, turn=turn).state is QuoteState.VERBATIM:
            return True
        detail = "the quote no longer stands in its utterance"
        rejects.append(Reject(unit=name, item=item, reason=Reason.QUOTE_LOST_BY_SCRUB, detail=detail))
        return False

    questions = [
        {**item, "question": new(f"question/{item['id']}"), "answer": new(f"answer/{item['id']}")}
        for item in case["questions"]
    ]
    end = case["conclusion"]
    if end:
        quotes = [{**quote, "text": new(f"quote/{place}")} for place, quote in enumerate(end["quotes"])]
        decisions = []
        for item in end["decisions"]:
            key = f"decision/{item['kind']}"
            own = [{**quote, "text": new(f"{key}/{place}")} for place, quote in enumerate(item["quotes"])]
            own = [quote for quote in own if stands(quote["text"], quote["turn"], item["kind"])]
            lost = bool(item["quotes"]) and not own
            decisions.append(
                {"kind": item["kind"], "scope": None, "text": "", "quotes": []}
                if lost
                else {**item, "text": new(key), "quotes": own}
            )
        quotes = [quote for quote in quotes if stands(quote["text"], quote["turn"], "conclusion")]
        end = {**end, "text": new("conclusion"), "quotes": quotes, "decisions": decisions} if quotes else None
    return {
        "case": f"{shown}-c{number}",
        "recording": shown,
        "file": given,
        "start": case["start"],
        "end": case["end"],
        "limits_by": case["limits_by"],
        "text": {**case["text"], "text": new("text")} if case["text"] else None,
        "slides": slides,
        "turns": turns,
        "questions": [item for item in questions if stands(item["answer"], item["utterance"], item["id"])],
        "conclusion": end,
        "scrub": {"version": VERSION, "hash": found.hash},
    }


def _slides(
    case: Mapping[str, Any], texts: Mapping[str, str], rejects: list[Reject]
) -> tuple[list[dict[str, Any]], Mapping[str, str]]:
    """The slides with their captions replaced, and their new ids by the old: an id that identifies becomes a number.

    A picture whose path identifies is left out: it would not be found under another one, and may show the name as well.
    """
    name, rows, ids = case["case"], [], {}
    own = {item["id"] for item in case["slides"]}
    for place, item in enumerate(case["slides"], start=1):
        old = item["id"]
        fits = texts[f"{name}/slide-id/{old}"] == _spaced(old)
        free = (made for number in count(place) if (made := f"slide-{number}") not in own)
        ids[old] = old if fits else next(free)
        own.add(ids[old])
        row = {**item, "id": ids[old], "caption": texts[f"{name}/slide/{old}"]}
        if item.get("image") and texts[f"{name}/image/{old}"] != _spaced(item["image"]):
            del row["image"]
            detail = "the path of the picture holds an identifier; the caption stays, rename the picture"
            rejects.append(Reject(unit=name, item=ids[old], reason=Reason.IMAGE_LEFT_OUT, detail=detail))
        rows.append(row)
    return rows, ids


def _known(
    work: Work,
    recording: str,
    cases: Iterable[Mapping[str, Any]],
    rejects: list[Reject],
    second: Iterable[tuple[str, str]],
) -> Known | None:
    """Names of the files of names, of the speakers' labels, and what the second reader named; None when a file of names cannot be read."""
    names: dict[str, list[str]] = {kind: [] for kind in _KINDS.values()}
    item: Recording = work.project.recording(recording)
    for path in [*item.files("names"), *([work.project.names] if work.project.names else [])]:
        listed = _listed(path, recording, rejects)
        if listed is None:
            return None
        for kind, name in listed:
            names[_KINDS[kind]].append(name)
    for kind, name in second:
        names[second_reader.KINDS[kind]].append(name)
    labels = {turn["speaker"] for case in cases for turn in case["turns"]}
    names["clinicians"] += sorted(found for label in labels if (found := person_label(label)))
    return Known(**{kind: tuple(dict.fromkeys(found)) for kind, found in names.items()})


def _listed(path: Path, recording: str, rejects: list[Reject]) -> list[tuple[str, str]] | None:
    try:
        lines = read_text(path).splitlines()
    except InputError:
        detail = "expected a text file in UTF-8, one name a line"
        rejects.append(Reject(unit=recording, item=path.name, reason=Reason.FILE_UNREADABLE, detail=detail))
        return None
    found = []
    for line in lines:
        kind, colon, name = line.partition(":")
        if colon and kind.strip().casefold() in _KINDS:
            found.append((kind.strip().casefold(), name.strip()))
        elif not line.lstrip().startswith("#"):
            found.append(("patient", line.strip()))
    return [(kind, name) for kind, name in found if name]


STAGE = Stage(
    number=11,
    id="scrub",
    version="2",
    inputs=(
        "segment/cases", "roles/turns", "deleak/texts", "deleak/slides", "review/questions", "conclusion/conclusions",
        "captions/turns",
    ),
    run=run,
    prompt="scrub",
    secret=True,
    files=lambda project: [
        *(path for item in project.recordings for path in item.files("names", "read")),
        *(path for path in (project.names, project.scrub) if path is not None),
    ],
)  # fmt: skip
