"""Is the note in English, and does it hold text that is addressed to software?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from equipoise.cases.model import Source

_ENGLISH = frozenset(
    "the of and with was is has for on she he her his to by at who from this that been had were are after no not or we an be as which will would in it under since "
    "patient year old started received showed found recommend given due stage history progression treatment therapy lung brain metastases line plan never smoker".split()
)
_OTHERS: dict[str, str] = {
    "German": "der die und mit ist wurde bei eine einer eines einem nach nicht keine kein zur zum vom sich auf wird werden von das den dem f\u00fcr \u00fcber unter patientin "
    "jahre j\u00e4hrige j\u00e4hriger alter stadium lungenkarzinom bronchialkarzinom adenokarzinom metastasen hirnmetastasen vorstellung therapie empfehlung befund diagnose erstdiagnose nachweis ohne erhielt mutation behandlung chemotherapie",
    "French": "le la les des du une est et avec dans pour par sur pas sans chez aux apr\u00e8s ans patiente ayant \u00e9t\u00e9 nous cette stade poumon bronchique cancer ad\u00e9nocarcinome m\u00e9tastases c\u00e9r\u00e9brales traitement "
    "ligne atteint atteinte premi\u00e8re bilan sous proposition r\u00e9union recommandation absence pr\u00e9sente m\u00e9tastatique \u00e2g\u00e9e \u00e2g\u00e9",
    "Spanish": "el la los las del una con por para que se en es fue sin a\u00f1os paciente mujer var\u00f3n hombre pulm\u00f3n pulmonar adenocarcinoma estadio met\u00e1stasis cerebrales tratamiento presenta tras progresi\u00f3n "
    "recomienda mutado traslocado tto sin positivo negativo diagn\u00f3stico mutaci\u00f3n l\u00ednea inicio previo comit\u00e9 edad no y tumores",
    "Italian": "il lo la gli della delle del con per che una \u00e8 di da nel nella senza anni paziente donna uomo polmone polmonare adenocarcinoma stadio metastasi cerebrali trattamento dopo progressione "
    "si consiglia terapia linea diagnosi mutazione affetto affetta precedente",
    "Portuguese": "o os as do da dos das com para que uma em no na foi sem anos paciente mulher homem pulm\u00e3o pulmonar adenocarcinoma est\u00e1dio met\u00e1stases cerebrais tratamento ap\u00f3s progress\u00e3o "
    "recomenda-se diagn\u00f3stico muta\u00e7\u00e3o linha n\u00e3o \u00e0 e apresenta",
    "Dutch": "de het een van met en is voor op niet geen bij aan werd wordt uit naar jaar oude pati\u00ebnt pati\u00ebnte vrouw longkanker longcarcinoom adenocarcinoom hersenmetastasen behandeling stadium na te zijn "
    "voorstel advies eerste lijn eerder gekregen zonder",
    "Polish": "i w na z do nie jest po si\u0119 od przez bez lat chory chora pacjent pacjentka p\u0142uca gruczolakorak rak przerzuty m\u00f3zgu leczenie stopie\u0144 mutacja zaleca zaawansowania linii",
    "Swedish": "och med har den som av f\u00f6r p\u00e5 att inte ett \u00e4r till fr\u00e5n utan \u00e5r \u00e5rig kvinna lungcancer adenokarcinom metastaser behandling efter stadium hj\u00e4rnmetastaser rekommenderar",
    "Danish": "og med har den som af for p\u00e5 at ikke et er til fra uden \u00e5r \u00e5rig kvinde mand lungekr\u00e6ft adenokarcinom metastaser behandling efter stadium hjernemetastaser anbefaler",
    "Turkish": "ve ile bir i\u00e7in olan hasta ya\u015f\u0131nda akci\u011fer kanseri adenokarsinom evre metastaz beyin tedavi sonra \u00f6neri mutasyonu saptand\u0131 yok kad\u0131n erkek",
    "Czech": "a s na je v pro bez let pacient pacientka plic karcinom metast\u00e1zy mozku l\u00e9\u010dba po stadium adenokarcinom mutace doporu\u010dujeme",
    "Romanian": "\u0219i cu la din pentru este a fost f\u0103r\u0103 ani pacient\u0103 pacient pl\u0103m\u00e2n metastaze cerebrale tratament stadiul adenocarcinom dup\u0103 muta\u021bie",
    "Hungarian": "a az \u00e9s egy nem van \u00e9ves beteg n\u0151 f\u00e9rfi t\u00fcd\u0151 adenocarcinoma st\u00e1dium \u00e1tt\u00e9t agyi kezel\u00e9s ut\u00e1n mut\u00e1ci\u00f3 javasolt",
    "Finnish": "ja on ei mutta joka potilas vuotias nainen mies keuhkosy\u00f6p\u00e4 adenokarsinooma aivoet\u00e4pes\u00e4kkeit\u00e4 hoito j\u00e4lkeen levinneisyys mutaatio todettiin",
    "Norwegian": "og med har som av for p\u00e5 at ikke et er til fra uten \u00e5r kvinne mann lungekreft adenokarsinom metastaser behandling etter stadium hjernemetastaser anbefaler",
    "Indonesian": "dan dengan yang pada tidak di dari untuk pasien tahun perempuan laki-laki paru adenokarsinoma stadium metastasis otak terapi setelah mutasi usia kanker",
    "Vietnamese": "v\u00e0 c\u1ee7a b\u1ec7nh nh\u00e2n tu\u1ed5i ung th\u01b0 ph\u1ed5i giai \u0111o\u1ea1n di c\u0103n \u0111i\u1ec1u tr\u1ecb kh\u00f4ng n\u1eef nam",
}  # fmt: skip
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("Japanese", "\u3040-\u30ff"), ("Korean", "\uac00-\ud7af\u1100-\u11ff"), ("Chinese", "\u4e00-\u9fff\u3400-\u4dbf"), ("Russian", "\u0400-\u04ff"),
    ("Arabic", "\u0600-\u06ff"), ("Hebrew", "\u0590-\u05ff"), ("Hindi", "\u0900-\u097f"), ("Thai", "\u0e00-\u0e7f"), ("Greek", "\u0386-\u03ff"), ("Bengali", "\u0980-\u09ff"),
)  # fmt: skip
_SCRIPT_PATTERNS = tuple((name, re.compile(f"[{span}]")) for name, span in _SCRIPTS)
_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_LONG_TEXT = 20_000


@cache
def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for name, words in _OTHERS.items():
        for word in set(words.split()) - _ENGLISH:
            table.setdefault(word, []).append(name)
    for word in ("a", "i", "on", "no", "die", "den", "is", "in", "as", "do", "at", "er", "ca", "mg", "mutation", "cancer", "line", "o", "e", "s", "y", "se", "te", "es", "et",
                 "de", "av", "of", "met", "as", "per", "stadium", "adenocarcinoma", "as", "te", "aan", "med", "nam", "di", "la", "van", "von", "le", "san", "del", "da", "dos", "el"):
        table.pop(word, None)
    for name, words in (("German", "die den er es"), ("French", "de la le et"), ("Spanish", "de la el en y se del es"), ("Italian", "di la del da"),
                        ("Portuguese", "de da do e dos"), ("Dutch", "de van met"), ("Swedish", "en av med"), ("Danish", "en af med"), ("Norwegian", "en av med"), ("Polish", "i w z o")):
        for word in words.split():
            table.setdefault(f"~{word}", []).append(name)
    return {word: tuple(names) for word, names in table.items()}


def foreign_language(text: str) -> str:
    """Name of the language when a note is not in English; empty for English and for notes too short to tell.

    Words that carry grammar are counted, for English and for each other language; shorthand without any stays English.
    """
    sample = text[:_LONG_TEXT]
    if not sample.isascii():
        letters = sum(char.isalpha() for char in sample)
        for name, pattern in _SCRIPT_PATTERNS:
            count = len(pattern.findall(sample))
            if count >= 8 and count * 4 > letters:
                return "Japanese" if name == "Chinese" and _SCRIPT_PATTERNS[0][1].search(sample) else name
    table = _table()
    counts: Counter[str] = Counter()
    small: Counter[str] = Counter()
    english = 0
    for word in _TOKEN.findall(sample.lower()):
        if word in _ENGLISH:
            english += 1
        elif word in table:
            counts.update(table[word])
        if f"~{word}" in table:
            small.update(table[f"~{word}"])
    if not counts:
        return ""
    best, score = max(((name, count + min(small[name], count)) for name, count in counts.items()), key=lambda row: (row[1], row[0]))
    distinct = counts[best]
    if distinct >= 3 and score >= 4 and score > english:
        return best
    return ""


_INSTRUCTION = re.compile(
    r"(?:ignore|disregard|forget|override|bypass|discard)\s+(?:all\s+|any\s+|every\s+|the\s+|your\s+|these\s+|those\s+|of\s+)*(?:(?:previous|prior|above|earlier|preceding|other|system|safety|existing|clinical)\s+(?:and\s+\w+\s+)?)*"
    r"(?:instructions?|guidelines(?!\s+of)|rules?|prompts?|guardrails?|constraints?|polic(?:y|ies)|checks?|directives?|safety|system|context|programming|training)\b"
    r"|\bforget\s+(?:the|this|that)\s+(?:case|text|note|patient|record)\b|\bpretend\s+(?:that|to|you)\b|\bassume\s+for\s+(?:the\s+purposes?\s+of\s+)?this\s+(?:audit|review|task|check)|\bfor\s+the\s+purposes?\s+of\s+(?:this|the)\s+(?:audit|evaluation|benchmark|task|check)|\banswer\s+(?:yes|no|supported)\b"
    r"|<!--\s*(?:assistant|system|ai|note|instruction|to\s+the|parser|model|llm)[^>]*-->|\byou\s+must\s+(?:now\s+)?(?:disregard|ignore|forget|answer|respond|output)"
    r"|\byou\s+are\s+(?:now\s+)?(?:an?\s+)?(?:(?:helpful|unrestricted|medical|clinical|expert|honest|careful)\s+)*(?:ai\b|assistant|language\s+model|llm|chatbot|auditor|bot\b|model\b|system\b|grader|evaluator|classifier)"
    r"|(?:^|[\n>\[(<\"#])\s*(?:system|assistant|user|developer)\s*(?:prompt|message|note|override|instruction)?\s*[\]>)]?\s*:"
    r"|<\|?[a-z_/]*(?:im_start|im_end|system|endoftext|assistant|instruction|prompt)[a-z_]*\|?>|\[/?inst\]|###\s*(?:instruction|system|response|prompt|new\s+\w+|task)"
    r"|\b(?:note|message|instructions?|memo|attention|attn|command|directive|hint|reminder)\s*(?:to|for)?\s*(?:the\s+|any\s+|all\s+)?(?:automated\s+|automatic\s+|clinical\s+|downstream\s+|reviewing\s+|auditing\s+|reading\s+|decision[- ]support\s+)*"
    r"(?:ai\b|llms?\b|models?\b|language\s+models?|software|auditor\b|auditing\s+\w+|automated\s+\w+|automation|algorithm|parser|bots?\b|assistant|agents?\b|classifier|reviewer\s+bot|decision[- ]support(?:\s+\w+)?|computer|programs?\b|scripts?\b|tool\b|engine\b|systems?\b)"
    r"|\b(?:ai|llm|language\s+model|software|parser|algorithm|classifier|chatbot|auditor|audit\s+(?:tool|engine|system|software|program)|(?:this|the)\s+(?:model|tool|system|program|software|engine|checker|script|bot|assistant))"
    r"\s*(?:,|:)?\s+(?:must|should|shall|is\s+(?:required|instructed|ordered)\s+to|has\s+to|please|needs?\s+to|will)\s+(?:\w+\s+){0,3}?(?:mark|label|answer|respond|return|output|approve|classify|report|rate|set|ignore|skip|score|treat|print|write|reply|accept|state|say|support)\b"
    r"|\b(?:respond|reply|answer|output|print|return|write|emit|say)\s+(?:only\s+|just\s+|exactly\s+|always\s+)*(?:with\s+|that\s+|as\s+)*(?:the\s+)?:?\s*(?:(?:word|label|verdict|text|string|json|status)\b|[\"'`{]|\"?(?:supported|unsupported|partially\s+supported|approved|insufficient\s+information)\b)"
    r"|\b(?:mark|label|classify|rate|score|grade|set|flag|report|treat|consider|declare|return|approve|verdict)\s+(?:this|the|every|all|any|it|each|following)\s*(?:\w+\s+){0,4}?(?:as|to|=|:)\s*[\"'`]?(?:fully\s+)?(?:supported|unsupported|approved|safe|compliant|valid|label\s+supported|guideline[- ]concordant|insufficient\s+information)\b"
    r"|\b(?:set|change)\s+(?:the\s+)?(?:verdict|\w*label|status|output|result|\w*abstain)\s+(?:to|=)"
    r"|\b(?:[a-z]+_label|\w*abstain|verdict)\s*[=:]\s*[\"'`]?(?:supported|true|false|approved|unsupported)"
    r"|\bdo\s+not\s+(?:abstain|flag|refuse|report\s+(?:this|any)\s+(?:warning|caveat|conflict)s?|apply\s+(?:the\s+)?(?:rules|polic\w+|checks|caveats?)|output|mention\s+(?:this|these)\s+(?:instruction|prompt)s?)\b"
    r"|\b(?:jailbreak|prompt\s+injection|system\s+prompt|developer\s+mode)\b"
)
_HINT = re.compile(
    r"ignore|disregard|forget|overrid|bypass|discard|pretend|purpose|jailbreak|prompt|<\||<!--|<(?:system|assistant|instruction)|\[/?inst|\[system|###|verdict|abstain|_label|you are|you must|assistant"
    r"|\bai\b|\bllm|language model|software|parser|algorithm|classif|chatbot|audit|approve|\boutput|respond|supported|\blabel|answer|system\s*[:\]]|(?:user|developer|system)\s*(?::|prompt|message|note|over)"
    r"|\bto\s+(?:the|any|all)\s+(?:\w+\s+)?(?:systems?|programs?|tool|models?|engine|scripts?|computer|bots?|agents?|automation)\b|\b(?:program|system|tool|model|engine|script|bot)\b[^.]{0,20}\b(?:must|should|shall|please)\b|compliant|guideline-concordant"
)
_BEFORE, _AFTER = 240, 400
"""Characters around a hint that are searched for an instruction."""


def instructions(text: str, low: str) -> tuple[Source, ...]:
    """Parts of a note that tell a program what to answer, each as the sentence it stands in.

    Directions to colleagues ("please disregard the earlier report") are none.
    """
    hints = [match.span() for match in _HINT.finditer(low)]
    if not hints:
        return ()
    spans: list[tuple[int, int]] = []
    for match in _found(low, hints):
        start, end = _extent(low, match.start(), match.end())
        if spans and start - spans[-1][1] <= _NEAR and "\n\n" not in low[spans[-1][1] : start]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    found = []
    for start, end in spans:
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        found.append(Source("note", text[start:end], start, end))
    return tuple(found)


def _found(low: str, hints: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    """Instructions near a hint, in order."""
    at = 0
    while at < len(hints):
        begin, end = max(0, hints[at][0] - _BEFORE), hints[at][1] + _AFTER
        while at + 1 < len(hints) and hints[at + 1][0] - _BEFORE <= end:
            at += 1
            end = hints[at][1] + _AFTER
        yield from _INSTRUCTION.finditer(low, begin, min(end, len(low)))
        at += 1


_NEAR = 90
"""Characters between two instructions that are taken to belong to one."""
_MARKER = re.compile(r"\s*(?:[>\[(<\"#]+\s*)?(?:system|assistant|user|developer|###|<|\[)")


def _extent(low: str, start: int, end: int) -> tuple[int, int]:
    """The sentence, bracket or marked block that holds a place."""
    opened = low.rfind("[", max(0, start - 200), start + 1)
    if opened >= 0 and "]" not in low[opened:start] and "\n" not in low[opened:start]:
        closed = low.find("]", end)
        if 0 <= closed - end <= 1200:
            return opened, closed + 1
    if low.startswith("<!--", start):
        return start, end
    head = low[start:end].lstrip(" \n\t")
    begin = max(low.rfind("\n", 0, start), low.rfind(". ", 0, start) + 1, low.rfind("; ", 0, start) + 1) + 1
    stops = [place for place in (low.find("\n", end), low.find(". ", end)) if place >= 0]
    if _MARKER.match(head) and not head.startswith(("<|", "[inst")):
        stop = low.find("\n", end)
        return min(begin, start), stop if stop >= 0 else len(low)
    stop = min(stops) if stops else len(low)
    if low[stop : stop + 1] == ".":
        stop += 1
    return min(begin, start), stop
