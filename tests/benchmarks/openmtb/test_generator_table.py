"""The generator's table against the evidence base: every reference rests on an assertion that says so."""

from __future__ import annotations

from importlib.resources import files

import pytest
import yaml

from equipoise.benchmarks.openmtb.error_types import ALL_TYPES
from equipoise.benchmarks.openmtb.generator.drafts import AS_OF
from equipoise.benchmarks.openmtb.generator.edits import EDITS
from equipoise.benchmarks.openmtb.generator.plans import STAGES
from equipoise.benchmarks.openmtb.generator.spelling import MARKERS, OTHER_TARGET, OTHER_TUMORS, WITHDRAWN
from equipoise.benchmarks.openmtb.generator.table import PLANS

KNOWLEDGE = files("equipoise.evidence").joinpath("knowledge/nsclc")
PLATINUM = {"carboplatin", "cisplatin"}


def load():
    entries = {}
    for file in KNOWLEDGE.iterdir():
        if file.name.endswith(".yaml") and file.name != "coverage.yaml":
            for entry in yaml.safe_load(file.read_text(encoding="utf-8")):
                entries[entry["id"]] = entry
    return entries


ASSERTIONS = load()
COVERAGE = {row["drug"]: row for row in yaml.safe_load(KNOWLEDGE.joinpath("coverage.yaml").read_text(encoding="utf-8"))}
IDS = [plan.assertion for plan in PLANS]


def required(entry, name):
    return [item[name] for item in entry["requires"] if name in item]


def as_list(value):
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("plan", PLANS, ids=IDS)
def test_plan_rests_on_a_deciding_verified_assertion(plan):
    entry = ASSERTIONS[plan.assertion]
    assert (entry["direction"], entry["level"], entry["jurisdiction"]) == ("supports", "A", "US")
    assert entry["verified"]["state"] == "verified"
    assert entry["valid_from"] <= AS_OF
    assert entry["valid_to"] is None or entry["valid_to"] > AS_OF


@pytest.mark.parametrize("plan", PLANS, ids=IDS)
def test_plan_meets_its_assertion(plan):
    entry = ASSERTIONS[plan.assertion]
    wanted = set(entry["regimen"].split(" + "))
    for regimen in plan.regimens:
        parts = set(regimen.split(" + "))
        assert {"platinum" if part in PLATINUM and "platinum" in wanted else part for part in parts} == wanted
    for settings in required(entry, "setting"):
        assert set(plan.settings) <= set(settings)
    for lines in required(entry, "line"):
        late = [any(course.setting == "" for course in history) for history in plan.histories]
        assert all(late) if lines == "later" else not any(late)
    for names in required(entry, "biomarker"):
        wanted_names = set(as_list(names))
        wider = {"ERBB2:mutation", "ERBB2:TKD_mutation"} if "ERBB2:exon20ins" in plan.drivers[0] else set()
        wider |= {"EGFR:any_mutation"} if plan.drivers[0][0].startswith("EGFR") else set()
        assert all(wanted_names & ({*driver} | wider) for driver in plan.drivers)
    for names in required(entry, "biomarker_absent"):
        assert {name.split(":")[0] for name in as_list(names)} <= set(plan.negative)
    for scale in required(entry, "pdl1"):
        low = int(scale["tps"].removeprefix(">="))
        assert plan.tps is not None
        assert plan.tps[0] >= low
    for histology in required(entry, "histology"):
        squamous = {"squamous" in name for name in plan.histologies}
        assert squamous == {histology == "squamous"}
    for stages in required(entry, "stage"):
        used = plan.stages or tuple(stage for setting in plan.settings for stage in STAGES[setting])
        assert all(any(stage == name or stage.rstrip("ABC") == name for name in stages) for stage in used)
    if plan.open_history:
        assert not {"line", "received", "progressed_on"} & {key for item in entry["requires"] for key in item}


def test_negatives_behind_resistance_variants_are_on_file():
    for plan in PLANS:
        for variant in plan.resistance:
            negatives = [
                entry
                for entry in ASSERTIONS.values()
                if entry["direction"] == "resistance"
                and entry.get("on_target")
                and any(variant in as_list(names) for names in required(entry, "biomarker"))
            ]
            named = {entry.get("regimen") or entry["class"] for entry in negatives}
            assert any(name in plan.regimens[0] or name.startswith("egfr-tki") for name in named), (
                plan.assertion,
                variant,
            )


def test_wrong_histories_and_settings_leave_what_the_assertion_asks():
    for plan in PLANS:
        entry = ASSERTIONS[plan.assertion]
        for setting, _ in plan.wrong_settings:
            settings = {name for names in required(entry, "setting") for name in names}
            assert setting not in settings or required(entry, "stage")


def test_drugs_of_other_tumors_are_declared_without_use_here():
    assert all(COVERAGE[drug].get("use") == "none" for drug in OTHER_TUMORS)


def test_drugs_with_another_target_are_completely_covered_and_need_that_gene():
    for gene, regimens in OTHER_TARGET.items():
        for regimen in regimens:
            assert all(COVERAGE[drug]["US"]["complete_since"] <= AS_OF for drug in regimen.split(" + "))
            for entry in ASSERTIONS.values():
                if entry["direction"] == "supports" and entry["jurisdiction"] == "US" and entry["regimen"] == regimen:
                    names = [name for names in required(entry, "biomarker") for name in as_list(names)]
                    assert any(name.startswith(f"{gene}:") for name in names)


def test_withdrawn_drugs_have_only_ended_indications():
    for drug in WITHDRAWN.values():
        entries = [
            entry for entry in ASSERTIONS.values() if entry.get("regimen") == drug and entry["direction"] == "supports"
        ]
        assert entries
        assert all(entry["valid_to"] is not None and entry["valid_to"] <= AS_OF for entry in entries)


def test_tables_are_closed():
    assert list(EDITS) == list(ALL_TYPES)
    for plan in PLANS:
        assert all(name in MARKERS for driver in plan.drivers for name in driver)
        assert all(name in MARKERS for name in plan.resistance)
        assert "biomarkers" not in plan.deciding or plan.drivers[0] or plan.negative
    assert len({(plan.assertion, plan.regimens) for plan in PLANS}) == len(PLANS)
