"""Inspect's mock model without a network: it counts tokens by a tokenizer that it would download, which nobody asked for."""

from __future__ import annotations

from inspect_ai.model._providers.mockllm import MockLLM

LETTERS = 4
"""Letters a token, roughly, in English. A mock's count of tokens is of no use but to be a number."""


async def _roughly(self: MockLLM, text: str) -> int:
    return max(1, len(text) // LETTERS)


def count_without_network() -> None:
    """Let `mockllm` count tokens from the length of a text.

    Its own count loads a file from the network at the first call (`inspect_ai.model._tokens`, tiktoken o200k_base), so that on a machine
    without one every call of the mock fails.
    """
    MockLLM.count_text_tokens = _roughly  # type: ignore[assignment,method-assign]
