"""Which turns speak against a proposal, whether that was taken back, and whether the conclusion tells of it.

A dissent can get lost, so these rules lean to finding one. Plain words of disagreement always count. Weaker ones (a concern, a "no",
"I'd rather ...", "I wouldn't ...") count after somebody else's proposal, in a turn that does not agree, and not when the speaker
defends a proposal of their own. Agreeing with somebody who dissented is dissent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from equipoise.boards.measures.spoken import clauses, kinds_said, mentions, ruled_out
from equipoise.boards.measures.treatments import OWN_FIELDS, Field
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role

SENTENCE = re.compile(r"(?<=[.!?;:])\s+")

_NOT_ABLE = (
    r"(?:cannot|can't|can not|could not|couldn't|would not|wouldn't|do not|don't|did not|unable to|not able to|hard to|difficult to|"
    r"hesitate to|(?:reluctant|hesitant|loath|unwilling) to|not (?:willing|prepared|ready|inclined) to|struggl\w+ to|"
    r"not be able to)(?: (?:fully|really|quite|yet|entirely|possibly|therefore|in good conscience))*"
)
_STRONG = re.compile(
    r"\bi (?:(?:must|have to|would|do|strongly|respectfully|politely|rather|also|still|am afraid i) )*(?:disagree|object|oppose|dissent|differ)\b"
    r"|\b(?:beg|agree) to (?:differ|disagree)\b"
    r"|\bi(?:'m| am| was| remain)(?: \w+)? (?:against|opposed|unconvinced|unpersuaded|sceptical|skeptical)\b"
    r"|\bi(?:'m| am)(?: \w+)? not (?:\w+ )?(?:convinced|persuaded|sold)\b"
    r"|\bi(?:'m| am|'d be| would be)(?: \w+)? not (?:\w+ )?in favou?r\b"
    rf"|\bi(?: \w+){{0,3}} {_NOT_ABLE} (?:agree|support|endorse|concur|subscribe|sign (?:up|off)|go along)\b"
    r"|\bi (?:(?:would|do|must) )?(?:see|view|read) (?:this|it|that|things|the matter) (?:\w+ )?(?:differently|otherwise|another way)\b"
    r"|\bi (?:\w+ ){0,5}(?:a different|another|an? (?:alternative|opposing|contrary|dissenting)) (?:opinion|view|viewpoint|point of view)\b"
    r"|\bthat(?:'s| is) not (?:how|what|the way) i(?:'d| would)\b"
    r"|\bwith (?:all (?:due )?)?respect,? no\b"
    r"|\b(?:i(?:'m|'ll)?|let me) (?:\w+ ){0,3}push(?:ing)? back\b"
)
_PLAN = r"(?:approach|plan|strategy|sequenc\w+|proposal|recommendation|idea|course|option|step|order|schedule|suggestion|operation|referral)"
_UNEASY = re.compile(
    rf"\bi(?: \w+){{0,3}} {_NOT_ABLE} (?:back|justify|favou?r|recommend|advocate|advise)\b|"
    r"\bi(?:'m| am|'d be| would be|'d feel| would feel| feel)(?: \w+){0,2} (?:uncomfortable|uneasy|reluctant|hesitant|wary|unhappy|concerned)\b"
    r"|\b(?:not|n't)(?: be)?(?: \w+)? (?:comfortable|happy|keen) (?:with|about|on|doing)\b"
    rf"|\bmy (?:\w+ )?(?:concern|worry|problem|objection|issue|reservation|fear|difficulty) (?:with|about|regarding)\b"
    rf"|\bi have (?:\w+ ){{0,3}}(?:doubts?|reservations?|concerns?|objections?|misgivings|qualms) (?:about|with|regarding|over|to)\b"
    r"|\bi (?:(?:would|must|want to) )?(?:caution|warn|argue|advise|counsel) against\b"
    r"|\bi (?:would |must |do )?question (?:the (?:value|need|wisdom|role|benefit)|whether)\b"
    rf"|\b(?:is|'s|be|seems|would be) (?:a mistake|premature|overkill|overtreatment|not (?:the |an? )?(?:\w+ )?(?:right|optimal|best|appropriate|wise|advisable|sensible) ?{_PLAN}?)\b"
)
_THINKS_NOT = re.compile(
    r"\bi (?:do not|don't) (?:think|believe|feel)(?: that)? (?:[\w-]+ ){1,5}?(?:should|would|ought|needs?|can|could|helps?|makes?|"
    r"(?:is|are) (?:a |an |the )?(?:good|right|wise|appropriate|worth|justified|indicated|necessary|needed|safe|best|sensible|warranted))\b"
    r"|\bi (?:do not|don't) (?:see (?:the (?:point|benefit|need|gain)|any (?:point|benefit|need|gain)|why|how)|like|love|buy)\b"
    r"|\bi(?:'m| am) not (?:so |really |entirely )?sure (?:that |about )?(?:it|this|that|we|he|she|the|we're)\b"
    r"|\b(?:we|you)(?:'d|'re| would| are| will|'ll)(?: be)? (?:over|under)-?treat\w*|\bi(?:'d| would) (?:be careful|think twice)\b"
    r"|\bthat(?:'s| is| would be) (?:too (?:much|aggressive|little|long|toxic|early)|madness|crazy|a lot)\b|\b(?:that|this) worries me\b"
    r"|\bcount me out\b|\bnot on my watch\b|\bi(?:'m| am) struggling with\b"
)
_PREFERS = re.compile(
    r"\bi(?:'d| would)(?: \w+)? (?:rather|prefer|be happier|feel better)\b|\bi (?:strongly |still |also )*prefer\b"
    r"|\bi(?: would|'d)? (?:still|strongly|instead|continue to|clearly) (?:favou?r|prefer|advocate|recommend|lean|think|believe)\b"
    r"|\bi remain of the (?:opinion|view)\b|\bmy preference (?:remains|would still)\b"
    r"|\bi(?:'d| would) have (?:gone|chosen|done|preferred|started|operated|treated|voted|waited|watched)\b|\bthe other way a?round\b"
)
_REFUSES = re.compile(
    r"\bi(?: would not|wouldn't| wouldn't|'d not|'d never| would never| won't| will not|'m not going to| am not going to|'ll not)"
    r"(?: \w+ly)? (?!worry|call|expect|be surpris|hesitate|object|mind|know|say\b|think|read|hang|rule|anticipate|see\b|argue|pretend|sure|"
    r"disagree|stand|insist)\w+"
    r"|\bi(?:'m| am) not (?!worrying|saying|suggesting|arguing|thinking|seeing|complaining|asking|expecting|proposing)\w+ing\b"
    r"|\bi(?:'d| would) (?:hold off|hold back|wait|leave (?:him|her|it|them|that)(?: alone| be)?|stop short)\b"
    r"|^\W*(?:please )?don't (?:send|do|give|operate|touch|start|put|refer|take|cut)\b"
    r"|\bi (?:wouldn't|would not|won't|will not)\W*$|\bstop you (?:there|right)\b"
)
_NO = re.compile(
    r"^\W*(?:(?:ooh|oh|hm+|well|sorry|um|er|god|look|ah)\W+)*(?:no|nah|nope|no way|never|absolutely not|certainly not|not a chance|over my dead body)"
    r"(?=[,.!;]|$)(?!\W+(?:objection|problem|issue|concern|worries|fine|agreed|that's (?:fine|right)))"
)
_NEVER_DISSENT = re.compile(
    r"\b(?:(?:do|does|would|can|could)(?: not|n't) (?:disagree|object|oppose|mind|differ)|no (?:\w+ )?(?:objections?|reservations?|concerns?|doubts?)|"
    r"nothing to (?:object|add)|nobody (?:disagrees|objects)|not (?:against|opposed)|have no (?:\w+ )?(?:objections?|doubts?|concerns?))\b"
)
_ELSEWHERE = re.compile(
    r"\b(?:what|as) they\b|\bthey (?:said|told|proposed|wanted|suggested|recommended)\b|\bthe(?:ir)? (?:other|outside|referring|previous|local|first) "
    r"(?:hospital|team|cent(?:er|re)|board|institution|opinion|surgeon|doctors?)\b"
    r"|\bin an? \w+er (?:man|woman|patient|person)\b|\b(?:patient|he|she|family|wife|husband|daughter|son) (?:\w+ )?(?:said|says|told|asked|wants)\b"
)
_AGREES = re.compile(
    r"\bi (?:(?:fully|wholly|also|strongly|would|completely|certainly|do|can|entirely) )*(?:agree|concur|support|share)\b(?! to (?:differ|disagree))"
    r"|\b(?:in agreement with|fully on board|on board|go ahead|carry on|works for me|that works|please do|happy (?:to|with that)|fine by me|fine with (?:me|it))\b"
    r"|^\W*(?:yes|yeah|yep|sure|fine|happy|agreed|agree|perfect|deal|okay|ok|alright|all right|good|great|absolutely|exactly|indeed|great)\b"
    r"|\bso yes\b"
)
_NOT_AGREES = re.compile(rf"{_NOT_ABLE} (?:agree|concur|support|share)")
_SIDES = re.compile(
    r"\b(?:i(?:'m| am) with|agree with|concur with|in agreement with|side with|second|support|same (?:as|view as)|share the (?:view|concerns?|doubts?) of) "
    r"(?:the |my colleagues? (?:from|in) |what )?(?P<who>[\w ]{2,30})"
)
_CONTRAST = re.compile(r"\b(?:but|however|nevertheless|nonetheless|yet|though|although|still|that said)\b")
_WITHDRAWS = re.compile(
    r"\bi (?:(?:will|would|can|do|hereby|happily|gladly) )*(?:withdraw|concede|give in|stand corrected|drop (?:my|it|that)|take (?:it|that) back|retract)\b"
    r"|\b(?:changes (?:my|it|that|things|everything)|no longer (?:object|oppose|disagree|have)|you win|you've convinced me|you have convinced me)\b"
    r"|\bi(?:'m| am) (?:now )?(?:satisfied|reassured|persuaded|convinced|happy now|fine with (?:it|that))\b"
    r"|\b(?:that|this) (?:reassures|convinces|persuades|satisfies) me\b|\bi can live with\b|\bi(?:'ve| have)? c[oa]me (?:a?round)\b"
    r"|^\W*(?:(?:okay|ok|alright|all right|yeah|yes|well|ha|fair enough)\W+)*(?:fair enough|that works|deal|go on then)\b"
)
_FOLLOW = re.compile(r"\b(?:however|but|understand|concern|point|view|agree|reason|hesitation|objection|data)\b")
_STOP = frozenset(
    "about after again because before being could first other their there these thing think those through under where which while "
    "would should patient with that this have from will what they your going just".split()
)


_POINTS_BACK = re.compile(
    r"\b(?:that|this|it|there|these|those|him|her|them|so|now|yet|either|today|hold off|hold back|wait|leave|stop short|"
    r"don't)\b"
)
"""Words by which a refusal speaks of what was proposed. One that names something else, which nobody proposed, is no dissent."""
_BARE = 4
"""Words of a refusal that is too short to name anything."""


@dataclass(slots=True)
class Views:
    """What is known of the views of a discussion, turn by turn.

    Attributes:
        proposed: by speaker, the kinds of treatment they proposed.
        proposals: place and speaker of every turn that proposes.
        said: by place, what such a turn says.
        dissents: by role, its turns of dissent, earliest first.
        places: by speaker, the place of the last dissent.
        taken_back: turns of dissent that were taken back.
    """

    proposed: dict[str, set[Field]] = field(default_factory=dict)
    proposals: list[tuple[int, str]] = field(default_factory=list)
    said: dict[int, str] = field(default_factory=dict)
    dissents: dict[Role, list[str]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    taken_back: set[str] = field(default_factory=set)


def statements(text: str) -> list[str]:
    """The sentences that are no questions."""
    return [part for part in SENTENCE.split(text) if part.strip() and not part.rstrip().endswith("?")]


def _lowered(text: str) -> str:
    return text.casefold().replace("’", "'").strip()


def find_dissent(turns: Sequence[Turn]) -> tuple[list[str], frozenset[str]]:
    """Ids of the turns that dissent, in order, and those of them that were taken back later."""
    views = Views()
    found: list[str] = []
    for place, turn in enumerate(turns):
        lowered = [_lowered(part) for part in statements(turn.text)]
        against = turn.role is not Role.MODERATOR and _against(turn, place, lowered, turns, views)
        own = views.dissents.get(turn.role, [])
        if against:
            found.append(turn.id)
            views.dissents.setdefault(turn.role, []).append(turn.id)
            views.places[turn.speaker] = place
        elif own and any(_WITHDRAWS.search(part) for part in lowered):
            views.taken_back.update(own)
        _takes_proposal(turn, place, views)
    return found, frozenset(views.taken_back)


def _takes_proposal(turn: Turn, place: int, views: Views) -> None:
    """Notes what a turn proposes: kinds named with words of proposing, or by a specialist in their own field."""
    own = OWN_FIELDS.get(turn.role, frozenset())
    kinds: set[Field] = set()
    proposes = False
    for part in SENTENCE.split(turn.text):
        cue = _PROPOSES.search(_lowered(part)) is not None
        named = kinds_said([Turn(id="", speaker=turn.speaker, role=turn.role, text=part)])
        kinds |= named if cue else named & own
        proposes = proposes or cue
    if kinds or proposes:
        views.proposed.setdefault(turn.speaker, set()).update(kinds)
        views.proposals.append((place, turn.speaker))
        views.said[place] = turn.text


_PROPOSES = re.compile(
    r"\b(?:i(?:'d| would|'ll| will)?(?: \w+)? (?:recommend|advise|propose|suggest|offer|advocate|start|give|do|refer|send|go)"
    r"|(?:my|our|the) (?:proposal|recommendation|suggestion|plan|decision)|consensus|i(?:'m| am) enthusiastic"
    r"|(?:he|she|you|they|we|it|patient) (?:\w+ )?(?:needs?|should|ought|must)|let's|how about|why not|could we|ought to"
    r"|should (?:go|be|have|get|receive)|referr(?:al|ed)|enrol\w*)\b"
)


def _against(turn: Turn, place: int, lowered: Sequence[str], turns: Sequence[Turn], views: Views) -> bool:
    kept = [part for part in lowered if not _NEVER_DISSENT.search(part) and not _ELSEWHERE.search(part)]
    if any(_STRONG.search(part) for part in kept):
        return True
    others = {speaker for _, speaker in views.proposals} - {turn.speaker}
    if not others:
        return False
    if any(_sides_with_dissent(part, views) for part in kept):
        return True
    if _defends(turn, views):
        return False
    asked = turns[place - 1] if place else None
    raised = (
        _content(asked.text)
        if asked and asked.role is Role.MODERATOR and asked.text.rstrip().endswith("?")
        else frozenset()
    )
    agrees = [number for number, part in enumerate(lowered) if _AGREES.search(part) and not _NOT_AGREES.search(part)]
    for number, part in enumerate(kept):
        if agrees and not (_CONTRAST.search(part) and lowered.index(part) >= max(agrees)):
            continue
        if raised & _content(part) and (_REFUSES.search(part) or " rather not " in part):
            continue
        if _PREFERS.search(part) or (_REFUSES.search(part) and _was_proposed(part, turn, place, views)):
            return True
        if agrees:
            continue
        doubts = _UNEASY.search(part) or _THINKS_NOT.search(part)
        if doubts and _was_proposed(part, turn, place, views):
            return True
        if number == 0 and _NO.search(part) and _answers_a_proposal(place, turns, views):
            return True
    return False


def _sides_with_dissent(part: str, views: Views) -> bool:
    """Whether a sentence takes the side of a role that has dissented and not taken it back."""
    return any(
        role_named(match["who"]) is role
        for match in _SIDES.finditer(part)
        for role, own in views.dissents.items()
        if not set(own) <= views.taken_back
    )


def _defends(turn: Turn, views: Views) -> bool:
    """Whether the speaker proposed something and somebody dissented since: what follows defends it, unless they dissent already."""
    mine = [place for place, speaker in views.proposals if speaker == turn.speaker]
    if not mine or turn.speaker in views.places:
        return False
    return any(place > mine[0] for speaker, place in views.places.items() if speaker != turn.speaker)


def _was_proposed(part: str, turn: Turn, place: int, views: Views) -> bool:
    """Whether what a sentence is against was proposed by somebody else: its kinds of treatment, or without any the last turns."""
    named = {item.field for clause in clauses(part) for item in mentions(clause)}
    theirs: set[Field] = set()
    for speaker, kinds in views.proposed.items():
        if speaker != turn.speaker:
            theirs |= kinds
    if named:
        return bool(named & theirs)
    recent = [other for other, speaker in views.proposals if speaker != turn.speaker and place - other <= 3]
    if not recent or not _REFUSES.search(part) or _POINTS_BACK.search(part) or len(part.split()) <= _BARE:
        return bool(recent)
    return any(_content(part) & _content(views.said[other]) for other in recent)


def _answers_a_proposal(place: int, turns: Sequence[Turn], views: Views) -> bool:
    """Whether the turn before proposes something and does not ask."""
    return any(other == place - 1 for other, _ in views.proposals) and not turns[place - 1].text.rstrip().endswith("?")


_NAMED_AS: Mapping[Role, str] = {
    Role.MOLECULAR_PATHOLOGIST: r"molecular patholog\w+",
    Role.RADIATION_ONCOLOGIST: r"(?:radiation|clinical) oncolog\w+|rad(?:iation)?[ -]?onc|radiotherap(?:y|ists?)|rt",
    Role.MEDICAL_ONCOLOGIST: r"(?:medical |(?<!radiation )(?<!surgical )(?<!clinical )(?<!gynecologic ))oncolog(?:y|ists?)|med(?:ical)?[ -]?onc",
    Role.SURGEON: r"\w*surgeons?|\w*surgery|surgical (?:team|colleagues?|oncolog\w+|member)|surgical side|urolog\w+|gyn\w* onc\w*|ent",
    Role.RADIOLOGIST: r"radiolog\w+",
    Role.PATHOLOGIST: r"(?<!molecular )patholog\w+",
    Role.GENETIC_COUNSELOR: r"genetic counsell?\w+|genetics|geneticist",
    Role.CLINICAL_TRIAL_SPECIALIST: r"trials? (?:specialist|team|office|coordinator|nurse|unit)|research (?:team|nurse)",
    Role.NURSE_NAVIGATOR: r"nurse|nursing|navigator",
    Role.OTHER: r"gi|gastroenterolog\w+|hepatolog\w+|endocrin\w+|nuclear medicine|palliative (?:care|medicine)|geriatric\w*|obstetric\w*|"
    r"dermatolog\w+|anesthe\w+|pulmonolog\w+|cardiolog\w+|psycho-?oncolog\w+|physiotherap\w+|hematolog\w+|interventional\w*",
}
"""How a role is named, by its person or its field."""
_TELLS = (
    r"(?:disagree\w*|(?<!no )(?<!without )dissent\w*|(?<!no )(?<!without )objec(?:t|ts|ted|ting|tions?)|oppos(?:e|es|ed|ing|ition)|prefer\w*|"
    r"would (?:rather|(?:rather |still )?have)|would've|(?<!in )favou?r\w*|equal choice|(?:did|does|could|would) not (?:share|agree|support|concur|endorse)|"
    r"differ(?:s|ed)?|(?:different|other|contrary) (?:view|opinion)|argu(?:e|es|ed|ing|ment)|(?:advis|recommend|warn|counsel|speak|spoke|decid)\w* against|"
    r"(?:advice|vote|argument|view|opinion|recommendation) of|caution\w*|voted|votes|(?<!no )(?<!without )reservations?|(?<!no )(?<!without )concern\w*|"
    r"doubt\w*|unconvinced|not convinced|question(?:s|ed)|continue\w* to (?:advise|argue|believe|favou?r|prefer|recommend|hold|oppose|object|see)|"
    r"maintain(?:s|ed)? that|remain(?:s|ed)? (?:of|opposed|unconvinced|doubtful|concerned|against|skeptical|sceptical)|h[eo]ld\w* that|"
    r"(?:felt|thought) (?:that|this|it)|(?:considered|called|deemed|saw|found|judged) (?:this|it|that)|wanted|uncomfortable|skeptical|sceptical|against|"
    r"abstain\w*|minority|warned|urged|(?:in|by) contrast|not in favou?r)"
)
_SOMEBODY = re.compile(
    r"\b(?:(?P<one>(?:one|a|another|single)(?: \w+)? (?:member|colleague|participant|panelist|voice|specialist|person|vote)|one of (?:us|the \w+)|"
    r"dissenting (?:member|voice))|(?P<all>minority|not unanimous\w*|(?:two|three|several|some|other|few)(?: \w+)? (?:members|colleagues|voices|participants|of us)|"
    r"majority (?:vote|decision|view)|by (?:a )?majority|votes? to (?:one|two|three)|\d ?(?:to|:|-) ?\d votes?|split (?:vote|decision)|opinions? (?:differed|were divided|was divided)))\b"
)
_OF_PATIENT = re.compile(
    r"\b(?:patient|he|she|his|her|family)(?:'s)? (?:\w+ )?(?:would |has |had )?(?:prefer\w*|want\w*|favou?r\w*|wish\w*)"
)


def role_named(text: str) -> Role | None:
    """The role that the beginning of a text names, by person or field."""
    return next((role for role, pattern in _NAMED_AS.items() if re.match(rf"(?:{pattern})\b", text.strip())), None)


def recorded(role: Role, conclusion: str) -> bool | None:
    """Whether a sentence of the conclusion names the role together with words of dissent; None without a conclusion."""
    if not conclusion.strip():
        return None
    pattern = _NAMED_AS.get(role)
    return pattern is not None and any(_tells_of(pattern, part) for part in _parts(conclusion))


def _parts(conclusion: str) -> list[str]:
    return [part.casefold().replace("’", "'") for part in re.split(r"(?<=[.!?;])\s+", conclusion)]


def _tells_of(pattern: str, part: str) -> bool:
    if _OF_PATIENT.search(part):
        return False
    named = rf"\b(?:{pattern})\b"
    near = rf"{named}(?:\W+\w+){{0,5}}?\W+{_TELLS}\b|\b{_TELLS}\b(?:\W+\w+){{0,4}}?\W+{named}|\({named}"
    return re.search(near, part) is not None


def tells_without_a_name(conclusion: str) -> str:
    """`one` or `all` where the conclusion keeps a view of somebody it does not name, else nothing."""
    for part in _parts(conclusion):
        match = _SOMEBODY.search(part)
        if match and (match["all"] or re.search(rf"\b{_TELLS}\b", part)):
            return "all" if match["all"] else "one"
    return ""


def tells_of_somebody(part: str) -> bool:
    """Whether a sentence of a conclusion tells of a view that was not followed."""
    lowered = part.casefold()
    return bool(_SOMEBODY.search(lowered)) or any(_tells_of(pattern, lowered) for pattern in _NAMED_AS.values())


def followed(turn: Turn, conclusion: str) -> bool:
    """Whether the conclusion follows what a turn is against, so that the view carried the day.

    It rules out what the turn refuses, by the same word or as the specialist's own treatment, or has nothing of a kind that it refuses.
    """
    against = [
        part for part in statements(turn.text) if any(cue.search(_lowered(part)) for cue in (_REFUSES, _NO, _UNEASY))
    ]
    if not against:
        return False
    told = [item for clause in clauses(conclusion) for item in mentions(clause)]
    out = {item.field for item in told if item.ruled_out} - {item.field for item in told if not item.ruled_out}
    refused = {item.field for part in against for clause in clauses(part) for item in mentions(clause)}
    if refused:
        return not refused & kinds_said([Turn(id="", speaker="", role=Role.UNKNOWN, text=conclusion)])
    if OWN_FIELDS.get(turn.role, frozenset()) & out:
        return True
    words = frozenset().union(*map(_content, against))
    return any(
        match[0][:7] in words and ruled_out(clause.casefold(), match.start(), match.end())
        for clause in clauses(conclusion)
        for match in re.finditer(r"[a-z]{6,}", clause.casefold())
    )


def answered(text: str, replies: Sequence[Turn], proposers: frozenset[str]) -> bool:
    """Whether one of the replies takes the point up: it comes from somebody who had proposed, shares a word, or reasons about the view."""
    said = _content(text)
    return any(
        reply.speaker in proposers or said & _content(reply.text) or _FOLLOW.search(reply.text.casefold())
        for reply in replies
    )


def _content(text: str) -> frozenset[str]:
    return frozenset(word[:7] for word in re.findall(r"[a-z]{5,}", text.casefold()) if word not in _STOP)


def proposers(turns: Sequence[Turn]) -> frozenset[str]:
    """Speakers who proposed something in these turns, moderators too."""
    views = Views()
    for place, turn in enumerate(turns):
        _takes_proposal(turn, place, views)
    return frozenset(views.proposed)
