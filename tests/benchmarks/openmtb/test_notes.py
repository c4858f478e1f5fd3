"""Generated notes: the note says what the case says, in every style, and never leads to a wrong "Supported"."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import Label
from equipoise.benchmarks.openmtb.generator.drafts import AS_OF, Draft, draw_draft
from equipoise.benchmarks.openmtb.generator.draw import Draw
from equipoise.benchmarks.openmtb.generator.edits import EDITS
from equipoise.benchmarks.openmtb.generator.notes import STYLES, write_note
from equipoise.benchmarks.openmtb.generator.render import render
from equipoise.benchmarks.openmtb.generator.table import PLANS
from equipoise.cases.facts import Reading, facts_of
from equipoise.cases.formats.own import read_case
from equipoise.cases.model import Case
from equipoise.cases.narrative.reader import read_note
from equipoise.errors import UsageError

COUNT = 120
FIELDS = (
    "present", "uncertain", "absent", "open", "may", "sequenced", "conflicting", "stage", "setting", "histology", "ecog", "brain",
    "tps", "tc", "ic", "tmb", "age", "qtc", "msi", "conditions", "conflicts", "complete",
)  # fmt: skip


def drafts() -> list[Draft]:
    """Clean drafts, and the same with an error where the draft lends itself to one."""
    draw = Draw("notes")
    found = []
    for _ in range(COUNT):
        draft = draw_draft(draw.pick(PLANS), draw)
        found.append(draft)
        edited = EDITS[draw.pick(sorted(EDITS))](draft, draw)
        if edited is not None:
            found.append(edited.draft)
    return found


DRAFTS = drafts()


def key(case: Case) -> dict[str, Any]:
    """The decision key of a case, with what is recommended."""
    found = facts_of(case, as_of=AS_OF, reading=Reading())
    values: dict[str, Any] = {name: getattr(found, name) for name in FIELDS}
    values["priors"] = (
        None
        if found.priors is None
        else [
            (one.drugs, one.outcome, one.setting if one.line is None else None, one.line, one.ended)
            for one in found.priors
        ]
    )
    values["recommendations"] = [one.components for one in case.recommendations]
    values["tumor"], values["sex"] = case.tumor.value, case.sex.value
    return values


@pytest.mark.parametrize("style", STYLES)
def test_round_trip(style):
    misses = []
    for place, draft in enumerate(DRAFTS):
        note = write_note(draft, style, place)
        one, two = key(read_case(render(draft))), key(read_note(note))
        if one != two:
            misses.append((note, {name: (one[name], two[name]) for name in one if one[name] != two[name]}))
    assert len(misses) <= 0.03 * len(DRAFTS), misses[:3]


@pytest.mark.parametrize("style", STYLES)
def test_never_a_wrong_supported(style):
    auditor = Auditor(policy="label", as_of=AS_OF)
    for place, draft in enumerate(DRAFTS[::3]):
        note = auditor.audit({"case_id": "note", "as_of": AS_OF.isoformat(), "text": write_note(draft, style, place)})[
            0
        ]
        if note.label is Label.SUPPORTED:
            assert auditor.audit({"case_id": "parent", **render(draft)})[0].label is Label.SUPPORTED


def test_same_arguments_same_note_and_seeds_differ():
    draft = DRAFTS[0]
    assert write_note(draft, "letter", 1) == write_note(draft, "letter", 1)
    assert len({write_note(draft, "letter", seed) for seed in range(8)}) > 1
    assert len({write_note(draft, style, 1) for style in STYLES}) == len(STYLES)


def test_unknown_style():
    with pytest.raises(UsageError, match="style"):
        write_note(DRAFTS[0], "poem")
