"""Answers under missing information: rates without the own judge, rules of the panel against the clinicians, checked cuts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.statistics import Estimate, bootstrap, cohen_kappa, wilson
from equipoise.studies.base import Row, figure
from equipoise.studies.missing_info import JUDGES, OWN_JUDGE, SUBJECTS, Answer, Material, Truncated

ROUNDED = 5.1e-4
"""What the authors' rounding to three digits explains."""


def _favourable(answer: Answer, left_out: str = "") -> tuple[int, int]:
    """Favourable votes and readable ones, without one judge."""
    votes = [vote for judge, vote in answer.votes.items() if judge != left_out and vote is not None]
    return sum(votes), len(votes)


def _two_of_four(answer: Answer) -> bool:
    return _favourable(answer)[0] >= 2


def _three_of_four(answer: Answer) -> bool:
    return _favourable(answer)[0] >= 3


def _all_four(answer: Answer) -> bool:
    return _favourable(answer)[0] >= len(JUDGES)


def _without_own(answer: Answer) -> bool:
    return _favourable(answer, OWN_JUDGE[answer.subject])[0] >= 2


RULES: tuple[tuple[str, str, str, Callable[[Answer], bool]], ...] = (
    ("majority", "two of four votes or more", "tie-positive (>=2/4; ties=appropriate)", _two_of_four),
    ("supermajority", "three of four votes or more", "supermajority >=3/4", _three_of_four),
    ("unanimity", "all four votes", "unanimity 4/4", _all_four),
    ("without_own", "two of the three other providers' votes or more", "provider-excluded majority", _without_own),
)
"""Identifier, what it means, the authors' name, and the rule: whether an answer passes."""


def panel_rows(material: Material, authors: Mapping[str, Any], rng: np.random.Generator) -> list[Row]:
    """Rates without the own judge, and each rule of the panel against both clinicians."""
    published = authors["evaluator_analyses"]
    rows = []
    for subject, name in SUBJECTS.items():
        own = [answer for answer in material.answers if answer.subject == subject]
        rows.append(
            figure(
                f"inappropriate_without_own.{OWN_JUDGE[subject]}",
                f"share of inappropriate votes of the three other judges, {name}",
                _inappropriate(own, OWN_JUDGE[subject], rng),
                published=float(published["rank_points"][f"drop {name}"]["rates"][name]),
                tolerance=ROUNDED,
                adds="mean over answers of the readable votes; interval over prompts, none was published",
            )
        )
    prompts = [answer.prompt for answer in material.labelled]
    for rule, told, theirs, passes in RULES:
        verdicts = [int(passes(answer)) for answer in material.labelled]
        for rater in ("O", "G"):
            rows.append(
                figure(
                    f"panel_kappa.{rule}.{rater}",
                    f"Cohen's kappa of the rule '{told}' and clinician {rater}",
                    cohen_kappa(verdicts, list(material.labels[rater]), rng=rng, clusters=prompts),
                    published=float(published["aggregation_vs_clinicians"][theirs][f"vs {rater}"]["kappa"]),
                )
            )
    passed = [place for place, answer in enumerate(material.labelled) if _all_four(answer)]
    agreed = sum(int(material.labels["O"][place]) for place in passed)
    rows.append(
        figure(
            "unanimous_passes.O",
            "share of the answers that all four judges call appropriate that clinician O does too",
            wilson(agreed, len(passed)),
            published=float(published["calibration"]["vs O"]["4"][1]),
            adds="a quarter of what all four judges pass is not appropriate to this clinician",
        )
    )
    return rows


def validity_rows(material: Material, authors: Mapping[str, Any], rng: np.random.Generator) -> list[Row]:
    """What the cut really took away, and how far judges and clinicians differ where it did."""
    strata = authors["perturbation_validity"]["strata"]
    seen = list(dict.fromkeys(answer.prompt for answer in material.labelled))
    known = [material.audit[prompt] for prompt in seen if prompt in material.audit]
    under = sum(item.determinacy == "underdetermined" for item in known)
    rows = [
        figure(
            "underdetermined",
            f"share of the {len(known)} audited prompts that the cut left underdetermined",
            wilson(under, len(known)),
            published=19 / 33,
            adds="the rest could be answered as before; the count is the authors' own, stated in the text",
        )
    ]
    for name, theirs, chosen in (
        ("all", "ALL (50 items)", lambda item: True),
        ("checked", "VALIDATED: clinical & underdetermined", _checked),
    ):
        own = [place for place, answer in enumerate(material.labelled) if chosen(material.audit.get(answer.prompt))]
        rows.append(
            figure(
                f"judges_minus_consensus.{name}",
                f"judges' rate less the human consensus, {len(own)} labelled answers"
                + ("" if name == "all" else ", clinical and underdetermined"),
                _gap(material, own, rng),
                published=float(strata[theirs]["judge_minus_consensus"]),
                adds="mean over answers of the readable votes; interval over prompts, none was published",
            )
        )
    return rows


def _checked(item: Truncated | None) -> bool:
    return item is not None and item.determinacy == "underdetermined" and item.task == "clinical"


def _inappropriate(answers: Sequence[Answer], left_out: str, rng: np.random.Generator) -> Estimate:
    found = [(_favourable(answer, left_out), answer.prompt) for answer in answers]
    read = [(yes, n, prompt) for (yes, n), prompt in found if n]
    values = np.array([[1 - yes / n, 1.0] for yes, n, _ in read])
    return bootstrap(values, _mean, rng=rng, clusters=[prompt for _, _, prompt in read])


def _gap(material: Material, places: Sequence[int], rng: np.random.Generator) -> Estimate:
    rows, prompts = [], []
    for place in places:
        answer = material.labelled[place]
        yes, n = _favourable(answer)
        if n:
            consensus = sum(int(labels[place]) for labels in material.labels.values()) >= 2
            rows.append([yes / n - consensus, 1.0])
            prompts.append(answer.prompt)
    return bootstrap(np.array(rows), _mean, rng=rng, clusters=prompts)


def _mean(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    return totals[:, 0] / totals[:, 1]
