"""Several calls of the model under test within one sample: one that fails leaves the others as they are."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessage, ModelOutput, get_model
from inspect_ai.util import LimitExceededError

from equipoise.errors import UpstreamError
from equipoise.evals.failures import one_line


async def ask(messages: Sequence[ChatMessage]) -> ModelOutput:
    """The reply of the model under test; a call that fails is an output that holds its error.

    Raises:
        LimitExceededError: a limit of the run is reached; no call after it would be answered.
    """
    try:
        return await get_model().generate(list(messages))
    except LimitExceededError:
        raise
    except Exception as error:
        return ModelOutput(model="", error=one_line(f"{type(error).__name__}: {error}"))


def require_one(outputs: Sequence[ModelOutput]) -> None:
    """Refuses a sample of which no call came through, so that its row and its message are those of a failed sample.

    Raises:
        UpstreamError: all failed; with the first message.
    """
    if outputs and all(output.error for output in outputs):
        raise UpstreamError(str(outputs[0].error))
