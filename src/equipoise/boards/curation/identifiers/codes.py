"""Numbers and addresses of every kind, by their shape or by the words before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from equipoise.boards.curation.identifiers.model import IdentifierKind, Span
from equipoise.redteam.privacy.calendar_words import english

_CODE = r"[A-Z0-9](?:[A-Z0-9]|[-/. ](?=[A-Z0-9]*\d)){2,24}[A-Z0-9]"
_LABELS = (
    r"mrn|m\.r\.n\.|medical record(?: number| no\.?)?|record(?: number| no\.?)|hospital (?:number|no\.?|id)|"
    r"patient (?:id|number|no\.?|identifier)|"
    r"chart(?: number| no\.?)?|case (?:number|no\.?)|fall(?:nummer|-nr\.?)|accession(?: number| no\.?)?|"
    r"specimen(?: number| no\.?| id)?|"
    r"account(?: number| no\.?)?|policy(?: number| no\.?)?|member(?: id| number)|insurance(?: id| number| "
    r"no\.?)?|beneficiary(?: id| number)?|"
    r"nhs(?: number| no\.?)?|medicare(?: number| id)?|medicaid(?: number| id)?|licen[cs]e(?: plate| number| "
    r"no\.?)?|npi|dea(?: number)?|"
    r"passport(?: number)?|serial(?: number| no\.?)?|device(?: id| number)|plate|study id|subject id|"
    r"encounter(?: number| id)?|csn|uhid|"
    r"visit(?: number| id)|registration(?: number)?|block(?: number| no\.?)|"
    r"acct(?: number| no\.?)?|a/c(?: no\.?)?|group(?: number| no\.?| id)|plan(?: number| no\.?| id)|insurance|member|subscriber(?: id| number)?|"
    r"payer id|claim(?: number| no\.?)?|(?:prior )?auth(?:orization)?(?: number| no\.?| code)|ref(?:erence)? (?:number|no\.?)|confirmation "
    r"(?:number|code)|"
    r"order (?:number|no\.?)|requisition(?: number| no\.?)?|s/n|serial|(?:study |trial )?subject(?: id| number| no\.?)?|participant(?: id| number| no\.?)?|"
    r"(?:screening|randomi[sz]ation|enrol+ment|inclusion) (?:number|no\.?|code|id)|lot (?:number|no\.?)|implant (?:number|no\.?|id)|"
    r"badge(?: number)?|driver'?s licen[cs]e(?: number| no\.?)?|dl(?: number| no\.?)|state id|tag number|license tag|number plate|"
    r"wristband|bar ?code|id(?: number| no\.?| is|:|#)|identification(?: number| no\.?)?|pin(?: number| code| is)|"
    r"user ?name|irb(?: number| no\.?)?|docket(?: number| no\.?)?|ticket(?: number| no\.?)?|file (?:number|no\.?)|job number|employee (?:id|number)|student (?:id|number)|"
    r"service number|military id|unit (?:number|no\.?)|ur number|batch (?:number|no\.?)|(?:tissue|bio) ?bank(?: id| number)?|sample (?:id|number|no\.?)|"
    r"tube (?:id|number)|slide (?:id|number)|cassette(?: number)?|kit number|donor (?:id|number)|unos id|referral number|incident number|report number|"
    r"exam number|study number|path(?:ology)? (?:number|no\.?)|surgical (?:number|no\.?)|registry (?:number|id|no\.?)|folder (?:number|no\.?)|chart|"
    r"ip(?: address)?|em are en|zip(?: code)?|post ?code|postal code|m r n|m\.? ?r\.? number|hospital (?:record|chart)|dossier(?: number| no\.?)?|ein|nhi(?: number)?|hic(?:n| number)|ohip|health card(?: number)?|"
    r"login|pass(?:word|code)|bank account|card(?: number| no\.?)|iban|tax id|uid|ehr id|epic id|fin(?: number)?|har number|tag"
)
_LETTER = r"[a-z](?![\w'\u2019])"
_ALPHABET = (
    r"(?:alpha|alfa|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliett?|kilo|lima|mike|november|oscar|papa|quebec|romeo|sierra|tango|"
    r"uniform|victor|whiskey|x-?ray|yankee|zulu|[bcdfghjklmnpqrstvwxz]{2,4})(?!\w)"
)
_NUMBER_WORD = (
    r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|"
    r"nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|double|triple|\d+)(?!\w)"
)
_SPOKEN = rf"(?:{_NUMBER_WORD}|dash|slash|hyphen|dot|point|space|{_LETTER}|{_ALPHABET})"
"""A letter, a number or a mark, as one reads a code aloud."""
_JOIN = r"\.?\s*(?:is|was|are|:|#|=|no\.?|number|\u2116|,)?\s*(?:is|:|#)?\s*"
_KINDS = (
    r"Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Court|Ct|Boulevard|Blvd|Square|Place|Pl|Terrace|Crescent|"
    r"Close|Way|Highway|Hwy|Parkway|"
    r"Pkwy|Circle|Cir|Gardens|Grove|Hill|Row|Mews|Walk|Trail"
)
_DOMAINS = r"com|org|net|edu|gov|info|io|health|de|fr|co\.uk|nhs\.uk|ac\.uk|eu|at|ch|example"
_DIGIT_WORD = r"(?:zero|oh|o|one|two|three|four|five|six|seven|eight|nine|double|triple)"
_TENS = "|".join(english(number) for number in range(99, 89, -1))
_HUNDRED = r"(?:a |one )hundred(?:(?: and)? (?:one|two|three|four|five|six|seven|eight|nine|ten))?"
_AGE_ORDINAL = (
    r"(?:9\dth|9\d(?:st|nd|rd)|1[01]\d(?:st|nd|rd|th)|ninetieth|ninety[\s-](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|"
    r"(?:one )?hundredth|(?:one )?hundred (?:and )?(?:first|second|third|fourth|fifth))"
)
_NO_UNIT = (
    r"(?![\w%/-]|[.,]\d| ?(?:%|percent|per cent|kg|kilos?|mg|cm|mm|ml|pounds|lbs|gy|gray|units?|days?|weeks?|months?|minutes?|hours?|points?|"
    r"degrees?|over|beats|milligrams?|out of|of the|dollars|miles|patients|cases|cells|nodes|thousand|hundred|times|one hundred|"
    r"or (?:more|higher|above)|fractions?|centigray|micro\w+|nano\w+|grams?|litres?|liters?|bpm|systolic|on room air)\b)"
)
_AGE = rf"(?:9\d|1[0-2]\d|{_TENS}|{_HUNDRED})"


@dataclass(frozen=True, slots=True)
class Rule:
    """A shape. The first group is what is replaced; without a group, the whole."""

    name: str
    kind: IdentifierKind
    pattern: re.Pattern[str]


def _rule(name: str, kind: IdentifierKind, pattern: str, *, cased: bool = False) -> Rule:
    return Rule(name, kind, re.compile(pattern, 0 if cased else re.IGNORECASE))


RULES: tuple[Rule, ...] = (
    _rule("e-mail", IdentifierKind.EMAIL, r"(?<![\w.+-])([\w.+-]+@[\w-]+(?:\.[\w-]+)+)"),
    _rule(
        "spoken-e-mail",
        IdentifierKind.EMAIL,
        rf"(?<!\w)(\w+(?:(?: dot | underscore | dash |[._-])\w+){{0,4}} (?:at|@) [\w-]+(?:(?: dot "
        rf")[\w-]+){{0,2}} ?(?: dot |\.)(?:{_DOMAINS}))(?!\w)",
    ),
    _rule("web", IdentifierKind.WEB, r"((?:https?://|www\.)[^\s<>\"')\]]*[^\s<>\"')\].,;:!?])"),
    _rule(
        "domain",
        IdentifierKind.WEB,
        rf"(?<![\w@.])((?:[a-z0-9-]+\.)+(?:{_DOMAINS})(?:/[^\s<>\"')\]]*[^\s<>\"')\].,;:!?])?)(?![\w.]*\w)",
    ),
    _rule(
        "network",
        IdentifierKind.NETWORK,
        r"(?<![\d.])((?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d))(?![\d.]*\d)",
    ),
    _rule("network-6", IdentifierKind.NETWORK, r"(?<![\w:])((?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4})(?![\w:])"),
    _rule(
        "network-6-short",
        IdentifierKind.NETWORK,
        r"(?<![\w:])((?=[0-9a-f:]*::)[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){2,7})(?![\w:])",
    ),
    _rule(
        "address-cue",
        IdentifierKind.ADDRESS,
        r"\b(?:address|lives at|resides at|living at|home is at)(?: is| was|:)? (\d[^.;,\n]{3,50})",
    ),
    _rule("social-security", IdentifierKind.SOCIAL_SECURITY, r"(?<![\d-])(\d{3}-\d{2}-\d{4})(?![\d-]*\d)"),
    _rule(
        "social-security-cue",
        IdentifierKind.SOCIAL_SECURITY,
        rf"\b(?:ssn|social security(?: number| no\.?)?){_JOIN}((?:\d[ -]?){{3,8}}\d)",
    ),
    _rule(
        "last-digits",
        IdentifierKind.NUMBER,
        rf"\b(?:ending in|ends in|ending with|ends with|last (?:four|4|five|six|few)(?: digits| numbers)?(?: of (?:\w+ ){{0,3}}?\w+)?(?: are| is|:)?) "
        rf"(\d{{3,6}}|{_DIGIT_WORD}(?:[\s,-]+{_DIGIT_WORD}){{2,}})\b",
    ),
    _rule(
        "labelled-number", IdentifierKind.NUMBER, rf"\b(?:{_LABELS})\b{_JOIN}(?-i:(?=[A-Z0-9./ -]{{0,14}}\d)({_CODE}))"
    ),
    _rule(
        "labelled-lower",
        IdentifierKind.NUMBER,
        rf"\b(?:{_LABELS})\b{_JOIN}([a-z]{{0,4}}[-/]?\d[\da-z/-]{{3,20}})(?!\w)",
    ),
    _rule(
        "labelled-in-words",
        IdentifierKind.NUMBER,
        rf"\b(?:{_LABELS})\b{_JOIN}({_DIGIT_WORD}(?:[\s,-]+{_DIGIT_WORD}){{3,}})\b",
    ),
    _rule(
        "labelled-aloud",
        IdentifierKind.NUMBER,
        rf"\b(?:{_LABELS}|social(?: security)?(?: number)?)\b{_JOIN}({_SPOKEN}(?:[\s,-]+{_SPOKEN}){{2,}})(?!\w)",
    ),
    _rule(
        "plate",
        IdentifierKind.NUMBER,
        r"\b(?:plates?|tags?|registration|licen[cs]e(?: plate)?)\b[\s,:]*(?:number |no\.? )?(?:is |was |reads? |of )?"
        r"(?-i:((?=[A-Z0-9 -]{0,8}\d)[A-Z0-9]{1,4}(?:[ -]?[A-Z0-9]{1,4}){1,2}))(?!\w)",
    ),
    _rule(
        "accession-shape",
        IdentifierKind.NUMBER,
        r"(?<![\w-])([A-Z]{1,3}-?\d{2}-\d{3,6}(?:-[A-Z0-9]{1,3})?)(?![\w-])",
        cased=True,
    ),
    _rule("hash-number", IdentifierKind.NUMBER, r"#\s?(\d[\d-]{4,14})(?!\w)"),
    _rule(
        "long-number",
        IdentifierKind.NUMBER,
        r"(?<![\w.,:/>-])(?<!position )(?<!coordinate )(?<!coordinates )(?<!g\.)(\d{7,12})(?![\w/>]|[.,:]\d| ?(?:cells|copies|reads|bp|base|iu|units|per|/))",
    ),
    _rule(
        "network-aloud",
        IdentifierKind.NETWORK,
        rf"\b((?:{_NUMBER_WORD}[\s-]?){{1,4}}(?:(?:dot|point) (?:{_NUMBER_WORD}[\s-]?){{1,4}}){{3}})(?<=\w)(?!\w)",
    ),
    _rule(
        "street-aloud",
        IdentifierKind.ADDRESS,
        rf"\b(?:on|at|off|lives|address(?: is)?|number|to|live at) ((?:{_NUMBER_WORD}[\s-]){{0,5}}(?:(?!the |a |an |this |that |his |her |our |my |your |in |on |of |for |each )"
        r"[a-z]{3,} ){1,2}(?:street|road|avenue|lane|boulevard|crescent|terrace|drive|court))(?!\w)",
    ),
    _rule("vehicle", IdentifierKind.NUMBER, r"\bvin\b\W{0,3}([A-HJ-NPR-Z0-9]{11,17})\b"),
    _rule(
        "telephone",
        IdentifierKind.PHONE,
        r"(?<![\w+./-])(\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d(?:[ .-]?\d){5,12})(?![\w/-])",
    ),
    _rule(
        "telephone-area",
        IdentifierKind.PHONE,
        r"(?<![\w+./-])((?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[ .-]\d{4})(?![\w/-]|\.\d)",
    ),
    _rule("telephone-national", IdentifierKind.PHONE, r"(?<![\w+./-])(0\d{2,4}[ /-]\d{3,4}[ -]?\d{3,4})(?![\w/-])"),
    _rule(
        "telephone-cue",
        IdentifierKind.PHONE,
        r"\b(?:phone|telephone|tel|call(?:ed)?|mobile|cell(?:phone)?|fax|pager?|beeper|reach(?:ed)?|ring|"
        r"extension|ext|number is|contact)\b\.?"
        r"(?:\s+(?:number|no\.?|her|him|them|me|us|at|on|is|:|the|office|back|my|his|"
        r"their))*\W{0,3}(\(?\d(?:[ ().-]?\d){3,14})(?!\w)",
    ),
    _rule(
        "telephone-in-words",
        IdentifierKind.PHONE,
        rf"\b({_DIGIT_WORD}(?:[\s,-]+(?:(?:dash|hyphen|space) )?{_DIGIT_WORD}){{6,}})\b",
    ),
    _rule(
        "address",
        IdentifierKind.ADDRESS,
        rf"(?<![\w.-])(\d{{1,5}}[A-Za-z]? (?:[NSEW]\.? )?(?:[A-Z][\w'\u2019-]+ ){{1,3}}(?:{_KINDS})\b\.?(?:,? "
        rf"(?:Apt|Apartment|Suite|Unit|Flat)\.? ?#?\w{{1,5}})?)",
        cased=True,
    ),
    _rule(
        "street",
        IdentifierKind.ADDRESS,
        r"\b(?:on|at|in|lives on|street) ((?:[A-Z][\w'\u2019-]+ ){1,2}(?:Street|Road|Avenue|Lane|Boulevard|"
        r"Terrace|Crescent))\b",
        cased=True,
    ),
    _rule(
        "german-street",
        IdentifierKind.ADDRESS,
        r"\b([A-Z\u00c4\u00d6\u00dc][\w-]{2,}(?:stra(?:\u00df|ss)e|str\.|gasse|weg|platz|allee) \d{1,4}[a-z]?)\b",
        cased=True,
    ),
    _rule("post-box", IdentifierKind.ADDRESS, r"\b(p\.?\s?o\.? box \d+)\b"),
    _rule(
        "zip-cue",
        IdentifierKind.ADDRESS,
        r"\b(?:zip(?: ?code)?|post ?code|postal code|plz)\b\W{0,3}(?:is |of "
        r")?([A-Z0-9]{2,5}(?:[ -][A-Z0-9]{3,4})?)\b",
    ),
    _rule("zip-state", IdentifierKind.ADDRESS, r",? [A-Z]{2} (\d{5}(?:-\d{4})?)\b", cased=True),
    _rule("uk-postcode", IdentifierKind.ADDRESS, r"\b([A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2})\b", cased=True),
    _rule(
        "age",
        IdentifierKind.AGE,
        rf"(?<![\w.])({_AGE})(?=[\s-]*(?:years?|yrs?|y/?o|yo)\b(?![\s-]*(?:ago|later|of|follow|survival|risk|"
        rf"disease)))",
    ),
    _rule(
        "age-cue",
        IdentifierKind.AGE,
        rf"\b(?:aged?|age[,:]|age of|age is|age was|will be|is all of|turn(?:s|ed|ing)|(?:she|he|wife|husband|mother|father|brother|sister|grandmother|grandfather|aunt|uncle|"
        rf"patient|woman|man|lady|gentleman|mom|mum|dad)(?:'s|\u2019s| is| was|'ll be|\u2019ll be| will be)(?: now| already| only| still| almost| nearly| "
        rf"just| about| over| going on)*|lived (?:to(?: be)?|until|till|past)|(?:died|dead|passed|passed away|deceased)(?: at(?: age)?)?|made it to|reached|pushing|approaching|nearing|close to|past|hit|made|oldest is|"
        rf"living at|at age|at the age of|going on|(?:still \w+ing at)) ({_AGE}){_NO_UNIT}",
    ),
    _rule(
        "age-now",
        IdentifierKind.AGE,
        rf"(?<![\w.])({_AGE})(?= (?:now|next (?:month|week|year|birthday)|this (?:month|year)|last (?:month|birthday)|and still|and (?:lives|fit|frail|"
        r"independent|living|healthy|sharp|active))\b)",
    ),
    _rule("age-at", IdentifierKind.AGE, rf"\bat ({_AGE})(?=,? (?:she|he|and (?:he|she)|you|years)\b)"),
    _rule("age-birthday", IdentifierKind.AGE, rf"\b({_AGE_ORDINAL})(?= (?:birthday|year of (?:her|his) life))"),
    _rule(
        "age-sex",
        IdentifierKind.AGE,
        rf"(?<![\w./-])({_AGE})(?=,? ?/? ?(?:[MF]|female|male|woman|man|lady|gentleman)\b(?! (?:patients|subjects)))",
    ),
    _rule(
        "sex-age", IdentifierKind.AGE, rf"\b(?:female|male|woman|man|lady|gentleman|[MF]),? ?/? ?({_AGE})(?=[,.;)]|$)"
    ),
    _rule("age-group", IdentifierKind.AGE, r"\b(nonagenarian|centenarian|ninety[\s-]something)s?\b"),
    _rule("age-letter", IdentifierKind.AGE, r"(?<![\w.])(9\d|1[01]\d) ?(?=(?:F|M|YO|yo)\b)", cased=True),
    _rule(
        "age-decade",
        IdentifierKind.AGE,
        r"\b(?:(?:early|mid|late)[ -]|(?:her|his|their) |well into (?:the|her|his) )(nineties|90s|90's|hundreds)\b",
    ),
)
PUBLIC = re.compile(
    r"\b(?:NCT ?\d{8}|PMID:? ?\d{6,9}|PMC\d{5,9}|10\.\d{4,9}/\S+|N[MPGR]_\d+(?:\.\d+)?|rs\d{4,}|COSM\d+|COSV\d+|"
    r"ENS[GTP]\d+|ISRCTN ?\d+|EudraCT \S+|chr\w{1,2}:\S+|(?:ACTRN|UMIN|CTRI|DRKS|ChiCTR|jRCT)\S*\d+|(?:doi|DOI)[: ]\S+)",
    re.IGNORECASE,
)
"""Public registers of trials, papers, genes and variants: never replaced."""


def find_codes(text: str) -> Iterator[Span]:
    """Numbers and addresses of a text, by the rules in their order; spans may overlap, an earlier rule goes first."""
    public = [found.span() for found in PUBLIC.finditer(text)]
    for rule in RULES:
        for found in rule.pattern.finditer(text):
            start, end = found.span(1)
            if any(start < last and first < end for first, last in public):
                continue
            value = text[start:end]
            if rule.kind is IdentifierKind.AGE:
                yield Span(start, end, rule.kind, "90+", rule.name, "90+")
            elif rule.name == "labelled-aloud":
                end = start + len(
                    re.sub(r"(?:[\s,-]+(?:[a-z]|dash|slash|hyphen|dot|point|space))+$", "", value, flags=re.IGNORECASE)
                )
                if len(re.findall(_NUMBER_WORD, text[start:end], re.IGNORECASE)) >= 3:
                    yield Span(start, end, rule.kind, re.sub(r"[\s().-]+", "", text[start:end]).casefold(), rule.name)
            elif rule.name.startswith("labelled") and not _codelike(value):
                continue
            else:
                yield Span(start, end, rule.kind, re.sub(r"[\s().-]+", "", value).casefold(), rule.name)


def _codelike(value: str) -> bool:
    digits = sum(char.isdigit() for char in value)
    return digits >= 3 or digits == 0
