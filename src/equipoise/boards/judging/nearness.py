"""Nearness in meaning of answer and reference by a sentence-embedding model of the user's; written into the run as a measure over words.

It compares topics more than decisions: a reversed decision can lie very near.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from equipoise.boards.judging.answers import answer_of
from equipoise.boards.judging.criteria import TEXT
from equipoise.boards.judging.references import read_references
from equipoise.evals import embeddings
from equipoise.ids import content_hash
from equipoise.outcomes.run import read_run
from equipoise.outcomes.schema import ReplyState

CRITERION = "embedding"


def embed_run(folder: str | Path, model: str) -> int:
    """Compute nearness for every readable answer: the highest cosine over the acceptable references, a negative one counted as 0.

    Args:
        folder: a run folder; rows of the same model in it are made anew.
        model: name or folder of a sentence-transformers model on this machine.

    Returns:
        Answers that have a value.

    Raises:
        DependencyError: the extra `embed` is not installed.
        UsageError: no run, or no such model on this machine.
        InputError: the run keeps nothing to compare with.
    """
    from equipoise.judging.step import store

    run = read_run(folder)
    references = read_references(folder)
    loaded, name = embeddings.load_model(model), f"embedding:{embeddings.fingerprint(model)}"
    pairs = [
        (row["reply_id"], answer, references[row["item"]].references)
        for row in run.outcomes.to_pylist()
        if row["item"] in references and (answer := answer_of(row)) and references[row["item"]].references
    ]
    texts = list(dict.fromkeys(text for _, answer, others in pairs for text in (answer, *others)))
    raw = (
        loaded.encode(texts, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True) if texts else []
    )
    vectors = dict(zip(texts, np.asarray(raw, dtype=np.float64), strict=True))
    base: dict[str, Any] = {
        "run": run.info.run_id, "judge": name, "rubric": TEXT, "rubric_hash": content_hash([TEXT, CRITERION, name]),
        "scale": "0-1", "scale_hash": content_hash(["0-1", 0, 1]), "criterion": CRITERION, "repeat": 1, "in_scope": True,
        "state": ReplyState.OK.value, "value": None,
    }  # fmt: skip
    made = []
    for reply, answer, others in pairs:
        near = max(float(vectors[answer] @ vectors[other]) for other in others)
        made.append(base | {"reply_id": reply, "points": min(1.0, max(0.0, near))})
    kept = [row for row in run.judgements.to_pylist() if not (row["rubric"] == TEXT and row["judge"] == name)]
    store(Path(folder), run, [*kept, *made], {"rubric": TEXT, CRITERION: name})
    return len(made)
