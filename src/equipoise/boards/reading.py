"""What every reader of board files shares: rows with their line, one clear problem a fault, nothing else lost."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeVar

from equipoise.errors import InputError, UsageError
from equipoise.ids import bytes_hash
from equipoise.outcomes.readers import parse_json

T = TypeVar("T")
Choice = TypeVar("Choice", bound=StrEnum)

MOST_BYTES = 1024**3
"""Largest file read, unpacked; a longer one is refused, so that a packed file cannot fill the memory."""

LARGEST = 1e12
"""No number of these files is as large; a larger one is a fault of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why one row could not be read. It never repeats the text of a case.

    Attributes:
        file: the file, as the user named it.
        message: what is wrong and what was expected.
        line: 1-based line; None when the fault has none.
        field: the field; None for the whole row.
    """

    file: str
    message: str
    line: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        return str(InputError(self.message, file=self.file, line=self.line, field=self.field))


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded(Generic[T]):
    """What a file gave.

    Attributes:
        items: what could be read, in the order of the file.
        problems: what could not, in the order of the file.
        notes: what was left unread on purpose.
        sha256: hash of the file's bytes; empty for a folder.
    """

    items: tuple[T, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    sha256: str = ""


class Fields:
    """One row, asked field by field; a wrong field raises an error that names it."""

    def __init__(self, values: Mapping[str, Any], *, prefix: str = "") -> None:
        self.values = values
        self.prefix = prefix

    def fail(self, message: str, name: str) -> InputError:
        """An error at a field of this row."""
        return InputError(message, field=f"{self.prefix}{name}")

    def text(self, name: str, *, required: bool = True) -> str:
        """A text; empty for a missing one that is not required.

        Raises:
            InputError: missing, blank or not a text.
        """
        value = self.values.get(name)
        if value is None and not required:
            return ""
        if not isinstance(value, str):
            message = f"expected a text, found {kind_of(value)}"
            raise self.fail(message, name)
        if required and not value.strip():
            message = "expected a text, found nothing"
            raise self.fail(message, name)
        return value

    def number(self, name: str) -> float | None:
        """A finite number; None when missing or null.

        Raises:
            InputError: not a number.
        """
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            message = f"expected a number, found {kind_of(value)}"
            raise self.fail(message, name)
        if not abs(value) < LARGEST:
            message = "expected a finite number of ordinary size"
            raise self.fail(message, name)
        return float(value)

    def span(self, start: str, end: str) -> tuple[float | None, float | None]:
        """Two times in seconds, in order.

        Raises:
            InputError: negative, or the end lies before the start.
        """
        first, last = self.number(start), self.number(end)
        if first is not None and first < 0:
            message = f"expected seconds from 0, found {first:g}"
            raise self.fail(message, start)
        if first is not None and last is not None and last < first:
            message = f"the end ({last:g} s) lies before the start ({first:g} s)"
            raise self.fail(message, end)
        return first, last

    def choice(self, name: str, choices: type[Choice], *, leave_out: Collection[Choice] = ()) -> Choice:
        """One of a list of words.

        Raises:
            InputError: another word; the message lists those that exist.
        """
        return pick(self.text(name), choices, self.fail, name, leave_out=leave_out)

    def list_of(self, name: str, *, required: bool = False) -> list[Any]:
        """A list; empty when missing.

        Raises:
            InputError: not a list, or missing although required.
        """
        value = self.values.get(name)
        if value is None and not required:
            return []
        if not isinstance(value, list):
            message = f"expected a list, found {kind_of(value)}"
            raise self.fail(message, name)
        return value

    def part(self, name: str) -> Fields:
        """An object inside this one.

        Raises:
            InputError: not an object.
        """
        return Fields(self.object(self.values.get(name), name), prefix=f"{self.prefix}{name}.")

    def parts(self, name: str) -> Iterator[Fields]:
        """The objects of a list inside this one; none when missing."""
        for place, value in enumerate(self.list_of(name)):
            label = f"{name}[{place}]"
            yield Fields(self.object(value, label), prefix=f"{self.prefix}{label}.")

    def object(self, value: Any, name: str) -> Mapping[str, Any]:
        """The value, when it is an object."""
        if not isinstance(value, dict):
            message = f"expected an object, found {kind_of(value)}"
            raise self.fail(message, name)
        return value


def pick(
    text: str,
    choices: type[Choice],
    fail: Callable[[str, str], InputError],
    name: str,
    *,
    leave_out: Collection[Choice] = (),
) -> Choice:
    """The member a text names.

    Raises:
        InputError: there is none.
    """
    for member in choices:
        if member.value == text.strip() and member not in leave_out:
            return member
    allowed = ", ".join(member.value for member in choices if member not in leave_out)
    message = f"expected one of {allowed}; found {short(text)}"
    raise fail(message, name)


def short(text: str) -> str:
    """A word as it may stand in a message: cut off after 40 characters."""
    return repr(text if len(text) <= 40 else text[:40] + "...")


def kind_of(value: Any) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "nothing"
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), type(value).__name__)


def file_bytes(path: Path) -> tuple[bytes, str, str]:
    """Bytes of a file, unpacked when its name ends in .gz, with the hash of the file as it lies there.

    Returns:
        The bytes, the hash, and what went wrong while unpacking (empty when nothing did): what came before is kept.

    Raises:
        UsageError: there is no such file, it cannot be opened, or it is too large.
    """
    try:
        with path.open("rb") as handle:
            raw = handle.read(MOST_BYTES + 1)
    except FileNotFoundError:
        message = "there is no such file"
        raise UsageError(message, file=str(path)) from None
    except OSError as error:
        message = f"the file cannot be opened ({error.strerror or 'unknown reason'})"
        raise UsageError(message, file=str(path)) from None
    data, trouble = (raw, "") if path.suffix != ".gz" else _unpack(raw)
    if len(raw) > MOST_BYTES or len(data) > MOST_BYTES:
        message = f"larger than {MOST_BYTES // 1024**2} MiB; split the file"
        raise UsageError(message, file=str(path))
    return data, bytes_hash(raw), trouble


def _unpack(raw: bytes) -> tuple[bytes, str]:
    chunks, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as handle:
            while size <= MOST_BYTES and (chunk := handle.read1(65536)):
                chunks.append(chunk)
                size += len(chunk)
    except EOFError:
        return b"".join(chunks), "the packed file ends too early; rows after this point are lost, fetch it again"
    except (OSError, zlib.error):
        return b"".join(chunks), "the packed file is damaged; rows after this point are lost, fetch it again"
    return b"".join(chunks), ""


def read_rows(
    path: str | Path, build: Callable[[Fields], T], *, key: tuple[str, Callable[[T], str]] | None = None
) -> Loaded[T]:
    """Every line of a JSONL file (plain or .gz), built into an item.

    Args:
        path: the file.
        build: makes an item of a row, or raises InputError.
        key: field and function of an id that must not come twice; the first of two is kept.

    Raises:
        UsageError: the file cannot be opened.
    """
    path = Path(path)
    data, digest, trouble = file_bytes(path)
    lines = data.split(b"\n")
    if trouble and lines:
        lines.pop()  # cut off in the middle
    return _collect(_json_rows(lines, str(path)), build, path, digest, trouble, key, len(lines) + 1)


def _json_rows(lines: Sequence[bytes], file: str) -> Iterator[tuple[int, Mapping[str, Any] | InputError]]:
    for number, raw in enumerate(lines, start=1):
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            if not text.strip():
                continue
            value = parse_json(text, file=file, line=number)
        except UnicodeDecodeError as error:
            message = f"not UTF-8 text (byte {error.start + 1} of the line)"
            yield number, InputError(message)
            continue
        except InputError as error:
            yield number, error
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            message = f"expected one JSON object a line, found {kind_of(value)}"
            yield number, InputError(message)


def read_csv_rows(
    path: str | Path,
    build: Callable[[Fields], T],
    *,
    columns: Sequence[str],
    known: Callable[[str], bool],
    key: tuple[str, Callable[[T], str]] | None = None,
) -> Loaded[T]:
    """Every row of a CSV file with a header, built into an item; blank cells are empty texts.

    Args:
        path: the file, UTF-8.
        build: makes an item of a row, or raises InputError.
        columns: columns that must be there.
        known: says of a column whether the reader reads it; the others are listed in the notes.
        key: field and function of an id that must not come twice.

    Raises:
        UsageError: the file cannot be opened.
        InputError: it is not UTF-8, or a column is missing.
    """
    path = Path(path)
    data, digest, trouble = file_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = "not UTF-8 text; save the file as UTF-8"
        raise InputError(message, file=str(path), line=data[: error.start].count(b"\n") + 1) from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        header = [name or "" for name in reader.fieldnames or ()]
    except csv.Error as error:
        message = f"the header cannot be read ({error})"
        raise InputError(message, file=str(path), line=1) from None
    missing = [name for name in columns if name not in header]
    twice = sorted({name for name in header if header.count(name) > 1})
    if missing or twice:
        found = f"columns are missing: {', '.join(missing)}" if missing else f"columns come twice: {', '.join(twice)}"
        raise InputError(found, file=str(path), line=1)
    loaded = _collect(_table_rows(reader, len(header)), build, path, digest, trouble, key, None)
    notes = tuple(f"column {name} was not read" for name in header if not known(name))
    return Loaded(items=loaded.items, problems=loaded.problems, notes=notes, sha256=digest)


def _table_rows(reader: csv.DictReader[str], width: int) -> Iterator[tuple[int, Mapping[str, Any] | InputError]]:
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            message = f"the row cannot be read ({error})"
            yield reader.line_num, InputError(message)
            continue
        if None in row or None in row.values():
            message = f"expected {width} cells"
            yield reader.line_num, InputError(message)
        else:
            yield reader.line_num, row


def _collect(
    rows: Iterator[tuple[int, Mapping[str, Any] | InputError]],
    build: Callable[[Fields], T],
    path: Path,
    digest: str,
    trouble: str,
    key: tuple[str, Callable[[T], str]] | None,
    last: int | None,
) -> Loaded[T]:
    items: list[T] = []
    problems: list[Problem] = []
    seen: dict[str, int] = {}
    for line, row in rows:
        try:
            if isinstance(row, InputError):
                raise row
            item = build(Fields(row))
            if key is not None:
                name = key[1](item)
                if name in seen:
                    message = f"{short(name)} is already on line {seen[name]}; the first is kept"
                    raise InputError(message, field=key[0])
                seen[name] = line
        except InputError as error:
            problems.append(Problem(file=str(path), message=error.message, line=line, field=error.field))
            continue
        items.append(item)
    if trouble:
        problems.append(Problem(file=str(path), message=trouble, line=last))
    return Loaded(items=tuple(items), problems=tuple(problems), sha256=digest)


def read_json_file(path: str | Path) -> tuple[Any, str]:
    """The value of a JSON file and the hash of its bytes.

    Raises:
        UsageError: it cannot be opened.
        InputError: not UTF-8 or not JSON.
    """
    path = Path(path)
    data, digest, trouble = file_bytes(path)
    if trouble:
        raise InputError(trouble, file=str(path))
    try:
        return parse_json(data.decode("utf-8-sig"), file=str(path)), digest
    except UnicodeDecodeError:
        message = "not UTF-8 text; save the file as UTF-8"
        raise InputError(message, file=str(path)) from None


def plain_name(text: str) -> bool:
    """Whether a text can stand as a file name without leading anywhere else."""
    return bool(text) and text not in (".", "..") and not set(text) & set("/\\:\0") and text.isprintable()


def inside(text: str) -> bool:
    """Whether a relative path stays inside its folder."""
    parts = text.replace("\\", "/").split("/")
    return (
        bool(text)
        and text.isprintable()
        and not text.startswith(("/", "\\", "~"))
        and ".." not in parts
        and ":" not in parts[0]
    )


def to_line(value: Mapping[str, Any]) -> str:
    """One JSON object as a line of a file."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"
