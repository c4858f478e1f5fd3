"""The form this project writes board cases in: one JSON object a line, every part of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from equipoise.boards.formats.opentumorboard import role_in, sections_of
from equipoise.boards.model import (
    BoardCase,
    Conclusion,
    Decision,
    DecisionKind,
    Disposition,
    Dissent,
    Question,
    QuestionType,
    Quote,
    Scope,
    Slide,
    Split,
    TreatmentCategory,
    Turn,
    slides_at,
)
from equipoise.boards.reading import Fields, Loaded, inside, read_rows, short, to_line
from equipoise.boards.vocabulary import Role
from equipoise.ids import stable_form

FORMAT = "equipoise-board-1"
"""Stands in every line, so that a file of another form is not read as one of this."""


def read_cases(path: str | Path) -> Loaded[BoardCase]:
    """The cases of a file in this form, plain or packed.

    Raises:
        UsageError: the file cannot be opened.
    """
    return read_rows(path, _case, key=("id", lambda case: case.id))


def write_cases(cases: Iterable[BoardCase]) -> str:
    """The cases as text of a file that `read_cases` reads back equal."""
    return "".join(to_line({"format": FORMAT} | _without_empty(stable_form(case))) for case in cases)


def _without_empty(form: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in form.items()
        if value not in (None, "", [], {}) and key not in ("origin", "sections")
    }


def _case(row: Fields) -> BoardCase:
    if row.values.get("format") != FORMAT:
        message = f"expected {FORMAT}"
        raise row.fail(message, "format")
    text = row.text("text")
    start, end = row.span("start", "end")
    slides = tuple(_slide(part) for part in row.parts("slides"))
    turns = tuple(_turn(part, slides) for part in row.parts("turns"))
    _unique(row, "slides", [slide.id for slide in slides])
    _unique(row, "turns", [turn.id for turn in turns])
    audit_case = row.values.get("audit_case")
    return BoardCase(
        id=row.text("id"),
        recording=row.text("recording", required=False),
        site=row.text("site", required=False),
        text=text,
        sections=sections_of(text),
        slides=slides,
        turns=turns,
        questions=tuple(_question(part, turns) for part in row.parts("questions")),
        conclusion=_conclusion(row.part("conclusion"), turns) if row.values.get("conclusion") is not None else None,
        references=_texts(row, "references"),
        split=row.choice("split", Split) if row.values.get("split") is not None else None,
        start=start,
        end=end,
        notes=_texts(row, "notes"),
        audit_case=None if audit_case is None else row.object(audit_case, "audit_case"),
        origin=FORMAT,
    )


def _unique(row: Fields, name: str, ids: list[str]) -> None:
    twice = sorted({item for item in ids if ids.count(item) > 1})
    if twice:
        message = f"an id must come once; twice: {', '.join(short(item) for item in twice[:5])}"
        raise row.fail(message, name)


def _texts(row: Fields, name: str) -> tuple[str, ...]:
    values = row.list_of(name)
    if not all(isinstance(value, str) and value.strip() for value in values):
        message = "expected a list of texts"
        raise row.fail(message, name)
    return tuple(values)


def _slide(part: Fields) -> Slide:
    start, end = part.span("start", "end")
    image = part.text("image", required=False) or None
    if image is not None and not inside(image):
        message = "a path leads outside the data folder, or is no path"
        raise part.fail(message, "image")
    return Slide(id=part.text("id"), caption=part.text("caption", required=False), start=start, end=end, image=image)


def _turn(part: Fields, slides: tuple[Slide, ...]) -> Turn:
    start, end = part.span("start", "end")
    shown = _texts(part, "slides")
    strange = sorted(set(shown) - {slide.id for slide in slides})
    if strange:
        message = f"there is no slide {short(strange[0])}"
        raise part.fail(message, "slides")
    return Turn(
        id=part.text("id"),
        speaker=part.text("speaker"),
        role=role_in(part, "role"),
        text=part.text("text"),
        start=start,
        end=end,
        slides=shown or slides_at(slides, start, end),
    )


def _known_turn(part: Fields, turns: tuple[Turn, ...], *, required: bool = False) -> str:
    name = part.text("turn", required=required)
    if name and name not in {turn.id for turn in turns}:
        message = f"there is no turn {short(name)}"
        raise part.fail(message, "turn")
    return name


def _question(part: Fields, turns: tuple[Turn, ...]) -> Question:
    role = role_in(part, "role")
    if role in (Role.MODERATOR, Role.UNKNOWN):
        message = f"a question is put to a specialist, found {role.value}"
        raise part.fail(message, "role")
    return Question(
        id=part.text("id"),
        type=part.choice("type", QuestionType),
        role=role,
        text=part.text("text"),
        answer=part.text("answer", required=False),
        turn=_known_turn(part, turns),
    )


def _quotes(part: Fields, turns: tuple[Turn, ...]) -> tuple[Quote, ...]:
    return tuple(Quote(text=item.text("text"), turn=_known_turn(item, turns)) for item in part.parts("quotes"))


def _conclusion(part: Fields, turns: tuple[Turn, ...]) -> Conclusion:
    decisions = tuple(_decision(item, turns) for item in part.parts("decisions"))
    kinds = [decision.kind for decision in decisions]
    if decisions and kinds != list(DecisionKind):
        message = f"expected one of each kind in the order {', '.join(DecisionKind)}"
        raise part.fail(message, "decisions")
    return Conclusion(
        text=part.text("text"),
        quotes=_quotes(part, turns),
        disposition=part.choice("disposition", Disposition) if "disposition" in part.values else Disposition.UNKNOWN,
        decisions=decisions,
        dissent=tuple(_dissent(item, turns) for item in part.parts("dissent")),
    )


def _decision(part: Fields, turns: tuple[Turn, ...]) -> Decision:
    scope = part.choice("scope", Scope) if part.values.get("scope") is not None else None
    text = part.text("text", required=scope in (Scope.POSITIVE, Scope.NEGATIVE))
    if scope is Scope.ABSENT and text:
        message = "an absent decision has no words"
        raise part.fail(message, "text")
    return Decision(
        kind=part.choice("kind", DecisionKind),
        scope=scope,
        text=text,
        quotes=_quotes(part, turns),
        sources=_texts(part, "sources"),
        acceptable=_texts(part, "acceptable"),
        category=part.choice("category", TreatmentCategory) if part.values.get("category") is not None else None,
    )


def _dissent(part: Fields, turns: tuple[Turn, ...]) -> Dissent:
    recorded = part.values.get("recorded")
    if not isinstance(recorded, bool):
        message = "expected true or false"
        raise part.fail(message, "recorded")
    return Dissent(
        turn=_known_turn(part, turns, required=True),
        role=role_in(part, "role"),
        text=part.text("text"),
        recorded=recorded,
    )
