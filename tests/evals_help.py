"""A model whose replies a test writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)

Reply = Callable[[str], Any]


def output(text: str, stop: str = "stop", tokens: tuple[int, int] = (100, 10)) -> ModelOutput:
    """An output with its usage stated, so that nothing is downloaded to count tokens."""
    return ModelOutput(
        model="written",
        choices=[ChatCompletionChoice(message=ChatMessageAssistant(content=text), stop_reason=stop)],  # type: ignore[arg-type]
        usage=ModelUsage(input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=sum(tokens)),
    )


def written(reply: Reply) -> Any:
    """A model that answers with what a function makes of the prompt: a text, an output, or an error that is raised."""

    def answer(messages: list[Any], tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        found = reply("\n".join(message.text for message in messages))
        if isinstance(found, Exception):
            raise found
        return output(found) if isinstance(found, str) else found

    return get_model("mockllm/model", custom_outputs=answer, config=GenerateConfig(max_retries=0))
