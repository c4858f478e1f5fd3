"""Finds statements by meaning: a sentence-embedding model on this machine, cosine similarity, the same documents as BM25.

The model is the user's: a name that sentence-transformers knows, already on this machine, or a folder. Nothing is
downloaded: the library is told to stay offline unless the environment says otherwise.

Source of the method: Reimers N, Gurevych I. 2019. Sentence-BERT. doi:10.18653/v1/D19-1410
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from equipoise._optional import require
from equipoise.errors import UsageError
from equipoise.ids import content_hash

if TYPE_CHECKING:
    from equipoise.evals.retrieval import Document

PROBES = ("osimertinib for EGFR T790M after progression", "pembrolizumab alone, PD-L1 tumor proportion score 50 %")
"""Sentences whose vectors tell one model from another."""

DIGITS = 3
"""Decimals of a vector that count for the fingerprint; processors differ in later ones."""


class EmbeddingSearcher:
    """An index over statements by their vectors."""

    def __init__(self, documents: Sequence[Document], model: str) -> None:
        """Embed the documents.

        Args:
            documents: at least one.
            model: name or folder of a sentence-transformers model.

        Raises:
            DependencyError: the extra `embed` is not installed.
            UsageError: the model is not on this machine.
        """
        self.documents = tuple(documents)
        self._model = load_model(model)
        self._vectors = _vectors(self._model, [item.text for item in documents])

    def search(self, text: str, k: int) -> tuple[Document, ...]:
        """The k documents nearest in meaning, best first; equal similarities keep the order of the base.

        Args:
            text: what is looked for; an empty text finds nothing.
            k: most documents.
        """
        if not text.strip():
            return ()
        similar = self._vectors @ _vectors(self._model, [text])[0]
        return tuple(self.documents[int(place)] for place in np.argsort(-similar, kind="stable")[:k])


@functools.lru_cache(maxsize=2)
def load_model(name: str) -> Any:
    """The model of a name or folder, loaded once.

    Raises:
        DependencyError: the extra `embed` is not installed.
        UsageError: the model is not on this machine.
    """
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    library = require("sentence_transformers", extra="embed")
    try:
        return library.SentenceTransformer(name, device="cpu")
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        message = (
            f"the embedding model {Path(name).name!r} is not on this machine: name a folder that holds it, "
            "or set HF_HUB_OFFLINE=0 to let sentence-transformers fetch it"
        )
        raise UsageError(message, field="retriever") from error


def fingerprint(name: str) -> str:
    """What a log says of a model: the last part of its name, and a hash of what it makes of two fixed sentences.

    Raises:
        DependencyError: the extra `embed` is not installed.
        UsageError: the model is not on this machine.
    """
    vectors = np.round(_vectors(load_model(name), list(PROBES)), DIGITS) + 0.0
    return f"{Path(name).name}, {content_hash(vectors.tolist())}"


def _vectors(model: Any, texts: list[str]) -> NDArray[np.float64]:
    """Vectors of length 1, one row a text."""
    raw = model.encode(texts, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True)
    return np.asarray(raw, dtype=np.float64)
