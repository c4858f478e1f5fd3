"""Headings of a note: what the part under them is about."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Section(Enum):
    """What a part of a note is about, as far as it changes how its sentences are read."""

    NEUTRAL = "neutral"
    HISTORY = "history"
    PLAN = "plan"
    ASSESSMENT = "assessment"
    FAMILY = "family"
    MEDICAL = "medical history"
    MEDICATION = "medication"
    ALLERGY = "allergy"
    BACKGROUND = "background"


_PLAN = frozenset(
    "plan plans recommendation recommendations rec recs recommended recommend consensus proposal proposals proposed decision suggestion "
    "suggestions suggested advice conclusion actions action agreed steps p opinion disposition disp outcome next majority minority board "
    "mdt mtb verdict".split()
)  # fmt: skip
_HISTORY = frozenset("prior previous history hpi oncologic oncological oncology lines line treatment treatments therapy "
    "therapies course tx past 1l 2l 3l 4l hx received "
                     "pretreatment pretreated to date rx background adj adjuvant neoadjuvant".split())  # fmt: skip
_MEDICAL = frozenset("pmh pmhx comorbidities comorbidity comorbid medical surgical pmx psh conditions".split())
_MEDICATION = frozenset(
    "medication medications meds comedication comedications dh drugs concomitant comeds concurrent".split()
)
_BACKGROUND = frozenset("guideline guidelines literature evidence reference references trial eligibility criteria disclaimer "
    "legend methodology limitations "
                        "coverage disclaimers rationale".split())  # fmt: skip
_ASSESS = frozenset("impression assessment summary discussion synopsis comment a question imp".split())
_PLAIN = frozenset(
    "diagnosis dx histology path pathology molecular ngs biomarkers biomarker genomics genomic imaging "
    "exam examination social smoking smoker patient pt age sex stage "
    "staging ecog ps performance status kps mri ct pet brain cns labs lab tumor tumour pd l1 pdl1 tmb msi "
    "mmr mutations mutation mutational alterations alteration report results result "
    "specimen ecg qtc hospital date name id mrn subject re gender profile profiling ihc fish expression "
    "systemic current ecog imaging disease site case presentation presenting complaint "
    "clinical information addendum setting tnm sample cytology bronchoscopy scan restaging sh shx "
    "investigations bloods egfr alk ros1 kras braf met ret ntrk her2 erbb2 genes gene tested variants "
    "findings of unknown significance vus detected interpretation signed author dictated from dear attending".split()
)  # fmt: skip


TITLE_WORDS = (
    _PLAN
    | _HISTORY
    | _MEDICAL
    | _MEDICATION
    | _BACKGROUND
    | _ASSESS
    | _PLAIN
    | frozenset(
        "the and of for our family history fh fhx allergies allergy board mdt mtb thoracic molecular options "
        "preference order".split()
    )
)


_LIGHT = frozenset("the and of for our in s tumor tumour is was as thoracic molecular".split())
_BOARD = frozenset({"board", "mdt", "mtb"})


def classify_heading(words: Iterable[str]) -> Section | None:
    """The section that the words of a heading open; None when they are no heading."""
    words = list(words)
    found = [word for word in words if word not in _LIGHT] or words
    if not found:
        return None
    held = set(found)
    if ("family" in held and held <= {"family", "history", "hx", "cancer"}) or held & {"fh", "fhx", "fam", "familial"}:
        return Section.FAMILY
    if held & {"allergies", "allergy", "adr", "allergic"}:
        return Section.ALLERGY
    if "options" in held and held & {"preference", "order", "recommended", "preferred"}:
        return Section.PLAN
    if held & _BOARD and not held & (_PLAN - _BOARD) and held - _BOARD - {"lung"}:
        return Section.NEUTRAL
    if "plan" in held or "plans" in held or ("p" in held and "a" in held):
        return Section.PLAN
    if (held & _MEDICATION and not held & _PLAN and not held & {"history"} - {"drug"}) or held == {"drug", "history"}:
        return Section.MEDICATION
    if held & _MEDICAL:
        return Section.MEDICAL
    if held & _PLAN and not held & {"prior", "previous", "past"} and (len(found) <= 4) and "p" not in held:
        return Section.PLAN
    if held & {"prior", "previous", "1l", "2l", "3l", "4l"} and held & (_HISTORY - {"background"}) and len(found) <= 5:
        return Section.HISTORY
    if "trial" in held and len(held) > 1 and not held & {"eligibility", "criteria"}:
        return None
    if held & _BACKGROUND and not held & {"history"}:
        return Section.BACKGROUND if held != {"background"} else Section.HISTORY
    if held & _HISTORY and len(found) <= 4:
        return Section.HISTORY
    if held & _ASSESS and len(found) <= 3:
        return Section.ASSESSMENT
    if found[0] in _PLAIN and len(found) <= 4:
        return Section.NEUTRAL
    return None
