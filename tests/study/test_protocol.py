"""The protocol: what is read, and one clear line for every fault."""

import copy

import pytest
import yaml

from equipoise.errors import ConfigurationError, UsageError
from equipoise.study.protocol import load_protocol, read_protocol
from equipoise.study.shipped import FOLDER, TEMPLATES, template

PLAIN = yaml.safe_load(template("gates-severity").text)


def changed(path, value):
    result = copy.deepcopy(PLAIN)
    place = result
    for part in path[:-1]:
        place = place[part]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return yaml.safe_dump(result)


@pytest.mark.parametrize("item", TEMPLATES, ids=lambda item: item.id)
def test_a_template_is_a_protocol_of_its_name(item):
    protocol = load_protocol(item.text)
    assert protocol.name == item.id
    assert protocol.primary.values


def test_every_shipped_file_is_listed():
    assert {path.stem for path in FOLDER.glob("*.yaml")} == {item.id for item in TEMPLATES}


def test_an_unknown_template_names_the_known_ones():
    with pytest.raises(UsageError, match=r"no template 'five-label'; expected one of four-label"):
        template("five-label")


def test_the_hash_is_of_what_is_said_not_of_how_it_is_written():
    text = template("gates-severity").text
    assert load_protocol(text).hash == load_protocol(yaml.safe_dump(PLAIN)).hash
    assert load_protocol(text).hash != load_protocol(changed(("order", "seed"), 2)).hash


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (("version",), 2, "version: Input should be 1"),
        (("items", "show"), ["prompt", "model"], "'model' would tell raters the source or the answer"),
        (("items", "show"), ["prompt", "Support_Label"], "'Support_Label' would tell raters the source"),
        (("items", "reference"), "reply", "'reply' would tell raters the source or the answer"),
        (("items", "show"), ["prompt", "prompt"], "items.show: field given twice: prompt"),
        (("questions", 0, "options"), [{"value": "1", "points": 1.0}], "expected at least 2 options, found 1"),
        (("questions", 0, "options", 0, "points"), 9.0, "needs points, rising from the first to the last"),
        (("questions", 0, "options", 0, "points"), None, "needs points, rising from the first to the last"),
        (("questions", 0, "options", 0, "key"), "u", "key 'u' belongs to the desk"),
        (("questions", 0, "options", 0, "key"), "d", "questions: key given twice: d"),
        (("questions", 1, "id"), "severity", "question given twice: severity"),
        (("questions", 1, "when", "values"), ["6"], "'6' is no answer to 'severity'; expected one of 0, 1, 2"),
        (("questions", 1, "when", "question"), "gates", "there is no question 'gates'; expected one of severity"),
        (("questions", 2, "options"), [{"value": "x"}], "question 'rationale': a text has no options"),
        (("raters", "per_item"), 4, "per_item is 4, but only 3 are planned"),
        (("raters", "overlap"), 1.5, "raters.overlap: Input should be less than or equal to 1"),
        (("adjudication", "distance"), None, "distance belongs to the rule distance"),
        (("stopping",), {"rule": "labels"}, "labels belongs to the rule labels"),
        (("analysis",), {"primary": "gates"}, "a question of kind flags; expected choice or scale"),
        (("analysis", "primary"), "severities", "there is no question 'severities'"),
        (("analysis", "positive"), ["6"], "analysis: primary: '6' is no answer to 'severity'"),
        (("analysis", "secret"), 1, "analysis.secret: there is no such field"),
        (("attention",), {"items": [{"item": "a", "expected": {"severity": "9"}}]}, "item 'a': '9' is no answer"),
        (("title",), None, "title: Field required"),
    ],
)
def test_a_fault_is_one_clear_line(path, value, line):
    with pytest.raises(ConfigurationError) as caught:
        load_protocol(changed(path, value), file="protocol.yaml")
    first, *found = str(caught.value).split("\n")
    assert first == f"protocol.yaml: {len(found)} problem{'s' if len(found) > 1 else ''}:"
    assert len(found) == 1
    assert line in found[0]


def test_a_choice_has_no_distance_and_no_weights():
    value = yaml.safe_load(template("four-label").text)
    value["analysis"]["weights"] = "quadratic"
    with pytest.raises(ConfigurationError, match="analysis: weights needs an order, but 'label' is a choice"):
        load_protocol(yaml.safe_dump(value))
    value["analysis"]["weights"] = "none"
    value["adjudication"] = {"rule": "distance", "distance": 2.0}
    with pytest.raises(ConfigurationError, match="adjudication: distance needs an order"):
        load_protocol(yaml.safe_dump(value))


def test_every_fault_is_named_with_its_place():
    value = copy.deepcopy(PLAIN)
    value["raters"]["planned"] = 0
    value["order"]["seed"] = "one"
    value["questions"][0]["options"][2]["keys"] = "x"
    with pytest.raises(ConfigurationError) as caught:
        load_protocol(yaml.safe_dump(value))
    text = str(caught.value)
    assert text.startswith("protocol: 3 problems:")
    assert "questions.1.options.3.keys: there is no such field" in text


def test_text_that_is_not_yaml_names_the_line(tmp_path):
    path = tmp_path / "protocol.yaml"
    path.write_text("version: 1\nname: [a\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"protocol\.yaml, line 3: not readable YAML"):
        read_protocol(path)


def test_a_list_is_no_protocol():
    with pytest.raises(ConfigurationError, match="1 problem:\nprotocol: Input should be a valid dictionary"):
        load_protocol("- a\n")


def test_a_question_is_asked_when_its_condition_holds():
    protocol = load_protocol(template("gates-severity").text)
    gates = protocol.find("gates")
    assert gates.asked({"severity": "4"})
    assert not gates.asked({"severity": "0"})
    assert not gates.asked({})
    with pytest.raises(KeyError):
        protocol.find("none")
