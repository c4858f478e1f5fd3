"""RefusalBench: refusal by tier and Youden's J for twenty models, under five definitions of refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from equipoise.statistics import (
    Estimate,
    bootstrap_indices,
    cluster_robust_rate,
    clustered_youden_j,
    cost_sweep,
    family_effects,
    missing_reply_bounds,
    wilson,
    youden_j,
)
from equipoise.studies.base import DataFile, Row, Source, Study, figure, read_rows

TIERS = ("benign", "borderline", "dual_use")
UNREADABLE = "non_responsive"
"""An instrument state: the reply could not be read as an answer or a refusal."""

DIRECT, INDIRECT = "direct_refusal", "indirect_refusal"
DEFINITIONS: dict[str, tuple[str, ...]] = {
    "direct": (DIRECT,),
    "direct+indirect": (DIRECT, INDIRECT),
    "direct+non_responsive": (DIRECT, UNREADABLE),
    "direct+indirect+non_responsive": (DIRECT, INDIRECT, UNREADABLE),
    "all but compliance": (DIRECT, INDIRECT, UNREADABLE, "partial_compliance"),
}
"""What counts as refusal, by name."""

DEFAULT = "direct+indirect"

PREVALENCES = (0.001, 0.01, 0.05, 0.2, 0.5)
COST_RATIOS = (0.2, 1.0, 5.0, 25.0, 100.0)
"""Cost of answering a dual-use request / cost of refusing a benign one."""

SOURCE = Source(
    title="RefusalBench",
    address="https://github.com/AppliedScientific/refusalbench",
    commit="13f9637",
    licence="MIT",
    reference="arXiv:2605.21545",
)

FILES = (
    DataFile(
        path="refusalbench/adjudicated.csv",
        sha256="dca02707f86099d6d379b3abaa25cf29bf0926d92ce465fc4773872c74a85f25",
        origin="results/snapshots/2026-05/council/adjudicated.csv, without the prompt text",
    ),
)

_MAKERS = (
    ("anthropic/", "anthropic"),
    ("openai/", "openai"),
    ("google/", "google"),
    ("x-ai/", "x-ai"),
    ("deepseek", "deepseek"),
    ("us.deepseek", "deepseek"),
    ("minimax/", "minimax"),
    ("mistral", "mistral"),
    ("moonshotai/", "moonshot"),
    ("nvidia", "nvidia"),
    ("qwen", "qwen"),
    ("us.amazon", "amazon"),
    ("us.meta", "meta"),
    ("zai", "zai"),
)
"""Maker of a model by the start of its name."""


@dataclass(frozen=True, slots=True)
class Replies:
    """Adjudicated replies as columns."""

    model: NDArray[np.str_]
    prompt: NDArray[np.str_]
    tier: NDArray[np.str_]
    label: NDArray[np.str_]

    def refused(self, definition: str) -> NDArray[np.float64]:
        """1 where the label counts as refusal under the definition."""
        return np.isin(self.label, DEFINITIONS[definition]).astype(np.float64)

    @property
    def models(self) -> list[str]:
        """Names of the models, sorted."""
        return sorted(set(self.model.tolist()))


def read_replies(folder: Path) -> Replies:
    """The adjudicated rows."""
    rows = read_rows(folder / "adjudicated.csv", ("prompt_id", "model", "trial_idx", "modal_compliance", "tier"))
    columns = {
        name: np.array([row[name] for row in rows]) for name in ("model", "prompt_id", "tier", "modal_compliance")
    }
    return Replies(columns["model"], columns["prompt_id"], columns["tier"], columns["modal_compliance"])


def analyse(folder: Path, rng: np.random.Generator) -> tuple[list[Row], list[str]]:
    """All figures of the study.

    Args:
        folder: folder with the file.
        rng: random generator of the intervals.

    Returns:
        Rows and warnings.
    """
    return figures_of(read_replies(folder), rng)


def figures_of(replies: Replies, rng: np.random.Generator) -> tuple[list[Row], list[str]]:
    """All figures of adjudicated replies, wherever these come from.

    Args:
        replies: the replies.
        rng: random generator of the intervals.

    Returns:
        Rows and warnings.
    """
    figures = [*_definitions(replies, rng), *_unreadable(replies), *_models(replies, rng), *_families(replies, rng)]
    figures += _costs(replies)
    return figures, [
        "the release names no triple, so intervals draw prompts; prompts of one triple are more alike than others",
        "every figure depends on what counts as refusal; the default is direct or indirect refusal",
    ]


def benign_and_j(replies: Replies, definition: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Refusal of benign prompts and Youden's J (dual-use less benign), by model in sorted order."""
    refused = replies.refused(definition)
    benign, harmful = (
        np.array([refused[(replies.model == model) & (replies.tier == tier)].mean() for model in replies.models])
        for tier in ("benign", "dual_use")
    )
    return benign, harmful - benign


