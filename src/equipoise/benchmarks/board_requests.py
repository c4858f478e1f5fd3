"""Puts the pictures into the request, and looks afterwards whether they, and reasoning, were really there.

Two failures of published runs are looked for in what was sent and came back, not in the flags (notes of the OpenTumorBoard authors): an arm
that was named after a setting that never reached the model, and a model that was to reason and did not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ContentImage, ContentText
from inspect_ai.solver import Generate, Solver, TaskState, solver

from equipoise.benchmarks.board_samples import PICTURES
from equipoise.boards.pictures import Picture, picture_uri
from equipoise.boards.prompts import picture_label

_DEEPEST = 12


@solver
def attach_pictures(folder: str) -> Solver:
    """Put the pictures of the slides after the text of the last message of the user, each under its number.

    Args:
        folder: the user's folder; every picture is read again and must be the one that was looked at when the run was planned.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        kept = state.metadata.get(PICTURES) or []
        if not kept:
            return state
        content: list[Any] = [ContentText(text=state.user_prompt.text)]
        for number, one in enumerate(kept, start=1):
            content += [
                ContentText(text=picture_label(number)),
                ContentImage(image=picture_uri(Path(folder), Picture(**one))),
            ]
        state.user_prompt.content = content
        return state

    return solve


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What the calls of a sample held, as far as its log shows.

    Attributes:
        calls: calls of any model.
        pictures: most pictures in one call.
        dropped: calls whose message held pictures while the request that the provider was sent shows none.
        reasoned: calls whose reply holds a block of reasoning.
        reasoning_tokens: as the providers report them, over all calls; None when none reports any.
    """

    calls: int
    pictures: int
    dropped: int
    reasoned: int
    reasoning_tokens: int | None

    def fault(self, expected: int) -> str:
        """Why a run of the image arm is not one; empty when it is.

        Args:
            expected: pictures of the sample; 0 for one without slides.
        """
        if expected and self.pictures < expected:
            return f"declared as images, but no request held more than {self.pictures} of the {expected} pictures"
        if expected and self.dropped:
            return f"declared as images, but {self.dropped} requests reached the provider without a picture"
        return ""


def sent() -> Sent:
    """What the calls of the sample under way held."""
    return sent_in(event for event in transcript().events if isinstance(event, ModelEvent))


def sent_in(events: Iterable[ModelEvent]) -> Sent:
    """The same of some calls."""
    calls = pictures = dropped = reasoned = 0
    tokens: list[int] = []
    for event in events:
        calls += 1
        held = sum(_pictures(message) for message in event.input)
        pictures = max(pictures, held)
        request = event.call.request if event.call is not None else None
        if held and request and not _shows_picture(request):
            dropped += 1
        reasoned += any(_reasons(message) for message in _replies(event))
        usage = event.output.usage
        if usage is not None and usage.reasoning_tokens is not None:
            tokens.append(usage.reasoning_tokens)
    return Sent(
        calls=calls,
        pictures=pictures,
        dropped=dropped,
        reasoned=reasoned,
        reasoning_tokens=sum(tokens) if tokens else None,
    )


def _pictures(message: ChatMessage) -> int:
    return 0 if isinstance(message.content, str) else sum(isinstance(part, ContentImage) for part in message.content)


def _replies(event: ModelEvent) -> list[ChatMessage]:
    return [choice.message for choice in event.output.choices]


def _reasons(message: ChatMessage) -> bool:
    return not isinstance(message.content, str) and any(part.type == "reasoning" for part in message.content)


def _shows_picture(value: Any, depth: int = 0) -> bool:
    """Whether an element of a request is named or typed as a picture, in the forms providers use."""
    if depth > _DEEPEST:
        return False
    if isinstance(value, Mapping):
        for key, item in value.items():
            if "image" in str(key).lower() or "inline_data" in str(key).lower() or "inlinedata" in str(key).lower():
                return True
            if key == "type" and "image" in str(item).lower():
                return True
            if _shows_picture(item, depth + 1):
                return True
        return False
    if isinstance(value, list | tuple):
        return any(_shows_picture(item, depth + 1) for item in value)
    return False
