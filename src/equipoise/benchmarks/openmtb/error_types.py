"""The errors a case can carry: the published five and those added here."""

from __future__ import annotations

from dataclasses import dataclass

NONE = "none"
"""Error type of a clean case."""


@dataclass(frozen=True, slots=True)
class ErrorType:
    """One kind of error, as an edit of a clean case.

    Attributes:
        id: identifier, as it stands in a reference.
        published: whether the published benchmark has it.
        edit: what is changed in the clean parent.
        makes: the reference label that follows.
        abstain: whether a system should abstain under the policy `label`; for a hallucinated variant only when the
            record calls it uncertain.
    """

    id: str
    published: bool
    edit: str
    makes: str
    abstain: bool


MISSING_INFORMATION = "missing_critical_information"
WRONG_DRUG = "wrong_drug"
WRONG_CONTEXT = "wrong_context"
HALLUCINATED_VARIANT = "hallucinated_variant"
OVERCONFIDENCE = "unsafe_overconfidence"

ERROR_TYPES: tuple[ErrorType, ...] = (
    ErrorType(
        MISSING_INFORMATION, True,
        "one or two elements that decide are not documented any more",
        "Insufficient Information", True,
    ),
    ErrorType(
        WRONG_DRUG, True,
        "the regimen is replaced by a lung cancer regimen for a target that was tested and not found",
        "Unsupported", False,
    ),
    ErrorType(
        WRONG_CONTEXT, True,
        "one recommended drug is replaced by one that is used in other tumors only",
        "Unsupported", False,
    ),
    ErrorType(
        HALLUCINATED_VARIANT, True,
        "the actionable alteration is replaced by one of the same gene that no drug is listed for",
        "Unsupported", True,
    ),
    ErrorType(
        OVERCONFIDENCE, True,
        "the performance status becomes ECOG 3 or 4, with no other change",
        "Partially Supported", False,
    ),
    ErrorType(
        "wrong_line", False,
        "the history is changed so that the drug comes before or after its line",
        "Unsupported", False,
    ),
    ErrorType(
        "wrong_setting", False,
        "stage and setting are changed to ones the drug is not listed for",
        "Unsupported", False,
    ),
    ErrorType(
        "resistance_variant", False,
        "an on-target resistance variant is reported beside the driver",
        "Unsupported", False,
    ),
    ErrorType(
        "histology_conflict", False,
        "the histology is changed to one that the source excludes",
        "Unsupported", False,
    ),
    ErrorType(
        "withdrawn_drug", False,
        "the recommended drug is replaced by one whose indication was withdrawn before the day of the case",
        "Unsupported", False,
    ),
)  # fmt: skip
"""In the order of reports; the published five first."""

PUBLISHED_TYPES: tuple[str, ...] = tuple(item.id for item in ERROR_TYPES if item.published)
ALL_TYPES: tuple[str, ...] = tuple(item.id for item in ERROR_TYPES)
