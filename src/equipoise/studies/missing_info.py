"""Answers under missing information: four judges, two clinicians, and whether judges favour their own provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.statistics import (
    Estimate,
    bootstrap,
    cluster_bootstrap_rate,
    cohen_kappa,
    equivalence,
    fleiss_kappa,
    gwet_ac1,
    mcnemar,
    missing_reply_bounds,
    paired_rate_difference,
    same_provider_leniency,
    wilson,
)
from equipoise.studies.base import DataFile, Row, Source, Study, figure, read_lines, read_object, read_rows

JUDGES: dict[str, str] = {
    "openai": "GPT-5.5",
    "anthropic": "Opus 4.8",
    "xai": "Grok 4.3",
    "google": "Gemini 3.5 Flash",
}
"""Name of each judge by provider."""

OWN_JUDGE: dict[str, str] = {
    "gpt-5_5-high": "openai",
    "opus-4_8-high": "anthropic",
    "grok-4_3": "xai",
    "gemini-3_5-flash": "google",
}
"""Provider of each subject."""

SUBJECTS: dict[str, str] = {
    "gpt-5_5-high": "GPT-5.5",
    "opus-4_8-high": "Opus 4.8",
    "grok-4_3": "Grok 4.3",
    "gemini-3_5-flash": "Gemini 3.5 Flash",
}
"""Name of each subject, in the order of the report."""

RATERS: dict[str, str] = {"O": "labels_O.csv", "G": "labels_G.csv", "author": "human_labels.csv"}
MARGIN = 0.05
"""Margin of equivalence the authors state, in accuracy."""

SOURCE = Source(
    title="Health AI readiness: robustness under missing information",
    address="https://github.com/KAVentures/health-ai-readiness-robustness",
    commit="48c6b67",
    licence="CC BY 4.0",
    reference="arXiv:2607.18828",
)

_HASHES = {
    "votes.jsonl": ("941e2ebd23bcc52997da3b20ed3a2c22438ca7728299ac4bd3d831d0d384f0c7", "runs/judge_panel"),
    "panel_summary.json": ("5e2887a70a4dec3829a56a147db3016bb765d77eecf8c921fc0d5f0bd83b2ca5", "runs/judge_panel"),
    "self_preference_adjusted.json": (
        "c40dd789d10ac9eb0edb3814107efaf6d4700697a1eb8e2d5f7929b02056b63f",
        "runs/judge_panel",
    ),
    "key.json": ("8f5778bbe172341bc95ee19b1c0895cf7da774aec83eded45b2fe6a460a66f24", "runs/human_eval"),
    "labels_O.csv": ("aed81bf69b67dba15d8539a2bd3518e755e7205fa8a8b1fb1030de712c217c2c", "runs/human_eval"),
    "labels_G.csv": ("ebe502f8425d188819280687bc7e906dcae520c1f191b63d41d5f8c6088dd762", "runs/human_eval"),
    "human_labels.csv": ("70a57431fc87b599ec5e2a8a15e759247d3f5f6f6c5afa0d178e293bfe132862", "runs/human_eval"),
    "human_reference_strengthened.json": (
        "a8728b9ce50ccdc028ea068fc2ead0cecea16f968c5153124c11e6379f65bdb3",
        "runs/human_eval",
    ),
    "perturbation_audit.csv": ("0f8d5d5e379fcd39b09212bd1ca0ede041d9c5589d75bacb98683ab75aae28c1", "runs/human_eval"),
    "perturbation_validity.json": (
        "e98b8347e9c67e0f82d2ac354bc1d8a56ad66a2d204dd67d7820631fc0ddbbbc",
        "runs/human_eval",
    ),
    "evaluator_analyses.json": (
        "eb2aa796668335d09871f2328540c0fdc04e6831fdabd008b3b98cb8d19de1b4",
        "runs/judge_panel",
    ),
    "paired_medqa.json": (
        "d9db0b111a8c284e99f2cff4c49e744827a49e5b650069149f9f8bedc51d80b8",
        "runs/final_supplementary",
    ),
}

FILES = tuple(
    DataFile(path=f"missing_info/{name}", sha256=digest, origin=f"{place}/{name}")
    for name, (digest, place) in _HASHES.items()
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer with its votes.

    Attributes:
        subject: model that answered.
        item: number of the item.
        prompt: identifier of the prompt.
        votes: vote by judge; None where the judge failed.
    """

    subject: str
    item: int
    prompt: str
    votes: Mapping[str, bool | None]


