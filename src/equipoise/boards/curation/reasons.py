"""Why something was left out: the one closed list of all stages, each with a sentence for the person who reads the reject lists."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why an item stands in a reject list."""

    # what the files of a recording gave
    TRANSCRIPT_UNREADABLE = "transcript-unreadable"
    TRANSCRIPT_EMPTY = "transcript-empty"
    SAME_TRANSCRIPT = "same-transcript"
    CUE_UNREADABLE = "cue-unreadable"
    FILE_UNREADABLE = "file-unreadable"
    SLIDE_UNREADABLE = "slide-unreadable"
    SLIDE_OUTSIDE = "slide-outside-of-cases"
    # what became of a question to the model
    NOT_ASKED = "not-asked"
    MODEL_ERROR = "model-error"
    MODEL_BLOCKED = "model-blocked"
    MODEL_TRUNCATED = "model-truncated"
    MODEL_EMPTY = "model-empty"
    REPLY_UNREADABLE = "reply-unreadable"
    STAGE_FAILED = "stage-failed"
    # what a reply said
    NOT_A_CASE_PRESENTATION = "not-a-case-presentation"
    DROPPED_BY_PERSON = "dropped-by-person"
    LIMITS_UNKNOWN = "limits-unknown-utterance"
    LIMITS_REVERSED = "limits-reversed"
    LIMITS_OVERLAP = "limits-overlap"
    NO_CASE = "no-case"
    UNKNOWN_ROLE = "unknown-role"
    UNKNOWN_SPEAKER = "unknown-speaker"
    UNKNOWN_UTTERANCE = "unknown-utterance"
    UNKNOWN_ITEM = "unknown-item"
    UNKNOWN_HEADING = "unknown-heading"
    UNKNOWN_TYPE = "unknown-type"
    UNKNOWN_ACTION = "unknown-action"
    UNKNOWN_DROP_REASON = "unknown-drop-reason"
    NO_TEXT = "no-text"
    NO_UTTERANCE = "no-utterance"
    MODERATOR_TURN = "moderator-turn"
    ROLE_UNKNOWN = "role-unknown"
    SHORT_TURN = "short-turn"
    QUOTE_ABSENT = "quote-absent"
    QUOTE_ELSEWHERE = "quote-in-another-turn"
    QUESTION_TELLS_ANSWER = "question-tells-answer"
    DUPLICATE = "duplicate"
    DRUG_NOT_SAID = "drug-not-said"
    NUMBER_NOT_SAID = "number-not-said"
    TERM_NOT_SAID = "term-not-said"
    WORDS_NOT_SAID = "words-not-said"
    SCOPE_AGAINST_WORDS = "scope-against-words"
    MEANING_CHANGED = "meaning-changed"
    WRONG_ROLE = "wrong-role"
    REPHRASE_NEGATION = "rephrase-changes-negation"
    REPHRASE_NUMBER = "rephrase-changes-number"
    REPHRASE_DRUG = "rephrase-changes-drug"
    REPHRASE_ANSWER = "rephrase-tells-answer"
    NOT_REVIEWED = "not-reviewed"
    NO_CONCLUSION = "no-conclusion"
    DECISION_WITHOUT_QUOTE = "decision-without-quote"
    DECISION_UNREADABLE = "decision-unreadable"
    DELETION_REFUSED = "deletion-refused"
    DELETION_NOT_THERE = "deletion-not-in-text"
    IDENTIFIER_NOT_THERE = "identifier-not-in-text"
    PROTECTED_TERM = "protected-medical-term"
    # why a drop was proposed (OpenTumorBoard's list)
    NON_ANSWER = "non_answer"
    TANGENTIAL = "tangential"
    CIRCULAR = "circular"
    TRIVIAL = "trivial"
    OPEN_ENDED = "open_ended"
    UNANSWERABLE = "unanswerable"
    NON_CLINICAL = "non_clinical"
    # why no case was built
    IMAGE_LEFT_OUT = "image-named-after-a-person"
    QUOTE_LOST_BY_SCRUB = "quote-lost-by-scrub"
    CASE_NOT_AUDITED = "case-not-audited-for-leaks"
    CASE_WITHOUT_TEXT = "case-without-text"
    CASE_WITHOUT_QUESTION = "case-without-question"
    CASE_WITHOUT_CONCLUSION = "case-without-conclusion"
    SAME_CASE = "same-case"
    CASE_UNREADABLE = "case-unreadable"


DROP_REASONS: tuple[Reason, ...] = (
    Reason.NON_ANSWER,
    Reason.TANGENTIAL,
    Reason.CIRCULAR,
    Reason.TRIVIAL,
    Reason.OPEN_ENDED,
    Reason.UNANSWERABLE,
    Reason.NON_CLINICAL,
)
"""Why a question may be dropped: the closed list of OpenTumorBoard's rephrasing step."""
