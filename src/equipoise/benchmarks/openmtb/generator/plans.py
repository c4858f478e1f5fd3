"""The table of supported situations: which regimen, for which driver, setting, histology and history, by which
assertion.

Every plan names the assertion of the evidence base (level A, United States) from which its reference "Supported"
follows under the policy `label`. What breaks a plan stands beside it: the fields that decide, the histories and
settings the source excludes, the resistance variants in the drug's own target, the histology it is not for.
"""

from __future__ import annotations

from dataclasses import dataclass

ADVANCED = "advanced"
METASTATIC = "metastatic"
LATE = (ADVANCED, METASTATIC)
NON_SQUAMOUS = ("adenocarcinoma", "adenocarcinoma", "adenocarcinoma", "large cell carcinoma")
ADENO = ("adenocarcinoma",)
SQUAMOUS = ("squamous cell carcinoma",)
ANY = ("adenocarcinoma", "adenocarcinoma", "squamous cell carcinoma", "large cell carcinoma")

STAGES: dict[str, tuple[str, ...]] = {
    "neoadjuvant": ("IIA", "IIB", "IIIA"),
    "adjuvant": ("IIA", "IIB", "IIIA"),
    "chemoradiation": ("IIIA", "IIIB", "IIIC"),
    "consolidation": ("IIIA", "IIIB", "IIIC"),
    ADVANCED: ("IIIB", "IIIC"),
    METASTATIC: ("IVA", "IVB"),
}
"""Stages that go with a setting."""


@dataclass(frozen=True, slots=True)
class Course:
    """One course of a history before dates and spelling are drawn.

    Attributes:
        regimen: components; "doublet" stands for a platinum doublet that suits the histology.
        outcome: how it ended.
        setting: the setting it was given in; empty for the case's own late setting.
    """

    regimen: str
    outcome: str = "progressed"
    setting: str = ""


History = tuple[Course, ...]

NAIVE: History = ()
IO_THEN_DOUBLET: History = (Course("pembrolizumab"), Course("doublet"))
DOUBLET: History = (Course("doublet"),)
CHEMO_IO: History = (Course("doublet + pembrolizumab"),)
DOUBLET_THEN_IO: History = (Course("doublet"), Course("nivolumab"))
AFTER_RESECTION: History = (Course("cisplatin + vinorelbine", "completed", "adjuvant"),)
AFTER_CHEMORADIATION: History = (Course("carboplatin + paclitaxel + radiotherapy", "completed", "chemoradiation"),)


def after(*regimens: str) -> History:
    """Progressed on these regimens, one after the other."""
    return tuple(Course(regimen) for regimen in regimens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One supported situation.

    Attributes:
        assertion: id of the assertion that supports it.
        group: driver or situation, for even sampling.
        regimens: interchangeable regimens, components joined by " + ".
        drivers: alternatives of present markers by normalised name; an empty tuple for none.
        settings: settings that the source names.
        stages: stages; empty for those that go with the setting.
        histologies: histologies as a record writes them, repeated by weight.
        histories: plausible histories.
        negative: genes whose negative result the source asks for, or that must be reported.
        tps: smallest and largest PD-L1 TPS in percent; None when it does not matter.
        brain: whether brain metastases may be present without a statement about treatment.
        open_history: the history decides nothing, so that it may be undocumented.
        deciding: elements without which nothing is decided.
        wrong_histories: histories that the source excludes.
        wrong_settings: settings with stages that the source excludes.
        resistance: on-target resistance variants that the base lists for the regimen.
        wrong_histology: histology that the source excludes; empty without one.
        by_burden: the regimen also has indications by mutational burden or microsatellites.
        swap_variant: the driver can be replaced by another variant of its gene with a certain result.
    """

    assertion: str
    group: str
    regimens: tuple[str, ...]
    drivers: tuple[tuple[str, ...], ...] = ((),)
    settings: tuple[str, ...] = LATE
    stages: tuple[str, ...] = ()
    histologies: tuple[str, ...] = NON_SQUAMOUS
    histories: tuple[History, ...] = (NAIVE,)
    negative: tuple[str, ...] = ()
    tps: tuple[int, int] | None = None
    brain: bool = True
    open_history: bool = False
    deciding: tuple[str, ...] = ("biomarkers",)
    wrong_histories: tuple[History, ...] = ()
    wrong_settings: tuple[tuple[str, tuple[str, ...]], ...] = ()
    resistance: tuple[str, ...] = ()
    wrong_histology: str = ""
    by_burden: bool = False
    swap_variant: bool = False


COMMON = (("EGFR:L858R",), ("EGFR:exon19del",))
FIRST = ("prior_therapies", "biomarkers")
EARLY = (("adjuvant", ("IIA", "IIB")), ("neoadjuvant", ("IIA", "IIB", "IIIA")))
NO_TARGET = ("EGFR", "ALK")
