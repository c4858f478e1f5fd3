"""Who made a model: read from its name, so that nobody judges replies of a model of their own house.

A name can tell of several makers (a model of one house trained further by another): all of them count. A name that tells
of none is unknown; nothing is guessed. The server of a model is no maker, unless it serves its own models only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from equipoise.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """A house that makes models.

    Attributes:
        id: identifier.
        name: as it is written.
        models: beginnings of model names, in lower case; a letter may stand neither before nor after one.
        accounts: how it is called as the owner of a model, or as a provider that serves its own models only.
    """

    id: str
    name: str
    models: tuple[str, ...]
    accounts: tuple[str, ...] = ()


MAKERS: tuple[Maker, ...] = (
    Maker(id="openai", name="OpenAI", models=("gpt", "chatgpt", "o1", "o3", "o4", "davinci", "text-davinci", "codex"),
          accounts=("openai",)),
    Maker(id="anthropic", name="Anthropic", models=("claude", "opus", "sonnet", "haiku"), accounts=("anthropic",)),
    Maker(id="google", name="Google", models=("gemini", "gemma", "medgemma", "codegemma", "shieldgemma", "palm", "medpalm",
          "med-palm", "bard", "flan", "txgemma"), accounts=("google",)),
    Maker(id="meta", name="Meta", models=("llama", "llamaguard", "codellama"), accounts=("meta", "meta-llama", "facebook")),
    Maker(id="mistral", name="Mistral AI", models=("mistral", "mixtral", "ministral", "magistral", "codestral", "pixtral",
          "devstral", "mathstral", "biomistral", "mistralinstruct", "mistralguard"), accounts=("mistral", "mistralai")),
    Maker(id="alibaba", name="Alibaba (Qwen)", models=("qwen", "qwq", "qvq", "tongyi", "codeqwen"),
          accounts=("qwen", "alibaba", "alibaba-nlp")),
    Maker(id="deepseek", name="DeepSeek", models=("deepseek",), accounts=("deepseek", "deepseek-ai")),
    Maker(id="xai", name="xAI", models=("grok",), accounts=("xai", "xai-org", "x-ai", "grok")),
    Maker(id="microsoft", name="Microsoft", models=("phi", "wizardlm", "orca", "mai", "biogpt"), accounts=("microsoft",)),
    Maker(id="cohere", name="Cohere", models=("command-r", "command-a", "command-light", "command-nightly", "c4ai", "aya"),
          accounts=("cohere", "coherelabs", "cohereforai")),
    Maker(id="amazon", name="Amazon", models=("nova-micro", "nova-lite", "nova-pro", "nova-premier", "titan"),
          accounts=("amazon",)),
    Maker(id="nvidia", name="NVIDIA", models=("nemotron", "minitron"), accounts=("nvidia",)),
    Maker(id="zhipu", name="Z.ai (Zhipu)", models=("glm", "chatglm"), accounts=("zai-org", "thudm", "zhipuai", "z-ai")),
    Maker(id="moonshot", name="Moonshot AI", models=("kimi", "moonlight"), accounts=("moonshotai", "moonshot")),
    Maker(id="minimax", name="MiniMax", models=("minimax", "abab"), accounts=("minimaxai", "minimax")),
    Maker(id="01-ai", name="01.AI", models=("yi",), accounts=("01-ai",)),
    Maker(id="ai21", name="AI21", models=("jamba", "jurassic"), accounts=("ai21", "ai21labs")),
    Maker(id="ai2", name="Allen Institute for AI", models=("olmo", "olmoe", "tulu", "molmo", "wildguard"),
          accounts=("allenai",)),
    Maker(id="huggingface", name="Hugging Face", models=("smollm", "smolvlm", "zephyr", "idefics"),
          accounts=("huggingfacetb", "huggingfaceh4")),
    Maker(id="ibm", name="IBM", models=("granite",), accounts=("ibm-granite", "ibm")),
    Maker(id="tii", name="TII", models=("falcon",), accounts=("tiiuae",)),
    Maker(id="baidu", name="Baidu", models=("ernie",), accounts=("baidu",)),
    Maker(id="tencent", name="Tencent", models=("hunyuan",), accounts=("tencent",)),
    Maker(id="bytedance", name="ByteDance", models=("doubao", "seed-oss"), accounts=("bytedance", "bytedance-seed")),
    Maker(id="baichuan", name="Baichuan", models=("baichuan",), accounts=("baichuan-inc",)),
    Maker(id="shanghai-ai-lab", name="Shanghai AI Laboratory", models=("internlm", "internvl", "intern-s1"),
          accounts=("internlm", "opengvlab")),
    Maker(id="stepfun", name="StepFun", models=("stepfun", "step-1", "step-2", "step-3"), accounts=("stepfun-ai",)),
    Maker(id="lg", name="LG AI Research", models=("exaone",), accounts=("lgai-exaone",)),
    Maker(id="upstage", name="Upstage", models=("solar",), accounts=("upstage",)),
    Maker(id="databricks", name="Databricks", models=("dbrx", "mpt"), accounts=("databricks", "mosaicml")),
    Maker(id="nous", name="Nous Research", models=("hermes",), accounts=("nousresearch",)),
    Maker(id="lmsys", name="LMSYS", models=("vicuna",), accounts=("lmsys",)),
    Maker(id="eleutherai", name="EleutherAI", models=("gpt-neo", "gpt-neox", "gpt-j", "pythia"), accounts=("eleutherai",)),
    Maker(id="epfl", name="EPFL", models=("meditron", "apertus"), accounts=("epfl-llm", "swiss-ai")),
    Maker(id="saama", name="Saama", models=("openbiollm",), accounts=("aaditya",)),
    Maker(id="equipoise", name="this package", models=(), accounts=("equipoise", "mockjudge")),
)  # fmt: skip
"""The makers known, the large ones first."""

BUILT_ON: Mapping[str, str] = {
    "vicuna": "meta",
    "meditron": "meta",
    "openbiollm": "meta",
    "tulu": "meta",
    "hermes-3": "meta",
    "zephyr": "mistral",
    "wildguard": "mistral",
}
"""Beginnings of names that do not tell from whose model these models were trained."""

_NOT_OPENAI = re.compile(r"gpt-?(?:neo|neox|j)(?![a-z])|gpt4all")


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeBy:
    """Who made a model.

    Attributes:
        makers: identifiers of `MAKERS`; empty when unknown.
        from_: what told: "name", "provider", "given", or "" when unknown.
    """

    makers: frozenset[str]
    from_: str = ""

    @property
    def known(self) -> bool:
        """Whether anything told."""
        return bool(self.makers)

    @property
    def text(self) -> str:
        """The makers in words; "maker not known" without one."""
        return " and ".join(sorted(self.makers)) or "maker not known"


def made_by(
    model: str, *, provider: str | None = None, family: str | None = None, given: Mapping[str, str] | None = None
) -> MadeBy:
    """Who made a model.

    Args:
        model: its name, with or without provider and owner ("openai/gpt-4o", "together/meta-llama/Llama-3-8b").
        provider: who serves it, where known; counts only when neither name nor family tells anything.
        family: its family, where known.
        given: maker by model name, as told by the user; it comes first. A name with its provider and the same without it are one.

    Raises:
        UsageError: a given maker is none of `MAKERS`.
    """
    for name in (model, f"{provider or ''}/{model}", model.partition("/")[2]):
        if given and name in given:
            return MadeBy(makers=frozenset({_known(given[name])}), from_="given")
    found = _by_name(model.lower()) | (_by_name(family.lower()) if family else frozenset())
    if found:
        return MadeBy(makers=found, from_="name")
    for server in (provider or "", model.split("/", 1)[0] if "/" in model else ""):
        maker = _accounts().get(server.lower())
        if maker:
            return MadeBy(makers=frozenset({maker}), from_="provider")
    return MadeBy(makers=frozenset())


def parse_makers(given: list[str]) -> dict[str, str]:
    """Makers told by the user as MODEL=MAKER.

    Raises:
        UsageError: another form, or a maker that is none of `MAKERS`.
    """
    result = {}
    for text in given:
        model, sign, maker = text.rpartition("=")
        if not sign or not model:
            message = f"expected MODEL=MAKER, found {text!r}"
            raise UsageError(message, field="--maker")
        result[model] = _known(maker.strip().lower())
    return result


def _known(maker: str) -> str:
    if maker not in {item.id for item in MAKERS}:
        message = f"there is no maker {maker!r}; known are {', '.join(item.id for item in MAKERS)}"
        raise UsageError(message, field="--maker")
    return maker


def _by_name(name: str) -> frozenset[str]:
    found = set()
    segments = name.split("/")
    for owner in segments[1:-1]:
        if owner in _accounts():
            found.add(_accounts()[owner])
    last = segments[-1]
    for owner, rest in [part.split(".", 1) for part in (last,) if "." in part]:
        if owner in _accounts() and rest:
            found.add(_accounts()[owner])
    searched = _NOT_OPENAI.sub(lambda match: "eleutherai" if match[0] != "gpt4all" else "", last)
    if searched != last and "eleutherai" in searched:
        found.add("eleutherai")
    found |= {maker for pattern, maker in _patterns() if pattern.search(searched)}
    return frozenset(found)


@cache
def _accounts() -> Mapping[str, str]:
    return {account: maker.id for maker in MAKERS for account in maker.accounts}


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    named = [(start, maker.id) for maker in MAKERS for start in maker.models]
    return tuple((_pattern(start), maker) for start, maker in (*named, *BUILT_ON.items()))


def _pattern(start: str) -> re.Pattern[str]:
    """A beginning of a name; one that ends in a digit is not followed by another."""
    after = r"(?![a-z0-9.])" if start[-1].isdigit() else r"(?![a-z])"
    before = r"(?<![a-z0-9.])" if start[-1].isdigit() else r"(?<![a-z])"
    return re.compile(before + re.escape(start) + after)
