"""Whatever is handed over, readers and audit give a verdict or one clear error, and nothing else."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from equipoise.audit.pipeline import Auditor
from equipoise.cases.formats import case_from_object, openmtb, own
from equipoise.cases.load import read_bytes
from equipoise.cases.vocabulary.biomarkers import read_biomarkers
from equipoise.cases.vocabulary.drugs import read_regimen
from equipoise.errors import CaseError, InputError, UsageError
from equipoise.ids import canonical_json
from strategies import DAY

AUDITORS = {policy: Auditor(as_of=DAY, policy=policy) for policy in ("label", "openmtb-2026")}


def examples(number: int) -> settings:
    return settings(
        max_examples=number, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )


WORDS = st.sampled_from(
    (
        "unknown",
        "none",
        "EGFR L858R",
        "osimertinib",
        "metastatic",
        "IV",
        "1",
        "-1",
        "1e999",
        "nan",
        "2026-²",
        "2026-13-01",
        "20260101",
        "0000-00-00",
        "²",
        "٣",
        "+",
        "->",
        ";",
        "(",
        "((((",
        ")",
        "progressed",
        "<",
        ">= %",
        "TPS",
        "101 %",
        "\ud800",
        "\x00",
        "\u202e",
        "a" * 5000,
        "EGFR" * 2000,
        "osimertinib + " * 500,
        "EGFR, " * 500,
        "0-" * 300,
        "NSCLC, " * 100,
    )
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-10, 200),
    st.integers(),
    st.floats(allow_nan=True, allow_infinity=True),
    st.just(10**400),
    WORDS,
    st.text(max_size=40),
)
KEYS = st.one_of(
    st.sampled_from(
        (
            "name",
            "gene",
            "alteration",
            "status",
            "date",
            "assay",
            "drugs",
            "outcome",
            "setting",
            "line",
            "ended",
            "regimen",
            "id",
            "kind",
            "level",
            "tps",
            "tc",
        )
    ),
    st.text(max_size=8),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
NAMES = st.sampled_from(sorted({*own.FIELDS, *openmtb.NAMES, "cases", "profile_key", ""}))


def explained(error: InputError) -> None:
    """An error says something, on one line."""
    assert error.message.strip()
    assert str(error).endswith(error.message)


def audited(case: Any) -> None:
    """Audit under both policies; the JSON form can be written whatever went in."""
    for auditor in AUDITORS.values():
        try:
            verdicts = auditor.audit(case)
        except InputError as error:
            explained(error)
            continue
        assert verdicts
        for verdict in verdicts:
            assert verdict.reasons
            canonical_json(verdict.to_dict())


@pytest.mark.parametrize("name", sorted({*own.FIELDS, *openmtb.NAMES}))
@examples(60)
@given(value=VALUES)
@example(value=10**400)
@example(value="\ud800")
@example(value=float("nan"))
@example(value=[[[[]]]])
@example(value={"": {"": {}}})
@example(value=[{"name": "EGFR", "status": ["present"]}])
def test_any_value_in_any_field_is_read_or_refused(name, value):
    audited({"tumor": "NSCLC", "biomarkers": ["EGFR L858R"], "recommendations": ["osimertinib"], name: value})


@examples(300)
@given(st.dictionaries(NAMES, VALUES, max_size=8))
def test_any_object_is_read_or_refused(case):
    audited(case)


@examples(100)
@given(VALUES)
def test_anything_is_read_or_refused(value):
    audited(value)


@examples(300)
@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=6).map(" ".join)))
def test_any_text_is_read_as_a_regimen_and_as_a_marker(text):
    read_regimen(text)
    for finding in read_biomarkers(text):
        assert finding.gene
        assert finding.name


def _items(data: bytes, *, lines: bool) -> int:
    try:
        items = list(read_bytes(data, lines=lines))
    except UsageError as error:
        explained(error)
        return -1
    for item in items:
        assert (item.case is None) != (item.error is None)
        assert item.case_id
        if item.error is not None:
            assert isinstance(item.error, CaseError)
            assert item.error.file == "-"
    return len(items)


@examples(400)
@given(data=st.binary(max_size=300), lines=st.booleans())
@example(data=b"\xff\xfe", lines=False)
@example(data=b"\xef\xbb\xbf{}", lines=True)
@example(data=b"[" * 100_000, lines=False)
@example(data=b"[" * 100_000, lines=True)
@example(data=b'{"ecog": ' + b"1" * 5000 + b"}", lines=True)
@example(data=b'{"ecog": ' + b"1" * 5000 + b"}", lines=False)
@example(data=b'{"case_id": "\\ud800"}', lines=True)
@example(data=b'{"case_id": "\\ud800", "recommendations": "\\ud800 osimertinib"}', lines=False)
@example(data=b"NaN", lines=True)
@example(data=b"", lines=True)
@example(data=b"", lines=False)
@example(data=b"{}\n\xff\n{}", lines=True)
def test_any_bytes_are_cases_or_one_clear_error(data, lines):
    _items(data, lines=lines)


@examples(300)
@given(
    data=st.lists(
        st.one_of(
            st.dictionaries(NAMES, VALUES, max_size=3).map(lambda value: json.dumps(value).encode()),
            st.binary(max_size=20),
        ),
        max_size=6,
    ).map(b"\n".join)
)
def test_lines_of_json_and_of_noise_give_one_item_a_line(data):
    count = sum(1 for line in data.split(b"\n") if line.strip())
    assert _items(data, lines=True) == count


@examples(200)
@given(
    st.lists(
        st.sampled_from(
            (b'{"a": 1}', b'{"recommendations": "osimertinib"}', b"[]", b"{", b"\xff", b"", b"nonsense", b"{}")
        ),
        max_size=6,
    ).map(b"\n".join)
)
def test_a_document_is_cases_or_one_clear_error_and_never_loses_a_good_line_in_lines(data):
    good = sum(1 for line in data.split(b"\n") if line.startswith(b"{") and line.endswith(b"}"))
    items = [item for item in read_bytes(data, lines=True) if item.case is not None]
    assert len(items) == good


def test_a_case_that_python_can_build_but_json_cannot():
    case = case_from_object(
        {
            "case_id": "x",
            "recommendations": ["osimertinib"],
            "as_of": dt.date(2026, 1, 1),
            "extra": {1, 2},
            "more": b"bytes",
        }
    )
    assert case.as_of == dt.date(2026, 1, 1)
    assert set(case.ignored_fields) == {"extra", "more"}
    assert case.content_hash
