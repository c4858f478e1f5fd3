"""A configuration: what is wrong is one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.benchmarks.health_orsc.pipeline.config import PUBLISHED_TIERS, load_config, make_config
from equipoise.errors import ConfigurationError, UsageError
from orsc_examples import values


def with_part(part, **changes):
    base = values()
    base[part] = {**base[part], **changes}
    return base


NO_DIFFICULTY = {key: value for key, value in values().items() if key != "difficulty"}
SEVEN = [{"id": f"g{n}", "model": "guard0"} for n in range(7)]
THIRTY = {f"m{n}": {"model": "equipoise-rehearsal/answerer", "args": {"salt": str(n)}} for n in range(30)}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (values(surplus=1), "surplus"),
        (values(seed=-1), "seed: Input should be greater than or equal to 0, found '-1'"),
        (with_part("rewrite", model="nobody"), "rewrite.model names 'nobody', and models has sorter"),
        (with_part("rewrite", least_words=9, most_words=8), "least_words must not be above most_words"),
        (with_part("moderate", keep_at_least=None), "give keep_at_least: the default of 4 is for 7 moderators, and here are 3"),
        (with_part("moderate", keep_at_least=4), "keep_at_least is 4, and there are 3 moderators"),
        (with_part("moderate", moderators=[{"id": "a", "model": "guard0"}] * 2), "moderator 'a' is named twice"),
        (with_part("difficulty", tiers=None), "give tiers: the default (0-4, 5-9, 10-25) is for 30 models, and here are 2"),
        (with_part("difficulty", tiers={"easy": [0, 1], "hard": [1, 2]}), "tier hard is 1 to 2"),
        (with_part("difficulty", tiers={"hard": [1, 3]}), "between 0 and 2"),
        (with_part("difficulty", tiers={"../up": [1, 2]}), "cannot be the name of a tier"),
        (with_part("difficulty", tiers={"undecided": [1, 2]}), "cannot be the name of a tier"),
        (values(categorise={"by": "model"}), "name a model, or categorise by column"),
        (values(categorise={"by": "column"}), "seed file 'own' names no column of category"),
        (values(select={"rule": "both"}), "select.rule both needs select.classifier"),
        (values(select={"near_duplicate": 0}), "select.near_duplicate"),
        (values(seeds=[]), "seeds"),
        (values(seeds=[{"id": "a", "file": "x"}, {"id": "a", "file": "y"}]), "seed file 'a' is named twice"),
        (values(models={"m": {"model": "a/b", "args": {"api_key": "x"}}}), "keys are read from the environment"),
        (values(models={"m": {"model": "a/b", "price_in": 1}}), "give both prices"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line_that_names_it(value, words):
    with pytest.raises(ConfigurationError) as found:
        make_config(value, folder=Path(), name="my.yaml")
    text = str(found.value)
    assert text.startswith("my.yaml: ")
    assert words in text
    assert "\n" not in text


def test_several_faults_are_counted():
    with pytest.raises(ConfigurationError, match=r"\(and 1 more\)"):
        make_config(values(seed=-1, name=""), folder=Path())


def test_the_published_numbers_are_the_defaults():
    config = make_config(values(moderate={"moderators": SEVEN}), folder=Path()).config
    assert (config.moderate.keep, config.moderate.readable) == (4, 4)
    full = NO_DIFFICULTY | {
        "models": NO_DIFFICULTY["models"] | THIRTY,
        "difficulty": {"models": list(THIRTY)},
    }
    config = make_config(full, folder=Path()).config
    assert config.difficulty.bounds == PUBLISHED_TIERS == {"easy": (0, 4), "medium": (5, 9), "hard": (10, 25)}
    assert make_config(NO_DIFFICULTY, folder=Path()).config.difficulty is None


def test_tiers_may_be_written_in_any_order():
    config = make_config(with_part("difficulty", tiers={"hard": [1, 2], "easy": [0, 0]}), folder=Path()).config
    assert list(config.difficulty.bounds) == ["easy", "hard"]


def test_what_decides_on_health_follows_from_the_classifier():
    assert make_config(values(), folder=Path()).config.rule == "keyword"
    assert make_config(values(select={"classifier": "sorter"}), folder=Path()).config.rule == "both"


def test_a_file_that_is_no_configuration_is_one_line(tmp_path):
    path = tmp_path / "c.yaml"
    with pytest.raises(UsageError, match="no such file"):
        load_config(path)
    path.write_text("a: [1,\nb: 2")
    with pytest.raises(ConfigurationError, match=r"c\.yaml, line \d+: not YAML"):
        load_config(path)
    path.write_text("- 1")
    with pytest.raises(ConfigurationError, match="expected a YAML mapping"):
        load_config(path)


def test_address_and_price_are_not_part_of_what_a_call_is_known_by():
    spec = make_config(values(), folder=Path()).config.models["writer"]
    moved = spec.model_copy(update={"base_url": "http://127.0.0.1:1/v1", "price_in": 1.0, "price_out": 1.0})
    assert moved.identity() == spec.identity()
    assert spec.model_copy(update={"temperature": 0.5}).identity() != spec.identity()
