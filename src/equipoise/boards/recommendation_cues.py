"""Words that say how a drug is meant in a sentence: proposed, rejected, history, somebody else's wish, a report, weighed.

All patterns run over folded text. They are rules of English, drawn from turns of the tuned halves of the exams beside
`tests/boards/recommended_exam` and from tables of further ways to say the same; none names a drug.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Mode(StrEnum):
    """How words before a drug mean it."""

    NONE = "none"
    PROPOSED = "proposed"
    REJECTED = "rejected"
    PAST = "past"
    OTHERS = "others"
    REPORTED = "reported"
    WEIGHED = "weighed"


SETTING = re.compile(
    r"\b(neoadjuvant|adjuvant|perioperative|consolidation)\s+(?:treatment\s+with\s+|therapy\s+with\s+|with\s+)?$"
)
VERBS = (
    r"recommend|advise|propose|suggest|prefer|favou?r|support|endorse|offer|give|start|use|add|choose|pick|try|switch|continue|resume|"
    r"restart|"
    r"reintroduce|rechallenge|keep|go (?:with|for)|treat|opt for|vote for|plan|proceed with|begin|adopt|escalate|lean towards?|finish|"
    r"bridge|salvage|consolidate|reserve|go (?:back |on |straight )?to|move (?:on )?to|back|take"
)
_PERSON = r"(?:i|we|you|she|he|they|nobody|no one|it|the (?:patient|board|team))"
CUES: tuple[tuple[Mode, re.Pattern[str]], ...] = (
    (Mode.OTHERS, re.compile(
        r"\b(?:would(?:'ve| have)|i'd have|i had hoped)\b|\b(?:dissent\w*|disagreed|objected)\b|"
        r"\b(?:was|were) (?:named|preferred|favou?red|suggested|proposed|"
        r"mentioned|discussed|considered) by\b|\b(?:has|have) (?:any(?:body|one)|you|we) considered\b|"
        r"\b(?:appreciate|understand|respect|hear)(?:s|ed)? (?:the |(?:[\w.]+ ){0,2}\w+'s? )?"
        r"(?:argument|case|reasoning|preference|enthusiasm|temptation|appeal|logic|interest|point)\b|"
        r"\b(?:i|we) (?:had|have) (?:\w+ly |first )?(?:suggested|proposed|recommended|argued|favou?red|thought|planned|hoped)\b|"
        r"\b(?:i|we) (?:was|were) (?:\w+ly )?(?:going to|about to|tempted|hoping|leaning|thinking)\b|"
        r"\b(?:earlier|initially|originally|at first|previously),? (?:i|we) (?:suggested|proposed|recommended|favou?red|preferred|"
        r"wanted)\b|"
        r"\b(?:i|we) (?:earlier|initially|originally|at first|previously) (?:suggested|proposed|recommended|favou?red|preferred|wanted)\b|"
        r"\bif (?:[a-z]+ ){1,3}(?:were(?: not|n't)? (?:[a-z]+er|an?|still|any|less|more|not|fit|young)\b|had (?:\w+ )?(?:shown|been|"
        r"come|had)\b)|"
        r"^suppose\b|^(?:had|were) (?:the|it|she|he|this|that|there|they)\b")),
    (Mode.REPORTED, re.compile(
        r"\b(?:my|our|an|another|other|the) (?:last|other|previous|next|former) (?:patients?|cases?|man|woman|lady|gentleman|guy)\b|"
        r"\banother patient\b|"
        r"\b(?:data|trials?|study|studies|evidence|guidelines?|[a-z]+-?\d+[a-z]*) (?:supports?|favou?rs?|suggests?|prefers?)\b|"
        r"\b(?:whether|decide on|decision on|(?:evidence|data) for|labels? of|eligible for)\b|\bresponse to\b|"
        r"\b(?:would like|want|need) to know\b|\bi(?:'m| am)? (?:just )?wonder(?:ing)?\b|"
        r"\b(?:guidelines?|nccn|esmo|asco|label|pages?|papers?|tables?|reviews?|algorithms?|pathways?|leaflet|textbooks?)(?: \w+){0,2}? "
        r"(?:lists?|mentions?|names?|includes?|allows?|covers?|describes?)\b|"
        r"\b(?:compared|randomi[sz]ed)\b")),
    (Mode.PROPOSED, re.compile(
        r"\bnothing(?: \w+)? against\b|\bno (?:objections?|argument|quarrel|problem|issue)(?: \w+)? (?:against|to|with)\b|"
        r"\b(?:could|can|may|might|should|would|to) (?:also |still |then )?(?:consider|discuss)\b|\bworth \w+ing\b|"
        r"\b(?:hit|get|put|start|treat|bridge) (?:it|her|him|them|the patient) (?:up )?(?:with|on|onto)\b|"
        r"\b(?:replac|swap|switch|chang|exchang)\w* (?:it|this|that|them|her|him) (?:out |over |back )?(?:with|by|for|to)\b|"
        r"\btalk (?:her|him|them) into\b|\b(?:calls for|warrants|merits|deserves|in favou?r of)\b|"
        r"\b(?:final |revised |my |our )?(?:recommendation|proposal|advice|plan|verdict|answer|choice|bottom line|vote|pick)\s?(?::|=)|"
        r"\b(?:so|then|ok|okay) (?:it's|it is|that's|let's)\b|\bmy (?:money|vote|bet) (?:is|goes|would be)\b")),
    (Mode.PROPOSED, re.compile(
        r"\b(?:not|n't|never|no reason to) (?:delay|withhold|omit|stop|postpone|defer|interrupt|discontinue|skip|lose)\b")),
    (Mode.NONE, re.compile(r"\b(?:add|note|say|mention|remind \w+|point out) that\b")),
    (Mode.REJECTED, re.compile(
        r"\bwithdr[ae]w\w*(?: (?:my|our|the) \w+)?\b|\b(?:hold(?:ing)?|held|defer\w*|postpon\w*)\b(?! in reserve| for)|"
        r"\b(?:not recommended|contraindicated|avoid|not advised|not favou?red)\s?:")),
    (Mode.PROPOSED, re.compile(r"^consider\b")),
    (Mode.WEIGHED, re.compile(
        r"\b(?:consider\w*|weigh\w*|debat\w+|although|though)\b|\b(?:decision|question|discussion|talk) (?:on|about|of)\b")),
    (Mode.REJECTED, re.compile(
        rf"\b(?:would|do|did|does|should|shall|will|can|could|must|is|are|was|were)(?: not|n't)"
        rf"(?: \w+ly| yet| be| be \w+)?(?: (?:{VERBS}))?\b|"
        r"\b(?:cannot|can't|won't|not|no|never|nor|neither|without|against|avoid\w*|instead of|rather than|than|omit\w*|withh\w+|declin\w+|"
        r"reject\w*|rul(?:e|es|ed|ing) (?:\w+ )?out|contraindicat\w*|stop\w*|discontinu\w*|spare|disagree\w*|object\w*|oppos\w+|"
        r"(?<!\d )(?<!exon )skip\w*|"
        r"refus\w+|allerg\w+|held back|hold(?:ing)? off|preclud\w+|exclud(?:e|es|ed|ing)|forbid\w*|prohibit\w*|unfit for|ineligible for|"
        r"too (?:frail|sick|old|weak|unfit|ill|fragile|late|early) for|steer(?:ing)? clear of|stay(?:ing)? away from|forget(?: about)?|"
        r"scratch|"
        r"ditch|abandon\w*|leav\w+ out|get rid of|(?:come|coming|came|take (?:her|him|them)) off|"
        r"drop(?:s|ped|ping)?(?! (?:the|his|her|their) dose| to)|preferred to|preferable to|superior to|better than|"
        r"replac(?:e|es|ed|ing)|hate to (?:give|use|see))\b|"
        r"\b(?:switch(?:ing|ed)?|chang(?:e|es|ed|ing)) (?:\w+ )?from\b|\bswap(?:s|ped|ping)?\b|"
        r"(?:'re|'s|are|is|am|'m) (?:well |way )?(?:past|beyond|done with|through with)\b|"
        r"\b(?:nobody|no one|none of us)(?:'s| is|'ll| will| would| can| could)?(?: \w+)? (?:get|gets|going|surviv\w+|tolerat\w+|finish\w*|"
        r"wants?|gives?|uses?)\b|\bnothing to add\b|\bover\s*$")),
    (Mode.PAST, re.compile(
        r"\b(?:(?:she|he|they|patient|who|we) (?:had|has had)|received|respond\w+ to|(?:grew|grow\w+) on|"
        r"had (?:been|received)|(?:was|were|been) (?:treated|started|given|put|on)|progressed|progressing|progression|failed|"
        r"after|following|prior|previous\w*|earlier|history of|relapsed|recurred|came back|since|despite|resistan\w+|refractory|"
        r"completed|took|tolerated|hated|sailed through|burn(?:ed|t) through|went through|ran through|got through|couldn't (?:stand|"
        r"take|tolerate)|"
        r"lasted|blew through|"
        r"we (?:gave|used|tried|treated|put)|"
        r"(?:had|got|developed|(?:nearly |almost )?died (?:of|from)|(?:hospitali[sz]ed|admitted) (?:for|with))(?: \w+){0,4}? (?:on|from|"
        r"under|with|during)|"
        r"(?:she|he|patient|who|they)(?:'s|'re| is| are| remains| stays) (?:still |already |currently |now )?(?:on|taking|receiving)|"
        r"(?:she|he|they)(?:'s| has|'ve| have) (?:already |just |only |ever |never )?(?:had|been on|seen|used|exhausted|failed|finished|"
        r"tried))\b")),
    (Mode.PROPOSED, re.compile(
        rf"\b(?:i|we|let us|let's|the (?:board|panel|team|consensus|plan|proposal|recommendation))(?:'d|'ll)?"
        rf"(?: would| will| should| is to| to| now| also| still| strongly| therefore| rather| all| then| do| must| need to| can|"
        rf" could| probably| just| say| really| gladly| happily)*(?: (?:{VERBS}))(?:s|es|ed|ing)?\b"
        rf"|\b(?:my|our|the)(?: \w+)? (?:proposal|recommendation|choice|advice|vote|plan|suggestion|preference|pick)\b"
        r"|\b(?:good|excellent|clear|ideal|perfect|suitable|strong) candidate for\b|\b(?:settled|decided|opted|voted) (?:on|for)\b"
        r"|\bbenefits? from\b|\bput (?:her|him|them|the patient) on\b|\bargues? for\b|\bi'd say\b"
        r"|\bi(?:'m| am)(?: all)? (?:for|in favou?r of|happy with|fine with|good with|comfortable with)\b"
        r"|\b(?:best|right|preferred|only) (?:option|choice|treatment|therapy|drug)\b[^,.;]{0,40}\bis\b"
        rf"|\bagree[sd]? (?:with|on|to)\b|\b(?:treatment|therapy|regimen) (?:should|would|will|must) be\b"
        rf"|\b(?:she|he|they|the patient|this patient) (?:should|must|needs?(?: to)?|ought to)\b"
        rf"|\b(?:{VERBS})(?:s|es|ing)?\b")),
)  # fmt: skip
"""Cues in order of precedence; where two overlap the earlier wins."""

SUBJECT = re.compile(r"^(?:i|we|let|my|our|the|she|he|they)\b")
TURNS = (";", "but", "however", "and still", "and yet", "yet", "nevertheless", "nonetheless", "all the same")
BREAK = re.compile(
    rf"[;:]|\b(?:but|however|and still|(?<!not )(?:and )?yet|nevertheless|nonetheless|all the same)\b|,|\band\b(?= (?:{VERBS})\b)"
)
SWAPPED = re.compile(r"\b(?:replac(?:e|es|ed|ing)|swap(?:s|ped|ping)?|(?:switch|chang)\w* (?:\w+ )?from|exchang\w+)\b")
SWAP_TO = re.compile(r"\s*(?:out )?(?:with|by|for|to)\s+(?:the |a )?")
_IS = r"(?:is|are|was|were|should|would|will|can|could|does|do|has|have|must)"
AFTER_NO = re.compile(
    rf"(?:\s+\w+){{0,4}}?\s+{_IS}(?: clearly| really| also| simply| then| now| probably| best| better| hence| therefore)*"
    r"(?:\s+not\b|n't\b|\s+no\b|\s+(?:be )?(?:\w+ but (?:then )?reject|avoid|drop|unwise|unlikely|ineffective|"
    r"off the table|not |reject|contraindicat|declin|rul|withh|omit|stopp|discontinu|unsuitable|wrong|"
    r"(?:felt |thought )?(?:to be )?(?:inappropriate|unsuitable)|out\b|out of|obsolete|futile|useless|unavailable|withdrawn|premature|"
    r"unsafe|dangerous|unacceptable|too (?:toxic|much|risky|early|late|dangerous|aggressive)|a (?:mistake|non-starter|no-go|bad idea|"
    r"poor choice)|"
    r"left out|finished|"
    r"excluded|deferred|postponed|held(?! in reserve))\w*)|(?:\s+\w+){0,2}?\s+makes? no sense\b|\s+(?:has|have|had) no\b|\s+cannot\b|"
    r"\s+held back|\s+(?:won't|isn't|aren't|can't|does nothing|adds? (?:nothing|little|no))\b|\s+out\b(?! of)|"
    r"\s*\(?(?:rejected|declined|contraindicated)|(?:\s+\w+){0,2}?\s+back\b"
)
AFTER_PAST = re.compile(
    r"(?:\s+\w+){0,3}?\s+(?:had|(?:was|were) (?:poorly|badly|not|well) tolerated|was stopped|was given|was the last|bought|gave|lasted|"
    r"stopped working|has failed|nearly killed|almost killed|put (?:her|him) in|"
    r"was started|were given|failed|did not work|(?:in|until|since|back in) (?:19|20)\d\d|"
    r"is what (?:she|he|they)(?:'s| has| have|'ve)? (?:just |already )?(?:failed|had|progressed|received|got|grew))\b"
)
AFTER_OTHERS = re.compile(
    r"(?:\s+\w+){0,3}?\s+(?:was|were|would have been)(?: \w+ly| first| the)? "
    r"(?:choice|option|named|preferred|favou?red|suggested|proposed|mentioned|discussed|considered)\b"
)
AFTER_YES = re.compile(
    r"(?:,?\s+\w+){0,3}?\s+(?:(?:should|must|can|will) be (?:given|started|used|added|offered|continued|chosen)|"
    r"(?:is|remains|would be|seems) (?:the|my|our|a)(?: [\w-]+){0,3} "
    r"(?:choice|option|answer|treatment|therapy|drug|way|standard|recommendation|proposal|backbone|partner)|"
    r"is what (?:i|we)|it is\b|is indicated(?! (?:for|in|when) )|would be my\b|is the standard\b|"
    r"(?:is|are|would be|seems) (?:both |the more |more )?(?:preferred|favou?red|fine|reasonable|acceptable|feasible|standard|better)\b|"
    r"(?:could|can|may|might) be (?:given|started|used|added|offered|considered|something)\b|is worth\b|(?:upfront|up front|now|today)\b|"
    r"(?:is|are) (?:started|given|recommended|proposed|advised)|as (?:interchangeable|equivalent|equal))"
)
ON_TOP = re.compile(r"\s+(?:\w+ )?on top\b(?! of)")
SAID_LATER = re.compile(
    r"(?<!not )\b(?:(?:is|are|be|'s|remains) (?:\w+ )?what (?:i|we)(?:'d| would| will)? (?:\w+ )?"
    r"(?:advise|recommend|propose|give|suggest|choose|do|want|use|go with|favou?r|offer|prefer|pick|say)|"
    r"that's what (?:he|she|they|we|i) (?:can|should|needs?|wants?|would)|is what (?:that|this|it|the \w+|he|she) (?:calls? for|needs|"
    r"wants|demands)|"
    r"(?:gets|has) my vote|is my (?:choice|pick|recommendation|preference|first|answer|vote)|is the way (?:to go|forward)|"
    r"i(?:'d| would)(?: all)? (?:go with|take|do|use|give|back|second|sign|start) (?:that|it|this|them)\b)"
)
EITHER = re.compile(
    r"[^;]{0,60}?\b(?:interchangeabl\w*|equivalent|whichever|either (?:one|is|will|would|works)|both work|take your pick)\b"
)
REPORT = re.compile(
    r"\b(?:compared|randomi[sz]ed|versus|vs|better than|superior|inferior|response rates?|median|hazard|survival|approved|labell?ed|"
    r"withdrawn|inhibitor with|is an? [\w-]+ inhibitor|likely|notes?|asked|monitor\w*|difficult|risk|toxicity|side effects?|only in trials|"
    r"interact\w*|response (?:to|on)|resistance to|showed|demonstrated|improved?|exceed\w*|is indicated (?:for|in|when)|"
    r"(?:was|were) (?:tested|studied|driven|evaluated|examined|observed|seen|reported)|prolong\w*|occurred|occurs?|addition of|"
    r"(?:has|have) responded|responses? (?:was|were)|registered|licen[sc]ed|on paper|no control arm|phase (?:i{1,3}|[123])\b(?! trial)|"
    r"carries|conver(?:t|s)|half-life|hepatotoxic\w*|cardiotoxic\w*|neuropathy (?:rate|is)|inducer|inhibits|"
    r"objective response|reduces? (?:the )?(?:recurrence|risk)|in the (?:pivotal|registration) (?:study|trial)|schools? of thought|"
    r"category \d|among the options|activity (?:in|against))\b"
)
TAKEN_UP = re.compile(
    r"(?<!not )(?<!n't )(?<!never )\b(?:recommend|support|endorse|give|use|add|choose|start|resume|restart|continue|keep|follow|do|take|"
    r"offer|favou?r|prefer|try|propose)\b(?: \w+){0,2}? (?:it\b|both\b|them\b|the (?:first|same|former|latter)\b|"
    r"(?:that|this|these)(?:(?! \w)| (?:one|regimen|combination|plan|drug|treatment|approach|option|therapy|protocol|doublet|triplet|"
    r"agent|as|"
    r"for|in|with|and|now|then|to|until|after|today|here|at|on|if|because|since|over|rather|instead|too|first|up|well|even|once|when|"
    r"while)\b))"
)
ALL_HAD = re.compile(
    r"\bthat(?:'s| is| was) (?:all|everything|what) (?:she|he|they|we)(?:'s|'ve|'d| has| have| had)? (?:ever |already |really )?(?:had|"
    r"received|got|been given|tried|done)\b"
)
OPTIONS = re.compile(
    r"\b(?:options?|alternatives?|choices|possibilities)\b(?:[^.;]{0,30}\b(?:includ\w+|are|were|remain)\b|\s*:)"
)
OPTION = re.compile(r"\b(?:option|arm|strategy)\s+([a-e]|\d)\b")
CHOSEN = re.compile(
    r"\b(?:answer|choice|recommend\w*|prefer\w*|favou?r|choose|pick|go with|vote|select\w*|settle on|"
    r"best is)\b[^.;\n]{0,20}?\boption\s+([a-e]|\d)\b"
)
SEPARATE = re.compile(r"\s*(?:,|,? and)\s*(?:\(?\d\)\s*)?")
IN_PLACE = re.compile(r"(?:rather than|instead of)\b")
TAKEN_BACK = re.compile(
    r"[^;]*\bbut\b[^;]*\b(?:can't|cannot|can not|won't|wouldn't|would not|don't|do not) (?:support|agree|recommend|endorse|follow|see)\b"
)
WHICH = re.compile(r"^,\s+which\s+")
CLAUSE_END = re.compile(r"[;.]|,\s")
OR = re.compile(r"[\s,]*\b(?:or|alternatively|vs\.?|versus)\b(?:[\s,]|\beither\b)*")
OWN_CLAUSE = re.compile(r", and\s*")
IT_IS = re.compile(r"\s+(?:it is|it's|then|instead)\b")
OWN_VERB = re.compile(r"\s+(?:is|was|has|had|should|would|will|can|must|remains|needs|stays|goes|comes)\b")
ASKING = re.compile(
    r"^(?:so|well|okay|ok|and|but|now|um|uh|look|,|\s)*(?:what (?:are|about|do|would|if|shall|should|can)\b|(?:are|do|shall|should|can|"
    r"could) we\b|"
    r"who (?:is|would|has)\b|has any(?:one|body)\b|would any(?:one|body)\b|does any(?:one|body)\b|"
    r"(?:i'm|i am|i was|just) (?:just )?(?:wondering|asking|curious)\b|i wonder\b)"
)
COUNTERFACT = re.compile(r"^(?:suppose\b|had (?:the|it|she|he|this|there)\b|if [^,.]{0,60}\b(?:had|were)\b)")
THEN = re.compile(r"^(?:then|in that case)\b")
LESS = re.compile(
    r"(?:\s+\w+){0,2}?\s+(?:is|are|gets?|should be|can be|would be|will be|has to be|must be)\s+(?:then )?(?:reduced|lowered|cut|halved|"
    r"paused|interrupted|de-escalated)\b"
)
WITHHELD = re.compile(
    r"\b(?:as |for )?(?:background|information|context|orientation) only\b|"
    r"\b(?:my|our|a|any|the) (?:recommendation|advice|decision|proposal|opinion|vote)(?: on \w+)? (?:will|can|must|should|has to|"
    r"would)(?: only)? "
    r"(?:follow|wait|come|be (?:given|made|taken))\b|"
    r"\b(?:leave|leaves|leaving) (?:the|that|this) (?:choice|decision|question|call)\b|"
    r"\b(?:no|not an?y?|without an?y?) (?:recommendation|preference|opinion|proposal)\b|\bi(?:'d| would)? defer to\b|"
    r"\bnone of (?:these|this|them|those)(?: \w+){0,2} (?:can|could|applies|apply|is|are|informs?|fits?)\b|"
    r"\b(?:cannot|can't|can not) (?:yet )?(?:recommend|advise|propose|be applied)\b|\bnot (?:my|for me) to\b|"
    r"\b(?:before any|no) (?:systemic |further )?(?:therapy|treatment|drug)s? (?:is|are|can|should|will|for now|today)\b|"
    r"\b(?:surveillance|observation|watchful waiting|watch and wait|best supportive care|hospice|comfort care) "
    r"(?:is|would be|remains|alone is) (?:\w+ )?(?:advised|recommended|appropriate|indicated|preferred|proposed|my|the|what)\b|"
    r"\b(?:recommend|advise|favou?r|propose|suggest|prefer)s? (?:active |close |continued |further )?(?:surveillance|observation|"
    r"watchful waiting|"
    r"best supportive care|hospice)\b"
)
"""The turn holds its recommendation back, or recommends that nothing systemic is given: a drug merely named in it is no recommendation."""
