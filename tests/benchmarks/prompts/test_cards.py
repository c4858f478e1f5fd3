"""Cards state what loaders do: revision, hash, licence, columns; every folder has a card, a README and a task."""

from __future__ import annotations

from importlib.resources import files

import pytest

from equipoise.benchmarks import BENCHMARKS, find
from equipoise.refusal.terms import Refusal
from prompts_data import NAMES, loader


def test_every_refusal_benchmark_is_in_the_catalogue():
    assert tuple(item.id for item in BENCHMARKS) == (
        "openmtb",
        *NAMES,
        "medfail",
        "medqa_order",
        "das_robustness",
        "missing_info",
        "healthbench",
        "das_privacy",
        "das_bias",
        "das_hallucination",
        "specialist_turn",
        "board_simulation",
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_card_agrees_with_the_loader(name):
    card = find(name).card()
    stated = " ".join((card.revision, *card.hashes, card.licence, *card.columns))
    for source in loader(name).sources:
        assert source.revision in stated
        assert source.sha256 in stated
        assert source.unverified == "" or card.unverified
        for column in source.columns:
            assert column in " ".join(card.columns)
    assert card.labels == tuple(Refusal)
    assert card.arms
    assert card.strata
    assert card.clusters
    assert card.flaws
    assert card.limits


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_has_a_readme_that_shows_its_command_and_options(name):
    import inspect

    text = files(f"equipoise.benchmarks.{name}").joinpath("README.md").read_text(encoding="utf-8")
    assert f"equipoise eval {name} " in text
    for option in list(inspect.signature(loader(name).build).parameters)[1:]:
        assert option in text
