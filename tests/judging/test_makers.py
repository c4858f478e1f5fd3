from __future__ import annotations

import re

import pytest

from equipoise.errors import UsageError
from equipoise.judging.makers import BUILT_ON, MAKERS, made_by, parse_makers


@pytest.mark.parametrize(
    ("model", "makers"),
    [
        ("openai/gpt-4o", {"openai"}),
        ("gpt-4o-2024-08-06", {"openai"}),
        ("gpt4", {"openai"}),
        ("gpt-oss-120b", {"openai"}),
        ("openai/o3-mini", {"openai"}),
        ("o1", {"openai"}),
        ("azureai/gpt-4.1", {"openai"}),
        ("anthropic/claude-opus-4-8", {"anthropic"}),
        ("bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", {"anthropic"}),
        ("opus-4.8", {"anthropic"}),
        ("google/gemini-2.5-pro", {"google"}),
        ("ollama/gemma3:4b", {"google"}),
        ("medgemma-27b", {"google"}),
        ("together/meta-llama/Llama-3-8b-chat-hf", {"meta"}),
        ("llama2orig", {"meta"}),
        ("CodeLlama-7b", {"meta"}),
        ("mistral/mistral-large-latest", {"mistral"}),
        ("mistralinstruct", {"mistral"}),
        ("Mixtral-8x7B-Instruct", {"mistral"}),
        ("qwen2.5-72b-instruct", {"alibaba"}),
        ("QwQ-32B", {"alibaba"}),
        ("deepseek-chat", {"deepseek"}),
        ("grok/grok-4", {"xai"}),
        ("openrouter/x-ai/some-model", {"xai"}),
        ("groq/llama-3.3-70b", {"meta"}),
        ("phi-4", {"microsoft"}),
        ("hf/microsoft/some-model", {"microsoft"}),
        ("kimi-k2.6", {"moonshot"}),
        ("glm-5", {"zhipu"}),
        ("command-r-plus", {"cohere"}),
        ("SmolLM2-135M-Instruct", {"huggingface"}),
        ("deepseek-r1-distill-llama-70b", {"deepseek", "meta"}),
        ("DeepSeek-R1-Distill-Qwen-7B", {"deepseek", "alibaba"}),
        ("nvidia/llama-3.1-nemotron-70b", {"nvidia", "meta"}),
        ("meditron-70b", {"epfl", "meta"}),
        ("gpt-neox-20b", {"eleutherai"}),
        ("EleutherAI/gpt-j-6b", {"eleutherai"}),
        ("mockjudge/lowest", {"equipoise"}),
    ],
)
def test_known(model, makers):
    assert made_by(model).makers == makers


@pytest.mark.parametrize(
    "model",
    [
        "openai-api/local/my-model", "local/clinic-model-7b", "medgpt", "llamentable", "foo1", "pro3-large", "sophia",
        "graphite", "yield-7b", "command-line-helper", "innovate", "gpt4all", "together/unknown/model", "vllm/ours", "",
    ],
)  # fmt: skip
def test_unknown_is_said_and_not_guessed(model):
    found = made_by(model)
    assert (found.makers, found.known, found.text) == (frozenset(), False, "maker not known")


def test_the_server_counts_only_when_the_name_says_nothing():
    assert made_by("next-model", provider="openai").makers == {"openai"}
    assert made_by("llama-3-8b", provider="google").makers == {"meta"}
    assert made_by("next-model", provider="together").makers == frozenset()
    assert made_by("next-model", family="Llama 3").makers == {"meta"}


def test_what_the_user_says_comes_first():
    given = parse_makers(["my-gpt=mistral", "a=b=qwen2=alibaba"])
    assert given == {"my-gpt": "mistral", "a=b=qwen2": "alibaba"}
    assert made_by("my-gpt", given=given).makers == {"mistral"}
    for text, words in (("nothing", "MODEL=MAKER"), ("=meta", "MODEL=MAKER"), ("m=nobody", "no maker 'nobody'")):
        with pytest.raises(UsageError, match=words):
            parse_makers([text])


def test_what_the_user_says_holds_with_and_without_the_provider():
    """A run states the model without its provider; the user names it as on the command line."""
    given = parse_makers(["vllm/ours=mistral", "theirs=meta"])
    assert made_by("ours", provider="vllm", given=given).makers == {"mistral"}
    assert made_by("vllm/theirs", given=given).makers == {"meta"}
    assert made_by("ours", provider="together", given=given).makers == frozenset()
    assert made_by("ours", given=given).makers == frozenset()


def test_the_table_says_each_thing_once():
    names = [start for maker in MAKERS for start in maker.models]
    accounts = [account for maker in MAKERS for account in maker.accounts]
    assert len(set(names)) == len(names)
    assert len(set(accounts)) == len(accounts)
    assert len({maker.id for maker in MAKERS}) == len(MAKERS)
    assert set(BUILT_ON.values()) <= {maker.id for maker in MAKERS}
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in (*names, *accounts))


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.id)
def test_every_beginning_and_account_is_found(maker):
    for start in maker.models:
        assert maker.id in made_by(f"{start}-9b").makers or maker.id in made_by(start).makers, start
    for account in maker.accounts:
        assert made_by(f"hub/{account}/x-model").makers == {maker.id}
