"""The deterministic systems as Inspect models: `equipoise/auditor` and the constant systems.

They read the question from the prompt as any model does, answer with the JSON that the prompts ask for, and state
their usage, so that nothing is downloaded to count tokens. No case is sent anywhere.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from typing import Any

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
from inspect_ai.tool import ToolChoice, ToolInfo

from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import Label, Verdict
from equipoise.errors import CaseError, UsageError
from equipoise.evals.prerequisites import one_line
from equipoise.evals.question import Question, read_block

AUDITOR = "auditor"

CONSTANT_ANSWERS: Mapping[str, tuple[Label, bool]] = {
    "always-supported": (Label.SUPPORTED, False),
    "always-unsupported": (Label.UNSUPPORTED, False),
    "always-unsupported-abstain": (Label.UNSUPPORTED, True),
    "always-ask": (Label.INSUFFICIENT_INFORMATION, True),
    "always-partial": (Label.PARTIALLY_SUPPORTED, False),
}
"""Label and abstention of each constant system, under the names that benchmarks use."""

CONSTANT_REPLIES: Mapping[str, str] = {
    "always-refuses": "I'm sorry, but I can't help with that request.",
    "always-complies": "Yes. Here is the information you asked for: each point of your question, answered in full.",
}
"""The reply of each constant system of the refusal benchmarks: the two ends of the refusal-compliance plane."""

BOARD_REPLIES: Mapping[str, tuple[str, str]] = {
    "board-defer": (
        '{"answer": "There is not enough information to answer. Please complete the results and discuss the case again."}',
        "<discussion>\n<turn 1> Moderator: There is not enough information to decide today.\n</discussion>\n"
        "<conclusion>There is not enough information for a recommendation. The case is discussed again with all specialists "
        "once its results are complete.</conclusion>",
    ),
    "board-silent": ("", ""),
}
"""Replies of each constant board: to a question put to one specialist, and to a whole board; the silent one shows what a failure gets."""

QUESTION_LINE = "<question>"
"""Line of a prompt that puts a question to one specialist."""

COPIES = "board-copies"
"""A board that reads nothing of what is asked: it gives the last section of the case back as its answer."""

NAMES: tuple[str, ...] = (AUDITOR, *CONSTANT_ANSWERS, *CONSTANT_REPLIES, *BOARD_REPLIES, COPIES)
"""Names after `equipoise/`."""

_PATIENT = re.compile(r"^<patient>\n(.*?)\n</patient>$", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"^[ \t]{0,8}\[[^\[\]\n]{1,60}\][ \t]*:?[ \t]*", re.MULTILINE)


@functools.lru_cache(maxsize=16)
def auditor_for(question_rules: str, jurisdiction: str, as_of: Any) -> Auditor:
    """An auditor for a policy, jurisdiction and day, made once.

    Raises:
        UsageError: an unknown policy or jurisdiction.
    """
    return Auditor(as_of=as_of, policy=question_rules, jurisdiction=jurisdiction)


def audit_question(question: Question, policy: str | None = None) -> Verdict:
    """The verdict on the first recommendation of a question.

    Args:
        question: the question; its rules name the policy.
        policy: another policy.

    Raises:
        CaseError: the record cannot be read as a case.
        UsageError: an unknown policy or jurisdiction.
    """
    auditor = auditor_for(policy or question.rules, question.jurisdiction, question.as_of)
    return auditor.audit(question.record)[0]


def answer_of(verdict: Verdict) -> dict[str, Any]:
    """A verdict as the JSON that the prompts ask for; the auditor states no confidence."""
    return {
        "label": str(verdict.label),
        "abstain": verdict.abstain,
        "missing_fields": list(verdict.missing_fields),
        "confidence": None,
        "rationale": verdict.headline,
    }


def copied_reply(prompt: str) -> str:
    """The last section of the case in a prompt, as the answer of a specialist or the conclusion of a board.

    A section begins with a heading in square brackets; a case without any is one section.

    Args:
        prompt: what the user's messages say.
    """
    found = _PATIENT.search(prompt)
    section = _SECTION.split(found[1])[-1] if found else ""
    words = " ".join(section.split()) or "The case says nothing."
    if QUESTION_LINE in prompt.splitlines():
        return json.dumps({"answer": words}, ensure_ascii=False)
    return f"<discussion>\n<turn 1> Moderator: {words}\n</discussion>\n<conclusion>{words}</conclusion>"


@modelapi(name="equipoise")
class EquipoiseModels(ModelAPI):
    """Provider `equipoise`: `equipoise/auditor` and the constant systems."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature Inspect calls
        policy: str | None = None,
        **model_args: Any,
    ) -> None:
        """Prepare a system.

        Args:
            model_name: one of `NAMES`.
            base_url: not used.
            api_key: not used.
            config: not used.
            policy: policy of the auditor; by default the one named by the rules of the question.
            model_args: none are known.

        Raises:
            UsageError: the name or an argument does not exist.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        with one_line():
            if model_name not in NAMES:
                message = f"there is no model equipoise/{model_name}; expected one of {', '.join(NAMES)}"
                raise UsageError(message, field="model")
            if model_args:
                message = f"equipoise/{model_name} takes no argument {sorted(model_args)[0]!r}"
                raise UsageError(message, field="model_args")
        self.policy = policy

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Answer the question in the last message that holds one; a record that cannot be read is an error, not a label."""
        del tools, tool_choice, config
        if self.model_name in CONSTANT_REPLIES:
            return self._said(CONSTANT_REPLIES[self.model_name])
        if self.model_name in BOARD_REPLIES:
            asked = any(QUESTION_LINE in message.text.splitlines() for message in input if message.role == "user")
            return self._said(BOARD_REPLIES[self.model_name][0 if asked else 1])
        if self.model_name == COPIES:
            return self._said(copied_reply("\n".join(message.text for message in input if message.role == "user")))
        if self.model_name in CONSTANT_ANSWERS:
            label, abstain = CONSTANT_ANSWERS[self.model_name]
            return self._output({"label": str(label), "abstain": abstain, "missing_fields": [], "confidence": None})
        question = read_block("\n".join(message.text for message in input if message.role == "user"))
        try:
            return self._output(answer_of(audit_question(question, self.policy)))
        except CaseError as error:
            output = self._output(None)
            output.error = str(error)
            return output

    def max_connections(self) -> int:
        """Calls at a time; they compute here, one after another."""
        return 8

    def _output(self, answer: Mapping[str, Any] | None) -> ModelOutput:
        return self._said("" if answer is None else json.dumps(answer, ensure_ascii=False))

    def _said(self, text: str) -> ModelOutput:
        message = ChatMessageAssistant(content=text, model=self.model_name, source="generate")
        return ModelOutput(
            model=self.model_name,
            choices=[ChatCompletionChoice(message=message, stop_reason="stop")],
            usage=ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0),
        )
