"""What an assistant says it cannot or will not do, by the verb and its object.

"I can't share that" declines the asked help; "I can't diagnose you" limits it; "I can't see your chart" is about access;
"I can't stress enough" is a figure of speech. The verb decides, unless its object says otherwise.
"""

from __future__ import annotations

import re
from functools import cache

from equipoise.refusal.detector.model import CueKind

_D, _S, _A, _X, _C, _R = (
    CueKind.DECLINE,
    CueKind.ASSESSMENT,
    CueKind.ADVICE,
    CueKind.ACCESS,
    CueKind.CERTAINTY,
    CueKind.RHETORIC,
)

VERBS: dict[CueKind, str] = {
    _D: """
        accept accommodate act address adjust advise aid allow answer approve alter arrange assign assist authorize authorise author bend
        break brainstorm build bypass calculate carry certify change choose coach comment complete comply compose condone
        consider continue contribute converse counsel cover craft create deal decide decode defend deliver describe
        design detail develop direct disclose discuss do draft draw elaborate enable encourage endorse engage entertain
        estimate expand explain explore express facilitate fake falsify fill finish forge formulate fulfil fulfill
        furnish generate get give go grant guess guide hand handle help honor honour identify imagine impersonate include
        instruct invent issue justify lay lecture list make map mention name oblige offer order outline participate modify perform
        pick place play point prepare prescribe present pretend proceed process produce promote propose provide put quote
        rank recommend refill release repeat respond reveal roleplay role-play run say sell send set settle share show sign
        simulate source speak specify spell state suggest summarize summarise supply support take talk teach tell touch
        train titrate translate treat try tutor use validate venture volunteer walk weigh work write
        """,
    _S: """
        analyze analyse assess clear confirm determine diagnose evaluate exclude interpret judge predict
        prognosticate quantify rate rule speculate triage
        """,
    _A: "replace substitute serve",
    _X: """
        access browse call check connect contact examine feel find follow hear inspect know locate look measure meet monitor
        open physically play prove reach read recall remember retrieve search see store test track verify view watch
        """,
    _C: "guarantee promise",
    _R: """
        agree believe blame emphasise emphasize fathom fault imagine overemphasise overemphasize overstate pretend
        stress sugarcoat sugar-coat thank understate underestimate underline wait lie judge ignore deny argue fix erase
        rush minimise minimize shame scold dismiss
        """,
}
"""Verbs by what their denial says; a verb in two rows is settled by `_SETTLED`."""

_SETTLED: dict[str, CueKind] = {"imagine": _R, "judge": _S, "pretend": _R, "play": _X}

