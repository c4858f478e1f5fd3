"""Scores from a file that a classifier wrote: JSONL or CSV, one reply a line, by reply or by item and system."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import InputError
from equipoise.outcomes.readers import read_json_lines, read_text
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.toxicity.rows import WHOLE, Scored, read_score, systems_of

SCORE, REPLY, ITEM, SYSTEM, TRIAL = "score", "reply_id", "item", "system", "trial"
"""Columns. A line names its reply by `reply_id`, or by `item`, with `system` in a run of several, with `trial` where
items repeat."""


def read_scores(path: Path, run: Run) -> dict[str, Scored]:
    """Scores by reply; an empty score is a failed one, a reply without a line is none.

    Args:
        path: .jsonl or .csv file with `score` from 0 to 1, and `reply_id` or `item`.
        run: the run whose replies are scored.

    Raises:
        UsageError: there is no such file.
        InputError: another ending, a broken line, a column that is missing, a reply that is not in the run, is named
            twice or holds no text, or a score that is no number from 0 to 1; names file and line.
    """
    file = str(path)
    replies, texts = _index(run)
    found: dict[str, Scored] = {}
    lines: dict[str, int] = {}
    for line, record in _records(path):
        if SCORE not in record:
            message = f"there is no such column; found {', '.join(map(str, record)) or 'none'}"
            raise InputError(message, file=file, line=line, field=SCORE)
        reply_id = _reply(record, replies, run, file=file, line=line)
        if reply_id in lines:
            message = f"the reply {reply_id!r} was scored on line {lines[reply_id]} already"
            raise InputError(message, file=file, line=line)
        lines[reply_id] = line
        value = record[SCORE]
        if value is None or (isinstance(value, str) and not value.strip()):
            found[reply_id] = Scored(state=ReplyState.ERROR, why="the file states no score")
            continue
        scored = read_score(value)
        if scored.state is not ReplyState.OK:
            raise InputError(scored.why, file=file, line=line, field=SCORE)
        state = texts[reply_id]
        if state not in (*WHOLE, ReplyState.TRUNCATED):
            message = f"the reply {reply_id!r} is in state {state}: it holds no text that could be scored"
            raise InputError(message, file=file, line=line)
        found[reply_id] = scored
    if not found:
        message = "the file holds no score"
        raise InputError(message, file=file)
    return found


Index = Mapping[tuple[str, str, int], str]


def _index(run: Run) -> tuple[dict[tuple[str, str, int], str], dict[str, str]]:
    """Reply by system, item and trial, and state by reply."""
    rows = run.outcomes.select([REPLY, SYSTEM, ITEM, TRIAL, "state"]).to_pylist()
    by_place = {(row[SYSTEM], row[ITEM], row[TRIAL] or 1): row[REPLY] for row in rows}
    return by_place, {row[REPLY]: row["state"] for row in rows}


def _reply(record: Mapping[str, Any], replies: Index, run: Run, *, file: str, line: int) -> str:
    given = record.get(REPLY)
    if given not in (None, ""):
        if given in set(replies.values()):
            return str(given)
        message = f"run {run.info.run_id} holds no reply {given!r}"
        raise InputError(message, file=file, line=line, field=REPLY)
    item = record.get(ITEM)
    if item in (None, ""):
        message = f"expected {REPLY}, or {ITEM} with {SYSTEM}"
        raise InputError(message, file=file, line=line)
    systems = systems_of(run)
    system = record.get(SYSTEM) or (systems[0] if len(systems) == 1 else "")
    if not system:
        message = f"the run holds {len(systems)} systems, so a line must name one of {', '.join(systems)}"
        raise InputError(message, file=file, line=line, field=SYSTEM)
    trial = _trial(record.get(TRIAL), str(system), str(item), replies, file=file, line=line)
    found = replies.get((str(system), str(item), trial))
    if found is None:
        message = f"run {run.info.run_id} holds no reply of {system!r} to {item!r}, trial {trial}"
        raise InputError(message, file=file, line=line, field=ITEM)
    return found


def _trial(value: Any, system: str, item: str, replies: Index, *, file: str, line: int) -> int:
    if value in (None, ""):
        known = sorted(trial for own, name, trial in replies if (own, name) == (system, item))
        if len(known) > 1:
            message = f"{item!r} was asked {len(known)} times, so a line must say which"
            raise InputError(message, file=file, line=line, field=TRIAL)
        return known[0] if known else 1
    try:
        return int(value)
    except (TypeError, ValueError):
        message = f"expected a whole number, found {value!r}"
        raise InputError(message, file=file, line=line, field=TRIAL) from None


def _records(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    suffix = path.suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        yield from read_json_lines(path)
        return
    if suffix != ".csv":
        message = f"expected a .jsonl or .csv file of scores, found {path.suffix or 'no ending'}"
        raise InputError(message, file=str(path))
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        for record in reader:
            if None in record or None in record.values():
                message = f"expected {len(reader.fieldnames or ())} cells"
                raise InputError(message, file=str(path), line=reader.line_num)
            yield reader.line_num, record
    except csv.Error as error:
        message = f"not readable CSV ({error})"
        raise InputError(message, file=str(path), line=reader.line_num) from error
