"""Drugs, procedures and regimens: from any spelling, separator and order to a set of canonical components.

Data: drugs.yaml (what a board names for lung cancer), drugs_elsewhere.yaml (drugs of other tumors), groups.yaml (groups, procedures,
setting words, words that carry nothing). Names are generic names (USAN); codes are RxNorm ingredient and WHO ATC.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from equipoise.cases.vocabulary._data import vocabulary
from equipoise.cases.vocabulary.tokens import PhraseTable, words

SYSTEMIC = "systemic"
"""The class of every drug."""

_PARENTHESES = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_CODE = re.compile(r"\b[A-Za-z]{2,5}-[0-9]{3,}\b")
"""A development code; read as a whole or not at all, so that IPI-504 is not ipilimumab and a number."""
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?[a-z]{0,3}|[a-z]?[0-9]+[a-z]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drug:
    """One component that a regimen can hold.

    Attributes:
        name: generic name, the key everywhere.
        classes: classes it belongs to; `systemic` for every drug, empty for procedures.
        kind: "drug", "group" (less specific than a drug) or "procedure".
        brands: trade names.
        codes: development codes and name variants.
        source: RxNorm and ATC codes, or the label that names it.
    """

    name: str
    classes: frozenset[str]
    kind: str
    brands: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regimen:
    """What a text names.

    Attributes:
        components: canonical drugs, groups and procedures.
        unspecific: those of them that are groups.
        unread: words that no vocabulary knows, in order.
        settings: settings that the text names; None when it names none.
        trial: the text speaks of a trial.
        other: the text speaks of something that is neither drug, procedure nor trial (rebiopsy, referral).
        withheld: the text takes a therapy back ("stop", "avoid") rather than naming one.
    """

    components: frozenset[str]
    unspecific: frozenset[str] = frozenset()
    unread: tuple[str, ...] = ()
    settings: frozenset[str] | None = None
    trial: bool = False
    other: bool = False
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a phrase stands for: components, settings, or a role word."""

    role: str
    components: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


class Lexicon:
    """The drug vocabulary, indexed. Build once through `lexicon()`."""

    def __init__(self) -> None:
        self.drugs: dict[str, Drug] = {}
        self.table: PhraseTable[_Entry] = PhraseTable()
        self._groups: dict[str, str] = {}
        self._load_drugs(vocabulary("drugs"))
        self._load_drugs(vocabulary("drugs_elsewhere"))
        self._load_groups(vocabulary("groups"))

    def _load_drugs(self, rows: list[dict[str, object]]) -> None:
        for row in rows:
            name = str(row["name"])
            if name in self.drugs:
                message = f"drug {name!r} is listed twice in the vocabulary"
                raise ValueError(message)
            drug = Drug(
                name=name,
                classes=frozenset((*_texts(row.get("classes")), SYSTEMIC)),
                kind="drug",
                brands=_texts(row.get("brands")),
                codes=_texts(row.get("codes")),
                source=str(row.get("source", "")),
            )
            self.drugs[name] = drug
            entry = _Entry("component", (name,))
            self.table.extend((name, *drug.brands, *drug.codes, *_texts(row.get("abbreviations"))), entry)

    def _load_groups(self, data: dict[str, list[dict[str, object]]]) -> None:
        for row in data["groups"]:
            name = str(row["name"])
            member = str(row["member_class"])
            classes = {member, SYSTEMIC}
            shared = [drug.classes for drug in self.drugs.values() if member in drug.classes]
            if shared:
                classes |= frozenset.intersection(*shared)
            self.drugs[name] = Drug(name=name, classes=frozenset(classes), kind="group")
            self._groups[name] = member
            self.table.extend(_texts(row["words"]), _Entry("component", (name,)))
        for row in data["procedures"]:
            name = str(row["name"])
            self.drugs[name] = Drug(name=name, classes=frozenset(), kind="procedure")
            self.table.extend((name, *_texts(row["words"])), _Entry("component", (name,)))
        for row in data["phrases"]:
            entry = _Entry("component", _texts(row["components"]), _texts(row.get("settings")))
            self.table.extend(_texts(row["words"]), entry)
        for row in data["settings"]:
            entry = _Entry("setting", _texts(row.get("with")), _texts(row["settings"]))
            self.table.extend(_texts(row["words"]), entry)
        for role in ("trial", "other", "withheld"):
            self.table.extend(_texts(data[role]), _Entry(role))
        self.table.extend(sorted(set(_texts(data["filler"]))), _Entry("filler"))

    def group_members(self, group: str) -> frozenset[str]:
        """Names of the drugs that a group stands for."""
        member = self._groups[group]
        return frozenset(name for name, drug in self.drugs.items() if drug.kind == "drug" and member in drug.classes)


