"""A file of lineages: both forms, and one message a fault."""

from __future__ import annotations

import pytest

from equipoise.errors import InputError
from equipoise.refusal.lineage_file import read_lineages
from equipoise.refusal.measures import Lineage
from equipoise.refusal.measures.families import lineages_of
from made_replies import made

YAML = """
models:
  openai/alpha-1: {family: alpha, generation: 1, scale: 7}
  alpha-2: {family: alpha, generation: 2}
  beta: {family: beta}
"""
CSV = "model,family,generation,scale\nopenai/alpha-1,alpha,1,7\nalpha-2,alpha,2,\nbeta,beta,,\n"
WANTED = {
    "openai/alpha-1": Lineage(family="alpha", generation=1.0, scale=7.0),
    "alpha-2": Lineage(family="alpha", generation=2.0),
    "beta": Lineage(family="beta"),
}


def test_both_forms_say_the_same(tmp_path):
    (tmp_path / "l.yaml").write_text(YAML)
    (tmp_path / "l.csv").write_text(CSV)
    (tmp_path / "bare.yml").write_text(YAML.replace("models:\n", "").replace("\n  ", "\n"))
    assert read_lineages(tmp_path / "l.yaml") == read_lineages(tmp_path / "l.csv") == WANTED
    assert read_lineages(tmp_path / "bare.yml") == WANTED


def test_every_fault_has_a_line_of_its_own(tmp_path):
    (tmp_path / "l.csv").write_text(
        "model,family,generation,scale\na,,1,2\n,b,1,2\nc,c,new,2\nd,d,1,-3\ne,e,1,2\ne,e,1,2\nf,f,1,2,9\n"
    )
    with pytest.raises(InputError) as error:
        read_lineages(tmp_path / "l.csv")
    lines = str(error.value).splitlines()
    assert lines[0].endswith("l.csv: 6 faults:")
    assert lines[1:] == [
        "line 2: family: expected a name, found nothing",
        "line 3: the model has no name",
        "line 4: generation: expected a number of 0 or more, found 'new'",
        "line 5: scale: expected a number of 0 or more, found '-3'",
        "line 7: the model 'e' is named twice",
        "line 8: there is no column '1 cells too many'; expected model, family, generation, scale",
    ]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("l.yaml", "a: {family: x, size: 3}\n", "model 'a': there is no column 'size'"),
        ("l.yaml", "a: {family: x}\na: {family: y}\n", "'a' stands twice"),
        ("l.yaml", "a: {family: x, generation: .nan}\n", "expected a number of 0 or more, found nan"),
        ("l.yaml", "a: {family: x, generation: yes}\n", "expected a number of 0 or more, found True"),
        ("l.yaml", "a: 3\n", "model 'a': family: expected a name, found 3"),
        ("l.yaml", "- a\n", "expected models, each with a family"),
        ("l.yaml", "a: [\n", "not readable YAML"),
        ("l.yaml", "{}\n", "names no model"),
        ("l.csv", "model,generation\na,1\n", "the column 'family' is missing"),
        ("l.txt", "a\n", "expected a .yaml or .csv file"),
    ],
)
def test_what_cannot_be_read_is_one_line(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as error:
        read_lineages(tmp_path / name)
    assert words in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_a_system_is_found_by_its_name_or_its_model_and_others_are_listed():
    replies = [
        made(system="openai/alpha-1", model="alpha-1"),
        made(system="openai/alpha-1 (system abc)", model="alpha-1"),
        made(system="hub/alpha-2", model="alpha-2"),
        made(system="hub/gamma", model="gamma"),
    ]
    found, left = lineages_of(replies, WANTED)
    assert {name: item.generation for name, item in found.items()} == {
        "openai/alpha-1": 1.0,
        "openai/alpha-1 (system abc)": 1.0,
        "hub/alpha-2": 2.0,
    }
    assert left == ("hub/gamma",)
    assert lineages_of(replies) == ({}, ())
    behind = made(system="openai/alpha-1 behind a/g (input)", model="alpha-1", guard="a/g")
    assert lineages_of([behind], WANTED) == ({}, (behind.system,))
    own = Lineage(family="guarded")
    assert lineages_of([behind], {**WANTED, behind.system: own})[0] == {behind.system: own}
