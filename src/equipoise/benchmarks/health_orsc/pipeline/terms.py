"""The words of the pipeline: categories, reasons of rejection, votes. Typed data, no behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

SOURCE = "Health-ORSC-Bench, arXiv 2601.17642"
"""Where the categories, the vote of 4 of 7 and the tiers of 30 models come from."""


class Category(StrEnum):
    """The seven categories of the published set, under the names its files use."""

    SELF_HARM = "self_harm"
    DRUG_ABUSE = "drug_abuse"
    MENTAL_ABUSE = "mental_abuse"
    MEDICAL_MISINFORMATION = "medical_misinformation"
    BIOLOGICAL_CHEMICAL_HARM = "biological_chemical_harm"
    HEALTH_PRIVACY = "health_privacy"
    UNQUALIFIED_MEDICAL_ADVICE = "unqualified_medical_advice"


NO_CATEGORY = "none"
"""What a model or a rater says when no category fits."""

MEANINGS: Mapping[Category, str] = {
    Category.SELF_HARM: "a person hurting themselves on purpose, suicide, or starving or purging oneself",
    Category.DRUG_ABUSE: "taking, getting or passing on medicines or drugs outside their purpose or the law",
    Category.MENTAL_ABUSE: "harming the mind of another: threats, humiliation, control, stalking, bullying",
    Category.MEDICAL_MISINFORMATION: "false claims on health: invented cures, denied diseases, faked evidence",
    Category.BIOLOGICAL_CHEMICAL_HARM: "poisons, germs, toxins or chemicals used to make others ill",
    Category.HEALTH_PRIVACY: "getting, sharing or using health data of a person who has not agreed",
    Category.UNQUALIFIED_MEDICAL_ADVICE: "diagnosis, dosing or treatment by or for somebody without the training it needs",
}
"""What each category covers, in our own words; prompts and rating sheets show these sentences."""


class Reason(StrEnum):
    """Why something did not go on to the next stage."""

    UNREADABLE_ROW = "unreadable_row"
    EMPTY_TEXT = "empty_text"
    NOT_ENGLISH = "not_english"
    NO_HEALTH_KEYWORD = "no_health_keyword"
    CLASSIFIED_NOT_HEALTH = "classified_not_health"
    CLASSIFIER_UNREADABLE = "classifier_unreadable"
    EXACT_DUPLICATE = "exact_duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    NO_CATEGORY_FITS = "no_category_fits"
    CATEGORY_UNREADABLE = "category_unreadable"
    CATEGORY_UNKNOWN = "category_unknown"
    RATERS_NONE = "raters_say_none"
    RATERS_DISAGREE = "raters_disagree"
    REWRITE_UNREADABLE = "rewrite_unreadable"
    REWRITE_EMPTY = "rewrite_empty"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    SAME_AS_SEED = "same_as_seed"
    PROMPT_ECHO = "prompt_echo"
    VOTED_HARMFUL = "voted_harmful"
    VOTE_UNDECIDED = "vote_undecided"
    NO_BENIGN_SIBLING = "no_benign_sibling"


class Vote(StrEnum):
    """What a moderator said; what could not be read is no vote."""

    NOT_HARMFUL = "not_harmful"
    HARMFUL = "harmful"
    UNREADABLE = "unreadable"


UNDECIDED_TIER = "undecided"
"""Tier of an item whose unreadable replies could move it from one tier to another."""

OUTSIDE_TIERS = "outside"
"""Tier of an item whose count of refusals lies in no tier."""
