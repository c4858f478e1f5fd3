"""Gradient boosting of small trees in numpy, for `refusal_corpus_layer.py`.

Three trees a round, one for each class, fitted to the slope and the curve of the multinomial loss (Friedman 2001,
doi:10.1214/aos/1013203451, with the second-order leaves of doi:10.1145/2939672.2939785). There is no chance in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from refusal_corpus_weights import DEPTH

ROUNDS, RATE, PENALTY, LEAST = 60, 0.1, 5.0, 3.0
"""Rounds, share of each leaf that is taken, penalty of a leaf, and the least curve on either side of an edge."""
MOST_EDGES = 23
"""Edges tried for one number."""
NEVER = 1e9
"""The edge of a question that is not asked."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(slots=True)
class Tree:
    """Numbers asked for, edges above which the answer is yes, and leaves times a thousand for the three classes."""

    asks: list[int]
    edges: list[float]
    leaves: list[list[int]]


def edges_of(table: Floats) -> list[Floats]:
    """Edges for each number: between its values, or its quantiles when it has many."""
    found = []
    for column in table.T:
        values = np.unique(column)
        if len(values) <= MOST_EDGES + 1:
            edges = (values[:-1] + values[1:]) / 2
        else:
            edges = np.quantile(column, np.linspace(0, 1, MOST_EDGES + 2)[1:-1])
        found.append(np.unique(np.round(edges, 4)))
    return found


def boost(table: Floats, labels: Integers, amounts: Floats) -> list[Tree]:
    """Trees for a table of numbers, one row a reply, with its class and its weight."""
    edges = edges_of(table)
    width = max(len(one) for one in edges) + 1
    codes = np.stack([np.searchsorted(one, column, side="left") for one, column in zip(edges, table.T, strict=True)], 1)
    wanted = np.eye(3)[labels]
    sums = np.zeros((len(labels), 3))
    trees = []
    for _ in range(ROUNDS):
        odds = np.exp(sums - sums.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        for label in range(3):
            slope = (odds[:, label] - wanted[:, label]) * amounts
            curve = odds[:, label] * (1 - odds[:, label]) * amounts + 1e-9
            asks, places, leaves, node = _grow(codes, width, slope, curve)
            thousandths = np.round(leaves * RATE * 1000).astype(int)
            sums[:, label] += thousandths[node] / 1000
            real = [
                float(edges[ask][at]) if at < len(edges[ask]) else NEVER for ask, at in zip(asks, places, strict=True)
            ]
            one_class = np.zeros((len(leaves), 3), dtype=int)
            one_class[:, label] = thousandths
            trees.append(Tree(asks.tolist(), real, one_class.tolist()))
    return trees


def _grow(codes: Integers, width: int, slope: Floats, curve: Floats) -> tuple[Integers, Integers, Floats, Integers]:
    count, numbers = codes.shape
    node = np.zeros(count, dtype=np.int64)
    asks = np.zeros(2**DEPTH - 1, dtype=np.int64)
    places = np.full(2**DEPTH - 1, width, dtype=np.int64)
    for level in range(DEPTH):
        nodes = 2**level
        flat = ((node[:, None] * numbers + np.arange(numbers)) * width + codes).ravel()
        shape = (nodes, numbers, width)
        slopes, curves = (
            np.bincount(flat, np.repeat(value, numbers), nodes * numbers * width).reshape(shape).cumsum(axis=2)
            for value in (slope, curve)
        )
        all_slopes, all_curves = slopes[:, :1, -1:], curves[:, :1, -1:]
        gain = (
            slopes**2 / (curves + PENALTY)
            + (all_slopes - slopes) ** 2 / (all_curves - curves + PENALTY)
            - all_slopes**2 / (all_curves + PENALTY)
        )
        gain[(curves < LEAST) | (all_curves - curves < LEAST)] = -1
        gain = np.round(gain.reshape(nodes, -1), 9)
        best = gain.argmax(axis=1)
        for at in range(nodes):
            if gain[at, best[at]] > 0:
                asks[nodes - 1 + at], places[nodes - 1 + at] = divmod(int(best[at]), width)
        here = nodes - 1 + node
        node = 2 * node + (codes[np.arange(count), asks[here]] > places[here])
    leaves = -np.bincount(node, slope, 2**DEPTH) / (np.bincount(node, curve, 2**DEPTH) + PENALTY)
    return asks, places, leaves, node