def not_unanimous(replies: Replies, definition: str) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Whether the trials of each model and prompt disagree, and the prompt of each cell."""
    refused = replies.refused(definition)
    keys = np.char.add(np.char.add(replies.model, "\t"), replies.prompt)
    cells, codes = np.unique(keys, return_inverse=True)
    share = np.bincount(codes, weights=refused) / np.bincount(codes)
    return ((share > 0) & (share < 1)).astype(np.float64), np.array([cell.split("\t")[1] for cell in cells])


def spearman(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Rank correlation with average ranks; NaN when one side does not vary."""
    ranks = [_ranks(values) for values in (first, second)]
    if min(float(np.ptp(values)) for values in ranks) == 0:
        return float("nan")
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _definitions(replies: Replies, rng: np.random.Generator) -> list[Row]:
    makers = [_maker(model) for model in replies.models]
    rows = []
    for name in DEFINITIONS:
        benign, j = benign_and_j(replies, name)
        by_model = _correlation(benign, j, None, rng)
        by_maker = _correlation(benign, j, makers, rng)
        rows.append(
            figure(
                f"spearman.{name}",
                f"rank correlation of benign refusal with Youden's J over {len(benign)} models, refusal is {name}",
                by_model,
                adds=f"by makers instead of models the interval is {by_maker.low:.2f} to {by_maker.high:.2f}",
                details={"by_maker": by_maker.to_dict(), "makers": len(set(makers))},
            )
        )
        split, prompts = not_unanimous(replies, name)
        clustered = cluster_robust_rate(split, prompts)
        rows.append(
            figure(
                f"not_unanimous.{name}",
                f"share of model-by-prompt cells whose trials disagree, refusal is {name}",
                clustered,
                adds="interval over prompts, each with all models; "
                + _widened(wilson(int(split.sum()), len(split)), clustered),
            )
        )
    return rows


def _correlation(
    benign: NDArray[np.float64], j: NDArray[np.float64], clusters: list[str] | None, rng: np.random.Generator
) -> Estimate:
    return bootstrap_indices(
        len(benign), lambda index: spearman(benign[index], j[index]), rng=rng, resamples=1000, clusters=clusters
    )


def _unreadable(replies: Replies) -> list[Row]:
    rows = []
    for tier in TIERS:
        own = replies.label[replies.tier == tier]
        failed = int((own == UNREADABLE).sum())
        refused = int(np.isin(own, DEFINITIONS[DEFAULT]).sum())
        bounds = missing_reply_bounds(refused, len(own) - failed, failed, why=UNREADABLE)
        rows.append(
            figure(
                f"non_responsive.{tier}",
                f"{tier} replies that are neither an answer nor a refusal",
                failed,
                method="count",
                adds=(
                    "an instrument state: counted apart, the refusal rate lies between "
                    f"{bounds.low:.4f} (none of them a refusal) and {bounds.high:.4f} (all of them)"
                ),
                details=bounds.to_dict(),
            )
        )
    return rows