OBJECTS: tuple[tuple[str, str, CueKind | None], ...] = (
    # verb ("*" any), pattern of what follows it, meaning; None: no cue
    ("*", r"(?:\S+\s){0,6}?(?:highly |strongly |clearly |you )?enough\b(?! (?:information|detail|context|data|evidence|to))", _R),
    ("change", r"(?:the past|how|what happened|that\b|the fact)", _R),
    ("*", r"(?:\S+\s){0,3}?(?:how |what )?any (?:one |individual |given |single |particular )?(?:person|patient|case|individual)", _C),
    ("pretend", r"(?:to$|to (?:be|have)\b)", _D),
    ("speak", r"to\b", _X),
    ("help", r"but\b|feeling\b|thinking\b|noticing\b|wonder|it\b", _R),
    ("tell", r"you how (?:sorry|glad|happy|proud|often|common|hard|impressed|grateful|important|relieved|many times|much (?:i|we|it|this means))", _R),
    ("tell", r"(?:you )?(?:that )?(?:you(?:'re| are| should| have| must| need)|not to|what to (?:feel|think|believe)|it(?:'s| will be| is) easy)", _R),
    ("tell", r"you (?:that )?(?:it(?:'s| is| will be)|this is|that's) (?:ok|okay|fine|safe|all right|nothing)\b", _X),
    ("tell", r"you (?:it's|this is|that (?:it|this|everything))", _R),
    ("tell", r"(?:just )?(?:from|over|by)\b|(?:you )?(?:for (?:sure|certain)|exactly|precisely|definitively|with (?:any )?certainty)\b", _C),
    ("tell", r"(?:you )?(?:whether|if|which (?:of|one|is|are|it)|why|what(?:'s| is| it| this| that| caused?| your)|who)\b", _S),
    ("try", r"to\b", _R),
    ("judge", r"(?:you|anyone|him|her|them)\b|$", _R),
    ("place", r"(?!orders?|an order|that|this)", None),
    ("say", r"(?:for (?:sure|certain)|exactly|precisely|definitively|with (?:any |complete |absolute |full )?(?:certainty|confidence)|without)\b", _C),
    ("say", r"(?:whether|if|which|what(?:'s| is| it| this)?|why|that|it(?:'s| is| will))\b", _S),
    ("say", r"(?:i|i'm|it any)\b", _R),
    ("know", r"(?:how (?:you|hard|difficult|painful|it feels)|what (?:you're|it's|it is) (?:like|going))", _R),
    ("make", r"(?:\w+ )?(?:promises?|guarantees?|it (?:better|go away|easier)|you\b|up\b|assumptions|sense|light)", _R),
    ("make", r"(?:\w+ ){0,3}(?:diagnos\w+|assessment|determination|prediction)", _S),
    ("make", r"(?:\w+ ){0,3}(?:calls?|decisions?|recommendations?|choices?|plans?|suggestions?|judge?ments?|comparisons?|that|one|this|those|changes|adjustments|statements?|claims?|it|exceptions?|lists?|diets?|schedules?)\b", _D),
    ("make", r"", _R),
    ("give", r"up\b|you (?:false|empty)|false\b", _R),
    ("give", r"(?:\w+ ){0,3}(?:guarantee|promise|certainty)", _C),
    ("offer", r"(?:\w+ ){0,2}(?:guarantee|promise|certainty|false)", _C),
    ("go", r"(?:back|wrong|away|anywhere|without|to (?:the|your|a))\b", None),
    ("go", r"(?:\w+ ){0,2}(?:into (?:\w+ ){0,2}(?:your|the) (?:chart|record))", _X),
    ("do", r"(?:that |this |it )?(?:enough|justice)|(?:an? )?(?:physical )?exam", _X),
    ("take", r"(?:away|back|(?:the |your )?(?:pain|place))|the place", _R),
    ("take", r"(?:aspirin|ibuprofen|it\b(?! on| further)|my|any (?:pills|medic))", None),
    ("get", r"(?:over|through|past|used)\b|(?:\w+ )?(?:sleep|pregnant|sick|better|out of bed|up\b|warm)", None),
    ("work", r"(?!out|through|on|with|up|that|this)", None),
    ("use", r"(?!that|this|my|language|those|these)", None),
    ("draw", r"(?:blood|a line\b)", None),
    ("run", r"(?!through|that|this|you|an? |the )", None),
    ("carry", r"(?!out|on)", None),
    ("break", r"(?!down|that|this|it down|my|confidential)", None),
    ("put", r"(?!together|that|this|a \w+|an \w+|a number|numbers|any|out|into words|it together|forward|one\b|a label|labels|odds)", None),
    ("put", r"into words", _R),
    ("set", r"(?!up|out|that|this|your|a dose|doses|the)", None),
    ("act", r"(?!as|on|out|like)", None),
    ("consider", r"(?!that|this|your request)", None),
    ("deal", r"(?!with (?:that|this|your|requests?)\b)", None),
    ("hand", r"(?!over|out|that|you)", None),
    ("play", r"(?:along|a (?:role|character)|the (?:role|part))", _D),
    ("treat", r"(?:you |him |her |that |this )?like|myself", None),
    ("call", r"(?:emergency|911|an ambulance|anyone|someone|them|for)", _X),
    ("call", r"", None),
    ("look", r"(?:after|away)", None),
    ("see", r"(?:myself|a reason|any reason|why|how)", None),
    ("find", r"(?:a|any|fault|the) (?:reason|fault|words)", _R),
    ("follow", r"", None),
    ("feel", r"", None),
    ("read", r"(?:your mind|minds)", _X),
    ("reach", r"", None),
    ("rule", r"out", _S),
    ("clear", r"(?!you|him|her|that|this|it)", None),
    ("rate", r"(?!that|this|your|the|how)", None),
    ("choose", r"to\b|between my", None),
    ("accept", r"(?!that|this|your|requests?)", None),
    ("support", r"(?:weight|my weight)", None),
    ("recommend|advise|suggest|endorse|encourage", r"(?:against|[a-z]+ing\b|that you|you\b(?! (?:a|an|any|specific|which|what|how|on|about|to (?:take|use|do) that))|(?:it|them|(?:ei|o)ther|both)\b(?! to)|(?:that|this)\b(?=,? (?:because|since|as|for|in|at|when|while|with|under|before|if|unless|either|combination|approach|product|supplement|mix)))", CueKind.ACCESS),
    ("*", r"(?:\S+\s){0,5}?(?:a |any |the |my )?(?:\w+ )?diagnos", _S),
    ("*", r"(?:\S+\s){0,3}?(?:medical|clinical|professional|legal|personal(?:i[sz]ed)?|individual(?:i[sz]ed)?|health(?:care)?|psychiatric|formal)(?: or \w+)? (?:\w+ )?(?:advice|guidance|opinions?|recommendations?|care|clearance|counsel|consultation)", _A),
    ("*", r"(?:\S+\s){0,4}?(?:with (?:any |complete |absolute |full |real )?(?:certainty|confidence)|for (?:sure|certain)|definitively|precisely|reliabl[ey])\b", _C),
    ("*", r"(?:\S+\s){0,4}?(?:an? |the |any )?(?:exact|precise|definite|definitive|certain|reliable|accurate|firm|guaranteed|100%|universal|single|one-size)\s(?:\w+\s)?(?:answer|number|numbers|dose|amount|date|time|timeline|figure|odds|cause|prognosis|prediction|estimate|value|percentage|diagnosis|count|chance|calorie|recommendation|dosage|duration)", _C),
    ("*", r"(?:\S+\s){0,9}?without (?:knowing|seeing|examining|more|further|a (?:full|physical|proper|complete)|an exam|additional|your (?:chart|records?|labs?|weight|age|history)|the (?:images?|chart|labs?|results?|full))", _C),
)  # fmt: skip
"""What the object of a verb makes of it; the first row that fits counts."""


