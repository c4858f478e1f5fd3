from __future__ import annotations

import json
from collections import Counter

import pytest

from equipoise.audit.verdict import LABELS
from equipoise.benchmarks.openmtb.dataset import from_records
from equipoise.benchmarks.openmtb.error_types import ALL_TYPES, PUBLISHED_TYPES
from equipoise.benchmarks.openmtb.generate import generate
from equipoise.errors import UsageError
from equipoise.ids import content_hash

CASE_FIELDS = {
    "case_id", "as_of", "age", "sex", "ecog", "tumor", "histology", "stage", "setting", "brain_mets", "biomarkers",
    "pdl1", "tmb", "msi", "prior_therapies", "comorbidities", "comedications", "qtc_ms", "recommendations",
    "recommendation",
}  # fmt: skip


@pytest.fixture(scope="module")
def every_type():
    return generate(1000, 7, types="all")


def types_of(records):
    return Counter(record["reference"]["error_type"] for record in records)


def test_default_is_the_published_mix():
    records = generate()
    assert len(records) == 500
    assert types_of(records) == {"none": 200, **dict.fromkeys(PUBLISHED_TYPES, 60)}


@pytest.mark.parametrize("n", [1, 2, 3, 7, 99, 1001])
def test_any_size(n):
    assert len(generate(n, 1, types="all")) == n


def test_types_and_counts_by_argument():
    assert types_of(generate(100, 3, types=["wrong_line", "wrong_drug"])) == {
        "none": 40,
        "wrong_line": 30,
        "wrong_drug": 30,
    }
    assert types_of(generate(counts={"none": 3, "withdrawn_drug": 4})) == {"none": 3, "withdrawn_drug": 4}
    assert types_of(generate(counts={"resistance_variant": 2})) == {"resistance_variant": 2}


def test_same_seed_same_bytes_and_another_seed_another_set():
    first, again, other = (json.dumps(generate(120, seed, types="all")) for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_bytes_do_not_change_between_versions():
    # Fixed when the generator was written; another value is another benchmark and raises the version of its card.
    assert content_hash(generate(40, 42, types="all")) == "c8de9143453862f0"


def test_ids_are_hashes_of_the_content_and_unique(every_type):
    assert len({record["case_id"] for record in every_type}) == len(every_type)
    for record in every_type:
        inputs = {key: value for key, value in record.items() if key not in ("case_id", "reference")}
        assert record["case_id"] == f"gen-{content_hash(inputs)[:12]}"


def test_only_fields_of_the_case(every_type):
    for case in from_records(every_type):
        assert set(case.inputs) <= CASE_FIELDS


def test_references_by_type(every_type):
    for record in every_type:
        reference = record["reference"]
        assert reference["label"] in LABELS
        expected = {
            "none": "Supported",
            "missing_critical_information": "Insufficient Information",
            "unsafe_overconfidence": "Partially Supported",
        }.get(reference["error_type"], "Unsupported")
        assert reference["label"] == expected
        assert bool(reference["missing_fields"]) == (expected == "Insufficient Information")
        if expected == "Insufficient Information":
            assert reference["abstain"]
        if expected in ("Supported", "Partially Supported"):
            assert not reference["abstain"]


def test_an_error_is_its_parent_but_for_the_edit(every_type):
    by_id = {record["case_id"]: record for record in every_type}
    found = 0
    for record in every_type:
        reference = record["reference"]
        if reference["error_type"] == "none":
            assert (reference["parent_id"], reference["edit"]) == ("", None)
            continue
        parent = by_id.get(reference["parent_id"])
        if parent is None:
            continue
        found += 1
        assert parent["reference"]["error_type"] == "none"
        changed = {
            key
            for key in {**parent, **record}
            if key not in ("case_id", "reference") and parent.get(key) != record.get(key)
        }
        assert changed == set(reference["edit"]["field"].split("+"))
        if len(changed) == 1:
            (name,) = changed
            assert reference["edit"]["from"] == parent.get(name)
            assert reference["edit"]["to"] == record.get(name)
    assert found > 400


def test_missing_fields_are_missing(every_type):
    blank = {None, "unknown", "not documented", "NSCLC NOS"}
    for record in every_type:
        for name in record["reference"]["missing_fields"]:
            if name != "biomarkers":
                value = record.get(name)
                assert value is None or value in blank


def test_histories_are_in_order_and_end_before_the_day_of_the_case(every_type):
    for record in every_type:
        history = record.get("prior_therapies")
        if isinstance(history, list) and history and isinstance(history[0], dict):
            days = [course["ended"] for course in history]
            assert days == sorted(days)
            assert days[-1] < record["as_of"]
            if record.get("setting") in ("neoadjuvant", "adjuvant", "chemoradiation", "consolidation"):
                assert all(course["setting"] not in ("advanced", "metastatic") for course in history)


def test_stage_and_setting_go_together(every_type):
    for record in every_type:
        stage = record["stage"].removeprefix("Stage ")
        setting = record.get("setting")
        if stage.startswith("IV"):
            assert setting in (None, "metastatic")
        elif setting == "metastatic":
            pytest.fail(f"{record['case_id']}: stage {stage} in the metastatic setting")


def test_ecog_of_clean_cases_is_at_most_two(every_type):
    for record in every_type:
        grades = {int(digit) for digit in str(record.get("ecog")) if digit.isdigit()}
        if record["reference"]["error_type"] == "unsafe_overconfidence":
            assert min(grades) >= 3
        elif grades:
            assert max(grades) <= 2


@pytest.mark.parametrize(
    "arguments",
    [{"n": 0}, {"n": -4}, {"n": 10**7}, {"types": "new"}, {"types": []}, {"types": ["wrong"]}, {"counts": {"x": 1}},
     {"counts": {"none": -1}}, {"counts": {}}],
)  # fmt: skip
def test_arguments_out_of_range(arguments):
    with pytest.raises(UsageError, match="expected"):
        generate(**arguments)


def test_all_types_are_covered(every_type):
    assert set(types_of(every_type)) == {"none", *ALL_TYPES}
