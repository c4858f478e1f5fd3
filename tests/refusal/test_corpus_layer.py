"""The script that trains a layer on the corpus alone: same bytes twice, no exam among its rows, lengths balanced, trees that learn."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import refusal_corpus_layer

    yield refusal_corpus_layer
    for name in ("refusal_corpus_layer", "refusal_corpus_weights", "refusal_trees", "refusal_layer"):
        sys.modules.pop(name, None)


@pytest.fixture
def few(script, tmp_path):
    """The first 120 replies of the corpus."""
    path = tmp_path / "few.jsonl"
    path.write_text("\n".join(script.CORPUS.read_text(encoding="utf-8").splitlines()[:120]) + "\n", encoding="utf-8")
    return path


def test_the_same_replies_give_the_same_bytes(script, few, tmp_path, monkeypatch):
    made = []
    for name in ("one.json", "two.json"):
        script._VARIANTS.clear()
        monkeypatch.setattr(sys, "argv", ["refusal_corpus_layer.py", str(few), "--write", str(tmp_path / name)])
        assert script.main() == 0
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]
    body = json.loads(made[0])
    assert len(body["words"].split("\n")) > 100
    assert len(body["leaves"]) == len(body["asks"]) == len(body["edges"]) > 0


def test_it_reads_the_replies_it_was_trained_on_better_than_chance(script, few):
    script._VARIANTS.clear()
    rows = script.load(few)
    found, shares = script.choose(script.train(rows), rows)
    assert np.allclose(shares.reshape(len(rows), 2, 3).sum(axis=2), 1)
    assert sum(row.label == got for row, got in zip(rows, found, strict=True)) / len(rows) > 0.8


def test_classes_of_like_length_count_alike(script):
    rows = script.load(script.CORPUS)
    weights = script.balance(rows)
    groups = np.searchsorted(script.LENGTHS, [len(row.reply.split()) for row in rows])
    labels = np.array([row.label for row in rows])
    for group in (2, 3, 4):
        sums = [weights[(groups == group) & (labels == label)].sum() for label in range(3)]
        assert max(sums) / min(sums) == pytest.approx(1, abs=1e-9)


def test_trees_learn_what_needs_two_numbers(script):
    import refusal_trees
    from refusal_corpus_weights import DEPTH

    table = np.array([[one, two] for one in (0.0, 1.0) for two in (0.0, 0.6) for _ in range(40)])
    labels = np.where(table[:, 0] + table[:, 1] > 1.2, 2, np.where(table[:, 0] > 0.5, 1, 0))
    trees = refusal_trees.boost(table, labels, np.ones(len(table)))
    sums = np.zeros((len(table), 3))
    for tree in trees:
        for at, values in enumerate(table):
            node = 0
            for _ in range(DEPTH):
                node = 2 * node + 1 + int(values[tree.asks[node]] > tree.edges[node])
            sums[at] += tree.leaves[node - (2**DEPTH - 1)]
    assert (sums.argmax(axis=1) == labels).all()
