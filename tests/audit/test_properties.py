"""What holds for every case: order and spelling change nothing, what-if cells keep their promise, knowledge only adds, bytes are equal."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from equipoise.audit.patch import apply_patch
from equipoise.audit.pipeline import MODULES, Auditor
from equipoise.audit.verdict import LABELS, Label, Result, Verdict
from equipoise.audit.wording import ABSTAINING, HEADLINE_LENGTH, REASON_CODES
from equipoise.cases.facts import UNKNOWN, Reading, facts_of
from equipoise.cases.formats import case_from_object
from equipoise.evidence.criteria import leaves
from equipoise.evidence.model import NEGATIVES, Direction
from equipoise.ids import canonical_json
from strategies import ASSERTIONS, BASE, CASES, DAY, VALUES, near

POLICIES = ("label", "openmtb-2026")
NOT_NEGATIVE = tuple(item for item in ASSERTIONS if item.direction is Direction.SUPPORTS)
NEGATIVE = tuple(item for item in ASSERTIONS if item.direction in NEGATIVES)
SUPPORTING = (Label.SUPPORTED, Label.PARTIALLY_SUPPORTED)
COVERAGE_CODES = {"wrong-context", "withdrawn", "no-listed-use", "knowledge-silent", "combination-unknown"}
"""Unsupported by what the base declares to be complete (the last two only under a policy that says so)."""


def examples(number: int) -> settings:
    return settings(
        max_examples=number, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )


@cache
def auditor(policy: str = "label", without: tuple[str, ...] = ()) -> Auditor:
    return Auditor(as_of=DAY, policy=policy, without=without)


def essence(verdict: Verdict) -> dict[str, Any]:
    """What may not depend on order and spelling."""
    return {
        "label": str(verdict.label),
        "abstain": verdict.abstain,
        "reasons": [reason.code for reason in verdict.reasons],
        "missing_fields": list(verdict.missing_fields),
        "evidence": [use.id for use in verdict.evidence],
        "against": [use.id for use in verdict.evidence_against],
        "caveats": [(caveat.name, str(caveat.state)) for caveat in verdict.caveats],
        "what_if": [(cell.fields, str(cell.label)) for cell in verdict.what_if],
        "alternatives": [item.regimen for item in verdict.alternatives],
    }


def essences(case: dict[str, Any], policy: str) -> list[dict[str, Any]]:
    return [essence(verdict) for verdict in auditor(policy).audit(case)]


# --- order and spelling --------------------------------------------------------------------------------------------------------


def _reordered(draw: st.DrawFn, value: Any, path: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _reordered(draw, value[key], key) for key in draw(st.permutations(list(value)))}
    if isinstance(value, list):
        items = [_reordered(draw, item, path) for item in value]
        return draw(st.permutations(items)) if path == "biomarkers" else items
    if (
        isinstance(value, str)
        and path in ("recommendations", "regimen", "drugs")
        and " + " in value
        and "(" not in value
    ):
        separator = draw(st.sampled_from((" + ", "+", ", ", " and ", "/", " & ")))
        return separator.join(draw(st.permutations(value.split(" + "))))
    return value


@st.composite
def reordered(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    case = draw(CASES)
    return case, _reordered(draw, case)


@pytest.mark.parametrize("policy", POLICIES)
@examples(250)
@given(reordered())
def test_order_of_fields_biomarkers_and_components_changes_nothing(policy, pair):
    case, other = pair
    assert essences(other, policy) == essences(case, policy)


_EXACT = {"case_id", "id", "as_of", "date", "ended"}
_IDENTIFIER = re.compile(r"[A-Za-z0-9|]+:\S+")
"""Normalised biomarker names are identifiers, compared as they are."""


def _respelled(draw: st.DrawFn, value: Any, path: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _respelled(draw, item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_respelled(draw, item, path) for item in value]
    if not isinstance(value, str) or path in _EXACT:
        return value
    text = value if _IDENTIFIER.fullmatch(value) else draw(st.sampled_from((value, value.lower(), value.upper())))
    space = draw(st.sampled_from((" ", "  ", "\t", "\u00a0")))
    return (
        draw(st.sampled_from(("", " ", "\n"))) + space.join(text.split(" ")) + draw(st.sampled_from(("", " ", "\t ")))
    )


@st.composite
def respelled(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    case = draw(CASES)
    return case, _respelled(draw, case)


@pytest.mark.parametrize("policy", POLICIES)
@examples(400)
@given(respelled())
def test_white_space_and_case_of_strings_change_nothing(policy, pair):
    case, other = pair
    assert essences(other, policy) == essences(case, policy)


# --- what-if -------------------------------------------------------------------------------------------------------------------


@examples(700)
@given(st.one_of(near(NOT_NEGATIVE), CASES))
def test_filling_in_a_what_if_cell_gives_the_verdict_it_promised(case):
    for place, verdict in enumerate(auditor().audit(case)):
        for cell in verdict.what_if:
            assert set(cell.fields) == set(cell.value)
            assert 1 <= len(cell.fields) <= 3
            again = auditor().audit(apply_patch(case, cell.patch))[place]
            assert again.label == cell.label, (dict(cell.value), [reason.text for reason in again.reasons])


@examples(200)
@given(CASES)
def test_every_alternative_gets_the_label_it_is_listed_with(case):
    read = case_from_object(case)
    for verdict in auditor().audit(case):
        for item in verdict.alternatives:
            assert item.label in SUPPORTING
            assert auditor().audit_regimen(read, item.regimen).label is item.label, item.regimen


@examples(100)
@given(near(NOT_NEGATIVE))
def test_a_patch_changes_only_the_fields_it_names(case):
    before = json.dumps(case, sort_keys=True)
    for verdict in auditor().audit(case):
        for cell in verdict.what_if[:4]:
            filled = apply_patch(case, cell.patch)
            heads = {key.partition(".")[0] for key in cell.patch}
            assert {key: value for key, value in filled.items() if key not in heads} == {
                key: value for key, value in case.items() if key not in heads
            }
    assert json.dumps(case, sort_keys=True) == before


def test_a_patch_keeps_what_an_entry_says_of_other_genes():
    case = {
        "biomarkers": [
            "EGFR, ALK, ROS1 negative",
            "PD-L1 60 %",
            {"gene": "ALK", "alteration": "fusion", "status": "pending"},
        ]
    }
    filled = apply_patch(case, {"biomarkers.ALK": [{"name": "ALK:fusion", "status": "present"}]})
    found = {(finding.name, finding.status.value) for finding in case_from_object(filled).findings}
    assert found == {("EGFR:any_mutation", "absent"), ("ROS1:fusion", "absent"), ("ALK:fusion", "present")}
    assert case_from_object(filled).pdl1.tps.value.low == 60


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (None, {"ild": True}),
        ("vte; ild", {"vte": True, "ild": True}),
        (["hemoptysis"], {"hemoptysis": True, "ild": True}),
        ({"interstitial lung disease": "unknown", "vte": False}, {"vte": False, "ild": True}),
    ],
)
def test_a_patch_keeps_the_other_conditions(stated, expected):
    filled = apply_patch({"comorbidities": stated}, {"comorbidities": {"ild": True}})
    assert filled["comorbidities"] == expected


def test_a_patch_fits_a_case_of_another_format():
    case = {"case_id": "x", "genomic_alteration": "EGFR L858R", "proposed_therapy": "osimertinib", "stage": "IVB"}
    filled = apply_patch(case, {"prior_therapies": []})
    assert filled == {
        "tumor": "NSCLC",
        "case_id": "x",
        "biomarkers": "EGFR L858R",
        "recommendations": "osimertinib",
        "stage": "IVB",
        "prior_therapies": [],
    }


# --- more knowledge ------------------------------------------------------------------------------------------------------------


def _unknown(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value in ("unknown", "not tested", "pending", "not documented"))


@st.composite
def with_more_knowledge(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A case near a negative, and the same with some unknown fields stated and results for genes that had none."""
    case = draw(near(NEGATIVE))
    more = dict(case)
    for name, values in VALUES.items():
        if name in ("biomarkers", "biomarkers_complete", "comorbidities", "comedications"):
            continue
        if _unknown(case.get(name)) and draw(st.booleans()):
            more[name] = draw(values)
    entries = case.get("biomarkers")
    if entries is None or isinstance(entries, list):
        facts = facts_of(case_from_object(case), as_of=DAY, reading=Reading())
        regimen = case_from_object(case).recommendations[0].components
        telling = sorted(name for name in _telling(regimen) if facts.marker(name) == UNKNOWN)
        if telling:
            states = st.sampled_from(("present", "absent"))
            chosen = draw(st.dictionaries(st.sampled_from(telling), states, max_size=2))
            more["biomarkers"] = [
                *(entries or []),
                *({"name": name, "status": status} for name, status in chosen.items()),
            ]
    for name in ("comorbidities", "comedications"):
        if draw(st.booleans()):
            more[name] = {**draw(VALUES[name]), **case.get(name, {})}
    return case, more


