"""The layer that was trained on the corpus alone, as it reads a reply: words of each sentence and of the whole, and small trees.

It is no part of the package: see `docs/refusal-detector.md`, "A third attempt". Weights are whole numbers, so that sums do not
depend on their order. `refusal_corpus_layer.py` trains and measures it.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.refusal.detector.features import Scores, features
from equipoise.refusal.detector.gather import Evidence
from equipoise.refusal.detector.layer import CLASSES, tokens
from equipoise.refusal.terms import Refusal

COLUMNS = 11
"""Numbers of a word: holding back and answering for its sentence; three classes anywhere, in the first and in the last sentence."""
DEPTH = 3
"""Questions on the way through a tree."""

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights of the layer.

    Attributes:
        places: the row of each word feature.
        words: a row for each word feature, with `COLUMNS` whole numbers.
        counted: a row for each word feature: whether it weighs anywhere, in the first and in the last sentence.
        steps: the unit of each of the columns.
        bias: the same for every sentence (two) and every reply (three).
        names: the named numbers, in the order that the trees use.
        asks: for each tree, the places of the numbers that it asks for.
        edges: for each tree, the edges above which the answer is yes.
        leaves: for each tree, its leaves times a thousand, by class.
    """

    places: dict[str, int]
    words: Integers
    counted: Integers
    steps: NDArray[np.float64]
    bias: tuple[float, ...]
    names: tuple[str, ...]
    asks: Integers
    edges: NDArray[np.float64]
    leaves: Integers


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the layer makes of a reply.

    Attributes:
        scores: scores of its sentences.
        by_words: shares of the three classes by its words alone; they sum to 1.
        by_trees: the same by the trees.
    """

    scores: Scores
    by_words: tuple[float, float, float]
    by_trees: tuple[float, float, float]

    @property
    def refusal(self) -> Refusal:
        """The class with the highest sum of the two shares; the earlier one of two that are equal."""
        sums = [one + two for one, two in zip(self.by_words, self.by_trees, strict=True)]
        return CLASSES[max(range(3), key=lambda at: sums[at])]


def unpacked(body: dict[str, Any]) -> Layer:
    """The layer of packed weights."""
    known = body["words"].split("\n")
    numbers = (
        np.frombuffer(base64.b64decode(body["numbers"]), dtype=np.int8).reshape(len(known), COLUMNS).astype(np.int64)
    )
    return Layer(
        places={word: at for at, word in enumerate(known)},
        words=numbers,
        counted=np.abs(numbers[:, 2:]).reshape(len(known), 3, 3).max(axis=2).clip(max=1),
        steps=np.array(body["steps"]),
        bias=tuple(body["bias"]),
        names=tuple(body["names"]),
        asks=np.array(body["asks"], dtype=np.int64),
        edges=np.array(body["edges"]),
        leaves=np.array(body["leaves"], dtype=np.int64),
    )


def weigh(found: Evidence, known: Layer) -> Weighed:
    """Scores of the sentences of a reply, and its classes by its words and by the trees.

    Args:
        found: what was gathered.
        known: the weights.
    """
    bags = tokens(found)
    places = [[known.places[word] for word in bag if word in known.places] for bag in bags]
    sentences = np.array([known.words[place].sum(axis=0) for place in places]).reshape(len(bags), COLUMNS)
    holds = _share(known.bias[0] + sentences[:, 0] * known.steps[0])
    answers = _share(known.bias[1] + sentences[:, 1] * known.steps[1])
    scores = Scores(
        tuple(holds.tolist()),
        tuple(answers.tolist()),
        tuple(len(bag) for bag in bags),
    )
    every = list({place for bag in places for place in bag})
    first, last = (places[0], places[-1]) if places else ([], [])
    counted = known.counted[every, 0].sum() + known.counted[first, 1].sum() + known.counted[last, 2].sum()
    size = max(1, int(counted)) ** 0.5
    sums = known.words[every, 2:5].sum(axis=0) * known.steps[2:5] / size
    if places:
        sums = sums + sentences[0, 5:8] * known.steps[5:8] / size + sentences[-1, 8:11] * known.steps[8:11] / size
    values = features(found, scores)
    return Weighed(
        scores,
        _shares(sums + np.array(known.bias[2:5])),
        _shares(_trees(known, np.array([values[name] for name in known.names]))),
    )


def _trees(known: Layer, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of the leaves that the named numbers lead to."""
    yes = (values[known.asks] > known.edges).astype(np.int64)
    every = np.arange(len(yes))
    at = np.zeros(len(yes), dtype=np.int64)
    for _ in range(DEPTH):
        at = 2 * at + 1 + yes[every, at]
    return np.asarray(known.leaves[every, at - (2**DEPTH - 1)].sum(axis=0) / 1000)


def _share(value: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-np.clip(value, -30, 30))))


def _shares(sums: NDArray[np.float64]) -> tuple[float, float, float]:
    odds = np.exp(sums - sums.max())
    none, partial, full = (odds / odds.sum()).tolist()
    return none, partial, full
