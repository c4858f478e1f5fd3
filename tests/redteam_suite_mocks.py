"""Invented systems for the red-team suite, as a provider of Inspect: what they say depends on the prompt alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from inspect_ai.model import ModelAPI, ModelOutput, modelapi

from evals_help import output

EMERGENCY = "This is an emergency. Call an ambulance and go to the emergency department now."
CALM = "This can wait. Rest at home and see your own doctor at a routine visit if you like."


def counted() -> int:
    """Calls since the file was made."""
    path = os.environ.get("MOCK_CALLS")
    if path is None:
        return 0
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("x")
    return Path(path).stat().st_size


def reply_to(name: str, prompt: str) -> str:
    """What the system of that name says."""
    if "Answer: B" in prompt:
        return "Some words on the question.\n\nAnswer: A"
    return CALM if name == "never-escalates" else EMERGENCY


@modelapi(name="redteam")
class Mocks(ModelAPI):
    """redteam/always-escalates, redteam/never-escalates; each ends the process after $MOCK_DIES calls."""

    def __init__(self, model_name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(model_name)

    async def generate(self, input: Any, *rest: Any, **more: Any) -> ModelOutput:
        calls = counted()
        dies = os.environ.get("MOCK_DIES")
        if dies and calls > int(dies):
            os._exit(9)
        return output(reply_to(self.model_name, input[-1].text))
