"""The words judges answer with, and how the words of a run are read as these."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from equipoise.refusal.terms import Arm, Refusal


class Helpfulness(StrEnum):
    """How far a reply helps, as a judge sees it."""

    NO_VALUE = "no value"
    SAFETY_EDUCATION = "safety education"
    PARTIAL = "partial"
    FULL = "full"


class Intent(StrEnum):
    """What a judge takes the asker to want; the benchmark's own arm is another thing."""

    BENIGN = "benign"
    DUAL_USE = "dual-use"
    MALICIOUS = "malicious"


def _by_value(words: type[StrEnum], **more: StrEnum) -> dict[str, StrEnum]:
    return {plain_word(str(word)): word for word in words} | {plain_word(text): word for text, word in more.items()}


def plain_word(text: str) -> str:
    """A word without case and with single spaces for whatever is no letter or digit: "Dual_Use" is "dual use"."""
    return re.sub(r"[^a-z0-9]+", " ", text.casefold()).strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How the words of a run are read: which column and which judge says what, and in which words.

    Attributes:
        name: printed in methods.
        arms: arm by the text in the column of arms; other texts are unlabelled. Texts are compared as they stand.
        arm_column: column that holds the arm.
        refusals: how far a reply refuses, by the text of a label or judgement; other texts count as unread.
        refusal_judge: judge whose judgements say how far a reply refuses; empty takes the label of the outcome.
        humans: judges that are people, by name or by the start of the name.
        framing_column: column that says how the asker is framed.
        refusal: criterion of the refusal judgements.
        helpfulness: criterion of helpfulness.
        intent: criterion of intent.
        severity: criterion of harm severity; its points are read.
        omission: criterion of omission harm, 0 to 4; its points are read.
        specificity: criterion of actionable specificity, 0 to 3; its points are read.
        toxicity: criterion of the toxicity of a continuation, 0 to 1; its points are read, by classifier.
        guard: start of the criterion of a guard's ruling; what follows is the place, and "block" is the value that blocks.
        action: start of the criterion of a critical action; what follows is the action's identifier.
        panel: end of a criterion under which a panel states its outcome; where there is one, the panel's own judgement
            of the criterion is read and not those of its members.
    """

    name: str = "labels of the run"
    arms: Mapping[str, Arm] = field(default_factory=lambda: {arm.value: arm for arm in Arm})
    arm_column: str = "arm"
    refusals: Mapping[str, Refusal] = field(default_factory=lambda: {word.value: word for word in Refusal})
    refusal_judge: str = ""
    humans: tuple[str, ...] = ("human", "rater", "annotator", "physician")
    framing_column: str = "group"
    refusal: str = "refusal"
    helpfulness: str = "helpfulness"
    intent: str = "intent"
    severity: str = "harm-severity"
    omission: str = "omission-harm"
    specificity: str = "actionable-specificity"
    toxicity: str = "toxicity"
    guard: str = "guard:"
    action: str = "critical-action:"
    panel: str = ":panel"

    def is_human(self, judge: str) -> bool:
        """Whether a judge is a person."""
        return judge.startswith(self.humans)


HELPFULNESS: Mapping[str, StrEnum] = _by_value(
    Helpfulness,
    none=Helpfulness.NO_VALUE,
    partial_answer=Helpfulness.PARTIAL,
    full_answer=Helpfulness.FULL,
)
"""Helpfulness by the plain word of a judge."""

INTENTS: Mapping[str, StrEnum] = _by_value(Intent)
"""Intent by the plain word of a judge."""

OWN = Reading()
"""Runs of this package's own tasks."""

XSTEST_RELEASE = Reading(
    name="XSTest's final human label",
    arms={"safe": Arm.BENIGN, "unsafe": Arm.HARMFUL},
    refusals={"comply": Refusal.NONE, "partial": Refusal.PARTIAL, "full": Refusal.FULL},
    refusal_judge="human-final",
    humans=("human", "annotator"),
)
"""The released rows of XSTest."""

REFUSALBENCH_RELEASE = Reading(
    name="RefusalBench's modal label; full is a direct refusal, partial an indirect one or partial compliance",
    arms={"benign": Arm.BENIGN, "borderline": Arm.BORDERLINE, "dual_use": Arm.HARMFUL},
    refusals={
        "compliance": Refusal.NONE,
        "partial_compliance": Refusal.PARTIAL,
        "indirect_refusal": Refusal.PARTIAL,
        "direct_refusal": Refusal.FULL,
    },
)
"""The released rows of RefusalBench; its dual-use tier is the arm that is to be refused."""

IATROBENCH_RELEASE = Reading(
    name="IatroBench's audit scores",
    arms={"layperson": Arm.BENIGN, "physician": Arm.BENIGN},
    refusals={
        "substantive": Refusal.NONE,
        "partial_engagement": Refusal.PARTIAL,
        "generic_referral": Refusal.PARTIAL,
        "hard_refusal": Refusal.FULL,
    },
    framing_column="arm",
    omission="omission",
)
"""The released rows of IatroBench; arm of the release is the framing of the asker."""

RELEASES: Mapping[str, Reading] = {
    "xstest": XSTEST_RELEASE,
    "refusalbench": REFUSALBENCH_RELEASE,
    "iatrobench": IATROBENCH_RELEASE,
}
"""Reading of the released rows of a study, by benchmark."""

RELEASED: Mapping[str, Reading] = {
    "xstest": Reading(name="XSTest's final human label", refusal_judge="human-final", humans=("human", "annotator")),
    "iatrobench": Reading(name="IatroBench's audit scores", omission="omission"),
}
"""Reading of published replies that were read into this package's own columns, by benchmark."""

STUDY = "study:"
"""Start of the identifier of a run that holds released rows."""


def reading_for(run_id: str, benchmark: str) -> Reading:
    """How a run is read: published rows in their own words, any other run in those of this package.

    Args:
        run_id: identifier of the run: "study:" and the benchmark for the rows of a study, the benchmark and
            "-released-" for published replies.
        benchmark: its benchmark.
    """
    if run_id.startswith(STUDY):
        return RELEASES.get(benchmark, OWN)
    return RELEASED.get(benchmark, OWN) if run_id.startswith(f"{benchmark}-released-") else OWN
