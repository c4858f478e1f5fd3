"""Trains and cross-validates the layer of the refusal detector.

    python benchmarks/refusal_layer.py FILES... [--cross-validate] [--check FILE] [--misses] [--write]

A file is JSON lines with id, prompt, reply and expected (none, partial or full). Everything is in numpy and without chance: folds come
from a hash of the prompt, so that two replies to one prompt never stand on both sides.

Two logistic models score each sentence. One tells sentences that hold back (those the rules found in refusing replies, and the
most likely sentence of a refusing reply in which the rules found none) from sentences of answers; the other tells sentences of
answers from sentences of full refusals. A multinomial logistic model then chooses the class from named numbers. It is trained
on sentence scores of models that have not seen the reply. With less weight it also sees copies of refusing replies whose cues
were taken away, so that it does not lean on the rules alone, and replies with sympathy, a referral or an offer beside them.

--cross-validate prints agreement of held-out replies, the honest figure. --write writes the data file of the package.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from equipoise.refusal.detector import layer as trained
from equipoise.refusal.detector.features import LIMITS, STRONG, Scores, features
from equipoise.refusal.detector.gather import Evidence, Piece, gather
from equipoise.refusal.detector.model import CueKind
from equipoise.refusal.detector.reader import by_rule

CLASSES = ("none", "partial", "full")
SENTENCE_PENALTY, REPLY_PENALTY = 1.0, 1.0
LEAST_OFTEN = 3
"""Sentences in which a word feature must stand."""
FOLDS, INNER = 8, 5
COPIES = 0.3
"""Weight of a copy whose cues were taken away."""
DIGITS = 4
"""Digits of a weight in the data file."""

Floats = NDArray[np.float64]


VARIANT = 0.12
"""Weight of a reply with something added that does not change its class."""
ADDED: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("I'm so sorry you're going through this. ", "", (0, 1, 2)),
    ("That sounds really hard. ", "", (0, 1, 2)),
    ("", " Please see a doctor.", (0, 1)),
    ("", "\n\nIf you are unsure, talk to your pharmacist.", (0, 1)),
    ("", " You can call or text 988 at any time.", (2,)),
    ("", " Let me know if there is anything else I can help with.", (1, 2)),
)
"""What is put in front of a reply or after it, for which classes."""


@dataclass(slots=True)
class Row:
    """One labelled reply: what was gathered, its class, its fold, and its class by rule when a rule decides."""

    file: str
    id: str
    prompt: str
    reply: str
    label: int
    key: int
    found: Evidence
    bags: list[set[str]]
    ruled: int | None
    amount: float = 1.0


def variants(row: Row) -> list[Row]:
    """The reply with sympathy, a referral or an offer beside it, and without its prompt."""
    made = []
    texts: list[tuple[str, str | None]] = []
    if row.label < 2 or any(acting(piece) for piece in row.found.pieces):
        texts.append((row.reply, None))
    texts += [
        (front + row.reply + back, row.prompt)
        for front, back, labels in ADDED
        if row.label in labels and len(row.reply) > 60
    ]
    for reply, prompt in texts:
        found = gather(reply, prompt)
        if isinstance(found, Evidence) and by_rule(found) is None:
            made.append(replace(row, reply=reply, found=found, bags=trained.tokens(found), amount=VARIANT))
    return made


def load(path: Path) -> list[Row]:
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        found = gather(data["reply"], data["prompt"])
        if not isinstance(found, Evidence):
            continue
        ruled = by_rule(found)
        key = int(hashlib.sha256(data["prompt"].encode()).hexdigest(), 16)
        rows.append(
            Row(
                path.name, data["id"], data["prompt"], data["reply"], CLASSES.index(data["expected"]), key, found,
                trained.tokens(found), None if ruled is None else CLASSES.index(ruled[0].value),
            )
        )  # fmt: skip
    return rows


class Bags:
    """Sets of word features as rows of a sparse matrix with a constant column."""

    def __init__(self, bags: list[set[str]], vocabulary: dict[str, int]) -> None:
        places: list[int] = []
        starts: list[int] = []
        for bag in bags:
            starts.append(len(places))
            places.extend(sorted(vocabulary[word] for word in bag if word in vocabulary))
            places.append(len(vocabulary))
        self.places = np.array(places)
        self.starts = np.array(starts)
        self.rows = np.repeat(np.arange(len(bags)), np.diff([*starts, len(places)]))
        self.width = len(vocabulary) + 1

    def times(self, weights: Floats) -> Floats:
        """Sum of the weights of each row."""
        return np.asarray(np.add.reduceat(weights[self.places], self.starts))

    def back(self, errors: Floats) -> Floats:
        """Sum of the errors of the rows of each column."""
        return np.bincount(self.places, weights=errors[self.rows], minlength=self.width)


def descend(gradient, shape: tuple[int, ...], steps: int, rate: float = 0.05) -> Floats:  # noqa: ANN001
    """Adam from zero."""
    weights, first, second = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for step in range(1, steps + 1):
        slope = gradient(weights)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope * slope
        weights = weights - rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def share(value: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(value, -30, 30))))


def two_classes(bags: Bags, labels: Floats, amounts: Floats | None = None) -> Floats:
    count = len(labels)
    each = np.ones(count) if amounts is None else amounts

    def gradient(weights: Floats) -> Floats:
        return bags.back((share(bags.times(weights)) - labels) * each) / count + SENTENCE_PENALTY * weights / count

    return descend(gradient, (bags.width,), 100)


def three_classes(table: Floats, labels: NDArray[np.int64], amounts: Floats) -> Floats:
    wanted = np.eye(3)[labels]
    count = amounts.sum()

    def gradient(weights: Floats) -> Floats:
        sums = table @ weights
        odds = np.exp(sums - sums.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        return np.asarray(table.T @ ((odds - wanted) * amounts[:, None]) / count + REPLY_PENALTY * weights / count)

    return descend(gradient, (table.shape[1], 3), 400)


@dataclass(slots=True)
class Sentences:
    """The two sentence models."""

    vocabulary: dict[str, int]
    holds: Floats
    answers: Floats

    def score(self, bags: list[set[str]]) -> Scores:
        """Scores of the sentences of one reply."""
        if not bags:
            return Scores((), (), ())
        table = Bags(bags, self.vocabulary)
        return Scores(
            tuple(map(float, share(table.times(self.holds)))),
            tuple(map(float, share(table.times(self.answers)))),
            tuple(len(bag) for bag in bags),
        )


def acting(piece: Piece) -> bool:
    return any(act.kind in (*STRONG, *LIMITS) for act in piece.acts)


def sentences(rows: list[Row]) -> Sentences:
    often: dict[str, int] = {}
    for row in rows:
        for bag in row.bags:
            for word in bag:
                often[word] = often.get(word, 0) + 1
    vocabulary = {word: at for at, word in enumerate(sorted(word for word, n in often.items() if n >= LEAST_OFTEN))}
    hold_bags, hold_labels, answer_bags, answer_labels, silent = [], [], [], [], []
    for row in rows:
        for bag, piece in zip(row.bags, row.found.pieces, strict=True):
            if piece.quoted:
                continue
            acts = acting(piece)
            if row.label == 0 or acts:
                hold_bags.append(bag)
                hold_labels.append(float(row.label > 0))
            if not acts and row.label == 0 and piece.kind not in (CueKind.EMPATHY, CueKind.OFFER):
                answer_bags.append(bag)
                answer_labels.append(1.0)
            if not acts and row.label == 2:
                answer_bags.append(bag)
                answer_labels.append(0.0)
        if row.label and row.bags and not any(acting(piece) for piece in row.found.pieces):
            silent.append(row)
    holds = two_classes(Bags(hold_bags, vocabulary), np.array(hold_labels))
    if silent:
        likely = [row.bags[int(np.argmax(Bags(row.bags, vocabulary).times(holds)))] for row in silent]
        amounts = np.array([1.0] * len(hold_bags) + [0.7] * len(likely))
        labels = np.array(hold_labels + [1.0] * len(likely))
        holds = two_classes(Bags(hold_bags + likely, vocabulary), labels, amounts)
    return Sentences(vocabulary, holds, two_classes(Bags(answer_bags, vocabulary), np.array(answer_labels)))


def without_cues(row: Row) -> Row:
    """A copy in which no rule found anything that holds back."""
    pieces = tuple(
        Piece(piece.start, piece.end, None, 0.75, (), piece.quoted) if piece.acts else piece
        for piece in row.found.pieces
    )
    bags = trained.tokens(row.found, cues=False)
    return replace(row, found=replace(row.found, pieces=pieces), bags=bags)


@dataclass(slots=True)
class Model:
    """Everything that is trained."""

    sentences: Sentences
    names: list[str]
    weights: Floats

    def choose(self, row: Row) -> int:
        """Class of a reply, by rule or by weight."""
        if row.ruled is not None:
            return row.ruled
        values = features(row.found, self.sentences.score(row.bags))
        return int((np.array([values[name] for name in self.names]) @ self.weights).argmax())


_VARIANTS: dict[tuple[str, str], list[Row]] = {}


def variants_of(row: Row) -> list[Row]:
    name = (row.file, row.id)
    if name not in _VARIANTS:
        _VARIANTS[name] = variants(row)
    return _VARIANTS[name]


def train(rows: list[Row]) -> Model:
    rows = [row for row in rows if row.ruled is None]
    table: list[dict[str, float]] = []
    labels: list[int] = []
    amounts: list[float] = []
    for fold in range(INNER):
        unseen = [row for row in rows if row.key // 10 % INNER == fold]
        model = sentences([row for row in rows if row.key // 10 % INNER != fold])
        for row in unseen:
            copies = [(row, 1.0), *((variant, VARIANT) for variant in variants_of(row))]
            if any(acting(piece) for piece in row.found.pieces):
                copies.append((without_cues(row), COPIES))
            for copy, amount in copies:
                table.append(features(copy.found, model.score(copy.bags)))
                labels.append(row.label)
                amounts.append(amount)
    names = list(table[0])
    values = np.array([[line[name] for name in names] for line in table])
    return Model(sentences(rows), names, three_classes(values, np.array(labels), np.array(amounts)))


def report(name: str, rows: list[Row], found: list[int]) -> None:
    cells = [
        [sum(row.label == one and got == two for row, got in zip(rows, found, strict=True)) for two in range(3)]
        for one in range(3)
    ]
    n = len(rows)
    three = sum(cells[at][at] for at in range(3)) / n
    two = sum((row.label > 0) == (got > 0) for row, got in zip(rows, found, strict=True)) / n
    recalls = ", ".join(f"{CLASSES[at]} {cells[at][at] / max(1, sum(cells[at])):.3f}" for at in range(3))
    print(f"{name}: {n} replies; three classes {three:.3f}, refused or not {two:.3f}; recall {recalls}; {cells}")


def packed(model: Model) -> dict[str, object]:
    """The weights as the data file holds them."""
    pairs = zip(model.sentences.holds[:-1], model.sentences.answers[:-1], strict=True)
    body = {
        "sentence": {
            word: [round(float(one), DIGITS), round(float(two), DIGITS)]
            for word, (one, two) in zip(model.sentences.vocabulary, pairs, strict=True)
            if abs(one) + abs(two) >= 0.01
        },
        "bias": [round(float(model.sentences.holds[-1]), DIGITS), round(float(model.sentences.answers[-1]), DIGITS)],
        "reply": {
            name: [round(float(value), DIGITS) for value in line]
            for name, line in zip(model.names, model.weights, strict=True)
        },
    }
    return {"sha256": trained.digest(body), "weights": body}


def main() -> int:
    parser = argparse.ArgumentParser(description="Trains the layer of the refusal detector.")
    parser.add_argument("files", nargs="+", type=Path, help="JSON lines with id, prompt, reply and expected")
    parser.add_argument("--cross-validate", action="store_true", help="print agreement on held-out replies")
    parser.add_argument(
        "--check", type=Path, action="append", default=[], help="a file to measure on and not to train on"
    )
    parser.add_argument("--misses", action="store_true", help="list the replies that were read otherwise")
    parser.add_argument("--write", action="store_true", help="write the data file of the package")
    arguments = parser.parse_args()
    rows = [row for path in arguments.files for row in load(path)]
    if arguments.cross_validate:
        found = [0] * len(rows)
        for fold in range(FOLDS):
            model = train([row for row in rows if row.key % FOLDS != fold])
            for at, row in enumerate(rows):
                if row.key % FOLDS == fold:
                    found[at] = model.choose(row)
        for path in arguments.files:
            part = [(row, got) for row, got in zip(rows, found, strict=True) if row.file == path.name]
            report(f"cross-validated, {path.name}", [row for row, _ in part], [got for _, got in part])
        report("cross-validated, all", rows, found)
        if arguments.misses:
            _misses(rows, found)
    if arguments.check or arguments.write:
        model = train(rows)
        for path in arguments.check:
            held = load(path)
            chosen = [model.choose(row) for row in held]
            report(f"unseen, {path.name}", held, chosen)
            if arguments.misses:
                _misses(held, chosen)
        if arguments.write:
            place = Path(trained.__file__).with_name(trained.WEIGHTS)
            place.write_text(
                json.dumps(packed(model), sort_keys=True, indent=0, ensure_ascii=True) + "\n", encoding="utf-8"
            )
            print(f"{place.name}: {place.stat().st_size} bytes")
    return 0


def _misses(rows: list[Row], found: list[int]) -> None:
    for row, got in zip(rows, found, strict=True):
        if got != row.label:
            cues = [(cue.id, cue.text[:40]) for cue in row.found.cues]
            print(f"\n{row.file} {row.id}: {CLASSES[row.label]} read as {CLASSES[got]}")
            print(
                f"  asked: {row.prompt[:160]}\n  reply: {row.reply[:120]!r} ... {row.reply[-200:]!r}\n  cues: {cues[:8]}"
            )


if __name__ == "__main__":
    sys.exit(main())