@cache
def _telling(regimen: frozenset[str]) -> frozenset[str]:
    """Markers that any assertion about a regimen asks for or excludes."""
    chosen = BASE.select(regimen, "US", DAY)
    items = [*(item for item, _ in chosen.supports), *chosen.negatives]
    return frozenset(
        name
        for item in items
        for node in (*item.requires, *item.unless)
        for leaf in leaves(node)
        if leaf.kind in ("biomarker", "biomarker_absent")
        for name in leaf.payload
    )


def _rests_on_a_negative(verdict: Verdict) -> bool:
    return verdict.label is Label.UNSUPPORTED and verdict.reasons[0].code in ("resistance", "contradicted")


@examples(250)
@given(with_more_knowledge())
def test_more_knowledge_never_turns_unsupported_by_a_negative_into_supported(pair):
    case, more = pair
    before = auditor().audit(case)[0]
    assume(_rests_on_a_negative(before))
    after = auditor().audit(more)[0]
    assert after.label is not Label.SUPPORTED, (
        [reason.text for reason in before.reasons],
        [reason.text for reason in after.reasons],
    )


@pytest.mark.parametrize(
    ("regimen", "fields", "fact"),
    [
        ("selpercatinib", {"biomarkers": ["RET M918T"]}, {"biomarkers": ["RET M918T", "RET fusion"]}),
        ("alectinib", {"biomarkers": ["ALK amplification"]}, {"biomarkers": ["ALK amplification", "ALK fusion"]}),
        ("erlotinib", {"biomarkers": ["KRAS G12D"]}, {"biomarkers": ["KRAS G12D", "EGFR L858R"]}),
        (
            "pembrolizumab",
            {"biomarkers": ["EGFR L858R"], "pdl1": {"tps": 80}, "prior_therapies": None},
            {
                "prior_therapies": [
                    {"drugs": "osimertinib", "outcome": "progressed", "setting": "metastatic"},
                    {"drugs": "carboplatin + pemetrexed", "outcome": "progressed", "setting": "metastatic"},
                ]
            },
        ),
    ],
)
def test_a_negative_with_an_open_exclusion_asks_for_the_fact_that_would_lift_it(regimen, fields, fact):
    case = {
        "tumor": "NSCLC",
        "histology": "adenocarcinoma",
        "stage": "IVB",
        "ecog": 1,
        "prior_therapies": "none",
        **fields,
        "recommendations": [regimen],
    }
    before = auditor().audit(case)[0]
    assert before.label is Label.INSUFFICIENT_INFORMATION
    assert before.abstain
    assert before.missing_fields
    assert before.evidence_against
    assert {Label.SUPPORTED, Label.UNSUPPORTED} & {cell.label for cell in before.what_if}
    assert auditor().audit({**case, **fact})[0].label is Label.SUPPORTED