@dataclass(frozen=True, slots=True)
class Truncated:
    """What the authors' audit says of a cut prompt.

    Attributes:
        determinacy: "underdetermined" or "answerable".
        task: "clinical" or "admin".
        form: "midword" or "complete".
    """

    determinacy: str
    task: str
    form: str


@dataclass(frozen=True, slots=True)
class Paired:
    """Answers of one model to the same questions before and after their options were shuffled.

    Attributes:
        both: right both times.
        before: right only before (b).
        after: right only after (c).
        neither: wrong both times.
    """

    both: int
    before: int
    after: int
    neither: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Everything that the figures are made of, from the released files or from a run folder.

    Attributes:
        answers: all answers with their votes.
        labelled: those that people labelled, in the order of the labels.
        labels: by rater, one label an answer of `labelled`.
        audit: by prompt, what the authors' audit of the cut says.
        order: by model, MedQA before and after shuffling.
    """

    answers: tuple[Answer, ...]
    labelled: tuple[Answer, ...]
    labels: Mapping[str, Sequence[int]]
    audit: Mapping[str, Truncated] = field(default_factory=dict)
    order: Mapping[str, Paired] = field(default_factory=dict)


PUBLISHED: tuple[str, ...] = (
    "panel_summary", "self_preference_adjusted", "human_reference_strengthened", "paired_medqa", "perturbation_validity",
    "evaluator_analyses",
)  # fmt: skip
"""Files with the authors' numbers, without their ending; the figures stand beside them."""


def read_published(folder: Path) -> dict[str, Any]:
    """The authors' numbers, by name of the file."""
    return {name: read_object(folder / f"{name}.json") for name in PUBLISHED}


def read_material(folder: Path) -> Material:
    """What the figures are made of, from the released files."""
    answers = read_answers(folder)
    key = read_object(folder / "key.json")
    labels = {
        rater: {row["annotation_id"]: int(row["human_label"]) for row in read_rows(folder / file, ("annotation_id",))}
        for rater, file in RATERS.items()
    }
    ids = sorted(key)
    by_answer = {(answer.subject, answer.item): answer for answer in answers}
    return Material(
        answers=answers,
        labelled=tuple(by_answer[key[name]["subject_model"], int(key[name]["item"])] for name in ids),
        labels={rater: [values[name] for name in ids] for rater, values in labels.items()},
        audit=read_audit(folder),
        order=read_order(folder),
    )


def read_audit(folder: Path) -> dict[str, Truncated]:
    """The audit of the cut prompts, by prompt."""
    columns = ("prompt_id", "trunc_form", "determinacy", "task_type")
    return {
        row["prompt_id"]: Truncated(row["determinacy"], row["task_type"], row["trunc_form"])
        for row in read_rows(folder / "perturbation_audit.csv", columns)
    }


def read_order(folder: Path) -> dict[str, Paired]:
    """MedQA before and after shuffling, by model: the file holds counts, not answers."""
    found = {}
    for name, entry in read_object(folder / "paired_medqa.json").items():
        n, before, after = int(entry["n"]), int(entry["b"]), int(entry["c"])
        both = round(float(entry["acc_none"]) * n) - before
        found[name] = Paired(both, before, after, n - both - before - after)
    return found


def read_answers(folder: Path) -> tuple[Answer, ...]:
    """All answers with their votes, in the order of the file."""
    return tuple(
        Answer(
            subject=row["subject_model"],
            item=int(row["item"]),
            prompt=row["prompt_id"],
            votes={judge: row["votes"].get(judge) for judge in JUDGES},
        )
        for row in read_lines(folder / "votes.jsonl")
    )


