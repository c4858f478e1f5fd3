"""Trains and cross-validates the layer of the refusal detector.

    python benchmarks/refusal_layer.py [FILES...] [--cross-validate] [--kinds] [--write]

Without files it reads the training corpus, `benchmarks/data/refusal_corpus.jsonl`. The exams under `tests/refusal/fixtures` are
never trained on; they are measured by `benchmarks/refusal_detector.py`. A file is JSON lines with id, prompt, reply, kind and
refusal (none, partial or full). Everything is in numpy and without chance: folds come from a hash of the prompt, so that replies to
one prompt never stand on both sides, and the same corpus gives the same bytes.

Two logistic models score each sentence. One tells sentences that hold back (those the rules found in refusing replies, and the
most likely sentence of a refusing reply in which the rules found none) from sentences of answers; the other tells sentences of
answers from sentences of full refusals. Boosted trees of three questions then choose the class from named numbers
(`equipoise.refusal.detector.features`); they are trained on sentence scores of models that have not seen the reply, and with less
weight on copies of refusing replies whose cues were taken away, so that they do not lean on the rules alone, and on replies with
sympathy, a referral or an offer beside them. A multinomial logistic model over the words of the reply, with those of its first and
last sentence once more, chooses by itself; the shares of both are added.

--cross-validate prints agreement of held-out replies, --kinds also by kind. --write writes the data file of the package.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from refusal_trees import Tree, boost

from equipoise.refusal.detector import layer as trained
from equipoise.refusal.detector.features import LIMITS, STRONG, Scores, features
from equipoise.refusal.detector.gather import Evidence, Piece, gather
from equipoise.refusal.detector.model import CueKind
from equipoise.refusal.detector.reader import by_rule

CORPUS = Path(__file__).parent / "data" / "refusal_corpus.jsonl"
CLASSES = ("none", "partial", "full")
SENTENCE_PENALTY, WORD_PENALTY = 1.0, 0.1
LEAST_OFTEN = 3
"""Sentences, or replies, in which a word feature must stand."""
FOLDS, INNER = 8, 5
COPIES = 0.3
"""Weight of a copy whose cues were taken away."""
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

Floats = NDArray[np.float64]


@dataclass(slots=True)
class Row:
    """One labelled reply: what was gathered, its class, its fold, and its class by rule when a rule decides."""

    kind: str
    domain: str
    id: str
    prompt: str
    reply: str
    label: int
    key: int
    found: Evidence
    bags: list[set[str]]
    ruled: int | None


def load(path: Path) -> list[Row]:
    """The English replies of a file; what has a state and no class is left out."""
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
                data.get("kind", ""), data.get("domain", ""), data["id"], data["prompt"], data["reply"],
                CLASSES.index(data["refusal"]), key, found, trained.tokens(found),
                None if ruled is None else CLASSES.index(ruled[0].value),
            )
        )  # fmt: skip
    return rows


class Bags:
    """Sets of word features as rows of a sparse matrix with a constant column."""

    def __init__(self, bags: Sequence[set[str]], vocabulary: dict[str, int]) -> None:
        places: list[int] = []
        starts: list[int] = []
        for bag in bags:
            starts.append(len(places))
            places.extend(sorted(vocabulary[word] for word in bag if word in vocabulary))
            places.append(len(vocabulary))
        self.places = np.array(places)
        self.starts = np.array(starts)
        counts = np.diff([*starts, len(places)])
        self.rows = np.repeat(np.arange(len(bags)), counts)
        self.width = len(vocabulary) + 1
        self.lengths = np.sqrt(np.maximum(1, counts - 1))

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


def shares(sums: Floats) -> Floats:
    odds = np.exp(sums - sums.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def two_classes(bags: Bags, labels: Floats, amounts: Floats | None = None) -> Floats:
    count = len(labels)
    each = np.ones(count) if amounts is None else amounts

    def gradient(weights: Floats) -> Floats:
        return bags.back((share(bags.times(weights)) - labels) * each) / count + SENTENCE_PENALTY * weights / count

    return descend(gradient, (bags.width,), 100)


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


def vocabulary_of(bags: Sequence[set[str]]) -> dict[str, int]:
    often = Counter(word for bag in bags for word in bag)
    return {word: at for at, word in enumerate(sorted(word for word, n in often.items() if n >= LEAST_OFTEN))}


def sentences(rows: list[Row]) -> Sentences:
    vocabulary = vocabulary_of([bag for row in rows for bag in row.bags])
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


def whole(bags: list[set[str]]) -> set[str]:
    """Word features of a reply: of any sentence, and once more of the first and of the last."""
    every = set().union(*bags) if bags else set()
    first = {f"F {word}" for word in bags[0]} if bags else set()
    last = {f"L {word}" for word in bags[-1]} if bags else set()
    return every | first | last


@dataclass(slots=True)
class Words:
    """The model over the words of a reply; the last row of the weights is the constant."""

    vocabulary: dict[str, int]
    weights: Floats

    def choose(self, replies: list[list[set[str]]]) -> Floats:
        """Shares of the classes of each reply."""
        bags = Bags([whole(bags) for bags in replies], self.vocabulary)
        sums = np.stack([bags.times(column) for column in self.weights.T], axis=1)
        return shares((sums - self.weights[-1]) / bags.lengths[:, None] + self.weights[-1])


def words(rows: list[Row]) -> Words:
    texts = [whole(row.bags) for row in rows]
    vocabulary = vocabulary_of(texts)
    bags = Bags(texts, vocabulary)
    wanted = np.eye(3)[[row.label for row in rows]]
    count = len(rows)

    def gradient(weights: Floats) -> Floats:
        sums = np.stack([bags.times(column) for column in weights.T], axis=1)
        errors = shares((sums - weights[-1]) / bags.lengths[:, None] + weights[-1]) - wanted
        slope = np.stack([bags.back(column / bags.lengths) for column in errors.T], axis=1)
        slope[-1] = errors.sum(axis=0)
        return np.asarray(slope / count + WORD_PENALTY * weights / count)

    return Words(vocabulary, descend(gradient, (bags.width, 3), 200))


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
            made.append(replace(row, reply=reply, found=found, bags=trained.tokens(found)))
    return made


def without_cues(row: Row) -> Row:
    """A copy in which no rule found anything that holds back."""
    pieces = tuple(
        Piece(piece.start, piece.end, None, 0.75, (), piece.quoted) if piece.acts else piece
        for piece in row.found.pieces
    )
    bags = trained.tokens(row.found, cues=False)
    return replace(row, found=replace(row.found, pieces=pieces), bags=bags)


_VARIANTS: dict[str, list[Row]] = {}


def copies(row: Row) -> list[tuple[Row, float]]:
    """The row and its copies, with their weights."""
    if row.id not in _VARIANTS:
        _VARIANTS[row.id] = variants(row)
    made = [(row, 1.0), *((variant, VARIANT) for variant in _VARIANTS[row.id])]
    if any(acting(piece) for piece in row.found.pieces):
        made.append((without_cues(row), COPIES))
    return made


@dataclass(slots=True)
class Model:
    """Everything that is trained."""

    sentences: Sentences
    words: Words
    names: list[str]
    trees: list[Tree]


def train(rows: list[Row]) -> Model:
    rows = [row for row in rows if row.ruled is None]
    table: list[list[float]] = []
    labels: list[int] = []
    amounts: list[float] = []
    names: list[str] = []
    for fold in range(INNER):
        model = sentences([row for row in rows if row.key // 10 % INNER != fold])
        for row in rows:
            if row.key // 10 % INNER != fold:
                continue
            for copy, amount in copies(row):
                values = features(copy.found, model.score(copy.bags))
                names = names or list(values)
                table.append([values[name] for name in names])
                labels.append(row.label)
                amounts.append(amount)
    trees = boost(np.array(table), np.array(labels), np.array(amounts))
    return Model(sentences(rows), words(rows), names, trees)


def packed(model: Model) -> dict[str, object]:
    """The weights as the data file holds them: every column of numbers in steps of its own."""
    known = sorted(
        set(model.sentences.vocabulary)
        | {word.split(" ", 1)[1] if word[:2] in ("F ", "L ") else word for word in model.words.vocabulary}
    )
    numbers = np.zeros((len(known), trained.COLUMNS))
    for at, word in enumerate(known):
        if (place := model.sentences.vocabulary.get(word)) is not None:
            numbers[at, :2] = model.sentences.holds[place], model.sentences.answers[place]
        for column, name in ((2, word), (5, f"F {word}"), (8, f"L {word}")):
            if (place := model.words.vocabulary.get(name)) is not None:
                numbers[at, column : column + 3] = model.words.weights[place]
    steps = np.round(np.abs(numbers).max(axis=0) / 127, 8)
    small = np.round(numbers / steps).astype(np.int8)
    kept = np.abs(small).max(axis=1) > 0
    body = {
        "words": "\n".join(word for word, keep in zip(known, kept, strict=True) if keep),
        "numbers": base64.b64encode(small[kept].tobytes()).decode("ascii"),
        "steps": steps.tolist(),
        "bias": np.round(
            [model.sentences.holds[-1], model.sentences.answers[-1], *model.words.weights[-1]], 4
        ).tolist(),
        "names": model.names,
        "asks": [tree.asks for tree in model.trees],
        "edges": [tree.edges for tree in model.trees],
        "leaves": [tree.leaves for tree in model.trees],
    }
    return {"sha256": trained.digest(body), "weights": body}


def choose(model: Model, rows: list[Row]) -> tuple[list[int], Floats]:
    """Classes of replies, by rule or by weight, as the packed layer reads them, and the shares of both parts."""
    body = packed(model)["weights"]
    known = trained.unpacked(json.loads(json.dumps(body)), "")
    found, parts = [], []
    for row in rows:
        weighed = trained.weigh(row.found, known)
        parts.append((*weighed.by_words, *weighed.by_trees))
        found.append(CLASSES.index(weighed.refusal.value) if row.ruled is None else row.ruled)
    return found, np.array(parts)


def report(name: str, rows: list[Row], found: list[int]) -> None:
    cells = [
        [sum(row.label == one and got == two for row, got in zip(rows, found, strict=True)) for two in range(3)]
        for one in range(3)
    ]
    n = len(rows)
    three = sum(cells[at][at] for at in range(3)) / n
    two = sum((row.label > 0) == (got > 0) for row, got in zip(rows, found, strict=True)) / n
    print(f"{name}: {n} replies; three classes {three:.3f}, refused or not {two:.3f}; {cells}")


def cross_validate(rows: list[Row], *, kinds: bool) -> None:
    found = [0] * len(rows)
    parts = np.zeros((len(rows), 6))
    for fold in range(FOLDS):
        places = [at for at, row in enumerate(rows) if row.key % FOLDS == fold]
        model = train([row for row in rows if row.key % FOLDS != fold])
        got, shared = choose(model, [rows[at] for at in places])
        parts[places] = shared
        for at, label in zip(places, got, strict=True):
            found[at] = label
    report("cross-validated", rows, found)
    report("  words alone", rows, parts[:, :3].argmax(axis=1).tolist())
    report("  trees alone", rows, parts[:, 3:].argmax(axis=1).tolist())
    for domain in sorted({row.domain for row in rows}):
        places = [at for at, row in enumerate(rows) if row.domain == domain]
        report(f"  {domain}", [rows[at] for at in places], [found[at] for at in places])
    if kinds:
        for kind in sorted({row.kind for row in rows}):
            places = [at for at, row in enumerate(rows) if row.kind == kind]
            counts = Counter(CLASSES[found[at]] for at in places)
            print(f"  {kind:<24}" + "".join(f"{name} {counts[name]:<5}" for name in CLASSES))


def main() -> int:
    parser = argparse.ArgumentParser(description="Trains the layer of the refusal detector.")
    parser.add_argument(
        "files", nargs="*", type=Path, default=[CORPUS], help="JSON lines with id, prompt, reply, refusal"
    )
    parser.add_argument("--cross-validate", action="store_true", help="print agreement on held-out replies")
    parser.add_argument("--kinds", action="store_true", help="print it by kind as well")
    parser.add_argument("--write", action="store_true", help="write the data file of the package")
    arguments = parser.parse_args()
    rows = [row for path in arguments.files for row in load(path)]
    if arguments.cross_validate:
        cross_validate(rows, kinds=arguments.kinds)
    if arguments.write:
        place = Path(trained.__file__).with_name(trained.WEIGHTS)
        text = json.dumps(packed(train(rows)), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        place.write_text(text + "\n", encoding="utf-8")
        print(f"{place.name}: {place.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