# --- the same bytes ------------------------------------------------------------------------------------------------------------

WORKED = Path(__file__).parent / "worked"
_SCRIPT = """
import datetime as dt, hashlib, json, sys
from equipoise.audit.pipeline import Auditor
from equipoise.ids import canonical_json
cases = json.load(sys.stdin)
total = hashlib.sha256()
for policy in ("label", "openmtb-2026"):
    auditor = Auditor(as_of=dt.date(2026, 11, 1), policy=policy)
    for case in cases:
        for verdict in auditor.audit(case):
            total.update(canonical_json(verdict.to_dict()).encode())
print(total.hexdigest())
"""


def _many_cases() -> list[dict[str, Any]]:
    from equipoise.benchmarks.openmtb.generate import generate

    worked = [
        entry["case"]
        for file in sorted(WORKED.glob("*.yaml"))
        for entry in yaml.safe_load(file.read_text(encoding="utf-8"))
    ]
    return [*worked, *(record.get("inputs", record) for record in generate(120, 7))]


def test_the_same_bytes_in_this_process_and_in_fresh_ones_with_other_hash_seeds():
    cases = _many_cases()
    total = hashlib.sha256()
    for policy in POLICIES:
        for case in cases:
            for verdict in auditor(policy).audit(case):
                total.update(canonical_json(verdict.to_dict()).encode())
    text = json.dumps(cases, default=str)
    found = set()
    for seed in ("0", "1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        found.add(done.stdout.strip())
    assert found == {total.hexdigest()}


def test_a_case_built_in_code_has_the_same_hash_in_fresh_processes():
    script = (
        "import datetime as dt, equipoise\n"
        "from equipoise.cases.model import Case, Documented, Status, Recommendation\n"
        "case = Case(case_id='x', ecog=Documented(Status.VALUE, frozenset({0, 1, 2})),\n"
        "  stage=Documented(Status.VALUE, frozenset({'IVA', 'IVB'})),\n"
        "  recommendations=(Recommendation(id='1', text='a', components=frozenset({'osimertinib', 'carboplatin', 'pemetrexed'})),))\n"
        "print(equipoise.audit(case, as_of=dt.date(2026, 1, 1))[0].case_hash)\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2", "3")
    }
    assert len(found) == 1


