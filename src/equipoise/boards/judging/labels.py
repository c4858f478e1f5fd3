"""What people say of the same answers: labels from a CSV file, or from the exported folder of a labelling study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from equipoise.boards.judging.criteria import CRITERIA, CriterionForm, Kind
from equipoise.boards.reading import Fields, Loaded, Problem, read_csv_rows, short
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import RUN_FILE, read_run
from equipoise.outcomes.schema import ReplyState

COLUMNS: tuple[str, ...] = ("item", "rater", "criterion", "value")
OPTIONAL: tuple[str, ...] = ("system", "arm", "setting")

LABELLED: Mapping[str, CriterionForm] = {
    form.criterion: form for form in CRITERIA if form.rubric.startswith("board-") and form.kind is not Kind.SHARE
}
"""Criteria that people can give a value of: those of the rubrics with whole scores or flags."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What one person says of one answer.

    Attributes:
        item: the question or case; or the identifier of the reply.
        system: what answered; empty when the file does not say, and then it must be clear from the run.
        arm: captions or images; empty as above.
        setting: single or agents; empty as above.
        rater: the person's pseudonym.
        criterion: identifier of the criterion.
        points: points on the scale of the criterion.
    """

    item: str
    system: str
    arm: str
    setting: str
    rater: str
    criterion: str
    points: float


def read_labels(path: str | Path) -> Loaded[Label]:
    """The labels of a file or a study.

    A CSV file has the columns item, rater, criterion, value, and where one item was answered more than once system, arm, setting. The
    value is a whole number of the criterion's scale, or yes or no for a flag. A study's questions are named like the criteria;
    questions of other names are noted.

    Args:
        path: a .csv file, or the folder of an exported study.

    Raises:
        UsageError: there is no such file or folder.
        InputError: a column is missing, or the folder holds no run.
    """
    path = Path(path)
    if path.is_dir():
        return _study(path)
    return read_csv_rows(path, _label, columns=COLUMNS, known=lambda name: name in (*COLUMNS, *OPTIONAL))


def _label(row: Fields) -> Label:
    criterion = criterion_name(row.text("criterion"))
    if criterion not in LABELLED:
        message = f"expected one of {', '.join(LABELLED)}; found {short(row.text('criterion'))}"
        raise row.fail(message, "criterion")
    try:
        points = points_of(LABELLED[criterion], row.text("value"))
    except ValueError as error:
        raise row.fail(str(error), "value") from None
    system, arm, setting = (
        row.text(name, required=False) if name in row.values else "" for name in ("system", "arm", "setting")
    )
    return Label(item=row.text("item"), system=system, arm=arm, setting=setting, rater=row.text("rater"),
                 criterion=criterion, points=points)  # fmt: skip


def criterion_name(text: str) -> str:
    """A criterion's name whatever its case and separators."""
    return text.strip().casefold().replace("_", "-").replace(" ", "-")


def points_of(form: CriterionForm, text: str) -> float:
    """Points of a value a person gave.

    Raises:
        ValueError: it is none of the scale.
    """
    plain = text.strip().casefold()
    if form.kind is Kind.FLAG:
        if plain in ("yes", "no"):
            return float(plain == "yes")
        message = f"expected yes or no, found {short(text)}"
        raise ValueError(message)
    if plain.isascii() and plain.isdecimal() and form.lowest <= int(plain) <= form.highest:
        return float(plain)
    message = f"expected a whole number from {form.lowest:g} to {form.highest:g}, found {short(text)}"
    raise ValueError(message)


def _study(folder: Path) -> Loaded[Label]:
    if not (folder / RUN_FILE).is_file():
        message = f"expected a CSV file or the folder of an exported study; {RUN_FILE} is missing"
        raise UsageError(message, file=str(folder))
    run = read_run(folder)
    outcomes = {row["reply_id"]: row for row in run.outcomes.to_pylist()}
    items, problems = [], []
    others: dict[str, int] = {}
    for number, row in enumerate(run.judgements.to_pylist()):
        name = criterion_name(row["criterion"])
        if name not in LABELLED:
            others[row["criterion"]] = others.get(row["criterion"], 0) + 1
            continue
        outcome = outcomes[row["reply_id"]]
        if row["state"] != ReplyState.OK or (outcome["trial"] or 1) != 1:
            continue
        try:
            points = points_of(LABELLED[name], str(row["value"]))
        except ValueError as error:
            problems.append(Problem(file=str(folder), message=f"judgement {number}: {error}", field=row["criterion"]))
            continue
        items.append(Label(item=str(outcome["item"]), system=str(outcome["arm"] or ""), arm="", setting="", rater=row["judge"],
                           criterion=name, points=points))  # fmt: skip
    if not items and not problems:
        message = f"no question of this study is named like a criterion; expected one of {', '.join(LABELLED)}"
        raise InputError(message, file=str(folder))
    notes = tuple(f"question {name} was not read: {count} answers" for name, count in others.items())
    return Loaded(items=tuple(items), problems=tuple(problems), notes=notes)
