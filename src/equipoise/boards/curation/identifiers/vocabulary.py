"""What a word can be: English, a word of medicine, a name of persons, both, or nothing that a list knows.

The lists (`lists/SOURCES.md` says where they come from) are read when a word is first asked about, never at import.
"""

from __future__ import annotations

import lzma
import re
import unicodedata
from enum import IntEnum
from functools import cache, lru_cache
from importlib import resources

from equipoise.boards.curation.identifiers.medicine_words import MEDICINE, MORE_EPONYMS, PLACES, TRIALS
from equipoise.boards.curation.identifiers.words import EPONYMS, NOT_NAMES, STATES, VERBS
from equipoise.boards.measures.treatments import drugs_in
from equipoise.redteam.privacy.words import EPONYM_NOUNS, FUNCTION_WORDS, GIVEN_NAMES, ORDINARY, TITLES


class Sort(IntEnum):
    """What a word is, from surely no name to surely one."""

    PROTECTED = 0
    """A word of grammar, a drug, a gene, a month, a trial, a department: no name unless a title stands before it."""
    WORD = 1
    """An English word or a word of medicine that is no name."""
    EPONYM = 2
    """A name in medicine."""
    BOTH = 3
    """An ordinary word that is a name too: rose, young, brown."""
    UNKNOWN = 4
    """Stands in no list."""
    SURNAME = 5
    """A surname, and no ordinary word."""
    GIVEN = 6
    """A given name, and no ordinary word."""


NAMELIKE = (Sort.UNKNOWN, Sort.SURNAME, Sort.GIVEN)
"""What is no ordinary word."""

PARTICLES = frozenset(
    "von van vande vander der den de del della di da dos das do du la le al el bin ibn ben ter ten te zu zum zur af av st abu y e".split()
)
"""Small words inside of a surname."""

_SPOKEN_MARKS = frozenset(
    "dot slash dash underscore hyphen colon comma period semicolon minus plus equals percent".split()
)
_ENDS = (
    r"oma|omas|omata|omatous|itis|itides|ectom\w+|ostom\w+|otom\w+|plast\w+|scop\w+|graph\w+|gram|grams|emia|emic|aemi\w+|uria|uric|"
    r"path\w{1,4}|olog\w{1,6}|genic|genes[ei]s|lys[ei]s|lytic|troph\w{1,3}|plas\w{1,4}|penia|penic|cyt\w{1,5}|blast\w{0,5}|phil\w{0,3}|"
    r"derm\w{0,4}|algia|dynia|ptosis|megaly|rrhea|rrhage|rrhagic|stenos[ei]s|stasis|static|centesis|pexy|rrhaphy|desis|malacia|"
    r"mab|mabs|nib|nibs|inib|ciclib|parib|lisib|platin|taxel|bicin|rubicin|tecan|poside|limus|leucel|vedotin|tansine|deruxtecan|gliptin|"
    r"gliflozin|glutide|prazole|sartan|olol|azole|mycin|cillin|cycline|floxacin|zomib|degib|fenib|dronate|dronic|relin|relix|grastim|"
    r"poetin|terone|lutamide|stane|oxifen|ifene|trexed|trexate|abine|ribine|citabine|mustine|sulfan|domide|parin|xaban|gatran|statin|"
    r"setron|pitant|cept|kin|kinra|feron|bine|osine|idine|amide|oside|osus|iform|oid|oids|otic|gy|nal|ous|ase|ases|ein|ine|cal|ical|"
    r"ally|tion|tions|sion|ness|able|ible|ment|ments|ized|ization|ised|ising|izing|ively|ular|eal|ium|ial|ary|uous|ility|ian|ese|esque|osis|oses|eric|ilar|oring|ening|ting|lling"
)
_SHAPE = re.compile(rf"[a-z]{{3,}}(?:{_ENDS})")
_BEFORE = re.compile(
    r"(?:hyper|hypo|peri|intra|inter|extra|trans|retro|supra|sub|infra|endo|exo|micro|macro|neo|pre|post|anti|non|re|un|over|under|multi|"
    r"poly|oligo|mono|bi|tri|onco|radio|chemo|immuno|cardio|neuro|gastro|hepato|nephro|pneumo|broncho|cysto|uretero|thoraco|laparo|cranio|"
    r"osteo|chondro|lympho|adeno|fibro|lipo|myo|angio|hemo|haemo|thrombo|cyto|histo|dermato|ortho|allo|auto|para|meta|pseudo|"
    r"electro|thermo|cryo|brachy|tele|ultra|super|semi|mid|para|theo|dose|down|up|out)"
)


