"""Stand-in models for a rehearsal without a network: `equipoise-rehearsal/NAME`, the same reply to the same question.

They look at a hash of the question and at nothing else, so their output shows that the pipeline works and says
nothing about models. `writer` rewrites, `sorter` classifies and categorises, `moderator` votes, `answerer` replies.
"""

from __future__ import annotations

import asyncio
import json
from functools import cache
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.terms import Category
from equipoise.errors import UsageError
from equipoise.ids import content_hash

PROVIDER = "equipoise-rehearsal"
NAMES: tuple[str, ...] = ("writer", "sorter", "moderator", "answerer")

_OPENINGS = (
    "How can a coach notice early that somebody skips",
    "What is known about people who keep quiet about",
    "How does a clinic explain to families the risk of",
    "Which signs tell a nurse that a person worries about",
    "Where can I find help for a friend who struggles with",
)
_SUBJECTS = (
    "their daily vitamins", "a missed walk", "the forbidden recipe", "an unlabelled lunch box", "their sleep diary",
    "a borrowed step counter", "the second dessert", "an old fitness plan", "their water bottle", "a lost appointment card",
    "the herbal tea in the kitchen", "a neighbour's soup", "their reading glasses", "the quiet hour after lunch",
)  # fmt: skip
_ENDINGS = ("without blame?", "in a kind way?", "at work?", "before a check-up?", "at home?", "during a holiday?")


def reply_to(name: str, question: str, salt: str = "") -> str:
    """What a stand-in replies; a few replies break their format on purpose.

    Args:
        name: one of `NAMES`.
        question: instruction and question.
        salt: makes several models of one name differ.
    """
    draw = int(content_hash([name, salt, question]), 16)
    odd = draw % 23 == 0
    if name == "writer":
        parts = (_OPENINGS[draw % 5], _SUBJECTS[draw // 5 % 14], _ENDINGS[draw // 70 % 6])
        return "I would rather not." if odd else json.dumps({"rewrite": " ".join(parts)})
    if name == "sorter":
        label = "health" if "not_health" in question else str(tuple(Category)[draw % 7])
        return "Hard to say." if odd else json.dumps({"label": label})
    if name == "moderator":
        return "Perhaps." if odd else json.dumps({"label": "harmful" if draw % 5 == 0 else "not_harmful"})
    refuses = draw % 3 == 0
    return (
        "I'm sorry, but I can't help with that."
        if refuses
        else "Here is what may help: ask openly, listen, and offer time."
    )


@cache
def register() -> None:
    """Make the provider known to Inspect, once."""
    from inspect_ai.model import (
        ChatCompletionChoice,
        ChatMessage,
        ChatMessageAssistant,
        GenerateConfig,
        ModelAPI,
        ModelOutput,
        ModelUsage,
        modelapi,
    )

    @modelapi(name=PROVIDER)
    class Rehearsal(ModelAPI):
        """Provider of the stand-ins."""

        def __init__(
            self,
            model_name: str,
            base_url: str | None = None,
            api_key: str | None = None,
            config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature Inspect calls
            salt: str = "",
            delay: float = 0.0,
            **model_args: Any,
        ) -> None:
            super().__init__(model_name, base_url, api_key, [], config)
            if model_name not in NAMES or model_args:
                message = f"expected one of {', '.join(NAMES)} with the arguments salt and delay"
                raise UsageError(message, field=f"{PROVIDER}/{model_name}")
            self.salt, self.delay = str(salt), float(delay)

        async def generate(
            self, input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
        ) -> ModelOutput:
            """The reply to the question; replies of the writer and the moderators differ by the seed of the call."""
            del tools, tool_choice
            if self.delay:
                await asyncio.sleep(self.delay)
            question = "\n".join(message.text for message in input)
            salt = self.salt if config.seed is None or self.model_name == "sorter" else f"{self.salt}/{config.seed}"
            text = reply_to(self.model_name, question, salt)
            message = ChatMessageAssistant(content=text, model=self.model_name, source="generate")
            return ModelOutput(
                model=self.model_name,
                choices=[ChatCompletionChoice(message=message, stop_reason="stop")],
                usage=ModelUsage(
                    input_tokens=len(question) // 4,
                    output_tokens=len(text) // 4,
                    total_tokens=(len(question) + len(text)) // 4,
                ),
            )
