"""Reads what other systems answered: one JSON object a line.

A line that cannot be read is an error that names file and line; it is never skipped, because a skipped line is a case
that silently counts for nobody.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import InputError, UsageError
from equipoise.outcomes.schema import ReplyState


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What one system answered to one case.

    Attributes:
        case_id: id of the case.
        label: the answer; None when the state is not `ok`.
        abstain: whether it abstained; None when it does not say.
        missing_fields: fields it calls undocumented; None when it does not say.
        state: whether there is an answer at all.
    """

    case_id: str
    label: str | None = None
    abstain: bool | None = None
    missing_fields: tuple[str, ...] | None = None
    state: ReplyState = ReplyState.OK


def read_text(path: Path) -> str:
    """The file's text.

    Raises:
        UsageError: there is no such file, or it cannot be opened.
        InputError: it is not UTF-8.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        message = "there is no such file"
        raise UsageError(message, file=str(path)) from error
    except OSError as error:
        message = f"the file cannot be opened ({error.strerror or 'unknown reason'})"
        raise UsageError(message, file=str(path)) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = f"not UTF-8 text (byte {error.start}); save the file as UTF-8"
        raise InputError(message, file=str(path), line=line) from error


def parse_json(text: str, *, file: str, line: int | None = None) -> Any:
    """A JSON value; NaN and infinity, which are not JSON, are refused.

    Raises:
        InputError: not JSON.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        message = f"not valid JSON ({error.msg}, character {error.pos + 1})"
        raise InputError(message, file=file, line=line if line is not None else error.lineno) from error
    except _NotJsonError as error:
        message = f"not valid JSON ({error.args[0]} is not a JSON number)"
        raise InputError(message, file=file, line=line) from error
    except (RecursionError, ValueError) as error:
        message = "not readable JSON (nested too deeply, or a number with too many digits)"
        raise InputError(message, file=file, line=line) from error


def read_json_lines(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number (from 1) and object of every line that is not blank.

    Raises:
        UsageError: there is no such file.
        InputError: not UTF-8, a line that is not JSON, or a line that is not an object.
    """
    path = Path(path)
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        value = parse_json(line, file=str(path), line=number)
        if not isinstance(value, dict):
            message = f"expected one JSON object a line, found {_kind(value)}"
            raise InputError(message, file=str(path), line=number)
        yield number, value


def read_predictions(
    path: str | Path, *, labels: Collection[str], field_names: Mapping[str, str] | None = None
) -> tuple[Prediction, ...]:
    """Another system's answers, in the order of the file.

    Accepted keys: `case_id`; `label` or `predicted_label`; `abstain` or `predicted_abstain`; `missing_fields` or
    `predicted_missing_fields`; `state` (a reply state, `ok` when absent). Other keys are ignored.

    Args:
        path: JSONL file.
        labels: the labels that exist; any other is an error.
        field_names: other names of fields, mapped to the names used here.

    Raises:
        UsageError: there is no such file.
        InputError: a broken line, a missing or repeated case_id, an unknown label or state, a wrong type; names file
            and line.
    """
    file = str(path)
    seen: dict[str, int] = {}
    result: list[Prediction] = []
    for line, record in read_json_lines(path):
        prediction = _prediction(record, labels=labels, field_names=field_names or {}, file=file, line=line)
        if prediction.case_id in seen:
            message = f"case_id {prediction.case_id!r} was already answered on line {seen[prediction.case_id]}"
            raise InputError(message, file=file, line=line, field="case_id")
        seen[prediction.case_id] = line
        result.append(prediction)
    return tuple(result)


class _NotJsonError(Exception):
    """A constant that JSON does not have."""


def _refuse_constant(text: str) -> None:
    raise _NotJsonError(text)


def _prediction(
    record: Mapping[str, Any], *, labels: Collection[str], field_names: Mapping[str, str], file: str, line: int
) -> Prediction:
    case_id = record.get("case_id")
    if not isinstance(case_id, str) or not case_id.strip():
        message = f"expected a non-empty text, found {_kind(case_id)}"
        raise InputError(message, file=file, line=line, field="case_id")
    state = _state(record, file=file, line=line)
    label = _pick(record, "label", "predicted_label", file=file, line=line)
    if state is ReplyState.OK:
        if not isinstance(label, str) or label not in labels:
            found = repr(label) if isinstance(label, str) else _kind(label)
            message = f"expected one of {', '.join(labels)}; found {found}"
            raise InputError(message, file=file, line=line, field="label")
    elif label is not None:
        message = f"a reply in state {state.value} has no label; expected null, found {label!r}"
        raise InputError(message, file=file, line=line, field="label")
    abstain = _pick(record, "abstain", "predicted_abstain", file=file, line=line)
    if abstain is not None and not isinstance(abstain, bool):
        message = f"expected true or false, found {_kind(abstain)}"
        raise InputError(message, file=file, line=line, field="abstain")
    names = _pick(record, "missing_fields", "predicted_missing_fields", file=file, line=line)
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        message = f"expected a list of field names, found {_kind(names)}"
        raise InputError(message, file=file, line=line, field="missing_fields")
    fields = None if names is None else tuple(dict.fromkeys(field_names.get(name, name) for name in names))
    return Prediction(case_id=case_id, label=label, abstain=abstain, missing_fields=fields, state=state)


def _state(record: Mapping[str, Any], *, file: str, line: int) -> ReplyState:
    value = record.get("state", ReplyState.OK.value)
    try:
        return ReplyState(value)
    except (ValueError, TypeError) as error:
        message = f"expected one of {', '.join(ReplyState)}; found {value!r}"
        raise InputError(message, file=file, line=line, field="state") from error


def _pick(record: Mapping[str, Any], name: str, other: str, *, file: str, line: int) -> Any:
    """The value under either name; both present and different is an error."""
    if name in record and other in record and record[name] != record[other]:
        message = f"{name} and {other} disagree"
        raise InputError(message, file=file, line=line, field=name)
    return record[name] if name in record else record.get(other)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "nothing"}
    return names.get(type(value), "a number")
