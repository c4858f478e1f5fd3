"""Lines that differ in their id alone are answered once; what only looks like it is answered by itself."""

from __future__ import annotations

import datetime as dt
import json
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.audit.pipeline import Auditor
from equipoise.batch.desk import Desk
from equipoise.batch.memo import Memo, line_name, object_name
from equipoise.batch.part import asked, built
from equipoise.batch.pool import Answers
from equipoise.batch.settings import Settings, identity

DAY = dt.date(2026, 11, 1)
BODY = {
    "tumor": "NSCLC",
    "stage": "IVB",
    "ecog": 1,
    "prior_therapies": "none",
    "biomarkers": ["EGFR L858R"],
    "recommendations": ["osimertinib"],
}


@cache
def auditor() -> Auditor:
    return Auditor(as_of=DAY)


def rows_by(payloads, memo=None) -> list[dict]:
    """Rows of payloads, answered together with a memory."""
    answers = Answers(Desk(auditor()), Settings(as_of=DAY), identity(Settings(as_of=DAY), auditor()), 1)
    items = [(place, None, payload) for place, payload in enumerate(payloads, start=1)]
    return built(asked(items, memo or Memo(10**8), answers), answers).table.to_pylist()


def rows_apart(payloads) -> list[dict]:
    """Rows of payloads, each answered by a desk that remembers nothing."""
    found = []
    for place, payload in enumerate(payloads, start=1):
        found.extend({**row, "place": place, "case_id": row["case_id"].replace("case-1", f"case-{place}", 1)
                      if row["case_id"] == "case-1" else row["case_id"]} for row in rows_by([payload]))  # fmt: skip
    return found


def line(case_id, **more) -> bytes:
    return json.dumps({"case_id": case_id, **BODY, **more}).encode() + b"\n"


def test_lines_that_differ_in_their_id_have_one_name():
    assert line_name(line("a"))[0] == line_name(line("b"))[0]
    assert line_name(line("a"))[1] == "a"
    assert line_name(line("a"))[0] != line_name(line("a", ecog=2))[0]
    assert object_name({"case_id": "a", "x": 1})[0] == object_name({"case_id": "b", "x": 1})[0]
    assert object_name({"case_id": "a", "x": 1})[0] != object_name({"case_id": "a", "x": True})[0]


def test_a_line_with_a_nul_byte_and_what_json_has_no_form_for_have_no_name():
    assert line_name(b'{"case_id": "a\x00"}')[0] is None
    assert line_name(b'{"x": "\x00"}')[0] is None
    assert object_name({"case_id": "a", "day": dt.date(2026, 1, 1)})[0] is None
    assert object_name({"case_id": "a", "x": float("nan")})[0] is None


def test_they_are_read_once(monkeypatch):
    read = []
    original = Desk.answer
    monkeypatch.setattr(Desk, "answer", lambda self, payload: read.append(1) or original(self, payload))
    rows = rows_by([line(f"p{place}") for place in range(50)])
    assert len(read) == 1
    assert [row["case_id"] for row in rows] == [f"p{place}" for place in range(50)]
    for row, place in zip(rows, range(50), strict=True):
        assert row["case_hash"] == auditor().audit({"case_id": f"p{place}", **BODY})[0].case_hash


