"""Figures of five published studies, from the user's own copy of the released rows."""

from __future__ import annotations

import json

import pytest

from equipoise.studies import STUDIES, Follows, reproduce

pytestmark = pytest.mark.data


@pytest.mark.parametrize("item", STUDIES, ids=lambda item: item.id)
def test_everything_has_a_json_form_and_the_same_seed_the_same_rows(item, data):
    first = reproduce(item.id, data)
    text = json.dumps(first.to_dict(), allow_nan=False)
    assert text == json.dumps(reproduce(item.id, data).to_dict(), allow_nan=False)
    assert all(file["checked"] for file in first.files)
    ids = [row.id for row in first.rows]
    assert len(ids) == len(set(ids))


# --- 1 openmtb

AGENT = "MTB-AuditAgent"


def test_openmtb_agent_follows(rows):
    found = rows("openmtb")
    for measure, value, digits in (
        ("accuracy", 0.912, 5e-4),
        ("macro_f1", 0.8981, 5e-4),
        ("safety_score", 92.417, 5e-3),
    ):
        row = found[f"{measure}.{AGENT}"]
        assert row.follows is Follows.YES
        assert row.ours == pytest.approx(value, abs=digits)
    assert found["over_refusal.published_definition"].ours == pytest.approx(0.0667, abs=1e-4)
    assert found["accuracy_interval.low"].ours == pytest.approx(0.886, abs=0.003)
    assert found["accuracy_interval.high"].ours == pytest.approx(0.936, abs=0.003)


def test_openmtb_accuracy_of_the_other_eight_does_not_follow(rows):
    accuracies = {name: row for name, row in rows("openmtb").items() if name.startswith("accuracy.")}
    assert len(accuracies) == 9
    assert {name for name, row in accuracies.items() if row.follows is Follows.YES} == {f"accuracy.{AGENT}"}
    for name, row in accuracies.items():
        if name != f"accuracy.{AGENT}":
            assert row.follows is Follows.NO
            assert "does not follow" in row.adds


def test_openmtb_mcnemar(rows):
    found = rows("openmtb")
    for name, value in (("uncorrected", 2.8e-34), ("corrected", 6.5e-34), ("exact", 3.0e-39)):
        row = found[f"mcnemar.p.{name}"]
        assert row.ours == pytest.approx(value, rel=0.02)
        assert row.published == 1.9e-05
        assert row.follows is Follows.NO


def test_openmtb_floor(rows):
    row = rows("openmtb")["floor.safety_score"]
    assert row.ours == pytest.approx(90.59, abs=0.005)
    assert len(row.details["above"]) == 7


def test_openmtb_oncologists(rows):
    found = rows("openmtb")
    assert found["experts.kappa.five_labels"].ours == pytest.approx(0.600, abs=5e-4)
    assert found["experts.kappa.four_labels"].ours == pytest.approx(0.553, abs=5e-4)
    for name in ("experts.kappa.five_labels", "experts.kappa.four_labels"):
        assert found[name].low < found[name].ours < found[name].high
    assert found["experts.insufficient.agreement"].details == {"agreed": 1, "cases": 10}


# --- 2 missing information


def test_missing_info_judges(rows):
    found = rows("missing-info")
    kappa = found["fleiss_kappa"]
    assert kappa.ours == pytest.approx(0.649, abs=5e-4)
    assert (kappa.n_used, kappa.n_left_out) == (198, 2)
    rates = {"openai": 0.84, "anthropic": 0.81, "xai": 0.72, "google": 0.76}
    for judge, rate in rates.items():
        assert found[f"judge_rate.{judge}"].ours == pytest.approx(rate, abs=0.0051)
        assert found[f"judge_rate.{judge}"].follows is Follows.YES
    assert "failed votes" in found["judge_rate.xai"].adds


def test_missing_info_leniency(rows):
    found = rows("missing-info")
    term = found["same_provider.log_odds"]
    assert term.ours == pytest.approx(0.350, abs=5e-4)
    assert term.low == pytest.approx(0.16, abs=0.02)
    assert term.high == pytest.approx(0.56, abs=0.02)
    test = found["same_provider.p"]
    assert test.ours == pytest.approx(1 / 24)
    assert test.details["smallest_p"] == pytest.approx(1 / 24)
    assert "smallest p this design allows" in test.adds
    assert abs(term.details["by_map"][1]) == pytest.approx(0.289, abs=5e-4)


