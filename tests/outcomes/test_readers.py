from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError, InputError, UsageError
from equipoise.outcomes import Prediction, ReplyState, read_predictions

LABELS = ("yes", "no")


def read(tmp_path, text, **arguments):
    path = tmp_path / "p.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_predictions(path, labels=LABELS, **arguments)


def test_both_spellings_and_other_keys(tmp_path):
    text = """{"case_id": "a", "label": "yes", "abstain": true, "missing_fields": ["x", "x", "y"], "why": "because"}

{"case_id": "b", "predicted_label": "no", "predicted_abstain": false, "predicted_missing_fields": ["old"]}
{"case_id": "c", "label": null, "state": "truncated"}
"""
    assert read(tmp_path, text, field_names={"old": "new"}) == (
        Prediction(case_id="a", label="yes", abstain=True, missing_fields=("x", "y")),
        Prediction(case_id="b", label="no", abstain=False, missing_fields=("new",)),
        Prediction(case_id="c", label=None, state=ReplyState.TRUNCATED),
    )


def test_byte_order_mark_and_windows_lines(tmp_path):
    text = b'\xef\xbb\xbf{"case_id": "a", "label": "yes"}\r\n{"case_id": "b", "label": "no"}\r\n'
    assert len(read(tmp_path, text)) == 2


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", "not valid JSON"),
        ("[]", "expected one JSON object a line, found a list"),
        ('{"case_id": "b", "label": NaN}', "NaN is not a JSON number"),
        ('{"label": "yes"}', "field case_id: expected a non-empty text, found nothing"),
        ('{"case_id": 7, "label": "yes"}', "field case_id: expected a non-empty text, found a number"),
        ('{"case_id": "b", "label": "perhaps"}', "field label: expected one of yes, no; found 'perhaps'"),
        ('{"case_id": "b"}', "field label: expected one of yes, no; found nothing"),
        ('{"case_id": "b", "label": ["yes"]}', "found a list"),
        ('{"case_id": "b", "label": "yes", "predicted_label": "no"}', "label and predicted_label disagree"),
        ('{"case_id": "b", "label": "yes", "abstain": "yes"}', "field abstain: expected true or false, found a text"),
        ('{"case_id": "b", "label": "yes", "missing_fields": "x"}', "field missing_fields: expected a list"),
        ('{"case_id": "b", "label": "yes", "missing_fields": [1]}', "field missing_fields: expected a list"),
        ('{"case_id": "b", "label": "yes", "state": "refused"}', "field state: expected one of ok, empty"),
        ('{"case_id": "b", "label": "yes", "state": ["ok"]}', "field state: expected one of ok, empty"),
        ('{"case_id": "b", "label": "yes", "state": "error"}', "a reply in state error has no label"),
        ('{"case_id": "a", "label": "yes"}', "case_id 'a' was already answered on line 1"),
        ("[" * 100_000, "not readable JSON"),
    ],
)
def test_errors_name_file_and_line(tmp_path, line, expected):
    with pytest.raises(InputError) as caught:
        read(tmp_path, '{"case_id": "a", "label": "yes"}\n' + line)
    assert expected in str(caught.value)
    assert "p.jsonl, line 2" in str(caught.value)


def test_not_utf8_names_the_line(tmp_path):
    with pytest.raises(InputError, match=r"p\.jsonl, line 2: not UTF-8 text"):
        read(tmp_path, b'{"case_id": "a", "label": "yes"}\n\xff\xfe')


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(UsageError, match="there is no such file"):
        read_predictions(tmp_path / "none.jsonl", labels=LABELS)
    with pytest.raises(UsageError, match="cannot be opened"):
        read_predictions(tmp_path, labels=LABELS)


@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_by_name(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("fuzz") / "p.jsonl"
    path.write_bytes(data)
    try:
        result = read_predictions(path, labels=LABELS)
    except EquipoiseError as error:
        result = str(error)
    assert isinstance(result, tuple) or str(path) in result