def analyse(folder: Path, rng: np.random.Generator) -> tuple[list[Row], list[str]]:
    """All figures of the study.

    Args:
        folder: folder with the files.
        rng: random generator of the intervals.

    Returns:
        Rows and warnings.
    """
    return figures_of(read_material(folder), read_published(folder), rng)


def figures_of(
    material: Material, published: Mapping[str, Any], rng: np.random.Generator
) -> tuple[list[Row], list[str]]:
    """All figures, each beside the authors'.

    Args:
        material: what they are made of.
        published: the authors' numbers, as of `read_published`.
        rng: random generator of the intervals.
    """
    from equipoise.studies.missing_info_panel import panel_rows, validity_rows

    rows = [*_judges(material.answers, published, rng), *_leniency(material.answers, published, rng)]
    rows += [*_humans(material, published, rng), *_medqa(material.order, published, rng)]
    rows += [*panel_rows(material, published, rng), *validity_rows(material, published, rng)]
    return rows, [
        "one subject and one judge a provider: firm, model and style of a judge cannot be told apart",
        "deleting half a turn left 14 of 33 audited prompts answerable; whether something decisive is missing was not "
        "verified for the others",
    ]


def _judges(answers: tuple[Answer, ...], authors: Mapping[str, Any], rng: np.random.Generator) -> list[Row]:
    summary = authors["panel_summary"]
    published = summary["per_judge_overall_appropriate_uncertainty"]
    rows = []
    for judge, name in JUDGES.items():
        votes = [(answer.votes[judge], answer.prompt) for answer in answers]
        read = [(vote, prompt) for vote, prompt in votes if vote is not None]
        failed = len(votes) - len(read)
        hits = [int(vote) for vote, _ in read]
        rate = cluster_bootstrap_rate(
            hits,
            [prompt for _, prompt in read],
            rng=rng,
            n_left_out=failed,
            why_left_out="the judge refused to vote" if failed else "",
        )
        bounds = missing_reply_bounds(sum(hits), len(hits), failed)
        adds = "interval over prompts, each with all its answers"
        if failed:
            adds += f"; with the {failed} failed votes the rate lies between {bounds.low:.3f} and {bounds.high:.3f}"
        rows.append(
            figure(
                f"judge_rate.{judge}",
                f"share of answers the judge {name} calls appropriate",
                rate,
                published=float(published[judge]["rate"]),
                adds=adds,
            )
        )
    ratings = np.array([[answer.votes[judge] for judge in JUDGES] for answer in answers], dtype=object)
    kappa = fleiss_kappa(ratings, rng=rng, clusters=[answer.prompt for answer in answers])
    rows.append(
        figure(
            "fleiss_kappa",
            "Fleiss' kappa of the four judges on answers with all votes",
            kappa,
            published=float(summary["fleiss_kappa"]["value"]),
            adds="interval over prompts; none was published",
        )
    )
    return rows


