"""The two tables: one row a reply, and one row a judgement of a reply.

Columns are declared once, as typed data, with a description each; the Arrow schemas carry the descriptions and the
version. Units are in the description. A column that does not apply to a benchmark is null.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pyarrow as pa

from equipoise.errors import InputError

SCHEMA_VERSION = "1"
"""Version of both tables; raised when a column changes its meaning or goes."""


class ReplyState(StrEnum):
    """What became of a reply or a judgement. Only `ok` carries a result."""

    OK = "ok"
    EMPTY = "empty"
    BLOCKED = "blocked"
    TRUNCATED = "truncated"
    UNPARSED = "unparsed"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes:
        name: name of the column.
        type: Arrow type.
        description: meaning, unit and the null case.
        required: whether null is a problem.
        low: smallest value allowed; None without a limit.
        high: largest value allowed.
    """

    name: str
    type: pa.DataType
    description: str
    required: bool = False
    low: float | None = None
    high: float | None = None


_TEXT, _INT, _REAL, _FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()

OUTCOME_COLUMNS: tuple[Column, ...] = (
    Column("reply_id", _TEXT, "identifier of the reply, unique in the run; judgements refer to it", required=True),
    Column("run", _TEXT, "identifier of the run", required=True),
    Column("system", _TEXT, "what answered: a model with its prompt and settings, an auditor, a rater", required=True),
    Column("model", _TEXT, "model name and version; null for a system without a model"),
    Column("model_family", _TEXT, "family of the model, for clustering and self-preference checks"),
    Column("provider", _TEXT, "who served the model"),
    Column("benchmark", _TEXT, "identifier of the benchmark", required=True),
    Column("item", _TEXT, "identifier of the item answered", required=True),
    Column("parent_item", _TEXT, "item from which this one was made by an edit; null for an original"),
    Column("operator", _TEXT, "the edit that made this item from its parent; null for an original"),
    Column("operator_parameters", _TEXT, "parameters of the edit, as canonical JSON"),
    Column("expected", _TEXT, "the key: reference label or answer; null when the item has none"),
    Column("seed", _INT, "cluster: seed of the generation or of the run"),
    Column("pair", _TEXT, "cluster: items that differ in one thing"),
    Column("item_set", _TEXT, "cluster: set or module the item belongs to"),
    Column("recording", _TEXT, "cluster: recording or document the item was taken from"),
    Column("item_family", _TEXT, "cluster: family of items made from one original"),
    Column("arm", _TEXT, "experimental arm (prompt, retrieval, policy)"),
    Column("stratum", _TEXT, "stratum of the item, such as its error type"),
    Column("group", _TEXT, "persona or population group the item speaks of"),
    Column("conversation", _TEXT, "identifier of the conversation; null for single questions"),
    Column("turn", _INT, "turn in the conversation, from 1", low=1),
    Column("round", _INT, "round of a multi-round protocol, from 1", low=1),
    Column("trial", _INT, "independent repeat of the same item, from 1", low=1),
    Column("attempt", _INT, "try of the same call after an instrument failure, from 1", low=1),
    Column("state", _TEXT, "reply state: ok, empty, blocked, truncated, unparsed or error", required=True),
    Column("reply", _TEXT, "the reply as received; null when not kept"),
    Column("label", _TEXT, "label read from the reply; null unless the state is ok"),
    Column("abstained", _FLAG, "whether it abstained; null when not stated or the state is not ok"),
    Column("confidence", _REAL, "stated confidence, 0 to 1; null when none is stated", low=0, high=1),
    Column("missing_fields", pa.list_(_TEXT), "fields named as undocumented; null when not stated"),
    Column("tokens_in", _INT, "tokens of the prompt", low=0),
    Column("tokens_out", _INT, "tokens of the reply", low=0),
    Column("cost", _REAL, "cost of the call in US dollars", low=0),
    Column("latency", _REAL, "seconds from call to reply", low=0),
)
"""One row a reply to one item."""

JUDGEMENT_COLUMNS: tuple[Column, ...] = (
    Column("reply_id", _TEXT, "identifier of the reply judged", required=True),
    Column("run", _TEXT, "identifier of the run", required=True),
    Column("judge", _TEXT, "identifier of the judge model or rater", required=True),
    Column("rubric", _TEXT, "identifier of the rubric", required=True),
    Column("rubric_hash", _TEXT, "content hash of the rubric", required=True),
    Column("scale", _TEXT, "identifier of the scale the value belongs to", required=True),
    Column("scale_hash", _TEXT, "content hash of the scale", required=True),
    Column("criterion", _TEXT, "identifier of the criterion within the rubric", required=True),
    Column("repeat", _INT, "repeat of the same judgement, from 1", required=True, low=1),
    Column("value", _TEXT, "value on the scale; null unless the state is ok"),
    Column("points", _REAL, "points of the value, in the scale's own unit; null when the scale has none"),
    Column("in_scope", _FLAG, "whether the criterion applies to this reply; null when not asked"),
    Column("state", _TEXT, "judge state: ok, empty, blocked, truncated, unparsed or error", required=True),
)
"""One row a reply x judge x criterion x repeat."""


def _schema(name: str, columns: tuple[Column, ...]) -> pa.Schema:
    fields = [pa.field(item.name, item.type, metadata={"description": item.description}) for item in columns]
    return pa.schema(fields, metadata={"equipoise.table": name, "equipoise.schema_version": SCHEMA_VERSION})