@examples(150)
@given(CASES)
def test_the_same_case_twice_gives_the_same_bytes(case):
    one = [canonical_json(verdict.to_dict()) for verdict in auditor().audit(case)]
    fresh = Auditor(as_of=DAY)
    assert [canonical_json(verdict.to_dict()) for verdict in fresh.audit(case)] == one
    assert [canonical_json(verdict.to_dict()) for verdict in auditor().audit(json.loads(json.dumps(case)))] == one


# --- recommendations that are none ----------------------------------------------------------------------------------------------

SATISFIED = {
    "tumor": "NSCLC",
    "histology": "adenocarcinoma",
    "stage": "IVB",
    "setting": "metastatic",
    "ecog": 1,
    "prior_therapies": "none",
    "biomarkers": ["EGFR L858R", "ALK negative"],
    "pdl1": {"tps": 20},
    "brain_mets": False,
}
NO_THERAPY = st.one_of(
    st.sampled_from(
        (
            "",
            " ",
            None,
            [],
            "unknown",
            "TBD",
            "to be discussed",
            "none",
            "pending",
            "-",
            "?",
            {"regimen": ""},
            {"regimen": None},
            {"id": "r1"},
        )
    ),
    st.sampled_from(
        (
            "stop osimertinib",
            "avoid osimertinib",
            "do not give osimertinib",
            "osimertinib is contraindicated",
            "hold osimertinib",
            "no osimertinib",
            "decline osimertinib",
            "patient refused osimertinib",
            "against osimertinib",
            "never osimertinib",
            "Discontinue osimertinib!",
            "withhold osimertinib",
            "osimertinib not recommended",
            "osimertinib should be stopped",
            "without osimertinib",
            "osimertinib or best supportive care",
            "osimertinib or pembrolizumab",
            "rebiopsy",
            "best supportive care",
            "clinical trial of osimertinib",
            "palliative care referral",
        )
    ),
    st.text(alphabet="qxzjwk vyf0123456789.;:!?", max_size=30),
)


