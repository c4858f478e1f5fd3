# ruff: noqa: T201
"""Makes statistics_values.json: values of other people's code on fixed inputs, which the tests hold ours against.

Run: python tests/reference/statistics_values.py > tests/reference/statistics_values.json
Needs scipy, statsmodels, krippendorff, irrCAC and ppi-python; the versions used stand in the file.
"""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version

import krippendorff
import numpy as np
import pandas as pd
import ppi_py
import scipy.stats
import statsmodels.api as sm
from irrCAC.raw import CAC
from sklearn.metrics import roc_auc_score
from statsmodels.stats import contingency_tables, inter_rater, meta_analysis, multitest, proportion

PACKAGES = ("numpy", "scipy", "statsmodels", "krippendorff", "irrCAC", "ppi-python", "scikit-learn")


def proportions():
    rows = []
    for successes, n in ((0, 50), (1, 29), (15, 148), (81, 263), (50, 50), (3, 10)):
        row = {"successes": successes, "n": n}
        for method, name in (("wilson", "wilson"), ("beta", "clopper_pearson"), ("jeffreys", "jeffreys")):
            row[name] = list(proportion.proportion_confint(successes, n, method=method))
        rows.append(row)
    differences = []
    for a, n, b, m in ((56, 70, 48, 80), (9, 10, 3, 10), (10, 10, 0, 20), (5, 56, 0, 29)):
        ends = proportion.confint_proportions_2indep(a, n, b, m, method="newcomb", compare="diff")
        differences.append({"counts": [a, n, b, m], "ends": list(ends)})
    return {"single": rows, "difference": differences}


def paired():
    rows = []
    for b, c in ((197, 18), (0, 4), (5, 5), (12, 3), (40, 25)):
        table = [[0, b], [c, 0]]
        rows.append(
            {
                "b": b,
                "c": c,
                "exact": contingency_tables.mcnemar(table, exact=True).pvalue,
                "chi-square": contingency_tables.mcnemar(table, exact=False, correction=False).pvalue,
                "chi-square corrected": contingency_tables.mcnemar(table, exact=False, correction=True).pvalue,
                "mid-p": contingency_tables.mcnemar(table, exact=True).pvalue
                - scipy.stats.binom.pmf(min(b, c), b + c, 0.5)
                if b != c
                else 1.0,
            }
        )
    successes = np.random.default_rng(5).binomial(1, [0.5, 0.6, 0.75, 0.6], size=(60, 4))
    q = contingency_tables.cochrans_q(successes)
    wilcoxon = []
    for seed, n in ((1, 8), (2, 15), (3, 40)):
        values = np.random.default_rng(seed).normal(0.4, 1, n).round(6)
        wilcoxon.append(
            {
                "values": values.tolist(),
                **{
                    side: scipy.stats.wilcoxon(values, alternative=side, method="exact").pvalue
                    for side in ("two-sided", "greater", "less")
                },
            }
        )
    return {
        "mcnemar": rows,
        "cochran": {"successes": successes.tolist(), "q": q.statistic, "p": q.pvalue},
        "wilcoxon": wilcoxon,
    }


def agreement():
    rng = np.random.default_rng(11)
    truth = rng.integers(1, 5, size=40)
    ratings = np.stack([np.clip(truth + rng.choice([-1, 0, 0, 0, 1], 40), 1, 4) for _ in range(4)], axis=1).astype(
        float
    )
    holes = ratings.copy()
    holes[rng.random(holes.shape) < 0.15] = np.nan
    two = ratings[:, :2].astype(int)
    table = pd.crosstab(two[:, 0], two[:, 1]).reindex(index=range(1, 5), columns=range(1, 5), fill_value=0)
    counts, _ = inter_rater.aggregate_raters(ratings.astype(int))
    cac = CAC(pd.DataFrame(holes), categories=[1.0, 2.0, 3.0, 4.0], digits=8)
    return {
        "complete": ratings.tolist(),
        "missing": [[None if np.isnan(value) else value for value in row] for row in holes],
        "cohen": inter_rater.cohens_kappa(table.to_numpy(), return_results=False),
        "cohen_linear": inter_rater.cohens_kappa(table.to_numpy(), wt="linear", return_results=False),
        "cohen_quadratic": inter_rater.cohens_kappa(table.to_numpy(), wt="quadratic", return_results=False),
        "fleiss": inter_rater.fleiss_kappa(counts, method="fleiss"),
        "gwet_missing": cac.gwet()["est"]["coefficient_value"],
        "percent_missing": cac.gwet()["est"]["pa"],
        **{
            f"krippendorff_{level}": krippendorff.alpha(holes.T, level_of_measurement=level, value_domain=[1, 2, 3, 4])
            for level in ("nominal", "ordinal", "interval")
        },
    }


