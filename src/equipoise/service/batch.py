"""Many documents at once: each is answered, a bad one is its own error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.cases.load import parse_document
from equipoise.errors import CaseError, EquipoiseError, UsageError
from equipoise.service.engine import Asked, Audited, Engine, note_id, to_bytes
from equipoise.service.problems import Problem, problem_of
from equipoise.service.strict import refuse_non_finite

GROUP_ENTRIES = 64
GROUP_BYTES = 256 * 1024
"""Lines that are audited and put on the trail together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchEntry:
    """What one document of a batch came to.

    Attributes:
        place: 1-based place in the batch.
        line: 1-based line, for lines; None for a list.
        audited: its cases.
        problem: why it could not be read; None when it could.
    """

    place: int
    line: int | None = None
    audited: tuple[Audited, ...] = ()
    problem: Problem | None = None


def answer_document(engine: Engine, data: bytes, asked: Asked) -> tuple[Audited, ...]:
    """Audit one document; the form in which a job can be handed to another process."""
    return engine.answer(data, asked)


def answer_list(engine: Engine, data: bytes, asked: Asked, most: int) -> list[BatchEntry]:
    """Audit a JSON list of documents.

    Args:
        engine: audits.
        data: the list.
        asked: how each document is read.
        most: entries that are taken.

    Raises:
        UsageError: it is no JSON list, or too long.
    """
    refuse_non_finite(data, "body")
    values = parse_document(data, "body")
    if isinstance(values, dict) and isinstance(values.get("cases"), list):
        values = values["cases"]
    if not isinstance(values, list):
        message = "expected a JSON list of cases, records or notes, or one JSON object a line"
        raise UsageError(message)
    if len(values) > most:
        message = f"expected at most {most} entries, got {len(values)}"
        raise UsageError(message)
    return [_entry(engine, place, None, value, asked) for place, value in enumerate(values, start=1)]


def answer_lines(engine: Engine, lines: Sequence[tuple[int, int, bytes]], asked: Asked) -> list[BatchEntry]:
    """Audit some lines: place, number of the line, its bytes."""
    found = []
    for place, line, data in lines:
        try:
            if data.lstrip()[:1] == b'"':
                found.append(_entry(engine, place, line, parse_document(data, "line"), asked))
                continue
            found.append(BatchEntry(place=place, line=line, audited=engine.answer(data, asked)))
        except (EquipoiseError, RecursionError) as error:
            found.append(BatchEntry(place=place, line=line, problem=_without_line(problem_of(error))))
    return found


def _entry(engine: Engine, place: int, line: int | None, value: Any, asked: Asked) -> BatchEntry:
    try:
        if isinstance(value, CaseError):
            raise value
        if isinstance(value, str):
            value = {"case_id": note_id(value), "text": value}
        audited = engine.answer(to_bytes(value), asked)
    except (EquipoiseError, RecursionError) as error:
        return BatchEntry(place=place, line=line, problem=_without_line(problem_of(error)))
    return BatchEntry(place=place, line=line, audited=audited)


def _without_line(problem: Problem) -> Problem:
    return Problem(status=problem.status, message=problem.message, field=problem.field)


def groups(lines: Iterator[tuple[int, bytes]]) -> Iterator[list[tuple[int, int, bytes]]]:
    """Lines in groups of a size that keeps others from waiting.

    Args:
        lines: number and bytes of each line that is not empty.
    """
    group: list[tuple[int, int, bytes]] = []
    size = 0
    for place, (line, data) in enumerate(lines, start=1):
        group.append((place, line, data))
        size += len(data)
        if len(group) >= GROUP_ENTRIES or size >= GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def lines_of(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Lines that are not empty, with their numbers; no copy of the whole is made."""
    start = number = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        line = data[start:end]
        start = end + 1
        if line.strip():
            yield number, line
