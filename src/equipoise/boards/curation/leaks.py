"""Sentences of a case text that may be known only because the board decided them.

Rules over words, in two layers. `suspect` compares a sentence with what was decided; the verifier of deletions reads this layer alone.
`find_leaks` adds the signs of `implied`, for a decision told in other words, and leaves out what `elsewhere` knows to come from before or
from others. A suspicion is a place for a reader or a model to look at: nothing is deleted here. What no rule sees is a decision told by
what the text leaves out. The idea of testing each statement against the decision is that of
OpenTumorBoard's protocol (`evaluation/deleak`, arXiv:2609.32810); rules and words are ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from equipoise.boards.curation.elsewhere import from_elsewhere
from equipoise.boards.curation.implied import Sign, signs_in
from equipoise.boards.curation.parts import Part, content, overlap, sentences, stem
from equipoise.boards.measures.treatments import Field, doses_in, fields_of, treatments_in, with_digits
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role

VERSION = "leaks-3"

_BOARD = re.compile(
    r"\b(?:(?:tumou?r |multidisciplinary |molecular )?(?:board|mdt|panel|committee|conference|team)\b(?:'s)?|"
    r"consensus|we|it was)"
    r"[^.!?\n]{0,40}?\b(?:recommend\w*|agree[ds]?|decid\w*|decision|conclu\w+|advis\w+|favou?r\w*|voted|"
    r"suggest\w*|felt|settled|endorsed|"
    r"proposed|chose)\b"
    r"|\b(?:recommended|agreed|decided|advised|proposed|suggested|concluded|endorsed) (?:by|at|in) (?:the|our|this) "
    r"(?:\w+ )?(?:board|mdt|panel|conference|team)\b"
    r"|\b(?:as|per) (?:discussed|agreed|decided|recommended)\b|\bper (?:tumou?r )?board\b|\bthe consensus\b"
)
_PLAN = re.compile(
    r"\b(?:will|shall|should|is to|are to|plan|plans|planned|planning|schedul\w+|recommend\w*|indicated|advised|"
    r"candidate|refer(?:red|ral)?|due|"
    r"intend\w*|proposed|offered|requested|arranged|ordered|to (?:start|begin|receive|undergo|have|proceed|"
    r"replace)|going to|favou?red|deferred|"
    r"chosen|follows?|comes? (?:first|next)|begins?|starts?)\b"
)
_FUTURE = re.compile(r"\b(?:will|shall|is to|are to|is planned|are planned|going to|is due|are due)\b")
_JUDGES = re.compile(
    r"\b(?:un)?(?:suitable|feasible|acceptable|resectable|appropriate|eligible|fit for)\b|\bcandidate\b|\brules? "
    r"(?:it|this|that|them)? ?out\b|"
    r"\b(?:no|not?)\b[^.;]{0,30}\b(?:indicat\w+|required|needed|necessary|recommended|advised|role|benefit)\b|"
    r"\b(?:is|are) (?:indicated|preferred|advised|"
    r"required|needed|recommended)\b"
)
_CONTINUES = re.compile(r"\b(?:continues?|goes on|stays on|is (?:stopped|dropped|omitted|held))\b")
_REVIEWED = re.compile(
    r"\b(?:after|on|upon|at) (?:the )?(?:central |joint |panel )?(?:re-?)?(?:review|discussion)\b|\bfinal "
    r"(?:grade|stage|diagnosis)\b"
)
_ASKS = re.compile(
    r"\b(?:the question (?:is|was)|asks?|asked|wonders?|whether|for (?:discussion|advice|an opinion) (?:of|on|"
    r"about)|presented for)\b|\?"
)
_NOT_DONE = re.compile(
    r"\b(?:was|were|has been|have been|had been) (?:not|never) (?:yet )?(?:done|performed|obtained|sent|reported|"
    r"given|made|tested)\b"
)
_STAGE = re.compile(
    r"\bstage (?:0|i{1,3}v?|iv)(?:[abc]\d?)?\b|\b(?:i{2,3}|iv)[abc]\d?\b|\b[cpuy]{0,2}t[0-4](?:is|[a-d])?\b|"
    r"\b[cpuy]{0,2}n[0-3][a-c]?\b|\bm[01][a-c]?\b|"
    r"\bgrade (?:[1-5]|one|two|three|four|i{1,3}|iv)\b|\b(?:borderline|locally advanced|oligometastatic|"
    r"resectable|unresectable)\b"
)
_ACTIONS = re.compile(
    r"\b(?:re-?biops\w+|biops\w+|aspirat\w+|endoscop\w+|colonoscop\w+|laparoscop\w+|mediastinoscop\w+|"
    r"bronchoscop\w+|cystoscop\w+|ebus|mri|ct|pet|"
    r"scan|ultrasound|mammogram|echocardiogram|testing|sequencing|germline|panel|genetics?|dietitian|"
    r"counsell?ing|physiotherapy|transplant\w*|"
    r"ablat\w+|emboli[sz]\w+|tace|stent\w*|surveillance|watch and wait|observation|hospice|palliative care|trial|"
    r"vaccin\w+|instillation\w*|"
    r"debulking|reconstruction|visit|second opinion|cea|psa|afp|blood tests?|follow-?up|wedge|fertility|dental|"
    r"pulmonary function)\b"
)
_HISTORY = re.compile(
    r"\b(?:received|completed|underwent|status post|s/p|prior|previous(?:ly)?|history|progress(?:ed|ion) on|"
    r"since|treated with|finished|"
    r"(?:19|20)\d\d|had an?|relapsed|recurred|post-?operative|was given|were given|ended)\b"
)
_MARKER = re.compile(r"\b(?!pt?[nm]?\d)[a-z]{2,5}\d{1,2}[a-z]?\b")
_DECIDED = re.compile(
    r"\b(?:i|we|you)(?:'d|'ll)?(?: would| will| should| could| can| do| think we)?(?: not| never| rather| still| "
    r"also| strongly| all| just)*"
    r" (?:recommend|advise|propose|suggest|prefer|favou?r|give|start|add|do|use|plan|offer|go|proceed|resect|"
    r"operate|irradiate|excise|treat|"
    r"repeat|refer|wait|hold|watch|observe|get|send|order|enrol+|screen|agree|support|switch|continue|stop|take|"
    r"put|need|keep|avoid|skip|"
    r"consent|biopsy|re-?biopsy|stage|test|image|scan|follow|bring|call|drop|like|see)\b"
    r"|\blet(?:'s| us)\b|\bso (?:the )?(?:plan|decision|consensus)\b|\b(?:plan|recommendation|consensus|"
    r"decision) (?:is|would be|will be)\b"
    r"|\b(?:she|he|they|patient|this|that|it) (?:should|needs?|ought to|will|would)\b|\bmy (?:vote|"
    r"recommendation|preference|plan)\b"
    r"|\bno (?:role|need|indication|place) for\b|\bagreed\b|\bnot (?:indicated|recommended|a candidate)\b|"
    r"\b(?:should|must) be\b|\bi advise\b"
)
_NEGATIVE = re.compile(r"\b(?:no|not|never|without|against|declin\w+|withh\w+|defer\w*|n't|contraindicated)\b")
_PAST = re.compile(
    r"\b(?:was|were|had|has had|have had|received|underwent|showed|shows|reads?|came back|ended|stopped|did|gave)\b"
)
_CONDITION = re.compile(r"\b(?:whatever|if|unless|once|until|when|whether|depending on)\b[^.;]*")
_OPINION = re.compile(
    r"\b(?:i (?:now |also |still )?(?:think|believe|would|favou?r)|in my (?:opinion|view)|to me|so it is|it is|that is)\b"
)
_WHETHER = re.compile(r"\b(?:whether|wonders?|the question (?:is|was))\b")
_DECIDING = frozenset(
    {
        Role.SURGEON,
        Role.MEDICAL_ONCOLOGIST,
        Role.RADIATION_ONCOLOGIST,
        Role.GENETIC_COUNSELOR,
        Role.CLINICAL_TRIAL_SPECIALIST,
        Role.NURSE_NAVIGATOR,
        Role.OTHER,
    }
)
"""Roles whose statement of a treatment or test is read as a proposal even without words of decision."""
ENOUGH = 0.6
"""Share of the words of a statement that a passage must hold to say the same."""


class LeakRule(StrEnum):
    """What raised the suspicion."""

    BOARD_WORDS = "words of a board's decision"
    PLAN_OVERLAP = "a plan in the words of the decision"
    DECISION_OVERLAP = "the words of the decision"
    LATE_ACTION = "a treatment or test first named when the board decided"
    STAGE = "a stage or grade first named by the board"
    JUDGEMENT = "a judgement on a treatment that the presentation does not make"
    FUTURE = "something to come that the presentation does not tell"
    ARRANGED = "something arranged, handed over or consented to that the presentation does not tell"
    FITS = "a step said to fit or to be needed that the presentation does not tell"
    SET_ASIDE = "a step set aside that the presentation does not set aside"
    SETTLED = "an uncertainty settled that the presentation leaves open"
    TO_COME = "a step to come that the presentation does not name"
    UNTOLD = "a state of which the presentation tells next to nothing"


_BY_SIGN = {
    Sign.ARRANGED: LeakRule.ARRANGED,
    Sign.FITS: LeakRule.FITS,
    Sign.SET_ASIDE: LeakRule.SET_ASIDE,
    Sign.SETTLED: LeakRule.SETTLED,
    Sign.TO_COME: LeakRule.TO_COME,
    Sign.UNTOLD: LeakRule.UNTOLD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A sentence of a case text to look at.

    Attributes:
        start: its first character in the text.
        end: one past its last.
        rules: what raised it, in the order of the catalogue.
        strong: False when the sentence reads like history or a finding, or only a judgement, a future or signs of a decision in other
            words speak for it.
        negative: whether the sentence denies something, so that a decision against it can be read from it.
        turns: ids of the turns that decide the same; empty when only the conclusion does.
    """

    start: int
    end: int
    rules: tuple[LeakRule, ...]
    strong: bool
    negative: bool
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of the discussion or of the conclusion.

    Attributes:
        turn: id of its turn; empty for the conclusion.
        text: the sentence.
        decided: whether it decides something, by its words; the conclusion always does.
        early: whether it was said before anybody decided anything.
    """

    turn: str
    text: str
    decided: bool
    early: bool


def passages(discussion: Sequence[Turn], conclusion: str) -> tuple[Passage, ...]:
    """The sentences of a discussion and its conclusion, and what each is.

    The presentation is the first of several turns, and what follows until the first sentence that decides something; a question
    decides nothing. Findings told later by those who read pictures and slides count as known before, too.
    """
    found = []
    early = True
    for place, turn in enumerate(discussion):
        opening = place == 0 and len(discussion) > 1
        for part in sentences(turn.text):
            decides = not opening and _decides(part.text, turn.role)
            early = early and not decides
            finding = turn.role in (Role.RADIOLOGIST, Role.PATHOLOGIST, Role.MOLECULAR_PATHOLOGIST) and not decides
            asked = _ASKS.search(part.text.casefold()) is not None
            found.append(Passage(turn.id, part.text, decides, (early or finding) and not asked))
    found.extend(Passage("", part.text, True, False) for part in sentences(conclusion) if not part.heading)
    return tuple(found)


def _decides(text: str, role: Role) -> bool:
    lowered = text.casefold()
    if text.endswith("?"):
        return False
    if _DECIDED.search(lowered) or (
        role is not Role.MODERATOR
        and re.search(r"\bso (?:it is |that is )?(?:stage )?\S+", lowered)
        and _STAGE.search(lowered)
    ):
        return True
    named = bool(actions_in(text) or _STAGE.search(lowered))
    return role in _DECIDING and named and _PAST.search(lowered) is None


def not_done(text: str) -> bool:
    """Whether a sentence tells that something had not been done: known before, and no decision."""
    return _NOT_DONE.search(text.casefold()) is not None


def actions_in(text: str) -> frozenset[str]:
    """Treatments, tests, referrals and other steps that a text names; a marker such as MDM2 stands for its test."""
    lowered = text.casefold()
    return treatments_in(text) | {
        stem(found.group()) for pattern in (_ACTIONS, _MARKER) for found in pattern.finditer(lowered)
    }


def find_leaks(case_text: str, discussion: Sequence[Turn], conclusion: str) -> tuple[Suspicion, ...]:
    """Sentences of a case text that may tell what the board decided.

    Args:
        case_text: what a system would be given.
        discussion: the turns, in order.
        conclusion: its text; decisions may be added to it, one a line.

    Returns:
        Suspicions in the order of the text; empty does not mean that there is no leak.
    """
    said = passages(discussion, conclusion)
    before, told, later = presentation(discussion, said)
    found = []
    for part in sentences(case_text):
        if part.heading or from_elsewhere(part.text, before):
            continue
        suspicion = suspect(part, said)
        if suspicion is None and not (_ASKS.search(part.text.casefold()) or not_done(part.text)):
            suspicion = _implied(part, told, later, [item for item in said if item.decided])
        if suspicion is not None:
            found.append(suspicion)
    return tuple(found)


def presentation(discussion: Sequence[Turn], said: Sequence[Passage]) -> tuple[str, tuple[str, ...], str]:
    """The presentation for those rules that look for what it does not tell: narrower than the early passages.

    After the first turn a proposal without a verb ("Salvage radiation, whatever the PET shows.") and an opinion on a finding given
    after the first decision ("I now think these are metastases.") are not part of it.

    Args:
        discussion: the turns.
        said: their passages.

    Returns:
        Its text; its sentences without questions; the text of what came later.
    """
    roles = {turn.id: turn.role for turn in discussion}
    first = discussion[0].id if len(discussion) > 1 else ""
    before, told, later = [], [], []
    begun = False
    for item in said:
        begun = begun or item.decided
        lowered = item.text.casefold()
        opening = bool(first) and item.turn == first
        proposal = roles.get(item.turn) in _DECIDING and _PAST.search(_CONDITION.sub(" ", lowered)) is None
        opinion = begun and _OPINION.search(lowered) is not None
        if not (opening or (item.early and not proposal and not opinion)):
            later.append(item.text)
            continue
        before.append(item.text)
        if not (item.text.endswith("?") or _WHETHER.search(lowered)):
            told.append(item.text)
    return "\n".join(before), tuple(told), "\n".join(later)


def _implied(part: Part, told: Sequence[str], later: str, decided: Sequence[Passage]) -> Suspicion | None:
    """What signs of a decision in other words a sentence bears; None when it bears none."""
    signs = signs_in(part.text, told, later)
    if not signs:
        return None
    return Suspicion(
        start=part.start,
        end=part.end,
        rules=tuple(_BY_SIGN[sign] for sign in signs),
        strong=False,
        negative=_NEGATIVE.search(part.text.casefold()) is not None,
        turns=_turns(part.text, decided),
    )


def suspect(part: Part, said: Sequence[Passage]) -> Suspicion | None:
    """What is suspicious in one sentence; None when nothing is."""
    lowered = part.text.casefold()
    rules = _rules(part.text, [item for item in said if item.decided], [item for item in said if item.early])
    if not rules:
        return None
    history = _HISTORY.search(lowered) is not None and _PLAN.search(lowered) is None
    sure = set(rules) - {LeakRule.FUTURE, LeakRule.JUDGEMENT}
    if not treatments_in(part.text) and _PLAN.search(lowered) is None:
        sure -= {LeakRule.LATE_ACTION}  # a test that is only named may be a finding
    return Suspicion(
        start=part.start,
        end=part.end,
        rules=rules,
        strong=LeakRule.BOARD_WORDS in rules or (bool(sure) and not history),
        negative=_NEGATIVE.search(lowered) is not None,
        turns=_turns(part.text, [item for item in said if item.decided]),
    )


def _rules(text: str, decided: Sequence[Passage], early: Sequence[Passage]) -> tuple[LeakRule, ...]:
    lowered, words, named = text.casefold(), content(text), actions_in(text)
    if _BOARD.search(lowered):
        return (LeakRule.BOARD_WORDS,)
    if _ASKS.search(lowered) or not_done(text):
        return ()
    all_early, all_decided = _text(early), _text(decided)
    known_words, decided_words = content(all_early), content(all_decided)
    best = max((overlap(words, content(item.text)) for item in decided), default=0.0)
    known = max((overlap(words, content(item.text)) for item in early), default=0.0)
    late = (named & actions_in(all_decided)) - actions_in(all_early)
    new = (words & decided_words) - known_words
    before = known >= ENOUGH and known >= best and not late
    plans = any(pattern.search(lowered) for pattern in (_PLAN, _JUDGES, _CONTINUES))
    fields = _fields(text) & _fields(all_decided) and not named & actions_in(all_early)
    rules = []
    if plans and not before and ((new and best >= ENOUGH - 0.1) or late or fields or _dose(text, decided)):
        rules.append(LeakRule.PLAN_OVERLAP)
    if not before and len(new) >= 2 and best >= ENOUGH:
        rules.append(LeakRule.DECISION_OVERLAP)
    if late and not before:
        rules.append(LeakRule.LATE_ACTION)
    if (_stages(text) & _stages(all_decided)) - _stages(all_early) or _REVIEWED.search(lowered):
        rules.append(LeakRule.STAGE)
    if _judged(lowered, all_early.casefold(), named) or (
        _CONTINUES.search(lowered) and named & actions_in(all_decided)
    ):
        rules.append(LeakRule.JUDGEMENT)
    if _FUTURE.search(lowered) and known < ENOUGH:
        rules.append(LeakRule.FUTURE)
    return tuple(rules)


def _text(said: Sequence[Passage]) -> str:
    return "\n".join(item.text for item in said)


def _fields(text: str) -> frozenset[Field]:
    return frozenset(field for _, field in fields_of(text))


def _stages(text: str) -> frozenset[str]:
    return frozenset(
        " ".join(with_digits(found.group()).removeprefix("stage ").split())
        for found in _STAGE.finditer(text.casefold())
    )


def _judged(lowered: str, early: str, named: frozenset[str]) -> bool:
    """A judgement on something to be done, none of whose words the presentation uses."""
    found = _JUDGES.search(lowered)
    return found is not None and (bool(named) or "resectable" in lowered) and found.group() not in early


def _dose(text: str, decided: Sequence[Passage]) -> bool:
    doses = doses_in(text)
    return bool(doses) and any(doses & doses_in(item.text) for item in decided)


def _turns(text: str, decided: Sequence[Passage]) -> tuple[str, ...]:
    words, named = content(text), actions_in(text)
    same = [
        item.turn
        for item in decided
        if item.turn and (overlap(words, content(item.text)) >= ENOUGH or named & actions_in(item.text))
    ]
    return tuple(dict.fromkeys(same))
