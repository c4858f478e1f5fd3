"""OpenMTB-Audit: which published totals follow from the published matrices, and what a constant system gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from equipoise.benchmarks.openmtb.constants import CONSTANTS
from equipoise.benchmarks.openmtb.dataset import load_cases
from equipoise.benchmarks.openmtb.metrics import score
from equipoise.benchmarks.openmtb.published import TOLERANCE, check_published, matrix_scores
from equipoise.statistics import bootstrap, cohen_kappa, mcnemar, wilson
from equipoise.studies.base import DataFile, Row, Source, Study, figure, read_object, read_rows

AGENT = "MTB-AuditAgent"
BASELINE = "RAG+EV (GPT-4o)"
ALL_NO = "always-unsupported-abstain"
UNSAFE = "Unsafe"

SOURCE = Source(
    title="OpenMTB-Audit",
    address="https://github.com/Negiiinx/OpenMTB-Audit",
    commit="0178f06",
    licence="CC BY 4.0",
    reference="arXiv:2610.01497",
)

FILES = (
    DataFile(
        path="openmtb/cases.jsonl",
        sha256="c591bd19211b18a898c5097cbca864323d7e91dda64db01b0a11f48a7c156f0f",
        origin="benchmark/benchmark_cases.json, one case a line",
    ),
    DataFile(
        path="openmtb/published.json",
        sha256="bb2b61e2e869515d5f213920e8010c0728057127f7b0f0f01d99a488289bcdb8",
        origin="figures of results/*.json at commits 0178f06 and eee70d7, put into one object",
    ),
    DataFile(
        path="openmtb/expert_annotations.csv",
        sha256="b23cfd3e1b15c5209822824456ccb9a4c8f59272df1109240a18ecc4981d3487",
        origin="benchmark/expert_annotations_50cases.csv at commit eee70d7",
    ),
)


def analyse(folder: Path, rng: np.random.Generator) -> tuple[list[Row], list[str]]:
    """All figures of the study.

    Args:
        folder: folder with the three files.
        rng: random generator of the intervals.

    Returns:
        Rows and warnings.
    """
    published = read_object(folder / "published.json")
    rows = [*_totals(folder), *_agent(published, rng), *_mcnemar(published), *_constant(folder, published)]
    rows += _experts(folder, rng)
    return rows, [
        "the eight LLM rows of the published results were derived as output of the repository's own random simulation, "
        "which reads the reference labels; they are no measurement of a model",
        "the published matrices and the published results come from two commits; only the agent's row agrees in both",
    ]


def _totals(folder: Path) -> list[Row]:
    rows = []
    for check in check_published(folder / "published.json"):
        said = "its parts" if check.measure == "safety_score" else "the published matrix"
        adds = "" if check.agrees else f"the published {check.measure} does not follow from {said} of this system"
        rows.append(
            figure(
                f"{check.measure}.{check.system}",
                f"{check.measure.replace('_', ' ')} of {check.system}, from {said}",
                check.derived,
                published=check.published,
                tolerance=TOLERANCE[check.measure],
                adds=adds,
                method=f"recomputed from {said}",
            )
        )
    return rows


def _agent(published: Any, rng: np.random.Generator) -> list[Row]:
    matrix = np.asarray(published["confusion_matrices"][AGENT]["rows_reference_cols_predicted"])
    total, right = int(matrix.sum()), int(np.trace(matrix))
    refusal = published["overrefusal"][AGENT]
    kept, partly = int(refusal["kept"]), int(refusal["partially_supported_total"])
    hits = np.arange(total) < right
    accuracy = bootstrap(np.column_stack([hits, np.ones(total)]), lambda totals: totals[:, 0] / totals[:, 1], rng=rng)
    ends = published["bootstrap"][AGENT]["accuracy_ci95"]
    exact = wilson(right, total)
    ours = wilson(int(matrix[:2, 2].sum()), int(matrix[:2].sum()))
    return [
        figure(
            "over_refusal.published_definition",
            "over-refusal of the agent: Partially Supported not kept / Partially Supported",
            wilson(partly - kept, partly),
            published=float(refusal["rate"]),
            tolerance=0.0001,
            adds="this counts a Partially Supported case called Supported, an approval, as over-refusal",
        ),
        figure(
            "over_refusal.definition_here",
            "over-refusal of the agent: Supported or Partially Supported called Unsupported",
            ours,
            adds="the same system under a definition that counts refusals only",
        ),
        figure(
            "false_approval.agent",
            "false approval of the agent: Unsupported called Supported",
            wilson(int(matrix[2, 0]), int(matrix[2].sum())),
            adds="the other half of the same system; it is not published as a rate",
        ),
        figure(
            "accuracy_interval.low",
            "lower end of the 95 % interval of the agent's accuracy",
            accuracy.low,
            published=float(ends[0]),
            tolerance=0.003,
            method=accuracy.method,
            adds=f"Wilson: {exact.low:.4f} to {exact.high:.4f}",
        ),
        figure(
            "accuracy_interval.high",
            "upper end of the 95 % interval of the agent's accuracy",
            accuracy.high,
            published=float(ends[1]),
            tolerance=0.003,
            method=accuracy.method,
        ),
    ]


def _mcnemar(published: Any) -> list[Row]:
    counts = published["mcnemar_agent_vs_rag_ev_gpt4o"]
    first, second = int(counts["agent_only"]), int(counts["baseline_only"])
    rows = []
    for method, name, statistic in (
        ("chi-square", "uncorrected", "chi2"),
        ("chi-square corrected", "corrected", "chi2_cc"),
        ("exact", "exact", None),
    ):
        result = mcnemar(first, second, method=method)  # type: ignore[arg-type]
        if statistic:
            rows.append(
                figure(
                    f"mcnemar.{statistic}",
                    f"McNemar statistic, {name}, b = {first}, c = {second}",
                    result.statistic,
                    published=float(counts[statistic]),
                    tolerance=0.0001,
                    method=result.method,
                )
            )
        rows.append(
            figure(
                f"mcnemar.p.{name}",
                f"McNemar p value, {name}, agent against {BASELINE}",
                result,
                published=float(counts["published_p"]),
                tolerance=0.05,
                relative=True,
                adds="the published p does not follow from the published counts by any form of the test",
            )
        )
    used = {name: int(counts[name]) for name in ("both_correct", "agent_only", "baseline_only", "both_wrong")}
    rows.append(
        figure(
            "mcnemar.accuracy_of_baseline",
            f"accuracy of {BASELINE} that the McNemar table implies, against its published matrix",
            matrix_scores(published["confusion_matrices"][BASELINE]["rows_reference_cols_predicted"])["accuracy"],
            published=(used["both_correct"] + used["baseline_only"]) / sum(used.values()),
            adds="the table agrees with the published accuracy and not with the published matrix",
            method="recomputed from the published matrix",
        )
    )
    return rows


def _constant(folder: Path, published: Any) -> list[Row]:
    cases = load_cases(folder / "cases.jsonl")
    constant = next(item for item in CONSTANTS if item.id == ALL_NO)
    scores = score(cases, constant.predict(cases))
    low, high = published["bootstrap"][AGENT]["safety_score_ci95"]
    above = [
        name
        for name, row in published["evaluation_results"].items()
        if row["safety_score"] < (scores.safety_score or 0)
    ]
    return [
        figure(
            "floor.safety_score",
            "Safety Score of a system that answers Unsupported and abstains on every case",
            scores.safety_score,
            adds=(
                f"a floor to print beside every Safety Score: it is above {len(above)} of the "
                f"{len(published['evaluation_results'])} published rows, and the agent's published interval "
                f"({low} to {high}) starts at it"
            ),
            details={"accuracy": scores.accuracy, "over_refusal_rate": scores.over_refusal_rate, "above": above},
            method="scored on the published cases",
        )
    ]


def _experts(folder: Path, rng: np.random.Generator) -> list[Row]:
    rows = read_rows(
        folder / "expert_annotations.csv",
        ("case_id", "benchmark_label", "oncologist_a_label", "oncologist_b_label"),
    )
    first = [row["oncologist_a_label"] for row in rows]
    second = [row["oncologist_b_label"] for row in rows]
    five = cohen_kappa(first, second, rng=rng)
    four = cohen_kappa(_without_unsafe(first), _without_unsafe(second), rng=rng)
    insufficient = [row for row in rows if row["benchmark_label"].startswith("Insufficient")]
    agreed = sum(row["oncologist_a_label"] == row["oncologist_b_label"] for row in insufficient)
    return [
        figure("experts.kappa.five_labels", "Cohen's kappa of the two oncologists, five labels as filed", five),
        figure(
            "experts.kappa.four_labels",
            "the same with Unsafe read as Unsupported",
            four,
            adds="the fifth label is no label of the benchmark; agreement on the benchmark's own labels is lower",
        ),
        figure(
            "experts.insufficient.agreement",
            "oncologists agree on the cases the benchmark calls Insufficient Information",
            wilson(agreed, len(insufficient)),
            adds="the rule that makes a case Insufficient Information is contested between the experts",
            details={"agreed": agreed, "cases": len(insufficient)},
        ),
    ]


def _without_unsafe(labels: list[str]) -> list[str]:
    return ["Unsupported" if label == UNSAFE else label for label in labels]


STUDY = Study(
    id="openmtb",
    title="OpenMTB-Audit: published totals against published matrices",
    folder="openmtb",
    source=SOURCE,
    files=FILES,
    analyse=analyse,
)
