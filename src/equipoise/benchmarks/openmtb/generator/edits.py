"""The errors, one function each: what is changed in a clean draft, and which reference follows from the sources.

A function gives None when the draft does not lend itself to the error. An edit changes what a case says, never how it
is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from equipoise.audit.verdict import Label
from equipoise.benchmarks.openmtb import error_types
from equipoise.benchmarks.openmtb.generator.drafts import NOS, Draft, Found, draw_history, draw_marker
from equipoise.benchmarks.openmtb.generator.draw import Draw
from equipoise.benchmarks.openmtb.generator.plans import LATE
from equipoise.benchmarks.openmtb.generator.spelling import (
    NOT_ACTIONABLE,
    OTHER_TARGET,
    OTHER_TUMORS,
    UNCERTAIN,
    WITHDRAWN,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A draft with an error.

    Attributes:
        draft: the changed draft.
        label: the reference label that follows.
        abstain: whether a system should abstain.
        missing: fields that decide and are not documented any more.
    """

    draft: Draft
    label: Label
    abstain: bool = False
    missing: tuple[str, ...] = ()


Edit = Callable[[Draft, Draw], Edited | None]


def missing_information(draft: Draft, draw: Draw) -> Edited | None:
    """One or two deciding elements are not documented any more.

    A setting can only go when the stage leaves it open; a stage IV states it. Where mutational burden or
    microsatellites can decide instead, PD-L1 and history only go when both are known; nothing goes where the history is
    open already.
    """
    options = [name for name in draft.plan.deciding if name != "setting" or draft.stage.startswith("III")]
    if draft.plan.by_burden and (draft.tmb is None or not draft.stable):
        options = [name for name in options if name not in ("pdl1", "prior_therapies")]
    if draft.history is None:
        options = []
    if not options:
        return None
    chosen = draw.shuffled(options)[: 2 if draw.chance(0.35) else 1]
    if "setting" in chosen:
        chosen = ["setting"]
    for name in chosen:
        draft = _REMOVALS[name](draft, draw)
    return Edited(draft=draft, label=Label.INSUFFICIENT_INFORMATION, abstain=True, missing=tuple(sorted(chosen)))


def wrong_drug(draft: Draft, draw: Draw) -> Edited | None:
    """A lung cancer regimen of as many components whose target was tested and not found."""
    size = len(draft.regimen.split(" + "))
    genes = {item.gene for item in draft.found if item.status == "absent"}
    options = [
        regimen
        for gene, regimens in OTHER_TARGET.items()
        for regimen in regimens
        if gene in genes and len(regimen.split(" + ")) == size
    ]
    if not options:
        return None
    regimen = draw.pick(options)
    return Edited(draft=replace(draft, regimen=regimen), label=Label.UNSUPPORTED)


def wrong_context(draft: Draft, draw: Draw) -> Edited | None:
    """A drug of other tumors takes the place of one component."""
    parts = draft.regimen.split(" + ")
    parts[draw.whole(0, len(parts) - 1)] = draw.pick(OTHER_TUMORS)
    return Edited(draft=replace(draft, regimen=" + ".join(parts)), label=Label.UNSUPPORTED)


def hallucinated_variant(draft: Draft, draw: Draw) -> Edited | None:
    """The driver becomes a variant of its gene of uncertain significance, or one that the drug is not listed for."""
    drivers = [item for item in draft.found if item.driver]
    if not draft.plan.swap_variant or len(drivers) != 1:
        return None
    old = drivers[0]
    options = [(text, "uncertain") for text in UNCERTAIN.get(old.gene, ())]
    options += [(text, "present") for text in NOT_ACTIONABLE.get(old.gene, ())]
    text, status = draw.pick(options)
    new = Found(gene=old.gene, text=text, status=status, place=old.place)
    found = tuple(new if item is old else item for item in draft.found)
    return Edited(draft=replace(draft, found=found), label=Label.UNSUPPORTED, abstain=status == "uncertain")