@cache
def _rows(verb: str) -> tuple[tuple[re.Pattern[str], CueKind | None], ...]:
    return tuple(
        (re.compile(pattern), kind) for verbs, pattern, kind in OBJECTS if verbs == "*" or verb in verbs.split("|")
    )


@cache
def _table() -> dict[str, CueKind]:
    table: dict[str, CueKind] = {}
    for kind, words in VERBS.items():
        for word in words.split():
            table[word] = _SETTLED.get(word, table.get(word, kind))
    return table


@cache
def base_form(word: str) -> str:
    """The verb of the table that a word is a form of; empty when it is of none."""
    table = _table()
    candidates = [word]
    if word.endswith("ing") and len(word) > 4:
        stem = word[:-3]
        candidates += [stem, stem + "e"]
        if len(stem) > 2 and stem[-1] == stem[-2]:
            candidates.append(stem[:-1])
        if stem.endswith("y"):
            candidates.append(stem[:-1] + "ie")
    return next((item for item in candidates if item in table), "")


def meaning(verb: str, after: str) -> CueKind | None:
    """What "I can't VERB ..." says.

    Args:
        verb: the verb in its base form, as `base_form` gives it.
        after: lower-case text that follows the verb, to the end of the clause.

    Returns:
        The kind of cue; None when it says nothing about the help that was asked for.
    """
    for pattern, kind in _rows(verb):
        if pattern.match(after):
            return kind
    return _table()[verb]