def _leniency(answers: tuple[Answer, ...], authors: Mapping[str, Any], rng: np.random.Generator) -> list[Row]:
    published = authors["self_preference_adjusted"]
    votes = [(answer, judge) for answer in answers for judge in JUDGES]
    result = same_provider_leniency(
        [answer.subject for answer, _ in votes],
        [judge for _, judge in votes],
        [answer.votes[judge] for answer, judge in votes],
        OWN_JUDGE,
        [answer.prompt for answer, _ in votes],
        rng=rng,
    )
    rows = [
        figure(
            "same_provider.log_odds",
            "same-provider term of the vote-level logistic model, log-odds",
            result.log_odds,
            published=float(published["shared_same_provider_logodds"]),
            adds="interval over prompts with all their votes",
            details={"by_map": result.by_map},
        ),
        figure(
            "same_provider.low",
            "lower end of its 95 % interval",
            result.log_odds.low,
            published=float(published["shared_ci95"][0]),
            tolerance=0.03,
            method=result.log_odds.method,
        ),
        figure(
            "same_provider.high",
            "upper end of its 95 % interval",
            result.log_odds.high,
            published=float(published["shared_ci95"][1]),
            tolerance=0.03,
            method=result.log_odds.method,
        ),
        figure(
            "same_provider.p",
            "exact permutation p of the same-provider term",
            result.permutation,
            published=float(published["permutation_p_shared"]),
            adds="1/24 is the smallest p this design allows: four subjects map to four judges in 24 ways",
            details={"smallest_p": result.permutation.smallest_p},
        ),
    ]
    for subject, name in SUBJECTS.items():
        rows.append(
            figure(
                f"own_minus_peers.{OWN_JUDGE[subject]}",
                f"own judge's rate less the mean rate of the other judges, {name}",
                result.own_minus_peers[subject],
                published=float(published["did"][name]["raw_self_pref"]),
                adds=(
                    f"less the judge's general leniency it is {result.difference_in_differences[subject]:+.3f} "
                    f"(published {published['did'][name]['did_self_pref']:+.3f})"
                ),
                method="difference of shares",
            )
        )
        rows.append(
            figure(
                f"difference_in_differences.{OWN_JUDGE[subject]}",
                f"the same less how lenient that judge is to the others' answers, {name}",
                result.difference_in_differences[subject],
                published=float(published["did"][name]["did_self_pref"]),
                method="difference of differences of shares",
            )
        )
    return rows


def _humans(material: Material, authors: Mapping[str, Any], rng: np.random.Generator) -> list[Row]:
    published = authors["human_reference_strengthened"]
    answers, labelled = material.answers, material.labelled
    prompts = [answer.prompt for answer in labelled]
    human = {rater: list(material.labels[rater]) for rater in RATERS}
    consensus = [int(sum(votes) >= 2) for votes in zip(*human.values(), strict=True)]
    rows = [
        figure(
            f"clinician_rate.{rater}",
            f"share of the {len(labelled)} labelled answers that clinician {rater} calls appropriate",
            cluster_bootstrap_rate(human[rater], prompts, rng=rng),
            published=float(published["rater_rates"][rater]),
        )
        for rater in ("O", "G")
    ]
    pair = published["pairwise"]["O-G"]
    kappa = cohen_kappa(human["O"], human["G"], rng=rng, clusters=prompts)
    rows += [
        figure(
            "clinicians.kappa",
            "Cohen's kappa of the two clinicians",
            kappa,
            published=float(pair["cohen_kappa"]),
            adds="interval over prompts: two independent clinicians agree only moderately, so one of them is no reference",
        ),
        figure(
            "clinicians.ac1",
            "Gwet's AC1 of the two clinicians",
            gwet_ac1(list(zip(human["O"], human["G"], strict=True)), rng=rng, clusters=prompts),
            published=float(pair["gwet_ac1"]),
        ),
        figure(
            "clinicians.fleiss_with_author",
            "Fleiss' kappa of both clinicians and the author",
            fleiss_kappa(list(zip(*human.values(), strict=True)), rng=rng, clusters=prompts),
            published=float(published["fleiss"]["kappa"]),
            adds="the author knew the design; without the author the agreement is lower",
        ),
    ]
    for judge, name in JUDGES.items():
        votes = [answer.votes[judge] for answer in labelled]
        rows += _judge_against_humans(judge, name, votes, consensus, human, prompts, answers, published, rng)
    return rows


