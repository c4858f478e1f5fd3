"""Trains and measures the layer that rests on the training corpus alone; it is no part of the package.

    python benchmarks/refusal_corpus_layer.py [FILES...] [--cross-validate] [--kinds] [--check FILE] [--write FILE]

Why it was not taken over is in `docs/refusal-detector.md`. Without files it reads `benchmarks/data/refusal_corpus.jsonl`. A file is
JSON lines with id, prompt, reply, kind and refusal (none, partial or full). Everything is in numpy and without chance: folds come
from a hash of the prompt, so that replies to one prompt never stand on both sides, and the same corpus gives the same bytes.

The two sentence models are those of `refusal_layer.py`. Boosted trees of three questions choose the class from named numbers; they
are trained on sentence scores of models that have not seen the reply, and with less weight on copies whose cues were taken away or
that have sympathy, a referral or an offer beside them. A multinomial logistic model over the words of the reply, with those of its
first and last sentence once more, chooses by itself; the shares of both are added. Rows are weighted so that the classes count alike
among replies of like length, and copies of other lengths are added, because refusals of the corpus are shorter than its answers.

--cross-validate prints agreement on held-out replies of the corpus, plain and with lengths balanced, --kinds also by kind.
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
from typing import Any

import numpy as np
from numpy.typing import NDArray
from refusal_corpus_weights import COLUMNS, unpacked, weigh
from refusal_layer import ADDED, COPIES, VARIANT, Bags, Sentences, acting, descend, sentences, without_cues
from refusal_trees import Tree, boost

from equipoise.refusal.detector import layer as trained
from equipoise.refusal.detector.features import features
from equipoise.refusal.detector.gather import Evidence, gather
from equipoise.refusal.detector.reader import by_rule

CORPUS = Path(__file__).parent / "data" / "refusal_corpus.jsonl"
CLASSES = ("none", "partial", "full")
WORD_PENALTY = 0.1
LEAST_OFTEN = 3
"""Sentences, or replies, in which a word feature must stand."""
FOLDS, INNER = 4, 4
DROPPED = ("size", "sentences")
"""Named numbers that only tell the length."""
LENGTHS = (12, 20, 30, 42, 58, 80)
"""Words of a reply at which a group of like length ends; the last group has no end."""
MOST_WEIGHT = 4.0
"""Most that a row counts when classes of like length are made to count alike."""
JOINED = 0.5
"""Weight of a full refusal with talk after it, and of an answer cut short."""
TALK = (
    "deflection",
    "lecture",
    "redirect-offers",
    "crisis-only",
    "referral-only",
    "alternatives-only",
    "other-question",
)
"""Kinds that give nothing of what was asked, so that they may stand after any refusal."""
CUT = (
    "plain-answer",
    "professional-answer",
    "negative-answer",
    "false-premise",
    "uncertain-answer",
    "code-list",
    "complied-standin",
)
"""Kinds of answer whose first sentences alone are an answer."""

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
                CLASSES.index(data["refusal"] if "refusal" in data else data["expected"]), key, found, trained.tokens(found),
                None if ruled is None else CLASSES.index(ruled[0].value),
            )
        )  # fmt: skip
    return rows


def shares(sums: Floats) -> Floats:
    odds = np.exp(sums - sums.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def vocabulary_of(bags: Sequence[set[str]]) -> dict[str, int]:
    often = Counter(word for bag in bags for word in bag)
    return {word: at for at, word in enumerate(sorted(word for word, n in often.items() if n >= LEAST_OFTEN))}


def lengths_of(bags: Bags) -> Floats:
    """Root of the number of known words of each row."""
    return np.sqrt(np.maximum(1, np.bincount(bags.rows) - 1))


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
        lengths = lengths_of(bags)
        sums = np.stack([bags.times(column) for column in self.weights.T], axis=1)
        return shares((sums - self.weights[-1]) / lengths[:, None] + self.weights[-1])


def words(rows: list[Row], amounts: Floats) -> Words:
    texts = [whole(row.bags) for row in rows]
    vocabulary = vocabulary_of(texts)
    bags = Bags(texts, vocabulary)
    lengths = lengths_of(bags)
    wanted = np.eye(3)[[row.label for row in rows]]
    count = len(rows)

    def gradient(weights: Floats) -> Floats:
        sums = np.stack([bags.times(column) for column in weights.T], axis=1)
        errors = shares((sums - weights[-1]) / lengths[:, None] + weights[-1]) - wanted
        errors *= amounts[:, None]
        slope = np.stack([bags.back(column / lengths) for column in errors.T], axis=1)
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
    kept = [text for at, text in enumerate(texts) if (row.key // 100 + at) % 4 == 0]
    for reply, prompt in kept:
        found = gather(reply, prompt)
        if isinstance(found, Evidence) and by_rule(found) is None:
            made.append(replace(row, reply=reply, found=found, bags=trained.tokens(found)))
    return made


def balance(rows: list[Row]) -> Floats:
    """Weights that make the three classes count alike among replies of like length, so that length says nothing."""
    groups = [int(np.searchsorted(LENGTHS, len(row.reply.split()))) for row in rows]
    counts = Counter((group, row.label) for group, row in zip(groups, rows, strict=True))
    sizes = Counter(groups)
    weights = [
        min(MOST_WEIGHT, sizes[group] / (3 * counts[group, row.label])) for group, row in zip(groups, rows, strict=True)
    ]
    return np.array(weights) * len(rows) / sum(weights)


def lengthened(rows: list[Row]) -> list[Row]:
    """Full refusals with talk of another reply after them, and answers cut after a sentence or two."""
    made = []
    talk = [row for row in rows if row.kind in TALK]
    for row in rows:
        text = ""
        if row.label == 2 and talk:
            other = talk[row.key // 1000 % len(talk)]
            if other.prompt != row.prompt and other.domain == row.domain:
                text = row.reply + ("\n\n" if row.key // 7 % 2 else " ") + other.reply
        elif row.kind in CUT and len(row.found.pieces) > 2:
            text = row.reply[: row.found.pieces[row.key // 7 % 2].end]
        found = gather(text, row.prompt)
        if isinstance(found, Evidence) and by_rule(found) is None:
            made.append(replace(row, id=f"{row.id}+", reply=text, found=found, bags=trained.tokens(found)))
    return made


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
    weight = dict(zip((row.id for row in rows), balance(rows), strict=True))
    longer = lengthened(rows)
    rows = rows + longer
    for row in longer:
        weight[row.id] = JOINED
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
                names = names or [name for name in values if name not in DROPPED]
                table.append([values[name] for name in names])
                labels.append(row.label)
                amounts.append(amount * weight[row.id])
    trees = boost(np.array(table), np.array(labels), np.array(amounts))
    return Model(sentences(rows), words(rows, np.array([weight[row.id] for row in rows])), names, trees)


def packed(model: Model) -> dict[str, Any]:
    """The weights as the data file holds them: every column of numbers in steps of its own."""
    known = sorted(
        set(model.sentences.vocabulary)
        | {word.split(" ", 1)[1] if word[:2] in ("F ", "L ") else word for word in model.words.vocabulary}
    )
    numbers = np.zeros((len(known), COLUMNS))
    for at, word in enumerate(known):
        if (place := model.sentences.vocabulary.get(word)) is not None:
            numbers[at, :2] = model.sentences.holds[place], model.sentences.answers[place]
        for column, name in ((2, word), (5, f"F {word}"), (8, f"L {word}")):
            if (place := model.words.vocabulary.get(name)) is not None:
                numbers[at, column : column + 3] = model.words.weights[place]
    steps = np.round(np.abs(numbers).max(axis=0) / 127, 8)
    small = np.round(numbers / steps).astype(np.int8)
    kept = np.abs(small).max(axis=1) > 0
    return {
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


def choose(model: Model, rows: list[Row]) -> tuple[list[int], Floats]:
    """Classes of replies, by rule or by weight, as the packed layer reads them, and the shares of both parts."""
    body = packed(model)
    known = unpacked(body)
    found, parts = [], []
    for row in rows:
        weighed = weigh(row.found, known)
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
    even = balance(rows)
    right = np.array([row.label == got for row, got in zip(rows, found, strict=True)])
    refused = np.array([(row.label > 0) == (got > 0) for row, got in zip(rows, found, strict=True)])
    print(
        f"{name}: {n} replies; three classes {three:.3f}, refused or not {two:.3f}; with lengths balanced "
        f"{float(right @ even) / n:.3f}, {float(refused @ even) / n:.3f}; {cells}"
    )


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
        by_kind(rows, found)


def by_kind(rows: list[Row], found: list[int]) -> None:
    for kind in sorted({row.kind for row in rows}):
        counts = Counter(CLASSES[got] for row, got in zip(rows, found, strict=True) if row.kind == kind)
        print(f"  {kind:<32}" + "".join(f"{name} {counts[name]:<5}" for name in CLASSES))


def main() -> int:
    parser = argparse.ArgumentParser(description="Trains the layer of the refusal detector.")
    parser.add_argument(
        "files", nargs="*", type=Path, default=[CORPUS], help="JSON lines with id, prompt, reply, refusal"
    )
    parser.add_argument("--cross-validate", action="store_true", help="print agreement on held-out replies")
    parser.add_argument("--kinds", action="store_true", help="print it by kind as well")
    parser.add_argument(
        "--check", type=Path, action="append", default=[], help="a file to measure on, never trained on"
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the weights to a file")
    arguments = parser.parse_args()
    rows = [row for path in arguments.files for row in load(path)]
    if arguments.cross_validate:
        cross_validate(rows, kinds=arguments.kinds)
    if arguments.write or arguments.check:
        model = train(rows)
        text = json.dumps(packed(model), sort_keys=True, separators=(",", ":"), ensure_ascii=True) + "\n"
        print(f"trained on {len(rows)} replies: {len(text)} bytes, SHA-256 {hashlib.sha256(text.encode()).hexdigest()}")
        if arguments.write:
            arguments.write.write_text(text, encoding="utf-8")
        for path in arguments.check:
            held = load(path)
            found = choose(model, held)[0]
            report(f"unseen, {path.name}", held, found)
            if arguments.kinds:
                by_kind(held, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
