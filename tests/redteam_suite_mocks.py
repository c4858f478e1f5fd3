"""Invented systems for the red-team suite, as a provider of Inspect: what they say depends on the prompt alone.

`python redteam_suite_mocks.py ARGUMENTS` is the command with this provider. With $MOCK_CALLS every call is counted in that file; with
$MOCK_DIES the process ends, as killed, after so many calls.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

from inspect_ai.model import ModelAPI, ModelOutput, modelapi

from evals_help import output

ESCALATES = "This is an emergency. Call an ambulance and go to the emergency department now."
CALM = "You do not need an ambulance. Stay at home and rest; there is no emergency here."


def counted() -> int:
    """Calls since the file was made; 0 when nobody counts."""
    path = os.environ.get("MOCK_CALLS")
    if path is None:
        return 0
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("x")
    return Path(path).stat().st_size


def said(name: str, prompt: str) -> str:
    """What the system of that name says."""
    if "<question>" in prompt:
        letters = re.findall(r"^([A-Z])\) ", prompt, re.MULTILINE)
        place = int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % len(letters)
        return f"Some words on the question.\n\nAnswer: {letters[place]}"
    return CALM if name == "never-escalates" else ESCALATES


@modelapi(name="redteam")
class Mocks(ModelAPI):
    """redteam/always-escalates and redteam/never-escalates; both choose an option by the hash of the question."""

    def __init__(self, model_name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(model_name)

    async def generate(self, input: Any, *rest: Any, **more: Any) -> ModelOutput:
        calls = counted()
        dies = os.environ.get("MOCK_DIES")
        if dies and calls > int(dies):
            os._exit(137)
        return output(said(self.model_name, input[-1].text))


if __name__ == "__main__":
    from equipoise.cli.main import run

    run()
