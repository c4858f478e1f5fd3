"""The wide CSV of gi-tumorboard-gpt5-persona: one row a case, one group of columns a framework.

Source: github.com/dpsailab/gi-tumorboard-gpt5-persona (MIT), header of `data/LLM_MDT_dataset_repository.csv` and
`classification_criteria.md`. Embeddings are not read. The file carries no recording and no case text, so nothing can be clustered or
simulated from it: it serves category concordance.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from equipoise.boards.model import BoardCase, Conclusion
from equipoise.boards.reading import Fields, Loaded, read_csv_rows, short
from equipoise.boards.vocabulary import TreatmentCategory, category_of

REQUIRED = ("case_nr", "age", "gender", "tumour_type", "tumorboard_recommendation", "tumorboard_treatment")
_SUFFIXES = ("_treatment_concordance", "_treatment", "_domain_content_present", "_boundary_violation", "_embeddings")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameworkAnswer:
    """What one framework answered to a case.

    Attributes:
        framework: first words of its columns.
        text: the answer; empty when there is none.
        category: its category; None when it has none.
        concordant: as two raters saw it; None when not rated.
        domain_content: whether the persona spoke of its own field; None when not rated.
        boundary_breach: whether it decided in another's field; None when not rated.
    """

    framework: str
    text: str
    category: TreatmentCategory | None
    concordant: bool | None
    domain_content: bool | None
    boundary_breach: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WideCase:
    """A row of the file.

    Attributes:
        case: the case, with the board's recommendation as its conclusion.
        categories: of the board's recommendation; any of them is a match.
        answers: in the order of the columns.
    """

    case: BoardCase
    categories: tuple[TreatmentCategory, ...]
    answers: tuple[FrameworkAnswer, ...]


def read_gi_wide(path: str | Path) -> Loaded[WideCase]:
    """The cases of the file.

    Raises:
        UsageError: the file cannot be opened.
        InputError: not UTF-8, or a column is missing.
    """
    return read_csv_rows(
        path,
        _case,
        columns=REQUIRED,
        known=lambda name: not name.endswith("_embeddings"),
        key=("case_nr", lambda item: item.case.id),
    )


def _case(row: Fields) -> WideCase:
    age = row.text("age").strip()
    if not age.isdigit():
        message = f"expected years, found {short(age)}"
        raise row.fail(message, "age")
    number, site = row.text("case_nr").strip(), row.text("tumour_type").strip()
    conclusion = row.text("tumorboard_recommendation")
    case = BoardCase(
        id=number,
        recording="",
        site=site,
        text=f"Age {age}, sex {row.text('gender').strip()}, tumor {site}. The case text is not part of the published file.",
        conclusion=Conclusion(text=conclusion),
        origin="gi-tumorboard wide CSV",
    )
    frameworks = [
        name
        for name in row.values
        if name.startswith("F") and not name.endswith(_SUFFIXES) and _is_group(name, row.values)
    ]
    return WideCase(
        case=case,
        categories=_categories(row, "tumorboard_treatment"),
        answers=tuple(_answer(row, name) for name in frameworks),
    )


def _is_group(name: str, values: Mapping[str, str]) -> bool:
    return f"{name}_treatment" in values


def _answer(row: Fields, name: str) -> FrameworkAnswer:
    found = row.text(f"{name}_treatment", required=False).strip()
    category = category_of(found)
    if found and category is None:
        message = f"expected a treatment category, found {short(found)}"
        raise row.fail(message, f"{name}_treatment")
    return FrameworkAnswer(
        framework=name,
        text=row.text(name, required=False),
        category=category,
        concordant=_flag(row, f"{name}_treatment_concordance"),
        domain_content=_flag(row, f"{name}_domain_content_present"),
        boundary_breach=_flag(row, f"{name}_boundary_violation"),
    )


def _flag(row: Fields, name: str) -> bool | None:
    text = row.text(name, required=False).strip()
    if text in ("", "nan"):
        return None
    if text not in ("0", "1", "0.0", "1.0"):
        message = f"expected 0 or 1, found {short(text)}"
        raise row.fail(message, name)
    return text.startswith("1")


def _categories(row: Fields, name: str) -> tuple[TreatmentCategory, ...]:
    text = row.text(name).strip()
    try:
        value = ast.literal_eval(text) if text.startswith("[") else [text]
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    found = []
    for label in value if isinstance(value, list) and value else [None]:
        category = category_of(label) if isinstance(label, str) else None
        if category is None:
            message = f"expected treatment categories, found {short(text)}"
            raise row.fail(message, name)
        found.append(category)
    return tuple(found)
