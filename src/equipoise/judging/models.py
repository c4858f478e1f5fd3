"""Judges by Inspect's names, and how they are asked."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import GenerateConfig, Model, get_model

import equipoise.judging.mock  # noqa: F401 - registers the judges without a model
from equipoise.errors import ConfigurationError, EquipoiseError
from equipoise.evals.failures import one_line
from equipoise.evals.mock_counts import count_without_network
from equipoise.evals.runner import start_advice
from equipoise.judging.call import SchemaMode
from equipoise.judging.step import Settings


def load_judges(names: Sequence[str], *, base_url: str | None = None) -> dict[str, Model]:
    """The judges by name.

    Args:
        names: Inspect's names, PROVIDER/MODEL.
        base_url: address of the endpoint of all of them; None for the provider's own.

    Raises:
        UsageError: there is no such judge of this package.
        ConfigurationError: unknown provider, no key, or a library that is missing; one line says what to do.
    """
    count_without_network()
    models = {}
    for name in names:
        try:
            models[name] = get_model(name, base_url=base_url)
        except EquipoiseError:
            raise
        except Exception as error:
            message = f"judge {name} cannot be had: {one_line(str(error))}; {start_advice(error)}"
            raise ConfigurationError(message) from error
    return models


def settings(
    *,
    temperature: float = 0.0,
    max_tokens: int | None = None,
    timeout: int | None = None,
    connections: int | None = None,
    schema: SchemaMode = "auto",
    again: Sequence[str] = (),
) -> Settings:
    """How judges are asked.

    Args:
        temperature: temperature of the judges.
        max_tokens: tokens of a verdict at most.
        timeout: seconds for a verdict, all tries together.
        connections: calls at a time, for each judge.
        schema: whether the JSON schema is sent as a setting too.
        again: states of verdicts on record that are asked again.
    """
    config = GenerateConfig(temperature=temperature, max_tokens=max_tokens, timeout=timeout)
    return Settings(config=config, connections=connections, schema=schema, again=tuple(again))
