"""The rule of `mockjudge/compares`: it reads reference and reply and holds their sentences against each other, word by word.

It is a stand-in for trials and tests of whole runs. It knows no medicine, takes other words for another plan, and its figures say nothing
of any system.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_FENCED = re.compile(r"\[\[BEGIN ([0-9a-f]{16}) ([a-z0-9_.-]+)\]\]\n(.*?)\n\[\[END \1 \2\]\]", re.DOTALL)
_ALTERNATIVES = re.compile(r"^Alternative \d+:\n", re.MULTILINE)
_CLAUSE = re.compile(r"[.;!?]\s+|[.;!?]$|\n+")
_NEGATIONS = frozenset("no not never without against cannot nor none".split())
_SMALL = frozenset(
    "a an and are as at be by for from has have he her his in is it its of on or she that the this to was we with".split()
)
_HINTS = {
    "surgery": re.compile(r"\b(?:surg|operat|resect|excis)|ectom(?:y|ies)\b"),
    "clinical-trial": re.compile(r"\b(?:trials?\b|enrol)"),
    "next-action": re.compile(r"\b(?:repeat|follow|imaging|mri\b|ct\b|refer|tests?\b|weeks?\b|months?\b)"),
    "therapy": re.compile(r"\b(?:therap|treat|chemo|radi)|(?:mab|nib)\b"),
}
"""By what a clause is taken for one of a kind when none shares a word with the decision."""

_QUESTION = re.compile(r"equivalence|alignment|critical-error|unsupported-claim|(?:recall|precision)(?:-error)?-\d+")


def knows(key: str) -> bool:
    """Whether it has a rule for a question."""
    return key in _HINTS or _QUESTION.fullmatch(key) is not None


def compared(key: str, user: str) -> str | int:
    """The answer to one question.

    Args:
        key: the question's name in the judge's reply, such as "therapy" or "recall-2".
        user: the message with the fenced material.
    """
    parts = {name: text for _, name, text in _FENCED.findall(user)}
    alternatives = [text for text in _ALTERNATIVES.split(parts.get("reference", "")) if text.strip()]
    reply = parts.get("reply", "")
    if key in ("critical-error", "unsupported-claim"):
        turned = bool(alternatives) and all(_turned(text, reply) for text in alternatives)
        stray = not _words(reply) <= _words(parts.get("prompt", "") + " " + parts.get("reference", ""))
        return "yes" if (turned if key == "critical-error" else stray) else "no"
    if key in _HINTS:
        decision = _line(parts.get("decisions", ""), key)
        return max((_kept(key, decision, text, reply) for text in alternatives), default=1)
    name, _, place = key.rpartition("-")
    if name in ("recall", "precision", "recall-error", "precision-error"):
        entry = _entry(parts.get("reference_facts" if name.startswith("recall") else "reply_facts", ""), place)
        others = [reply] if name.startswith("recall") else alternatives
        sides = entry.split(" or: ")
        best = max((_said(side, text) for side in sides for text in others), default=0.0)
        if name.endswith("-error"):
            return "none" if best == 1 else "missing"
        return "yes" if best == 1 else "partial" if best >= 0.5 else "no"
    return max((_whole(text, reply) for text in alternatives), default=1)


def _kept(key: str, decision: str, reference: str, reply: str) -> int:
    """5 when every clause of the reference on this decision stands in the reply, 1 when one is turned or gone, else between."""
    own = _clauses_on(key, decision, reference)
    return min(
        (_points(_share(clause, _clauses(reply))) for clause in own), default=5 if _whole(reference, reply) == 5 else 1
    )


def _whole(reference: str, reply: str) -> int:
    """1 to 5 by the clause of the reference that is kept least."""
    shares = [_share(clause, _clauses(reply)) for clause in _clauses(reference)]
    if not shares:
        return 1
    return 1 if min(shares) < 0 else _points(sum(shares) / len(shares))


def _points(share: float) -> int:
    return 1 if share <= 0 else 5 if share == 1 else 2 + min(2, int(3 * share))


def _share(clause: str, others: Sequence[str]) -> float:
    """Share of the clause's words in the nearest other clause; -1 when that one turns it round."""
    wanted = _words(clause)
    best, nearest = 0.0, ""
    for other in others:
        found = len(wanted & _words(other)) / len(wanted) if wanted else 0.0
        if found > best:
            best, nearest = found, other
    if best >= 0.5 and _negated(clause) != _negated(nearest):
        return -1
    return best


def _said(fact: str, text: str) -> float:
    return max(0.0, _share(fact, [*_clauses(text), text]))


def _turned(reference: str, reply: str) -> bool:
    return any(_share(clause, _clauses(reply)) < 0 for clause in _clauses(reference))


def _clauses_on(key: str, decision: str, reference: str) -> list[str]:
    """Clauses of the reference that share most words with the decision; without any, those of the kind by its hints."""
    clauses = _clauses(reference)
    scored = [(len(_words(clause) & _words(decision)), clause) for clause in clauses]
    most = max((number for number, _ in scored), default=0)
    if most:
        return [clause for number, clause in scored if number == most]
    return [clause for clause in clauses if _HINTS[key].search(clause.casefold())]


def _line(decisions: str, key: str) -> str:
    for line in decisions.splitlines():
        if line.startswith(f"{key} ("):
            return line.split(": ", 1)[-1].split(" or: ")[0]
    return ""


def _entry(entries: str, place: str) -> str:
    for line in entries.splitlines():
        if line.startswith(f"{place}. "):
            return line.removeprefix(f"{place}. ")
    return ""


def _clauses(text: str) -> list[str]:
    return [part.strip() for part in _CLAUSE.split(text) if _words(part)]


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", text.casefold())) - _SMALL - _NEGATIONS


def _negated(text: str) -> bool:
    return sum(word in _NEGATIONS for word in re.findall(r"[a-z]+", text.casefold())) % 2 == 1


def verdict(key: str, user: str) -> dict[str, Any]:
    """The answer in the form a judge gives it."""
    return {"reason": "by rule", "value": compared(key, user)}
