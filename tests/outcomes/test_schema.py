from __future__ import annotations

import pyarrow as pa
import pytest

from equipoise.errors import InputError
from equipoise.outcomes import (
    JUDGEMENTS_SCHEMA,
    OUTCOMES_SCHEMA,
    SCHEMA_VERSION,
    ReplyState,
    judgements_table,
    outcomes_table,
    problems,
)

REPLY = {
    "reply_id": "r1", "run": "run-1", "system": "auditor", "benchmark": "b", "item": "i1", "state": "ok",
    "label": "yes",
}  # fmt: skip
JUDGEMENT = {
    "reply_id": "r1", "run": "run-1", "judge": "j", "rubric": "q", "rubric_hash": "h", "scale": "s", "scale_hash": "h",
    "criterion": "c", "repeat": 1, "value": "met", "state": "ok",
}  # fmt: skip


@pytest.mark.parametrize("schema", [OUTCOMES_SCHEMA, JUDGEMENTS_SCHEMA])
def test_versioned_and_every_column_described(schema):
    assert schema.metadata[b"equipoise.schema_version"] == SCHEMA_VERSION.encode()
    for field in schema:
        assert len(field.metadata[b"description"]) > 10
    assert len(set(schema.names)) == len(schema.names)


def test_reply_states():
    assert [state.value for state in ReplyState] == ["ok", "empty", "blocked", "truncated", "unparsed", "error"]


def test_sound_tables_have_no_problem():
    failed = REPLY | {"reply_id": "r2", "state": "blocked", "label": None}
    assert problems("outcomes", outcomes_table([REPLY, failed])) == ()
    assert problems("judgements", judgements_table([JUDGEMENT])) == ()
    assert problems("outcomes", outcomes_table([])) == ()


def test_all_problems_with_row_and_column():
    table = outcomes_table(
        [
            REPLY | {"item": None, "confidence": 1.5},
            REPLY | {"state": "fine"},
            REPLY | {"reply_id": "r3", "cost": float("nan"), "turn": 0, "missing_fields": ["a", None]},
        ]
    )
    found = problems("outcomes", table)
    starts = [text.split(":")[0] for text in found]
    assert starts == [
        "outcomes, row 0, column item",
        "outcomes, row 0, column confidence",
        "outcomes, row 1, column state",
        "outcomes, row 1, column reply_id",
        "outcomes, row 2, column turn",
        "outcomes, row 2, column missing_fields",
        "outcomes, row 2, column cost",
    ]


@pytest.mark.parametrize("state", [state.value for state in ReplyState if state is not ReplyState.OK])
def test_a_failed_instrument_is_never_a_label(state):
    (text,) = problems("outcomes", outcomes_table([REPLY | {"state": state}]))
    assert text == f"outcomes, row 0, column label: a reply in state {state} has no result; expected null"
    (text,) = problems("judgements", judgements_table([JUDGEMENT | {"state": state}]))
    assert "column value" in text


def test_a_judgement_in_scope_has_a_value():
    (text,) = problems("judgements", judgements_table([JUDGEMENT | {"value": None}]))
    assert text == "judgements, row 0, column value: state ok without a value"
    assert problems("judgements", judgements_table([JUDGEMENT | {"value": None, "in_scope": False}])) == ()


def test_columns_missing_unknown_or_of_another_type():
    table = outcomes_table([REPLY])
    assert problems("outcomes", table.drop_columns(["item"]))[0].startswith("outcomes: column item is missing")
    assert "no column 'extra'" in problems("outcomes", table.append_column("extra", pa.array([1])))[0]
    index = table.schema.get_field_index("turn")
    assert "expected type int64" in problems("outcomes", table.set_column(index, "turn", pa.array(["one"])))[0]


def test_rows_with_unknown_columns_or_wrong_types():
    with pytest.raises(InputError, match="row 0: there is no column 'lable'"):
        outcomes_table([REPLY | {"lable": "x"}])
    with pytest.raises(InputError, match="column turn: expected int64"):
        outcomes_table([REPLY | {"turn": "first"}])
