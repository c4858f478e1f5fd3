"""Stage 11: identifiers become surrogates, the same over everything of a recording; quotes are checked again afterwards.

Rules look first. Where a model is there it reads the texts too, and what it names and a check lets pass is replaced as well.
The keys to the surrogates stand in files of their own, for their owner alone.
The rules do not find everything: the report says what is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from equipoise.boards.curation import second_reader
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
from equipoise.boards.reading import file_bytes
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
_TITLE = re.compile(r"^(?:(?:dr|prof|mr|mrs|ms)\.? +)+", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][a-z'\u2019-]+(?: [A-Z][a-z'\u2019-]+){0,2}")
_NO_NAME = re.compile(
    r"speaker|oncolog|radiolog|patholog|surge|nurse|tumou?r|board|moderator|chair|host|guest|genetic|medic|trial|doctor|panel",
    re.IGNORECASE,
)


def person_label(label: str) -> str:
    """The name in a speaker's label; empty when it is no name of a person."""
    if label == UNKNOWN or label_role(label) is not None:
        return ""
    name = _TITLE.sub("", label.strip())
    titled = name != label.strip()
    if not _NAME.fullmatch(name) or _NO_NAME.search(name):
        return ""
    return name if titled or " " in name else ""


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
    texts: dict[str, str] = {}
    cases = by(work.rows("segment/cases"), "recording")
    built_of = {
        name: [_case(row, tables, turns_of(work.rows("roles/turns"), row["case"])) for row in limits]
        for name, limits in cases.items()
    }
    second = await _second(work, {name: _texts(name, built) for name, built in built_of.items()}, rejects)
    for place, (name, limits) in enumerate(cases.items(), start=1):
        built = built_of[name]
        known = _known(work, name, built, rejects, second.found.get(name, ()))
        seed = int(content_hash([work.secret, name])[:15], 16)
        try:
            found = scrub(_texts(name, built), seed=seed, known=known)
        except InputError as error:
            detail = f"the identifiers could not be scrubbed: {error.message}"
            rejects.extend(Reject(unit=row["case"], reason=Reason.STAGE_FAILED, detail=detail) for row in limits)
            continue
        write_key(work.folder / KEYS / f"{name}.json", found, seed=seed)
        looked = "rules and model" if name in second.read else "rules"
        reader = _reader(work.project.recording(name), found.hash, rejects)
        renamed = found.texts["recording"] != _spaced(name)
        if renamed:
            notes.append(
                f"the name of a recording holds an identifier; it is called recording-{place:02d} from here on"
            )
        shown_name = f"recording-{place:02d}" if renamed else name
        for number, case in enumerate(built, start=1):
            row = _scrubbed(case, found, shown_name, number, rejects)
            rows.append({**row, "scrub": {**row["scrub"], "by": looked, "read_by": reader}})
        if found.report.left:
            notes.append(
                f"{shown_name}: {len(found.report.left)} places look like identifiers and were left; "
                f"read {work.folder.name}/report-{place:02d}.json"
            )
        notes.extend(f"{shown_name}: {note}" for note in found.report.notes)
        if not reader:
            notes.append(f"{shown_name}: replaced by {looked}; no person has confirmed to have read the scrubbed texts")
        head = {"recording": shown_name, "looked_at_by": looked, "read_by": reader, "texts_hash": found.hash}
        texts[f"report-{place:02d}.json"] = value_text({**head, **stable_form(found.report)})
    return Done(
        tables={"cases": rows},
        texts=texts,
        rejects=rejects,
        notes=[*notes, *second.notes],
        open=second.open,
        unit="cases",
        entered=len(work.rows("segment/cases")),
        kept=len(rows),
    )


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
            value = yaml.safe_load(file_bytes(path)[0].decode("utf-8-sig"))
        except (InputError, UnicodeDecodeError, yaml.YAMLError):
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
    case: Mapping[str, Any], found: ScrubResult, recording: str, number: int, rejects: list[Reject]
) -> dict[str, Any]:
    """A case with its texts replaced, its speakers numbered, and its quotes checked again."""
    name = case["case"]

    def new(key: str) -> str:
        return found.texts[f"{name}/{key}"]

    speakers = list(dict.fromkeys(item["speaker"] for item in case["turns"] if item["speaker"] != UNKNOWN))
    labels = {label: f"speaker {place}" for place, label in enumerate(speakers, start=1)} | {UNKNOWN: UNKNOWN}
    turns = [{**item, "text": new(f"turn/{item['id']}"), "speaker": labels[item["speaker"]]} for item in case["turns"]]
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
        "case": f"{recording}-c{number}",
        "recording": recording,
        "start": case["start"],
        "end": case["end"],
        "limits_by": case["limits_by"],
        "text": {**case["text"], "text": new("text")} if case["text"] else None,
        "slides": [{**item, "caption": new(f"slide/{item['id']}")} for item in case["slides"]],
        "turns": turns,
        "questions": [item for item in questions if stands(item["answer"], item["utterance"], item["id"])],
        "conclusion": end,
        "scrub": {"version": VERSION, "hash": found.hash},
    }


def _known(
    work: Work,
    recording: str,
    cases: Iterable[Mapping[str, Any]],
    rejects: list[Reject],
    second: Iterable[tuple[str, str]],
) -> Known:
    """Names of the files of names, of the speakers' labels, and what the second reader named."""
    names: dict[str, list[str]] = {kind: [] for kind in _KINDS.values()}
    item: Recording = work.project.recording(recording)
    for path in [*item.files("names"), *([work.project.names] if work.project.names else [])]:
        for kind, name in _listed(path, recording, rejects):
            names[_KINDS[kind]].append(name)
    for kind, name in second:
        names[second_reader.KINDS[kind]].append(name)
    labels = {turn["speaker"] for case in cases for turn in case["turns"]}
    names["clinicians"] += sorted(found for label in labels if (found := person_label(label)))
    return Known(**{kind: tuple(dict.fromkeys(found)) for kind, found in names.items()})


def _listed(path: Path, recording: str, rejects: list[Reject]) -> list[tuple[str, str]]:
    try:
        lines = file_bytes(path)[0].decode("utf-8-sig").splitlines()
    except (InputError, UnicodeDecodeError):
        detail = "expected a text file in UTF-8, one name a line"
        rejects.append(Reject(unit=recording, item=path.name, reason=Reason.FILE_UNREADABLE, detail=detail))
        return []
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
        *(path for item in project.recordings for path in item.files("names", "read")), *([project.names] if project.names else [])
    ],
)  # fmt: skip
