"""The words of a board: roles, question types, decisions, splits, treatment categories, each with its source."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """Who speaks.

    The eleven labels of OpenTumorBoard (`src/role.py`, commit 94ef520). Questions are put to all but the moderator, so ten count
    as targets. `UNKNOWN` is ours: nobody said who spoke.
    """

    SURGEON = "surgeon"
    MEDICAL_ONCOLOGIST = "medical oncologist"
    RADIATION_ONCOLOGIST = "radiation oncologist"
    RADIOLOGIST = "radiologist"
    PATHOLOGIST = "pathologist"
    MOLECULAR_PATHOLOGIST = "molecular pathologist"
    GENETIC_COUNSELOR = "genetic counselor"
    CLINICAL_TRIAL_SPECIALIST = "clinical trial specialist"
    NURSE_NAVIGATOR = "nurse navigator"
    OTHER = "other"
    MODERATOR = "moderator"
    UNKNOWN = "unknown"


TARGET_ROLES: tuple[Role, ...] = tuple(role for role in Role if role not in (Role.MODERATOR, Role.UNKNOWN))
"""The ten roles a question can be put to."""


def role_of(text: str) -> Role | None:
    """The role a label names, whatever its case and separators; None when it names none."""
    return _ROLES.get(" ".join(text.replace("_", " ").replace("-", " ").split()).casefold())


_ROLES = {role.value: role for role in Role} | {"genetic counsellor": Role.GENETIC_COUNSELOR}


class QuestionType(StrEnum):
    """What a question asks for: the nine types of OpenTumorBoard (arXiv:2609.32810)."""

    FINDINGS_INTERPRETATION = "findings_interpretation"
    TREATMENT_RECOMMENDATION = "treatment_recommendation"
    EVIDENCE_DISCUSSION = "evidence_discussion"
    NEXT_ACTION_SUGGESTION = "next_action_suggestion"
    UNCERTAINTY = "uncertainty"
    ELIGIBILITY_ASSESSMENT = "eligibility_assessment"
    AGREEMENT_OR_SUPPORT = "agreement_or_support"
    CLARIFICATION_QUESTION = "clarification_question"
    CLINICAL_TRIAL_SUGGESTION = "clinical_trial_suggestion"


class DecisionKind(StrEnum):
    """The four things a board decides (OpenTumorBoard, `evaluation/prompts/four_decisions.txt`).

    Therapy is systemic or radiation treatment, or withholding it. Surgery is operative management. Next action is what comes short of
    treatment: follow-up, imaging, tests, referral. Clinical trial is enrolment, screening or eligibility.
    """

    THERAPY = "therapy"
    SURGERY = "surgery"
    NEXT_ACTION = "next_action"
    CLINICAL_TRIAL = "clinical_trial"


class Scope(StrEnum):
    """What a reference says of one decision: do it, do not do it, or nothing at all (then it is out of scope)."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    ABSENT = "absent"


class Disposition(StrEnum):
    """How a discussion ended: with a decision, with a referral in place of one, or put off."""

    DECIDED = "decided"
    REFERRED = "referred"
    DEFERRED = "deferred"
    UNKNOWN = "unknown"


class Split(StrEnum):
    """Part of a data set; a recording belongs to one."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


class Arm(StrEnum):
    """What a system is shown of the slides. The arms are never merged into one ranking."""

    CAPTIONS = "captions"
    IMAGES = "images"


class TreatmentCategory(StrEnum):
    """Nine exclusive categories of a recommendation.

    Source: dpsailab/gi-tumorboard-gpt5-persona, `classification_criteria.md`, section 1 (two raters, kappa 0.92 as published there).
    """

    SUPPORTIVE_CARE = "best supportive care"
    DIAGNOSTICS = "further diagnostic procedures"
    ENDOSCOPIC = "endoscopic intervention"
    SURVEILLANCE = "active surveillance"
    MULTIMODAL = "multimodal therapy"
    MULTISTEP = "multistep therapy"
    SURGERY = "surgery"
    SYSTEMIC = "systemic therapy"
    LOCALIZED = "localized therapy"


def category_of(text: str) -> TreatmentCategory | None:
    """The category a label names, in the spellings of the published files; None when it names none."""
    return _CATEGORIES.get(" ".join(text.split()).casefold())


_CATEGORIES = {category.value: category for category in TreatmentCategory} | {
    "supportive care": TreatmentCategory.SUPPORTIVE_CARE,
    "diagnostics": TreatmentCategory.DIAGNOSTICS,
    "diagnostik": TreatmentCategory.DIAGNOSTICS,
    "further diagnostics": TreatmentCategory.DIAGNOSTICS,
    "endoscopic resection": TreatmentCategory.ENDOSCOPIC,
    "endo-resektion": TreatmentCategory.ENDOSCOPIC,
    "follow-up": TreatmentCategory.SURVEILLANCE,
    "active surveillance / follow-up": TreatmentCategory.SURVEILLANCE,
    "localised therapy": TreatmentCategory.LOCALIZED,
    "local therapy": TreatmentCategory.LOCALIZED,
    "lokale therapie": TreatmentCategory.LOCALIZED,
    "systematic therapy": TreatmentCategory.SYSTEMIC,
}
