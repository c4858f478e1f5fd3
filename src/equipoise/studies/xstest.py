"""XSTest's human labels: refusal by model, how a judge errs by model and arm, and whether correction recovers the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from equipoise.statistics import (
    Calibration,
    calibrate,
    cohen_kappa,
    correct_cells,
    missing_reply_bounds,
    rogan_gladen,
    wilson,
)
from equipoise.studies.base import DataFile, Row, Source, Study, figure, read_rows

LABELS: dict[str, str] = {"1_full_compliance": "comply", "2_full_refusal": "full", "3_partial_refusal": "partial"}
"""Label by its text in the file; anything else a judge wrote is unparsed."""

ARMS = ("safe", "unsafe")
SPLITS = 500
PUBLISHED: dict[str, float] = {"llama2orig.safe.full": 0.380, "llama2orig.safe.partial": 0.216}
"""Refusal shares stated in the paper's text (Llama2 with its original system prompt)."""

SOURCE = Source(
    title="XSTest: a test suite for exaggerated safety",
    address="https://github.com/paul-rottger/xstest",
    commit="d7bb5bd",
    licence="CC BY 4.0",
    reference="doi:10.48550/arXiv.2308.01263",
)

FILES = (
    DataFile(
        path="xstest/human_labels.csv",
        sha256="dd4f32a1521333565d94d1366bdab07c4bb326d07b8531c9c0ace6492520f421",
        origin="model_completions/*.csv, the label columns of the five models one below the other",
    ),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """The replies of one model in one arm.

    Attributes:
        name: model and arm.
        human: 1 refused (fully or partly), 0 not, by the final human label.
        judges: verdict of each judge: 1, 0, or NaN where it cannot be read.
        full: full refusals by the human label.
        partial: partial refusals.
    """

    name: str
    human: NDArray[np.float64]
    judges: Mapping[str, NDArray[np.float64]]
    full: int
    partial: int


def read_cells(folder: Path) -> tuple[dict[str, Cell], list[dict[str, str]]]:
    """Cells by name ("model.arm"), and the rows of the file."""
    rows = read_rows(
        folder / "human_labels.csv",
        ("model", "id", "type", "annotation_1", "annotation_2", "final_label", "gpt4_label", "string_match_label"),
    )
    return cells_of(rows), rows


def cells_of(rows: list[dict[str, str]]) -> dict[str, Cell]:
    """Cells of rows that have the columns of the file."""
    cells = {}
    for model in dict.fromkeys(row["model"] for row in rows):
        for arm in ARMS:
            own = [
                row for row in rows if row["model"] == model and row["type"].startswith("contrast") == (arm == "unsafe")
            ]
            final = [LABELS[row["final_label"]] for row in own]
            cells[f"{model}.{arm}"] = Cell(
                name=f"{model}.{arm}",
                human=np.array([float(label != "comply") for label in final]),
                judges={
                    "gpt4": np.array([_verdict(row["gpt4_label"]) for row in own]),
                    "string": np.array([_verdict(row["string_match_label"]) for row in own]),
                },
                full=final.count("full"),
                partial=final.count("partial"),
            )
    return cells


def analyse(folder: Path, rng: np.random.Generator) -> tuple[list[Row], list[str]]:
    """All figures of the study.

    Args:
        folder: folder with the file.
        rng: random generator of intervals and splits.

    Returns:
        Rows and warnings.
    """
    return figures(*read_cells(folder), rng)


def figures(
    cells: Mapping[str, Cell], rows: list[dict[str, str]], rng: np.random.Generator
) -> tuple[list[Row], list[str]]:
    """All figures of cells and the rows they were made of, wherever these come from.

    Args:
        cells: cells by name.
        rows: the rows, in the columns of the file.
        rng: random generator of intervals and splits.

    Returns:
        Rows and warnings.
    """
    result = [*_agreement(rows, rng), *_refusal(cells), *_judge_errors(cells), *_unparsed(cells)]
    result += [*_half_splits(cells, rng), *_pooled(cells)]
    return result, ["the judge is the GPT-4 label of the release; a refusal is full or partial"]


def _agreement(rows: list[dict[str, str]], rng: np.random.Generator) -> list[Row]:
    first = [LABELS[row["annotation_1"]] for row in rows]
    second = [LABELS[row["annotation_2"]] for row in rows]
    prompts = [row["id"] for row in rows]
    return [
        figure(
            "human_kappa.three_classes",
            "Cohen's kappa of the two human annotators, three classes",
            cohen_kappa(first, second, rng=rng, clusters=prompts),
            adds="interval over prompts, each with the replies of all five models",
        ),
        figure(
            "human_kappa.refused",
            "the same, refused or not",
            cohen_kappa(
                [label != "comply" for label in first],
                [label != "comply" for label in second],
                rng=rng,
                clusters=prompts,
            ),
        ),
    ]


def _refusal(cells: Mapping[str, Cell]) -> list[Row]:
    rows = []
    for name, cell in cells.items():
        n = len(cell.human)
        for kind, count in (("full", cell.full), ("partial", cell.partial)):
            row_id = f"{name}.{kind}"
            rows.append(
                figure(
                    f"refusal.{row_id}",
                    f"{kind} refusals of {name.replace('.', ' on ')} prompts, human labels",
                    wilson(count, n),
                    published=PUBLISHED.get(row_id),
                    tolerance=0.0005,
                )
            )
    return rows


def _judge_errors(cells: Mapping[str, Cell]) -> list[Row]:
    rows = []
    for judge in ("gpt4", "string"):
        for name, cell in cells.items():
            counts = calibrate(cell.human, cell.judges[judge])
            for what, hits, n in (
                ("sensitivity", counts.true_positives, counts.positives),
                ("specificity", counts.true_negatives, counts.negatives),
            ):
                rows.append(
                    figure(
                        f"{what}.{judge}.{name}",
                        f"{what} of the {judge} judge for refusals, {name.replace('.', ' on ')} prompts",
                        wilson(hits, n, n_left_out=counts.n_left_out),
                        adds=counts.refusal() and f"not used to correct: {counts.refusal()}",
                    )
                )
    return rows


def _unparsed(cells: Mapping[str, Cell]) -> list[Row]:
    rows = []
    for name, cell in cells.items():
        verdicts = cell.judges["gpt4"]
        failed = int(np.isnan(verdicts).sum())
        if failed:
            read = verdicts[~np.isnan(verdicts)]
            bounds = missing_reply_bounds(int(read.sum()), len(read), failed, why="judge's label cannot be read")
            rows.append(
                figure(
                    f"unparsed.{name}",
                    f"replies of {name.replace('.', ' on ')} prompts whose GPT-4 label cannot be read",
                    failed,
                    adds=(
                        "kept in a state of their own; with them the judge's refusal rate lies between "
                        f"{bounds.low:.3f} and {bounds.high:.3f}"
                    ),
                    details=bounds.to_dict(),
                    method="count",
                )
            )
    return rows


@dataclass(frozen=True, slots=True)
class SplitCount:
    """What happened to one cell over the splits.

    Attributes:
        used: splits in which it was corrected.
        covered: of these, the held-out human rate lay in the corrected interval.
        refused: splits in which correction was refused.
        bounded: of these, the held-out rate lay within the bounds.
        raw_covered: splits in which the uncorrected interval held it.
        powered: splits with a prediction-powered interval.
        powered_covered: of these, it held the held-out rate.
    """

    used: int
    covered: int
    refused: int
    bounded: int
    raw_covered: int
    powered: int
    powered_covered: int


def half_splits(
    cells: Mapping[str, Cell], *, judge: str, rng: np.random.Generator, splits: int = SPLITS
) -> dict[str, SplitCount]:
    """Calibrates on a random half of each cell and holds the corrected rate against the human rate of the other half.

    Args:
        cells: cells by name.
        judge: which judge's verdicts.
        rng: random generator.
        splits: number of splits.

    Returns:
        Counts by cell.
    """
    counts = {name: [0] * 7 for name in cells}
    for _ in range(splits):
        halves = {}
        truth = {}
        for name, cell in cells.items():
            order = rng.permutation(len(cell.human))
            known, held = order[: len(order) // 2], order[len(order) // 2 :]
            verdicts = cell.judges[judge]
            halves[name] = (cell.human[known], verdicts[known], verdicts[held])
            truth[name] = float(cell.human[held].mean())
        for result in correct_cells(halves):
            count, value = counts[result.cell], truth[result.cell]
            if result.corrected is not None:
                count[0] += 1
                count[1] += result.corrected.covers(value)
            else:
                count[2] += 1
                count[3] += result.low <= value <= result.high
            count[4] += result.uncorrected.covers(value)
            if result.prediction_powered is not None:
                count[5] += 1
                count[6] += result.prediction_powered.covers(value)
    return {name: SplitCount(*count) for name, count in counts.items()}


def _half_splits(cells: Mapping[str, Cell], rng: np.random.Generator) -> list[Row]:
    counts = half_splits(cells, judge="gpt4", rng=rng)
    used, covered = sum(item.used for item in counts.values()), sum(item.covered for item in counts.values())
    rows = [
        figure(
            "half_splits.covered",
            "corrected 95 % intervals that hold the held-out human rate, all cells and splits that allow a correction",
            wilson(covered, used),
            method=f"{SPLITS} random half-splits; Rogan-Gladen with Lang-Reiczigel intervals",
            adds="splits share replies, so the interval of this row is shorter than the uncertainty",
        )
    ]
    for name, item in counts.items():
        readable = name.replace(".", " on ")
        if item.used:
            rows.append(
                figure(
                    f"half_splits.covered.{name}",
                    f"the same for {readable} prompts",
                    item.covered / item.used,
                    details={"splits_corrected": item.used, "splits_refused": item.refused},
                    method=f"{item.used} of {SPLITS} splits",
                    adds="" if item.used == SPLITS else f"refused in {item.refused} splits: too few labels of a class",
                )
            )
        else:
            rows.append(
                figure(
                    f"half_splits.refused.{name}",
                    f"splits in which a correction of {readable} prompts is refused",
                    item.refused,
                    details={"bounds_hold": item.bounded / item.refused},
                    method=f"of {SPLITS} splits",
                    adds="too few human labels of one class, or a judge no better than chance; bounds stand instead",
                )
            )
        rows.append(
            figure(
                f"half_splits.prediction_powered.{name}",
                f"prediction-powered 95 % intervals that hold the held-out human rate, {readable} prompts",
                item.powered_covered / item.powered if item.powered else None,
                method=f"{item.powered} of {SPLITS} splits",
                adds="needs no two classes, but the labelled replies must be a random sample, as they are here",
            )
        )
        rows.append(
            figure(
                f"half_splits.uncorrected.{name}",
                f"uncorrected Wilson intervals of the judge's rate that hold the held-out human rate, {readable} prompts",
                item.raw_covered / (item.used + item.refused),
                method=f"{SPLITS} splits",
            )
        )
    return rows


def _pooled(cells: Mapping[str, Cell]) -> list[Row]:
    """One correction for all models on safe prompts: what bias each model keeps."""
    rows = []
    for judge in ("gpt4", "string"):
        safe = {name: cell for name, cell in cells.items() if name.endswith(".safe")}
        parts = [calibrate(cell.human, cell.judges[judge]) for cell in safe.values()]
        pooled = Calibration(
            true_positives=sum(part.true_positives for part in parts),
            false_negatives=sum(part.false_negatives for part in parts),
            false_positives=sum(part.false_positives for part in parts),
            true_negatives=sum(part.true_negatives for part in parts),
        )
        for name, cell in safe.items():
            verdicts = cell.judges[judge]
            read = verdicts[~np.isnan(verdicts)]
            result = rogan_gladen(int(read.sum()), len(read), pooled)
            truth = float(cell.human.mean())
            rows.append(
                figure(
                    f"pooled.{judge}.{name}",
                    f"rate of {name.replace('.', ' on ')} prompts corrected by one calibration for all models, {judge}",
                    result,
                    adds=(
                        f"the human rate is {truth:.3f}: {(result.estimate or 0.0) - truth:+.3f} of bias stays "
                        f"(uncorrected {float(read.mean()) - truth:+.3f})"
                    ),
                    details={"human": truth, "bias": (result.estimate or 0.0) - truth},
                )
            )
    return rows


def _verdict(text: str) -> float:
    label = LABELS.get(text)
    return float("nan") if label is None else float(label != "comply")


STUDY = Study(
    id="xstest",
    title="XSTest: human labels, and a judge corrected by model and arm",
    folder="xstest",
    source=SOURCE,
    files=FILES,
    analyse=analyse,
)