@functools.cache
def lexicon() -> Lexicon:
    """The shipped drug vocabulary, read on first use."""
    return Lexicon()


def drug(name: str) -> Drug | None:
    """The entry of a canonical name; None when the vocabulary does not know it."""
    return lexicon().drugs.get(name)


def classes_of(name: str) -> frozenset[str]:
    """Classes of a canonical component; empty for procedures and unknown names."""
    entry = lexicon().drugs.get(name)
    return entry.classes if entry else frozenset()


def is_group(name: str) -> bool:
    """Whether a component names a group rather than a drug."""
    entry = lexicon().drugs.get(name)
    return entry is not None and entry.kind == "group"


@functools.cache
def covers(group: str) -> frozenset[str]:
    """Drugs that a group component may stand for; empty when it is no group."""
    return lexicon().group_members(group) if is_group(group) else frozenset()


def is_cytotoxic(name: str) -> bool:
    """Whether a component is a cytotoxic backbone, for which re-use after progression is no re-challenge."""
    return "chemotherapy" in classes_of(name)


@functools.lru_cache(maxsize=16_384)
def read_regimen(text: str) -> Regimen:
    """Read a regimen as written in a record.

    Args:
        text: for example "carboplatin/pemetrexed/pembro", "adjuvant cisplatin + vinorelbine", "Keytruda".

    Returns:
        What was understood. Words in parentheses are remarks: a drug there only makes a group more specific. Two options joined by
        "or" are understood only where they are members of one group (cisplatin or carboplatin); otherwise "or" is unread.
    """
    remarks = _PARENTHESES.findall(text)
    outside = _PARENTHESES.sub(" ", text) if remarks else text
    state = _Scan()
    tokens = words(outside)
    state.scan(tokens, strict=True)
    for code in _CODE.findall(outside):
        parts = words(code)
        known = lexicon().table.match(parts, 0)
        if known is None or known[1] < len(parts):
            state.unread.append(code)
    for remark in remarks:
        state.remark(remark)
    if "or" in tokens:
        state.options()
    return state.result()


class _Scan:
    """Working state of `read_regimen`."""

    __slots__ = ("components", "needs", "roles", "settings", "unread")

    def __init__(self) -> None:
        self.components: set[str] = set()
        self.unread: list[str] = []
        self.settings: set[str] = set()
        self.needs: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        self.roles: set[str] = set()

    def scan(self, tokens: list[str], *, strict: bool) -> None:
        table = lexicon().table
        place, size = 0, len(tokens)
        while place < size:
            found = table.match(tokens, place)
            if found is None:
                if strict and not _NUMBER.fullmatch(tokens[place]):
                    self.unread.append(tokens[place])
                place += 1
                continue
            entry, taken = found
            place += taken
            if entry.role == "component":
                self.components.update(entry.components)
                self.settings.update(entry.settings)
            elif entry.role == "setting":
                self.needs.append((entry.components, entry.settings))
            else:
                self.roles.add(entry.role)

    def remark(self, text: str) -> None:
        """A remark in parentheses may name the drug again, make a group specific, or name it for the first time."""
        inner = _Scan()
        inner.scan(words(text), strict=False)
        self.needs.extend(inner.needs)
        groups = {name for name in self.components if is_group(name)}
        for name in sorted(inner.components - self.components):
            covering = {group for group in groups if name in covers(group)}
            if covering:
                self.components -= covering
                self.components.add(name)
            elif not self.components:
                self.components.add(name)
            elif not is_group(name):
                self.unread.append(name)

    def options(self) -> None:
        """Two members of one group joined by "or" are that group; any other "or" is not understood."""
        for group in ("platinum", "taxane"):
            both = self.components & covers(group)
            if len(both) > 1:
                self.components -= both
                self.components.add(group)
                return
        self.unread.append("or")

    def result(self) -> Regimen:
        for needed, settings in self.needs:
            if not needed or self.components.intersection(needed):
                self.settings.update(settings)
        return Regimen(
            components=frozenset(self.components),
            unspecific=frozenset(name for name in self.components if is_group(name)),
            unread=tuple(self.unread),
            settings=frozenset(self.settings) if self.settings else None,
            trial="trial" in self.roles,
            other="other" in self.roles,
            withheld="withheld" in self.roles,
        )


def _texts(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Iterable):
        return tuple(str(item) for item in value)
    return (str(value),)
