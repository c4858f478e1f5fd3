"""A plain CSV that a hospital can write: one row a case.

Columns: `case_id` and `case_summary`; then, all optional, `recording` (the meeting: what splits and intervals are clustered by), `site`,
`conclusion`, `quote`, `therapy`, `surgery`, `next_action`, `clinical_trial` (the decision in words), each with `..._scope` (positive,
negative or absent), and `other_reference_1`, `other_reference_2` ... for conclusions that are as acceptable.
"""

from __future__ import annotations

import re
from pathlib import Path

from equipoise.boards.formats.opentumorboard import sections_of
from equipoise.boards.model import BoardCase, Conclusion, Decision, Quote
from equipoise.boards.reading import Fields, Loaded, read_csv_rows
from equipoise.boards.vocabulary import DecisionKind, Scope

_COLUMNS = frozenset(
    {"case_id", "case_summary", "recording", "site", "conclusion", "quote"}
    | {kind.value for kind in DecisionKind}
    | {f"{kind.value}_scope" for kind in DecisionKind}
)
_OTHER = re.compile(r"other_reference_\d+")


def read_hospital(path: str | Path) -> Loaded[BoardCase]:
    """The cases of the file.

    A decision with words and no scope is kept with the scope None: nobody has said yet whether the board meant
    to do it. One with neither is absent, in a row that has another decision and a file that has its columns. Otherwise nobody has said:
    a conclusion that was not taken apart decides nothing for that.

    Raises:
        UsageError: the file cannot be opened.
        InputError: not UTF-8, or a column is missing.
    """
    return read_csv_rows(
        path,
        _case,
        columns=("case_id", "case_summary"),
        known=lambda name: name in _COLUMNS or bool(_OTHER.fullmatch(name)),
        key=("case_id", lambda case: case.id),
    )


def _case(row: Fields) -> BoardCase:
    text = row.text("case_summary")
    words = row.text("conclusion", required=False).strip()
    quote = row.text("quote", required=False).strip()
    decisions = tuple(_decision(row, kind) for kind in DecisionKind)
    if not any(
        decision.text or row.text(f"{decision.kind.value}_scope", required=False).strip() for decision in decisions
    ):
        decisions = ()
    said = words or any(decision.text for decision in decisions)
    return BoardCase(
        id=row.text("case_id").strip(),
        recording=row.text("recording", required=False).strip(),
        site=row.text("site", required=False).strip(),
        text=text,
        sections=sections_of(text),
        conclusion=Conclusion(text=words, quotes=(Quote(text=quote),) if quote else (), decisions=decisions)
        if said
        else None,
        references=tuple(
            value.strip() for name, value in row.values.items() if _OTHER.fullmatch(name) and value.strip()
        ),
        origin="hospital CSV",
    )


def _decision(row: Fields, kind: DecisionKind) -> Decision:
    words = row.text(kind.value, required=False).strip()
    name = f"{kind.value}_scope"
    if not row.text(name, required=False).strip():
        told = {kind.value, name} & set(row.values)
        return Decision(kind=kind, scope=None if words or not told else Scope.ABSENT, text=words)
    scope = row.choice(name, Scope)
    if scope is not Scope.ABSENT and not words:
        message = f"a {scope.value} decision needs its words in the column {kind.value}"
        raise row.fail(message, name)
    if scope is Scope.ABSENT and words:
        message = f"the column {kind.value} has words; an absent decision has none"
        raise row.fail(message, name)
    return Decision(kind=kind, scope=scope, text=words)
