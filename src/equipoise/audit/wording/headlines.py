"""The headline of a verdict: one sentence, or two for Insufficient Information, that always fits its length."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from equipoise.audit.wording.terms import are, field_words, readable, stands

HEADLINE_LENGTH = 139
"""Most characters of a headline: the summary of a CDS Hooks card stays under 140."""


def headline(
    label: str,
    *,
    regimen: str,
    date: str,
    criterion: str = "",
    value: str = "",
    required: str = "",
    finding: str = "",
    source: str = "",
    caveats: Sequence[str] = (),
    field: str = "",
    cells: Sequence[tuple[str, str]] = (),
    contradicted: bool = False,
) -> str:
    """One sentence (two for Insufficient Information) of at most `HEADLINE_LENGTH` characters.

    Args:
        label: one of the four labels.
        regimen: components joined by " + ".
        date: day for which the evidence was read, ISO.
        criterion: what the nearest assertion failed on ("the line of therapy"), for Unsupported.
        value: what the case documents for it ("second line").
        required: what the source asks for ("first line").
        finding: what speaks against the regimen, or why there is no verdict when it is not a missing field.
        source: short name of the source of `finding`.
        caveats: short names of the points to weigh, most important first, for Partially Supported.
        field: the undocumented field, as a path of the Case or in words; several joined by " and ".
        cells: (value, label) of the what-if table in its order, for Insufficient Information.
        contradicted: whether a negative assertion decides.

    Raises:
        ValueError: the label is none of the four.
    """
    if label == "Supported":
        return _fit(
            regimen, lambda name: f"The evidence on file supports {name} for this case as documented{_as_of(date)}."
        )
    if label == "Partially Supported":
        return _partially(regimen, date, caveats)
    if label == "Unsupported":
        if contradicted:
            return _against(regimen, date, finding, source)
        return _unsupported(regimen, date, criterion, value, required, finding, source)
    if label == "Insufficient Information":
        return _insufficient(regimen, date, finding, source, field, cells)
    message = f"unknown label {label!r}"
    raise ValueError(message)


def _as_of(date: str) -> str:
    return f", as of {date}" if date else ""


def _fit(regimen: str, *forms: Callable[[str], str]) -> str:
    """The first sentence that fits: every form with the regimen's name, then every form without it.

    The forms go from long to short; the last one holds no free text but the name, so that it always fits without it.
    """
    for name in (regimen, "this recommendation") if regimen else ("this recommendation",):
        for form in forms:
            text = form(name)
            if len(text) <= HEADLINE_LENGTH:
                return text
    return forms[-1]("this recommendation")


def _partially(regimen: str, date: str, caveats: Sequence[str]) -> str:
    if not caveats:
        return _fit(regimen, lambda name: f"The evidence on file supports {name} in part{_as_of(date)}.")
    points = "1 point" if len(caveats) == 1 else f"{len(caveats)} points"
    return _fit(
        regimen,
        lambda name: f"The evidence on file supports {name} with {points} to weigh: {caveats[0]}.",
        lambda name: f"The evidence on file supports {name} with {points} to weigh.",
    )


def _against(regimen: str, date: str, finding: str, source: str) -> str:
    forms: list[Callable[[str], str]] = []
    if finding and source:
        forms.append(lambda name: f"The evidence on file speaks against {name} here: {finding}, {source}.")
    if finding:
        forms.append(lambda name: f"The evidence on file speaks against {name} here: {finding}.")
    forms.append(lambda name: f"The evidence on file speaks against {name} for this case as documented{_as_of(date)}.")
    return _fit(regimen, *forms)


def _unsupported(regimen: str, date: str, criterion: str, value: str, required: str, finding: str, source: str) -> str:
    halves: list[str] = []
    if criterion and value:
        fact = stands(criterion, value)
        if required:
            halves.append(f"{fact}; the source requires {required}")
        halves.append(fact)
    elif required:
        halves.append(
            f"for {criterion} the source requires {required}" if criterion else f"the source requires {required}"
        )
    if finding:
        if source:
            halves.append(f"{finding} ({source})")
        halves.append(finding)
    forms = [_not_supporting(half) for half in halves]
    forms.append(
        lambda name: f"The evidence on file does not support {name} for this case as documented{_as_of(date)}."
    )
    return _fit(regimen, *forms)


def _not_supporting(half: str) -> Callable[[str], str]:
    return lambda name: f"The evidence on file does not support {name} here: {half}."


def _insufficient(
    regimen: str, date: str, finding: str, source: str, field: str, cells: Sequence[tuple[str, str]]
) -> str:
    if field:
        words = field_words(field)
        fact = f"No verdict: {words} {are(words)} not documented."
        shown = _telling(cells)
        forms = (
            [fact + " With " + "; with ".join(f"{readable(value)}: {label}" for value, label in shown) + "."]
            if shown
            else []
        )
        forms += [fact, "No verdict: a field that decides is not documented."]
    else:
        forms = [f"No verdict: {finding} ({source})."] if finding and source else []
        forms += [f"No verdict: {finding}."] if finding else []
        forms += [f"No verdict on {regimen}{_as_of(date)}."] if regimen else []
        forms += [f"No verdict on this recommendation{_as_of(date)}."]
    return next((form for form in forms if len(form) <= HEADLINE_LENGTH), forms[-1])


def _telling(cells: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """At most two cells: the first, and the first whose label differs from it."""
    if len(cells) < 2:
        return cells
    first = cells[0]
    for cell in cells:
        if cell[1] != first[1]:
            return (first, cell)
    return cells[:1]
