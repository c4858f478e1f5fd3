"""Words about therapy as a stream: regimens and the cues around them (proposal, history, outcome, refusal, condition)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from equipoise.cases.vocabulary._data import vocabulary
from equipoise.cases.vocabulary.drugs import covers, drug, is_cytotoxic, is_group, lexicon
from equipoise.cases.vocabulary.tokens import PhraseTable

_TOKEN = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?")

CUES: dict[str, tuple[str, ...]] = {
    kind: tuple(map(str, phrases)) for kind, phrases in vocabulary("therapy_cues").items()
}
"""Cue -> phrases. A phrase is matched as whole words, the longest first."""

_LOCAL = (
    "fractionated radiotherapy", "srs", "wbrt", "radiosurgery", "stereotactic radiosurgery", "gamma knife", "cyberknife",
    "whole brain radiotherapy", "whole brain radiation", "whole brain rt", "brain radiation", "brain radiotherapy",
    "fsrt", "palliative radiotherapy", "palliative radiation", "palliative rt")  # fmt: skip
_SETTING_WORDS = {
    "adj": "adjuvant",
    "neoadj": "neoadjuvant",
    "periop": "neoadjuvant",
    "preop": "neoadjuvant",
    "postop": "adjuvant",
    "consol": "consolidation",
}
_SKIPPED = frozenset({"irene", "pd 1", "mta", "line", "cis pt", "doublet"})
_ROLES = frozenset({"component", "setting"})


@dataclass(slots=True)
class Item:
    """One cue, drug or setting word of a sentence.

    Attributes:
        kind: a key of `CUES`, or "drug", "setting", "arrow", "semi".
        start: place in the sentence.
        end: one past the last character.
        components: canonical names of a drug item.
        settings: settings that a word names.
        local: whether it is a local treatment of a site.
    """

    kind: str
    start: int
    end: int
    components: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    local: bool = False


@dataclass(slots=True)
class Group:
    """A regimen: drugs joined by plus, slash, comma, "and" or "with".

    Attributes:
        start: place in the sentence.
        end: one past the last character.
        components: canonical names.
        settings: settings named with it.
        link: how it follows the group before: "", "or", "optional" (with or without), "comma", "and", "over".
        local: whether it is a local treatment only.
    """

    start: int
    end: int
    components: list[str] = field(default_factory=list)
    settings: set[str] = field(default_factory=set)
    link: str = ""
    local: bool = False

    @property
    def systemic(self) -> bool:
        """Whether a systemic therapy is named."""
        return any(name not in LOCAL_NAMES for name in self.components)


LOCAL_NAMES = frozenset({"radiotherapy", "surgery", "tumor-treating-fields"})


@cache
def _cue_table() -> PhraseTable[str]:
    table: PhraseTable[str] = PhraseTable()
    for kind, phrases in CUES.items():
        for phrase in phrases:
            try:
                table.add(phrase, kind)
            except ValueError:
                continue
    return table


@cache
def _firsts() -> dict[str, int]:
    """First words of everything that is looked for, and in which tables: 1 drugs, 2 cues, 4 local treatments."""
    found = dict.fromkeys(_SETTING_WORDS, 0)
    for bit, words in (
        (1, lexicon().table.firsts(lambda entry: entry.role in _ROLES)),
        (2, _cue_table().firsts()),
        (4, _local_table().firsts()),
    ):
        for word in words:
            found[word] = found.get(word, 0) | bit
    return found


@cache
def _local_table() -> PhraseTable[str]:
    table: PhraseTable[str] = PhraseTable()
    table.extend(_LOCAL, "radiotherapy")
    table.extend(("chemort", "chemo rt", "chemrt"), "chemoradiation")
    return table


_AFTER_NOT_DRUG = re.compile(
    r"\s?-?\s?(?:na[i\u00ef]ve|allerg|inhibitor\s+trial|panel|test|assay|mutation|pneumonitis|fibrosis"
    r"|oncolog|necrosis|sensitiv|resistan(?:ce|t)\s+mut|enteritis|oesophagitis|esophagitis|field|team"
    r"|suite|department|day\s?unit|nurse|port\b|clinic|consent|option|changes|margin)"
)
_RT_NOT = re.compile(
    r"\s?-?\s?(?:pcr|upper|lower|middle|lung|side|hilar|hilum|arm|breast|hip|kidney|adrenal|sided|pleural"
    r"|main|paratracheal)"
)
_SURGERY_NOT = re.compile(r"\s+(?:specimen|pathology|margin|tissue|sample|clinic|team|ward|material|date)")
_ARROW = re.compile(r"\u2192|-+>|=+>|>>?(?!=|\s?\d)|\bthen\b")


def items(low: str) -> list[Item]:
    """The cues and drugs of a sentence, in order."""
    found: list[Item] = []
    spans = [match.span() for match in _TOKEN.finditer(low)]
    tokens = [low[start:end] for start, end in spans]
    drugs, cues, local, firsts = lexicon().table, _cue_table(), _local_table(), _firsts()
    place, size, last = 0, len(tokens), 0
    while place < size:
        start = spans[place][0]
        gap = low[last:start]
        if len(gap) > 1 or gap not in " ":
            _punctuation(found, gap, last)
        taken = 1
        word = tokens[place]
        where = firsts.get(word)
        if where is None and not word.isdigit():
            last = spans[place][1]
            place += 1
            continue
        if (
            word == "pd"
            and place + 1 < size
            and tokens[place + 1] in {"l1", "1", "l", "l2"}
            and spans[place + 1][0] - spans[place][1] <= 1
            and tokens[place + 1] != "1"
        ):
            last = spans[place + 1][1]
            place += 2
            continue
        if (
            len(word) == 1
            and word.isdigit()
            and low[spans[place][1] : spans[place][1] + 1] in {")", "."}
            and (start == 0 or low[start - 1] in " (:;")
            and low[spans[place][1] + 1 : spans[place][1] + 2] in {" ", ""}
        ):
            found.append(Item("enum", start, spans[place][1], (word,)))
        where = where or 0
        near = local.match(tokens, place) if where & 4 else None
        known = drugs.match(tokens, place) if where & 1 else None
        cue = cues.match(tokens, place) if where & 2 else None
        if near is not None and (known is None or near[1] >= known[1]):
            taken = near[1]
            both = near[0] == "chemoradiation"
            names = ("chemotherapy", "radiotherapy") if both else ("radiotherapy",)
            found.append(
                Item(
                    "drug",
                    start,
                    spans[place + taken - 1][1],
                    names,
                    ("chemoradiation",) if both else (),
                    local=not both,
                )
            )
        elif tokens[place] in _SETTING_WORDS and known is None:
            found.append(Item("setting", start, spans[place][1], (), (_SETTING_WORDS[tokens[place]],)))
        elif (
            known is not None
            and known[0].role in _ROLES
            and (cue is None or cue[1] <= known[1])
            and _is_therapy(low, start, spans[place + known[1] - 1][1])
        ):
            entry, taken = known
            end = spans[place + taken - 1][1]
            kind = "drug" if entry.role == "component" else "setting"
            if kind == "drug" and not entry.components:
                kind = "none"
            found.append(Item(kind, start, end, entry.components, entry.settings))
        elif cue is not None:
            kind, taken = cue
            found.append(Item(kind, start, spans[place + taken - 1][1]))
        last = spans[place + taken - 1][1]
        place += taken
    if last < len(low):
        _punctuation(found, low[last:], last)
    if "new" in tokens or "developed" in tokens or "appeared" in tokens:
        found.extend(Item("newmet", match.start(), match.end()) for match in _NEW_LESION.finditer(low))
        found.sort(key=lambda item: item.start)
    return found


_NEW_LESION = re.compile(
    r"(?<!no )(?<!without )(?<!any )(?<!for )\b(?:new|developed)\s+(?:[\w-]+\s+){0,2}?(?:mets?"
    r"|metastas[ei]s|lesions?|deposits?)\b|\b(?:mets|metastases|lesions?)\s+(?:have\s+)?appeared\b"
)


def _punctuation(found: list[Item], gap: str, at: int) -> None:
    if ";" in gap:
        found.append(Item("semi", at, at + len(gap)))
    elif "\u2192" in gap or "->" in gap or "=>" in gap or ">" in gap:
        found.append(Item("arrow", at, at + len(gap)))


def _is_therapy(low: str, start: int, end: int) -> bool:
    word = low[start:end]
    if word in _SKIPPED:
        return False
    if _AFTER_NOT_DRUG.match(low, end):
        return False
    if word == "rt" and (_RT_NOT.match(low, end) or low[max(0, start - 1) : start] == "-"):
        return False
    return not (word in {"resection", "surgery", "lobectomy", "surgical resection"} and _SURGERY_NOT.match(low, end))


_AS = re.compile(r"\s{0,2}|\s*(?:as|in\s+the|given\s+as)\s+(?:an?\s+)?")
DOSE = re.compile(
    r"\([^()]{0,60}\)|\[[^\[\]]{0,60}\]|\bauc\s?=?\s?\d(?:\.\d)?|\b\d+(?:[.,]\d+)?\s?(?:mg|g|mcg|\u00b5g"
    r"|gy)(?:\s?/\s?(?:m2|m\u00b2|kg|day|d|\d+))?(?:\s?(?:m2|m\u00b2))?|\bq\s?\d{1,2}\s?(?:w|d|weeks?"
    r"|days)?|\bevery\s+(?:\d+|three|two|four|six)\s+weeks?"
    r"|\b(?:qd|od|bid|daily|po|iv|sc|weekly|flat\s+dose|disodium|mesylate|monotherapy|alone"
    r"|single[- ]agent|therapy|treatment|based|chemo(?:therapy)?(?=\s*(?:\+|plus|and|with))|maintenance"
    r"|immunotherapy(?=\s*(?:\+|plus|and|with)))\b|\bx\s?\d{1,2}(?:\s?(?:y|yrs?|years?|mo|months?|m|w"
    r"|weeks?))?\b|\b\d{1,2}\s?x\b|\b\d{1,2}\s+cycles?(?:\s+of)?|\bd\d{1,2}\b|\bdays?\s+\d{1,2}"
)
_JOIN = re.compile(
    r"\s*\)?\s*(?:,?\s*(?:and|plus|with|w/|&|\+|/|in\s+combination\s+with|combined\s+with|together\s+with"
    r"|along\s+with|alongside|concurrent(?:ly)?(?:\s+with)?|and\s+concurrent|with\s+concurrent"
    r"|concomitant(?:ly)?(?:\s+with)?|and\s+(?:adding|add)\s+on)\s*(?:the\s+|concurrent\s+|thoracic\s+"
    r"|definitive\s+)?|-|,|in\s+combination\s+with|\()\s*"
)
_OR = re.compile(r"[\s-]*\)?\s*,?\s*(?:or|and/or|versus|vs\.?|either|or\s+else|or\s+alternatively)\s*(?:with\s+)?\s*")
_OPTIONAL = re.compile(r"\s*\)?\s*,?\s*(?:\+/-|\u00b1|with\s+or\s+without|plus\s+or\s+minus|\(?\+/-\)?)\s*")


def groups(low: str, stream: list[Item]) -> list[Group | Item]:
    """The stream with neighbouring drugs joined to regimens; everything but drugs and settings stays as it is.

    A comma joins only what can be one regimen, and never after a plus or slash has been used.
    """
    found: list[Group | Item] = []
    current: Group | None = None
    strong = False
    last_end = -1
    pending: set[str] = set()
    pending_end = -1
    needs: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for item in stream:
        if item.kind in {"none", "optional"}:
            continue
        if item.kind == "setting":
            if (
                current is not None
                and item.start >= last_end
                and not item.components
                and _AS.fullmatch(low[last_end : item.start])
            ):
                current.settings.update(item.settings)
                last_end = item.end
                continue
            if item.components:
                needs.append((item.components, item.settings))
                continue
            pending, pending_end = set(item.settings), item.end
            found.append(item)
            continue
        if item.kind != "drug":
            if (
                current is not None
                and item.kind in {"hist", "cons", "bg", "maint"}
                and low[item.start : item.end] in {"with", "versus", "vs"}
                and item.start - last_end <= 24
            ):
                continue
            if item.kind == "hist" and low[item.start : item.end] in {"cycles", "cycles of", "with"}:
                if item.kind == "hist" and low[item.start : item.end] == "with" and current is None:
                    found.append(item)
                continue
            if (
                item.kind in {"cons", "alt"}
                and low[item.start : item.end] in {"option", "options"}
                and current is not None
            ):
                continue
            found.append(item)
            current = None
            continue
        gap = low[last_end : item.start] if current is not None else ""
        link = _link(gap, current, item, strong) if current is not None else ""
        if current is not None and link in {"join", "weak"}:
            strong = strong or link == "join"
            current.components.extend(name for name in item.components if name not in current.components)
            current.settings.update(item.settings)
            current.end = item.end
            current.local = current.local and item.local
        else:
            current = Group(item.start, item.end, list(item.components), set(item.settings), link, item.local)
            strong = False
            if pending and item.start - pending_end <= 14:
                current.settings |= pending
            found.append(current)
        pending = set()
        last_end = item.end
    for one in found:
        if isinstance(one, Group):
            one.components = settled(one.components)
            for needed, named in needs:
                if any(name in needed for name in one.components):
                    one.settings.update(named)
    return found


def _link(gap: str, group: Group, item: Item, strong: bool) -> str:
    plain = DOSE.sub(" ", gap)
    if _OPTIONAL.fullmatch(plain):
        return "optional"
    if _OR.fullmatch(plain):
        return "or"
    if (
        item.components == ("radiotherapy",)
        and item.local != group.local
        and not item.local
        and not any(is_cytotoxic(name) for name in group.components)
    ):
        return "and"
    if (item.local or group.local) and item.local != group.local:
        return "and"
    if "surgery" in item.components or "surgery" in group.components:
        return "and"
    if not plain.strip():
        if "(" in gap and len(gap) > 12:
            return "join" if _names_more(group, item) else "comma"
        return "join" if len(gap) <= 3 or _names_more(group, item) or gap.strip() != "" else "join"
    if not _JOIN.fullmatch(plain):
        return "comma"
    mark = plain.strip()
    if mark == "(":
        return "join" if _names_more(group, item) or set(item.components) <= set(group.components) else "comma"
    if mark == ",":
        return "weak" if not strong and _plausible(group.components, item.components) else "comma"
    if mark in {"and", ", and"} and not _plausible(group.components, item.components):
        return "and"
    return "join"


def _names_more(group: Group, item: Item) -> bool:
    return any(is_group(name) and any(one in covers(name) for one in item.components) for name in group.components)


_SOLO = (
    "egfr-tki",
    "alk-tki",
    "ros1-tki",
    "ret-tki",
    "trk-tki",
    "met-tki",
    "kras-g12c-inhibitor",
    "taxane",
    "platinum",
    "anti-pd1-pdl1",
    "her2-adc",
    "adc",
)


def _plausible(one: list[str], two: tuple[str, ...]) -> bool:
    """Whether drugs that a list puts side by side can be one regimen: none of one class twice, no docetaxel beside a doublet."""
    both = [*one, *two]
    for name in _SOLO:
        if sum(name in _classes(drug_name) for drug_name in both) > 1:
            return False
    if "docetaxel" in both and (
        {"platinum", "pemetrexed", "gemcitabine"} & set(both) or any("platinum" in _classes(name) for name in both)
    ):
        return False
    if any("targeted" in _classes(name) and name not in {"amivantamab"} for name in one) and any(
        "immune-checkpoint-inhibitor" in _classes(name) for name in two
    ):
        return False
    if "docetaxel" in both and any(
        "targeted" in _classes(name) or "immune-checkpoint-inhibitor" in _classes(name) for name in both
    ):
        return False
    immune = any("immune-checkpoint-inhibitor" in _classes(name) for name in one)
    return not (immune and any("targeted" in _classes(name) for name in two))


def _classes(name: str) -> frozenset[str]:
    entry = drug(name)
    return entry.classes if entry is not None else frozenset()


def settled(components: list[str]) -> list[str]:
    """Components without a group that a named member already makes specific ("chemotherapy (carboplatin/pemetrexed)")."""
    names = list(dict.fromkeys(components))
    kept = []
    for name in names:
        if is_group(name):
            members = covers(name)
            others = [other for other in names if other != name and other in members]
            if others:
                continue
            if name == "chemotherapy" and any(other in {"taxane", "antifolate"} for other in names):
                continue
        kept.append(name)
    return kept
