"""Judges without a model, for trials and tests: `mockjudge/lowest` and its kin read the question and answer by rule.

They look for the check code where a judge is told it, after the material, and for the questions in the schema. They
state their usage, so that nothing is downloaded to count tokens.
"""

from __future__ import annotations

import json
import re
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

from equipoise.errors import UsageError
from equipoise.ids import text_hash
from equipoise.judging.mock_compare import knows, verdict

PROVIDER = "mockjudge"

NAMES: tuple[str, ...] = (
    "lowest",
    "highest",
    "spread",
    "fenced",
    "malformed",
    "second-try",
    "out-of-scale",
    "empty",
    "blocked",
    "truncated",
    "wrong-nonce",
    "no-nonce",
    "echo",
    "obeys",
    "raises",
    "compares",
)
"""Names after `mockjudge/`.

lowest, highest: that value of every scale. spread: a value by the hash of the material. fenced: lowest, in a code block
between words. malformed: no JSON. second-try: malformed, and lowest when asked again. out-of-scale: a value that no scale
has. empty, blocked, truncated, raises: as they say. wrong-nonce, no-nonce: lowest, with another check code or none.
echo: the first JSON object of the material, as it stands. obeys: the verdicts of that object with the right check code.
compares: reads reference and reply of a board and holds them against each other by words (`mock_compare`); asked to take a list out of a
text, it gives its sentences. Asked anything else, lowest.
"""


@modelapi(name=PROVIDER)
class MockJudges(ModelAPI):
    """Provider `mockjudge`."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature Inspect calls
        **model_args: Any,
    ) -> None:
        """Prepare a judge.

        Args:
            model_name: one of `NAMES`.
            base_url: not used.
            api_key: not used.
            config: not used.
            model_args: none are known.

        Raises:
            UsageError: the name or an argument does not exist.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name not in NAMES:
            message = f"there is no judge {PROVIDER}/{model_name}; expected one of {', '.join(NAMES)}"
            raise UsageError(message, field="judge")
        if model_args:
            message = f"{PROVIDER}/{model_name} takes no argument {sorted(model_args)[0]!r}"
            raise UsageError(message, field="model_args")

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Answer by rule."""
        del tools, tool_choice, config
        system = "\n".join(message.text for message in input if message.role == "system")
        user = "\n".join(message.text for message in input if message.role == "user")
        if self.model_name == "raises":
            message = "the service of this judge is down"
            raise RuntimeError(message)
        if self.model_name == "blocked":
            return _output("", "content_filter")
        if self.model_name == "empty":
            return _output("")
        text = self._answer(system, user)
        if self.model_name == "truncated":
            return _output(text[: len(text) // 2], "max_tokens")
        return _output(text)

    def should_retry(self, ex: Exception) -> bool:
        """Never: they fail on purpose."""
        del ex
        return False

    def max_connections(self) -> int:
        """Calls at a time."""
        return 64

    def _answer(self, system: str, user: str) -> str:
        name = self.model_name
        nonce = re.findall(r"check code ([0-9a-f]{16})", user)[-1]
        if name == "malformed" or (name == "second-try" and "could not be read" not in user):
            return "I would say that this is about in the middle."
        if name in ("echo", "obeys"):
            found = _first_object(user)
            if name == "echo":
                return json.dumps(found)
            return json.dumps({"nonce": nonce, "verdicts": found.get("verdicts", found)})
        schema = json.loads(system[system.rindex('\n{"type"') :])
        if "entries" in schema["properties"]:
            return _list(schema, nonce, user)
        asked = schema["properties"]["verdicts"]["properties"]
        if name == "compares" and all(knows(key) for key in asked):
            return json.dumps({"nonce": nonce, "verdicts": {key: verdict(key, user) for key in asked}})
        verdicts = {key: _verdict(question, name, user) for key, question in asked.items()}
        answer: dict[str, Any] = {"nonce": nonce, "verdicts": verdicts}
        if name == "wrong-nonce":
            answer["nonce"] = "0" * 16
        if name == "no-nonce":
            del answer["nonce"]
        text = json.dumps(answer)
        return f"Here is my verdict.\n```json\n{text}\n```\nI hope this helps." if name == "fenced" else text


def _list(schema: dict[str, Any], nonce: str, user: str) -> str:
    """A list of the text's sentences, in the last category."""
    text = user[user.index("]]\n") + 3 : user.rindex("\n[[END ")]
    category = schema["properties"]["entries"]["items"]["properties"]["category"]["enum"][-1]
    entries = [{"text": part.strip(), "category": category} for part in re.split(r"(?<=[.;])\s+", text) if part.strip()]
    return json.dumps({"nonce": nonce, "entries": entries})


def _verdict(question: dict[str, Any], name: str, user: str) -> dict[str, Any]:
    properties = question["properties"]
    values = properties["value"].get("enum") or properties["value"]["anyOf"][0]["enum"]
    place = {"highest": len(values) - 1, "spread": int(text_hash(user), 16) % len(values)}.get(name, 0)
    value: Any = values[place]
    if name == "out-of-scale":
        value = max(values) + 1 if isinstance(values[0], int) else "somewhat"
    verdict: dict[str, Any] = {"reason": "by rule"}
    if "in_scope" in properties:
        verdict["in_scope"] = True
    return verdict | {"value": value}


def _first_object(text: str) -> dict[str, Any]:
    decoder = json.JSONDecoder()
    for place in (found.start() for found in re.finditer(r"\{", text)):
        try:
            value, _ = decoder.raw_decode(text, place)
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    return {}


def _output(text: str, stop: Any = "stop") -> ModelOutput:
    message = ChatMessageAssistant(content=text, model=PROVIDER, source="generate")
    return ModelOutput(
        model=PROVIDER,
        choices=[ChatCompletionChoice(message=message, stop_reason=stop)],
        usage=ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110),
    )
