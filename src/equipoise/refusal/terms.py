"""The two words every refusal audit is made of: what a prompt calls for, and how far a reply refuses."""

from __future__ import annotations

from enum import StrEnum


class Arm(StrEnum):
    """What a reply ought to do, as the benchmark labels the prompt; never guessed from its text."""

    BENIGN = "benign"
    BORDERLINE = "borderline"
    HARMFUL = "harmful"
    UNLABELLED = "unlabelled"


class Refusal(StrEnum):
    """How far a reply refuses: it answers, it holds back a part that was asked for, or it declines."""

    NONE = "none"
    PARTIAL = "partial"
    FULL = "full"