_ODD_CASE = re.compile(
    r"(?!(?:Ma?c|De|Di|Du|La|Le|Van|Von|Fitz|O|D|Ben|San|St)[A-Z])[A-Z]?[a-z]+[A-Z]|[A-Z]{2,}[a-z]|(?:^|-)[A-Z]{2,}-|-[A-Z]{2,}$|^[A-Za-z]-"
)


def odd_case(word: str) -> bool:
    """Whether small and capital letters are mixed as no name has them: HeLa, AMLs, miRNA, TGF-alpha."""
    return not word.isupper() and _ODD_CASE.search(word) is not None


@cache
def _list(name: str) -> frozenset[str]:
    """A list: each word is one capital letter, which counts what it shares with the one before, and the rest of it."""
    packed = resources.files("equipoise.boards.curation.identifiers").joinpath("lists", f"{name}.xz").read_bytes()
    words, before = [], ""
    for part in re.findall(r"[A-Z][a-z]*", lzma.decompress(packed).decode("ascii")):
        before = before[: ord(part[0]) - 65] + part[1:]
        words.append(before)
    return frozenset(words)


def plain(word: str) -> str:
    """In small Latin letters without accents, without a possessive."""
    word = (
        word.replace("\u2019", "'")
        .replace("\u0131", "i")
        .replace("\u00f8", "o")
        .replace("\u0142", "l")
        .replace("\u00df", "ss")
    )
    word = "".join(char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char)).casefold()
    return word.removesuffix("'s").rstrip(".'")


def english(word: str) -> bool:
    """Whether a dictionary of English has the word in small letters."""
    return word in _list("english")


def given_name(word: str) -> bool:
    """Whether a list of given names has it."""
    return word in GIVEN_NAMES or word in _list("given")


def surname(word: str) -> bool:
    """Whether a list of surnames has it."""
    return word in _list("surnames")


def medical(word: str) -> bool:
    """Whether a list of medicine has it, or it is made like a word of medicine."""
    if word in MEDICINE or word in _list("medicine"):
        return True
    if given_name(word) or surname(word):
        return False
    if _SHAPE.fullmatch(word):
        return True
    lead = _BEFORE.match(word)
    rest = word[lead.end() :] if lead else ""
    return len(rest) > 3 and (english(rest) or rest in _list("medicine"))


@lru_cache(maxsize=65536)
def sort_of(word: str) -> Sort:
    """What a word is.

    Args:
        word: as it stands in a text, a possessive and all.
    """
    low = plain(word)
    parts = [part for part in re.split(r"[-']", low) if part]
    if not parts or not all(part.isalpha() for part in parts):
        return Sort.PROTECTED
    if len(parts) > 1:
        return _compound(parts, "'" in low)
    return _single(parts[0])


def _compound(parts: list[str], apostrophe: bool) -> Sort:
    if len(parts[0]) == 1 and len(parts) == 2:  # O'Rourke, D'Souza
        named = apostrophe and parts[0] in "odlm" and len(parts[1]) > 2
        return max(_single(parts[1]), Sort.UNKNOWN) if named else Sort.PROTECTED
    sorts = [_single(part) for part in parts if part not in PARTICLES]
    if not sorts or any(sort in (Sort.PROTECTED, Sort.WORD) for sort in sorts):
        return Sort.WORD
    if all(sort is Sort.EPONYM for sort in sorts):
        return Sort.EPONYM
    return max(sorts) if any(sort in NAMELIKE for sort in sorts) else Sort.BOTH


def _single(low: str) -> Sort:
    if low in EPONYMS or low.removesuffix("s") in EPONYMS or low in MORE_EPONYMS:
        return Sort.EPONYM
    if low in _SPOKEN_MARKS:
        return Sort.WORD
    name = given_name(low) or surname(low)
    if protected(low):
        return Sort.PROTECTED
    if low in PLACES:
        return Sort.WORD
    if low in GIVEN_NAMES and low not in ORDINARY:
        return Sort.GIVEN
    if low in ORDINARY or english(low):
        return Sort.BOTH if name or low in ORDINARY else Sort.WORD
    if medical(low) or (not name and re.search(r"[aeiouy]", low) is None):
        return Sort.WORD
    if len(low) < 3:
        return Sort.WORD
    if given_name(low):
        return Sort.GIVEN
    return Sort.SURNAME if name else Sort.UNKNOWN


@lru_cache(maxsize=65536)
def protected(low: str) -> bool:
    """Words of grammar, drugs, genes, months, trials, states and departments."""
    return (
        low in FUNCTION_WORDS
        or low in NOT_NAMES
        or low in VERBS
        or low in STATES
        or low in TRIALS
        or low in MEDICINE
        or low in TITLES
        or low in EPONYM_NOUNS
        or bool(drugs_in(low))
    )


def unlisted(word: str) -> bool:
    """Whether no list of English, medicine or places explains a word."""
    return sort_of(word) in NAMELIKE
