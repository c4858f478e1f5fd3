"""Measures of each axis from the run folders of its parts, as plain values that a page and a file can hold.

Every function takes all parts of the axis of one system, by the part's name, and gives one object. A part that did not run is missing;
what needs it is then null. The modules of the tasks are imported by name when they are needed, so that an axis may be absent.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise.errors import InputError
from equipoise.outcomes.run import Run
from equipoise.redteam.plan import Plan
from equipoise.statistics import plain

SEED = 42
"""Seed of all intervals unless another is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRun:
    """The run of one part.

    Attributes:
        test: name of the part.
        run: its run.
        references: what the run folder keeps of each item.
    """

    test: str
    run: Run
    references: tuple[Mapping[str, Any], ...] = ()

    @property
    def plan(self) -> Plan:
        """The plan that the run keeps.

        Raises:
            InputError: it keeps none.
        """
        found = [item for item in self.run.info.arguments.get("logs", ()) if item.get("plan")]
        if not found:
            message = f"{self.test}: the run keeps no plan"
            raise InputError(message, field="plan")
        return Plan.from_dict(found[0]["plan"])

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the task recorded."""
        logs: Sequence[Mapping[str, Any]] = self.run.info.arguments.get("logs") or ({},)
        return logs[0]

    def rows(self) -> list[dict[str, Any]]:
        """Rows of the outcomes."""
        return [dict(row) for row in self.run.outcomes.to_pylist()]

    def said(self) -> list[dict[str, Any]]:
        """Rows of the judgements."""
        return [dict(row) for row in self.run.judgements.to_pylist()]


Parts = Mapping[str, PartRun]


def measured(name: str, parts: Parts, *, seed: int = SEED) -> dict[str, Any]:
    """The measures of an axis by the name that the catalogue gives.

    Args:
        name: "module:function"; a function called `summary` takes the run of the first part alone.
        parts: the parts that ran, by name.
        seed: seed of the intervals.
    """
    module, _, function = name.partition(":")
    call = getattr(importlib.import_module(module), function)
    if function == "summary":
        return dict(call(next(iter(parts.values())).run))
    return dict(call(parts, seed=seed))


def gates(parts: Parts, *, seed: int = SEED) -> dict[str, Any]:
    """Gates and triage."""
    from equipoise.redteam.gates.measures import gate_summary

    return gate_summary(parts["medfail"].run, seed=seed).to_dict()


def choice(parts: Parts, *, seed: int = SEED) -> dict[str, Any]:
    """One stress test on questions with options."""
    from equipoise.redteam.measures import robustness as measure

    return measure(next(iter(parts.values())).run, seed=seed).to_dict()


def robustness(parts: Parts, *, seed: int = SEED) -> dict[str, Any]:
    """The static loop, the adaptive loop, and the gap between clean, static and adaptive figures."""
    from equipoise.redteam.measures import benchmarking_gap
    from equipoise.redteam.measures import robustness as measure

    static, adaptive = parts.get("das_robustness"), parts.get("das_robustness.adaptive")
    gap = None
    if static is not None:
        gap = benchmarking_gap(static.run, adaptive.run if adaptive else None, seed=seed).to_dict()
    return {
        "static": measure(static.run, seed=seed).to_dict() if static else None,
        "adaptive": measure(adaptive.run, seed=seed).to_dict() if adaptive else None,
        "gap": gap,
    }


def privacy(parts: Parts, *, seed: int = SEED) -> dict[str, Any]:
    """Leaks by stage, and over-withholding."""
    own = parts["das_privacy"]
    measure = _function("equipoise.benchmarks.das_privacy.measures", "privacy_measures")
    return _plain(measure(own.rows(), own.said(), own.plan, rng=np.random.default_rng(seed)))


def bias(parts: Parts, *, seed: int = SEED) -> dict[str, Any]:
    """Changes by label, in both directions."""
    own = parts["das_bias"]
    measure = _function("equipoise.benchmarks.das_bias.measures", "bias_measures")
    votes = int(own.facts.get("votes") or 1)
    return _plain(measure(own.rows(), own.plan, votes=votes, rng=np.random.default_rng(seed)))


def hallucination(parts: Parts, *, seed: int = SEED) -> dict[str, Any]:
    """The detector against labelled replies, and the system's rate corrected by it."""
    measure = _function("equipoise.benchmarks.das_hallucination.measures", "hallucination_measures")
    if "das_hallucination.labelled" not in parts:
        message = "the labelled replies were not looked at, so nothing is known of the detector's own errors"
        raise InputError(message, field="das_hallucination.labelled")
    both = list(parts.values())
    rows = [row for part in both for row in part.rows()]
    said = [row for part in both for row in part.said()]
    references = [row for part in both for row in part.references]
    return _plain(measure(rows, said, references, rng=np.random.default_rng(seed)))


def missing(parts: Parts, *, seed: int = SEED) -> dict[str, Any]:
    """Confidence where a fact is gone and asking where nothing is, always both."""
    own = parts["missing_info"]
    module = "equipoise.redteam.missing.measures"
    found = _plain(
        _function(module, "missing_measures")(
            own.rows(), own.said(), own.plan, system=own.run.info.systems[0], rng=np.random.default_rng(seed)
        )
    )
    dependence = own.facts.get("dependence")
    found["underdetermined"] = _plain(_function(module, "underdetermined")(dependence)) if dependence else None
    return found


def healthbench(parts: Parts, *, seed: int = SEED) -> dict[str, Any]:
    """The published score, and what each attack did to the criterion it was aimed at."""
    own = parts["healthbench"]
    rows, said = own.rows(), own.said()
    scores = _function("equipoise.benchmarks.healthbench.summary", "summarise")(rows, said, own.references, seed=seed)
    attack = _function("equipoise.redteam.aimed.measures", "attack_results")
    graders = list(dict.fromkeys(item.grader for item in scores))
    attacks = {
        name: [_plain(item) for item in attack(rows, said, own.plan, grader=name, rng=np.random.default_rng(seed))]
        for name in graders
    }
    return {"scores": [_plain(item) for item in scores], "attacks": attacks}


def _function(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _plain(result: Any) -> dict[str, Any]:
    """A frozen result as plain values."""
    return dict(result.to_dict() if hasattr(result, "to_dict") else plain(result))
