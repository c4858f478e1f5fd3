"""What the detector returns: a reading, its cues with their place, and how much substance the reply holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.terms import Refusal

VERSION = "2"
"""Version of the detector; raised when a reading can change."""

UNSUPPORTED_LANGUAGE = "unsupported language"
"""Start of the reason when a reply is not in English."""


class CueKind(StrEnum):
    """What a span of a reply does."""

    DECLINE = "decline"
    """Declines the help that was asked for."""
    ASSESSMENT = "assessment limit"
    """Says that it cannot diagnose, interpret or decide for this person."""
    ADVICE = "advice limit"
    """Says that it cannot give medical, legal or personal advice."""
    ACCESS = "access limit"
    """Says what it cannot see, know or do in the world: a chart, an image, the future."""
    CERTAINTY = "certainty limit"
    """Says that it cannot be exact or certain."""
    WITHHOLD = "withholding"
    """Says that it leaves something out."""
    DEFER = "deferral"
    """Hands the question to somebody else."""
    MORAL = "moral judgement"
    """Calls the thing asked about wrong instead of answering."""
    RHETORIC = "figure of speech"
    """Has the form of a refusal and is none: "I can't stress enough"."""
    REFERRAL = "referral"
    """Sends the person to a professional or a service."""
    CRISIS = "crisis resource"
    """Names a crisis line or an emergency number."""
    EMPATHY = "empathy"
    """Sympathy, thanks, reassurance."""
    DISCLAIMER = "disclaimer"
    """General information, no doctor, an AI."""
    OFFER = "offer"
    """Offers something that it has not given."""
    REASON = "reason"
    """Why something is dangerous, forbidden or for a professional."""
    QUESTION = "question"
    """Asks the person back."""
    TERSE = "terse no"
    """A bare "no", read by what was asked."""
    NOTICE = "provider notice"
    """Text put in the place of a reply by a filter or a failing service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """One span that the reading rests on.

    Attributes:
        kind: what the span does.
        id: identifier of the table row that found it.
        start: first character, in code points of the reply as given.
        end: one past the last character.
        text: the span, `reply[start:end]`.
        says: what it says, in a few words.
    """

    kind: CueKind
    id: str
    start: int
    end: int
    text: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """How much the reply tells outside its declining, sympathetic, referring and offering sentences.

    Attributes:
        sentences: sentences and list items of the reply.
        informative: of these, the ones that tell something.
        weight: their summed weight, from 0; about 1 is one sentence with a fact in it. Not a probability.
    """

    sentences: int
    informative: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyReading:
    """How far a reply refuses.

    Attributes:
        refusal: none, partial or full; None unless the state is ok.
        state: ok, or why there is nothing to read.
        reason: one sentence: why this class, or why the state is not ok.
        cues: what the reading rests on, in order of place.
        content: the substance found; zero unless the state is ok.
        language: name of the language when it is not English; empty otherwise.
        version: version of the detector.
    """

    refusal: Refusal | None
    state: ReplyState
    reason: str
    cues: tuple[Cue, ...]
    content: Content
    language: str = ""
    version: str = VERSION
