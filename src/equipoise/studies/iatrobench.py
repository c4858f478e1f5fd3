"""IatroBench: where withheld help hides, and what empty replies do to the gap between lay and physician askers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from equipoise.statistics import (
    bootstrap,
    cluster_bootstrap_rate,
    missing_reply_bounds,
    wilcoxon_pairs,
    wilson,
)
from equipoise.studies.base import DataFile, Row, Source, Study, figure, read_object, read_rows

EMPTY = "empty_or_filtered"
SUBSTANTIVE = "substantive"
HARD = "hard_refusal"
FILTERED_MODEL = "gpt52"
MATERIAL = 2
"""Omission score from which help is materially withheld (scale 0 to 4)."""

SOURCE = Source(
    title="IatroBench",
    address="https://github.com/davidgringras/iatrobench",
    commit="a7dbaf8",
    licence="MIT",
    reference="arXiv:2604.07709",
)

FILES = (
    DataFile(
        path="iatrobench/audit_scores.csv",
        sha256="9a4fc373c40591436fc47dd229e894a7da3358bc7a1101c2afc0b0bce634d79a",
        origin="the committed audit scores, one row a reply",
    ),
    DataFile(
        path="iatrobench/pairs.csv",
        sha256="aa9d5124db75721acbf51e2ea74d6a9fc833bc98c1d589da762edd0f15b32d54",
        origin="pair, framing and partner of data/scenarios/*/*.json",
    ),
    DataFile(
        path="iatrobench/paper_numbers.json",
        sha256="a26a8fe5405ce3b9b45cd9b70e4a7d5333d85c9ae178587116c8d3ce84303b2e",
        origin="the authors' numbers, computed on 785 rows",
    ),
)

Kept = Callable[[Mapping[str, str]], bool]


def read_scores(folder: Path) -> list[dict[str, str]]:
    """Scored replies, with the pair and framing of their scenario added."""
    pairs = {row["scenario_id"]: row for row in read_rows(folder / "pairs.csv", ("scenario_id", "pair_id", "framing"))}
    rows = read_rows(
        folder / "audit_scores.csv",
        ("scenario_id", "model_id", "rep_id", "response_class", "commission_harm", "omission_harm"),
    )
    return [
        row | {"pair": pairs[row["scenario_id"]]["pair_id"], "framing": pairs[row["scenario_id"]]["framing"]}
        for row in rows
    ]


def analyse(folder: Path, rng: np.random.Generator) -> tuple[list[Row], list[str]]:
    """All figures of the study.

    Args:
        folder: folder with the files.
        rng: random generator of the intervals.

    Returns:
        Rows and warnings.
    """
    return figures_of(read_scores(folder), read_object(folder / "paper_numbers.json"), rng)


def figures_of(
    rows: list[dict[str, str]], published: Mapping[str, object], rng: np.random.Generator
) -> tuple[list[Row], list[str]]:
    """All figures of rows in the columns of `read_scores`, wherever these come from.

    Args:
        rows: the scored replies.
        published: the authors' numbers.
        rng: random generator of the intervals.

    Returns:
        Rows and warnings.
    """
    figures = [*_withholdings(rows, published, rng), *_gaps(rows, published, rng)]
    figures += [*_models(rows, published, rng), *_model_gaps(rows, published, rng)]
    return figures, [
        f"{len(rows)} of the {published['n_scores']} scored rows behind the published figures are public, and 8 of 22 "
        "pairs; figures on all pairs cannot be checked",
        "the scores are those of a model applying a physician-written rubric, and that model is one of the six scored",
        "no reply text is public, so no reply can be judged again",
    ]


def _withholdings(rows: list[dict[str, str]], published: Mapping[str, object], rng: np.random.Generator) -> list[Row]:
    material = [row for row in rows if int(row["omission_harm"]) >= MATERIAL]
    readable = [row for row in material if row["response_class"] != EMPTY]
    substantive = [row["response_class"] == SUBSTANTIVE for row in readable]
    empty = len(material) - len(readable)
    all_empty = sum(row["response_class"] == EMPTY for row in rows)
    hard = sum(row["response_class"] == HARD for row in rows)
    summary = published["summary"]
    assert isinstance(summary, dict)
    bounds = missing_reply_bounds(len(readable), len(rows) - all_empty, all_empty, why="empty or filtered reply")
    return [
        figure(
            "withheld",
            "replies with omission of 2 or more",
            wilson(len(material), len(rows)),
            published=float(summary["overall_pct_oh_ge_2"]) / 100,
            partly=True,
            adds=(
                f"{empty} of the {len(material)} are empty or filtered replies, a state of the instrument and no clinical "
                f"answer; without scoring them the share lies between {bounds.low:.3f} and {bounds.high:.3f}"
            ),
            details={"withheld": len(material), "replies": len(rows)},
        ),
        figure(
            "withheld.empty",
            "of these, empty or filtered replies",
            empty,
            method="count",
            details={"models": sorted({row["model_id"] for row in material if row["response_class"] == EMPTY})},
        ),
        figure(
            "withheld.substantive",
            "of the readable ones, share in replies classed substantive",
            cluster_bootstrap_rate(
                np.array(substantive, dtype=float),
                [row["scenario_id"] for row in readable],
                rng=rng,
                n_left_out=empty,
                why_left_out="empty or filtered reply",
            ),
            adds="a count of refusals would miss them; the interval draws whole scenarios",
            details={"substantive": sum(substantive), "readable": len(readable)},
        ),
        figure(
            "hard_refusals",
            "replies that refuse outright",
            wilson(hard, len(rows) - all_empty, n_left_out=all_empty, why_left_out="empty or filtered reply"),
            details={"hard_refusals": hard, "replies": len(rows)},
            adds="withholding is not refusal: the two are two measures",
        ),
    ]


def pair_gaps(rows: list[dict[str, str]], kept: Kept) -> dict[str, float]:
    """Mean omission of lay askers less that of physicians, by pair with replies of both framings.

    Args:
        rows: rows of `read_scores`.
        kept: which rows enter.
    """
    scores: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in rows:
        if row["pair"] and kept(row):
            scores[row["pair"], row["framing"]].append(int(row["omission_harm"]))
    names = sorted({pair for pair, _ in scores})
    return {
        name: float(np.mean(scores[name, "layperson"]) - np.mean(scores[name, "physician"]))
        for name in names
        if (name, "layperson") in scores and (name, "physician") in scores
    }


def _gaps(rows: list[dict[str, str]], published: Mapping[str, object], rng: np.random.Generator) -> list[Row]:
    decoupling = published["h2_decoupling"]
    assert isinstance(decoupling, dict)
    ways: tuple[tuple[str, str, Kept, float | None, str], ...] = (
        ("as_filed", "all replies as filed", lambda row: True, None, ""),
        (
            "without_empty",
            "without empty or filtered replies",
            lambda row: row["response_class"] != EMPTY,
            None,
            "an empty reply was scored as the worst omission; all of them are of one model and to physicians",
        ),
        (
            "without_gpt52",
            "without GPT-5.2",
            lambda row: row["model_id"] != FILTERED_MODEL,
            float(decoupling["overall_mean_gap_excl_gpt52"]),
            "the published figure leaves GPT-5.2 out and has 22 pairs, of which 8 are public",
        ),
    )
    figures = []
    for name, what, kept, value, adds in ways:
        gaps = pair_gaps(rows, kept)
        numbers = np.array(list(gaps.values()))
        result = bootstrap(
            np.column_stack([numbers, np.ones(len(numbers))]), lambda totals: totals[:, 0] / totals[:, 1], rng=rng
        )
        test = wilcoxon_pairs(numbers, rng=rng, resamples=200)
        figures.append(
            figure(
                f"gap.{name}",
                f"omission, lay less physician, mean over pairs, {what}",
                result,
                published=value,
                partly=True,
                adds=(adds + "; " if adds else "")
                + f"Wilcoxon signed rank on {len(numbers)} pairs p {test.p_value:.3f}, smallest possible "
                f"{test.smallest_p:.3f}",
                details={"pairs": gaps, "wilcoxon_p": test.p_value},
            )
        )
    return figures


def _models(rows: list[dict[str, str]], published: Mapping[str, object], rng: np.random.Generator) -> list[Row]:
    means = published["h1_systemic_oh"]
    assert isinstance(means, dict)
    figures = []
    for model, numbers in means.items():
        own = [row for row in rows if row["model_id"] == model]
        values = np.array([float(row["omission_harm"]) for row in own])
        result = bootstrap(
            np.column_stack([values, np.ones(len(values))]),
            lambda totals: totals[:, 0] / totals[:, 1],
            rng=rng,
            clusters=[row["scenario_id"] for row in own],
        )
        empty = sum(row["response_class"] == EMPTY for row in own)
        figures.append(
            figure(
                f"omission.{model}",
                f"mean omission (0 to 4) of {model}",
                result,
                published=float(numbers["mean_oh"]),
                partly=True,
                adds="interval over scenarios" + (f"; {empty} empty replies are scored 4 here" if empty else ""),
                details={"published_rows": int(numbers["n"])},
            )
        )
    return figures


def _model_gaps(rows: list[dict[str, str]], published: Mapping[str, object], rng: np.random.Generator) -> list[Row]:
    decoupling = published["h2_decoupling"]
    assert isinstance(decoupling, dict)
    figures = []
    for model, numbers in decoupling["per_model"].items():
        gaps = pair_gaps([row for row in rows if row["model_id"] == model], lambda row: True)
        readable = pair_gaps(
            [row for row in rows if row["model_id"] == model], lambda row: row["response_class"] != EMPTY
        )
        values = np.array(list(gaps.values()))
        result = bootstrap(
            np.column_stack([values, np.ones(len(values))]), lambda totals: totals[:, 0] / totals[:, 1], rng=rng
        )
        adds = ""
        if readable != gaps:
            adds = f"without empty replies {np.mean(list(readable.values())):+.3f}"
        figures.append(
            figure(
                f"gap.model.{model}",
                f"omission, lay less physician, mean over pairs, {model}",
                result,
                published=float(numbers["mean_gap"]),
                partly=True,
                adds=adds,
                details={"pairs": len(gaps), "published_pairs": int(numbers["n_pairs"])},
            )
        )
    return figures


STUDY = Study(
    id="iatrobench",
    title="IatroBench: withheld help, empty replies, and the lay-physician gap",
    folder="iatrobench",
    source=SOURCE,
    files=FILES,
    analyse=analyse,
)
