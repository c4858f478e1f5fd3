"""Is a reply in English? Counted by scripts and by small words; a text too short to tell is taken as English."""

from __future__ import annotations

import re
from functools import cache

_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("Japanese", "\u3040-\u30ff"),
    ("Korean", "\uac00-\ud7af\u1100-\u11ff"),
    ("Chinese", "\u4e00-\u9fff\u3400-\u4dbf"),
    ("Russian or another language in Cyrillic script", "\u0400-\u04ff"),
    ("Arabic or another language in Arabic script", "\u0600-\u06ff"),
    ("Hebrew", "\u0590-\u05ff"),
    ("Hindi or another language in Devanagari script", "\u0900-\u097f"),
    ("Bengali", "\u0980-\u09ff"),
    ("Tamil", "\u0b80-\u0bff"),
    ("Telugu", "\u0c00-\u0c7f"),
    ("Thai", "\u0e00-\u0e7f"),
    ("Greek", "\u0370-\u03ff"),
    ("Georgian", "\u10a0-\u10ff"),
    ("Armenian", "\u0530-\u058f"),
    ("Amharic", "\u1200-\u137f"),
)
"""Scripts by the language that most often uses them; Japanese stands before Chinese, whose characters it shares."""

ENGLISH = frozenset(
    """the of and to is that it for was with as be by this are or an have from not but they which you were her she there
    been if their would what about when who more will can than them these other could your into has its our some may do
    does did should because while how most also i i'm i'll can't cannot don't it's won't we my any please very just help
    such take if on at so you're you've that's where after before usually often need see""".split()
)
"""Small words of English that carry grammar, or that any reply has."""

OTHERS: dict[str, str] = {
    "Spanish": """el los las una unas del que por para con como pero este esta estos está están puedo puede ayudarte lo su
        sus más también muy cuando sobre debe usted siento eso esa necesitas médico consulta dosis al se mi tu te le es si
        qué información proporcionar hablar""",
    "French": """le les des une est que pour dans avec vous je ne pas suis sur ce cette ces sont être votre vos mais plus
        très désolé peux puis médecin aider nous il elle au aux du par ou où qui se si cela leur avez peut consulter""",
    "German": """der die das und ist nicht ich sie ein eine einen mit für auf dem den des zu im von es kann werden bei
        auch sich oder wenn aber wie ihre ihr ihnen leider bitte arzt dabei helfen haben sind wird nach über kein keine""",
    "Italian": """il lo gli della delle che per con non una sono è mi dispiace posso può questo questa anche come più
        medico del dei al nel ma si di se essere ti tua suo sulla aiutarti consulta""",
    "Portuguese": """os as uma que para com não por mais como mas foi ao ele das tem seu sua ou quando muito também só pelo
        pela até isso ela entre depois sem mesmo você posso ajudar médico é são está em do da na""",
    "Dutch": """het een van ik je niet dat en is op te zijn met voor aan er maar om bij ook kan als naar wordt nog
        helaas uw arts helpen deze dit zou moet kunnen geen wat hebt""",
    "Polish": """nie się na że jest do to jak za od ale przepraszam mogę pomóc lekarzem lekarz proszę może oraz jest
        jestem tym tego czy przez są być które""",
    "Swedish": """och att det är inte jag en som på för med den av till har om kan du ett men vi så tyvärr hjälpa läkare
        eller detta""",
    "Turkish": """ve bir bu için ile de da çok ne ben olarak daha ama değil var gibi üzgünüm bu konuda yardımcı olamam
        doktor lütfen veya""",
    "Indonesian": """yang dan di untuk dengan tidak ini itu dari saya anda adalah bisa akan pada maaf dapat membantu
        dokter atau juga karena dalam""",
    "Vietnamese": """tôi không của và là có được cho này bạn với các một trong xin lỗi thể giúp bác sĩ hoặc nên""",
    "Tagalog": """ang ng mga sa na ay hindi ako ko ka mo po at ito kung para dahil pero wala may maaari""",
    "Swahili": """na ya wa kwa ni katika si samahani siwezi kukusaidia daktari hii kama au lakini""",
    "Romanian": """și nu este că pentru cu din care sunt mai îmi pare rău pot ajuta medic vă sau această""",
    "Czech": """že je na se to jsem nemohu bohužel lékař prosím nebo ale být jako podle""",
    "Hungarian": """az és nem hogy egy van sajnálom tudok segíteni orvos kérem vagy de ez meg""",
    "Finnish": """ja ei on että en voi auttaa lääkäri valitettavasti se mutta tai ovat kun""",
    "Danish or Norwegian": """og ikke jeg det er at på en til med kan ikke beklager hjælpe hjelpe lege læge eller som af""",
}
"""Small words of other languages; those that are English words too are left out when the table is made."""

_ALSO_ENGLISH = frozenset(
    "no is to die me a in on an so at as or so am men her was war list fat do am on de per via lo la e o i y is".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_SAMPLE = 4000
_SCRIPT_LETTERS, _SCRIPT_SHARE = 4, 0.3


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(f"[{span}]")) for name, span in _SCRIPTS)


@cache
def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for name, words in OTHERS.items():
        for word in dict.fromkeys(words.split()):
            if word not in ENGLISH and word not in _ALSO_ENGLISH:
                table.setdefault(word, []).append(name)
    return {word: tuple(names) for word, names in table.items()}


def foreign(low: str) -> str:
    """Name of the language of a text that is not English; empty for English and for what is too short to tell.

    Args:
        low: the folded reply in lower case; its first 4,000 characters are looked at.
    """
    sample = low[:_SAMPLE]
    if not sample.isascii():
        letters = sum(char.isalpha() for char in sample)
        for name, pattern in _patterns():
            count = len(pattern.findall(sample))
            if count >= _SCRIPT_LETTERS and count >= _SCRIPT_SHARE * letters:
                return name
    table = _table()
    counts: dict[str, int] = {}
    distinct: dict[str, set[str]] = {}
    english = 0
    words = _WORD.findall(sample)
    for word in words:
        if word in ENGLISH:
            english += 1
        for name in table.get(word, ()):
            counts[name] = counts.get(name, 0) + 1
            distinct.setdefault(name, set()).add(word)
    if not counts:
        return ""
    best = max(counts, key=lambda name: (len(distinct[name]), counts[name], name))
    enough = 2 if len(words) <= 12 else 3
    return best if len(distinct[best]) >= enough and counts[best] > english else ""
