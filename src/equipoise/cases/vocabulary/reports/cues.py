"""Status words put to the part they belong to: in front of what follows, or behind what they close."""

from __future__ import annotations

from equipoise.cases.vocabulary.reports.lexer import Token
from equipoise.cases.vocabulary.reports.segment import Segment
from equipoise.cases.vocabulary.reports.words import PIECES

_LINKS = {
    "is", "was", "are", "were", "be", "been", "has been", "have been", "result", "results", "the result is",
    "result is", "all", "both", "which was", "which were", "status", "also", "still", "currently", "now",
}  # fmt: skip
"""What may stand between a connector and a status word that belongs to the part."""

_AHEAD = {"gene", "fused", "prot", "coding", "trans", "colon", "exon"} | PIECES
"""Kinds that a status word in front may speak of."""


def take_cue(segment: Segment, token: Token, following: Token | None) -> None:
    """A status word: it leads the part that follows, or belongs to the one that is being filled."""
    part = segment.part
    if token.value == "normal" and (part is None or not part.own_gene or not part.bare or token.start - part.end > 3):
        return
    fresh = part is None or bool(segment.connector)
    forward = _forward(token, following, fresh)
    if forward and fresh and (part is None or part.gene == "" or not part.empty or part.own_gene):
        part = segment.new(part.gene if part is not None else "", token, False)
    if part is None:
        part = segment.current(token)
    if not forward and _stray(segment, token):
        return
    if forward and (part.empty and not part.own_gene):
        part.lead.append(token)
        part.wide = part.wide or (following is not None and following.kind == "colon")
    else:
        part.cues.append(token)
        if segment.low[max(0, token.start - 3) : token.start].rstrip()[-1:] == ":":
            part.flags["list"] = "1"
    segment.touch(token)


def _forward(token: Token, following: Token | None, fresh: bool) -> bool:
    """Whether a status word speaks of what follows.

    Args:
        token: the status word.
        following: the token behind it; None at the end.
        fresh: whether a part could begin with it.
    """
    if token.kind == "negf":
        return True
    if not fresh or following is None or following.kind not in _AHEAD:
        return False
    if following.kind == "colon" or token.kind in {"unc", "vus"}:
        return True
    directly = following.kind in {"gene", "fused"} and following.start - token.end <= 5
    return directly and token.kind in {"pend", "nott", "pos", "negb"}


def _stray(segment: Segment, token: Token) -> bool:
    """Whether a status word behind a connector belongs to something that is not read ("MRI negative")."""
    if not segment.connector or token.kind in {"vus", "unc", "ben"} or segment.part is None:
        return False
    if not segment.part.gene and segment.part.bare:
        return False
    between = segment.low[segment.connected : token.start].strip(" (:-")
    return bool(between) and between not in _LINKS
