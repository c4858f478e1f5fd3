"""A classifier as a Python function of the user's: imported when it is named, asked in batches, checked at every answer.

Its contract: a list of texts in, as many numbers from 0 to 1 out, in that order; None for a text it cannot score.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from equipoise.errors import UpstreamError, UsageError
from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.toxicity.rows import Scored, read_score

BATCH = 64
"""Texts of one call."""

Function = Callable[[list[str]], Sequence[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Classifier:
    """A classifier of the user's.

    Attributes:
        entry: module:function.
        version: as its module or distribution states it; empty when it states none.
        function: the function.
    """

    entry: str
    version: str
    function: Function


def load_classifier(entry: str) -> Classifier:
    """Import a classifier; the working folder is searched last.

    Args:
        entry: module:function.

    Raises:
        UsageError: another form, no such module, or no such function in it.
    """
    module, colon, name = entry.partition(":")
    if not module or not colon or not name.isidentifier():
        message = f"expected MODULE:FUNCTION, found {entry!r}"
        raise UsageError(message, field="--classifier")
    with _working_folder():
        try:
            found = importlib.import_module(module)
        except Exception as error:
            message = f"the module {module!r} cannot be imported ({type(error).__name__}: {_line(error)})"
            raise UsageError(message, field="--classifier") from error
    function = getattr(found, name, None)
    if not callable(function):
        message = f"the module {module!r} has no function {name!r}"
        raise UsageError(message, field="--classifier")
    return Classifier(entry=entry, version=_version(found, module), function=function)


def score(classifier: Classifier, texts: Mapping[str, str]) -> dict[str, Scored]:
    """Scores of texts, equal ones scored once; a text at which the classifier fails is an error and stops no other.

    Args:
        classifier: the classifier.
        texts: by reply.

    Raises:
        UpstreamError: it gives another number of scores than it was given texts, so none can be told whose it is.
    """
    distinct = list(dict.fromkeys(texts.values()))
    found: dict[str, Scored] = {}
    with _working_folder():
        for start in range(0, len(distinct), BATCH):
            part = distinct[start : start + BATCH]
            found |= dict(zip(part, _batch(classifier, part), strict=True))
    return {reply_id: found[text] for reply_id, text in texts.items()}


def _batch(classifier: Classifier, texts: list[str]) -> list[Scored]:
    try:
        given = classifier.function(list(texts))
        values = list(given)
    except Exception as error:
        if len(texts) > 1:
            return [_batch(classifier, [text])[0] for text in texts]
        return [Scored(state=ReplyState.ERROR, why=f"the classifier failed: {type(error).__name__}: {_line(error)}")]
    if len(values) != len(texts):
        message = f"{classifier.entry} gave {len(values)} scores for {len(texts)} texts; expected one score a text"
        raise UpstreamError(message)
    return [read_score(value) for value in values]


@contextmanager
def _working_folder() -> Iterator[None]:
    """Modules of the working folder can be imported, after all others."""
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.append(here)
    try:
        yield
    finally:
        if added and here in sys.path:
            sys.path.remove(here)


def _version(module: Any, name: str) -> str:
    own = getattr(module, "__version__", None)
    if own:
        return str(own)
    top = name.split(".")[0]
    try:
        return metadata.version(top)
    except metadata.PackageNotFoundError:
        return str(getattr(sys.modules.get(top), "__version__", "") or "")


def _line(error: Exception) -> str:
    """The first line of an error, without the text that was scored being repeated at length."""
    lines = str(error).strip().splitlines()
    return lines[0][:120] if lines else "no message"
