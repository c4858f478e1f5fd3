"""Signs that a sentence tells a decision in other words than the board's.

Two things together make a sign: the sentence says little that the presentation said, and it speaks of something arranged, fitting, set
aside, settled or still to come. Neither is enough alone. Rules over English words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from equipoise.boards.curation.parts import content, overlap
from equipoise.boards.measures.treatments import fields_of, treatments_in

ENOUGH = 0.6
"""Share of the words of a sentence that the presentation must hold for the sentence to count as told."""
SURELY = 0.75
"""The same for a sentence that sets something aside or settles it, since one word of it can be the decision."""
HARDLY = 0.34
"""A sentence in the present of which the presentation tells less is a sign by itself."""
WINDOW = 6
"""How many sentences of the presentation in a row are read together."""


class Sign(StrEnum):
    """What a sentence speaks of."""

    ARRANGED = "arranged"
    FITS = "fits"
    SET_ASIDE = "set aside"
    SETTLED = "settled"
    TO_COME = "to come"
    UNTOLD = "untold"


_BE = r"(?:is|are|was|were|has been|have been|had been|being|gets?|got)"
_ARRANGED = re.compile(
    r"\b(?:appointments?|slots?|referrals?|referred (?!by|from|here|to us)\w+|sent (?:on |over )?to|handed (?:over|on) to|put in touch|"
    r"contacted|informed|notified|booked|reserved|scheduled|(?:set|fixed) (?:for|up|to)|arranged|organi[sz]ed|requested|ordered|"
    r"enrol+ed|"
    r"registered|on the (?:waiting |operating )?list|listed for|dates? (?:for|has|have|is|was)|invited|admitted for|"
    r"(?:will|to) (?:see|meet)|sees|expected (?:at|in|by|on)|will be seen|visits?|"
    r"consent(?:s|ed)?|signed|agree[ds]? (?:to|with)|accept(?:s|ed)|willing|happy (?:to|with)|ready (?:to|for)|"
    r"(?:was|been|were) (?:told|counsel+ed|warned|prepared)|explained|"
    r"upcoming|forthcoming|coming|foreseen|envisaged|awaited|awaits|in preparation|in time for|preparatory|"
    r"prepar(?:ed|es|ing) for|under preparation)\b"
)
_FITS = re.compile(
    r"\b(?:eligib\w+|qualif\w+|falls? (?:under|within|into|to)|in need of|needs?|requires?|amenable|(?:an?|"
    r"the) (?:\w+ )?(?:option|choice)|"
    r"candidates?|possible|feasible|sufficient|adequate|fit (?:enough|for)|suits?|suited|suitable|fits|"
    r"meets? (?:the )?(?:criteria|conditions)|"
    r"can (?:be|have|get|tolerate|undergo|safely)|could (?:be|have|undergo)|benefits?|profits?|worth\w*|necessary|essential|mandatory|"
    r"unavoidable|safe|(?:in)?operable|(?:un)?resectable|resectability|appropriate|justified|warranted|makes sense|"
    r"(?:right|best|preferred|better) (?:treatment|operation|choice|option|way|course))\b"
)
_SET_ASIDE = re.compile(
    r"\b(?:off the table|called off|cancel+ed|abandoned|dropped|given up|set aside|ruled out|out of the question|put off|postponed|"
    r"rejected|waived|forgone|omitted|left out|spared|withheld|avoided|skipped|"
    r"unnecessary|needless|superfluous|futile|pointless|unsuitable|ineligible|inadvisable|"
    r"(?:not|never|no longer|neither) (?:\w+ ){0,2}?(?:pursued|considered|undertaken|attempted|foreseen|planned|necessary|needed|"
    r"required|"
    r"possible|advisable|options?|amenable|worth\w*|offered|warranted|justified|helpful|useful|candidates?|suitable|eligible|intended|"
    r"favou?red|sought|recommended|indicated|advised|wanted|thought|felt|on the table|the way)|"
    r"no (?:\w+ )?(?:use|place|role|need|reason|point|case|grounds?|benefit|gain|advantage|indication)|of no (?:use|help|value)|"
    r"nothing (?:\w+ )?(?:to be|has to|needs to|speaks for|is gained|would be gained)|"
    r"(?:does|do|will|would|need|should|must|can) not (?:need|require|call for|have to|qualify|benefit|be|undergo|receive|get|"
    r"have|help|change)|"
    r"too (?:risky|frail|dangerous|late|early|extensive|advanced)|against (?:an?|any|the|further)\b|instead of|rather than)\b"
)
_SETTLED = re.compile(
    r"\b(?:represents?|constitutes?|amounts? to|turn(?:s|ed) out|prove[sd]|proven|deemed|"
    r"(?:is|are|was|were|be|been) (?:now |best |to be )?(?:regarded|considered|classified|classed|judged|counted|taken|"
    r"interpreted|viewed|seen|"
    r"recogni[sz]ed|treated|staged|graded|label+ed|rated|thought|felt|assumed|accepted) (?:as|to|for|sufficient|adequate)|"
    r"re-?(?:classified|staged|graded|interpreted)|(?:up|down)(?:staged|graded)|confirmed (?:as|to)|agreed (?:as|stage|on as)|"
    r"now (?:stage|grade|called|counts?)|(?:truly|really|clearly|definitely|indeed|rather) (?:an?|the|stage)|"
    r"(?:is|are) (?:a |an |the )?(?:neoplastic|malignant|benign|reactive|inflammatory|metastatic|metastas[ie]s|scar|necrosis|artefact|"
    r"second primary|new primary|recurrence|pseudoprogression|oligo\w+))\b"
)
_TO_COME = re.compile(
    r"\b(?:goes? (?:ahead|forward|on to)|(?:kept|held|remains?|stays?|left|saved|reserved) (?:in reserve|for (?:later|relapse|"
    r"progression)|as|until)|"
    r"in reserve|rests? on|hinges? on|depends? on|waits? for|will|shall|should|ought|is to|are to|due|pending|ahead of|foreseen|"
    r"planned|"
    r"intended|proposed|advised|recommended|indicated|offered|given|before|prior to|followed by|follows?|next|first|then|later|"
    r"once|until|"
    r"as soon as|completes?|serves?|replaces?|precedes?|starts?|begins?|comes?|continues?|during|for the (?:time|duration)|for now|"
    r"with a view to|in view of|because of the|so that|bridge|repeat(?:ed)?)\b"
)
_STEPS = re.compile(
    r"\b(?:(?:re|pre|post)?-?(?:operat|resect|irradiat|excis|biops|scan|imag|stag)\w*|remov(?:e[ds]?|al|ing)|surg\w+|\w+ectom(?:y|ies)|"
    r"radi(?:ation|otherapy|osurgery|otherapist)|\w*chemo\w*|immuno\w+|hormon\w+|androgen deprivation|adt|\w+therap(?:y|ies)|"
    r"treatments?|"
    r"transplant\w*|preservation|sparing|reconstruct\w+|dissection|debulking|protons?|simulation|infusion|cycles?|inhibitors?|"
    r"(?:\w+ )?(?:course|program(?:me)?|sequence|schedule|protocol|regimen|pathway)|trials?|study|mri|ct|pet|fish|ecg|echo\w*|"
    r"tests?|testing|sequencing|panel|genetic\w*|counsel\w+|clinic|unit|cent(?:er|re)|nurse|dietitian|palliative|hospice|"
    r"surveillance|observation|watch\w*|follow-?up|mask|port|catheter|stent|fertility|dental|teeth|prehabilitation|rehabilitation)\b"
)
_OVER = re.compile(
    r"\b(?:had|received|underwent|completed|finished|ended|progressed|relapsed|recurred|stopped|since|(?:19|20)\d\d|ago|"
    r"last (?:year|month|week|spring|summer|autumn|fall|winter)|"
    r"(?:was|were) (?:\w+ly )?(?:done|given|performed|removed|resected|excised|taken|treated|operated|irradiated|found|seen|"
    r"placed|made|"
    r"started|begun|drained|diagnosed|detected|biopsied|positive|negative|clear|normal))\b"
)
_PRESENT = re.compile(
    r"\b(?<!there )(?:is|are|has|have|gets?|can|may|must|stands?|remains?|stays?|goes|belongs?|lies|means|allows?)\b"
)
_CODE = re.compile(r"\b[a-z]{1,4}-?\d{1,2}[a-c]?\b")


def told(text: str, presentation: Sequence[str]) -> float:
    """Share of the words of a sentence that some sentences in a row of the presentation hold, 0 to 1.

    Args:
        text: the sentence.
        presentation: its sentences, in order; with none the share is 0.
    """
    words = content(_spelled(text))
    windows = (presentation[place : place + WINDOW] for place in range(max(1, len(presentation) - WINDOW + 1)))
    return max((overlap(words, content(_spelled("\n".join(window)))) for window in windows), default=0.0)


def _spelled(text: str) -> str:
    """Some words for the same thing under one name."""
    lowered = re.sub(r"\bchemo\b", "chemotherapy", text.casefold())
    lowered = re.sub(r"\b(?:surgical\w*|operat(?:e[ds]?|ions?|ive))\b", "surgery", lowered)
    return re.sub(r"\b(?:radiotherapy|irradiat\w+)\b", "radiation", lowered)


def steps_in(text: str) -> frozenset[str]:
    """Steps a sentence names, by the first letters of their words, drugs by their generic names, treatments also by field."""
    lowered = text.casefold()
    return (
        treatments_in(text)
        | {found.group()[:7] for found in _STEPS.finditer(lowered)}
        | {field.value for _, field in fields_of(text)}
    )


def signs_in(text: str, presentation: Sequence[str], later: str) -> tuple[Sign, ...]:
    """What a sentence speaks of that the presentation does not tell.

    Args:
        text: the sentence.
        presentation: sentences said before anybody decided anything; with none there are no signs.
        later: the rest of the discussion and the conclusion.
    """
    if not presentation:
        return ()
    lowered, before = text.casefold(), "\n".join(presentation).casefold()
    share = told(text, presentation)
    steps = steps_in(text)
    fresh = share < ENOUGH
    over = _OVER.search(lowered) is not None
    found = []
    if fresh and _new(_ARRANGED, lowered, before):
        found.append(Sign.ARRANGED)
    if fresh and not over and steps and _new(_FITS, lowered, before):
        found.append(Sign.FITS)
    if share < SURELY and not over and steps and _new(_SET_ASIDE, lowered, before):
        found.append(Sign.SET_ASIDE)
    codes = {item.group() for item in _CODE.finditer(lowered)}
    if share < 1 and ((share <= SURELY and _new(_SETTLED, lowered, before)) or _coded(codes, before, later.casefold())):
        found.append(Sign.SETTLED)
    if fresh and not over and steps - steps_in(before) and _TO_COME.search(lowered):
        found.append(Sign.TO_COME)
    if not found and not over and share < HARDLY and _PRESENT.search(lowered):
        found.append(Sign.UNTOLD)
    return tuple(found)


def _new(pattern: re.Pattern[str], lowered: str, before: str) -> bool:
    """Whether a sentence uses words of a kind that the presentation does not use."""
    return any(found.group() not in before for found in pattern.finditer(lowered))


def _coded(codes: set[str], before: str, later: str) -> bool:
    """Whether a stage or class in letters and digits was first said later."""
    return any(
        re.search(rf"\b{re.escape(code)}\b", later) and not re.search(rf"\b{re.escape(code)}\b", before)
        for code in codes
    )
