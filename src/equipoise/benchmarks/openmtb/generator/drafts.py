"""A patient drawn from a plan: everything a case states, before it is written as JSON.

How the case is written (`Style`) is drawn here too, once; an edit keeps it, so spelling cannot tell an edited case from
its parent.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from equipoise.benchmarks.openmtb.generator.draw import Draw
from equipoise.benchmarks.openmtb.generator.plans import LATE, STAGES, Course, History, Plan
from equipoise.benchmarks.openmtb.generator.spelling import COMPANIONS, MARKERS, PANEL, UNDOCUMENTED

AS_OF = dt.date(2026, 11, 1)
"""Day for which every generated case asks."""

NOS = "NSCLC NOS"
"""Histology of a record that does not go beyond non-small cell lung cancer."""

_DOUBLETS = {
    "squamous cell carcinoma": ("carboplatin + paclitaxel", "carboplatin + nab-paclitaxel", "cisplatin + gemcitabine"),
    "other": ("carboplatin + pemetrexed", "cisplatin + pemetrexed", "carboplatin + paclitaxel"),
}
_HARMLESS = ("interstitial lung disease", "autoimmune disease", "solid organ transplant", "venous thromboembolism")


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a record is written.

    Attributes:
        markers: "status" (object with status), "dated" (with assay and date as well), "short" (status only when not
            present) or "text".
        history: "objects", "list" or "line".
        history_mark: 0 for "X (progressed)", 1 for "X, progressed".
        recommendation: "list", "objects" or "single".
        separator: between components.
        capital: whether drug names begin with a capital letter.
        order: seed of the order of components and fields.
        undocumented: what an undocumented element holds; "" leaves it out.
        stage_word: whether "Stage" stands before the group.
        state_setting: whether the setting is stated when the stage implies it.
        tps: 0 for {"tps": n}, 1 for "TPS n%", 2 for "n%".
        ecog_text: whether ECOG is written as text.
        none: 0 for [], 1 for "none", 2 for "treatment-naive".
        tumor: how the tumor is named.
    """

    markers: str
    history: str
    history_mark: int
    recommendation: str
    separator: str
    capital: bool
    order: str
    undocumented: str | None
    stage_word: bool
    state_setting: bool
    tps: int
    ecog_text: bool
    none: int
    tumor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One result of the record.

    Attributes:
        gene: gene symbol.
        text: as written.
        status: present, absent, uncertain, not_tested or pending.
        place: number by which the results are ordered.
        driver: whether it is the alteration the plan rests on.
    """

    gene: str
    text: str
    status: str
    place: float
    driver: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One course of the history, dated.

    Attributes:
        drugs: components joined by " + ".
        setting: the setting it was given in.
        outcome: how it ended.
        ended: day of the last dose.
    """

    drugs: str
    setting: str
    outcome: str
    ended: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One case before it is written. None stands for "not documented".

    Attributes:
        plan: the situation it was drawn from.
        style: how it is written.
        regimen: recommended components joined by " + ".
        found: results of the record.
        histology: as a record writes it; `NOS` when the record does not say.
        stage: stage group.
        setting: the setting; None when the record does not say.
        history: courses in order; empty when none was given; None when not documented.
        tps: PD-L1 TPS in percent.
        ecog: ECOG grades it can be.
        brain: "none", "treated" or "present".
        age: years.
        sex: "female" or "male".
        tmb: mutations per megabase, below the cut of any source.
        stable: whether microsatellite stability is stated.
        qtc: QTc in milliseconds, below the cut of any source.
        comorbidities: conditions stated to be absent.
        no_ppi: whether the absence of a proton pump inhibitor is stated.
    """

    plan: Plan
    style: Style
    regimen: str
    found: tuple[Found, ...]
    histology: str
    stage: str
    setting: str | None
    history: tuple[Given, ...] | None
    tps: int | None
    ecog: tuple[int, ...] | None
    brain: str | None
    age: int
    sex: str
    tmb: float | None
    stable: bool
    qtc: int | None
    comorbidities: tuple[str, ...]
    no_ppi: bool


def draw_draft(plan: Plan, draw: Draw) -> Draft:
    """A patient who fits the plan; elements that do not decide may be undocumented."""
    setting = draw.pick(plan.settings)
    histology = draw.pick(plan.histologies)
    if len(set(plan.histologies)) > 2 and draw.chance(0.1):
        histology = NOS
    history: tuple[Given, ...] | None = draw_history(draw.pick(plan.histories), setting, histology, draw)
    if plan.open_history and draw.chance(0.15):
        history = None
    tps = draw.whole(*plan.tps) if plan.tps else draw.pick((0, 0, 1, 5, 10, 20, 40, 55, 70, 90, None, None))
    brain = draw.pick(("none", "none", "none", "treated", "present" if plan.brain else "treated", None))
    return Draft(
        plan=plan,
        style=draw_style(plan, draw),
        regimen=draw.pick(plan.regimens),
        found=_draw_found(plan, draw),
        histology=histology,
        stage=draw.pick(plan.stages or STAGES[setting]),
        setting=setting,
        history=history,
        tps=tps,
        ecog=draw.pick(((0,), (0,), (1,), (1,), (1,), (2,), (0, 1), None)),
        brain=brain if setting in LATE else draw.pick(("none", None)),
        age=draw.whole(38, 84),
        sex=draw.pick(("female", "male")),
        tmb=draw.whole(5, 90) / 10 if draw.chance(0.5) else None,
        stable=draw.chance(0.5),
        qtc=draw.whole(392, 448) if draw.chance(0.25) else None,
        comorbidities=tuple(name for name in _HARMLESS if draw.chance(0.25)),
        no_ppi=draw.chance(0.2),
    )


def draw_style(plan: Plan, draw: Draw) -> Style:
    """How the case is written."""
    curative = any(course.setting for history in plan.histories for course in history)
    return Style(
        markers=draw.pick(("status", "dated", "short", "text")),
        history="objects" if curative else draw.pick(("objects", "list", "line")),
        history_mark=draw.whole(0, 1),
        recommendation=draw.pick(("list", "objects", "single")),
        separator=draw.pick((" + ", " + ", "+", " plus ", " and ")),
        capital=draw.chance(0.3),
        order=f"{draw.number():.12f}",
        undocumented=draw.pick(("", *UNDOCUMENTED)),
        stage_word=draw.chance(0.4),
        state_setting=draw.chance(0.6),
        tps=draw.whole(0, 2),
        ecog_text=draw.chance(0.3),
        none=draw.whole(0, 2),
        tumor=draw.pick(("NSCLC", "NSCLC", "non-small cell lung cancer")),
    )


def draw_history(history: History, setting: str, histology: str, draw: Draw) -> tuple[Given, ...]:
    """Courses with regimens that suit the histology and dates in order, the last one ending within half a year."""
    ended = AS_OF - dt.timedelta(days=draw.whole(10, 180))
    courses = []
    for course in reversed(history):
        courses.append(
            Given(
                drugs=_regimen(course, histology, draw),
                setting=course.setting or (setting if setting in LATE else "metastatic"),
                outcome=course.outcome,
                ended=ended,
            )
        )
        ended -= dt.timedelta(days=draw.whole(120, 420))
    return tuple(reversed(courses))


def _regimen(course: Course, histology: str, draw: Draw) -> str:
    doublet = draw.pick(_DOUBLETS.get(histology, _DOUBLETS["other"]))
    return course.regimen.replace("doublet", doublet)


def draw_marker(name: str, draw: Draw, *, driver: bool = True) -> Found:
    """A present alteration in one of its spellings."""
    gene = name.partition(":")[0]
    return Found(gene=gene, text=draw.pick(MARKERS[name]), status="present", place=draw.number(), driver=driver)


def _draw_found(plan: Plan, draw: Draw) -> tuple[Found, ...]:
    found = [draw_marker(name, draw) for name in draw.pick(plan.drivers)]
    taken = {item.gene for item in found}
    for gene in PANEL:
        needed = gene in plan.negative
        if gene in taken or not (needed or draw.chance(0.7)):
            continue
        status = "absent" if needed or draw.chance(0.85) else draw.pick(("not_tested", "pending"))
        found.append(Found(gene=gene, text=gene, status=status, place=draw.number()))
    for text, status in draw.shuffled(COMPANIONS)[: draw.pick((0, 1, 1, 2))]:
        found.append(Found(gene=text.split()[0], text=text, status=status, place=draw.number()))
    return tuple(found)