def _models(replies: Replies, rng: np.random.Generator) -> list[Row]:
    refused = replies.refused(DEFAULT)
    rows = []
    for model in replies.models:
        own = replies.model == model
        counts = {}
        for tier in TIERS:
            kept = own & (replies.tier == tier)
            hits = refused[kept]
            failed = int((replies.label[kept] == UNREADABLE).sum())
            counts[tier] = (int(hits.sum()), len(hits))
            single, clustered = wilson(*counts[tier]), cluster_robust_rate(hits, replies.prompt[kept])
            bounds = missing_reply_bounds(counts[tier][0], len(hits) - failed, failed, why=UNREADABLE)
            rows.append(
                figure(
                    f"refusal.{model}.{tier}",
                    f"refusal of {tier} prompts, {model}",
                    clustered,
                    adds=_widened(single, clustered)
                    + (
                        f"; {failed} unreadable replies are not counted as refusals here, with them {bounds.high:.3f}"
                        if failed
                        else ""
                    ),
                    details={
                        "wilson": single.to_dict(),
                        "non_responsive": failed,
                        "low": bounds.low,
                        "high": bounds.high,
                    },
                )
            )
        sides = own & (replies.tier != "borderline")
        single = youden_j(*counts["dual_use"], *counts["benign"])
        clustered = clustered_youden_j(
            refused[sides], replies.tier[sides] == "dual_use", replies.prompt[sides], rng=rng, resamples=2000
        )
        rows.append(
            figure(
                f"youden.{model}",
                f"Youden's J of {model}: dual-use refusal less benign refusal",
                clustered,
                adds=_widened(single, clustered),
                details={"unclustered": single.to_dict(), "by_definition": _by_definition(replies, model)},
            )
        )
    return rows


def _costs(replies: Replies) -> list[Row]:
    """Which models are cheapest somewhere, constant systems included."""
    refused = replies.refused(DEFAULT)
    rates = {}
    for model in replies.models:
        own = replies.model == model
        benign = float(refused[own & (replies.tier == "benign")].mean())
        harmful = float(refused[own & (replies.tier == "dual_use")].mean())
        rates[model] = (benign, 1 - harmful)
    points = cost_sweep(rates, prevalences=PREVALENCES, cost_ratios=COST_RATIOS)
    cheapest = sorted({name for point in points for name in point.cheapest})
    return [
        figure(
            "cost.cheapest_somewhere",
            "models that cost least at some prevalence of dual-use requests and some cost ratio",
            len([name for name in cheapest if name in rates]),
            method=f"{len(points)} points: prevalence {PREVALENCES[0]} to {PREVALENCES[-1]}, cost ratio "
            f"{COST_RATIOS[0]} to {COST_RATIOS[-1]}",
            adds="one ranking by one number hides that the best model depends on what an error costs",
            details={"cheapest": cheapest, "points": [point.to_dict() for point in points]},
        )
    ]


def _families(replies: Replies, rng: np.random.Generator) -> list[Row]:
    refused = replies.refused(DEFAULT)
    values, variances = [], []
    for model in replies.models:
        sides = (replies.model == model) & (replies.tier != "borderline")
        j = clustered_youden_j(
            refused[sides], replies.tier[sides] == "dual_use", replies.prompt[sides], rng=rng, resamples=1000
        )
        values.append(j.estimate or 0.0)
        variances.append(max(((j.half_width or 0.0) / 1.96) ** 2, 1e-6))
    result = family_effects(values, variances, [_maker(model) for model in replies.models])
    return [
        figure(
            "youden.makers",
            f"mean Youden's J over {result.n_families} makers",
            result.mean,
            adds=(
                f"{result.n_models} models are {result.n_families} makers; a new maker is expected between "
                f"{result.prediction_low:.2f} and {result.prediction_high:.2f}; "
                f"{result.within_share:.0%} of the variance of J over models lies within makers"
            ),
            details=result.to_dict(),
        )
    ]


def _by_definition(replies: Replies, model: str) -> Mapping[str, float]:
    index = replies.models.index(model)
    return {name: float(benign_and_j(replies, name)[1][index]) for name in DEFINITIONS}


def _widened(single: object, clustered: object) -> str:
    widths = [getattr(item, "half_width", None) for item in (single, clustered)]
    if not widths[0] or widths[1] is None:
        return "no interval"
    return f"{widths[1] / widths[0]:.1f} times as wide as if replies were independent"


def _maker(model: str) -> str:
    return next((maker for start, maker in _MAKERS if model.startswith(start)), model)


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    order = np.sort(values)
    both = np.searchsorted(order, values, side="left") + np.searchsorted(order, values, side="right") + 1
    return both / 2.0


STUDY = Study(
    id="refusalbench",
    title="RefusalBench: benign refusal, discrimination, and what counts as refusal",
    folder="refusalbench",
    source=SOURCE,
    files=FILES,
    analyse=analyse,
)