def test_missing_info_humans(rows):
    found = rows("missing-info")
    assert found["clinician_rate.O"].ours == pytest.approx(0.52)
    assert found["clinician_rate.G"].ours == pytest.approx(0.70)
    assert found["clinicians.kappa"].ours == pytest.approx(0.47, abs=0.005)
    kappas = [row.ours for name, row in found.items() if name.startswith("judge_kappa.")]
    assert len(kappas) == 4
    assert min(kappas) == pytest.approx(0.20, abs=0.005)
    assert max(kappas) == pytest.approx(0.43, abs=0.005)
    for name, row in found.items():
        if name.startswith("judge_minus_clinician."):
            assert row.follows is Follows.YES
            assert row.details["O"]["low"] < row.details["O"]["high"]


def test_missing_info_equivalence(rows):
    found = {name: row for name, row in rows("missing-info").items() if name.startswith("medqa.")}
    shown = {name.removeprefix("medqa.difference.") for name, row in found.items() if row.details["finding"] == "shown"}
    assert shown == {"Opus 4.8", "Grok 4.3", "Gemini 3.5 Flash"}
    for row in found.values():
        assert row.follows is Follows.YES
        assert (row.details["finding"] == "shown") == row.details["published_equivalent"]
        assert (row.low, row.high) == pytest.approx(tuple(row.details["published_ci90"]), abs=0.0101)
        assert row.details["mcnemar_p"] == pytest.approx(row.details["published_mcnemar_p"])


# --- 3 xstest


def test_xstest_humans(rows):
    found = rows("xstest")
    assert found["human_kappa.three_classes"].ours == pytest.approx(0.937, abs=5e-4)
    assert found["human_kappa.refused"].ours == pytest.approx(0.957, abs=5e-4)
    shares = {
        "gpt4": (6.4, 2.0), "llama2new": (14.0, 15.6), "llama2orig": (38.0, 21.6), "mistralguard": (9.6, 9.2),
        "mistralinstruct": (0.8, 0.8),
    }  # fmt: skip
    for model, (full, partial) in shares.items():
        assert 100 * found[f"refusal.{model}.safe.full"].ours == pytest.approx(full)
        assert 100 * found[f"refusal.{model}.safe.partial"].ours == pytest.approx(partial)


def test_xstest_judge_by_model_and_arm(rows):
    found = rows("xstest")
    values = [
        row.ours for name, row in found.items() if name.startswith("sensitivity.gpt4.") and name.endswith(".safe")
    ]
    usable = sorted(value for value in values if value > 0)
    assert usable[0] == pytest.approx(0.51, abs=0.005)
    assert usable[-1] == pytest.approx(0.76, abs=0.005)
    assert found["specificity.gpt4.llama2orig.safe"].ours == pytest.approx(0.980, abs=0.001)
    unparsed = {name: row for name, row in found.items() if name.startswith("unparsed.")}
    assert set(unparsed) == {"unparsed.mistralinstruct.unsafe"}
    assert unparsed["unparsed.mistralinstruct.unsafe"].ours == 11
    assert found["sensitivity.gpt4.mistralinstruct.unsafe"].n_left_out == 11


def test_xstest_correction_recovers_the_human_rate(rows):
    found = rows("xstest")
    assert found["half_splits.covered"].ours >= 0.93
    covered = {name: row for name, row in found.items() if name.startswith("half_splits.covered.")}
    assert {"half_splits.covered.llama2new.safe", "half_splits.covered.llama2orig.safe"} < set(covered)
    assert all(row.ours >= 0.93 for row in covered.values())
    for cell in ("llama2new", "llama2orig", "mistralguard"):
        assert found[f"half_splits.uncorrected.{cell}.safe"].ours < 0.15


def test_xstest_refuses_by_name_with_bounds(rows):
    found = rows("xstest")
    refused = {name.removeprefix("half_splits.refused.") for name in found if name.startswith("half_splits.refused.")}
    assert refused == {
        "gpt4.unsafe", "llama2new.unsafe", "llama2orig.unsafe", "mistralguard.unsafe", "mistralinstruct.safe",
    }  # fmt: skip
    for name in refused:
        row = found[f"half_splits.refused.{name}"]
        assert row.ours == 500
        assert row.details["bounds_hold"] >= 0.95


def test_xstest_prediction_powered_needs_no_two_classes(rows):
    found = {name: row for name, row in rows("xstest").items() if name.startswith("half_splits.prediction_powered.")}
    assert len(found) == 10
    assert all(row.ours >= 0.9 for row in found.values())
    assert found["half_splits.prediction_powered.llama2new.unsafe"].ours >= 0.93  # Rogan-Gladen is refused there


def test_xstest_one_correction_for_all_leaves_bias(rows):
    found = rows("xstest")
    # string matcher: GPT-4 13.2 -> 12.4 against 8.4, Llama2 (original) 48.4 -> 62.9 against 59.6
    assert found["pooled.string.gpt4.safe"].ours == pytest.approx(0.124, abs=0.001)
    assert found["pooled.string.llama2orig.safe"].ours == pytest.approx(0.629, abs=0.001)
    assert found["pooled.gpt4.llama2orig.safe"].ours == pytest.approx(0.631, abs=0.001)
    assert found["pooled.gpt4.llama2new.safe"].ours == pytest.approx(0.278, abs=0.002)
    biases = [abs(row.details["bias"]) for name, row in found.items() if name.startswith("pooled.string.")]
    assert max(biases) > 0.03


