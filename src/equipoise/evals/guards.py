"""A model behind a guard, as an Inspect model of its own: `guarded/PROVIDER/MODEL` with `-M guard=PROVIDER/GUARD`.

The guard rules on the request before the model is asked, on the reply before it is given out, or on both. What it blocks
comes back withheld, with who blocked it. A guard that fails, or gives no ruling, is an error of the instrument: nothing
passes for want of a ruling, and nothing is called blocked.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import LimitExceededError

from equipoise.errors import EquipoiseError, UsageError
from equipoise.evals.failures import one_line
from equipoise.evals.guard_reading import (
    PLACES,
    PROVIDER,
    RUBRIC,
    Form,
    Guard,
    Place,
    Read,
    Ruling,
    prompted,
    read_ruling,
)
from equipoise.evals.prerequisites import one_line as in_one_line

RECORD = "equipoise_guard"
"""Key of the output's metadata under which the rulings stand."""

MAX_TOKENS = 1024
"""Tokens of a ruling when the run states no limit; a guard that reasons needs room."""


class GuardFailedError(EquipoiseError):
    """A guard could not be asked; the text names guard and place."""


@modelapi(name=PROVIDER)
class GuardedModels(ModelAPI):
    """Provider `guarded`: any model of Inspect behind any model as guard."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature Inspect calls
        guard: str | None = None,
        guard_on: str = "both",
        guard_form: str = Form.PROMPTED.value,
        guard_rubric: str = RUBRIC,
        guard_base_url: str | None = None,
        **model_args: Any,
    ) -> None:
        """Prepare a model and its guard.

        Args:
            model_name: the model behind the guard, as PROVIDER/MODEL.
            base_url: address of the model's endpoint.
            api_key: not used; the providers read their own.
            config: settings of generation.
            guard: the guard, as PROVIDER/MODEL.
            guard_on: input, output or both.
            guard_form: prompted or classifier.
            guard_rubric: what a prompted guard goes by.
            guard_base_url: address of the guard's endpoint.
            model_args: arguments of the model behind the guard.

        Raises:
            UsageError: no guard is named, a guard behind a guard, or a word that does not exist.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        with in_one_line():
            if not guard or model_name.startswith(f"{PROVIDER}/"):
                message = "expected a guard as PROVIDER/MODEL (-M guard=...), and a model that is not guarded itself"
                raise UsageError(message, field="--guard")
            ordered = Guard(name=str(guard), on=guard_on, form=guard_form, rubric=str(guard_rubric))
        self.guard_name, self.places = ordered.name, PLACES[ordered.on]
        self.form, self.rubric = Form(ordered.form), ordered.rubric
        self.inner: Model = get_model(model_name, base_url=base_url, config=config, **model_args)
        self.guard: Model = get_model(self.guard_name, base_url=guard_base_url)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Let the guard rule, ask the model if it may be asked, and let the guard rule on the reply."""
        rulings: list[dict[str, str]] = []
        usage = ModelUsage()
        if Place.INPUT in self.places:
            found, spent = await self._rule(Place.INPUT, input, "", config)
            rulings.append(_record(Place.INPUT, found))
            usage += spent
            if found.ruling is not Ruling.PASS:
                return self._held_back(Place.INPUT, found, rulings, usage)
        output = await self.inner.generate(input, tools=tools, tool_choice=tool_choice, config=config)
        usage += output.usage or ModelUsage()
        text = output.completion
        whole = output.choices and not output.error and output.stop_reason != "content_filter"
        if Place.OUTPUT in self.places and whole and text.strip():
            found, spent = await self._rule(Place.OUTPUT, input, text, config)
            rulings.append(_record(Place.OUTPUT, found))
            usage += spent
            if found.ruling is not Ruling.PASS:
                return self._held_back(Place.OUTPUT, found, rulings, usage)
        metadata = {**(output.metadata or {}), RECORD: self._facts(rulings)}
        return output.model_copy(update={"usage": usage, "metadata": metadata})

    async def _rule(
        self, place: Place, messages: list[ChatMessage], reply: str, config: GenerateConfig
    ) -> tuple[Read, ModelUsage]:
        asked = GenerateConfig(
            temperature=0.0, max_tokens=config.max_tokens or MAX_TOKENS, max_retries=config.max_retries,
            timeout=config.timeout, attempt_timeout=config.attempt_timeout, max_connections=config.max_connections,
        )  # fmt: skip
        try:
            output = await self.guard.generate(self._question(place, messages, reply), config=asked)
        except LimitExceededError:
            raise
        except Exception as error:
            message = f"guard {self.guard_name} failed on the {place}: {one_line(str(error) or type(error).__name__)}"
            raise GuardFailedError(message) from error
        return self._read(output), output.usage or ModelUsage()

    def _question(self, place: Place, messages: list[ChatMessage], reply: str) -> list[ChatMessage]:
        said = [message for message in messages if message.role in ("user", "assistant")]
        if self.form is Form.CLASSIFIER:
            return [*said, ChatMessageAssistant(content=reply)] if place is Place.OUTPUT else list(said)
        request = "\n\n".join(message.text for message in said if message.role == "user")
        system, user = prompted(reply if place is Place.OUTPUT else request, place, self.rubric)
        return [ChatMessageSystem(content=system), ChatMessageUser(content=user)]

    def _read(self, output: ModelOutput) -> Read:
        if output.error:
            return Read(ruling=Ruling.UNREAD, why=one_line(output.error))
        if output.choices and output.stop_reason == "content_filter":
            return Read(ruling=Ruling.UNREAD, why="its provider withheld the answer")
        if output.choices and output.stop_reason in ("max_tokens", "model_length"):
            return Read(ruling=Ruling.UNREAD, why="its answer was cut off by a limit")
        return read_ruling(output.completion, self.form)

    def _held_back(self, place: Place, found: Read, rulings: list[dict[str, str]], usage: ModelUsage) -> ModelOutput:
        """What comes back instead of a reply: withheld by the guard, or an error because there is no ruling."""
        blocked = found.ruling is Ruling.BLOCK
        text = f"Blocked on the {place} by {self.guard_name}." if blocked else ""
        message = ChatMessageAssistant(content=text, model=self.model_name, source="generate")
        return ModelOutput(
            model=self.model_name,
            choices=[ChatCompletionChoice(message=message, stop_reason="content_filter" if blocked else "stop")],
            usage=usage,
            metadata={RECORD: self._facts(rulings)},
            error=None if blocked else f"guard {self.guard_name} gave no ruling on the {place}: {found.why}",
        )

    def _facts(self, rulings: list[dict[str, str]]) -> dict[str, Any]:
        return {"guard": self.guard_name, "form": self.form.value, "rulings": rulings}


def _record(place: Place, found: Read) -> dict[str, str]:
    return {"place": place.value, "ruling": found.ruling.value, "categories": found.categories, "why": found.why}