OUTCOMES_SCHEMA: pa.Schema = _schema("outcomes", OUTCOME_COLUMNS)
JUDGEMENTS_SCHEMA: pa.Schema = _schema("judgements", JUDGEMENT_COLUMNS)

_COLUMNS = {"outcomes": OUTCOME_COLUMNS, "judgements": JUDGEMENT_COLUMNS}
_KEYS = {"outcomes": ("reply_id",), "judgements": ("reply_id", "judge", "rubric", "criterion", "repeat")}
_RESULTS = {"outcomes": ("label", "abstained", "confidence", "missing_fields"), "judgements": ("value", "points")}
_STATES = frozenset(ReplyState)


def outcomes_table(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """The outcomes table of rows given as mappings; a column that a row does not name is null.

    Raises:
        InputError: a row names a column that does not exist, or a value has a wrong type.
    """
    return _table("outcomes", OUTCOMES_SCHEMA, rows)


def judgements_table(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """The judgements table of rows given as mappings; a column that a row does not name is null.

    Raises:
        InputError: a row names a column that does not exist, or a value has a wrong type.
    """
    return _table("judgements", JUDGEMENTS_SCHEMA, rows)


def _table(name: str, schema: pa.Schema, rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    known = frozenset(schema.names)
    kept = list(rows)
    for number, row in enumerate(kept):
        extra = sorted(set(row) - known)
        if extra:
            message = f"{name}, row {number}: there is no column {extra[0]!r}"
            raise InputError(message, field=extra[0])
    arrays = []
    for field in schema:
        try:
            arrays.append(pa.array([row.get(field.name) for row in kept], type=field.type))
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            message = f"{name}, column {field.name}: expected {field.type} ({error})"
            raise InputError(message, field=field.name) from error
    return pa.table(arrays, schema=schema)


def problems(name: str, table: pa.Table) -> tuple[str, ...]:
    """Everything that is wrong with a table, each with row (from 0) and column.

    Args:
        name: "outcomes" or "judgements".
        table: the table to check.

    Returns:
        One sentence a problem, columns first, then rows in order; empty when the table is sound.
    """
    columns = _COLUMNS[name]
    found = _column_problems(name, columns, table)
    if found:
        return tuple(found)
    values = {item.name: table.column(item.name).to_pylist() for item in columns}
    located: list[tuple[int, str]] = []
    for column in columns:
        located += _value_problems(name, column, values[column.name])
    for row, state in enumerate(values["state"]):
        if state is not None and state not in _STATES:
            expected = ", ".join(ReplyState)
            located.append((row, f"{name}, row {row}, column state: {state!r} is not one of {expected}"))
    located += _result_problems(name, values)
    located += _key_problems(name, values)
    return tuple(text for _, text in sorted(located, key=lambda item: item[0]))


def _column_problems(name: str, columns: tuple[Column, ...], table: pa.Table) -> list[str]:
    found = []
    for column in columns:
        if column.name not in table.column_names:
            found.append(f"{name}: column {column.name} is missing ({column.description})")
        elif table.schema.field(column.name).type != column.type:
            actual = table.schema.field(column.name).type
            found.append(f"{name}, column {column.name}: expected type {column.type}, found {actual}")
    known = {column.name for column in columns}
    found += [
        f"{name}: there is no column {extra!r} in this version" for extra in table.column_names if extra not in known
    ]
    return found


def _value_problems(name: str, column: Column, values: list[Any]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for row, value in enumerate(values):
        place = f"{name}, row {row}, column {column.name}"
        if value is None or value == "":
            if column.required:
                found.append((row, f"{place}: empty, a value is required ({column.description})"))
        elif isinstance(value, float) and not math.isfinite(value):
            found.append((row, f"{place}: {value} is not a number; write null for unknown"))
        elif column.low is not None and value < column.low:
            found.append((row, f"{place}: {value:g} is below {column.low:g}"))
        elif column.high is not None and value > column.high:
            found.append((row, f"{place}: {value:g} is above {column.high:g}"))
        elif isinstance(value, list) and any(item is None for item in value):
            found.append((row, f"{place}: the list holds an empty entry"))
    return found


def _result_problems(name: str, values: Mapping[str, list[Any]]) -> list[tuple[int, str]]:
    """A reply that failed carries no result; an `ok` judgement in scope carries one."""
    found: list[tuple[int, str]] = []
    for row, state in enumerate(values["state"]):
        if state != ReplyState.OK and state in _STATES:
            found += [
                (row, f"{name}, row {row}, column {result}: a reply in state {state} has no result; expected null")
                for result in _RESULTS[name]
                if values[result][row] is not None
            ]
        if name == "judgements" and state == ReplyState.OK:
            empty = values["value"][row] is None and values["points"][row] is None
            if empty and values["in_scope"][row] is not False:
                found.append((row, f"{name}, row {row}, column value: state ok without a value"))
    return found


def _key_problems(name: str, values: Mapping[str, list[Any]]) -> list[tuple[int, str]]:
    keys = _KEYS[name]
    first: dict[tuple[Any, ...], int] = {}
    found: list[tuple[int, str]] = []
    for row, key in enumerate(zip(*(values[column] for column in keys), strict=True)):
        if key in first:
            found.append((row, f"{name}, row {row}, column {keys[0]}: repeats row {first[key]} ({', '.join(keys)})"))
        else:
            first[key] = row
    return found
