"""The trained layer: a logistic score for each sentence, and a multinomial logistic choice of the class over named numbers.

The weights are a data file beside this module, made by `benchmarks/refusal_layer.py` from hand-labelled replies. They are
read once, checked against their own hash, and summed exactly, so that a reading is the same on every run.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from equipoise.errors import ConfigurationError
from equipoise.refusal.detector.features import Scores
from equipoise.refusal.detector.gather import Evidence, Piece
from equipoise.refusal.detector.words import words
from equipoise.refusal.terms import Refusal

WEIGHTS = "layer.json"
"""Name of the data file."""
CLASSES = (Refusal.NONE, Refusal.PARTIAL, Refusal.FULL)
"""Order of the weights of a feature."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights of the layer.

    Attributes:
        sentence: for each word feature, its weight for holding back and for answering.
        bias: the two weights of every sentence.
        reply: for each named number, its weight for the three classes.
        digest: SHA-256 of the weights in canonical JSON, 64 hexadecimal digits.
    """

    sentence: dict[str, tuple[float, float]]
    bias: tuple[float, float]
    reply: dict[str, tuple[float, float, float]]
    digest: str


def digest(body: dict[str, Any]) -> str:
    """SHA-256 of weights in canonical JSON."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


@cache
def layer() -> Layer:
    """The weights of the data file.

    Raises:
        ConfigurationError: the file does not match its own hash.
    """
    whole = json.loads(files(__package__).joinpath(WEIGHTS).read_text(encoding="utf-8"))
    body = whole["weights"]
    if digest(body) != whole["sha256"]:
        message = f"{WEIGHTS}: the weights of the refusal detector do not match their hash; reinstall the package"
        raise ConfigurationError(message)
    return Layer(
        sentence={name: (one, two) for name, (one, two) in body["sentence"].items()},
        bias=(body["bias"][0], body["bias"][1]),
        reply={name: (one, two, three) for name, (one, two, three) in body["reply"].items()},
        digest=whole["sha256"],
    )


def tokens(found: Evidence, *, cues: bool = True) -> list[set[str]]:
    """Word features of each sentence; without the rules' cues where `cues` is false."""
    spoken = [at for at, piece in enumerate(found.pieces) if piece.kind is None or piece.acts] or [0]
    return [
        words(
            (found.low if piece.quoted else found.voiced)[piece.start : piece.end],
            found.wanted.words,
            _kinds(piece) if cues or not piece.acts else (),
            first=at == spoken[0],
            last=at == spoken[-1],
        )
        for at, piece in enumerate(found.pieces)
    ]


def _kinds(piece: Piece) -> tuple[str, ...]:
    kinds = {act.kind.value for act in piece.acts}
    if piece.kind is not None:
        kinds.add(piece.kind.value)
    return tuple(sorted(kinds))


def scores(found: Evidence) -> Scores:
    """Scores of the sentences of a reply."""
    known = layer()
    holds, answers, lengths = [], [], []
    for bag in tokens(found):
        pairs = [known.sentence[word] for word in bag if word in known.sentence]
        holds.append(_share(known.bias[0] + math.fsum([pair[0] for pair in pairs])))
        answers.append(_share(known.bias[1] + math.fsum([pair[1] for pair in pairs])))
        lengths.append(len(bag))
    return Scores(tuple(holds), tuple(answers), tuple(lengths))


def _share(value: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


def decide(row: dict[str, float]) -> Refusal:
    """The class with the highest sum; the earlier one of two that are equal."""
    known = layer().reply
    pairs = [(value, known[name]) for name, value in row.items() if value and name in known]
    sums = [math.fsum([value * weights[at] for value, weights in pairs]) for at in range(3)]
    return CLASSES[max(range(3), key=lambda at: sums[at])]