TRICKY = [
    b'{"case_id": "a", "tumor": "NSCLC", "note": {"case_id": "x"}, "recommendations": ["osimertinib"]}',
    b'{"case_id": "b", "tumor": "NSCLC", "note": {"case_id": "x"}, "recommendations": ["osimertinib"]}',
    b'{"note": {"case_id": "x"}, "tumor": "NSCLC", "case_id": "a", "recommendations": ["osimertinib"]}',
    b'{"note": {"case_id": "y"}, "tumor": "NSCLC", "case_id": "a", "recommendations": ["osimertinib"]}',
    b'{"case_id": "a", "case_id": "b", "tumor": "NSCLC"}',
    b'{"case_id": "b", "case_id": "b", "tumor": "NSCLC"}',
    b'{"case_id": "c", "case_id": "b", "tumor": "NSCLC"}',
    b'{"text": "he said \\"case_id\\": \\"a\\" NSCLC. Recommendation: osimertinib", "ecog": 1}',
    b'{"text": "he said \\"case_id\\": \\"b\\" NSCLC. Recommendation: osimertinib", "ecog": 1}',
    b'{"tumor": "\\\\"case_id": "a"}',
    b'{"case_id": "a", "recommendations": [{"id": "a", "regimen": "osimertinib"}], "tumor": "NSCLC"}',
    b'{"case_id": "b", "recommendations": [{"id": "a", "regimen": "osimertinib"}], "tumor": "NSCLC"}',
    b'{"case_id": "e1", "ecog": 9}',
    b'{"case_id": "e2", "ecog": 9}',
    b'{"case_id": "equipoise-stand-in-for-a-case-id", "tumor": "NSCLC"}',
    b'{"case_id": "z", "tumor": "NSCLC"}',
    b'{"case_id": "a b", "tumor": "NSCLC"}',
    b'{"case_id": "a  b", "tumor": "NSCLC"}',
    b'{"case_id": "\\u0061", "tumor": "NSCLC"}',
    b'{"c\\u0061se_id": "q", "tumor": "NSCLC"}',
    b'{"c\\u0061se_id": "q", "x": {"case_id": "r"}, "tumor": "NSCLC"}',
    b'{"c\\u0061se_id": "q", "x": {"case_id": "s"}, "tumor": "NSCLC"}',
    b'{"tumor": "NSCLC"}',
    b'{"tumor": "NSCLC"}',
    b'{"case_id": "", "tumor": "NSCLC"}',
    b'{"case_id": null, "tumor": "NSCLC"}',
    b'{"case_id": 5, "tumor": "NSCLC"}',
    b'{"case_id": "unknown", "tumor": "NSCLC"}',
    b'{"case_id": "na", "tumor": "NSCLC"}',
    b'{"case_id": "n1", "tmb": NaN, "tumor": "NSCLC"}',
    b'{"case_id": "n2", "tmb": NaN, "tumor": "NSCLC"}',
    b'\xef\xbb\xbf{"case_id": "bom", "tumor": "NSCLC"}',
    b'{"case_id": "a", "tumor": "NSCLC", "x": "\x00"}',
    b'{"case_id": "a\x00b", "tumor": "NSCLC"}',
    b'{"case_id" : "s1", "tumor": "NSCLC"}',
    b'{"case_id" : "s2", "tumor": "NSCLC"}',
    b"not json",
    b'["case_id": "a"]',
    b'["case_id", "a"]',
]


@pytest.mark.parametrize("order", ["given", "reversed"])
def test_tricky_lines_are_answered_as_if_each_were_alone(order):
    payloads = (TRICKY if order == "given" else TRICKY[::-1]) * 2
    assert rows_by(payloads) == rows_apart(payloads)


def test_openmtb_objects_are_answered_as_if_each_were_alone():
    from equipoise.benchmarks.openmtb.generate import generate

    cases = [{**case, "case_id": f"{case['case_id']}-{turn}"} for case in generate(6, 3) for turn in range(2)]
    assert rows_by(cases) == rows_apart(cases)


ID = st.one_of(st.sampled_from(("a", "b", "c1", "x y", "ü", "", "case_id", '"', "\\")), st.text(max_size=4))
VALUE = st.recursive(
    st.one_of(st.sampled_from(("case_id", '"case_id": "a"', "NSCLC", "a", "", 1, None, True)), ID),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(("case_id", "x", "a")), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(
    bodies=st.lists(
        st.dictionaries(st.sampled_from(("tumor", "note", "ecog", "recommendations", "x")), VALUE, max_size=3),
        min_size=1,
        max_size=3,
    ),
    ids=st.lists(ID, min_size=2, max_size=4),
    ascii_=st.booleans(),
    first=st.booleans(),
)
@settings(max_examples=80, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None)
def test_whatever_stands_in_lines_the_memory_changes_nothing(bodies, ids, ascii_, first):
    lines = [
        json.dumps({"case_id": case_id, **body} if first else {**body, "case_id": case_id}, ensure_ascii=ascii_).encode(
            errors="surrogatepass"
        )
        for body in bodies
        for case_id in ids
    ]
    assert rows_by(lines) == rows_apart(lines)


def test_the_memory_has_a_limit_and_forgetting_changes_nothing():
    payloads = [line(f"p{place}", ecog=place % 5) for place in range(40)]
    memo = Memo(5_000)
    assert rows_by(payloads, memo) == rows_by(payloads)
    assert 0 < len(memo.slots) < 5


def test_a_desk_forgets_the_older_half_of_its_keys():
    desk = Desk(auditor(), max_keys=2)
    for ecog in (0, 1, 2, 0):
        desk.answer({"case_id": "a", **BODY, "ecog": ecog})
    assert desk.audited == 4
    desk = Desk(auditor())
    for ecog in (0, 1, 2, 0):
        desk.answer({"case_id": "a", **BODY, "ecog": ecog})
    assert desk.audited == 3
