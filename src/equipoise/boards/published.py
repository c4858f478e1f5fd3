"""The published results of OpenTumorBoard as means, and which of its places can be told apart.

Only means are published: no intervals, and no scores by case. So the spread of the scores, their correlation between systems and the
clustering of cases in recordings are assumed, over a band, and every answer says for how much of the band it holds.

Source: github.com/JayDuan123/opentumorboard-figures, `fig5/source/board_results.csv`, of the paper arXiv:2609.32810. Scores run from 1
to 5; a reply without a readable answer was scored 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from equipoise.boards.vocabulary import Arm
from equipoise.errors import UsageError
from equipoise.ids import content_hash
from equipoise.statistics.estimate import Result
from equipoise.statistics.rank_intervals import design_effect, possible_spread, rank_intervals

LOW, HIGH = 1, 5
_IMAGES, _CAPTIONS = Arm.IMAGES, Arm.CAPTIONS

SPREADS = (0.8, 0.9, 1.0)
"""Assumed standard deviations of the scores of one system over cases. None is published."""
CORRELATIONS = (0.0, 0.3, 0.5, 0.7, 0.9)
"""Assumed correlations between the scores of two systems over cases; all read the same cases, so 0 is the careful end."""
CLUSTER_CORRELATIONS = (0.0, 0.05, 0.1)
"""Assumed intraclass correlations of differences within a recording. None is published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedArm:
    """One system in one arm.

    Attributes:
        name: the system, with its reasoning setting.
        arm: captions or images.
        mean: mean score by the released judge (Qwen3.8), failed replies scored 1.
        other_judge: the same by the earlier judge (Qwen3.6).
        failures: replies without a readable answer, as far as they are published.
    """

    name: str
    arm: Arm
    mean: float
    other_judge: float
    failures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A published table.

    Attributes:
        setting: Board Simulation or Specialist Turn.
        scale: identifier of the scale.
        n: items behind each mean.
        recordings: recordings the items come from.
        failures_known: whether failed replies are published.
        arms: the systems.
    """

    setting: str
    scale: str
    n: int
    recordings: int
    failures_known: bool
    arms: tuple[PublishedArm, ...]


def _arm(name: str, arm: Arm, mean: float, other: float, *, failures: int = 0) -> PublishedArm:
    return PublishedArm(name=name, arm=arm, mean=mean, other_judge=other, failures=failures)


BOARD = Published(
    setting="Board Simulation",
    scale="opentumorboard conclusion alignment 1-5",
    n=184,
    recordings=66,
    failures_known=True,
    arms=(
        _arm("Gemini 3.7 Flash, reasoning", _IMAGES, 2.783, 2.804),
        _arm("Grok 4.6, reasoning", _IMAGES, 2.582, 2.609),
        _arm("Qwen3.8-Max, reasoning", _IMAGES, 2.565, 2.603),
        _arm("GPT-5.6 Sol, reasoning", _IMAGES, 2.533, 2.500, failures=3),
        _arm("Claude Opus 5, reasoning", _IMAGES, 2.527, 2.647),
        _arm("Gemma 4 31B", _IMAGES, 2.527, 2.544),
        _arm("Gemma 4 31B, reasoning", _IMAGES, 2.516, 2.505),
        _arm("DeepSeek-V4-Flash, reasoning", _CAPTIONS, 2.413, 2.283),
        _arm("DeepSeek-V4-Pro", _CAPTIONS, 2.397, 2.272),
        _arm("DeepSeek-V4-Pro, reasoning", _CAPTIONS, 2.386, 2.315),
        _arm("DeepSeek-V4-Flash", _CAPTIONS, 2.364, 2.196),
        _arm("Ministral 3 14B", _IMAGES, 2.201, 2.098),
        _arm("MedGemma 27B", _IMAGES, 2.152, 2.044),
        _arm("Llama 4 Scout", _IMAGES, 2.098, 1.946),
        _arm("Meditron3 70B", _CAPTIONS, 1.929, 1.777, failures=4),
        _arm("Nemotron 3.5 Lightning, reasoning", _CAPTIONS, 1.886, 1.679),
        _arm("HuatuoGPT-3 32B", _CAPTIONS, 1.848, 1.669),
        _arm("HuatuoGPT-3 32B, reasoning", _CAPTIONS, 1.826, 1.641),
        _arm("Nemotron 3.5 Lightning", _CAPTIONS, 1.457, 1.609),
        _arm("MedReason-8B, reasoning", _CAPTIONS, 1.435, 1.370, failures=9),
    ),
)
TURN = Published(
    setting="Specialist Turn",
    scale="opentumorboard clinical equivalence 1-5",
    n=4844,
    recordings=66,
    failures_known=False,
    arms=(
        _arm("DeepSeek-V4-Pro, reasoning", _CAPTIONS, 3.427, 4.180),
        _arm("DeepSeek-V4-Flash, reasoning", _CAPTIONS, 3.328, 4.015),
        _arm("DeepSeek-V4-Pro", _CAPTIONS, 3.319, 4.009),
        _arm("DeepSeek-V4-Flash", _CAPTIONS, 3.213, 3.865),
        _arm("Gemma 4 31B, reasoning", _IMAGES, 3.080, 3.637),
        _arm("Ministral 3 14B", _IMAGES, 3.016, 3.555),
        _arm("Meditron3 70B", _CAPTIONS, 3.014, 3.541),
        _arm("Llama 4 Scout", _IMAGES, 2.967, 3.528),
        _arm("Gemma 4 31B", _IMAGES, 2.966, 3.496),
        _arm("Nemotron 3.5 Lightning, reasoning", _CAPTIONS, 2.952, 3.552),
        _arm("Nemotron 3.5 Lightning", _CAPTIONS, 2.938, 3.523),
        _arm("HuatuoGPT-3 32B", _CAPTIONS, 2.909, 3.508),
        _arm("MedGemma 27B", _IMAGES, 2.881, 3.402),
        _arm("HuatuoGPT-3 32B, reasoning", _CAPTIONS, 2.671, 3.337),
        _arm("MedReason-8B, reasoning", _CAPTIONS, 2.093, 2.420),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BandRow(Result):
    """The place of one system over the band.

    Attributes:
        name: the system.
        mean: its mean score.
        rank: its place by the mean.
        narrow: best and worst place where the assumptions separate most.
        wide: best and worst place over all assumptions.
    """

    name: str
    mean: float
    rank: int
    narrow: tuple[int, int]
    wide: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Band(Result):
    """Places over a band of assumptions.

    Attributes:
        setting: of the table.
        scale: identifier of the scale.
        arm: captions or images; the arms are never one ranking.
        judge: released or other.
        failures: floored or scored-only.
        n: items behind each mean.
        recordings: recordings they come from.
        spreads: assumed standard deviations.
        correlations: assumed correlations between systems.
        cluster_correlations: assumed correlations within a recording.
        points: combinations of the three.
        errors: smallest and greatest standard error of a difference over the band.
        rows: the systems, by mean.
        always: pairs (better, worse) separable at every point.
        depends: pairs separable at some points.
        never: pairs separable at none.
        method: how one point is computed.
        hash: content hash of means and assumptions.
    """

    setting: str
    scale: str
    arm: str
    judge: str
    failures: str
    n: int
    recordings: int
    spreads: tuple[float, ...]
    correlations: tuple[float, ...]
    cluster_correlations: tuple[float, ...]
    points: int
    errors: tuple[float, float]
    rows: tuple[BandRow, ...]
    always: tuple[tuple[str, str], ...]
    depends: tuple[tuple[str, str], ...]
    never: tuple[tuple[str, str], ...]
    method: str
    hash: str


def scored_only(arm: PublishedArm, *, n: int) -> float:
    """The mean over readable replies, where failed ones were scored 1.

    Args:
        arm: a system with its published number of failures.
        n: items behind the floored mean.
    """
    return (arm.mean * n - LOW * arm.failures) / (n - arm.failures)


def ranks_over_band(
    table: Published,
    *,
    arm: Arm,
    judge: str = "released",
    failures: str = "floored",
    spreads: Sequence[float] = SPREADS,
    correlations: Sequence[float] = CORRELATIONS,
    cluster_correlations: Sequence[float] = CLUSTER_CORRELATIONS,
    level: float = 0.95,
) -> Band:
    """Places of the systems of one arm, and which pairs can be told apart, over a band of assumptions.

    Args:
        table: BOARD or TURN.
        arm: captions or images.
        judge: released (Qwen3.8) or other (Qwen3.6).
        failures: floored as published, or scored-only (the released judge only, where failures are published).
        spreads: assumed standard deviations, each possible for every mean of the arm.
        correlations: assumed correlations between systems.
        cluster_correlations: assumed correlations of differences within a recording.
        level: coverage of all places together, at one point of the band.

    Raises:
        UsageError: an unknown choice, a spread no whole scores with such a mean can have, or a value out of range.
    """
    arms = [item for item in table.arms if item.arm is arm]
    means = _means(table, arms, judge, failures)
    _check_spreads(arms, means, spreads)
    names = [item.name for item in arms]
    points = [(sd, rho, icc) for sd in spreads for rho in correlations for icc in cluster_correlations]
    if not points:
        message = "expected at least one value for each assumption"
        raise UsageError(message, field="assumptions")
    size = table.n / table.recordings
    try:
        found = [
            rank_intervals(
                names, means, sd=sd, correlation=rho, n=table.n, effect=design_effect(size, icc), level=level
            )
            for sd, rho, icc in points
        ]
    except ValueError as error:
        raise UsageError(str(error), field="assumptions") from None
    closest = min(found, key=lambda item: item.standard_error)
    rows = tuple(
        BandRow(
            name=row.name,
            mean=row.mean,
            rank=row.rank,
            narrow=(row.low, row.high),
            wide=(min(item.low for item in same), max(item.high for item in same)),
        )
        for row in closest.rows
        for same in [[item for one in found for item in one.rows if item.name == row.name]]
    )
    counts = {pair: 0 for pair in combinations([row.name for row in rows], 2)}
    for ranking in found:
        for pair in ranking.separated:
            counts[pair] += 1
    assumptions: dict[str, Any] = {
        "setting": table.setting,
        "scale": table.scale,
        "arm": arm.value,
        "judge": judge,
        "failures": failures,
        "n": table.n,
        "recordings": table.recordings,
        "spreads": tuple(spreads),
        "correlations": tuple(correlations),
        "cluster_correlations": tuple(cluster_correlations),
    }
    return Band(
        **assumptions,
        points=len(points),
        errors=(closest.standard_error, max(item.standard_error for item in found)),
        rows=rows,
        always=tuple(pair for pair, count in counts.items() if count == len(points)),
        depends=tuple(pair for pair, count in counts.items() if 0 < count < len(points)),
        never=tuple(pair for pair, count in counts.items() if count == 0),
        method=f"pairwise normal tests, Holm over {closest.n_pairs} pairs, {level:.0%} together at each point",
        hash=content_hash(assumptions | {"means": dict(zip(names, means, strict=True)), "level": level}),
    )


def _means(table: Published, arms: Sequence[PublishedArm], judge: str, failures: str) -> list[float]:
    if judge not in ("released", "other"):
        message = f"expected the judge released or other, found {judge!r}"
        raise UsageError(message, field="judge")
    if failures not in ("floored", "scored-only"):
        message = f"expected floored or scored-only, found {failures!r}"
        raise UsageError(message, field="failures")
    if failures == "floored":
        return [item.mean if judge == "released" else item.other_judge for item in arms]
    if judge == "other" or not table.failures_known:
        message = "failures are published for the released judge of Board Simulation only"
        raise UsageError(message, field="failures")
    return [scored_only(item, n=table.n) for item in arms]


def _check_spreads(arms: Sequence[PublishedArm], means: Sequence[float], spreads: Sequence[float]) -> None:
    for item, mean in zip(arms, means, strict=True):
        low, high = possible_spread(mean, low=LOW, high=HIGH)
        for spread in spreads:
            if not low <= spread <= high:
                message = (
                    f"a spread of {spread:g} is not possible for {item.name}: whole scores from {LOW} to {HIGH} with the mean "
                    f"{mean:.3f} have {low:.2f} to {high:.2f}"
                )
                raise UsageError(message, field="spreads")
