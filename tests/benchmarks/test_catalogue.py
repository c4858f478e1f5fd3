from __future__ import annotations

import pytest

from equipoise.audit.verdict import LABELS
from equipoise.benchmarks import BENCHMARKS, find
from equipoise.errors import UsageError


def test_every_benchmark_has_a_card_of_its_name():
    for benchmark in BENCHMARKS:
        card = benchmark.card()
        assert card.id == benchmark.id
        assert card.limits


def test_ids_are_unique():
    assert len({benchmark.id for benchmark in BENCHMARKS}) == len(BENCHMARKS)


def test_openmtb_card_states_the_labels_and_its_main_limit():
    card = find("openmtb").card()
    assert card.labels == LABELS
    assert any("not on clinical truth" in limit for limit in card.limits)


def test_unknown_benchmark():
    with pytest.raises(UsageError, match="there is no benchmark 'nope'; expected one of openmtb"):
        find("nope")