def overconfidence(draft: Draft, draw: Draw) -> Edited | None:
    """A systemic therapy is recommended at ECOG 3 or 4 as if nothing spoke against it."""
    ecog = (3, 4) if draft.ecog is not None and len(draft.ecog) > 1 else draw.pick(((3,), (3,), (3,), (4,)))
    return Edited(draft=replace(draft, ecog=ecog), label=Label.PARTIALLY_SUPPORTED)


def wrong_line(draft: Draft, draw: Draw) -> Edited | None:
    """The history puts the drug before or after its line."""
    if not draft.plan.wrong_histories:
        return None
    history = draw_history(draw.pick(draft.plan.wrong_histories), draft.setting or "metastatic", draft.histology, draw)
    return Edited(draft=replace(draft, history=history), label=Label.UNSUPPORTED)


def wrong_setting(draft: Draft, draw: Draw) -> Edited | None:
    """Stage and setting become ones that the source excludes; only when the history does not speak of late disease."""
    late = any(course.setting in LATE for course in draft.history or ())
    if not draft.plan.wrong_settings or late:
        return None
    setting, stages = draw.pick(draft.plan.wrong_settings)
    brain = None if setting not in LATE and draft.brain in ("treated", "present") else draft.brain
    changed = replace(draft, setting=setting, stage=draw.pick(stages), brain=brain)
    return Edited(draft=changed, label=Label.UNSUPPORTED)


def resistance_variant(draft: Draft, draw: Draw) -> Edited | None:
    """A resistance variant in the drug's own target stands beside the driver."""
    if not draft.plan.resistance:
        return None
    variant = draw_marker(draw.pick(draft.plan.resistance), draw, driver=False)
    return Edited(draft=replace(draft, found=(*draft.found, variant)), label=Label.UNSUPPORTED)


def histology_conflict(draft: Draft, draw: Draw) -> Edited | None:
    """The histology becomes one that the source excludes."""
    if not draft.plan.wrong_histology or draft.histology == NOS:
        return None
    return Edited(draft=replace(draft, histology=draft.plan.wrong_histology), label=Label.UNSUPPORTED)


def withdrawn_drug(draft: Draft, draw: Draw) -> Edited | None:
    """A drug whose indication was withdrawn before the day of the case, for its driver and in its line."""
    for driver in draft.plan.drivers[0]:
        if driver in WITHDRAWN and draft.history:
            return Edited(draft=replace(draft, regimen=WITHDRAWN[driver]), label=Label.UNSUPPORTED)
    return None


EDITS: dict[str, Edit] = {
    error_types.MISSING_INFORMATION: missing_information,
    error_types.WRONG_DRUG: wrong_drug,
    error_types.WRONG_CONTEXT: wrong_context,
    error_types.HALLUCINATED_VARIANT: hallucinated_variant,
    error_types.OVERCONFIDENCE: overconfidence,
    "wrong_line": wrong_line,
    "wrong_setting": wrong_setting,
    "resistance_variant": resistance_variant,
    "histology_conflict": histology_conflict,
    "withdrawn_drug": withdrawn_drug,
}
"""Error type -> its edit, in the order of `error_types.ERROR_TYPES`."""


def _without_markers(draft: Draft, draw: Draw) -> Draft:
    """The results of one deciding gene go: the driver's, or one that the source asks to be negative."""
    genes = {item.gene for item in draft.found if item.driver} or {draw.pick(draft.plan.negative)}
    if draw.chance(0.5):
        return replace(draft, found=tuple(item for item in draft.found if item.gene not in genes))
    status = draw.pick(("not_tested", "pending"))
    kept = [item for item in draft.found if item.gene not in genes]
    first = [next(item for item in draft.found if item.gene == gene) for gene in sorted(genes)]
    opened = [Found(gene=item.gene, text=item.gene, status=status, place=item.place) for item in first]
    return replace(draft, found=(*kept, *opened))


_REMOVALS: dict[str, Callable[[Draft, Draw], Draft]] = {
    "biomarkers": _without_markers,
    "pdl1": lambda draft, draw: replace(draft, tps=None),
    "prior_therapies": lambda draft, draw: replace(draft, history=None),
    "histology": lambda draft, draw: replace(draft, histology=NOS),
    "setting": lambda draft, draw: replace(draft, setting=None),
}
