"""PD-L1, tumor mutational burden and microsatellite status as reports write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.cases.model import Interval
from equipoise.cases.vocabulary.expression import read_msi, read_pdl1, read_tmb


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("TPS 60%", {"tps": (60, 60)}),
        ("22C3 TPS 80%", {"tps": (80, 80)}),
        ("PD-L1 (22C3) TPS 80%", {"tps": (80, 80)}),
        ("PD-L1 28-8 30%", {"tps": (30, 30)}),
        ("< 1%", {"tps": (0, 0.99)}),
        ("PD-L1 TPS: <1%", {"tps": (0, 0.99)}),
        ("negative", {"tps": (0, 0.99)}),
        ("positive", {"tps": (1, 100)}),
        ("1-49%", {"tps": (1, 49)}),
        ("PD-L1 TPS 1–49%", {"tps": (1, 49)}),
        ("≥ 50%", {"tps": (50, 100)}),
        (">= 50 %", {"tps": (50, 100)}),
        ("at least 50%", {"tps": (50, 100)}),
        ("<50%", {"tps": (0, 49.99)}),
        ("≤ 5%", {"tps": (0, 5)}),
        (">50%", {"tps": (50.01, 100)}),
        ("~60%", {"tps": (60, 60)}),
        ("60-70%", {"tps": (60, 70)}),
        ("0", {"tps": (0, 0)}),
        ("PD-L1 tumor proportion score >= 50%", {"tps": (50, 100)}),
        ("PD-L1 low expressor (TPS 1-49%)", {"tps": (1, 49)}),
        ("PD-L1 high (TPS ≥50%): TPS 80%", {"tps": (80, 80)}),
        ("SP263 tumour cells 15%", {"tps": (15, 15)}),
        ("90% of tumor cells", {"tps": (90, 90)}),
        ("SP142 TC3 or IC3", {"tc": (50, 100), "ic": (10, 100)}),
        ("SP142: TC 1", {"tc": (1, 4.99)}),
        ("IC2", {"ic": (5, 9.99)}),
        ("SP142: 60% tumor cells, 5% immune cells", {"tc": (60, 60), "ic": (5, 5)}),
        ("TC 50%, IC 10%", {"tc": (50, 50), "ic": (10, 10)}),
        ("PD-L1 50% of immune cells", {"ic": (50, 50)}),
        ("TPS 60%, CPS 65", {"tps": (60, 60)}),
        ("CPS 10, TPS 5%", {"tps": (5, 5)}),
        ("CPS 60", {}),
        ("combined positive score 20", {}),
        ("high", {}),
        ("low", {}),
        ("not tested", {}),
        ("pending", {}),
        ("SP142 80%", {}),
        ("SP142 positive", {}),
        ("TPS 60%; TPS 5%", {}),
        ("TPS 60% (cut-off 1%)", {"tps": (60, 60)}),
        ("tested 2024-05-03: TPS 10%", {"tps": (10, 10)}),
        ("TPS 250%", {}),
        ("", {}),
        (60, {"tps": (60, 60)}),
        (0.5, {"tps": (0.5, 0.5)}),
        (101, {}),
        (-1, {}),
        (float("nan"), {}),
        (None, {}),
        (True, {}),
        ({"tps": 60}, {"tps": (60, 60)}),
        ({"tc": 50, "ic": "10%"}, {"tc": (50, 50), "ic": (10, 10)}),
        ({"cps": 50}, {}),
        ([60], {}),
    ],
)
def test_pdl1(value, expected):
    assert read_pdl1(value) == {scale: Interval(low, high) for scale, (low, high) in expected.items()}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("TMB 14.2 mut/Mb (high)", Interval(14.2, 14.2)),
        ("TMB 8", Interval(8, 8)),
        ("12 muts/Mb", Interval(12, 12)),
        ("TMB-H (≥10)", Interval(10, float("inf"))),
        ("<10 mut/Mb", Interval(0, 9.99)),
        ("10-15", Interval(10, 15)),
        (8.5, Interval(8.5, 8.5)),
        ("bTMB 18 (blood)", None),
        ("TMB high", None),
        ("TMB 245 mutations/exome", None),
        ("not tested", None),
        (None, None),
        (True, None),
        (float("nan"), None),
        (float("inf"), None),
        (-1, None),
    ],
)
def test_tmb(value, expected):
    assert read_tmb(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("MSI-H", "high"),
        ("MSI-High", "high"),
        ("high", "high"),
        ("dMMR", "high"),
        ("MMR deficient", "high"),
        ("MSI-H/dMMR", "high"),
        ("loss of MLH1 and PMS2", "high"),
        ("MSS", "stable"),
        ("stable", "stable"),
        ("microsatellite stable", "stable"),
        ("pMMR", "stable"),
        ("MMR proteins retained", "stable"),
        ("MSI-L", "stable"),
        ("not MSI-H", "stable"),
        ("MSI-H not detected", "stable"),
        ("no microsatellite instability", "stable"),
        ("MSI pending", None),
        ("not tested", None),
        ("MSI-H in one specimen, MSS in the other", None),
        ("", None),
        (None, None),
        (1, None),
    ],
)
def test_msi(value, expected):
    assert read_msi(value) == expected


@given(st.text(max_size=120) | st.floats() | st.integers() | st.none())
def test_nothing_raises(value):
    for interval in read_pdl1(value).values():
        assert 0 <= interval.low <= interval.high <= 100
    burden = read_tmb(value)
    assert burden is None or 0 <= burden.low <= burden.high
    assert read_msi(value) in {None, "high", "stable"}


@given(st.floats(min_value=0, max_value=100).map(lambda x: round(x, 2)))
def test_a_percentage_comes_back(value):
    assert read_pdl1(f"TPS {value:g}%") == {"tps": Interval(float(f"{value:g}"), float(f"{value:g}"))}


@pytest.mark.parametrize("unit", ["TPS 60% ", "<", "1", " ", "1-", "mmr ", "no ", "tumor "])
def test_a_repeated_value_reads_as_one(unit):
    """How the time grows is measured in benchmarks/reader_speed.py."""
    long, short = unit * (200_000 // len(unit)), unit * 20
    assert read_pdl1(long) == read_pdl1(short)
    assert read_tmb(long) == read_tmb(short)
    assert read_msi(long) == read_msi(short)
