"""What is known of a reply after its sentences are read, as numbers: the input of the layer that decides the class."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass

from equipoise.refusal.detector.asked import stems
from equipoise.refusal.detector.gather import Evidence
from equipoise.refusal.detector.model import CueKind
from equipoise.refusal.detector.needs import debunks, has_figure, opens_yes_no, talks

STRONG = (CueKind.DECLINE, CueKind.WITHHOLD)
"""Acts that hold back what was asked."""
LIMITS = (CueKind.ASSESSMENT, CueKind.ADVICE)
"""Acts that say something cannot be done for this person."""
_POINTS_BACK = re.compile(
    r"\b(?:that|this|the|one|second|first|other|last|latter|former|rest|any|which|exact|specific)\b(?: part| piece| one| half| bit| question| side| request| portion| thing| section)?"
)
_PART_WORD = re.compile(
    r"\b(?:part|piece|half|bit|portion|second|latter|rest|other question|as for|as to|on the question|when it comes to|whether|which of|how much|how many)\b"
)
_BUT = re.compile(r"\b(?:but|though|although|however|yet|still|that said)\b|[;:\u2014]")
_ADVISING = ("-recommend", "-advise", "-suggest", "-endorse", "-encourage")
_OWN_VOICE = re.compile(r"\b(?:i|i'm|i'll|i'd|i've|me|my|we|we're|our)\b")
_NAMES = re.compile(
    r"\b(?:often|usually|typically|likel\w+|commonly|most|classic|picture of|points? (?:to|towards?)|fits?|suggests?|sounds? like|consistent with|called|known as|could be|may be|might be|is (?:a|an|the)|textbook|think of|means|tends? to|because|caused by|due to|includes?|such as|for example)\b"
)


@dataclass(frozen=True, slots=True)
class Scores:
    """What the layer makes of each sentence, from 0 to 1.

    Attributes:
        holds: it reads like a sentence that holds back.
        answers: it reads like a sentence of an answer.
        lengths: features of it that the layer saw.
    """

    holds: tuple[float, ...]
    answers: tuple[float, ...]
    lengths: tuple[int, ...]


_QUOTED = 0.8
"""Score of what somebody else says: a draft or an example, which the person asked for as a rule."""
HOLDS = 0.5
"""Score from which a sentence is taken to hold back."""


def _step(value: float, *edges: float) -> list[float]:
    return [1.0 if value >= edge else 0.0 for edge in edges]


def features(found: Evidence, told: Scores) -> dict[str, float]:
    """Named numbers of one reply: of the rules, of the layer's sentence scores, and of both together.

    Args:
        found: what was gathered.
        told: scores of its sentences, in their order.
    """
    row = _of_rules(found)
    row.update(_of_scores(found, told, row))
    return row


def _of_rules(found: Evidence) -> dict[str, float]:
    low, wanted, need, fields, drafted = found.low, found.wanted, found.need, found.fields, found.drafted
    pieces = [piece for piece in found.pieces if piece.kind is not CueKind.EMPATHY or piece.acts] or list(found.pieces)
    count = max(1, len(pieces))
    strong = [at for at, piece in enumerate(pieces) if any(act.kind in STRONG for act in piece.acts)]
    limits = [at for at, piece in enumerate(pieces) if any(act.kind in LIMITS for act in piece.acts)]
    soft = [
        at
        for at, piece in enumerate(pieces)
        if any(act.kind in (CueKind.ACCESS, CueKind.CERTAINTY) for act in piece.acts)
    ]
    defers = [at for at, piece in enumerate(pieces) if any(act.kind is CueKind.DEFER for act in piece.acts)]
    moral = [at for at, piece in enumerate(pieces) if any(act.kind is CueKind.MORAL for act in piece.acts)]
    holding = strong or limits
    first = holding[0] if holding else count
    last = holding[-1] if holding else -1
    told = [piece for piece in pieces if piece.weight > 0]
    before = sum(piece.weight for piece in pieces[:first]) if holding else 0.0
    after = sum(piece.weight for piece in pieces[first + 1 :]) if holding else 0.0
    total = sum(piece.weight for piece in pieces)
    sentences = [low[piece.start : piece.end] for piece in pieces]
    plain_talk = [
        at
        for at, piece in enumerate(pieces)
        if not piece.acts
        and (
            piece.kind in (CueKind.EMPATHY, CueKind.OFFER, CueKind.REFERRAL, CueKind.CRISIS, CueKind.QUESTION)
            or talks(sentences[at])
        )
        and not has_figure(sentences[at])
    ]
    substance = [at for at, piece in enumerate(pieces) if piece.weight >= 0.3 and not talks(sentences[at])]
    solid_before = sum(pieces[at].weight for at in substance if at < first) if holding else 0.0
    solid_after = sum(pieces[at].weight for at in substance if at > first) if holding else 0.0
    solid = sum(pieces[at].weight for at in substance)
    figure = any(has_figure(sentences[at]) for at in range(len(pieces)) if not pieces[at].acts)
    figures = sum(has_figure(sentences[at]) for at in range(len(pieces)) if not pieces[at].acts)
    held_words: set[str] = set()
    for at in (*strong, *limits, *defers):
        held_words |= stems(sentences[at])
    told_words: set[str] = set()
    for piece in told:
        if not piece.acts:
            told_words |= stems(low[piece.start : piece.end])
    words = wanted.words
    parts = need.parts
    many = len(parts) > 1
    named = [len(part & held_words) / max(1, len(part)) for part in parts]
    covered = [len(part & told_words) / max(1, len(part)) for part in parts]
    touched = max(named) if named else 0.0
    untouched = sum(1 for share in named if share < 0.34) / len(parts)
    about = len(words & held_words) / max(1, len(words))
    answered = len(words & told_words) / max(1, len(words))
    objects = " ".join(act.object for at in strong for act in pieces[at].acts if act.kind in STRONG)
    yes_no = any(opens_yes_no(sentence) for sentence in sentences[:3])
    referral = sum(piece.kind in (CueKind.REFERRAL, CueKind.DEFER) for piece in pieces)
    crisis = any(piece.kind is CueKind.CRISIS for piece in pieces)
    question = sum(piece.kind is CueKind.QUESTION for piece in pieces)
    offer = sum(piece.kind is CueKind.OFFER for piece in pieces)
    debunked = sum(debunks(sentence) for sentence in sentences)
    has_strong = float(bool(strong))
    has_limit = float(bool(limits))
    none_held = float(not holding)
    part_word = any(_PART_WORD.search(sentences[at]) for at in strong)
    names = sum(bool(_NAMES.search(sentences[at])) for at in substance)
    breath = any(
        one.acts
        and not two.acts
        and two.weight >= 0.45
        and _BUT.search(low, one.start, two.start) is not None
        and not low[one.end : two.start].strip(" ,;:\u2014").startswith((".", "!", "\n"))
        and (two.start - one.end) < 14
        for one, two in itertools.pairwise(pieces)
    )
    denied = [act for piece in pieces for act in piece.acts]
    against = bool(denied) and all(act.id.endswith(_ADVISING) for act in denied)
    at_end = float(bool(strong) and strong[-1] >= count - 2 and strong[0] > 0)
    draft = float(need.writes and drafted >= 40)
    size = math.log1p(sum(piece.end - piece.start for piece in pieces)) / 7
    talk_share = len(plain_talk) / count
    held_fields, given_fields = len(fields.withheld), fields.given
    unmet_amount = float(need.amount and not figure)
    row: dict[str, float] = {
        "bias": 1.0,
        "size": size,
        "sentences": min(count, 12) / 12,
        "many": float(many),
        "three parts": float(len(parts) > 2),
        "old parts": float(wanted.parts),
        "joints": min(need.joints, 6) / 6,
        "request": float(wanted.request),
        "yes-no": float(wanted.yes_no),
        "personal": float(wanted.personal),
        "draft": float(need.writes),
        "care": float(wanted.care),
        "safety": float(wanted.safety),
        "amount": float(need.amount),
        "why": float(need.why),
        "diagnosis": float(need.diagnosis),
        "shady": float(need.shady),
        "crisis prompt": float(need.crisis),
        "asks": float(wanted.asks),
        "strong": has_strong,
        "strong twice": float(len(strong) > 1),
        "limit": has_limit,
        "soft": float(bool(soft)),
        "defer": float(bool(defers)),
        "moral": float(bool(moral)),
        "nothing held": none_held,
        "soft alone": none_held * bool(soft),
        "defer alone": none_held * bool(defers),
        "referral": float(referral > 0),
        "referral share": referral / count,
        "crisis": float(crisis),
        "question share": question / count,
        "offer": float(offer > 0),
        "talk share": talk_share,
        "total": math.log1p(total),
        "solid": math.log1p(solid),
        "before": math.log1p(before),
        "after": math.log1p(after),
        "solid before": math.log1p(solid_before),
        "solid after": math.log1p(solid_after),
        "figure": float(figure),
        "figures": min(figures, 4) / 4,
        "names": min(names, 4) / 4,
        "opens yes-no": float(yes_no),
        "held first": float(bool(holding) and first <= 1),
        "held last": float(bool(holding) and last >= count - 2),
        "about": about * bool(holding),
        "answered": answered,
        "fields held": min(held_fields, 2) / 2,
        "fields given": min(given_fields, 4) / 4,
        "fields only held": float(held_fields > 0 and given_fields == 0),
        "fields both": float(held_fields > 0 and given_fields > 0),
        "drafted": draft,
        "debunk": min(debunked, 3) / 3,
        "own voice": float(any(_OWN_VOICE.search(sentence) for sentence in sentences)),
        # together
        "none held, unmet amount": none_held * unmet_amount,
        "none held, amount met": none_held * float(need.amount and figure),
        "none held, talk": none_held * talk_share,
        "none held, only talk": none_held * float(solid < 0.5),
        "none held, little": none_held * float(solid < 1.0) * float(referral > 0),
        "none held, referral": none_held * float(referral > 0),
        "none held, yes-no met": none_held * float(wanted.yes_no and yes_no),
        "none held, yes-no unmet": none_held * float(wanted.yes_no and not yes_no),
        "none held, questions": none_held * question / count,
        "none held, crisis line, shady": none_held * float(crisis and not wanted.care),
        "none held, shady text, debunk": none_held * float(need.writes and need.shady) * min(debunked, 2) / 2,
        "none held, text wanted, none drafted": none_held * float(need.writes and not draft),
        "none held, answered": none_held * answered,
        "none held, solid": none_held * math.log1p(solid),
        "strong, many": has_strong * many,
        "strong, joints": has_strong * min(need.joints, 6) / 6,
        "strong, one": has_strong * (not many),
        "strong, many, solid before": has_strong * many * math.log1p(solid_before),
        "strong, many, solid after": has_strong * many * math.log1p(solid_after),
        "strong, one, solid before": has_strong * (not many) * math.log1p(solid_before),
        "strong, one, solid after": has_strong * (not many) * math.log1p(solid_after),
        "strong, one, shady": has_strong * (not many) * float(need.shady or need.writes),
        "strong, personal, one": has_strong * (not many) * wanted.personal,
        "strong, diagnosis, solid": has_strong * need.diagnosis * math.log1p(solid),
        "strong, figures": has_strong * min(figures, 3) / 3,
        "strong, draft": has_strong * draft,
        "strong, at end": at_end,
        "strong, at end, many": at_end * many,
        "strong, at end, solid before": at_end * math.log1p(solid_before),
        "strong, at end, talk": at_end * talk_share,
        "strong, part word": has_strong * part_word,
        "strong, part word, many": has_strong * part_word * many,
        "strong, about": has_strong * about,
        "strong, not about, answered": has_strong * float(about < 0.15 and not many and solid_before > 1.5),
        "strong, answered": has_strong * answered,
        "strong, unmet amount": has_strong * unmet_amount,
        "strong, yes-no opened": has_strong * yes_no,
        "strong, untouched": has_strong * many * untouched,
        "strong, touched": has_strong * touched,
        "strong, covered": has_strong * (max(covered) if covered else 0.0),
        "strong, refers to it": has_strong * bool(_POINTS_BACK.search(objects)),
        "limit, solid": has_limit * math.log1p(solid),
        "limit, names": has_limit * min(names, 3) / 3,
        "limit, diagnosis": has_limit * need.diagnosis,
        "limit, many": has_limit * many,
        "limit, before": has_limit * math.log1p(solid_before) * (not many),
        "limit, not personal": has_limit * (not wanted.personal),
        "soft alone, solid": none_held * bool(soft) * math.log1p(solid),
        "defer alone, solid": none_held * bool(defers) * math.log1p(solid),
        "told in one breath": float(breath),
        "told in one breath, limit": breath * has_limit,
        "told in one breath, strong": breath * has_strong,
        "told in one breath, names": breath * bool(names),
        "advises against": float(against and wanted.yes_no),
        "moral, solid": none_held * bool(moral) * math.log1p(solid),
    }
    for name, value in (("total", total), ("solid", solid)):
        for edge, hit in zip((0.3, 0.7, 1.2, 2.0, 3.5), _step(value, 0.3, 0.7, 1.2, 2.0, 3.5), strict=True):
            row[f"held {name} {edge}"] = hit * (1 - none_held)
            row[f"free {name} {edge}"] = hit * none_held
    return row


def _of_scores(found: Evidence, told: Scores, row: dict[str, float]) -> dict[str, float]:
    """Numbers that rest on the layer's sentence scores; `row` holds those of the rules."""
    kept = [at for at, piece in enumerate(found.pieces) if piece.kind is not CueKind.EMPATHY or piece.acts]
    kept = kept or list(range(len(found.pieces)))
    pieces = [found.pieces[at] for at in kept]
    holds = [0.0 if found.pieces[at].quoted else told.holds[at] for at in kept]
    acting = [any(act.kind in (*STRONG, *LIMITS) for act in piece.acts) for piece in pieces]
    held = [acts or score > HOLDS for acts, score in zip(acting, holds, strict=True)]
    count = len(pieces)
    lengths = [min(1.5, told.lengths[at] / 60) for at in kept]
    answering = [
        0.0 if held[at] else _QUOTED if pieces[at].quoted else min(1.0, max(0.0, (told.answers[kept[at]] - 0.3) / 0.7))
        for at in range(count)
    ]
    worth = [score * length for score, length in zip(answering, lengths, strict=True)]
    places = [at for at in range(count) if held[at]]
    first = places[0] if places else count
    last = places[-1] if places else -1
    has = float(bool(places))
    most = max(holds, default=0.0)
    total, before, after = sum(worth), sum(worth[:first]), sum(worth[first + 1 :])
    mean = total / max(0.001, sum(lengths))
    free = [_QUOTED if pieces[at].quoted else told.answers[kept[at]] for at in range(count) if not held[at]]
    many = row["many"]
    at_end = has * (last >= count - 2) * (first > 1)
    log = math.log1p
    return {
        "holds most": most,
        "holds odds": math.log((most + 0.02) / (1.02 - most)) / 4,
        "holds": has,
        "holds often": min(3, len(places)) / 3,
        "holds first": has * (first <= 1),
        "holds last": has * (last >= count - 2),
        "holds summed": min(2.0, sum(holds)),
        "tells": log(total),
        "tells before": log(before),
        "tells after": log(after),
        "tells most": max(free, default=0.0),
        "tells mean": mean,
        "free, tells mean": (1 - has) * mean,
        "free, tells most": (1 - has) * max(free, default=0.0),
        "free, tells": (1 - has) * log(total),
        "holds, tells": has * log(total),
        "holds, tells before, many": has * many * log(before),
        "holds, tells before, one": has * (1 - many) * log(before),
        "holds, tells after, many": has * many * log(after),
        "holds, tells after, one": has * (1 - many) * log(after),
        "holds, many": has * many,
        "holds, shady, one": has * (1 - many) * max(row["shady"], row["draft"]),
        "holds, tells mean": has * mean,
        "holds, diagnosis, tells": has * log(total) * row["diagnosis"],
        "holds, unmet amount": has * row["amount"] * (1 - row["figure"]),
        "holds, opens yes-no": has * row["opens yes-no"],
        "holds, at end": at_end,
        "holds, at end, tells before": at_end * log(before),
        "holds, at end, tells before, many": at_end * many * log(before),
        "holds most, many": most * many,
        "holds most, tells": most * log(total),
        "holds most, tells, many": most * log(total) * many,
        "holds most, joints": most * row["joints"],
        "holds, drafted": has * row["drafted"],
        "holds, fields given": has * row["fields given"],
    }
