"""Pure functions over arrays: frozen results with the numbers used and left out, random generators as arguments."""

from __future__ import annotations

from equipoise.statistics.agreement import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from equipoise.statistics.bootstrap import bootstrap, bootstrap_draws, bootstrap_indices, bootstrap_many
from equipoise.statistics.bounded import bounded_mean
from equipoise.statistics.bounds import Bounds, label_validity_bounds, missing_reply_bounds
from equipoise.statistics.clustered_correction import (
    ClusteredVerdicts,
    clustered_rogan_gladen,
    correct_clustered_cell,
)
from equipoise.statistics.clusters import cluster_bootstrap_rate, cluster_robust_rate, intraclass_correlation
from equipoise.statistics.composition import (
    Decomposition,
    EmptyStratumError,
    Standardised,
    kitagawa,
    post_stratify,
    standardise,
)
from equipoise.statistics.correction import (
    Calibration,
    CorrectedCell,
    CorrectionRefusedError,
    calibrate,
    correct_cells,
    ppi_difference,
    rogan_gladen,
)
from equipoise.statistics.equivalence import Finding, MarginResult, equivalence, non_inferiority
from equipoise.statistics.estimate import Estimate, HypothesisTest, plain
from equipoise.statistics.families import FamilyEffects, family_effects
from equipoise.statistics.leniency import Leniency, same_provider_leniency
from equipoise.statistics.multiplicity import benjamini_hochberg, holm
from equipoise.statistics.operating import (
    SignalDetection,
    SweepPoint,
    clustered_signal_detection,
    clustered_youden_j,
    cost_sweep,
    signal_detection,
    youden_j,
)
from equipoise.statistics.paired import (
    cochran_q,
    mcnemar,
    paired_rate_difference,
    permutation_did,
    wilcoxon_pairs,
)
from equipoise.statistics.planning import (
    ComparisonPlan,
    LabelPlan,
    detectable_difference,
    plan_comparison,
    plan_labels,
)
from equipoise.statistics.proportions import clopper_pearson, cohen_h, jeffreys, wilson, zero_event_bound
from equipoise.statistics.rank_intervals import (
    Ranking,
    RankInterval,
    design_effect,
    possible_spread,
    rank_intervals,
)
from equipoise.statistics.selective import NoConfidenceError, RiskCoverage, risk_coverage

__all__ = [
    "Bounds",
    "Calibration",
    "ClusteredVerdicts",
    "ComparisonPlan",
    "CorrectedCell",
    "CorrectionRefusedError",
    "Decomposition",
    "EmptyStratumError",
    "Estimate",
    "FamilyEffects",
    "Finding",
    "HypothesisTest",
    "LabelPlan",
    "Leniency",
    "MarginResult",
    "NoConfidenceError",
    "RankInterval",
    "Ranking",
    "RiskCoverage",
    "SignalDetection",
    "Standardised",
    "SweepPoint",
    "benjamini_hochberg",
    "bootstrap",
    "bootstrap_draws",
    "bootstrap_indices",
    "bootstrap_many",
    "bounded_mean",
    "calibrate",
    "clopper_pearson",
    "cluster_bootstrap_rate",
    "cluster_robust_rate",
    "clustered_rogan_gladen",
    "clustered_signal_detection",
    "clustered_youden_j",
    "cochran_q",
    "cohen_h",
    "cohen_kappa",
    "correct_cells",
    "correct_clustered_cell",
    "cost_sweep",
    "design_effect",
    "detectable_difference",
    "equivalence",
    "family_effects",
    "fleiss_kappa",
    "gwet_ac1",
    "holm",
    "intraclass_correlation",
    "jeffreys",
    "kitagawa",
    "krippendorff_alpha",
    "label_validity_bounds",
    "mcnemar",
    "missing_reply_bounds",
    "non_inferiority",
    "paired_rate_difference",
    "percent_agreement",
    "permutation_did",
    "plain",
    "plan_comparison",
    "plan_labels",
    "possible_spread",
    "post_stratify",
    "ppi_difference",
    "rank_intervals",
    "risk_coverage",
    "rogan_gladen",
    "same_provider_leniency",
    "signal_detection",
    "standardise",
    "wilcoxon_pairs",
    "wilson",
    "youden_j",
    "zero_event_bound",
]