def _judge_against_humans(
    judge: str,
    name: str,
    votes: list[bool | None],
    consensus: list[int],
    human: Mapping[str, list[int]],
    prompts: list[str],
    answers: tuple[Answer, ...],
    published: Any,
    rng: np.random.Generator,
) -> list[Row]:
    values = [None if vote is None else int(vote) for vote in votes]
    expected = published["judge_vs_human"][name]
    numbers = np.array([np.nan if value is None else float(value) for value in values])
    read = np.isfinite(numbers)
    every = np.array(
        [np.nan if answer.votes[judge] is None else float(bool(answer.votes[judge])) for answer in answers]
    )
    places = [answer.prompt for answer in answers]
    corrected = {
        rater: _corrected(every, places, np.array(human[rater], dtype=np.float64) - numbers, prompts, rng)
        for rater in ("O", "G")
    }
    gap = paired_rate_difference(
        numbers[read], np.array(human["O"])[read], rng=rng, clusters=np.array(prompts)[read].tolist()
    )
    told = ", ".join(f"by {rater} {_short(result)}" for rater, result in corrected.items())
    return [
        figure(
            f"judge_kappa.{judge}",
            f"Cohen's kappa of the judge {name} and the human consensus",
            cohen_kappa(values, consensus, rng=rng, clusters=prompts),
            published=float(expected["consensus_author_infl"]["kappa"]),
            adds="the consensus includes the author",
        ),
        figure(
            f"judge_minus_clinician.{judge}",
            f"rate of the judge {name} less clinician O's on the same answers",
            gap,
            published=float(expected["O"]["rate_diff"]),
            adds=f"rate on all answers corrected by the labelled ones: {told}",
            details={rater: result.to_dict() for rater, result in corrected.items()},
        ),
    ]


def _medqa(order: Mapping[str, Paired], authors: Mapping[str, Any], rng: np.random.Generator) -> list[Row]:
    rows = []
    for name, counts in order.items():
        entry = authors["paired_medqa"][name]
        before, after, both = counts.before, counts.after, counts.both
        n = both + before + after + counts.neither
        first = np.zeros(n)
        second = np.zeros(n)
        first[: both + before] = 1
        second[:both] = 1
        second[both + before : both + before + after] = 1
        result = equivalence(first, second, margin=MARGIN, rng=rng)
        test = mcnemar(before, after)
        low, high = result.difference.low, result.difference.high
        rows.append(
            figure(
                f"medqa.difference.{name}",
                f"MedQA accuracy of {name}: options as given less options shuffled",
                result.difference,
                published=float(entry["delta"]),
                adds=(
                    f"equivalence within {MARGIN:.0%}: {result.finding}, 90 % interval "
                    + (f"{low:+.3f} to {high:+.3f}" if low is not None and high is not None else "undefined")
                    + f"; McNemar exact p {test.p_value:.3f}; the margin was first called prespecified, then post hoc"
                ),
                details={
                    "finding": result.finding.value,
                    "published_equivalent": bool(entry["equivalent_5pp"]),
                    "published_ci90": entry["ci90"],
                    "mcnemar_p": test.p_value,
                    "published_mcnemar_p": entry["mcnemar_p"],
                    "accuracy": wilson(int(first.sum()), n).to_dict(),
                },
            )
        )
    return rows


def _corrected(
    every: NDArray[np.float64],
    places: list[str],
    gaps: NDArray[np.float64],
    prompts: list[str],
    rng: np.random.Generator,
) -> Estimate:
    """The judge's mean on all answers plus the mean of human less judge on the labelled ones, prompts drawn whole.

    The prediction-powered difference; as prompts are shared by both sets, its interval comes from the bootstrap.
    """
    read, both = np.isfinite(every), np.isfinite(gaps)
    rows = np.zeros((int(read.sum()) + int(both.sum()), 4))
    rows[: read.sum(), 0], rows[: read.sum(), 1] = every[read], 1
    rows[read.sum() :, 2], rows[read.sum() :, 3] = gaps[both], 1

    def mean(totals: NDArray[np.float64]) -> NDArray[np.float64]:
        return totals[:, 0] / totals[:, 1] + totals[:, 2] / np.where(totals[:, 3] > 0, totals[:, 3], np.nan)

    clusters = np.concatenate([np.array(places)[read], np.array(prompts)[both]])
    return bootstrap(rows, mean, rng=rng, clusters=clusters)


def _short(result: Estimate) -> str:
    if result.estimate is None or result.low is None or result.high is None:
        return "undefined"
    return f"{result.estimate:.2f} ({result.low:.2f} to {result.high:.2f})"


STUDY = Study(
    id="missing-info",
    title="Appropriate uncertainty under missing information: judges, clinicians and leniency",
    folder="missing_info",
    source=SOURCE,
    files=FILES,
    analyse=analyse,
)