@examples(300)
@given(
    recommendation=NO_THERAPY,
    kind=st.sampled_from((None, None, "regimen", "drug", "other")),
    policy=st.sampled_from(POLICIES),
)
def test_an_empty_unreadable_or_withheld_recommendation_is_never_supported(recommendation, kind, policy):
    entry: Any = recommendation
    if kind is not None and isinstance(recommendation, str) and "trial" not in recommendation:
        entry = {"kind": kind, "regimen": recommendation}
    for verdict in auditor(policy).audit(
        {**SATISFIED, "recommendations": entry if isinstance(entry, list) else [entry]}
    ):
        assert verdict.label not in SUPPORTING, (entry, [reason.text for reason in verdict.reasons])
        assert verdict.abstain or verdict.label is Label.UNSUPPORTED


def test_the_case_of_these_recommendations_does_support_the_drug_itself():
    for policy in POLICIES:
        assert auditor(policy).audit({**SATISFIED, "recommendations": ["osimertinib"]})[0].label is Label.SUPPORTED


# --- every verdict explains itself ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
@examples(500)
@given(CASES)
def test_every_verdict_explains_itself(policy, case):
    for verdict in auditor(policy).audit(case):
        codes = [reason.code for reason in verdict.reasons]
        assert codes
        assert set(codes) <= set(REASON_CODES)
        assert all(reason.text.strip() and reason.text.endswith(".") for reason in verdict.reasons)
        assert 0 < len(verdict.headline) <= HEADLINE_LENGTH
        assert str(verdict.label) in LABELS
        satisfied = [use for use in verdict.evidence if use.result is Result.SATISFIED and use.direction == "supports"]
        negatives = [use for use in verdict.evidence_against if use.result is Result.SATISFIED]
        if verdict.label is Label.SUPPORTED:
            assert satisfied
            assert "supported" in codes
            assert not any(caveat.state == "fires" for caveat in verdict.caveats)
        elif verdict.label is Label.PARTIALLY_SUPPORTED:
            assert satisfied
            points = {"supported-lower-level", "entry-unverified", "caveat-fires", "regimen-unspecific"}
            assert points & set(codes)
        elif verdict.label is Label.UNSUPPORTED:
            violated = [use for use in verdict.evidence if any(row.result is Result.VIOLATED for row in use.criteria)]
            assert violated or negatives or COVERAGE_CODES & set(codes)
            if codes[0] in ("resistance", "contradicted"):
                assert negatives
        else:
            assert verdict.missing_fields or set(ABSTAINING) & set(codes)
            assert verdict.abstain


@pytest.mark.parametrize("policy", POLICIES)
@examples(200)
@given(CASES)
def test_the_json_form_is_plain_and_holds_no_nan(policy, case):
    for verdict in auditor(policy).audit(case):
        data = verdict.to_dict()
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert json.loads(canonical_json(data)) == data
        for field in ("schema_version", "engine_version", "policy_hash", "evidence_hash", "case_hash"):
            assert data[field]


# --- modules off ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("module", MODULES)
@examples(60)
@given(case=CASES)
def test_each_module_can_be_switched_off(module, policy, case):
    for verdict in auditor(policy, (module,)).audit(case):
        assert verdict.modules_off == (module,)
        assert verdict.reasons
        canonical_json(verdict.to_dict())
        if module == "abstention":
            assert verdict.abstain is False
        if module == "missing_information":
            assert verdict.what_if == ()


def test_all_modules_off_still_gives_a_verdict():
    verdict = auditor("label", MODULES).audit({**SATISFIED, "recommendations": ["osimertinib"]})[0]
    assert verdict.modules_off == MODULES


def test_an_ablation_changes_answers():
    """A module that is off is off for real: the answer it is there for changes."""
    case = {**SATISFIED, "biomarkers": ["EGFR T790M", "EGFR L858R"], "recommendations": ["gefitinib"]}
    assert auditor().audit(case)[0].label is Label.UNSUPPORTED
    assert auditor("label", ("safety_classifier",)).audit(case)[0].label is not Label.UNSUPPORTED
    unknown = {key: value for key, value in SATISFIED.items() if key != "prior_therapies"} | {
        "recommendations": ["osimertinib"]
    }
    assert auditor().audit(unknown)[0].label is Label.INSUFFICIENT_INFORMATION
    assert auditor("label", ("missing_information",)).audit(unknown)[0].label is Label.SUPPORTED
