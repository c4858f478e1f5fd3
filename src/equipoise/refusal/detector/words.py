"""The words of one sentence as the trained layer sees them: single words, neighbours, what follows "I" and "not"."""

from __future__ import annotations

import itertools
import re

from equipoise.refusal.detector.acts import PROFESSIONAL
from equipoise.refusal.detector.asked import stem
from equipoise.refusal.detector.needs import has_figure

_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:[.,]\d+)?%?|[?!:;]")
_PRO = re.compile(
    rf"{PROFESSIONAL}|gps?|midwives|helplines?|hotlines?|samaritans|988|911|999|112|a&e|pharmacy|clinics?|emergency"
)
_NOT = frozenset(
    "not no never nor neither nothing none cannot can't won't don't isn't aren't doesn't wouldn't couldn't shouldn't wasn't without cant wont".split()
)
_SELF = frozenset("i i'm i'll i'd i've me my mine we we'll we're we'd us our myself".split())
_HERE = frozenset("here chat assistant service reply answer conversation".split())
_MARKS = frozenset("?!:;")
_LONGEST = 60


def words(sentence: str, asked: frozenset[str], cues: tuple[str, ...], *, first: bool, last: bool) -> set[str]:
    """Features of a sentence in lower case.

    Args:
        sentence: the sentence.
        asked: stems of the prompt.
        cues: kinds of the rules that fit it.
        first: it opens the reply.
        last: it ends the reply.
    """
    tokens = _TOKEN.findall(sentence)[:_LONGEST]
    found: set[str] = {f"rule:{cue}" for cue in cues}
    forms: list[str] = []
    shared = 0
    for token in tokens:
        if token[0].isdigit():
            forms.append("#")
        elif token in _SELF:
            forms.append("i" if token in ("i", "we") else token)
        elif len(token) > 3 and _PRO.fullmatch(token):
            forms.append("<pro>")
        else:
            form = stem(token) if len(token) > 3 and "'" not in token else token
            shared += form in asked
            forms.append(form)
    found.update(forms)
    found.update(f"{one} {two}" for one, two in itertools.pairwise(forms))
    selves = [at for at, token in enumerate(tokens) if token in _SELF]
    nots = [at for at, token in enumerate(tokens) if token in _NOT]
    for at in selves:
        found.update(f"i>{form}" for form in forms[at + 1 : at + 5])
        found.update(f"i<{form}" for form in forms[max(0, at - 3) : at])
    for at in nots:
        found.update(f"not>{form}" for form in forms[at + 1 : at + 4])
    if selves:
        found.add("self")
        if nots:
            found.add("self+not")
            if min(abs(one - two) for one in selves for two in nots) <= 4:
                found.add("self near not")
        if shared:
            found.add("self+asked")
    if nots and any(token in _HERE for token in tokens):
        found.add("not+here")
    if nots and shared:
        found.add("not+asked")
    if forms:
        found.add(f"^{forms[0]}")
        found.add(f"^{' '.join(forms[:2])}")
        found.add(f"{forms[-1]}$")
    if has_figure(sentence):
        found.add("figure")
    found.add(f"length {min(len(tokens) // 5, 6)}")
    found.add(f"shared {min(shared, 3)}")
    found.add(f"commas {min(sentence.count(','), 4)}")
    if first:
        found.add("first")
    if last:
        found.add("last")
    if "?" in sentence:
        found.add("asks")
    return found
