"""The journal of a run folder: every judgement with its calls, written at once, so that a run cut short goes on.

One JSON object a line. It holds the replies of the judges as received; the table of judgements holds none. A last line
that was cut off by the end of a process is passed over, anything else that cannot be read is an error.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from equipoise.errors import InputError
from equipoise.ids import canonical_json
from equipoise.judging.call import Judgement
from equipoise.judging.plan import Key
from equipoise.judging.reading import READER_VERSION, Judged
from equipoise.outcomes.schema import ReplyState

JOURNAL_FILE = "judge-replies.jsonl"


class Journal:
    """The judgements of a run folder.

    Args:
        folder: the run folder.

    Raises:
        InputError: a line cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / JOURNAL_FILE
        self.entries: dict[Key, dict[str, Any]] = {}
        self._file: IO[bytes] | None = None
        self._whole = 0
        for entry in self._read():
            self.entries[_key(entry)] = entry

    def _read(self) -> Iterator[dict[str, Any]]:
        if not self.path.is_file():
            return
        data = self.path.read_bytes()
        self._whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[: self._whole].split(b"\n")[:-1], start=1):
            try:
                entry = json.loads(line)
                _key(entry)
                judged_of(entry)
            except (ValueError, KeyError, TypeError) as error:
                message = "not a line of the journal of judgements; move the file away to judge all again"
                raise InputError(message, file=str(self.path), line=number) from error
            yield entry

    def add(self, key: Key, rubric: str, judgement: Judgement, *, copied: bool = False) -> None:
        """Write a judgement, at once.

        Args:
            key: what was judged.
            rubric: identifier of the rubric.
            judgement: what the judge said.
            copied: taken over from an equal question; its calls are counted where they were made.
        """
        entry = {
            "reply_id": key[0],
            "judge": key[1],
            "rubric": rubric,
            "rubric_hash": key[2],
            "repeat": key[3],
            "material_hash": judgement.material_hash,
            "reader_version": READER_VERSION,
            "judged": [asdict(item) for item in judgement.verdict.judged],
            "out_of_scope": list(judgement.out_of_scope),
            "attempts": [] if copied else [asdict(item) for item in judgement.attempts],
            "copied": copied,
        }
        self._write(entry)
        self.entries[key] = entry

    def _write(self, entry: Mapping[str, Any]) -> None:
        if self._file is None:
            if self.path.is_file() and self.path.stat().st_size > self._whole:
                with self.path.open("r+b") as file:
                    file.truncate(self._whole)
            self._file = self.path.open("ab")
        self._file.write(canonical_json(_writable(entry)).encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def judged_of(entry: Mapping[str, Any]) -> tuple[Judged, ...]:
    """The answers of an entry."""
    return tuple(Judged(**{**item, "state": ReplyState(item["state"])}) for item in entry["judged"])


def is_open(entry: Mapping[str, Any], again: Collection[str] = ()) -> bool:
    """Whether the same may be asked again: no reply was had at all, or all of it is in a state to be asked again.

    Args:
        entry: the entry.
        again: further states.
    """
    judged = entry["judged"]
    return bool(judged) and all(item["state"] in (ReplyState.ERROR, *again) for item in judged)


def _key(entry: Mapping[str, Any]) -> Key:
    return (str(entry["reply_id"]), str(entry["judge"]), str(entry["rubric_hash"]), int(entry["repeat"]))


def _writable(value: Any) -> Any:
    """The value with lone surrogates replaced, which UTF-8 cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {str(name): _writable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(item) for item in value]
    return value
