"""Who judges in an Inspect task: models named in an argument, else those bound to the role `grader`; never the model under test unasked."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessage, Model, ModelOutput, get_model, model_roles

from equipoise.errors import UsageError
from equipoise.evals.replies import CUT, without_text
from equipoise.outcomes.schema import ReplyState

ROLE = "grader"
"""Inspect's role of the judges: `--model-role grader=PROVIDER/MODEL`."""


def seated(names: Sequence[str] = ()) -> dict[str, Model]:
    """The judges by name, in order; empty when there are none.

    Inspect itself would fall back to the model under test; here nobody judges themselves by accident.

    Args:
        names: Inspect's names; those of the role when there are none.
    """
    if names:
        return {name: get_model(name) for name in names}
    bound = model_roles().get(ROLE)
    found = [] if bound is None else bound if isinstance(bound, list) else [bound]
    return {str(model): model for model in found}


def names_of(value: str | Sequence[str] | None, *, field: str) -> tuple[str, ...]:
    """Names given as a list, or as one text with commas.

    Raises:
        UsageError: a name stands there twice.
    """
    parts = value.split(",") if isinstance(value, str) else [str(item) for item in value or ()]
    names = tuple(part.strip() for part in parts if part.strip())
    if len(set(names)) < len(names):
        message = f"expected each name once, found {', '.join(names)}"
        raise UsageError(message, field=field)
    return names


def reply_state(output: ModelOutput) -> ReplyState:
    """What became of a reply in plain words: one that was cut off is not judged, since its end could have taken it back."""
    stop = str(output.stop_reason) if output.choices else "stop"
    failed = without_text(output.completion, stop, output.error)
    if failed is not None:
        return failed[0]
    return ReplyState.TRUNCATED if stop in CUT else ReplyState.OK


def conversation_text(messages: Sequence[ChatMessage]) -> str:
    """A conversation as a judge sees it: every turn under the role that spoke."""
    return turns_text([(message.role, message.text) for message in messages])


def turns_text(turns: Sequence[tuple[str, str]]) -> str:
    """The same of pairs of role and text; what a run keeps as the prompt, so that its replies can be judged later."""
    return "\n\n".join(f"{role}: {text}" for role, text in turns)