def resampling():
    rng = np.random.default_rng(21)
    skewed = rng.exponential(1.0, 60).round(6)
    ends = {}
    for method in ("percentile", "BCa"):
        result = (
            scipy.stats.bootstrap(
                (skewed,), np.mean, n_resamples=200_000, batch=5000, method=method, rng=np.random.default_rng(1)
            )
            if version("scipy") >= "1.15"
            else scipy.stats.bootstrap(
                (skewed,),
                np.mean,
                n_resamples=200_000,
                batch=5000,
                method=method,
                random_state=np.random.default_rng(1),
            )
        )
        ends[method] = [result.confidence_interval.low, result.confidence_interval.high]
    return {"values": skewed.tolist(), **ends}


def multiplicity():
    values = [0.01, 0.04, 0.03, 0.005, 0.55, 0.2, 0.01]
    return {
        "values": values,
        "holm": multitest.multipletests(values, method="holm")[1].tolist(),
        "benjamini_hochberg": multitest.multipletests(values, method="fdr_bh")[1].tolist(),
    }


def families():
    effects = np.array([0.10, 0.32, 0.18, 0.55, 0.41])
    variances = np.array([0.010, 0.020, 0.015, 0.008, 0.030])
    result = meta_analysis.combine_effects(effects, variances, method_re="dl", use_t=True)
    frame = result.summary_frame()
    adjusted = frame.loc["random effect wls"]
    return {
        "effects": effects.tolist(),
        "variances": variances.tolist(),
        "tau_squared": float(result.tau2),
        "q": float(result.q),
        "i_squared": float(result.i2),
        "mean": float(adjusted["eff"]),
        "ends": [float(adjusted["ci_low"]), float(adjusted["ci_upp"])],
    }


def logistic():
    rng = np.random.default_rng(31)
    rows = []
    for prompt in range(40):
        difficulty = rng.normal(0, 0.5)
        for subject in range(3):
            for judge in range(3):
                score = 0.8 + 0.4 * subject - 0.3 * judge + 0.6 * (subject == judge) + difficulty
                rows.append([prompt, subject, judge, int(rng.random() < 1 / (1 + np.exp(-score)))])
    data = np.array(rows)
    design = np.column_stack(
        [np.ones(len(data))]
        + [data[:, 1] == s for s in (1, 2)]
        + [data[:, 2] == j for j in (1, 2)]
        + [data[:, 1] == data[:, 2]]
    ).astype(float)
    fit = sm.Logit(data[:, 3], design).fit(disp=0)
    return {"rows": data.tolist(), "same_provider": float(fit.params[-1])}


def prediction_powered():
    rng = np.random.default_rng(41)
    human = rng.binomial(1, 0.3, 120).astype(float)
    judge = np.where(rng.random(120) < 0.15, 1 - human, human)
    every = rng.binomial(1, 0.36, 900).astype(float)
    low, high = ppi_py.ppi_mean_ci(human, judge, every, alpha=0.05, lam=1)
    return {
        "human": human.tolist(),
        "judge": judge.tolist(),
        "every": every.tolist(),
        "ends": [float(np.squeeze(low)), float(np.squeeze(high))],
    }


def selective():
    rng = np.random.default_rng(51)
    correct = rng.binomial(1, 0.7, 80)
    confidence = np.round(np.clip(0.5 + 0.2 * correct + rng.normal(0, 0.15, 80), 0, 1), 1)
    accuracy = correct.mean()
    auroc = roc_auc_score(correct, confidence)
    return {
        "correct": correct.tolist(),
        "confidence": confidence.tolist(),
        "augrc": (1 - auroc) * accuracy * (1 - accuracy) + (1 - accuracy) ** 2 / 2,
    }


def main():
    warnings.simplefilter("ignore")
    made = {
        "versions": {name: version(name) for name in PACKAGES},
        "proportions": proportions(),
        "paired": paired(),
        "agreement": agreement(),
        "resampling": resampling(),
        "multiplicity": multiplicity(),
        "families": families(),
        "logistic": logistic(),
        "prediction_powered": prediction_powered(),
        "selective": selective(),
    }
    sections = [f"{json.dumps(name)}: {json.dumps(value, default=float)}" for name, value in made.items()]
    print("{\n" + ",\n".join(sections) + "\n}")


if __name__ == "__main__":
    main()
