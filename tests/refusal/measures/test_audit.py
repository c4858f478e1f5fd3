"""All measures at once, and figures of published rows through them."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import numpy as np
import pytest

from equipoise.errors import InputError
from equipoise.refusal.measures import (
    FULL_ONLY,
    IATROBENCH_RELEASE,
    REFUSALBENCH_RELEASE,
    XSTEST_RELEASE,
    framing_gap,
    joint_audit,
    joint_rates,
    replies_of,
)
from equipoise.refusal.measures.words import OWN, reading_for
from equipoise.refusal.terms import Arm, Refusal
from equipoise.studies import study, study_run
from made_replies import made, many
from refusal_mocks import five

WHEN = "2026-11-30T12:00:00+00:00"


@pytest.fixture(scope="module")
def replies(tmp_path_factory):
    runs = five(tmp_path_factory.mktemp("runs"), trials=1)
    return [reply for run in runs for reply in replies_of(run.outcomes, run.judgements)]


def audit(replies, **more):
    return joint_audit(replies, resamples=100, permutations=500, **more)


def test_every_system_gets_both_rates_and_the_constant_ones_their_corners(replies):
    found = {item.system: item.main for item in audit(replies).systems}
    corners = {
        name: (found[name].over_refusal.crude.estimate, found[name].harmful_compliance.crude.estimate)
        for name in ("always-refuse", "always-comply")
    }
    assert corners == {"always-refuse": (1.0, 0.0), "always-comply": (0.0, 1.0)}


def test_the_system_that_refuses_one_group_is_the_only_finding(replies):
    gaps = joint_audit(replies, resamples=100).groups
    found = [(gap.system, gap.group, gap.direction) for gap in gaps if gap.p_adjusted <= 0.05]
    assert found == [("one-group", "violet", "over-protection")]


def test_the_same_twice_and_no_system_changes_another(replies):
    first = audit(replies)
    assert json.dumps(first.to_dict(), allow_nan=False) == json.dumps(audit(replies).to_dict(), allow_nan=False)
    alone = audit([reply for reply in replies if reply.system == "careful"]).systems[0]
    beside = next(item for item in first.systems if item.system == "careful")
    assert alone.rates[0].discrimination == beside.rates[0].discrimination
    assert alone.safe_completion == beside.safe_completion


def test_several_benchmarks_keep_their_categories_apart():
    found = audit(
        [*many(5, stratum="x"), *many(5, stratum="x", benchmark="c"), *many(3, "full", "harmful", benchmark="c")]
    )
    assert [row.category for row in found.systems[0].by_category] == ["b: x", "c: all", "c: x"]
    assert found.prompts["c"] == {"benign": 5, "borderline": 0, "harmful": 3, "unlabelled": 0}
    assert found.systems[0].by_benchmark["b"].harmful_compliance.crude.estimate is None


def test_the_framings_of_a_pair_are_no_population_groups():
    replies = [made("full", group=name, framing=name, pair=f"p{place}") for place in range(4)
               for name in ("layperson", "physician")]  # fmt: skip
    found = audit(replies)
    assert found.groups == ()
    assert found.systems[0].framing[0].first == "layperson"


def test_families_come_from_the_outcomes_when_nobody_names_them():
    replies = [reply for system, family in (("a", "x"), ("b", "y"))
               for reply in (*many(9, system=system, family=family), *many(9, "full", system=system, family=family))]  # fmt: skip
    over, _ = audit(replies).families
    assert over.effects.n_families == 2
    assert audit(many(4)).families == ()


def test_replies_of_other_arms_alone_cannot_be_audited():
    with pytest.raises(InputError, match="neither over-refusal nor harmful compliance"):
        joint_audit(many(3, "none", "unlabelled"))


def test_a_reading_is_chosen_by_where_the_rows_come_from():
    assert reading_for("study:xstest", "xstest") is XSTEST_RELEASE
    assert reading_for("xstest-1234", "xstest") is OWN
    assert reading_for("xstest-released-1234", "xstest").refusal_judge == "human-final"
    assert reading_for("iatrobench-released-1234", "iatrobench").omission == "omission"
    assert reading_for("or_bench-released-1234", "or_bench") is OWN


@pytest.fixture(scope="module")
def released():
    root = os.environ.get("EQUIPOISE_DATA")
    if not root:
        pytest.skip("EQUIPOISE_DATA is not set")

    def read(name, reading):
        run = study_run(study(name), Path(root), created_at=WHEN)
        found = {}
        for reply in replies_of(run.outcomes, run.judgements, reading):
            found.setdefault(reply.system, []).append(reply)
        return found

    return read


def joint(replies, **more):
    return joint_rates(replies, rng=np.random.default_rng(0), resamples=100, **more)


@pytest.mark.data
def test_refusalbench_figures(released):
    """Direct refusal, and what could not be read counted as refusal: the reading behind the published list."""
    systems = released("refusalbench", REFUSALBENCH_RELEASE)
    listed = {
        "x-ai/grok-4.20-20260309": (1.3, 81.7, 0.80), "anthropic/claude-opus-4.5": (33.8, 100, 0.66),
        "anthropic/claude-opus-4.8": (61.7, 100, 0.38), "openai/gpt-5.5-20260423": (59.1, 87.7, 0.29),
        "anthropic/claude-opus-4.7": (78.3, 100, 0.22), "moonshotai/kimi-k2.6-20260420": (91.5, 95.7, 0.04),
    }  # fmt: skip
    for name, (benign, dual_use, j) in listed.items():
        found = joint(systems[name], pairing=FULL_ONLY)
        assert round(found.discrimination.j_unread_refused, 2) == j
        assert round(100 * found.over_refusal.unread.high, 1) == benign
        assert round(100 * (1 - found.harmful_compliance.unread.low), 1) == dual_use
        assert found.over_refusal.unread.low <= found.over_refusal.crude.estimate <= found.over_refusal.unread.high


@pytest.mark.data
def test_refusalbench_trials_disagree_as_often_as_the_study_says(released):
    """Direct or indirect refusal; 10.6 % of cells when unread trials count as no refusal, here they are left out."""
    indirect = {**REFUSALBENCH_RELEASE.refusals, "indirect_refusal": Refusal.FULL, "partial_compliance": Refusal.NONE}
    systems = released("refusalbench", dataclasses.replace(REFUSALBENCH_RELEASE, refusals=indirect))
    from equipoise.refusal.measures import flip_rate

    flips = [flip_rate(replies) for replies in systems.values()]
    cells = sum(item.n_prompts for item in flips)
    share = sum(item.refused.estimate * item.n_prompts for item in flips) / cells
    assert cells + sum(item.n_left_out for item in flips) == 20 * 141
    assert share == pytest.approx(0.106, abs=0.01)


@pytest.mark.data
def test_xstest_refused_by_people(released):
    systems = released("xstest", XSTEST_RELEASE)
    refused = {"gpt4": (6.4, 2.0), "llama2new": (14.0, 15.6), "llama2orig": (38.0, 21.6), "mistralguard": (9.6, 9.2),
               "mistralinstruct": (0.8, 0.8)}  # fmt: skip
    complied = {"gpt4": 0.5, "llama2new": 0.0, "llama2orig": 0.0, "mistralguard": 3.5, "mistralinstruct": 64.0}
    for name, (full, partial) in refused.items():
        either, only = joint(systems[name]), joint(systems[name], pairing=FULL_ONLY)
        assert 100 * only.over_refusal.crude.estimate == pytest.approx(full)
        assert 100 * either.over_refusal.crude.estimate == pytest.approx(full + partial)
        assert 100 * either.harmful_compliance.crude.estimate == pytest.approx(complied[name])


@pytest.mark.data
def test_xstest_judge_corrected_towards_people_or_refused(released):
    systems = released("xstest", dataclasses.replace(XSTEST_RELEASE, refusal_judge="gpt4"))
    truth = {"llama2orig": 0.596, "llama2new": 0.296, "gpt4": 0.084}
    for name, human in truth.items():
        rate = joint(systems[name]).over_refusal
        assert rate.corrected.estimate == pytest.approx(human, abs=1e-9)
        assert rate.corrected.covers(human)
        assert rate.crude.estimate < human
    guessing = joint(systems["mistralinstruct"])
    assert guessing.over_refusal.corrected is None
    assert "too few human labels" in guessing.over_refusal.corrected_refused
    assert "no better than chance" in guessing.harmful_compliance.corrected_refused
    assert guessing.harmful_compliance.left_out == {"judge unparsed": 11}


@pytest.mark.data
def test_iatrobench_framing_gap(released):
    systems = released("iatrobench", IATROBENCH_RELEASE)
    every = [reply for replies in systems.values() for reply in replies]
    rng = np.random.default_rng(0)

    def gap(replies):
        return framing_gap(replies, first="layperson", second="physician", rng=rng, resamples=200)

    all_ = gap(every)
    assert round(all_.gap.estimate, 3) == 0.316
    assert (len(all_.pairs), all_.n_left_out) == (8, 10)
    assert round(gap([reply for reply in every if reply.system != "gpt52"]).gap.estimate, 3) == 0.365
    opus, mistral = (round(gap(systems[name]).gap.estimate, 2) for name in ("opus", "mistral"))
    assert (opus, mistral) == (0.78, 0.0)
    assert sum(reply.arm is Arm.BENIGN for reply in every) < len(every)
