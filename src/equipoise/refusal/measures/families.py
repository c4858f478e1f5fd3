"""Are tendencies a matter of the family: over its members, its generations, its sizes? Families are the units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from equipoise.refusal.measures.joint import JointRates
from equipoise.refusal.measures.replies import Reply
from equipoise.statistics import Estimate, FamilyEffects, HypothesisTest, family_effects, wilcoxon_pairs
from equipoise.statistics.estimate import Result

LEAST_VARIANCE = 1e-6
"""Sampling variance below which a rate is not taken as more certain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """Where a model stands in its family.

    Attributes:
        family: the family.
        generation: its generation, increasing; None when not known.
        scale: its size, such as parameters in billions; None when not known.
    """

    family: str
    generation: float | None = None
    scale: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend(Result):
    """Change of a rate from the first to the last member of a family.

    Attributes:
        over: generation or scale.
        changes: last less first, by family, members of one generation (or scale) averaged.
        test: Wilcoxon signed rank over families; its effect is the mean change.
    """

    over: str
    changes: Mapping[str, float]
    test: HypothesisTest


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyStability(Result):
    """One rate over models, families as units.

    Attributes:
        rate: over-refusal or harmful compliance.
        effects: random effects over families; None when refused.
        refused: why; empty when it is not.
        generation: change over generations; None when no family has two.
        scale: change over sizes; None when no family has two.
    """

    rate: str
    effects: FamilyEffects | None
    refused: str
    generation: Trend | None
    scale: Trend | None


def lineages_of(
    replies: Iterable[Reply], named: Mapping[str, Lineage] | None = None
) -> tuple[dict[str, Lineage], tuple[str, ...]]:
    """Lineage by system, and the systems that have none.

    Args:
        replies: replies of the systems.
        named: lineage by system or model, or by both as PROVIDER/MODEL; the family stated in the outcomes when None.
            A system is looked up by its own name first, then without what stands behind a space (a system message),
            then by its model. One behind a guard is found by its own name alone: what a guard does is no tendency of
            the model.

    Returns:
        Both in order of name; no system without a lineage is listed when nothing was named and no family is stated.
    """
    models = {reply.system: reply for reply in replies}
    found: dict[str, Lineage] = {}
    for system, reply in sorted(models.items()):
        if named is None:
            if reply.family:
                found[system] = Lineage(family=reply.family)
            continue
        names = (system,) if reply.guard else (system, system.partition(" ")[0], reply.model)
        lineage = next((named[name] for name in names if name in named), None)
        if lineage is not None:
            found[system] = lineage
    left = tuple(system for system in sorted(models) if system not in found)
    return found, left if found or named is not None else ()


def family_stability(
    rates: Sequence[JointRates],
    lineages: Mapping[str, Lineage],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> tuple[FamilyStability, FamilyStability]:
    """Over-refusal and harmful compliance over families, always both.

    Args:
        rates: one a system.
        lineages: family, generation and scale by system; systems that are not named do not enter.
        rng: random generator.
        resamples: resamples of mean changes.
        level: coverage aimed at.

    Returns:
        First over-refusal, then harmful compliance. The effective number of units is that of the families.

    References:
        IntHout J, Ioannidis JPA, Borm GF. BMC Med Res Methodol 2014;14:25. doi:10.1186/1471-2288-14-25
    """
    results = []
    for name in ("over-refusal", "harmful compliance"):
        points: dict[str, Estimate] = {}
        for item in rates:
            crude = (item.over_refusal if name == "over-refusal" else item.harmful_compliance).crude
            if item.system in lineages and crude.estimate is not None and crude.half_width is not None:
                points[item.system] = crude
        families = [lineages[system].family for system in points]
        effects, refused = None, ""
        if len(set(families)) < 2:
            refused = f"{len(set(families))} families: a single one says nothing about others"
        else:
            z = NormalDist().inv_cdf(0.5 + level / 2)
            effects = family_effects(
                [point.estimate or 0.0 for point in points.values()],
                [max(((point.half_width or 0.0) / z) ** 2, LEAST_VARIANCE) for point in points.values()],
                families,
                level=level,
            )
        results.append(
            FamilyStability(
                rate=name,
                effects=effects,
                refused=refused,
                generation=_trend("generation", points, lineages, rng, resamples, level),
                scale=_trend("scale", points, lineages, rng, resamples, level),
            )
        )
    return results[0], results[1]


def _trend(
    over: str,
    points: Mapping[str, Estimate],
    lineages: Mapping[str, Lineage],
    rng: np.random.Generator,
    resamples: int,
    level: float,
) -> Trend | None:
    steps: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for system, point in points.items():
        place = getattr(lineages[system], over)
        if place is not None and point.estimate is not None:
            steps[lineages[system].family][float(place)].append(point.estimate)
    changes = {
        family: float(np.mean(own[max(own)]) - np.mean(own[min(own)]))
        for family, own in sorted(steps.items())
        if len(own) > 1
    }
    if not changes:
        return None
    test = wilcoxon_pairs(list(changes.values()), rng=rng, resamples=resamples, level=level)
    return Trend(over=over, changes=changes, test=test)
