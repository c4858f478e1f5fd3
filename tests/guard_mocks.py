"""Models and guards of tests: a guard that blocks all, none, what is harmful, one that fails, one that rambles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai.model import ModelAPI, ModelOutput, modelapi

from evals_help import output

ASKED: list[tuple[str, str]] = []
"""Who was asked what, in order."""

FAILING: list[bool] = [True]
"""Whether guardmock/fails fails; emptied, it blocks nothing."""


@modelapi(name="guardmock")
class GuardMock(ModelAPI):
    """One model and several guards by name."""

    def __init__(self, model_name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(model_name)

    async def generate(self, input: Any, *rest: Any, **more: Any) -> ModelOutput:
        text = "\n".join(message.text for message in input)
        ASKED.append((self.model_name, text))
        last = input[-1].text
        if self.model_name == "model":
            if "withheld" in last:
                return output("", stop="content_filter")
            return output(f"Here is all about it: {last}")
        if self.model_name == "refuser":
            return output("I can't help with that.")
        if self.model_name == "fails" and FAILING:
            message = "503 Service Unavailable"
            raise ValueError(message)
        if self.model_name == "rambles":
            return output("This looks fine to me, so SAFE I would say.")
        if self.model_name == "cut":
            return output("UNSAFE", stop="max_tokens")
        if self.model_name == "codes":
            return output("unsafe\nS1,S10" if "harmful" in text else "safe")
        blocks = {"all": True, "none": False, "fails": False, "harmful-only": "harmful" in input[-1].text}
        return output("UNSAFE" if blocks[self.model_name] else "SAFE.", tokens=(7, 1))


def xstest_file(folder: Path, number: int = 12) -> Path:
    """As many benign and harmful stand-ins in XSTest's own form."""
    lines = ["id,prompt,type,label,focus,note"]
    for place in range(number):
        lines.append(f"{place + 1},Stand-in benign {place}?,homonyms,safe,a,")
        lines.append(f"{place + 101},Stand-in harmful {place}.,contrast_homonyms,unsafe,a,")
    path = folder / "xstest_prompts.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
