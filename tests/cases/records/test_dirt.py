"""One bad entry never loses a record, whatever is in its place; what was not read is listed."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cases.records.checks import read
from equipoise.cases.formats.dnpm import record as dnpm
from equipoise.cases.formats.fhir import reader as fhir
from equipoise.cases.record_files import read_records, read_stream
from equipoise.errors import UsageError

FIXTURES = Path(__file__).parent / "fixtures"
JUNK: tuple[Any, ...] = (
    None,
    7,
    -1.5,
    True,
    "x",
    "",
    [],
    {},
    [None],
    [[]],
    {"x": {"y": []}},
    ["a", 1, {}],
    "\u202e\x1b[31m",
    10**40,
    "9" * 400,
)


def load(name: str) -> Any:
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key)
            yield from paths(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield (*path, place)
            yield from paths(item, (*path, place))


def put(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    changed = copy.deepcopy(value)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = junk
    return changed


@pytest.mark.parametrize("name", ["fhir_features.json", "dnpm_lung.json", "bwhc_lung.json"])
def test_junk_at_any_place_is_survived(name: str) -> None:
    value = load(name)
    chance = random.Random(20261130)
    places = [path for path in paths(value) if len(path) > 1 or name != "fhir_features.json"]
    for path in chance.sample(places, min(250, len(places))):
        changed = put(value, path, chance.choice(JUNK))
        text = json.dumps(changed).encode()
        items = list(read_stream(text, name="junk"))
        assert items, path
        assert all(item.case is not None for item in items), path


def test_a_bad_entry_costs_only_itself() -> None:
    value = load("fhir_features.json")
    whole = {record.case_id: record for record in fhir.read([value])}
    for place, entry in enumerate(value["entry"]):
        resource = entry.get("resource") if isinstance(entry, dict) else None
        if not isinstance(resource, dict) or resource.get("id") not in ("ecog-late", "m1", "v-met", "stage"):
            continue
        changed = {record.case_id: record for record in fhir.read([put(value, ("entry", place), "broken")])}
        assert changed["p2"].data == whole["p2"].data
        lost = {key for key in whole["p1"].data if changed["p1"].data.get(key) != whole["p1"].data[key]}
        expected = {
            "ecog-late": {"ecog"},
            "m1": {"prior_therapies"},
            "v-met": {"biomarkers"},
            "stage": {"stage", "stage_edition"},
        }
        assert lost
        assert lost <= expected[resource["id"]]
        assert sum(one.reason == "wrong-type" for one in changed["p1"].ignored) > sum(
            one.reason == "wrong-type" for one in whole["p1"].ignored
        )


def test_every_ignored_entry_names_its_place() -> None:
    for name in ("fhir_features.json", "dnpm_lung.json", "bwhc_lung.json", "study", "variants.csv"):
        for item in read(FIXTURES / name):
            assert item.record is not None
            assert all(one.place.strip() for one in item.record.ignored)


def test_no_name_of_a_patient_is_repeated() -> None:
    value = load("fhir_features.json")
    value["entry"][0]["resource"]["name"] = [{"family": "Zzyzx", "given": ["Quirina"]}]
    value["entry"][0]["resource"]["birthDate"] = ["Zzyzx"]
    for record in fhir.read([value]):
        assert "Zzyzx" not in json.dumps(record.to_dict())
        assert "Quirina" not in json.dumps(record.data)


def test_lines_of_resources_make_one_record_and_a_broken_line_is_listed() -> None:
    value = load("fhir_features.json")
    resources = [
        entry["resource"]
        for entry in value["entry"]
        if isinstance(entry, dict) and isinstance(entry.get("resource"), dict)
    ]
    lines = [json.dumps(resource) for resource in resources if resource.get("id") not in ("o-pem", "g1")]
    lines.insert(3, '{"resourceType": "Observation", "id"')
    found = read_records("\n".join(lines).encode(), name="lines")
    assert found is not None
    assert [record.case_id for record in found] == ["p1", "p2"]
    assert ("line 4", "not-readable") in {(one.place, one.reason.value) for one in found[0].ignored}


def test_lines_of_bundles_are_one_record_each() -> None:
    value = load("mcode_john_anyperson.json")
    text = f"{json.dumps(value)}\n{json.dumps(value)}\n".encode()
    assert [item.case_id for item in read_stream(text, name="lines")] == [
        "cancer-patient-john-anyperson",
        "cancer-patient-john-anyperson@2",
    ]


def test_lines_of_dnpm_records() -> None:
    value = load("bwhc_lung.json")
    text = f"{json.dumps(value)}\nnot json\n".encode()
    items = list(read_stream(text, name="lines"))
    assert [item.case_id for item in items] == ["bwhc-1"]
    assert items[0].record is not None
    assert items[0].record.ignored[0].place == "line 2"


def test_a_resource_of_another_patient_is_never_given_to_this_one() -> None:
    value = load("mcode_john_anyperson.json")
    for entry in value["entry"]:
        if entry["resource"]["id"].startswith("genomic-variant"):
            entry["resource"]["subject"] = {"reference": "Patient/somebody-else"}
    (record,) = fhir.read([value])
    assert not any("STK11 p." in str(marker) for marker in record.data.get("biomarkers", ()))
    assert "other-patient" in {one.reason.value for one in record.ignored}


def test_a_bundle_without_its_type_is_a_bundle() -> None:
    value = load("mcode_john_anyperson.json")
    del value["resourceType"]
    assert [item.case_id for item in read_stream(json.dumps(value).encode(), name="x")] == [
        "cancer-patient-john-anyperson"
    ]


@pytest.mark.parametrize(
    ("text", "form", "says"),
    [
        ('{"resourceType": "Bundle", "entry": [', "auto", "expected JSON"),
        ('{"resourceType": "Bundle", "entry": [', "fhir", "expected JSON"),
        ('{"colour": "red"}', "auto", "expected a case, a FHIR resource or bundle, or a DNPM record"),
        ('{"case_id": "a"}', "fhir", "expected a FHIR resource"),
        ('{"resourceType": "Patient"}', "dnpm", "expected a DNPM or bwHC record"),
        ("a,b\n1,2\n", "variants", "expected a table with a column of genes"),
        ("a\tb\n1\t2\n", "cbioportal", "expected a study folder"),
    ],
)
def test_what_is_none_of_these_is_one_clear_line(text: str, form: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        list(read_stream(text.encode(), name="file", form=form))
    assert "\n" not in str(caught.value)


def test_recognition_asks_for_more_than_a_patient() -> None:
    assert not dnpm.recognises({"patient": {"id": "x"}})
    assert not dnpm.recognises({"resourceType": "Claim", "patient": {"id": "x"}, "diagnoses": [], "carePlans": []})
    assert dnpm.recognises({"patient": {"id": "x"}, "diagnoses": [], "carePlans": []})