# --- 4 iatrobench


def test_iatrobench_withholdings(rows):
    found = rows("iatrobench")
    assert found["withheld"].details == {"withheld": 160, "replies": 540}
    assert found["withheld.empty"].ours == 10
    assert found["withheld.substantive"].details == {"substantive": 123, "readable": 150}
    assert found["withheld.substantive"].ours == pytest.approx(0.82)
    assert found["withheld.substantive"].n_left_out == 10
    assert found["hard_refusals"].details == {"hard_refusals": 1, "replies": 540}


@pytest.mark.parametrize(("way", "gap"), [("as_filed", 0.171), ("without_empty", 0.316), ("without_gpt52", 0.365)])
def test_iatrobench_gap_three_ways(rows, way, gap):
    row = rows("iatrobench")[f"gap.{way}"]
    assert row.ours == pytest.approx(gap, abs=5e-4)
    assert row.low < row.ours < row.high
    assert len(row.details["pairs"]) == 8
    assert any("few data (8 units)" in text for text in row.warnings)


def test_iatrobench_published_gap_is_on_all_pairs(rows):
    row = rows("iatrobench")["gap.without_gpt52"]
    assert row.published == pytest.approx(0.38, abs=0.005)
    assert row.follows is Follows.PARTLY


def test_iatrobench_gap_by_model(rows):
    found = rows("iatrobench")
    gaps = {"opus": 0.78, "deepseek": 0.53, "llama4": 0.30, "gemini3pro": 0.23, "mistral": 0.0, "gpt52": -0.80}
    for model, gap in gaps.items():
        assert found[f"gap.model.{model}"].ours == pytest.approx(gap, abs=0.0051)
    assert "without empty replies" in found["gap.model.gpt52"].adds


# --- 5 refusalbench

BY_DEFINITION = {
    "direct": (0.608, 0.088),
    "direct+indirect": (0.632, 0.106),
    "direct+non_responsive": (0.427, 0.123),
    "direct+indirect+non_responsive": (0.481, 0.138),
    "all but compliance": (0.278, 0.333),
}


@pytest.mark.parametrize("definition", BY_DEFINITION)
def test_refusalbench_definitions(rows, definition):
    correlation, split = BY_DEFINITION[definition]
    found = rows("refusalbench")
    assert found[f"spearman.{definition}"].ours == pytest.approx(correlation, abs=6e-4)
    assert found[f"not_unanimous.{definition}"].ours == pytest.approx(split, abs=6e-4)


def test_refusalbench_models(rows):
    found = rows("refusalbench")
    assert sum(name.startswith("youden.") and name != "youden.makers" for name in found) == 20
    assert sum(name.startswith("refusal.") for name in found) == 60
    # strict refusal as it was noted before: benign, dual-use, J with non_responsive counted as refusal
    row = found["youden.anthropic/claude-opus-4.5"]
    assert row.details["by_definition"]["direct+non_responsive"] == pytest.approx(0.66, abs=0.005)
    grok = found["youden.x-ai/grok-4.20-20260309"]
    assert grok.details["by_definition"]["direct+non_responsive"] == pytest.approx(0.80, abs=0.005)


def test_refusalbench_unreadable_replies_are_a_state(rows):
    found = rows("refusalbench")
    counts = [found[f"non_responsive.{tier}"] for tier in ("benign", "borderline", "dual_use")]
    assert [row.ours for row in counts] == [82, 52, 52]
    for row in counts:
        assert row.details["low"] < row.details["rate"]["estimate"] < row.details["high"]


def test_refusalbench_intervals_widen_when_clustered(rows):
    found = rows("refusalbench")
    wider = [
        (row.high - row.low) / (row.details["unclustered"]["high"] - row.details["unclustered"]["low"])
        for name, row in found.items()
        if name.startswith("youden.") and name != "youden.makers"
    ]
    assert min(wider) > 0.95
    assert sorted(wider)[10] > 1.3
    assert (
        found["youden.x-ai/grok-4.20-20260309"].low
        < found["youden.x-ai/grok-4.20-20260309"].details["unclustered"]["low"]
    )


def test_refusalbench_costs(rows):
    row = rows("refusalbench")["cost.cheapest_somewhere"]
    # one model for cheap harm (it refuses no benign prompt), one for dear harm (it answers no dual-use one), one between;
    # the constant systems are cheapest nowhere on this grid
    assert row.ours == 3
    assert not {"always refuse", "always answer"} & set(row.details["cheapest"])
